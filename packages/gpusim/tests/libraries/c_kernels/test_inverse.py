"""CUDA's inverse error functions in kernels, against SciPy's."""

import numpy as np
import pytest
from scipy import special

CASES = {
    "erfinv": (special.erfinv, np.r_[-1, -0.999, -0.5, -1e-9, 0, 1e-300, 0.3, 0.7, 1 - 1e-12, 1, 1.5]),
    "erfcinv": (special.erfcinv, np.r_[0, 1e-300, 1e-9, 0.2, 0.9, 1, 1.1, 1.999, 2, -0.1]),
    "normcdf": (special.ndtr, np.r_[-30, -3, 0, 0.5, 8]),
    "normcdfinv": (special.ndtri, np.r_[1e-200, 1e-5, 0.3, 0.5, 0.9, 1 - 1e-9]),
}


@pytest.mark.large("dtype")
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_inverse(cp, name, dtype):
    function, values = CASES[name]
    x = values.astype(dtype)
    kernel = cp.ElementwiseKernel("T x", "T y", f"y = {name}(x)", f"use_{name}")
    y = kernel(cp.asarray(x)).get()
    assert y.dtype == dtype
    np.testing.assert_allclose(y, function(x.astype("f8")), rtol=1e-13 if dtype == "f8" else 3e-7, atol=1e-40)
