"""A trace goes on past the end of an array: all that is wrong is found, and the rest of the launch is seen."""

import numpy as np
import pytest
from numba import cuda

import kernellens
from gpusim.kernels.sanitizer.out_of_bounds import index
from gpusim.kernels.sanitizer.records import NEGATIVE, NEGATIVE_AXIS, Array


def out_of_bounds(trace):
    return [(each.line, each.array, each.index, each.elements) for each in trace.errors if each.kind == "out-of-bounds"]


@cuda.jit
def four_neighbours(x, out):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        out[i, j] = x[i + 1, j] + x[i, j + 1] + x[i - 1, j] + x[i, j - 1]


def test_each_border_that_is_passed_is_an_error_of_its_own():
    x = np.ones((20, 30), np.float32)
    trace = kernellens.trace(four_neighbours, (3, 4), (8, 8), x, np.zeros_like(x))
    first, second = sorted(out_of_bounds(trace), key=lambda each: each[2][0], reverse=True)
    # One element past the lower border for each of 30 columns, one past the right for each of 20 rows.
    assert first == (5, "x", (20, 0), 30) and second[1:2] + second[3:] == ("x", 20)
    assert second[2][1] == 30, "the first column that is not there"
    assert trace.reads["x"].total == 4 * 600 - 50 and trace.writes["out"].total == 600
    # What is not there counts as zero.
    assert trace.results[1][0, 0] == 4 and trace.results[1][19, 0] == 3 and trace.results[1][19, 29] == 2


def test_an_access_with_a_negative_index_beside_the_wrong_one_is_told_once():
    """As the kernel gave its index, [20, -1], and as it was taken, [20, 7], it was two errors."""

    @cuda.jit
    def corner(x, out):
        i = cuda.grid(1)
        out[i] = x[i + 1, -1]

    trace = kernellens.trace(corner, 1, 20, np.ones((20, 8)), np.zeros(20))
    assert out_of_bounds(trace) == [(4, "x", (20, -1), 1)]


def test_what_is_written_outside_touches_nothing():
    @cuda.jit
    def up(x):
        i = cuda.grid(1)
        x[i] += 1

    x = np.zeros(40, np.int32)
    trace = kernellens.trace(up, 2, 32, x)
    assert out_of_bounds(trace) == [(4, "x", (40,), 24)], "read and written, told once"
    assert (trace.results[0] == 1).all() and (x == 0).all()
    assert not [each for each in trace.errors if each.kind == "race"]


def test_an_atomic_and_shared_memory():
    @cuda.jit
    def counted(x, bins):
        tile = cuda.shared.array(32, "int32")
        i = cuda.threadIdx.x
        tile[i + 1] = x[i]
        cuda.syncthreads()
        cuda.atomic.add(bins, tile[31 - i + 1], 1)

    trace = kernellens.trace(counted, 1, 32, np.arange(32, dtype=np.int32) + 5, np.zeros(8, np.int32))
    found = out_of_bounds(trace)
    assert (5, "tile", (32,), 1) in found and (7, "tile", (32,), 1) in found
    assert (7, "bins", (35,), 28) in found, "5 to 7 fit, 8 to 35 do not; the tile's last is not there: 0"


def test_the_first_is_raised():
    x = np.ones((20, 30), np.float32)
    with pytest.raises(Exception, match=r"x\[20, 0\] does not exist"):
        kernellens.trace(four_neighbours, (3, 4), (8, 8), x, np.zeros_like(x), raise_on_error=True)


@pytest.mark.parametrize(
    ("meant", "exceeded"),
    [((4, 1), [0]), ((6, 1), [0]), ((1, 3), [1]), ((3, 5), [1]), ((5, 4), [0, 1]), ((-5, 2), [0]), ((1, -4), [1])],
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_index_is_told_as_it_was_meant(meant, exceeded, order):
    x = np.zeros((4, 3), np.float64, order=order)
    array = Array("x", "global", x.dtype, x.shape, x.strides, 0)
    # The engine counts a negative index from the end once, and looks then.
    wrapped = [i + n if i < 0 else i for i, n in zip(meant, x.shape, strict=True)]
    element = sum(i * s for i, s in zip(wrapped, x.strides, strict=True)) // 8
    flags = sum(NEGATIVE_AXIS << axis for axis in exceeded) | NEGATIVE * (min(wrapped) < 0)
    assert index(array, np.int32(element).view(np.uint32), flags) == meant


def test_each_access_past_the_end_has_its_cross():
    x = np.ones((20, 30), np.float32)
    trace = kernellens.trace(four_neighbours, (3, 4), (8, 8), x, np.zeros_like(x))
    lines = str(kernellens.show(trace)).splitlines()
    # The first block that is wrong: rows 16 to 19 of the array, so the fourth of its threads along x, for each along y.
    first = next(k for k, line in enumerate(lines) if line.startswith("Block (2, 0)"))
    threads = [line.split() for line in lines[first + 1 : first + 9]]
    assert [[column for column, sign in enumerate(row) if sign == "X"] for row in threads] == [[3]] * 8
    below = next(k for k, line in enumerate(lines) if line.startswith("x: float32"))
    elements = [line.replace(" ", "") for line in lines[below + 1 :]]
    assert next(line for line in elements if "X" in line).startswith("X" * 8), "the row behind the last"
