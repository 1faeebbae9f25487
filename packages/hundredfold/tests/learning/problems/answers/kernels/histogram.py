"""``kernels.histogram``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.kernels.histogram import LEVELS

from ..edits import Wrong
from ..later import cuda, later


@later
def _atomic(v, counts):
    for i in range(cuda.grid(1), v.size - 1, cuda.gridsize(1)):
        cuda.atomic.add(counts, (v[i], v[i + 1]), 1)


@later
def _atomic_while(v, counts):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x + 1
    while i < v.shape[0]:
        cuda.atomic.add(counts, (v[i - 1], v[i]), 1)
        i += cuda.blockDim.x * cuda.gridDim.x


@later
def _shared(v, counts):
    mine = cuda.shared.array((16, 16), np.int32)
    for k in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        mine[k // 16, k % 16] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), v.size - 1, cuda.gridsize(1)):
        cuda.atomic.add(mine, (v[i], v[i + 1]), 1)
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        cuda.atomic.add(counts, (k // 16, k % 16), mine[k // 16, k % 16])


@later
def _twelve_bits(v, counts):
    """Two counts share a word, 12 bits each."""
    mine = cuda.shared.array(128, np.int32)
    for k in range(cuda.threadIdx.x, 128, cuda.blockDim.x):
        mine[k] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), v.size - 1, cuda.gridsize(1)):
        cuda.atomic.add(mine, v[i] * 8 + v[i + 1] // 2, 1 << (12 * (v[i + 1] % 2)))
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        cuda.atomic.add(counts, (k // 16, k % 16), mine[k // 2] >> (12 * (k % 2)) & 0xFFF)


@later
def _starter(v, counts):
    for i in range(cuda.grid(1), v.size - 1, cuda.gridsize(1)):
        counts[v[i], v[i + 1]] += 1


@later
def _read_back(v, counts):
    for i in range(cuda.grid(1), v.size - 1, cuda.gridsize(1)):
        counts[v[i], v[i + 1]] = cuda.atomic.add(counts, (v[i], v[i + 1]), 1) + 1


@later
def _barrier(v, counts):
    for i in range(cuda.grid(1), v.size - 1, cuda.gridsize(1)):
        counts[v[i], v[i + 1]] += 1
        cuda.syncthreads()


@later
def _flat_index(v, counts):
    for i in range(cuda.grid(1), v.size - 1, cuda.gridsize(1)):
        cuda.atomic.add(counts, LEVELS * v[i] + v[i + 1], 1)


@later
def _one_each(v, counts):
    i = cuda.grid(1)
    if i < v.size - 1:
        cuda.atomic.add(counts, (v[i], v[i + 1]), 1)


@later
def _stride_of_a_block(v, counts):
    for i in range(cuda.grid(1), v.size - 1, cuda.blockDim.x):
        cuda.atomic.add(counts, (v[i], v[i + 1]), 1)


@later
def _one_pair_too_many(v, counts):
    for i in range(cuda.grid(1), v.size, cuda.gridsize(1)):
        cuda.atomic.add(counts, (v[i], v[i + 1]), 1)


@later
def _with_itself(v, counts):
    for i in range(cuda.grid(1), v.size - 1, cuda.gridsize(1)):
        cuda.atomic.add(counts, (v[i], v[i]), 1)


@later
def _the_other_way(v, counts):
    for i in range(cuda.grid(1), v.size - 1, cuda.gridsize(1)):
        cuda.atomic.add(counts, (v[i + 1], v[i]), 1)


@later
def _not_cleared(v, counts):
    mine = cuda.shared.array((16, 16), np.int32)
    for i in range(cuda.grid(1), v.size - 1, cuda.gridsize(1)):
        cuda.atomic.add(mine, (v[i], v[i + 1]), 1)
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, 256, cuda.blockDim.x):
        cuda.atomic.add(counts, (k // 16, k % 16), mine[k // 16, k % 16])


@later
def _one_thread(v, counts):
    if cuda.grid(1) == 0:
        for i in range(v.size - 1):
            counts[v[i], v[i + 1]] += 1


@later
def _one_block(v, counts):
    if cuda.blockIdx.x == 0:
        for i in range(cuda.threadIdx.x, v.size - 1, cuda.blockDim.x):
            cuda.atomic.add(counts, (v[i], v[i + 1]), 1)


WRONG = {
    "race": Wrong(_starter, "race"),
    "read back": Wrong(_read_back, "race"),
    "twelve bits": Wrong(_twelve_bits, "remainder"),
    "flat index": Wrong(_flat_index, "typing"),
    "remainder": Wrong(_one_each, "remainder"),
    "overlap": Wrong(_stride_of_a_block, "overlap"),
    "barrier": Wrong(_barrier, "barrier"),
    "bounds": Wrong(_one_pair_too_many, "bounds"),
    "value": Wrong(_with_itself, "value"),
    "the other way": Wrong(_the_other_way, "transposed"),
    "uninitialised": Wrong(_not_cleared, "uninitialised"),
    "serial": Wrong(_one_thread, "serial"),
    "one block": Wrong(_one_block, "serial"),
}
RIGHT = {"atomic": _atomic, "a while loop": _atomic_while, "counts of each block": _shared}
