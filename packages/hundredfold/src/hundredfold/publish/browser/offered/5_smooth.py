# A picture, smoothed
# As published: half of the answer is in "useful" below.
# Exchange i and j in the first line of the kernel.
import numpy as np
from numba import cuda


@cuda.jit
def smooth(x, out):
    i, j = cuda.grid(2)
    n, m = x.shape
    if 1 <= i < n - 1 and 1 <= j < m - 1:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[i + di, j + dj]
        out[i, j] = total // 9


x = np.random.default_rng(5).integers(0, 100, (32, 32), dtype=np.int8)
out = np.zeros_like(x)
smooth[(2, 2), (16, 16)](x, out)
print(out[1, 1:8])
