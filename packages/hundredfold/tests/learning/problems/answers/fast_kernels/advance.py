"""``fast-kernels.advance``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from ..edits import Wrong
from ..later import cuda, later


def wide(rows, columns):
    return (max(-(-columns // 32), 1), max(-(-rows // 8), 1)), (32, 8)


def square(rows, columns):
    return (max(-(-columns // 32), 1), max(-(-rows // 32), 1)), (32, 32)


def _too_many(rows, columns):
    return (-(-columns // 64), -(-rows // 32)), (64, 32)


def _up_to_1024(rows, columns):
    return (-(-columns // 32), -(-min(rows, 1024) // 8)), (32, 8)


def _rounded_down(rows, columns):
    return (max(columns // 32, 1), max(rows // 8, 1)), (32, 8)


def _no_return(rows, columns):
    blocks, threads = (-(-columns // 32), -(-rows // 8)), (32, 8)  # noqa: F841, RUF059


@later
def tiled(u, out):
    """A block of 32 × 8 fetches 36 × 12, steps 34 × 10 of them, and steps its 32 × 8."""
    before = cuda.shared.array((12, 36), np.float32)
    after = cuda.shared.array((12, 36), np.float32)
    n, m = u.shape
    left, top = cuda.blockIdx.x * 32 - 2, cuda.blockIdx.y * 8 - 2
    t = cuda.threadIdx.y * 32 + cuda.threadIdx.x
    for k in range(t, 12 * 36, 256):
        i, j = top + k // 36, left + k % 36
        before[k // 36, k % 36] = u[i, j] if 0 <= i < n and 0 <= j < m else 0
    cuda.syncthreads()
    for k in range(t, 10 * 34, 256):
        r, c = 1 + k // 34, 1 + k % 34
        i, j = top + r, left + c
        if 0 < i < n - 1 and 0 < j < m - 1:
            total = (before[r - 1, c] + before[r + 1, c]) + (before[r, c - 1] + before[r, c + 1])
            after[r, c] = np.float32(0.25) * total
        else:
            after[r, c] = before[r, c]
    cuda.syncthreads()
    r, c = cuda.threadIdx.y + 2, cuda.threadIdx.x + 2
    i, j = top + r, left + c
    if i < n and j < m:
        if 0 < i < n - 1 and 0 < j < m - 1:
            total = (after[r - 1, c] + after[r + 1, c]) + (after[r, c - 1] + after[r, c + 1])
            out[i, j] = np.float32(0.25) * total
        else:
            out[i, j] = u[i, j]


@later
def tiled_in_squares(u, out):
    """32 × 32 threads; those at the tile's rim fetch the rows and columns around it."""
    tile = cuda.shared.array((36, 36), np.float32)
    once = cuda.shared.array((34, 34), np.float32)
    n, m = u.shape
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32 - 2, cuda.blockIdx.y * 32 - 2
    for r in range(ty, 36, 32):
        for c in range(tx, 36, 32):
            tile[r, c] = u[min(max(top + r, 0), n - 1), min(max(left + c, 0), m - 1)]
    cuda.syncthreads()
    for r in range(ty, 34, 32):
        for c in range(tx, 34, 32):
            value = tile[r + 1, c + 1]
            if 0 < top + r + 1 < n - 1 and 0 < left + c + 1 < m - 1:
                value = np.float32(0.25) * (tile[r, c + 1] + tile[r + 2, c + 1] + tile[r + 1, c] + tile[r + 1, c + 2])
            once[r, c] = value
    cuda.syncthreads()
    i, j = top + 2 + ty, left + 2 + tx
    if i < n and j < m:
        value = once[ty + 1, tx + 1]
        if 0 < i < n - 1 and 0 < j < m - 1:
            value = np.float32(0.25) * (
                once[ty, tx + 1] + once[ty + 2, tx + 1] + once[ty + 1, tx] + once[ty + 1, tx + 2]
            )
        out[i, j] = value


def _one(rows, columns):
    return (1, 1), (32, 8)


@later
def _one_block(u, out):
    """A single block goes over the plate tile by tile."""
    before = cuda.shared.array((12, 36), np.float32)
    after = cuda.shared.array((12, 36), np.float32)
    n, m = u.shape
    t = cuda.threadIdx.y * 32 + cuda.threadIdx.x
    for top in range(-2, n - 2, 8):
        for left in range(-2, m - 2, 32):
            for k in range(t, 12 * 36, 256):
                i, j = top + k // 36, left + k % 36
                before[k // 36, k % 36] = u[i, j] if 0 <= i < n and 0 <= j < m else 0
            cuda.syncthreads()
            for k in range(t, 10 * 34, 256):
                r, c = 1 + k // 34, 1 + k % 34
                i, j = top + r, left + c
                after[r, c] = before[r, c]
                if 0 < i < n - 1 and 0 < j < m - 1:
                    total = (before[r - 1, c] + before[r + 1, c]) + (before[r, c - 1] + before[r, c + 1])
                    after[r, c] = np.float32(0.25) * total
            cuda.syncthreads()
            r, c = cuda.threadIdx.y + 2, cuda.threadIdx.x + 2
            i, j = top + r, left + c
            if i < n and j < m:
                out[i, j] = after[r, c]
                if 0 < i < n - 1 and 0 < j < m - 1:
                    total = (after[r - 1, c] + after[r + 1, c]) + (after[r, c - 1] + after[r, c + 1])
                    out[i, j] = np.float32(0.25) * total
            cuda.syncthreads()


@later
def by_hand(u, out):
    """As the exercise gives it: each thread makes the first step of its four neighbours itself."""
    j, i = cuda.grid(2)
    n, m = u.shape
    if i < n and j < m:
        if 0 < i < n - 1 and 0 < j < m - 1:
            total = np.float32(0)
            for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                k, h = i + di, j + dj
                if 0 < k < n - 1 and 0 < h < m - 1:
                    total += np.float32(0.25) * ((u[k - 1, h] + u[k + 1, h]) + (u[k, h - 1] + u[k, h + 1]))
                else:
                    total += u[k, h]
            out[i, j] = np.float32(0.25) * total
        else:
            out[i, j] = u[i, j]


@later
def _one_step(u, out):
    j, i = cuda.grid(2)
    n, m = u.shape
    if i < n and j < m:
        if 0 < i < n - 1 and 0 < j < m - 1:
            out[i, j] = np.float32(0.25) * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        else:
            out[i, j] = u[i, j]


@later
def _no_second_barrier(u, out):
    before = cuda.shared.array((12, 36), np.float32)
    after = cuda.shared.array((12, 36), np.float32)
    n, m = u.shape
    left, top = cuda.blockIdx.x * 32 - 2, cuda.blockIdx.y * 8 - 2
    t = cuda.threadIdx.y * 32 + cuda.threadIdx.x
    for k in range(t, 12 * 36, 256):
        i, j = top + k // 36, left + k % 36
        before[k // 36, k % 36] = u[i, j] if 0 <= i < n and 0 <= j < m else 0
    cuda.syncthreads()
    for k in range(t, 10 * 34, 256):
        r, c = 1 + k // 34, 1 + k % 34
        i, j = top + r, left + c
        after[r, c] = before[r, c]
        if 0 < i < n - 1 and 0 < j < m - 1:
            after[r, c] = np.float32(0.25) * (before[r - 1, c] + before[r + 1, c] + before[r, c - 1] + before[r, c + 1])
    r, c = cuda.threadIdx.y + 2, cuda.threadIdx.x + 2
    i, j = top + r, left + c
    if i < n and j < m:
        out[i, j] = after[r, c]
        if 0 < i < n - 1 and 0 < j < m - 1:
            out[i, j] = np.float32(0.25) * (after[r - 1, c] + after[r + 1, c] + after[r, c - 1] + after[r, c + 1])


@later
def _rim_of_one(u, out):
    """A rim of one cell, as one step needs it; for the second step its places were never written."""
    before = cuda.shared.array((12, 36), np.float32)
    after = cuda.shared.array((12, 36), np.float32)
    n, m = u.shape
    r, c = cuda.threadIdx.y + 2, cuda.threadIdx.x + 2
    i, j = cuda.blockIdx.y * 8 + cuda.threadIdx.y, cuda.blockIdx.x * 32 + cuda.threadIdx.x
    t = cuda.threadIdx.y * 32 + cuda.threadIdx.x
    for k in range(t, 12 * 36, 256):
        y, x = cuda.blockIdx.y * 8 - 2 + k // 36, cuda.blockIdx.x * 32 - 2 + k % 36
        before[k // 36, k % 36] = u[y, x] if 0 <= y < n and 0 <= x < m else 0
    cuda.syncthreads()
    after[r, c] = before[r, c]
    if 0 < i < n - 1 and 0 < j < m - 1:
        after[r, c] = np.float32(0.25) * (before[r - 1, c] + before[r + 1, c] + before[r, c - 1] + before[r, c + 1])
    cuda.syncthreads()
    if i < n and j < m:
        out[i, j] = after[r, c]
        if 0 < i < n - 1 and 0 < j < m - 1:
            out[i, j] = np.float32(0.25) * (after[r - 1, c] + after[r + 1, c] + after[r, c - 1] + after[r, c + 1])


@later
def _edge_left(u, out):
    j, i = cuda.grid(2)
    n, m = u.shape
    if 0 < i < n - 1 and 0 < j < m - 1:
        total = np.float32(0)
        for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            k, h = i + di, j + dj
            if 0 < k < n - 1 and 0 < h < m - 1:
                total += np.float32(0.25) * (u[k - 1, h] + u[k + 1, h] + u[k, h - 1] + u[k, h + 1])
            else:
                total += u[k, h]
        out[i, j] = np.float32(0.25) * total


@later
def _edge_read_beyond(u, out):
    j, i = cuda.grid(2)
    n, m = u.shape
    if i < n and j < m:
        out[i, j] = u[i, j]
        if 0 < i < n - 1 and 0 < j < m - 1:
            total = np.float32(0)
            for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                k, h = i + di, j + dj
                total += u[k - 1, h] + u[k + 1, h] + u[k, h - 1] + u[k, h + 1]
            out[i, j] = total / np.float32(16)


@later
def _in_place(u, out):
    j, i = cuda.grid(2)
    n, m = u.shape
    for _ in range(2):
        if 0 < i < n - 1 and 0 < j < m - 1:
            u[i, j] = np.float32(0.25) * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    if i < n and j < m:
        out[i, j] = u[i, j]


@later
def _returns_early(u, out):
    """32 × 32 threads step 28 × 28 cells; those beyond the plate return before the barriers."""
    before = cuda.shared.array((32, 32), np.float32)
    after = cuda.shared.array((32, 32), np.float32)
    n, m = u.shape
    ty, tx = cuda.threadIdx.y, cuda.threadIdx.x
    i, j = cuda.blockIdx.y * 28 + ty - 2, cuda.blockIdx.x * 28 + tx - 2
    if i >= n or j >= m:
        return
    inside = 0 < i < n - 1 and 0 < j < m - 1
    if i >= 0 and j >= 0:
        before[ty, tx] = u[i, j]
        after[ty, tx] = u[i, j]
    cuda.syncthreads()
    if inside and 0 < ty < 31 and 0 < tx < 31:
        total = (before[ty - 1, tx] + before[ty + 1, tx]) + (before[ty, tx - 1] + before[ty, tx + 1])
        after[ty, tx] = np.float32(0.25) * total
    cuda.syncthreads()
    if i >= 0 and j >= 0 and 1 < ty < 30 and 1 < tx < 30:
        out[i, j] = after[ty, tx]
        if inside:
            total = (after[ty - 1, tx] + after[ty + 1, tx]) + (after[ty, tx - 1] + after[ty, tx + 1])
            out[i, j] = np.float32(0.25) * total


def _each_28(rows, columns):
    return (-(-columns // 28), -(-rows // 28)), (32, 32)


WRONG = {
    "by hand": Wrong((by_hand, wide), "traffic"),
    "one block": Wrong((_one_block, _one), "serial"),
    "one block of many": Wrong((_one_block, wide), "race"),
    "one step": Wrong((_one_step, wide), "once"),
    "returns early": Wrong((_returns_early, _each_28), "barrier"),
    "no second barrier": Wrong((_no_second_barrier, wide), "race"),
    "rim of one": Wrong((_rim_of_one, wide), "uninitialised"),
    "edge left": Wrong((_edge_left, wide), "remainder"),
    "beyond the edge": Wrong((_edge_read_beyond, wide), "bounds"),
    "too many": Wrong((by_hand, _too_many), "launch-limit"),
    "1024 rows": Wrong((tiled, _up_to_1024), "value"),
    "rounded down": Wrong((by_hand, _rounded_down), "remainder"),
    "in place": Wrong((_in_place, wide), "race"),
    "type": Wrong((tiled, _no_return), "type"),
    "callable": Wrong((tiled, ((4, 16), (32, 8))), "callable"),
}
RIGHT = {"tiled": (tiled, wide), "tiled in squares": (tiled_in_squares, square)}
