# Two memories (unit 01)
# What crosses between host and device is counted below.
import cupy as cp
import numpy as np

x = np.linspace(0, 1, 10_000)  # on the host
y = cp.asarray(x)  # to the device
z = cp.sin(y) ** 2 + cp.cos(y) ** 2  # stays there
print("largest error", float(abs(z - 1).max()))  # one number back
print(cp.asnumpy(z)[:3])  # all of it back
try:
    np.add(x, y)  # one here, one there
except TypeError as error:
    print(error)
