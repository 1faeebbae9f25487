"""Sectors and bank conflicts of the textbook cases, computed by hand."""

import numba
import numpy as np
import pytest

import kernellens
from gpusim.kernels.sanitizer.log import Recorder
from kernellens.requests import pairs
from kernellens.traffic import traffic

cuda = None  # set by conftest.py

# 32 lanes × 4 bytes = 128 bytes = 4 sectors when they lie together; × 8 bytes = 8 sectors; a sector each when far apart.
F4, F8 = np.float32, np.float64


def column(x, out):
    i = cuda.grid(1)
    out[i] = x[i, 0]


def row(x, out):
    i = cuda.grid(1)
    out[i] = x[0, i]


def strided(x, out, step):
    i = cuda.grid(1)
    out[i] = x[i * step]


def shifted(x, out, by):
    i = cuda.grid(1)
    out[i] = x[i + by]


def same(x, out):
    out[cuda.grid(1)] = x[7]


def line_of(kernel, text):
    import inspect

    return next(k for k, line in enumerate(inspect.getsource(kernel).splitlines(), 1) if text in line)


def read_of(trace):
    """The traffic of the only read."""
    (found,) = [t for t in trace.traffic if t.kind == "read"]
    return found


@pytest.mark.parametrize(
    "kernel, args, sectors, efficiency",
    [
        (row, (np.zeros((32, 32), F4), np.zeros(32, F4)), 4, 1.0),
        (row, (np.zeros((32, 32), F8), np.zeros(32, F8)), 8, 1.0),
        (column, (np.zeros((32, 32), F4), np.zeros(32, F4)), 32, 4 / 32),
        (column, (np.zeros((32, 32), F8), np.zeros(32, F8)), 32, 8 / 32),
        (row, (np.zeros((32, 32), F4, order="F"), np.zeros(32, F4)), 32, 4 / 32),
        (strided, (np.zeros(64, F4), np.zeros(32, F4), 2), 8, 0.5),
        (strided, (np.zeros(128, F4), np.zeros(32, F4), 4), 16, 0.25),
        (strided, (np.zeros(256, F4), np.zeros(32, F4), 8), 32, 0.125),
        (strided, (np.zeros(512, F4), np.zeros(32, F4), 16), 32, 0.125),
        (shifted, (np.zeros(64, F4), np.zeros(32, F4), 1), 5, 128 / 160),
        (shifted, (np.zeros(64, F4), np.zeros(32, F4), 8), 4, 1.0),
        (same, (np.zeros(64, F4), np.zeros(32, F4)), 1, 4 / 32),
        (row, (np.zeros((32, 32), np.int8), np.zeros(32, np.int8)), 1, 1.0),
        (row, (np.zeros((32, 32), np.complex128), np.zeros(32, np.complex128)), 16, 1.0),
    ],
)
def test_sectors_of_one_request(kernel, args, sectors, efficiency):
    trace = kernellens.trace(kernel, 1, 32, *args)
    read = read_of(trace)
    assert (read.requests, read.sectors) == (1, sectors)
    assert read.efficiency == pytest.approx(efficiency)
    assert trace.errors == []


def test_a_field_of_an_array_of_structs_moves_all_of_them():
    kind = np.dtype([("x", F4), ("y", F4), ("z", F4), ("w", F4)])

    def energy(points, out):
        i = cuda.grid(1)
        out[i] = points[i].x

    trace = kernellens.trace(energy, 1, 32, np.zeros(32, kind), np.zeros(32, F4))
    read = read_of(trace)
    assert (read.sectors, read.asked) == (16, 128)  # 32 × 16 bytes lie in 16 sectors; 4 bytes of each were wanted


def test_sectors_are_by_line_and_per_request_of_a_warp():
    def copy(x, out):
        i, j = cuda.grid(2)
        out[i, j] = x[i, j]  # the lanes of a warp differ in i, the slow index

    x = np.zeros((64, 64), F4)
    trace = kernellens.trace(copy, (2, 2), (32, 32), x, x.copy())
    line = line_of(copy, "out[i, j]")
    assert trace.requests == {line: 2 * 64 * 64 // 32}
    assert trace.sectors == {line: 32.0}
    assert trace.efficiency == pytest.approx(4 / 32)
    assert trace.reads["x"] == trace.writes["out"] == (64 * 64, 1)


def test_threads_beyond_the_end_ask_for_nothing():
    def copy(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i]

    trace = kernellens.trace(copy, 2, 32, np.zeros(33, F4), np.zeros(33, F4))
    assert list(trace.requests.values()) == [4]  # two warps read and write; the second has one active lane
    assert read_of(trace).sectors == 5
    assert trace.divergent_branches == 1


@pytest.mark.parametrize(
    "condition, times, diverged",
    [("i % 2 == 0", 4, 4), ("i // 32 % 2 == 0", 4, 0), ("i < 40", 4, 1), ("x[i] > 0", 4, 0)],
)
def test_warps_part_where_lanes_disagree(condition, times, diverged, tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text(
        "from numba import cuda\n"
        "def kernel(x, out):\n"
        "    i = cuda.grid(1)\n"
        f"    if {condition}:\n"
        "        out[i] = x[i]\n"
        "    elif i < 0:\n"
        "        out[i] = 1\n"
    )
    scope = {}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    trace = kernellens.trace(scope["kernel"], 2, 64, np.zeros(128, F4), np.zeros(128, F4))
    first = trace.branches[0]
    assert (first.line, first.times, first.diverged) == (3, times, diverged)
    assert trace.divergent_branches == diverged


def test_loops_of_different_lengths_part_a_warp_each_turn_that_some_have_left():
    def count(out):
        i = cuda.threadIdx.x
        for _ in range(i % 4):
            out[i] += 1

    trace = kernellens.trace(count, 1, 32, np.zeros(32))
    (loop,) = trace.branches
    assert (loop.times, loop.diverged) == (
        4,
        3,
    )  # turns 1, 2 and 3 lose a quarter of the lanes each; at the last all leave
    assert trace.errors == []


def test_a_loop_makes_a_request_each_time_round():
    def total(x, out):
        i = cuda.grid(1)
        s = 0.0
        for k in range(10):
            s += x[k, i]
        out[i] = s

    trace = kernellens.trace(total, 1, 64, np.zeros((10, 64), F4), np.zeros(64, F4))
    read = read_of(trace)
    assert (read.requests, read.sectors) == (20, 80)


def tile_kernel(width):
    @cuda.jit
    def transpose(x, out):
        tile = cuda.shared.array((32, width), numba.float32)
        j, i = cuda.threadIdx.x, cuda.threadIdx.y
        tile[i, j] = x[i, j]
        cuda.syncthreads()
        out[i, j] = tile[j, i]

    return transpose


def test_a_transposed_tile_conflicts_in_all_banks_and_a_padded_one_in_none():
    x = np.arange(1024, dtype=F4).reshape(32, 32)
    bad = kernellens.trace(tile_kernel(32), 1, (32, 32), x, np.zeros_like(x))
    # 32 warps read a column each: 32 words of one bank, 31 cycles more than one.
    assert bad.bank_conflicts == 32 * 31
    assert max(c.worst for c in bad.conflicts) == 32
    good = kernellens.trace(tile_kernel(33), 1, (32, 32), x, np.zeros_like(x))
    assert good.bank_conflicts == 0
    for trace in (bad, good):
        assert trace.efficiency == 1.0
        assert np.array_equal(trace.results[1], x.T)


@pytest.mark.parametrize(
    "step, kind, extra",
    [
        (1, numba.float32, 0),
        (2, numba.float32, 1),
        (3, numba.float32, 0),
        (8, numba.float32, 7),
        (32, numba.float32, 31),
        (1, numba.float64, 0),  # two halves of a warp, each without conflict
        (2, numba.float64, 2),  # each half meets 16 words of 8 bytes in 8 pairs of banks: one cycle more, twice
        (1, numba.int8, 0),  # four lanes want each word
        (0, numba.float32, 0),  # all want the same word
    ],
)
def test_bank_conflicts_of_strided_access(step, kind, extra):
    def strided(out):
        buffer = cuda.shared.array(1024, kind)
        for k in range(cuda.threadIdx.x, 1024, cuda.blockDim.x):
            buffer[k] = 0
        cuda.syncthreads()
        out[cuda.threadIdx.x] = buffer[step * cuda.threadIdx.x]

    trace = kernellens.trace(strided, 1, 32, np.zeros(32, np.dtype(str(kind))))
    line = line_of(strided, "out[")
    assert sum(c.extra for c in trace.conflicts if c.line == line) == extra


def test_one_place_that_touches_arrays_far_apart():
    """Addresses of this process may lie 2**47 bytes apart: with a request's number beside them they need more than 63
    bits.  Of 2**18 blocks of one thread each reads one element, the even ones of x and the odd ones of y."""
    blocks = 1 << 18
    made = Recorder((blocks,), (1,), blocks=range(blocks))
    x = made.array("x", "global", F4, (blocks,), address=1 << 20)
    y = made.array("y", "global", F4, (blocks,), address=1 << 47)
    read = made.site(3, array="x", kind="read")
    thread = np.arange(blocks)
    made.append(thread, thread, read, np.where(thread % 2, y, x))
    (found,) = traffic(made.log())
    assert (found.arrays, found.requests) == (("x", "y"), blocks)
    assert (found.sectors, found.asked, found.fewest) == (blocks, 4 * blocks, blocks)


def test_pairs_of_positions_that_have_32_bits_as_in_a_browser():
    first, second = np.array([100_000, 0, 100_000], np.int32), np.array([90_000, 0, 90_000], np.int32)
    one, other = pairs(first, second)
    assert one.tolist() == [0, 100_000] and other.tolist() == [0, 90_000]
