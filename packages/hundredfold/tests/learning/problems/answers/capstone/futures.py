"""``capstone.futures``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.capstone.futures import LATE
from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


def carried(first, buffer, own):
    """`propagate` without a kernel of one's own: flight by flight, all futures at once."""
    late = own.copy()
    starts = set(first.get().tolist())
    for i in range(len(own)):
        if i not in starts:
            late[i] += cp.maximum(late[i - 1] - buffer[i], cp.float32(0))
    return late


def _block(part, first, buffer):
    return carried(first, buffer, part)


def _right(first, buffer, own):
    whole = own.rechunk({0: -1})
    late = whole.map_blocks(_block, first, buffer, dtype=own.dtype, meta=own._meta)
    return (late > LATE).mean(axis=1)


def _counted(first, buffer, own):
    """Each chunk counts; the counts are added and divided at the end."""

    def count(part):
        return (carried(first, buffer, part) > LATE).sum(axis=1, keepdims=True)

    whole = own.rechunk({0: own.shape[0]})
    chunks = (whole.chunks[0], (1,) * whole.numblocks[1])
    counts = whole.map_blocks(count, chunks=chunks, dtype="int64", meta=cp.empty((0, 0), "int64"))
    return counts.sum(axis=1) / own.shape[1]


def _as_cut(first, buffer, own):
    """Chunk by chunk as they come: planes are cut in two."""

    def part(block, block_info=None):
        begin, end = block_info[0]["array-location"][0]
        starts = cp.asarray(sorted({*[int(f) for f in first if begin <= f < end], begin}), dtype="int32") - begin
        starts = cp.concatenate([starts, cp.asarray([end - begin], dtype="int32")])
        return carried(starts, buffer[begin:end], block)

    late = own.map_blocks(part, dtype=own.dtype, meta=own._meta)
    return (late > LATE).mean(axis=1)


def _one_chunk(first, buffer, own):
    late = own.rechunk(-1).map_blocks(_block, first, buffer, dtype=own.dtype, meta=own._meta)
    return (late > LATE).mean(axis=1)


def _computed(first, buffer, own):
    return _right(first, buffer, own).compute()


def _on_the_way(first, buffer, own):
    own = own.persist()
    return _right(first, buffer, own)


def _on_host(first, buffer, own):
    return _right(first, buffer, own).map_blocks(lambda part: part.get(), meta=np.empty(0))


def _through_host(first, buffer, own):
    def block(part):
        return cp.asarray(part)

    down = own.rechunk({0: -1}).map_blocks(lambda part: carried(first, buffer, part).get(), meta=np.empty((0, 0), "f4"))
    up = (down > LATE).map_blocks(block, meta=cp.empty((0, 0), bool))
    return up.mean(axis=1)


def _mean_first(first, buffer, own):
    """The lateness of the mean future, which is not the mean of the futures."""
    mean = own.mean(axis=1, keepdims=True).rechunk(-1)
    late = mean.map_blocks(_block, first, buffer, dtype=own.dtype, meta=own._meta)
    return (late[:, 0] > LATE).astype("float64")


def _own_only(first, buffer, own):
    return (own > LATE).mean(axis=1)


def _from_fifteen(first, buffer, own):
    late = own.rechunk({0: -1}).map_blocks(_block, first, buffer, dtype=own.dtype, meta=own._meta)
    return (late >= LATE).mean(axis=1)


def _minutes(first, buffer, own):
    late = own.rechunk({0: -1}).map_blocks(_block, first, buffer, dtype=own.dtype, meta=own._meta)
    return late.mean(axis=1, dtype="float64")


def _each_future(first, buffer, own):
    return _right(first, buffer, own.rechunk({0: -1, 1: 1}))


def _written_over(first, buffer, own):
    """Each chunk that came is written over, and another task may be given it, too."""

    def block(part):
        part[:] = carried(first, buffer, part)
        return part

    late = own.rechunk({0: -1}).map_blocks(block, dtype=own.dtype, meta=own._meta)
    return (late > LATE).mean(axis=1)


def _dropped_axis(first, buffer, own):
    """Where an axis is dropped, Dask gives a task all chunks along it."""

    def share(part):
        return (carried(first, buffer, part) > LATE).mean(axis=1)

    return own.rechunk({0: -1}).map_blocks(share, drop_axis=1, dtype="float64", meta=cp.empty(0, "float64"))


def _as_wide_as_the_first(first, buffer, own):
    """Every chunk is taken to have as many futures as the first."""
    many = own.chunks[1][0]

    def block(part):
        late = cp.zeros_like(part)
        late[:, :many] = carried(first, buffer, part[:, :many])
        return late

    late = own.rechunk({0: -1}).map_blocks(block, dtype=own.dtype, meta=own._meta)
    return (late > LATE).mean(axis=1)


WRONG = {
    "as-cut": Wrong(_as_cut, "seam"),
    "one-chunk": Wrong(_one_chunk, "held"),
    "computed": Wrong(_computed, "eager"),
    "persisted": Wrong(_on_the_way, "eager"),
    "host": Wrong(_on_host, "host"),
    "through-the-host": Wrong(_through_host, "transfer"),
    "mean-first": Wrong(_mean_first, "averaged"),
    "own-only": Wrong(_own_only, "recurrence"),
    "from-fifteen": Wrong(_from_fifteen, "boundary"),
    "minutes": Wrong(_minutes, "quantity"),
    "each-future": Wrong(_each_future, "tasks"),
    "written-over": Wrong(_written_over, "aliasing"),
    "dropped-axis": Wrong(_dropped_axis, "held"),
    "as-wide-as-the-first": Wrong(_as_wide_as_the_first, "value"),
}
RIGHT = {"mean": _right, "counts": _counted}
