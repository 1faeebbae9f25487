"""Races: each kind found, and each near miss left alone."""

import numpy as np
import pytest

GRID = "grid"


def races(made):
    return [f for f in made.examine() if f.kind == "race"]


def test_threads_that_write_one_element_race(hand):
    made = hand(lines={4: "x[0] = i"})
    (finding,) = races(made.run(lambda t, x: t.write(x, 0, 4), made.array()))
    assert (finding.severity, finding.array, finding.index, finding.line) == ("error", "x", (0,), 4)
    assert finding.threads == (((0, 0, 0), (0, 0, 0)), ((1, 0, 0), (0, 0, 0)))
    for part in ("x[0]", "line 4", "`x[0] = i`", "thread (0, 0, 0)", "thread (1, 0, 0) of block (0, 0, 0)"):
        assert part in finding.sentence


def test_each_its_own_element(hand):
    made = hand((4,))
    assert not races(made.run(lambda t, x: t.write(x, t.i, 4), made.array()))


def test_all_read_one(hand):
    made = hand((4,))
    assert not races(made.run(lambda t, x: t.read(x, 0), made.array()))


def test_one_thread_reads_and_writes_one_element(hand):
    made = hand()

    def kernel(t, x):
        t.read(x, t.i, 2)
        t.write(x, t.i, 3)
        t.read(x, t.i, 4)

    assert not races(made.run(kernel, made.array()))


def shift(t, x, barrier=False):
    """x[i] = x[i + 1], with or without a barrier in between."""
    t.read(x, (t.i + 1) % 64, 2)
    if barrier:
        yield
    t.write(x, t.i, 3)


def test_a_read_and_a_write_race_unless_a_barrier_is_between(hand):
    made = hand()
    (finding,) = races(made.run(shift, made.array()))
    assert (finding.line, finding.other_line) == (3, 2)
    assert "is written by" in finding.sentence and "cuda.syncthreads() between line 2 and line 3" in finding.sentence
    made = hand()
    assert not races(made.run(shift, made.array(), True))


def test_a_barrier_does_not_reach_other_blocks(hand):
    def kernel(t, x):
        t.read(x, (t.i + 1) % 128, 2)
        yield
        t.write(x, t.i, 3)

    made = hand((2,))
    (finding,) = races(made.run(kernel, made.array()))
    assert finding.threads[0].block != finding.threads[1].block
    assert "second array" in finding.sentence and finding.index in [(0,), (64,)]


def test_a_grid_sync_does(hand):
    def kernel(t, x):
        t.read(x, (t.i + 1) % 128, 2)
        yield GRID
        t.write(x, t.i, 3)

    made = hand((2,))
    assert not races(made.run(kernel, made.array()))


def test_blocks_race_in_different_intervals_too(hand):
    def kernel(t, x):
        if t.block:
            yield
            yield
        t.write(x, 0, 3) if t.linear == 0 else None
        yield

    made = hand((2,))
    (finding,) = races(made.run(kernel, made.array()))
    assert finding.line == finding.other_line == 3


def test_a_syncwarp_orders_a_warp(hand):
    def kernel(t, x, sync, n):
        t.read(x, (t.i + 1) % n, 2)
        if sync:
            t.syncwarp()
        t.write(x, t.i, 3)

    made = hand(blockdim=(32,))
    (finding,) = races(made.run(kernel, made.array(), False, 32))
    assert "syncwarp" in finding.sentence  # running in step is no order
    made = hand(blockdim=(32,))
    assert not races(made.run(kernel, made.array(), True, 32))
    made = hand(blockdim=(64,))
    (finding,) = races(made.run(kernel, made.array(), True, 64))  # but not two warps
    warps = {thread[0] // 32 for thread, _ in finding.threads}
    assert warps == {0, 1} and "syncwarp" not in finding.sentence


def test_atomics_do_not_race_with_each_other(hand):
    made = hand((4,))
    assert not races(made.run(lambda t, x: t.atomic(x, t.i % 3), made.array()))


@pytest.mark.parametrize("plain", ["read", "write"])
def test_an_atomic_and_a_plain_access_race(hand, plain):
    def kernel(t, x):
        if t.i == 5:
            getattr(t, plain)(x, 0, 7)
        else:
            t.atomic(x, 0, 4)

    made = hand()
    (finding,) = races(made.run(kernel, made.array()))
    assert finding.severity == "error" and {finding.line, finding.other_line} == {4, 7}


def test_a_thread_that_reads_what_only_it_updates(hand):
    def kernel(t, x):
        t.atomic(x, t.i, 4)
        t.read(x, t.i, 5)

    made = hand()
    assert not races(made.run(kernel, made.array()))


def test_atomics_then_a_barrier_then_reads(hand):
    def kernel(t, x):
        t.atomic(x, 0, 4)
        yield
        t.read(x, 0, 6)

    made = hand()
    assert not races(made.run(kernel, made.array(space="shared")))
    made = hand((2,))
    assert races(made.run(kernel, made.array()))  # of the other block, in global memory


def test_reading_changing_and_writing_back(hand):
    made = hand(lines={5: "hist[b] += 1"})

    def kernel(t, x):
        t.read(x, t.i % 4, 5)
        t.write(x, t.i % 4, 5, value=1.0)

    (finding,) = races(made.run(kernel, made.array("hist", 4)))
    assert finding.severity == "error" and "one change is lost" in finding.sentence
    assert "cuda.atomic.add(hist" in finding.sentence


@pytest.mark.parametrize("griddim", [(1,), (3,)])
def test_the_same_value_from_the_same_line_is_a_warning(hand, griddim):
    made = hand(griddim)
    (finding,) = races(made.run(lambda t, x: t.write(x, 0, 4, value=1), made.array()))
    assert finding.severity == "warning" and "same value" in finding.sentence


@pytest.mark.parametrize("griddim", [(1,), (3,)])
def test_the_same_value_from_two_lines_is_an_error(hand, griddim):
    made = hand(griddim)
    (finding,) = [f for f in races(made.run(lambda t, x: t.write(x, 0, 4 + t.i % 2, value=1), made.array()))
                  if f.line != f.other_line]  # fmt: skip
    assert finding.severity == "error"


def test_one_different_value_among_many_is_an_error(hand):
    made = hand((3,))
    (finding,) = races(made.run(lambda t, x: t.write(x, t.i % 8, 4, value=int(t.i == 77)), made.array()))
    assert finding.severity == "error"


def test_the_same_value_but_read_by_others_is_an_error(hand):
    def kernel(t, x):
        t.write(x, 0, 4, value=1)
        if t.i == 9:
            t.read(x, 0, 5)

    made = hand()
    assert [f.severity for f in races(made.run(kernel, made.array())) if {f.line, f.other_line} == {4, 5}] == ["error"]


def test_shared_memory_belongs_to_its_block(hand):
    made = hand((3,))
    tile = made.array("tile", 64, space="shared")
    assert not races(made.run(lambda t, s: t.write(s, t.linear, 4), tile))


def test_local_memory_belongs_to_its_thread(hand):
    made = hand((3,))
    assert not races(made.run(lambda t, s: t.write(s, 0, 4), made.array("own", 8, space="local")))


def test_a_missing_second_barrier_is_put_at_the_end_of_the_loop(hand):
    def kernel(t, tile, second):
        for k in range(3):
            t.write(tile, t.linear, 4, value=k)
            yield
            t.read(tile, 63 - t.linear, 6)
            if second:
                yield

    made = hand()
    (finding,) = races(made.run(kernel, made.array("tile", 64, space="shared"), False))
    assert "at the end of the loop, after line 6" in finding.sentence
    made = hand()
    assert not races(made.run(kernel, made.array("tile", 64, space="shared"), True))


def test_one_array_under_two_names(hand):
    """The in-place stencil: kernel(x, x)."""

    def kernel(t, a, b):
        t.read(a, min(t.i + 1, 63), 2)
        t.write(b, t.i, 2)

    made = hand()
    data = np.zeros(64, "f4")
    assert races(made.run(kernel, made.recorder.argument("a", data), made.recorder.argument("b", data)))
    made = hand()
    assert not races(made.run(kernel, made.recorder.argument("a", data), made.recorder.argument("b", data.copy())))


def test_a_slice_beside_its_array(hand):
    """b is a[1:]: reading a[i + 1] and writing b[i] is one element each; writing b[i - 1] is another's."""
    data = np.zeros(65, "f4")
    for there, expected in ((lambda i: i, 0), (lambda i: (i + 1) % 64, 1)):

        def kernel(t, a, b, there=there):
            t.read(a, t.i + 1, 2)
            t.write(b, there(t.i), 3)

        made = hand()
        made.run(kernel, made.recorder.argument("a", data), made.recorder.argument("b", data[1:]))
        assert len(races(made)) == expected


def test_one_memory_as_two_types(hand):
    """Bytes 4 to 8 of a float64 are the second of two float32."""
    data = np.zeros(64, "f8")

    def kernel(t, wide, narrow, of):
        t.write(wide, t.i, 2)
        t.read(narrow, of(t.i), 3)

    for of, expected in ((lambda i: 2 * i + 1, 0), (lambda i: (2 * i + 3) % 128, 1)):
        made = hand()
        made.run(kernel, made.recorder.argument("w", data), made.recorder.argument("n", data.view("f4")), of)
        assert len(races(made)) == expected


def test_fields_of_a_record_are_apart(hand):
    kind = np.dtype([("a", "f4"), ("b", "f4")])

    def kernel(t, x, field):
        t.write(x, t.i, 2, offset=0, nbytes=4)
        t.read(x, (t.i + 1) % 64, 3, offset=field, nbytes=4)

    made = hand()
    assert not races(made.run(kernel, made.array(dtype=kind), 4))
    made = hand()
    assert races(made.run(kernel, made.array(dtype=kind), 0))


def last_block(t, partial, count, fence):
    """Each block leaves a sum; the last to count itself in adds them up."""
    if t.linear == 0:
        t.write(partial, t.block, 3)
        if fence:
            t.fence(4, fence)
        t.atomic(count, 0, 5)
    yield
    if t.block == 3:
        t.read(partial, t.linear % 4, 8)


@pytest.mark.parametrize(
    ("fence", "severity"), [("threadfence", "warning"), (None, "error"), ("threadfence_block", "error")]
)
def test_a_fence_and_an_atomic_flag_make_a_warning(hand, fence, severity):
    made = hand((4,), (32,))
    (finding,) = races(made.run(last_block, made.array("partial", 4), made.array("count", 1, "i4"), fence))
    assert (finding.severity, finding.array) == (severity, "partial")


@pytest.mark.parametrize(
    ("writer", "reader", "severity"),
    [
        ("write fence flag", "flag read", "warning"),
        ("fence write flag", "flag read", "error"),
        ("write flag fence", "flag read", "error"),
        ("write flag", "flag fence read", "error"),
        ("write fence flag", "read flag", "error"),
        ("write fence flag", "read", "error"),
        ("write fence own", "own read", "error"),
        ("write fence | flag", "flag | read", "warning"),
    ],
)
def test_in_which_order_a_fence_and_a_flag_help(hand, writer, reader, severity):
    def kernel(t, x, flag):
        steps = {
            "write": lambda: t.write(x, 0, 3),
            "read": lambda: t.read(x, 0, 4),
            "fence": lambda: t.fence(5),
            "flag": lambda: t.atomic(flag, 0, 6),
            "own": lambda: t.atomic(x, 0, 7),
        }
        parts = [part.split() for part in (reader if t.block else writer).split("|")]
        if len(parts) == 1:
            for step in parts[0] if t.linear == 0 else ():
                steps[step]()
            return
        # Another thread of the block goes on after a barrier.
        for k, part in enumerate(parts):
            for step in part if t.linear == k else ():
                steps[step]()
            yield

    made = hand((2,), (2,))
    found = races(made.run(kernel, made.array(), made.array("flag", 1)))
    assert [f.severity for f in found if {f.line, f.other_line} == {3, 4}] == [severity]


def test_a_fence_without_a_flag_is_no_order(hand):
    def kernel(t, x, y):
        t.write(x, t.block, 3)
        t.fence()
        t.atomic(y, t.block, 5)  # each block its own
        t.read(x, 1 - t.block, 6)

    made = hand((2,), (1,))
    assert [f.severity for f in races(made.run(kernel, made.array(), made.array("y")))] == ["error"]


@pytest.mark.parametrize(
    ("operation", "severity"), [("cas", "warning"), ("compare_and_swap", "warning"), ("add", "error")]
)
@pytest.mark.parametrize("after", [True, False])
def test_a_read_that_a_compare_and_swap_checks(hand, operation, severity, after):
    def kernel(t, x):
        if after:
            t.read(x, 0, 3)
        t.atomic(x, 0, 5, operation=operation)
        if not after:
            t.read(x, 0, 7)

    made = hand()
    (finding,) = races(made.run(kernel, made.array()))
    assert finding.severity == (severity if after else "error")


def test_two_indices_are_told_as_written(hand):
    made = hand((2,), (8, 4), lines={3: "image[y, x] = 0"})
    (finding,) = races(made.run(lambda t, x: t.write(x, (2, 3), 3), made.array("image", (4, 8))))
    assert finding.index == (2, 3) and "image[2, 3]" in finding.sentence


def test_only_sampled_blocks_are_named_rightly(hand):
    made = hand((10, 10), (32,), blocks=[0, 9, 55])
    (finding,) = races(made.run(lambda t, x: t.write(x, 0, 3) if t.block else None, made.array()))
    assert {block for _, block in finding.threads} <= {(9, 0, 0), (5, 5, 0)}


def test_errors_come_before_warnings(hand):
    def kernel(t, x, y):
        t.write(x, 0, 2, value=1)
        t.write(y, 0, 9)

    made = hand()
    found = made.run(kernel, made.array("x"), made.array("y")).examine()
    assert [f.severity for f in found] == ["error", "warning"]


def test_far_elements_of_a_large_array(hand):
    """Where few elements of many are touched, only those take memory."""
    made = hand((2,))
    x = made.array(shape=(1 << 32) - 1, dtype="i1")
    (finding,) = races(made.run(lambda t, x: t.write(x, (1 << 32) - 2 - t.i // 2, 3), x))
    assert finding.index[0] > (1 << 32) - 128


def test_a_race_within_and_between_blocks_is_not_mended_by_a_barrier(hand):
    def kernel(t, x):
        t.read(x, (t.i + 1) % 128, 2)
        t.write(x, t.i, 3)

    made = hand((2,))
    (finding,) = races(made.run(kernel, made.array()))
    assert finding.threads[0].block == finding.threads[1].block  # the example is the simplest
    assert "second array" in finding.sentence and "syncwarp" not in finding.sentence


@pytest.mark.parametrize("field", ["interval", "warp", "epoch"])
def test_so_many_barriers_that_their_numbers_begin_again(hand, field):
    """Three threads take turns, 200 000 times: intervals are kept in 16 bits."""
    made = hand(blockdim=(3,))
    x = made.array("x", 2, space="shared")
    early, late = (made.recorder.site(line, array="x", kind="write") for line in (1, 2))
    turn = np.arange(200_000)
    made.recorder.append(1, [0, 1], early, x, values=[1, 2])  # this is a race, and is found
    made.recorder.append(0, turn % 3, late, x, **{field: turn & 0xFFFF}, values=turn)
    assert [f.index for f in races(made)] == [(1,)]
