"""Atomics: what is left, and the old value that each thread gets, as if the threads came in their order."""

from types import ModuleType

import numpy as np
import pytest

from .conftest import cuda, launch

N = 1000


def inc(old, value):
    return 0 if old >= value else old + 1


def dec(old, value):
    return value if old == 0 or old > value else old - 1


def most(old, value):
    return value if old < value else old


def least(old, value):
    return value if old > value else old


def nanmost(old, value):
    return value if value == value and (old != old or old < value) else old


def nanleast(old, value):
    return value if value == value and (old != old or old > value) else old


STEPS = {
    "add": lambda old, value: old + value,
    "sub": lambda old, value: old - value,
    "and_": lambda old, value: old & value,
    "or_": lambda old, value: old | value,
    "xor": lambda old, value: old ^ value,
    "exch": lambda old, value: value,
    "max": most,
    "min": least,
    "nanmax": nanmost,
    "nanmin": nanleast,
    "inc": inc,
    "dec": dec,
}
TYPES = {
    **dict.fromkeys(("add", "sub", "max", "min", "nanmax", "nanmin"), "i4 u4 i8 u8 f4 f8".split()),
    **dict.fromkeys(("and_", "or_", "xor", "exch"), "i4 u4 i8 u8".split()),
    **dict.fromkeys(("inc", "dec"), "u4 u8".split()),
}


def kernels(name):
    """One that wants the old values, and one that does not."""
    atomic = ModuleType("atomic")  # its members are known by what they are, as numba-cuda wants it
    atomic.apply = getattr(cuda.atomic, name)

    def with_old(total, at, value, old):
        i = cuda.grid(1)
        if i < at.size:
            old[i] = atomic.apply(total, at[i], value[i])

    def without(total, at, value, old):
        i = cuda.grid(1)
        if i < at.size:
            atomic.apply(total, at[i], value[i])

    return with_old, without


@pytest.mark.large("dtype")
@pytest.mark.parametrize("bins", [1, 3, 300, 10**6])
@pytest.mark.parametrize("name, dtype", [(name, dtype) for name in STEPS for dtype in TYPES[name]])
def test_operations(name, dtype, bins):
    rng = np.random.default_rng(0)
    at = rng.integers(0, bins, N) if bins < N else rng.permutation(N)
    start = rng.integers(0, 50, min(bins, N)).astype(dtype)
    value = rng.integers(0, 60, N).astype(dtype)
    if dtype[0] == "f":
        value = (value * 0.1).astype(dtype)
        if "add" not in name and "sub" not in name:
            value[rng.random(N) < 0.1] = np.nan
            start[::2] = np.nan
    expected, old = start.copy(), np.zeros(N, dtype)
    with np.errstate(all="ignore"):
        for i in range(N):
            old[i] = expected[at[i]]
            expected[at[i]] = STEPS[name](old[i], value[i])
    for wants, kernel in zip((True, False), kernels(name), strict=True):
        total, got = start.copy(), np.zeros(N, dtype)
        launch(kernel, 10, 100, total, at, value, got)
        np.testing.assert_array_equal(total, expected)
        if wants:
            np.testing.assert_array_equal(got, old)


@pytest.mark.parametrize("bins", [1, 5, 400])
def test_compare_and_swap(bins):
    def kernel(total, at, expected, value, old):
        i = cuda.grid(1)
        old[i] = cuda.atomic.cas(total, at[i], expected[i], value[i])

    rng = np.random.default_rng(1)
    at, expected, value = (rng.integers(0, n, N) for n in (bins, 4, 4))
    total, got, left, old = np.zeros(bins, "i8"), np.zeros(N, "i8"), np.zeros(bins, "i8"), np.zeros(N, "i8")
    launch(kernel, 10, 100, total, at, expected, value, got)
    for i in range(N):
        old[i] = left[at[i]]
        if old[i] == expected[i]:
            left[at[i]] = value[i]
    np.testing.assert_array_equal(got, old)
    np.testing.assert_array_equal(total, left)


def test_on_shared_and_local_and_two_dimensional_arrays():
    def kernel(out, x):
        counts = cuda.shared.array((2, 4), np.int32)
        t = cuda.threadIdx.x
        if t < 8:
            counts[t // 4, t % 4] = 0
        cuda.syncthreads()
        cuda.atomic.add(counts, (t % 2, x[cuda.grid(1)]), 1)
        mine = cuda.local.array(1, np.int32)
        mine[0] = 5
        got = cuda.atomic.max(mine, 0, t)
        cuda.syncthreads()
        if t < 8:
            cuda.atomic.add(out, (t // 4, t % 4), counts[t // 4, t % 4] + got - 5 + max(t, 5) - mine[0])

    x = np.random.default_rng(2).integers(0, 4, 960)
    out = np.zeros((2, 4), "i8")
    launch(kernel, 10, 96, out, x)
    np.testing.assert_array_equal(
        out, [[np.sum((x == k) & (np.arange(960) % 2 == p)) for k in range(4)] for p in (0, 1)]
    )


def test_compare_and_swap_of_an_arrays_first_item():
    def kernel(lock, got):
        i = cuda.grid(1)
        got[i] = cuda.atomic.compare_and_swap(lock, 0, i + 1)

    lock, got = np.zeros(1, "i4"), np.zeros(40, "i4")
    launch(kernel, 1, 40, lock, got)
    assert lock[0] == 1 and got[0] == 0 and (got[1:] == 1).all()
