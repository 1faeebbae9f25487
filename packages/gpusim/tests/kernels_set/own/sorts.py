"""Sorting: bitonic over launches and in a block, odd-even, by rank, by counting, by radix; merging; k-th smallest."""

import math

import numpy as np
from numba import cuda, float64, int32, uint32

from ..registry import Case, along, line, register

WIDTH = 64


@cuda.jit
def bitonic_step(x, j, k):
    i = cuda.grid(1)
    partner = i ^ j
    if i < x.size and partner > i:
        if i & k == 0:
            if x[i] > x[partner]:
                x[i], x[partner] = x[partner], x[i]
        else:
            if x[i] < x[partner]:
                x[i], x[partner] = x[partner], x[i]


def _bitonic_launch(cuda, case, arguments):
    (x,) = arguments
    k = 2
    while k <= x.size:
        j = k >> 1
        while j > 0:
            bitonic_step[case.grid, case.block](x, j, k)
            j >>= 1
        k <<= 1


register(
    "bitonic_sort_global",
    bitonic_step,
    line(lambda rng, n: (rng.integers(-999, 999, n, dtype="i4"),), sizes=(1, 2, 64, 512), block=96),
    lambda x: {0: np.sort(x)},
    launch=_bitonic_launch,
)


@cuda.jit
def bitonic_block(x):
    shared = cuda.shared.array(WIDTH, float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[t] = x[i] if i < x.size else math.inf
    cuda.syncthreads()
    k = 2
    while k <= WIDTH:
        j = k // 2
        while j > 0:
            other = t ^ j
            if other > t:
                up = (t & k) == 0
                a = shared[t]
                b = shared[other]
                if (a > b) == up:
                    shared[t] = b
                    shared[other] = a
            cuda.syncthreads()
            j //= 2
        k *= 2
    if i < x.size:
        x[i] = shared[t]


def _block_sorted(x):
    return {0: np.concatenate([np.sort(part) for part in np.split(x, range(WIDTH, x.size, WIDTH))])}


register(
    "bitonic_sort_shared",
    bitonic_block,
    line(lambda rng, n: (rng.normal(size=n),), sizes=(1, 63, 64, 200), block=WIDTH),
    _block_sorted,
)


@cuda.jit
def odd_even(x):
    t = cuda.threadIdx.x
    n = x.size
    for phase in range(n):
        k = 2 * t + (phase & 1)
        if k + 1 < n and x[k] > x[k + 1]:
            kept = x[k]
            x[k] = x[k + 1]
            x[k + 1] = kept
        cuda.syncthreads()


def _short(rng):
    for n in (1, 2, 33, 100):
        yield Case(f"n={n}", 1, 64, (rng.integers(0, 50, n, dtype="i2"),))


register("odd_even_sort", odd_even, _short, lambda x: {0: np.sort(x)})


@cuda.jit
def rank_sort(x, out):
    i = cuda.grid(1)
    if i < x.size:
        rank = 0
        for j in range(x.size):
            if x[j] < x[i] or (x[j] == x[i] and j < i):
                rank += 1
        out[rank] = x[i]


register(
    "rank_sort",
    rank_sort,
    line(lambda rng, n: (rng.integers(0, 99, n).astype("f4"), np.zeros(n, "f4")), sizes=(1, 31, 500)),
    lambda x, out: {1: np.sort(x)},
)


@cuda.jit
def count_keys(keys, counts):
    i = cuda.grid(1)
    if i < keys.size:
        cuda.atomic.add(counts, keys[i] + 1, 1)


@cuda.jit
def sum_counts(counts):
    if cuda.grid(1) == 0:
        for k in range(1, counts.size):
            counts[k] += counts[k - 1]


@cuda.jit
def place_keys(keys, counts, out):
    i = cuda.grid(1)
    if i < keys.size:
        out[cuda.atomic.add(counts, keys[i], 1)] = keys[i]


def _counting_launch(cuda, case, arguments):
    keys, counts, out = arguments
    count_keys[case.grid, case.block](keys, counts)
    sum_counts[1, 1](counts)
    place_keys[case.grid, case.block](keys, counts, out)


def _counting(keys, counts, out):
    totals = np.cumsum(np.bincount(keys, minlength=16))
    return {1: np.append(totals, totals[-1]), 2: np.sort(keys)}


register(
    "counting_sort",
    place_keys,
    line(
        lambda rng, n: (rng.integers(0, 16, n, dtype="i4"), np.zeros(17, "i4"), np.zeros(n, "i4")), sizes=(1, 31, 1009)
    ),
    _counting,
    launch=_counting_launch,
)


@cuda.jit
def radix_sort_block(keys, bits):
    values = cuda.shared.array(WIDTH, uint32)
    zeros = cuda.shared.array(WIDTH, int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    values[t] = keys[i] if i < keys.size else uint32(0xFFFFFFFF)
    cuda.syncthreads()
    for bit in range(bits):
        value = values[t]
        one = (value >> bit) & 1
        zeros[t] = 1 - one
        cuda.syncthreads()
        offset = 1
        while offset < WIDTH:
            add = zeros[t - offset] if t >= offset else 0
            cuda.syncthreads()
            zeros[t] += add
            cuda.syncthreads()
            offset *= 2
        total = zeros[WIDTH - 1]
        before = zeros[t]
        place = before - 1 if one == 0 else total + t - before
        values[place] = value
        cuda.syncthreads()
    if i < keys.size:
        keys[i] = values[t]


register(
    "radix_sort_block",
    radix_sort_block,
    line(lambda rng, n: (rng.integers(0, 2**10, n, dtype="u4"), 32), sizes=(1, 64, 150), block=WIDTH),
    lambda keys, bits: _block_sorted(keys),
)


@cuda.jit
def merge_runs(a, b, out):
    i = cuda.grid(1)
    if i < a.size + b.size:
        if i < a.size:
            value = a[i]
            low = 0
            high = b.size
            while low < high:
                middle = (low + high) >> 1
                if b[middle] < value:
                    low = middle + 1
                else:
                    high = middle
            out[i + low] = value
        else:
            value = b[i - a.size]
            low = 0
            high = a.size
            while low < high:
                middle = (low + high) >> 1
                if a[middle] <= value:
                    low = middle + 1
                else:
                    high = middle
            out[i - a.size + low] = value


def _runs(rng):
    for n, m in ((1, 0), (5, 9), (300, 211)):
        a, b = np.sort(rng.integers(0, 200, n)), np.sort(rng.integers(0, 200, m))
        yield Case(f"{n}+{m}", along(n + m, 64), 64, (a, b, np.zeros(n + m, "i8")))


register("merge_sorted_runs", merge_runs, _runs, lambda a, b, out: {2: np.sort(np.append(a, b))})


@cuda.jit
def sort_pairs_by_key(keys, values, out_keys, out_values):
    i = cuda.grid(1)
    n = keys.size
    if i >= n:
        return
    key = keys[i]
    place = 0
    for j in range(n):
        other = keys[j]
        place += other < key or (other == key and j < i)
    out_keys[place] = key
    out_values[place] = values[i]


def _pairs(rng, n):
    keys, values = rng.integers(0, 20, n, dtype="i4"), rng.normal(size=n)
    return keys, values, np.zeros(n, "i4"), np.zeros(n)


def _by_key(keys, values, *_):
    order = np.argsort(keys, kind="stable")
    return {2: keys[order], 3: values[order]}


register("sort_by_key", sort_pairs_by_key, line(_pairs, sizes=(1, 31, 300)), _by_key)
