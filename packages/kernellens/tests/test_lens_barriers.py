"""A barrier that some threads never come to, because they have reached the end before."""

import numpy as np
import pytest
from numba import cuda

import kernellens


@cuda.jit
def in_a_branch(x):
    i = cuda.threadIdx.x
    if i < 16:
        x[i] = 1
        cuda.syncthreads()


@cuda.jit
def in_a_loop(x):
    i = cuda.threadIdx.x
    for _ in range(i):
        cuda.syncthreads()
    x[i] = i


@cuda.jit
def after_a_guard(x):
    i = cuda.grid(1)
    if i >= x.size:
        return
    x[i] = 1
    cuda.syncthreads()


@cuda.jit
def for_all(x):
    i = cuda.threadIdx.x
    step = cuda.blockDim.x // 2
    while step > 0:
        if i < step:
            x[i] += x[i + step]
        cuda.syncthreads()
        step //= 2


@cuda.jit
def in_a_branch_behind_a_guard(x):
    i = cuda.grid(1)
    if i >= x.size:
        return
    if cuda.threadIdx.x < 16:
        x[i] = 1
        cuda.syncthreads()
    x[i] = 2


@cuda.jit
def left_by_a_return(x):
    i = cuda.threadIdx.x
    for k in range(64):
        cuda.syncthreads()
        if k == i:
            return


@cuda.jit(device=True)
def meet(i, x):
    if i < 16:
        cuda.syncthreads()
    return x[i]


@cuda.jit
def in_a_device_function(x):
    i = cuda.threadIdx.x
    x[i] = meet(i, x)


@cuda.jit
def parted_behind_a_guard(x):
    i = cuda.threadIdx.x
    if i >= 60:
        return
    cuda.syncthreads()
    if i < 20:
        cuda.syncthreads()
    else:
        cuda.syncthreads()


def barriers(kernel, size):
    trace = kernellens.trace(kernel, 1, 64, np.zeros(size))
    return [(each.severity, each.line, each.threads[0].thread[0]) for each in trace.errors if "barrier" in each.kind]


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
def test_the_barrier_and_a_thread_that_passes_it_by_are_named(way, monkeypatch):
    monkeypatch.setenv("GPUSIM_KERNELS", way)
    ((severity, line, thread),) = barriers(in_a_branch, 64)
    assert (severity, line) == ("warning", 6) and thread >= 16
    assert barriers(in_a_loop, 64) == [("warning", 5, 0)]


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
def test_a_return_elsewhere_or_a_device_function_hides_none(way, monkeypatch):
    monkeypatch.setenv("GPUSIM_KERNELS", way)
    ((severity, line, thread),) = barriers(in_a_branch_behind_a_guard, 60)
    assert (severity, line) == ("warning", 8) and 16 <= thread < 60
    assert [found[:2] for found in barriers(left_by_a_return, 64)] == [("warning", 5)]
    ((severity, line, thread),) = barriers(in_a_device_function, 64)
    assert (severity, line) == ("warning", 4) and thread >= 16
    (finding,) = kernellens.trace(in_a_device_function, 1, 64, np.zeros(64)).errors
    assert finding.function == "meet" and "line 4 of meet" in finding.sentence


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
def test_threads_that_have_left_early_do_not_hide_a_block_that_parts_later(way, monkeypatch):
    monkeypatch.setenv("GPUSIM_KERNELS", way)
    assert [found[:2] for found in barriers(parted_behind_a_guard, 64)] == [("error", 8)]


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
def test_a_guard_at_the_top_and_a_barrier_for_all_are_right(way, monkeypatch):
    monkeypatch.setenv("GPUSIM_KERNELS", way)
    assert barriers(after_a_guard, 40) == [] and barriers(for_all, 64) == []
