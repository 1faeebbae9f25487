"""From statistics and machine learning: distances, neighbours, clusters, softmax, gradients, time series."""

import math

import numpy as np
from numba import cuda, float32, float64, int32

from ..registry import Case, line, plane, register

CLUSTERS = 4
K = 5


@cuda.jit
def pairwise_distance(x, y, out):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < y.shape[0]:
        total = 0.0
        for k in range(x.shape[1]):
            difference = x[i, k] - y[j, k]
            total += difference * difference
        out[i, j] = math.sqrt(total)


register(
    "pairwise_distance",
    pairwise_distance,
    plane(lambda rng, n, m: (rng.normal(size=(n, 3)), rng.normal(size=(m, 3)), np.zeros((n, m)))),
    lambda x, y, out: {2: np.sqrt(((x[:, None] - y[None]) ** 2).sum(2))},
    rtol=1e-12,
)


@cuda.jit
def assign_and_sum(points, centres, label, sums, counts):
    local = cuda.shared.array((CLUSTERS, 3), float64)
    t = cuda.threadIdx.x
    if t < CLUSTERS:
        for k in range(3):
            local[t, k] = 0.0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < points.shape[0]:
        best = math.inf
        choice = -1
        for c in range(centres.shape[0]):
            dx = points[i, 0] - centres[c, 0]
            dy = points[i, 1] - centres[c, 1]
            distance = dx * dx + dy * dy
            if distance < best:
                best = distance
                choice = c
        label[i] = choice
        cuda.atomic.add(local, (choice, 0), points[i, 0])
        cuda.atomic.add(local, (choice, 1), points[i, 1])
        cuda.atomic.add(local, (choice, 2), 1.0)
    cuda.syncthreads()
    if t < CLUSTERS:
        cuda.atomic.add(sums, (t, 0), local[t, 0])
        cuda.atomic.add(sums, (t, 1), local[t, 1])
        cuda.atomic.add(counts, t, int32(local[t, 2]))


def _clouds(rng, n):
    points = rng.integers(-99, 99, (n, 2)) / 4
    return points, rng.normal(0, 9, (CLUSTERS, 2)), np.zeros(n, "i4"), np.zeros((CLUSTERS, 2)), np.zeros(CLUSTERS, "i4")


def _assigned(points, centres, label, sums, counts):
    label = ((points[:, None] - centres[None]) ** 2).sum(2).argmin(1)
    np.add.at(sums, label, points)
    return {2: label, 3: sums, 4: np.bincount(label, minlength=CLUSTERS)}


register("k_means_step", assign_and_sum, line(_clouds, sizes=(1, 31, 1009)), _assigned)


@cuda.jit
def nearest(queries, points, index):
    i = cuda.grid(1)
    if i >= queries.shape[0]:
        return
    distances = cuda.local.array(K, float64)
    places = cuda.local.array(K, int32)
    for k in range(K):
        distances[k] = math.inf
        places[k] = -1
    for j in range(points.shape[0]):
        d = 0.0
        for axis in range(points.shape[1]):
            d += (queries[i, axis] - points[j, axis]) ** 2
        if d < distances[K - 1]:
            k = K - 1
            while k > 0 and distances[k - 1] > d:
                distances[k] = distances[k - 1]
                places[k] = places[k - 1]
                k -= 1
            distances[k] = d
            places[k] = j
    for k in range(K):
        index[i, k] = places[k]


def _neighbourhoods(rng, n):
    return rng.normal(size=(n, 3)), rng.normal(size=(70, 3)), np.zeros((n, K), "i4")


def _nearest(queries, points, index):
    distance = ((queries[:, None] - points[None]) ** 2).sum(2)
    return {2: np.argsort(distance, 1, kind="stable")[:, :K]}


register("nearest_neighbours", nearest, line(_neighbourhoods, sizes=(1, 31, 150)), _nearest)


@cuda.jit
def softmax_rows(x, out):
    shared = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    row = cuda.blockIdx.x
    n = x.shape[1]
    high = float32(-math.inf)
    for j in range(t, n, 64):
        high = max(high, x[row, j])
    shared[t] = high
    cuda.syncthreads()
    s = 32
    while s > 0:
        if t < s:
            shared[t] = max(shared[t], shared[t + s])
        cuda.syncthreads()
        s //= 2
    high = shared[0]
    cuda.syncthreads()
    total = float32(0)
    for j in range(t, n, 64):
        value = math.exp(x[row, j] - high)
        out[row, j] = value
        total += value
    shared[t] = total
    cuda.syncthreads()
    s = 32
    while s > 0:
        if t < s:
            shared[t] += shared[t + s]
        cuda.syncthreads()
        s //= 2
    for j in range(t, n, 64):
        out[row, j] /= shared[0]


def _logits(rng):
    for n, m in ((1, 1), (4, 63), (3, 200)):
        yield Case(f"{n}x{m}", n, 64, (rng.normal(0, 3, (n, m)).astype("f4"), np.zeros((n, m), "f4")))


def _softmax(x, out):
    e = np.exp(x.astype("f8") - x.max(1, keepdims=True))
    return {1: e / e.sum(1, keepdims=True)}


# libm in single precision, and another order of summation
register("softmax_rows", softmax_rows, _logits, _softmax, rtol=1e-5, atol=1e-7, same_bits=False)


@cuda.jit
def logistic_gradient(x, y, w, gradient):
    i = cuda.grid(1)
    if i < x.shape[0]:
        z = 0.0
        for k in range(x.shape[1]):
            z += x[i, k] * w[k]
        error = 1.0 / (1.0 + math.exp(-z)) - y[i]
        for k in range(x.shape[1]):
            cuda.atomic.add(gradient, k, error * x[i, k])


def _regression(rng, n):
    return rng.normal(size=(n, 3)), rng.random(n) < 0.5, rng.normal(size=3), np.zeros(3)


# libm, and atomics that add in any order
register(
    "logistic_gradient",
    logistic_gradient,
    line(_regression, sizes=(1, 31, 500)),
    lambda x, y, w, gradient: {3: x.T @ (1 / (1 + np.exp(-x @ w)) - y)},
    rtol=1e-10,
    atol=1e-10,
    same_bits=False,
)


@cuda.jit
def rolling_mean(x, window, out):
    i = cuda.grid(1)
    if i < x.size:
        if i + 1 < window:
            out[i] = np.nan
        else:
            total = 0.0
            for k in range(i + 1 - window, i + 1):
                total += x[k]
            out[i] = total / window


def _rolled(x, window, out):
    for i in range(x.size):
        out[i] = x[i + 1 - window : i + 1].sum() / window if i + 1 >= window else np.nan
    return {2: out}


register(
    "rolling_mean",
    rolling_mean,
    line(lambda rng, n: (rng.integers(-99, 99, n).astype("f8"), 7, np.zeros(n))),
    _rolled,
)


@cuda.jit
def point_in_polygon(px, py, vx, vy, inside):
    i = cuda.grid(1)
    if i >= px.size:
        return
    crossing = False
    j = vx.size - 1
    for k in range(vx.size):
        if (vy[k] > py[i]) != (vy[j] > py[i]):
            if px[i] < (vx[j] - vx[k]) * (py[i] - vy[k]) / (vy[j] - vy[k]) + vx[k]:
                crossing = not crossing
        j = k
    inside[i] = crossing


def _star(rng, n):
    angle = np.arange(10) * np.pi / 5
    radius = np.where(np.arange(10) % 2, 1.0, 3.0)
    return *rng.uniform(-3, 3, (2, n)), radius * np.cos(angle), radius * np.sin(angle), np.zeros(n, "?")


def _crossings(px, py, vx, vy, inside):
    for k in range(vx.size):
        j = k - 1
        straddles = (vy[k] > py) != (vy[j] > py)
        inside ^= straddles & (px < (vx[j] - vx[k]) * (py - vy[k]) / (vy[j] - vy[k]) + vx[k])
    return {4: inside}


register("point_in_polygon", point_in_polygon, line(_star), _crossings)


@cuda.jit
def haversine(lon1, lat1, lon2, lat2, km):
    i = cuda.grid(1)
    if i < km.size:
        a = math.radians(lat1[i])
        b = math.radians(lat2[i])
        s = math.sin((b - a) / 2) ** 2
        s += math.cos(a) * math.cos(b) * math.sin(math.radians(lon2[i] - lon1[i]) / 2) ** 2
        km[i] = 2 * 6371.0 * math.asin(math.sqrt(s))


def _earth(lon1, lat1, lon2, lat2, km):
    a, b, d = np.radians(lat1), np.radians(lat2), np.radians(lon2 - lon1)
    return {4: 2 * 6371 * np.arcsin(np.sqrt(np.sin((b - a) / 2) ** 2 + np.cos(a) * np.cos(b) * np.sin(d / 2) ** 2))}


# libm
register(
    "haversine",
    haversine,
    line(lambda rng, n: (*rng.uniform(-80, 80, (4, n)), np.zeros(n))),
    _earth,
    rtol=1e-10,
    same_bits=False,
)


@cuda.jit
def edit_distance(words, lengths, out):
    """A row of the dynamic-programming table a thread, in a local array."""
    i = cuda.grid(1)
    if i >= out.size:
        return
    row = cuda.local.array(17, int32)
    n = lengths[i, 0]
    m = lengths[i, 1]
    for k in range(m + 1):
        row[k] = k
    for a in range(1, n + 1):
        corner = row[0]
        row[0] = a
        for b in range(1, m + 1):
            above = row[b]
            cost = 0 if words[i, 0, a - 1] == words[i, 1, b - 1] else 1
            row[b] = min(min(row[b] + 1, row[b - 1] + 1), corner + cost)
            corner = above
    out[i] = row[m]


def _distances(words, lengths, out):
    for i, (a, b) in enumerate(words):
        n, m = lengths[i]
        table = np.add.outer(np.arange(n + 1), np.arange(m + 1))
        for p in range(n):
            for q in range(m):
                table[p + 1, q + 1] = min(table[p, q] + (a[p] != b[q]), table[p, q + 1] + 1, table[p + 1, q] + 1)
        out[i] = table[n, m]
    return {2: out}


register(
    "edit_distance",
    edit_distance,
    line(
        lambda rng, n: (rng.integers(0, 3, (n, 2, 16), "u1"), rng.integers(0, 17, (n, 2)), np.zeros(n, "i4")),
        sizes=(1, 60),
    ),
    _distances,
)
