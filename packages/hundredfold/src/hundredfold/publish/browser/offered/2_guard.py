# Without a guard
# 128 threads for 100 numbers. A GPU says nothing. Run, read,
# and fix it with one line.
import numpy as np
from numba import cuda


@cuda.jit
def brighten(x, gain, out):
    i = cuda.grid(1)
    out[i] = x[i] * gain


x = np.arange(100, dtype=np.float32)
out = np.zeros_like(x)
brighten[4, 32](x, 1.5, out)
print(out[-1])
