# A race
# Many threads add to one counter, and some additions are lost.
# Fix it: cuda.atomic.add(counts, x[i], 1)
import numpy as np
from numba import cuda


@cuda.jit
def count(x, counts):
    i = cuda.grid(1)
    if i < x.size:
        counts[x[i]] += 1


x = np.random.default_rng(5).integers(0, 8, 100)
counts = np.zeros(8, np.int32)
count[4, 32](x, counts)
print(counts, "of", x.size)
