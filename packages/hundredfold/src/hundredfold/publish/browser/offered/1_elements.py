# One thread, one element
import numpy as np
from numba import cuda


@cuda.jit
def brighten(x, gain, out):
    i = cuda.grid(1)  # the number of this thread
    if i < x.size:  # the last block has threads too many
        out[i] = x[i] * gain


x = np.arange(100, dtype=np.float32)
out = np.zeros_like(x)
brighten[4, 32](x, 1.5, out)  # 4 blocks of 32 threads
print(out[:4], "...", out[-1])
