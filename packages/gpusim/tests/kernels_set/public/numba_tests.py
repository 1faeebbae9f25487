"""Kernels of Numba's own tests and library."""

import numpy as np
from numba import cuda

from ..published import numba_tests as theirs
from ..registry import Case, Source, along, line, register


def source(path: str) -> Source:
    return Source("numba/numba", f"numba/cuda/{path}.py", "0.64.0", "BSD-2-Clause")


NO_WARPS = "has no warp intrinsics"


def _plates(rng):
    for n, m in ((16, 16), (48, 48)):
        a = rng.integers(-99, 99, (n, m)).astype("f8")
        grid = (n // 16, m // 16)
        yield Case(f"{n}x{m}", grid, (16, 16), (a, np.zeros((n, m)), np.zeros(grid)))


def _relaxed(a, new, error):
    new[1:-1, 1:-1] = 0.25 * (a[1:-1, 2:] + a[1:-1, :-2] + a[:-2, 1:-1] + a[2:, 1:-1])
    difference = np.zeros_like(a)
    difference[1:-1, 1:-1] = (new - a)[1:-1, 1:-1]
    n, m = error.shape
    return {1: new, 2: difference.reshape(n, 16, m, 16).max((1, 3))}


register(
    "numba_jacobi_relaxation",
    theirs.jocabi_relax_core,
    _plates,
    _relaxed,
    source=source("tests/cudapy/test_laplace"),
    functions=(theirs.get_max,),
)


def _options(rng, n):
    s, x, t = rng.uniform(5, 30, n), rng.uniform(1, 100, n), rng.uniform(0.25, 10, n)
    return np.zeros(n), -np.ones(n), s, x, t, 0.02, 0.3


def _cumulative(d):
    k = 1 / (1 + 0.2316419 * np.abs(d))
    terms = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    value = 0.39894228040143267793994605993438 * np.exp(-0.5 * d * d) * terms
    return np.where(d > 0, 1 - value, value)


def _priced(call, put, s, x, t, r, v):
    d1 = (np.log(s / x) + (r + 0.5 * v * v) * t) / (v * np.sqrt(t))
    d2 = d1 - v * np.sqrt(t)
    discounted = x * np.exp(-r * t)
    return {
        0: s * _cumulative(d1) - discounted * _cumulative(d2),
        1: discounted * (1 - _cumulative(d2)) - s * (1 - _cumulative(d1)),
    }


# libm
register(
    "numba_black_scholes",
    theirs.black_scholes_cuda,
    line(_options, sizes=(1, 31, 400)),
    _priced,
    rtol=1e-9,
    atol=1e-11,
    same_bits=False,
    source=source("tests/cudapy/test_blackscholes"),
    functions=(theirs.cnd_cuda,),
)


def _square(rng):
    a, b = rng.integers(-9, 9, (2, theirs.n, theirs.n)).astype("f4")
    yield Case("48x48", (theirs.bpg, theirs.bpg), (theirs.tpb, theirs.tpb), (a, b, np.zeros_like(a)))


register(
    "numba_square_matmul",
    theirs.cu_square_matrix_mul,
    _square,
    lambda a, b, c: {2: a @ b},
    source=source("tests/cudapy/test_matmul"),
)


def _oblong(rng):
    for n, m in ((1, 1), (16, 16), (40, 9), (33, 70)):
        x = rng.normal(size=(n, m)).astype("f4")
        yield Case(f"{n}x{m}", (along(m, 16), along(n, 16)), (16, 16), (x, np.zeros((m, n), "f4")))


register(
    "numba_transpose",
    theirs.transpose_kernel,
    _oblong,
    lambda x, out: {1: x.T},
    source=source("kernels/transpose"),
)

WARPS = source("tests/cudapy/test_warp_ops")
SYNC = source("tests/cudapy/test_sync")


def _warp(*more, out="i4"):
    """One warp, and an output of 32."""
    return lambda rng: [Case("a warp", 1, 32, (np.zeros(32, out), *more))]


# All lanes read ary[0], which lane 0 writes again, with the same value.
register(
    "numba_useful_syncwarp",
    cuda.jit(theirs.useful_syncwarp),
    _warp(),
    lambda ary: {0: np.full(32, 42)},
    source=WARPS,
    simulator=NO_WARPS,
    traced="race",
)
register(
    "numba_shuffle_up",
    cuda.jit(theirs.use_shfl_sync_up),
    _warp(5),
    lambda ary, delta: {0: np.where(np.arange(32) < delta, np.arange(32), np.arange(32) - delta)},
    source=WARPS,
    simulator=NO_WARPS,
)
register(
    "numba_match_all",
    cuda.jit(theirs.use_match_all_sync),
    lambda rng: [
        Case("all", 1, 32, (np.full(32, 9, "i4"), np.zeros(32, "i4"))),
        Case("not all", 1, 32, (np.arange(32, dtype="i4") // 31, np.ones(32, "i4"))),
    ],
    lambda x, out: {1: np.full(32, -1 if np.unique(x).size == 1 else 0)},
    source=WARPS,
    simulator=NO_WARPS,
)
register(
    "numba_independent_scheduling",
    cuda.jit(theirs.use_independent_scheduling),
    _warp(out="u4"),
    lambda arr: {0: np.tile(np.array([0x11111111, 0x22222222, 0x44444444, 0x88888888], "u4"), 8)},
    source=WARPS,
    simulator=NO_WARPS,
)
register(
    "numba_coop_syncwarp",
    cuda.jit(theirs.coop_syncwarp),
    lambda rng: [Case("a warp", 1, 32, (np.zeros(1, "i4"),))],
    lambda res: {0: np.array([496])},
    source=SYNC,
    simulator=NO_WARPS,
)
register(
    "numba_shared_2d",
    cuda.jit(theirs.coop_smem2d),
    lambda rng: [Case("10x20", 1, (10, 20), (np.zeros((10, 20), "f4"),))],
    lambda ary: {0: np.arange(1, 11)[:, None] / np.arange(1, 21)},
    source=SYNC,
)
register(
    "numba_dynamic_shared",
    cuda.jit(theirs.dyn_shared_memory),
    lambda rng: [Case("n=50", 1, 50, (np.zeros(50, "f4"),), 200)],
    lambda ary: {0: 2 * np.arange(50)},
    source=SYNC,
)
register(
    "numba_syncthreads_count",
    cuda.jit(theirs.use_syncthreads_count),
    lambda rng: [Case("n=72", 1, 72, (rng.integers(0, 2, 72, "i4"), np.zeros(72, "i4")))],
    lambda x, out: {1: np.full(72, x.sum())},
    source=SYNC,
)
