"""Linear algebra beyond NumPy's.  It waits for the device and runs at once."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
import scipy.linalg as _scipy
from cupyx._bridge import functions, takes
from cupyx._bridge.convert import AsIs, call
from cupyx._bridge.functions import function

from ._uarray import backend

_MODULE = "cupyx.scipy.linalg"


def _no_halves(given: dict) -> None:
    for value in given.values():
        if getattr(value, "dtype", None) == np.float16:
            raise NotImplementedError(
                f"Only float32, float64, complex64 and complex128 are supported, got {value.dtype}"
            )


_made = functions(
    _MODULE, _scipy,
    lu={"before": _no_halves}, lu_factor={"before": _no_halves},
)  # fmt: skip
_made["kron"] = function(_MODULE, "kron", np.kron)  # SciPy gave it up


@takes(_MODULE)
def companion(a: Any) -> Any:
    """The companion matrix of a polynomial."""
    if a.ndim != 1:
        raise ValueError(f"`a` must be one-dimensional.  `a` has shape {a.shape}")
    return call("cupyx_companion", _scipy.companion, (a,), {})


@takes(_MODULE)
def bandwidth(a: Any) -> tuple[int, int]:
    """Lower and upper bandwidth."""
    a = cupy.asarray(a)
    if a.size == 0:
        return 0, 0
    if a.ndim != 2:
        raise np.linalg.LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    return tuple(int(n) for n in call("cupyx_bandwidth", lambda m: AsIs(_widths(m)), (a,), {}))


def _widths(a: np.ndarray) -> tuple[int, int]:
    row, col = a.nonzero()
    return int(max(0, (row - col).max(initial=0))), int(max(0, (col - row).max(initial=0)))


@takes(_MODULE)
def khatri_rao(a: Any, b: Any) -> Any:
    """The Khatri-Rao product of two matrices."""
    for m in (a, b):
        if m.ndim != 2:
            raise np.linalg.LinAlgError(f"{m.ndim}-dimensional array given. Array must be two-dimensional")
    if a.shape[1] != b.shape[1]:
        raise ValueError("The number of columns for both arrays should be equal.")
    product = a[:, None, :] * b[None, :, :]
    return product.reshape((-1, a.shape[1]))


@takes(_MODULE)
def expm(a: Any) -> Any:
    """The matrix exponential of a square matrix."""
    if a.size == 0:
        return cupy.zeros((0, 0), dtype=a.dtype)
    dtype = a.dtype if a.dtype.kind in "fc" else np.dtype(np.float64)
    return call("cupyx_expm", _scipy.expm, (a,), {}, finish=lambda result, _: np.asarray(result).astype(dtype))


@takes(_MODULE)
def solve_triangular(
    a: Any, b: Any, trans: Any, lower: bool, unit_diagonal: bool, overwrite_b: bool, check_finite: bool
) -> Any:
    """Solve with a triangular matrix or a batch of them; ``b`` is cast to the matrix's type."""
    for m in (a, b):
        if not isinstance(m, cupy.ndarray):
            raise np.linalg.LinAlgError("cupy.linalg only supports cupy.ndarray")
    if a.ndim < 2:
        raise ValueError("expected one square matrix or a batch of square matrices")
    if a.shape[-1] != a.shape[-2]:
        raise ValueError("expected square matrix" if a.ndim == 2 else "expected a batch of square matrices")
    front = a.ndim - 2
    if front and a.shape[:-2] != b.shape[:front]:
        raise ValueError("incompatible batch count")
    if b.ndim < front + 1 or a.shape[-2] != b.shape[front]:
        raise ValueError("incompatible dimensions")
    dtype = a.dtype if a.dtype.char in "fd" else np.promote_types(a.dtype, np.float32)
    if check_finite and not all(bool(cupy.isfinite(m).all()) for m in (a, b) if m.dtype.kind == "f"):
        raise ValueError("array must not contain infs or NaNs")

    def run(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        a, b = a.astype(dtype), b.astype(dtype)
        options = {"trans": trans, "lower": lower, "unit_diagonal": unit_diagonal, "check_finite": False}
        if not front:
            return _scipy.solve_triangular(a, b, **options)
        out = np.empty_like(b)
        for index in np.ndindex(a.shape[:front]):
            out[index] = _scipy.solve_triangular(a[index], b[index], **options)
        return out

    return call("cupyx_trsm", run, (a, b), {})


_made |= {f.__name__: f for f in (companion, bandwidth, khatri_rao, expm, solve_triangular)}
globals().update(_made)
_arrays = "eigh eigvalsh cholesky qr svd norm det solve lstsq inv pinv"
globals().update(backend("numpy.scipy.linalg", _scipy, {n: getattr(cupy.linalg, n) for n in _arrays.split()} | _made))
