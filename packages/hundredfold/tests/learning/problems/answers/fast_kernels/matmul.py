"""``fast-kernels.matmul``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from ..edits import Wrong, edit
from ..later import cuda, later


@later
def _tiled(a, b, out):
    left = cuda.shared.array((16, 16), np.float32)
    right = cuda.shared.array((16, 16), np.float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * 16 + tx
    total = np.float32(0)
    for start in range(0, a.shape[0], 16):
        left[ty, tx] = a[start + ty, row] if start + ty < a.shape[0] and row < a.shape[1] else 0
        right[ty, tx] = b[start + ty, j] if start + ty < b.shape[0] and j < b.shape[1] else 0
        cuda.syncthreads()
        for k in range(16):
            total += left[k, ty] * right[k, tx]
        cuda.syncthreads()
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = total


@later
def _shorter_last(a, b, out):
    """The last tiles end where the matrices do; nothing is cleared."""
    tiles = cuda.shared.array((2, 16, 16), np.float32)
    column = cuda.blockIdx.x * 16 + cuda.threadIdx.x
    row = cuda.blockIdx.y * 16 + cuda.threadIdx.y
    total = 0.0
    for t in range((a.shape[0] + 15) // 16):
        fetched = cuda.blockIdx.y * 16 + cuda.threadIdx.x
        if fetched < a.shape[1] and t * 16 + cuda.threadIdx.y < a.shape[0]:
            tiles[0, cuda.threadIdx.y, cuda.threadIdx.x] = a[t * 16 + cuda.threadIdx.y, fetched]
        if column < b.shape[1] and t * 16 + cuda.threadIdx.y < b.shape[0]:
            tiles[1, cuda.threadIdx.y, cuda.threadIdx.x] = b[t * 16 + cuda.threadIdx.y, column]
        cuda.syncthreads()
        if row < a.shape[1] and column < b.shape[1]:
            for k in range(min(16, a.shape[0] - t * 16)):
                total += tiles[0, k, cuda.threadIdx.y] * tiles[1, k, cuda.threadIdx.x]
        cuda.syncthreads()
    if row < a.shape[1] and column < b.shape[1]:
        out[row, column] = total


@later
def _plain(a, b, out):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[0]):
            total += a[k, i] * b[k, j]
        out[i, j] = total


WRONG = {
    "plain": Wrong(_plain, "traffic"),
    "float16": edit(
        _tiled,
        ("left = cuda.shared.array((16, 16), np.float32)", "left = cuda.shared.array((16, 16), np.float16)"),
        reason="value",
    ),
    "one barrier": edit(_tiled, drop_last="cuda.syncthreads()", reason="race"),
    "only those inside": edit(
        _tiled, under=("for start", "if i < out.shape[0] and j < out.shape[1]:"), reason="barrier"
    ),
    "not cleared": edit(
        _tiled,
        ("left[ty, tx] = a[start + ty, row] if", "if"),
        (
            "row < a.shape[1] else 0",
            "row < a.shape[1]:\n            left[ty, tx] = a[start + ty, row]",
        ),
        ("right[ty, tx] = b[start + ty, j] if", "if"),
        (
            "j < b.shape[1] else 0",
            "j < b.shape[1]:\n            right[ty, tx] = b[start + ty, j]",
        ),
        reason="uninitialised",
    ),
    "rounded down": edit(
        _tiled, ("range(0, a.shape[0], 16)", "range(0, a.shape[0] // 16 * 16, 16)"), reason="remainder"
    ),
    "down the columns": edit(
        _tiled,
        (
            "a[start + ty, row] if start + ty < a.shape[0] and row <",
            "a[start + tx, i] if start + tx < a.shape[0] and i <",
        ),
        ("left[k, ty] *", "left[ty, k] *"),
        reason="coalescing",
    ),
    "turned on the way in": edit(
        _tiled, ("left[ty, tx] =", "left[tx, ty] ="), ("left[k, ty] *", "left[ty, k] *"), reason="banks"
    ),
    "not transposed": edit(
        _tiled,
        ("range(0, a.shape[0], 16)", "range(0, a.shape[1], 16)"),
        (
            "a[start + ty, row] if start + ty < a.shape[0] and row < a.shape[1]",
            "a[i, start + tx] if i < a.shape[0] and start + tx < a.shape[1]",
        ),
        ("left[k, ty] *", "left[ty, k] *"),
        reason="transposed",
    ),
    "no guards": edit(
        _tiled,
        (" if start + ty < a.shape[0] and row < a.shape[1] else 0", ""),
        (" if start + ty < b.shape[0] and j < b.shape[1] else 0", ""),
        ("if i < out.shape[0] and j < out.shape[1]:\n        out", "out"),
        reason="bounds",
    ),
    "begun anew": edit(_tiled, ("        for k in", "        total = np.float32(0)\n        for k in"), reason="once"),
}
RIGHT = {"cleared tiles": _tiled, "shorter last tiles": _shorter_last}
