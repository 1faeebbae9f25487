"""``fast-kernels.transpose``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from ..edits import Wrong
from ..later import cuda, later


@later
def _padded(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        if left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[tx, r]


@later
def _skewed(x, out):
    """No column more: each row of the tile begins one bank further."""
    tile = cuda.shared.array((32, 32), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for k in range(4):
        r = ty + 8 * k
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, (tx + r) % 32] = x[top + r, left + tx]
    cuda.syncthreads()
    for k in range(4):
        r = ty + 8 * k
        if left + r < x.shape[1] and top + tx < x.shape[0]:
            out[left + r, top + tx] = tile[tx, (tx + r) % 32]


@later
def _direct(x, out):
    j, top = cuda.grid(1), cuda.blockIdx.y * 32
    for i in range(top + cuda.threadIdx.y, min(top + 32, x.shape[0]), 8):
        if j < x.shape[1]:
            out[j, i] = x[i, j]


@later
def _not_padded(x, out):
    tile = cuda.shared.array((32, 32), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        if left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[tx, r]


@later
def _no_barrier(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
    for r in range(ty, 32, 8):
        if left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[tx, r]


@later
def _as_it_stood(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        if left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[r, tx]


@later
def _one_guard(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        inside = top + r < x.shape[0] and left + tx < x.shape[1]
        if inside and left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[tx, r]


@later
def _no_guard(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        tile[r, tx] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        out[left + r, top + tx] = tile[tx, r]


@later
def _one_row_each(x, out):
    """The lecture's kernel, which has a thread for each row of a tile."""
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    if top + ty < x.shape[0] and left + tx < x.shape[1]:
        tile[ty, tx] = x[top + ty, left + tx]
    cuda.syncthreads()
    if left + ty < out.shape[0] and top + tx < out.shape[1]:
        out[left + ty, top + tx] = tile[tx, ty]


@later
def _one_warp(x, out):
    """One warp of eight takes the whole tile."""
    tile = cuda.shared.array((32, 33), np.float32)
    tx = cuda.threadIdx.x
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    if cuda.threadIdx.y == 0:
        for r in range(32):
            if top + r < x.shape[0] and left + tx < x.shape[1]:
                tile[r, tx] = x[top + r, left + tx]
        cuda.syncwarp()
        for r in range(32):
            if left + r < out.shape[0] and top + tx < out.shape[1]:
                out[left + r, top + tx] = tile[tx, r]


@later
def _barrier_inside(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
            cuda.syncthreads()
    for r in range(ty, 32, 8):
        if left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[tx, r]


@later
def _whole_numbers(x, out):
    tile = cuda.shared.array((32, 33), np.int32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        if left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[tx, r]


WRONG = {
    "direct": Wrong(_direct, "coalescing"),
    "not padded": Wrong(_not_padded, "banks"),
    "no barrier": Wrong(_no_barrier, "race"),
    "as it stood": Wrong(_as_it_stood, "order"),
    "one guard": Wrong(_one_guard, "remainder"),
    "one row each": Wrong(_one_row_each, "uninitialised"),
    "one warp": Wrong(_one_warp, "serial"),
    "no guard": Wrong(_no_guard, "bounds"),
    "barrier inside": Wrong(_barrier_inside, "barrier"),
    "whole numbers": Wrong(_whole_numbers, "integer"),
}
RIGHT = {"padded": _padded, "skewed": _skewed}
