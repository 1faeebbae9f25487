"""Prefix sums: Hillis-Steele and Blelloch in shared memory, by shuffles in a warp, over a whole array in three launches."""

import numpy as np
from numba import cuda, float64, int64

from ..registry import Case, along, line, register

WIDTH = 128


def _blocks(x, width=WIDTH):
    """The array cut into rows of a block each, padded with zeros."""
    rows = along(x.size, width)
    return np.pad(x, (0, rows * width - x.size)).reshape(rows, width)


def _integers(rng, n):
    return rng.integers(-99, 99, n), np.zeros(n, "i8")


@cuda.jit
def hillis_steele(x, out):
    now = cuda.shared.array(WIDTH, int64)
    then = cuda.shared.array(WIDTH, int64)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    now[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    offset = 1
    while offset < WIDTH:
        if t >= offset:
            then[t] = now[t] + now[t - offset]
        else:
            then[t] = now[t]
        cuda.syncthreads()
        now[t] = then[t]
        cuda.syncthreads()
        offset *= 2
    if i < x.size:
        out[i] = now[t]


register(
    "hillis_steele_scan",
    hillis_steele,
    line(_integers, sizes=(1, 31, 128, 129, 1009), block=WIDTH),
    lambda x, out: {1: np.cumsum(_blocks(x), 1).ravel()[: x.size]},
)


@cuda.jit
def blelloch(x, out):
    n = cuda.blockDim.x * 2
    values = cuda.shared.array(0, float64)
    t = cuda.threadIdx.x
    base = cuda.blockIdx.x * n
    values[2 * t] = x[base + 2 * t] if base + 2 * t < x.size else 0.0
    values[2 * t + 1] = x[base + 2 * t + 1] if base + 2 * t + 1 < x.size else 0.0
    offset = 1
    d = n >> 1
    while d > 0:
        cuda.syncthreads()
        if t < d:
            a = offset * (2 * t + 1) - 1
            b = offset * (2 * t + 2) - 1
            values[b] += values[a]
        offset *= 2
        d >>= 1
    if t == 0:
        values[n - 1] = 0.0
    d = 1
    while d < n:
        offset >>= 1
        cuda.syncthreads()
        if t < d:
            a = offset * (2 * t + 1) - 1
            b = offset * (2 * t + 2) - 1
            kept = values[a]
            values[a] = values[b]
            values[b] += kept
        d *= 2
    cuda.syncthreads()
    for k in range(2):
        if base + 2 * t + k < x.size:
            out[base + 2 * t + k] = values[2 * t + k]


def _exclusive(width):
    def expect(x, out):
        rows = _blocks(x, width)
        return {1: (np.cumsum(rows, 1) - rows).ravel()[: x.size]}

    return expect


def _blelloch_fixed(rng):
    for n in (1, 63, 64, 65, 1000):
        yield Case(f"n={n}", along(n, 64), 32, (rng.integers(-99, 99, n).astype("f8"), np.zeros(n)), 64 * 8)


register("blelloch_scan_dynamic_shared", blelloch, _blelloch_fixed, _exclusive(64))


@cuda.jit
def warp_scan(x, out):
    i = cuda.grid(1)
    lane = cuda.laneid
    value = x[i] if i < x.size else 0
    step = 1
    while step < 32:
        below = cuda.shfl_up_sync(0xFFFFFFFF, value, step)
        if lane >= step:
            value += below
        step *= 2
    if i < x.size:
        out[i] = value


register(
    "warp_scan_shuffle",
    warp_scan,
    line(lambda rng, n: tuple(v.astype("i4") for v in _integers(rng, n)), sizes=(1, 31, 33, 1009), block=96),
    lambda x, out: {1: np.cumsum(_blocks(x, 32), 1).ravel()[: x.size]},
    simulator="has no shuffles",
)


@cuda.jit
def scan_blocks(x, out, totals):
    shared = cuda.shared.array(WIDTH, int64)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    shared[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    offset = 1
    while offset < cuda.blockDim.x:
        value = shared[t - offset] if t >= offset else 0
        cuda.syncthreads()
        shared[t] += value
        cuda.syncthreads()
        offset <<= 1
    if i < x.size:
        out[i] = shared[t]
    if t == cuda.blockDim.x - 1:
        totals[cuda.blockIdx.x] = shared[t]


@cuda.jit
def add_offsets(out, totals):
    i = cuda.grid(1)
    if i < out.size and cuda.blockIdx.x > 0:
        out[i] += totals[cuda.blockIdx.x - 1]


def _three_phases(cuda, case, arguments):
    x, out, totals, grand = arguments
    scan_blocks[case.grid, case.block](x, out, totals)
    scan_blocks[1, case.block](totals, totals, grand)
    add_offsets[case.grid, case.block](out, totals)


def _long(rng, n):
    x, out = _integers(rng, n)
    return x, out, np.zeros(along(n, WIDTH), "i8"), np.zeros(1, "i8")


def _whole_scan(x, out, totals, grand):
    total = np.cumsum(x)
    ends = np.minimum(np.arange(1, totals.size + 1) * WIDTH, x.size)
    return {1: total, 2: total[ends - 1], 3: total[-1:]}


register(
    "three_phase_scan",
    scan_blocks,
    line(_long, sizes=(1, 127, 1009, 9001), block=WIDTH),
    _whole_scan,
    launch=_three_phases,
)


@cuda.jit
def running_maximum(x, out):
    shared = cuda.shared.array(WIDTH, float64)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if i < x.size:
        shared[t] = x[i]
    else:
        shared[t] = -np.inf
    cuda.syncthreads()
    s = 1
    while s < WIDTH:
        other = -np.inf
        if t >= s:
            other = shared[t - s]
        cuda.syncthreads()
        shared[t] = max(shared[t], other)
        cuda.syncthreads()
        s *= 2
    if i < x.size:
        out[i] = shared[t]


register(
    "running_maximum",
    running_maximum,
    line(lambda rng, n: (rng.normal(size=n), np.zeros(n)), sizes=(1, 31, 128, 1009), block=WIDTH),
    lambda x, out: {
        1: np.concatenate([np.maximum.accumulate(row) for row in np.split(x, range(WIDTH, x.size, WIDTH))])
    },
)


@cuda.jit
def segmented_scan(x, heads, out):
    values = cuda.shared.array(WIDTH, int64)
    flags = cuda.shared.array(WIDTH, int64)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    values[t] = x[i] if i < x.size else 0
    flags[t] = 1 if i >= x.size or heads[i] or t == 0 else 0
    cuda.syncthreads()
    offset = 1
    while offset < WIDTH:
        value, flag = values[t], flags[t]
        if t >= offset and not flag:
            value += values[t - offset]
            flag = flags[t - offset]
        cuda.syncthreads()
        values[t], flags[t] = value, flag
        cuda.syncthreads()
        offset *= 2
    if i < x.size:
        out[i] = values[t]


def _segments(x, heads, out):
    total = 0
    for i in range(x.size):
        total = x[i] if heads[i] or i % WIDTH == 0 else total + x[i]
        out[i] = total
    return {2: out}


register(
    "segmented_scan",
    segmented_scan,
    line(
        lambda rng, n: (rng.integers(0, 9, n), rng.random(n) < 0.1, np.zeros(n, "i8")),
        sizes=(1, 128, 1009),
        block=WIDTH,
    ),
    _segments,
)
