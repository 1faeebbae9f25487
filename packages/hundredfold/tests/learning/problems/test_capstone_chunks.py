"""Unit 15, what is scaled out: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be accepted.
"""

import dask
import dask.array as da
import numpy as np
import pytest
from answers.later import cuda, later
from answers.second import Answers

from hundredfold.learning import problems
from hundredfold.learning.problems.devices import cp

SECOND = Answers("capstone")
wrong, right = SECOND.wrong, SECOND.right
HERE = ("futures", "wall")
pytestmark = pytest.mark.usefixtures("interpreted")


# ---- capstone.futures ----


@later
def travel(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        before = np.float32(0)
        for i in range(first[c], first[c + 1]):
            before = own[i, s] + (max(before - buffer[i], np.float32(0)) if i > first[c] else np.float32(0))
            late[i, s] = before


def with_the_kernel(part, first, buffer):
    late = cp.zeros_like(part)
    travel.ready()[(-(-part.shape[1] // 64), len(first)), (64, 1)](first, buffer, part, late)
    return late


def by_legs(part, first, buffer):
    """Without a kernel: the first flights of all planes, then the second ones."""
    late, at = part.copy(), first[:-1].copy()
    while True:
        at = at + 1
        flying = at < first[1:]
        if not bool(flying.any()):
            return late
        here = at[flying]
        late[here] += cp.maximum(late[here - 1] - buffer[here][:, None], 0)


def late_shares(first, buffer, own, way=by_legs):
    return da.map_blocks(way, own.rechunk({0: own.shape[0]}), first, buffer, dtype="f4", meta=own._meta)


def there_and_back(part, first, buffer):
    return cp.asarray(with_the_kernel(part, first, buffer).get())


@wrong("futures", "transfer")
def fetched_within_a_task(first, buffer, own):
    return (late_shares(first, buffer, own, there_and_back) > 15).mean(axis=1)


def sixteen_blocks_each_way(part, first, buffer):
    late = cp.zeros_like(part)
    travel.ready()[(16, 16), (32, 8)](first, buffer, part, late)
    return late


@wrong("futures", "aliasing")
def late_added_to_own(first, buffer, own):
    def block(part):
        part += by_legs(part, first, buffer) - part
        return (part > 15).astype("f8")

    return own.rechunk({0: -1}).map_blocks(block, dtype="f8", meta=cp.empty((0, 0))).mean(axis=1)


@wrong("futures", "value")
def a_grid_that_does_not_grow(first, buffer, own):
    return (late_shares(first, buffer, own, sixteen_blocks_each_way) > 15).mean(axis=1)


@right("futures")
def a_kernel_for_each_chunk(first, buffer, own):
    return da.mean(late_shares(first, buffer, own, with_the_kernel) > 15, axis=1)


@right("futures")
def added_up_in_pieces(first, buffer, own):
    def hits(part):
        return (by_legs(part, first, buffer) > 15.0).mean(axis=1, keepdims=True) * part.shape[1]

    whole = own.rechunk((-1, own.chunks[1]))
    each = whole.map_blocks(
        hits, chunks=(whole.chunks[0], (1,) * whole.numblocks[1]), dtype="f8", meta=cp.empty((0, 0))
    )
    return da.sum(each, axis=1) / own.shape[1]


@wrong("futures", "seam")
def as_they_come(first, buffer, own):
    def part(block, block_info=None):
        begin, end = block_info[0]["array-location"][0]
        inside = cp.unique(cp.clip(first, begin, end)) - begin
        inside = inside if len(inside) > 1 else cp.asarray([0, end - begin])
        return by_legs(block, inside, buffer[begin:end])

    return (own.map_blocks(part, dtype="f4", meta=own._meta) > 15).mean(axis=1)


@wrong("futures", "held")
def few_large_ones(first, buffer, own):
    return (late_shares(first, buffer, own.rechunk((-1, max(own.shape[1], 1)))) > 15).mean(axis=1)


@wrong("futures", "eager")
def looks_how_late(first, buffer, own):
    late = late_shares(first, buffer, own)
    return (late > 15).mean(axis=1) if late.max().compute() > 15 else da.zeros(own.shape[0])


@wrong("futures", "eager")
def already_there(first, buffer, own):
    return dask.compute((late_shares(first, buffer, own) > 15).mean(axis=1))[0]


@wrong("futures", "host")
def as_numpy(first, buffer, own):
    return (late_shares(first, buffer, own) > 15).mean(axis=1).map_blocks(cp.asnumpy, meta=np.empty(0))


@wrong("futures", "transfer")
def by_way_of_numpy(first, buffer, own):
    counted = (late_shares(first, buffer, own) > 15).map_blocks(cp.asnumpy, meta=np.empty((0, 0), bool))
    return counted.mean(axis=1).map_blocks(cp.asarray, meta=cp.empty(0))


@wrong("futures", "averaged")
def the_usual_future(first, buffer, own):
    usual = own.mean(axis=1)[:, None].rechunk(-1)
    return (da.map_blocks(by_legs, usual, first, buffer, dtype="f4", meta=own._meta) > 15).sum(axis=1) / 1.0


@wrong("futures", "recurrence")
def each_for_itself(first, buffer, own):
    return da.mean(own > np.float32(15), axis=1)


@wrong("futures", "boundary")
def not_below(first, buffer, own):
    return 1 - (late_shares(first, buffer, own) < 15).mean(axis=1)


@wrong("futures", "quantity")
def how_late(first, buffer, own):
    return late_shares(first, buffer, own).astype("f8").mean(axis=1)


@wrong("futures", "tasks")
def threes(first, buffer, own):
    return (late_shares(first, buffer, own.rechunk({1: 3})) > 15).mean(axis=1)


@wrong("futures", "seam")
def the_kernel_as_they_come(first, buffer, own):
    late = own.map_blocks(with_the_kernel, first, buffer, dtype="f4", meta=own._meta)
    return (late > 15).mean(axis=1)


def test_a_kernel_that_failed_in_its_chunks_spoils_no_later_answer(simulated):
    assert "in the middle of a plane" in problems.judge("capstone.futures", the_kernel_as_they_come).why
    assert problems.judge("capstone.futures", a_kernel_for_each_chunk).right
    simulated.arange(3).get()


def test_a_delay_by_legs_is_that_of_the_kernel(device):
    from hundredfold.learning.problems.capstone.propagate import propagate, table

    first, buffer, own = table(6, 5, 9)
    ours = by_legs(cp.asarray(own), cp.asarray(first), cp.asarray(buffer))
    np.testing.assert_allclose(ours.get(), propagate(first, buffer, own), rtol=1e-5, atol=1e-4)


# ---- capstone.wall ----


def cleaned(part, border="edge", reach=1):
    """The median of what lies around each pixel, with windows of a padded copy."""
    wide = cp.pad(part, reach, mode=border)
    size = 2 * reach + 1
    shifts = [wide[r : r + part.shape[0], c : c + part.shape[1]] for r in range(size) for c in range(size)]
    return cp.median(cp.stack(shifts), axis=0).astype(part.dtype)


def inner(part):
    return cleaned(part)[1:-1, 1:-1]


@right("wall")
def margins_by_hand(wall):
    """With a margin that the function takes away itself."""
    wide = da.overlap.overlap(wall, depth={0: 1, 1: 1}, boundary={0: "nearest", 1: "nearest"})
    return wide.map_blocks(inner, chunks=wall.chunks, dtype=wall.dtype, meta=wall._meta)


@right("wall")
def function_of_dask(wall):
    return da.map_overlap(cleaned, wall, depth=1, boundary="nearest", dtype="f4", meta=cp.empty((0, 0), "f4"))


@right("wall")
def no_boundary(wall):
    """At the wall's border the function itself finds the pixel on the border."""
    return da.map_overlap(cleaned, wall, depth=(1, 1), boundary="none", dtype=wall.dtype, meta=wall._meta)


@wrong("wall", "aliasing")
def in_place_where_it_has_no_neighbours(wall):
    def block(part):
        part[:] = cleaned(part)
        return part

    if wall.npartitions > 1:
        return margins_by_hand(wall)
    return wall.map_blocks(block, dtype=wall.dtype, meta=wall._meta)


@wrong("wall", "value")
def shaped_as_the_first(wall):
    high, wide = (sizes[0] for sizes in wall.chunks)

    def first_rows(part):
        out = part.copy()
        out[: high + 2, : wide + 2] = cleaned(part)[: high + 2, : wide + 2]
        return out

    return wall.map_overlap(first_rows, depth=1, boundary="nearest", dtype=wall.dtype, meta=wall._meta)


@wrong("wall", "dtype")
def said_to_be_float64(wall):
    return da.map_overlap(cleaned, wall, depth=1, boundary="nearest", dtype="f8", meta=cp.empty((0, 0), "f8"))


@wrong("wall", "seam")
def each_chunk(wall):
    return da.map_blocks(cleaned, wall, dtype=wall.dtype, meta=wall._meta)


@wrong("wall", "border")
def black_around(wall):
    return da.map_overlap(cleaned, wall, depth=1, boundary=np.float32(0), dtype="f4", meta=wall._meta)


@wrong("wall", "wrapped")
def round_and_round(wall):
    return da.map_overlap(cleaned, wall, depth=1, boundary={0: "periodic", 1: "periodic"}, meta=wall._meta)


@wrong("wall", "held")
def all_in_one(wall):
    return da.map_blocks(cleaned, wall.rechunk(wall.shape), dtype=wall.dtype, meta=wall._meta)


@wrong("wall", "eager")
def first_a_look(wall):
    if wall.min().compute() < -1e9:
        return wall
    return function_of_dask(wall)


@wrong("wall", "eager")
def done(wall):
    (out,) = dask.compute(function_of_dask(wall))
    return out


@wrong("wall", "host")
def finally_numpy(wall):
    return da.map_blocks(cp.asnumpy, function_of_dask(wall), dtype="f4", meta=np.empty((0, 0), "f4"))


@wrong("wall", "transfer")
def margins_on_the_host(wall):
    down = wall.map_blocks(cp.asnumpy, meta=np.empty((0, 0), "f4"))
    wide = da.overlap.overlap(down, depth=1, boundary="nearest")
    return wide.map_blocks(lambda part: inner(cp.asarray(part)), chunks=wall.chunks, dtype="f4", meta=wall._meta)


@wrong("wall", "transfer")
def cleaned_and_fetched_in_one_task(wall):
    def fetched(part):
        return cp.asarray(cleaned(part).get())

    return wall.map_overlap(fetched, depth=1, boundary="nearest", dtype="f4", meta=wall._meta)


@wrong("wall", "dtype")
def in_doubles(wall):
    return wall.map_overlap(cleaned, depth=1, boundary="nearest", dtype="f4", meta=wall._meta).astype("f8")


@wrong("wall", "twice")
def again(wall):
    once = function_of_dask(wall)
    return da.map_overlap(cleaned, once, depth=1, boundary="nearest", dtype="f4", meta=wall._meta)


@wrong("wall", "reach")
def two_around(wall):
    return da.map_overlap(cleaned, wall, depth=2, boundary="nearest", dtype="f4", meta=wall._meta, reach=2)


@wrong("wall", "tasks")
def crumbs(wall):
    return function_of_dask(wall.rechunk((3, 3)))


# ---- all ----


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


def test_each_reason_is_met_by_a_second_answer():
    assert not {(problem, reason) for problem, reason in SECOND.absent() if problem.partition(".")[2] in HERE}
