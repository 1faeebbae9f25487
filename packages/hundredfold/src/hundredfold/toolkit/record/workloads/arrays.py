"""sin² + cos² == 1 over 10⁸ numbers: the "500x" of 2018, as published, fused, and in one pass on all cores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..workload import Way, Workload

SIDE = 10_000
N = SIDE * SIDE


def _host() -> Any:
    import numpy as np

    return np.random.default_rng(0).random((SIDE, SIDE))


def _numpy() -> Callable[[], Any]:
    import numpy as np

    x = _host()
    return lambda: np.count_nonzero(np.sin(x) ** 2 + np.cos(x) ** 2 == 1)


def _numba() -> Callable[[], Any]:
    import math

    from numba import njit, prange

    @njit(parallel=True)
    def count(x):
        total = 0
        for i in prange(x.size):
            s, c = math.sin(x[i]), math.cos(x[i])
            total += s * s + c * c == 1
        return total

    flat = _host().ravel()
    return lambda: count(flat)


def _cupy() -> Callable[[], Any]:
    import cupy as cp

    x = cp.asarray(_host())
    return lambda: cp.count_nonzero(cp.sin(x) ** 2 + cp.cos(x) ** 2 == 1)


def _fused() -> Callable[[], Any]:
    import cupy as cp

    x = cp.asarray(_host())
    count = cp.ReductionKernel(
        "T x", "int64 y", "sin(x) * sin(x) + cos(x) * cos(x) == 1", "a + b", "y = a", "0", "sincos_count"
    )
    return lambda: count(x)


WORKLOADS = (
    Workload(
        "arrays.sincos",
        "count of sin(x)**2 + cos(x)**2 == 1 over 10 000 × 10 000 random numbers",
        (
            Way("NumPy", "cpu", _numpy),
            Way("Numba, all cores, one pass", "cpu", _numba, ("numba",)),
            Way("CuPy", "gpu", _cupy, ("cupy",)),
            Way("CuPy, one kernel", "gpu", _fused, ("cupy",)),
        ),
        n=N,
        shape=(SIDE, SIDE),
        memory=5 * 8 * N,
        bytes=9.8e9,
        least_bytes=8 * N,
        kernels=7,
        # Whether a rounded sum is exactly 1 depends on the last bit of the sine, which libraries round differently.
        tolerance=0.2,
        remark="A count, where the published code asked all(), which may stop at the first element.",
    ),
)
