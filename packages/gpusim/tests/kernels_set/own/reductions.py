"""Reductions: trees in shared memory, shuffles in a warp, atomics, two launches; sums, extrema, places, counts."""

import numpy as np
from numba import cuda, float32, float64, int32, int64

from ..registry import Case, along, line, register

WIDTH = 128
FULL = 0xFFFFFFFF


def _rows(x, width=WIDTH, fill=0):
    rows = along(x.size, width)
    return np.pad(x, (0, rows * width - x.size), constant_values=fill).reshape(rows, width)


def _integers(rng, n):
    return rng.integers(-999, 999, n), np.zeros(along(n, WIDTH), "i8")


@cuda.jit
def tree_sum(x, out):
    shared = cuda.shared.array(WIDTH, int64)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    shared[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    s = cuda.blockDim.x // 2
    while s > 0:
        if t < s:
            shared[t] += shared[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        out[cuda.blockIdx.x] = shared[0]


register("tree_sum", tree_sum, line(_integers), lambda x, out: {1: _rows(x).sum(1)})


@cuda.jit
def tree_sum_of_four(x, out):
    shared = cuda.shared.array(WIDTH, int64)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * 4 * WIDTH + t
    mine = 0
    for _ in range(4):
        if i < x.size:
            mine += x[i]
        i += WIDTH
    shared[t] = mine
    cuda.syncthreads()
    s = WIDTH // 2
    while s > 0:
        if t < s:
            shared[t] += shared[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        out[cuda.blockIdx.x] = shared[0]


def _of_four(rng):
    for n in (0, 1, 31, 512, 1009):
        yield Case(
            f"n={n}", along(n, 4 * WIDTH), WIDTH, (rng.integers(-999, 999, n), np.zeros(along(n, 4 * WIDTH), "i8"))
        )


register("tree_sum_of_four", tree_sum_of_four, _of_four, lambda x, out: {1: _rows(x, 4 * WIDTH).sum(1)})


@cuda.jit
def tree_sum_interleaved(x, out):
    shared = cuda.shared.array(WIDTH, int64)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    shared[t] = x[i] if i < x.size else 0
    s = 1
    while s < cuda.blockDim.x:
        cuda.syncthreads()
        k = 2 * s * t
        if k < cuda.blockDim.x:
            shared[k] += shared[k + s]
        s *= 2
    if t == 0:
        out[cuda.blockIdx.x] = shared[0]


register("tree_sum_interleaved", tree_sum_interleaved, line(_integers), lambda x, out: {1: _rows(x).sum(1)})


@cuda.jit(device=True)
def warp_sum(value):
    offset = 16
    while offset > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
        offset //= 2
    return value


@cuda.jit
def shuffle_sum(x, out):
    partial = cuda.shared.array(32, int64)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    lane = t % 32
    warp = t // 32
    value = warp_sum(x[i] if i < x.size else 0)
    if lane == 0:
        partial[warp] = value
    cuda.syncthreads()
    value = partial[lane] if lane < cuda.blockDim.x // 32 else 0
    if warp == 0:
        value = warp_sum(value)
    if t == 0:
        out[cuda.blockIdx.x] = value


register(
    "shuffle_sum",
    shuffle_sum,
    line(_integers),
    lambda x, out: {1: _rows(x).sum(1)},
    simulator="has no shuffles",
)


@cuda.jit
def butterfly_sum(x, out):
    i = cuda.grid(1)
    value = x[i] if i < x.size else float32(0)
    mask = 16
    while mask:
        value += cuda.shfl_xor_sync(0xFFFFFFFF, value, mask)
        mask >>= 1
    if i < x.size:
        out[i] = value


register(
    "butterfly_sum",
    butterfly_sum,
    line(lambda rng, n: (rng.integers(-64, 64, n).astype("f4"), np.zeros(n, "f4"))),
    lambda x, out: {1: np.repeat(_rows(x, 32).sum(1), 32)[: x.size]},
    simulator="has no shuffles",
)


@cuda.jit
def atomic_sum(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(out, 0, x[i])


register(
    "atomic_sum_int64",
    atomic_sum,
    line(lambda rng, n: (rng.integers(-999, 999, n), np.array([7]))),
    lambda x, out: {1: out + x.sum()},
)
register(
    "atomic_sum_float64",
    atomic_sum,
    line(lambda rng, n: (rng.normal(size=n), np.zeros(1))),
    lambda x, out: {1: out + x.sum()},
    rtol=1e-10,  # atomics add in any order
    atol=1e-10,
    same_bits=False,
)
register(
    "atomic_sum_float32",
    atomic_sum,
    line(lambda rng, n: (rng.integers(0, 1000, n).astype("f4"), np.zeros(1, "f4"))),
    lambda x, out: {1: out + x.sum(dtype="f4")},
)


@cuda.jit
def stride_sum(x, out):
    shared = cuda.shared.array(256, float64)
    t = cuda.threadIdx.x
    total = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    shared[t] = total
    cuda.syncthreads()
    s = cuda.blockDim.x >> 1
    while s:
        if t < s:
            shared[t] += shared[t + s]
        cuda.syncthreads()
        s >>= 1
    if t == 0:
        out[cuda.blockIdx.x] = shared[0]


def _two_stages(cuda, case, arguments):
    x, partial, out = arguments
    stride_sum[case.grid, case.block](x, partial)
    stride_sum[1, 16](partial, out)


def _stage_cases(rng):
    for n, grid, block in ((0, 1, 16), (1, 2, 64), (997, 3, 64), (20011, 7, 256)):
        x = rng.integers(-99, 99, n).astype("f8")
        yield Case(f"n={n} {grid}x{block}", grid, block, (x, np.full(grid, np.nan), np.zeros(1)))


def _staged():
    def expect(x, partial, out):
        block = {1: 16, 2: 64, 3: 64, 7: 256}[partial.size]
        owner = np.arange(x.size) // block % partial.size
        return {1: np.bincount(owner, x, partial.size), 2: x.sum(keepdims=True)}

    return expect


register("two_stage_sum_grid_stride", stride_sum, _stage_cases, _staged(), launch=_two_stages)


@cuda.jit
def dot_product(x, y, out):
    cache = cuda.shared.array(WIDTH, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    partial = float32(0)
    while i < x.size:
        partial += x[i] * y[i]
        i += cuda.gridsize(1)
    cache[t] = partial
    cuda.syncthreads()
    half = WIDTH // 2
    while half != 0:
        if t < half:
            cache[t] += cache[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        cuda.atomic.add(out, 0, cache[0])


def _dot_cases(rng):
    for n, grid in ((1, 1), (1009, 3), (5000, 8)):
        x, y = rng.integers(-9, 9, (2, n)).astype("f4")
        yield Case(f"n={n}", grid, WIDTH, (x, y, np.zeros(1, "f4")))


register("dot_product", dot_product, _dot_cases, lambda x, y, out: {2: np.array([x @ y])})


@cuda.jit
def smallest(x, where, value):
    values = cuda.shared.array(WIDTH, float64)
    places = cuda.shared.array(WIDTH, int32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    values[t] = x[i] if i < x.size else np.inf
    places[t] = i
    cuda.syncthreads()
    s = WIDTH // 2
    while s > 0:
        if t < s:
            other = values[t + s]
            if other < values[t] or (other == values[t] and places[t + s] < places[t]):
                values[t] = other
                places[t] = places[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        where[cuda.blockIdx.x] = places[0]
        value[cuda.blockIdx.x] = values[0]


def _argmin(x, where, value):
    rows = _rows(x, fill=np.inf)
    return {1: rows.argmin(1) + np.arange(len(rows)) * WIDTH, 2: rows.min(1)}


register(
    "argmin",
    smallest,
    line(
        lambda rng, n: (
            rng.integers(0, 20, n).astype("f8"),
            np.zeros(along(n, WIDTH), "i4"),
            np.zeros(along(n, WIDTH)),
        ),
        sizes=(1, 31, 256, 1009),
    ),
    _argmin,
)


@cuda.jit
def extrema(x, low, high):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.min(low, 0, x[i])
        cuda.atomic.max(high, 0, x[i])


register(
    "atomic_extrema_int32",
    extrema,
    line(
        lambda rng, n: (
            rng.integers(-(2**31), 2**31 - 1, n, "i4"),
            np.array([2**31 - 1], "i4"),
            np.array([-(2**31)], "i4"),
        )
    ),
    lambda x, low, high: {1: np.minimum(low, x.min(initial=low[0])), 2: np.maximum(high, x.max(initial=high[0]))},
)
register(
    "atomic_extrema_float64",
    extrema,
    line(lambda rng, n: (rng.normal(size=n), np.array([np.inf]), np.array([-np.inf]))),
    lambda x, low, high: {1: np.array([x.min(initial=np.inf)]), 2: np.array([x.max(initial=-np.inf)])},
)


@cuda.jit
def extrema_without_nan(x, low, high):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.nanmin(low, 0, x[i])
        cuda.atomic.nanmax(high, 0, x[i])


def _with_nan(rng, n):
    x = rng.normal(size=n)
    x[::3] = np.nan
    return x, np.array([np.nan]), np.array([np.nan])


register(
    "atomic_nan_extrema",
    extrema_without_nan,
    line(_with_nan, sizes=(4, 31, 1009)),
    lambda x, low, high: {1: np.array([np.nanmin(x)]), 2: np.array([np.nanmax(x)])},
)


@cuda.jit
def count_positive(x, counts, every, some):
    i = cuda.grid(1)
    positive = 1 if i < x.size and x[i] > 0 else 0
    n = cuda.syncthreads_count(positive)
    a = cuda.syncthreads_and(positive)
    o = cuda.syncthreads_or(positive)
    if cuda.threadIdx.x == 0:
        counts[cuda.blockIdx.x] = n
        every[cuda.blockIdx.x] = 1 if a else 0
        some[cuda.blockIdx.x] = 1 if o else 0


def _signs(rng, n):
    x = rng.integers(-3, 4, n)
    x[:32] = 1
    x[32:64] = -1
    return x, *np.zeros((3, along(n, 32)), "i4")


def _counted(x, *_):
    positive = _rows(x, 32) > 0
    return {1: positive.sum(1), 2: positive.all(1), 3: positive.any(1)}


register("barrier_votes", count_positive, line(_signs, sizes=(1, 32, 64, 200), block=32), _counted)


@cuda.jit
def row_variance(x, mean, variance):
    sums = cuda.shared.array(64, float64)
    squares = cuda.shared.array(64, float64)
    t = cuda.threadIdx.x
    row = cuda.blockIdx.x
    s = 0.0
    q = 0.0
    for j in range(t, x.shape[1], cuda.blockDim.x):
        s += x[row, j]
        q += x[row, j] ** 2
    sums[t] = s
    squares[t] = q
    cuda.syncthreads()
    step = 32
    while step > 0:
        if t < step:
            sums[t] += sums[t + step]
            squares[t] += squares[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        m = sums[0] / x.shape[1]
        mean[row] = m
        variance[row] = squares[0] / x.shape[1] - m * m


def _tables(rng):
    for n, m in ((1, 1), (5, 63), (3, 1000)):
        yield Case(f"{n}x{m}", n, 64, (rng.normal(size=(n, m)), np.zeros(n), np.zeros(n)))


# another order of summation
register(
    "row_mean_and_variance",
    row_variance,
    _tables,
    lambda x, mean, variance: {1: x.mean(1), 2: x.var(1)},
    rtol=1e-10,
    atol=1e-12,
)


@cuda.jit
def column_sum(x, out):
    tile = cuda.shared.array((8, 32), int64)
    column = cuda.blockIdx.x * 32 + cuda.threadIdx.x
    total = 0
    if column < x.shape[1]:
        for row in range(cuda.threadIdx.y, x.shape[0], 8):
            total += x[row, column]
    tile[cuda.threadIdx.y, cuda.threadIdx.x] = total
    cuda.syncthreads()
    if cuda.threadIdx.y == 0 and column < x.shape[1]:
        total = 0
        for k in range(8):
            total += tile[k, cuda.threadIdx.x]
        out[column] = total


def _columns(rng):
    for n, m in ((1, 1), (100, 33), (9, 64)):
        yield Case(f"{n}x{m}", along(m, 32), (32, 8), (rng.integers(-9, 9, (n, m)), np.zeros(m, "i8")))


register("column_sum", column_sum, _columns, lambda x, out: {1: x.sum(0)})


@cuda.jit
def last_block_sum(x, partial, arrived, out):
    shared = cuda.shared.array(WIDTH, int64)
    last = cuda.shared.array(1, int32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    shared[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    s = WIDTH // 2
    while s > 0:
        if t < s:
            shared[t] += shared[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        cuda.atomic.exch(partial, cuda.blockIdx.x, shared[0])
        cuda.threadfence()
        last[0] = cuda.atomic.inc(arrived, 0, cuda.gridDim.x - 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0] and t == 0:
        total = 0
        for k in range(cuda.gridDim.x):
            total += cuda.atomic.add(partial, k, 0)
        out[0] = total


def _last(rng, n):
    x, partial = _integers(rng, n)
    return x, partial, np.zeros(1, "u4"), np.zeros(1, "i8")


register(
    "last_block_sum_threadfence",
    last_block_sum,
    line(_last, sizes=(1, 128, 1009)),
    lambda x, partial, arrived, out: {1: _rows(x).sum(1), 3: x.sum(keepdims=True)},
)
