"""Histograms, and other scattered counting: global atomics, private copies in shared memory, aggregated in a warp."""

import numpy as np
from numba import cuda, int32

from ..registry import line, register

BINS = 64


def _values(rng, n):
    return rng.integers(0, BINS, n, dtype="u1"), np.zeros(BINS, "i4")


def _counted(x, bins):
    return {1: bins + np.bincount(x, minlength=bins.size)}


@cuda.jit
def histogram_global(x, bins):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(bins, x[i], 1)


register("histogram_global", histogram_global, line(_values), _counted)


@cuda.jit
def histogram_private(x, bins):
    mine = cuda.shared.array(BINS, int32)
    for k in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        mine[k] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(mine, x[i], 1)
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        if mine[k] > 0:
            cuda.atomic.add(bins, k, mine[k])


register("histogram_shared_private", histogram_private, line(_values, block=96), _counted)


@cuda.jit
def histogram_aggregated(x, bins):
    i = cuda.grid(1)
    key = int32(x[i]) if i < x.size else int32(-1)
    peers = cuda.match_any_sync(0xFFFFFFFF, key)
    leader = cuda.ffs(peers) - 1
    if key >= 0 and cuda.laneid == leader:
        cuda.atomic.add(bins, key, cuda.popc(peers))


register(
    "histogram_warp_aggregated",
    histogram_aggregated,
    line(_values),
    _counted,
    simulator="has no match_any_sync",
)


@cuda.jit
def joint_histogram(x, y, counts):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(counts, (x[i], y[i]), 1)


def _joint(x, y, counts):
    np.add.at(counts, (x, y), 1)
    return {2: counts}


register(
    "joint_histogram",
    joint_histogram,
    line(lambda rng, n: (*rng.integers(0, 7, (2, n), dtype="i4"), np.zeros((7, 7), "u8"))),
    _joint,
)


@cuda.jit
def binned_mean(x, weights, edges, sums, counts):
    i = cuda.grid(1)
    if i >= x.size:
        return
    if x[i] < edges[0] or x[i] >= edges[edges.size - 1]:
        return
    low = 0
    high = edges.size - 1
    while high - low > 1:
        middle = (low + high) // 2
        if x[i] < edges[middle]:
            high = middle
        else:
            low = middle
    cuda.atomic.add(sums, low, weights[i])
    cuda.atomic.add(counts, low, 1)


def _weighted(rng, n):
    edges = np.array([-3, -1, -0.5, 0, 0.25, 2, 3])
    return rng.normal(size=n), rng.normal(size=n), edges, np.zeros(6), np.zeros(6, "i8")


def _binned(x, weights, edges, sums, counts):
    place = np.searchsorted(edges, x, "right") - 1
    inside = (x >= edges[0]) & (x < edges[-1])
    return {3: np.bincount(place[inside], weights[inside], 6), 4: np.bincount(place[inside], minlength=6)}


# atomics add floats in any order
register("binned_sums_binary_search", binned_mean, line(_weighted), _binned, rtol=1e-11, atol=1e-11, same_bits=False)


@cuda.jit
def degree_count(edges, degree):
    e = cuda.grid(1)
    if e < edges.shape[0]:
        source, target = edges[e]
        cuda.atomic.add(degree, source, 1)
        cuda.atomic.add(degree, target, 1)


register(
    "graph_degrees",
    degree_count,
    line(lambda rng, n: (rng.integers(0, 50, (n, 2)), np.zeros(50, "i8"))),
    lambda edges, degree: {1: np.bincount(edges.ravel(), minlength=50)},
)
