"""Rows, slices and whole arrays: what Numba's own loops read and write is logged as if it were written out."""

import numpy as np
import pytest

from gpusim.kernels import Kernel
from gpusim.kernels.sanitizer import findings


@pytest.fixture(params=["compiled", "interpreted"])
def trace(request, monkeypatch):
    monkeypatch.setenv("GPUSIM_KERNELS", request.param)

    def run(kernel, blockdim, *args):
        log, fault = Kernel(kernel).trace(1, blockdim, args)
        assert fault is None
        return log

    return run


compiled_alone = pytest.mark.parametrize("trace", ["compiled"], indirect=True)  # the interpreter refuses these


def counts(log):
    return {name: (each["reads"], each["writes"]) for name, each in log.explain().items()}


def test_a_row_that_is_set(cuda, trace):
    """A trace of it had nothing in it."""

    def kernel(a, b):
        i = cuda.grid(1)
        if i < a.shape[0]:
            a[i] = i
            b[1:3, -i - 1] = 7

    a, b = np.zeros((4, 3)), np.zeros((5, 4))
    log = trace(kernel, 32, a, b)
    assert counts(log) == {"a": (0, 12), "b": (0, 8)}
    assert a.tolist() == [[0.0] * 3, [1.0] * 3, [2.0] * 3, [3.0] * 3] and b.sum() == 56
    first = log.at_site(next(k for k, site in enumerate(log.sites) if site.array == "a"))
    assert sorted((int(r["thread"]), *log.index_of(int(r["array"]), int(r["element"]))) for r in first) == [
        (i, i, j) for i in range(4) for j in range(3)
    ]
    stored = dict(zip(zip(log.records["array"], log.records["element"], strict=True), log.values, strict=True))
    assert stored[int(first["array"][0]), 2 * 3 + 1] == np.float64(2).view(np.uint64)
    assert not [found for found in findings.examine(log) if found.severity == "error"]


def test_threads_that_set_one_row_race(cuda, trace):
    def kernel(a):
        a[0] = cuda.threadIdx.x

    (found,) = findings.examine(trace(kernel, 64, np.zeros((2, 3))))
    assert (found.kind, found.severity, found.array, found.index, found.line) == ("race", "error", "a", (0, 0), 2)
    assert found.elements == 3


@compiled_alone
def test_functions_that_read_all_of_an_array(cuda, trace):
    def kernel(a, out):
        i = cuda.grid(1)
        out[i] = np.sum(a[i]) + a[i, 1:].mean() + sum(a[i]) + max(1, i)
        np.sin(a[i], a[i])

    a = np.ones((4, 3))
    assert counts(trace(kernel, 4, a, np.zeros(4))) == {"a": (4 * (3 + 2 + 3 + 3), 12), "out": (0, 4)}
    assert np.allclose(a, np.sin(1))


@compiled_alone
def test_a_loop_over_elements_reads_as_far_as_it_goes(cuda, trace):
    def kernel(a, out):
        i = cuda.grid(1)
        total = 0.0
        for value in a[i]:
            if value < 0:
                break
            total += value
        for step in (1, 2):
            total += step
        out[i] = total

    a = np.array([[1.0, 2, 3], [1, -1, 3]])
    out = np.zeros(2)
    assert counts(trace(kernel, 2, a, out)) == {"a": (5, 0), "out": (0, 2)}
    assert out.tolist() == [9, 4]


def test_shared_memory_that_is_filled_is_set(cuda, trace):
    """It counted as never written."""

    def kernel(out):
        tile = cuda.shared.array(32, np.float32)
        i = cuda.threadIdx.x
        if i == 0:
            tile[:] = 0
        cuda.syncthreads()
        out[i] = tile[31 - i]

    log = trace(kernel, 32, np.ones(32))
    assert counts(log) == {"tile": (32, 32), "out": (0, 32)}
    assert not findings.examine(log)


PARTICLE = np.dtype([("m", "f4"), ("pos", "f4", (3,)), ("spin", "f8", (2,))], align=True)


@compiled_alone
def test_arrays_in_records_are_logged_number_by_number(cuda, trace):
    """Nothing of them was, so threads that changed one raced unseen."""

    def own(p):
        i = cuda.threadIdx.x
        for k in range(3):
            p[i].pos[k] += p[i].m
        cuda.atomic.add(p[0].spin, 1, 1.0)
        p[i].spin[0] = i

    log = trace(own, 40, np.ones(40, PARTICLE))
    assert counts(log)["p"] == (6 * 40, 4 * 40)
    assert log.explain()["p"]["atomics"] == 40
    parts = {(site.offset, site.nbytes) for site in log.sites if site.nbytes}
    assert {(4, 4), (8, 4), (12, 4), (24, 8), (16, 8), (0, 4)} == parts
    assert not findings.examine(log)

    def shared(p):
        i = cuda.threadIdx.x
        p[0].pos[i % 3] += 1

    (found,) = findings.examine(trace(shared, 40, np.ones(4, PARTICLE)))
    assert (found.kind, found.array, found.index, found.line) == ("race", "p", (0,), 3)
