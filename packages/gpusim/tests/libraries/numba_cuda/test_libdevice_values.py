"""Functions of libdevice and of ``numba.cuda``: values that running NVIDIA's own PTX gave (`tests/ptx`), to the last bit or unit.

Each was wrong here once.
"""

import numpy as np
import pytest

D, F, WHOLE, U, L = "float64", "float32", "int32", "uint32", "int64"
CASES = [
    ("libdevice.cbrt(x[i])", D, [1e-30, 100.0, -0.0, 0.0, -27.0], [1e-10, 4.641588833612779, -0.0, 0.0, -3.0]),
    ("cuda.cbrt(x[i])", D, [1e-30, 100.0, -0.0], [1e-10, 4.641588833612779, -0.0]),
    ("libdevice.rcbrt(x[i])", D, [2.5, -0.0], [0.7368062997280773, -np.inf]),
    ("libdevice.sinpi(x[i])", D, [1.0, -1.0, 0.5, 1e15, np.inf], [0.0, -0.0, 1.0, 0.0, np.nan]),
    ("libdevice.cospi(x[i])", D, [-2.5, 1.0, 0.0, np.nan], [0.0, -1.0, 1.0, np.nan]),
    ("libdevice.cospif(x[i])", F, [-2.5, 2.0], [0.0, 1.0]),
    ("libdevice.sincospif(x[i])[0]", F, [-1.0, 0.5], [-0.0, 1.0]),
    ("libdevice.normcdf(x[i])", D, [-30.0, 0.0], [4.906713927148187e-198, 0.5]),
    ("libdevice.erfcinv(x[i])", D, [1.0, 0.0, 2.0], [0.0, np.inf, -np.inf]),
    ("libdevice.normcdfinv(x[i])", D, [0.5], [0.0]),
    ("libdevice.normcdfinvf(x[i])", F, [0.5], [0.0]),
    ("libdevice.frsqrt_rn(x[i])", F, [1.5], [0.81649661064147949]),
    ("libdevice.powi(x[i], -2)", D, [0.0, 2.0], [np.inf, 0.25]),
    ("libdevice.powif(x[i], -1)", F, [-0.0, 4.0], [-np.inf, 0.25]),
    ("libdevice.abs(x[i])", WHOLE, [-3, 4, -(2**31)], [3, 4, -(2**31)]),
    ("libdevice.max(x[i], 2)", WHOLE, [-3, 4], [2, 4]),
    ("libdevice.min(x[i], 2)", WHOLE, [-3, 4], [-3, 2]),
    ("libdevice.mul24(x[i], 3)", WHOLE, [704435114, 0x00FFFFFF], [-623874, -3]),
    ("libdevice.umax(x[i], 1)", U, [3936755376, 0], [3936755376 - 2**32, 1]),
    ("libdevice.uhadd(x[i], x[i])", U, [3936755376], [3936755376 - 2**32]),
    ("cuda.brev(x[i])", L, [7, 2**40], [0xE0000000, 0]),
    ("cuda.brev(x[i])", "uint64", [7], [0xE000000000000000 - 2**64]),
]


@pytest.mark.parametrize(("text", "kind", "given", "wanted"), CASES, ids=[f"{c[0]} {c[1]}" for c in CASES])
def test_a_value(cuda, tmp_path, text, kind, given, wanted):
    from numba.cuda import libdevice

    file = tmp_path / "one.py"
    file.write_text(f"def kernel(x, out):\n    i = cuda.grid(1)\n    if i < x.size:\n        out[i] = {text}\n")
    names = {"cuda": cuda, "libdevice": libdevice}
    exec(compile(file.read_text(), str(file), "exec"), names)
    x = np.array(given, kind)
    out = np.zeros(x.size, np.float64 if kind in (D, F) else np.int64)
    cuda.jit(names["kernel"])[1, 32](x, out)
    wanted = np.array(wanted, out.dtype)
    if out.dtype == np.float64:
        assert np.allclose(out, wanted, rtol=5e-16 if kind == D else 1e-8, atol=0, equal_nan=True)
        assert np.signbit(out).tolist() == np.signbit(wanted).tolist() or np.isnan(wanted).any()
    else:
        assert out.tolist() == wanted.tolist()
