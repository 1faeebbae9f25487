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


def test_functions_that_nvidia_s_code_gives_otherwise_than_this_once_did(cp):
    """Values from running the PTX of NVRTC (`tests/ptx`): of pi, at the ends of the normal distribution, of NaN."""
    cases = {
        "sinpi(x)": ([1.0, -1.0, 0.5, 1e15], [0.0, -0.0, 1.0, 0.0]),
        "cospi(x)": ([-2.5, 1.0, 0.25], [0.0, -1.0, 0.7071067811865476]),
        "rcbrt(x)": ([8.0, -0.125], [0.5, -2.0]),
        "cbrt(x)": ([1e-30, 100.0], [1e-10, 4.641588833612779]),
        "normcdf(x)": ([-30.0], [4.906713927148187e-198]),
        "normcdfinv(x)": ([0.5], [0.0]),
        "fdim(x, 1.0)": ([np.nan, 3.0, -3.0], [np.nan, 2.0, 0.0]),
        "nextafter(x, 2.0)": ([1.0], [np.nextafter(1.0, 2.0)]),
        "remainder(x, 2.0)": ([5.0, 3.0], [1.0, -1.0]),
    }
    for text, (given, wanted) in cases.items():
        made = cp.ElementwiseKernel("float64 x", "float64 y", f"y = {text}")(cp.asarray(given)).get()
        np.testing.assert_allclose(made, wanted, rtol=3e-16, atol=0, err_msg=text)
        assert np.signbit(made).tolist() == np.signbit(wanted).tolist(), text
