"""``math.remainder``, which Numba compiles for GPUs and not for CPUs."""

import math

import numpy as np
import pytest


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
def test_remainder_is_pythons(cuda, launch, dtype):
    def kernel(out, x, y):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = math.remainder(x[i], y[i])

    values = [0.0, -0.0, 1.0, 5.0, 2.5, -7.0, 9.0, -3.5, 1e6, 3.0]
    if dtype is not np.int32:
        values += [np.inf, np.nan]
    x, y = (np.array(part, dtype) for part in zip(*((a, b) for a in values for b in values if b), strict=True))
    keep = y != 0
    x, y = x[keep], y[keep]
    out = np.zeros(len(x), np.float32 if dtype is np.float32 else np.float64)
    launch(kernel, 4, 64, out, x, y)

    def expected(a, b):
        return math.nan if math.isinf(a) or math.isnan(a) or math.isnan(b) else math.remainder(a, b)

    np.testing.assert_array_equal(out, [expected(float(a), float(b)) for a, b in zip(x, y, strict=True)])
