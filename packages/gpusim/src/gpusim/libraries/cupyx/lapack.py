"""Solvers that CuPy offers below its linear algebra; they work on device arrays."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
import scipy.linalg as _scipy
from cupyx._bridge import takes
from cupyx._bridge.convert import call

_MODULE = "cupyx.lapack"


def _check(a: Any, b: Any, square: bool, error: type = TypeError) -> None:
    if a.ndim != 2:
        raise ValueError(f"a.ndim must be 2 (actual: {a.ndim})")
    if b.ndim not in (1, 2):
        raise ValueError(f"b.ndim must be 1 or 2 (actual: {b.ndim})")
    if square and a.shape[0] != a.shape[1]:
        raise ValueError("a must be a square matrix.")
    if a.shape[0] != b.shape[0]:
        raise ValueError(f"shape mismatch (a: {a.shape}, b: {b.shape}).")
    if a.dtype != b.dtype:
        raise error(f"dtype mismatch (a: {a.dtype}, b: {b.dtype})")
    if a.dtype.char not in "fdFD":
        raise error(f"unsupported dtype (actual:{a.dtype})")


@takes(_MODULE)
def gesv(a: Any, b: Any) -> None:
    """Solve a system by LU; ``b``, in Fortran order, is overwritten with the solution and ``a`` with its factors."""
    _check(a, b, True)
    if not a.flags.forc:
        raise ValueError("a must be F-contiguous or C-contiguous.")
    if not b.flags.f_contiguous:
        raise ValueError("b must be F-contiguous.")
    b[...] = cupy.linalg.solve(a, b)
    factors, _ = call("cusolver_getrf", _scipy.lu_factor, (a if a.flags.f_contiguous else a.T,), {})
    if a.flags.f_contiguous:
        a[...] = factors
    else:
        a[...] = factors.T


@takes(_MODULE)
def gels(a: Any, b: Any) -> Any:
    """Least squares, or the shortest solution, by QR; a matrix of full rank."""
    _check(a, b, False, ValueError)

    def run(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.asfortranarray(np.linalg.lstsq(a, b, rcond=None)[0])

    return call("cusolver_gels", run, (a, b), {})


@takes(_MODULE)
def posv(a: Any, b: Any) -> Any:
    """Solve with a positive definite matrix by Cholesky's decomposition; batches are allowed."""
    if a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if a.ndim == 2 and b.ndim not in (1, 2):
        raise ValueError(f"b.ndim must be 1 or 2 (actual: {b.ndim})")
    if a.shape[-2] != b.shape[a.ndim - 2]:
        raise ValueError(f"shape mismatch (a: {a.shape}, b: {b.shape}).")
    dtype = np.promote_types(np.promote_types(a.dtype, b.dtype), np.float32)

    def run(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        a, b = a.astype(dtype), b.astype(dtype)
        np.linalg.cholesky(a)  # refuses what is not positive definite
        vector = b.ndim == a.ndim - 1
        x = np.linalg.solve(a, b[..., None] if vector else b)
        return x[..., 0] if vector else x

    return call("cusolver_posv", run, (a, b), {})


@takes(_MODULE)
def potrs(L: Any, b: Any, lower: bool) -> Any:
    """Solve with a matrix of which Cholesky's decomposition is known; batches are allowed."""
    if L.dtype.char not in "fdFD":
        raise TypeError(f"unsupported dtype (actual:{L.dtype})")
    dtype = np.promote_types(np.promote_types(L.dtype, b.dtype), np.float32)

    def run(half: np.ndarray, b: np.ndarray) -> np.ndarray:
        half, b = half.astype(dtype), b.astype(dtype)
        if half.ndim == 2:
            return _scipy.cho_solve((half, lower), b, check_finite=False)
        vector = b.ndim == half.ndim - 1
        tri = np.tril(half) if lower else np.triu(half)
        adjoint = np.conj(np.swapaxes(tri, -1, -2))
        x = np.linalg.solve(tri @ adjoint if lower else adjoint @ tri, b[..., None] if vector else b)
        return x[..., 0] if vector else x

    return call("cusolver_potrs", run, (L, b), {})
