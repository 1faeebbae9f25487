"""``fast-kernels.tree``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from ..edits import Wrong
from ..later import cuda, later


@later
def _sequential(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _interleaved(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    if i < x.size:
        part[t] = x[i]
    else:
        part[t] = 0
    step = 1
    while step < cuda.blockDim.x:
        cuda.syncthreads()
        if t % (2 * step) == 0:
            part[t] += part[t + step]
        step *= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _shuffled(x, sums):
    """Within a warp by registers, then the eight warps' sums by the first warp."""
    of_warp = cuda.shared.array(8, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    mine = x[i] if i < x.size else 0.0
    for step in (16, 8, 4, 2, 1):
        mine += cuda.shfl_down_sync(0xFFFFFFFF, mine, step)
    if t % 32 == 0:
        of_warp[t // 32] = mine
    cuda.syncthreads()
    if t == 0:
        mine = 0.0
        for k in range(8):
            mine += of_warp[k]
        sums[cuda.blockIdx.x] = mine


@later
def _unguarded(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _no_barriers(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _returned_early(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = 0.0
    if i >= x.size and t > 0:
        return
    if i < x.size:
        part[t] = x[i]
    step = 128
    while step > 0:
        cuda.syncthreads()
        if t < step:
            part[t] += part[t + step]
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _barrier_for_some(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
            cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _not_cleared(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < x.size:
        part[t] = x[i]
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _from_64(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = 64
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _in_float32(x, sums):
    part = cuda.shared.array(256, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


@later
def _one_adds(x, sums):
    part = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    if t == 0:
        total = 0.0
        for k in range(256):
            total += part[k]
        sums[cuda.blockIdx.x] = total


@later
def _one_warp(x, sums):
    """32 threads add eight numbers each, and then those of the warp; seven warps have nothing to do."""
    t = cuda.threadIdx.x
    if t < 32:
        mine = 0.0
        for k in range(t, 256, 32):
            i = cuda.blockIdx.x * 256 + k
            if i < x.size:
                mine += x[i]
        for step in (16, 8, 4, 2, 1):
            mine += cuda.shfl_down_sync(0xFFFFFFFF, mine, step)
        if t == 0:
            sums[cuda.blockIdx.x] = mine


@later
def _by_atomics(x, sums):
    total = cuda.shared.array(1, np.float64)
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        total[0] = 0
    cuda.syncthreads()
    if i < x.size:
        cuda.atomic.add(total, 0, x[i])
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        sums[cuda.blockIdx.x] = total[0]


WRONG = {
    "unguarded": Wrong(_unguarded, "bounds"),
    "no barriers": Wrong(_no_barriers, "race"),
    "returned early": Wrong(_returned_early, "barrier"),
    "barrier for some": Wrong(_barrier_for_some, "barrier"),
    "not cleared": Wrong(_not_cleared, "uninitialised"),
    "half": Wrong(_from_64, "remainder"),
    "float32": Wrong(_in_float32, "dtype"),
    "one adds": Wrong(_one_adds, "serial"),
    "one warp": Wrong(_one_warp, "serial"),
    "atomics": Wrong(_by_atomics, "atomics"),
}
RIGHT = {"sequential": _sequential, "interleaved": _interleaved, "shuffled": _shuffled}
