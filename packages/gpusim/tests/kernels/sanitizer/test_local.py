"""Local arrays that are read before the thread has written them: CUDA leaves automatic variables undefined until they are set."""

import types

import numpy as np
import pytest

from gpusim.kernels import Kernel
from gpusim.kernels.frontend import intrinsics
from gpusim.kernels.sanitizer import findings

cuda = types.ModuleType("cuda")
vars(cuda).update(intrinsics.TOP)

pytestmark = pytest.mark.usefixtures("backend")


def found(kernel, *args):
    args = args or (np.ones(64), np.zeros(64))
    log, fault = Kernel(kernel).trace(2, 32, args)
    assert fault is None, fault
    return findings.examine(log)


def sums_without_a_zero(x, out):
    i = cuda.grid(1)
    kept = cuda.local.array(4, np.float64)
    for k in range(4):
        kept[k] += x[i]
    out[i] = kept[0]


def one_element_left(x, out):
    i = cuda.grid(1)
    kept = cuda.local.array(4, np.float64)
    for k in range(3):
        kept[k] = x[i]
    out[i] = kept[i % 4]


def behind_a_barrier(x, out):
    i = cuda.grid(1)
    kept = cuda.local.array(4, np.float64)
    if i % 2:
        kept[1] = x[i]
    cuda.syncthreads()
    out[i] = kept[1]


@pytest.mark.parametrize(
    ("kernel", "line", "index"), [(sums_without_a_zero, 5, 0), (one_element_left, 6, 3), (behind_a_barrier, 7, 1)]
)
def test_an_element_that_the_thread_has_not_written(kernel, line, index):
    (finding,) = found(kernel)
    assert (finding.kind, finding.severity) == ("uninitialised-local", "error")
    assert (finding.array, finding.index, finding.line) == ("kept", (index,), line)
    assert "local array" in finding.sentence and finding.cure.startswith("Set every element")


def set_whole(x, out):
    i = cuda.grid(1)
    kept = cuda.local.array(4, np.float64)
    kept[:] = 0
    for k in range(4):
        kept[k] += x[i]
    out[i] = kept[0]


def sorted_in_place(x, out):
    i = cuda.grid(1)
    kept = cuda.local.array(8, np.float64)
    n = 0
    for k in range(8):
        value = x[(i + k) % x.size]
        at = n
        while at > 0 and kept[at - 1] > value:
            kept[at] = kept[at - 1]
            at -= 1
        kept[at] = value
        n += 1
    out[i] = kept[0]


def of_threads_that_store_nothing(x, out):
    i = cuda.grid(1)
    kept = cuda.local.array(4, np.float64)
    if i < 40:
        kept[0] = x[i]
    value = kept[0]
    if i < 40:
        out[i] = value


@pytest.mark.parametrize("kernel", [set_whole, sorted_in_place, of_threads_that_store_nothing])
def test_what_is_set_or_not_used(kernel):
    assert not found(kernel)


LAST = -1


def last_of_a_row(a):
    i = cuda.grid(1)
    r = a[i]
    r[0] = r[-1]
    r[1] = r[LAST]
    a[i, 1] = a[i, 2] + r[-2]


def before_a_row(a):
    i = cuda.grid(1)
    r = a[i]
    r[0] = r[i - 1] + r[-1]


def test_a_constant_negative_index_of_a_view_is_meant():
    assert not found(last_of_a_row, np.ones((64, 64)))
    (finding,) = found(before_a_row, np.ones((64, 64)))
    assert (finding.kind, finding.severity, finding.line) == ("negative-index", "warning", 4)
