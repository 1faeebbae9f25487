# Rows to columns, by way of shared memory
# Look at the time before and after the barrier. Then make the
# tile (32, 33): the bank conflicts are gone.
import numpy as np
from numba import cuda, float32

import kernellens


@cuda.jit
def transpose(x, out):
    tile = cuda.shared.array((32, 32), float32)
    c, r = cuda.threadIdx.x, cuda.threadIdx.y
    left = cuda.blockIdx.x * 32
    tile[r, c] = x[r, left + c]
    cuda.syncthreads()
    out[left + r, c] = tile[c, r]


x = np.arange(2048, dtype=np.float32).reshape(32, 64)
out = np.zeros((64, 32), np.float32)
seen = kernellens.trace(transpose, 2, (32, 32), x, out)
print("right:", np.array_equal(seen.results[1], x.T))
print("cycles lost to bank conflicts:", seen.bank_conflicts)
kernellens.show(seen)
