"""Kernels of our own that do what the sources describe; none is copied.

Where a source is CUDA C++, its `int` is a Python integer here, of 64 bits, and a template's parameter a constant.
"""

import math

import numpy as np

cuda = None  # set by `workloads.start`

TAPS = np.ones((15, 15), np.float32)
"""The convolution's filter."""


def init(a, b, c):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = 0.25


def read(a, b, c):
    i = cuda.grid(1)
    if i < a.size:
        if b[i] == 123.0:
            a[i] = 1.0


def scale(a, b, c):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = b[i] * 0.25


def triad(a, b, c):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = b[i] + 0.25 * c[i]


def stencil3(a, b, c):
    i = cuda.grid(1)
    if 1 <= i < a.size - 1:
        a[i] = 0.5 * b[i - 1] - b[i] + 0.5 * b[i + 1]


def stencil5(a, b, c):
    i = cuda.grid(1)
    if 2 <= i < a.size - 2:
        a[i] = 0.25 * b[i - 2] + 0.25 * b[i - 1] - 1.0 * b[i] + 0.5 * b[i + 1] + 0.5 * b[i + 2]


def product(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] * b[i]


def addition(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


def roofline(a, b, out, each, pairs, factor):
    """Two arrays are read; on each pair of elements `pairs` fused multiplications and additions that wait for one another."""
    start, step = cuda.grid(1), cuda.gridsize(1)
    total = factor
    for k in range(each):
        i = start + k * step
        x = a[i] * factor + b[i]
        for _ in range(pairs):
            x = x * factor + factor
        total += x
    if total == 123.0:
        out[0] = total


def mixbench(a, out, pairs, factor):
    """One array is read, eight elements a thread; on each `pairs` fused multiplications and additions."""
    start = cuda.blockIdx.x * cuda.blockDim.x * 8 + cuda.threadIdx.x
    total = factor
    for k in range(8):
        x = a[start + k * cuda.blockDim.x]
        for _ in range(pairs):
            x = x * x + factor
        total += x
    if total == 123.0:
        out[0] = total


def atan(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = math.atan(x[i])


def atan_stride(x, out):
    step = cuda.gridsize(1)
    for i in range(cuda.grid(1), x.size, step):
        out[i] = math.atan(x[i])


def convolve(x, out):
    taps = cuda.const.array_like(TAPS)
    i, j = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y, cuda.grid(2)[0]
    total = np.float32(0)
    for k in range(15):
        for m in range(15):
            total += x[i + k, j + m] * taps[k, m]
    out[i, j] = total


def convolve_shared(x, out):
    taps = cuda.const.array_like(TAPS)
    tile = cuda.shared.array(0, np.float32)
    high, wide = cuda.blockDim.y, cuda.blockDim.x
    top, left = cuda.blockIdx.y * high, cuda.blockIdx.x * wide
    ty, tx = cuda.threadIdx.y, cuda.threadIdx.x
    width = wide + 14
    for k in range(ty, high + 14, high):
        for m in range(tx, width, wide):
            tile[k * width + m] = x[top + k, left + m]
    cuda.syncthreads()
    total = np.float32(0)
    for k in range(15):
        for m in range(15):
            total += tile[(ty + k) * width + tx + m] * taps[k, m]
    out[top + ty, left + tx] = total


# The ladder of reductions that M. Harris describes in "Optimizing Parallel Reduction in CUDA" (2007), blocks of 256.


def reduce_remainder(x, out):
    part = cuda.shared.array(256, np.float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.blockIdx.x * cuda.blockDim.x + t]
    cuda.syncthreads()
    s = 1
    while s < cuda.blockDim.x:
        if t % (2 * s) == 0:
            part[t] += part[t + s]
        cuda.syncthreads()
        s *= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


def reduce_interleaved(x, out):
    part = cuda.shared.array(256, np.float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.blockIdx.x * cuda.blockDim.x + t]
    cuda.syncthreads()
    s = 1
    while s < cuda.blockDim.x:
        at = 2 * s * t
        if at < cuda.blockDim.x:
            part[at] += part[at + s]
        cuda.syncthreads()
        s *= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


def reduce_sequential(x, out):
    part = cuda.shared.array(256, np.float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.blockIdx.x * cuda.blockDim.x + t]
    cuda.syncthreads()
    s = cuda.blockDim.x // 2
    while s > 0:
        if t < s:
            part[t] += part[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


def reduce_two(x, out):
    part = cuda.shared.array(256, np.float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x * 2 + t
    part[t] = x[i] + x[i + cuda.blockDim.x]
    cuda.syncthreads()
    s = cuda.blockDim.x // 2
    while s > 0:
        if t < s:
            part[t] += part[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


def reduce_last_warp(x, out):
    part = cuda.shared.array(256, np.float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x * 2 + t
    part[t] = x[i] + x[i + cuda.blockDim.x]
    cuda.syncthreads()
    s = cuda.blockDim.x // 2
    while s > 32:
        if t < s:
            part[t] += part[t + s]
        cuda.syncthreads()
        s //= 2
    if t < 32:
        total = part[t] + part[t + 32]
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, 16)
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, 8)
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, 4)
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, 2)
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, 1)
        if t == 0:
            out[cuda.blockIdx.x] = total


def reduce_many(x, out, each):
    """Each thread adds up `each` elements first, then a warp its lanes."""
    part = cuda.shared.array(32, np.float32)
    t = cuda.threadIdx.x
    start = cuda.blockIdx.x * cuda.blockDim.x * each + t
    total = x[start]
    for k in range(1, each):
        total += x[start + k * cuda.blockDim.x]
    for d in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, d)
    if t % 32 == 0:
        part[t // 32] = total
    cuda.syncthreads()
    if t < 32:
        total = part[t] if t < cuda.blockDim.x // 32 else part[0] * 0
        for d in (16, 8, 4, 2, 1):
            total += cuda.shfl_down_sync(0xFFFFFFFF, total, d)
        if t == 0:
            out[cuda.blockIdx.x] = total


# Matrix products, each written after its one-line description in the table of the source and in the article that it links to.


def gemm_naive(a, b, c):
    """Neighbours along a warp take different rows of a."""
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    j = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if i < c.shape[0] and j < c.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


def gemm_coalesced(a, b, c):
    """A block of 1 024 threads in a line: neighbours take neighbouring columns."""
    i = cuda.blockIdx.x * 32 + cuda.threadIdx.x // 32
    j = cuda.blockIdx.y * 32 + cuda.threadIdx.x % 32
    if i < c.shape[0] and j < c.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


def gemm_shared(a, b, c):
    """Tiles of 32 by 32 in shared memory, an element of c for each thread."""
    ta, tb = cuda.shared.array((32, 32), np.float32), cuda.shared.array((32, 32), np.float32)
    y, x = cuda.threadIdx.x // 32, cuda.threadIdx.x % 32
    i, j = cuda.blockIdx.x * 32 + y, cuda.blockIdx.y * 32 + x
    total = np.float32(0)
    for k in range(0, a.shape[1], 32):
        ta[y, x] = a[i, k + x]
        tb[y, x] = b[k + y, j]
        cuda.syncthreads()
        for m in range(32):
            total += ta[y, m] * tb[m, x]
        cuda.syncthreads()
    c[i, j] = total


def gemm_column(a, b, c):
    """64 by 64 of c in a block of 512 threads, each eight elements of a column."""
    ta, tb = cuda.shared.array((64, 8), np.float32), cuda.shared.array((8, 64), np.float32)
    sums = cuda.local.array(8, np.float32)
    t = cuda.threadIdx.x
    row, column = t // 64, t % 64
    top, left = cuda.blockIdx.y * 64, cuda.blockIdx.x * 64
    for m in range(8):
        sums[m] = 0
    for k in range(0, a.shape[1], 8):
        ta[t // 8, t % 8] = a[top + t // 8, k + t % 8]
        tb[t // 64, t % 64] = b[k + t // 64, left + t % 64]
        cuda.syncthreads()
        for n in range(8):
            value = tb[n, column]
            for m in range(8):
                sums[m] += ta[row * 8 + m, n] * value
        cuda.syncthreads()
    for m in range(8):
        c[top + row * 8 + m, left + column] = sums[m]


def gemm_square(a, b, c):
    """128 by 128 of c in a block of 256 threads, each eight by eight elements."""
    ta, tb = cuda.shared.array((128, 8), np.float32), cuda.shared.array((8, 128), np.float32)
    sums = cuda.local.array((8, 8), np.float32)
    of_a, of_b = cuda.local.array(8, np.float32), cuda.local.array(8, np.float32)
    t = cuda.threadIdx.x
    row, column = t // 16, t % 16
    top, left = cuda.blockIdx.y * 128, cuda.blockIdx.x * 128
    for m in range(8):
        for n in range(8):
            sums[m, n] = 0
    for k in range(0, a.shape[1], 8):
        for m in range(0, 128, 32):
            ta[t // 8 + m, t % 8] = a[top + t // 8 + m, k + t % 8]
        for m in range(0, 8, 2):
            tb[t // 128 + m, t % 128] = b[k + t // 128 + m, left + t % 128]
        cuda.syncthreads()
        for d in range(8):
            for m in range(8):
                of_a[m] = ta[row * 8 + m, d]
                of_b[m] = tb[d, column * 8 + m]
            for m in range(8):
                for n in range(8):
                    sums[m, n] += of_a[m] * of_b[n]
        cuda.syncthreads()
    for m in range(8):
        for n in range(8):
            c[top + row * 8 + m, left + column * 8 + n] = sums[m, n]


# Copies and histograms


def copy_blocked(x, out, each):
    start = cuda.grid(1) * each
    for k in range(each):
        out[start + k] = x[start + k]


def copy_striped(x, out, each):
    n = cuda.blockDim.x
    start = cuda.threadIdx.x + cuda.blockIdx.x * n * each
    for k in range(each):
        out[start + k * n] = x[start + k * n]


def histogram_global(values, counts, each):
    start = cuda.grid(1) * each
    for k in range(each):
        cuda.atomic.add(counts, values[start + k], 1)


def histogram_shared(values, counts, each):
    mine = cuda.shared.array(256, np.int32)
    n, t = cuda.blockDim.x, cuda.threadIdx.x
    if t < 256:
        mine[t] = 0
    cuda.syncthreads()
    start = cuda.blockIdx.x * n * each + t
    for k in range(each):
        cuda.atomic.add(mine, values[start + k * n], 1)
    cuda.syncthreads()
    if t < 256:
        cuda.atomic.add(counts, t, mine[t])


def dot_one_address(a, b, out):
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.add(out, 0, a[i] * b[i])


def gemv(a, x, y):
    """A warp for each row."""
    lane = cuda.threadIdx.x % 32
    row = cuda.blockIdx.x * (cuda.blockDim.x // 32) + cuda.threadIdx.x // 32
    if row < a.shape[0]:
        total = np.float32(0)
        for k in range(lane, a.shape[1], 32):
            total += a[row, k] * x[k]
        for d in (16, 8, 4, 2, 1):
            total += cuda.shfl_down_sync(0xFFFFFFFF, total, d)
        if lane == 0:
            y[row] = total
