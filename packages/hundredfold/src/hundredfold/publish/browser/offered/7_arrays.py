# NumPy on the device (unit 01)
import cupy as cp
import numpy as np

a = cp.arange(12, dtype=np.float64).reshape(3, 4)
print(a * 2 + 1)
print("every other column", a[1:, ::2].tolist())
print("broadcasting      ", (a - a[0]).tolist())
print("where a is even   ", cp.where(a % 2 == 0, a, -1)[1].tolist())
print("np.sin(a) is of   ", type(np.sin(a)))
