"""Special functions, elementwise and queued: CuPy's types, SciPy's values."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import cupy
import cupy._core as _core
import numpy as np
import scipy.special as _scipy
from cupy._core.kernel import ufunc
from cupy._core.ufuncs import by_kernel
from cupyx._bridge import functions, takes
from cupyx._bridge.convert import call

_MODULE = "cupyx.scipy.special"
_made: dict[str, Any] = {}
for _kernel, _entry in json.loads((Path(_core.__file__).parent / "special.json").read_text()).items():
    _same: dict[Any, Any] = {}  # psi is digamma
    for _name in _entry["names"]:
        # Under SCIPY_ARRAY_API SciPy hides its ufuncs behind functions of the same names.
        _function = next((f for n in (_name, *_entry["names"]) if (f := getattr(_scipy._ufuncs, n, None))), None)
        _function = _function or getattr(np, _name, None)
        if isinstance(_function, np.ufunc) and _function.nin == _entry["nin"]:
            # CuPy gives two kernels each other's names (ellipk and ellipkm1); what is computed goes by the public name.
            if _function not in _same:
                _same[_function] = ufunc(_kernel, _entry["types"], _function, _entry["nin"])
            _made[_name] = by_kernel[f"{_kernel}:{_name}"] = _same[_function]


# Not ufuncs in SciPy, or not in this shape: at once, on host views.
_made |= {name: function for name, function in functions(_MODULE, _scipy).items() if name not in _made}


def _degrees(m: Any, n: Any, theta: Any, phi: Any, out: Any) -> Any:
    made = call("cupyx_scipy_lpmv", _scipy.sph_harm_y, (n, m, phi, theta), {}, finish=_angles_single)
    if out is None:
        return made
    out[...] = made
    return out


def _angles_single(result: Any, arguments: tuple) -> Any:
    angles = [np.asarray(a).dtype for a in arguments[2:4] if isinstance(a, np.ndarray)]
    single = angles and all(d.char in "ef" for d in angles)
    return np.asarray(result).astype(np.complex64 if single else np.complex128)


@takes(_MODULE)
def sph_harm(m: Any, n: Any, theta: Any, phi: Any, out: Any) -> Any:
    """Spherical harmonics by order and degree; deprecated."""
    warnings.warn(
        "`cupyx.scipy.special.sph_harm` is deprecated in CuPy v14 and are planned to be removed in the future.",
        DeprecationWarning,
        stacklevel=3,
    )
    return _degrees(m, n, theta, phi, out)


@takes(_MODULE)
def sph_harm_y(n: Any, m: Any, theta: Any, phi: Any, *, diff_n: int) -> Any:
    """Spherical harmonics by degree and order, without derivatives."""
    if diff_n != 0:
        raise NotImplementedError("Derivatives not implemented.")
    return _degrees(m, n, phi, theta, None)


@takes(_MODULE)
def lambertw(z: Any, k: Any, tol: float) -> Any:
    """Lambert's W, of which ``k`` is the branch; complex."""

    def finish(result: Any, arguments: tuple) -> Any:
        char = getattr(arguments[0], "dtype", np.dtype(float)).char
        return np.asarray(result).astype(np.complex64 if char in "efF" else np.complex128)

    return call("cupyx_scipy_lambertw_scalar", _scipy.lambertw, (z, k, tol), {}, finish=finish)


@takes(_MODULE)
def spherical_yn(n: Any, z: Any, derivative: bool) -> Any:
    """Spherical Bessel functions of the second kind, of real arguments."""
    if cupy.iscomplexobj(z):
        raise NotImplementedError
    return call("cupyx_scipy_spherical_yn_real", _scipy.spherical_yn, (n, z, bool(derivative)), {})


@takes(_MODULE)
def btdtr(a: Any, b: Any, x: Any, out: Any) -> Any:
    """As ``betainc``; deprecated."""
    warnings.warn("Use cupyx.scipy.special.betainc instead.", DeprecationWarning, stacklevel=3)
    return _made["betainc"](a, b, x, out)


@takes(_MODULE)
def btdtri(a: Any, b: Any, p: Any, out: Any) -> Any:
    """As ``betaincinv``; deprecated."""
    warnings.warn("Use cupyx.scipy.special.betaincinv instead.", DeprecationWarning, stacklevel=3)
    return _made["betaincinv"](a, b, p, out)


# What is no kernel in CuPy, but several of them: it counts as those, and a temporary is written and read again.


@takes(_MODULE)
def softmax(x: Any, axis: Any) -> Any:
    """Exponentials over their sum: five kernels."""
    shares = cupy.exp(x - cupy.amax(x, axis=axis, keepdims=True))
    return shares / cupy.sum(shares, axis=axis, keepdims=True)


@takes(_MODULE)
def log_softmax(x: Any, axis: Any) -> Any:
    """The logarithm of the softmax: a maximum, the differences, the logarithm of the sum of their exponentials, and what is left."""
    tmp = x - _finite(cupy.amax(x, axis=axis, keepdims=True))
    if tmp.dtype.kind in "iu":
        tmp = tmp.astype(np.result_type(tmp.dtype, np.float16))
    return tmp - call("cupyx_special_log_softmax", _log_of_sum, (tmp, axis), {})


@takes(_MODULE)
def logsumexp(a: Any, axis: Any, b: Any, keepdims: bool, return_sign: bool) -> Any:
    """The logarithm of the sum of exponentials: each step a kernel."""
    if b is not None:
        a, b = cupy.broadcast_arrays(a, b)
        if cupy.any(b == 0):
            a = a + 0.0
            a[b == 0] = -cupy.inf
    largest = _finite(cupy.max(a, axis=axis, keepdims=True))
    total = cupy.sum(cupy.exp(a - largest) if b is None else b * cupy.exp(a - largest), axis=axis, keepdims=keepdims)
    sign = cupy.sign(total) if return_sign else None
    logarithm = cupy.log(total * sign if return_sign else total)
    logarithm += largest if keepdims else cupy.squeeze(largest, axis=axis)
    return (logarithm, sign) if return_sign else logarithm


def _finite(largest: Any) -> Any:
    """Zeros where it is not finite, so that infinity minus infinity does not occur."""
    largest[~cupy.isfinite(largest)] = 0
    return largest


def _log_of_sum(x: np.ndarray, axis: Any) -> np.ndarray:
    return np.log(np.exp(x).sum(axis=axis, keepdims=True))


_made |= {f.__name__: f for f in (softmax, log_softmax, logsumexp)}
_made |= {f.__name__: f for f in (sph_harm, sph_harm_y, lambertw, spherical_yn, btdtr, btdtri)}
_made |= {"round": cupy.around, "sinc": cupy.sinc}
# SciPy's zeta is a function with an optional second argument around this ufunc.
_made["zeta"] = ufunc("cupyx_scipy_special_zeta", "ff->f dd->d", _scipy._ufuncs._zeta, 2)
globals().update(_made)
__all__ = list(_made)
