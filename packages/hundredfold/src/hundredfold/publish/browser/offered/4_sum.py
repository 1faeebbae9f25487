# A block adds up, together
# Take one of the two syncthreads away, and run again.
import numpy as np
from numba import cuda, float32


@cuda.jit
def add_up(x, sums):
    part = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = 32
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


x = np.ones(128, np.float32)
sums = np.zeros(2, np.float32)
add_up[2, 64](x, sums)
print(sums)
