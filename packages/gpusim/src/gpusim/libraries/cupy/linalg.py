"""Linear algebra: cuSOLVER on a GPU, LAPACK here.  Shapes are known, so all of it is queued.

As in CuPy, a singular matrix is no error by default (``cupyx.errstate(linalg="raise")`` makes it one): the result is
NaN then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from ._core import launch
from ._core.adapt import running
from ._core.convert import array
from ._core.products import matmul

ndarray = launch.array_class


class _Config(threading.local):
    """What `cupyx.seterr` has set, in each thread for itself as in CuPy [cupyx/_ufunc_config.py]."""

    errors = "ignore"  # or "raise"


config = _Config()


def _matrix(a: Any, square: bool = False, half: bool = False) -> np.dtype:
    """Check the argument as CuPy does and give the dtype it is computed in."""
    if not isinstance(a, ndarray):
        raise LinAlgError("cupy.linalg only supports cupy.ndarray")
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if square and a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    if half and a.dtype.char == "e":  # for backward compatibility, computed in single precision
        return a.dtype
    return _compute(a.dtype)


def _compute(*dtypes: np.dtype) -> np.dtype:
    for dtype in dtypes:
        if dtype.char == "e":
            raise TypeError("float16 is unsupported in linalg")
    return np.result_type(*(np.dtype(np.float64) if d.kind in "biu" else d for d in dtypes))


def _real(dtype: np.dtype) -> np.dtype:
    return np.dtype(dtype.char.lower())


def _queue(name: str, function: Callable, shapes: list, dtypes: list, *operands: Any, **kwargs: Any) -> list:
    """Enqueue a decomposition: one launch, several results."""
    outs = [launch.empty(tuple(s), d) for s, d in zip(shapes, dtypes, strict=True)]
    views = tuple(o._a if isinstance(o, ndarray) else o for o in operands)
    strict = config.errors == "raise"
    if strict:  # the check reads cuSOLVER's status, so the call waits for the device
        launch.queue.synchronize()
    arguments = (function, views, kwargs, [o._a for o in outs], strict)
    launch.submit(name, _run, arguments, reads=tuple(launch.views(operands)), writes=arguments[3])
    if strict:
        launch.queue.run()
    return outs


def _run(function: Callable, views: tuple, kwargs: dict, outs: list, strict: bool) -> None:
    views = tuple(_in_lapack_type(v) if isinstance(v, np.ndarray) else v for v in views)
    try:
        results = function(*views, **kwargs)
    except LinAlgError:
        if strict:
            raise
        if function is not np.linalg.norm and _stacked(views):
            # One bad matrix does not spoil the others.
            lead = next(v.shape[:-2] for v in views if _is_matrix(v))
            for i in np.ndindex(lead):
                one = tuple(v[i] if _is_matrix(v) else v for v in views)
                _run(function, one, kwargs, [o[(*i, ...)] for o in outs], strict)
            return
        for out in outs:
            out.fill(np.nan if out.dtype.kind in "fc" else 0)
        return
    for out, result in zip(outs, results if isinstance(results, tuple) else (results,), strict=True):
        out[...] = result


def _in_lapack_type(view: np.ndarray) -> np.ndarray:
    if view.dtype.kind in "biu":
        return view.astype(np.float64)
    return view.astype(np.float32) if view.dtype.char == "e" else view


def _is_matrix(view: Any) -> bool:
    return isinstance(view, np.ndarray) and view.ndim > 1


def _stacked(views: tuple) -> bool:
    return any(_is_matrix(v) and v.ndim > 2 for v in views)


def inv(a: Any) -> Any:
    """Inverse of square matrices."""
    dtype = _matrix(a, True)
    return _queue("cusolver_getrs", np.linalg.inv, [a.shape], [dtype], a)[0]


def solve(a: Any, b: Any) -> Any:
    """Solution of linear systems."""
    _matrix(a, True)
    if not isinstance(b, ndarray):
        raise LinAlgError("cupy.linalg only supports cupy.ndarray")
    if b.ndim == 0:
        raise ValueError("b must have at least one dimension")
    if b.ndim == 1 and a.shape[-1] != b.size:
        raise ValueError("a must have (..., M, M) shape and b must have (M,) for one-dimensional b")
    if b.ndim > 1 and a.shape[:-1] != b.shape[:-1]:
        raise ValueError("a must have (..., M, M) shape and b must have (..., M, K) for multidimensional b")
    dtype = _compute(a.dtype, b.dtype)
    shape = a.shape[:-1] if b.ndim == 1 else b.shape
    return _queue("cusolver_getrs", np.linalg.solve, [shape], [dtype], a, b)[0]


def det(a: Any) -> Any:
    """Determinant of square matrices."""
    dtype = _matrix(a, True)
    return _queue("cusolver_getrf", np.linalg.det, [a.shape[:-2]], [dtype], a)[0]


def slogdet(a: Any) -> Any:
    """Sign and logarithm of the determinant of square matrices."""
    dtype = _matrix(a, True)
    results = _queue("cusolver_getrf", np.linalg.slogdet, [a.shape[:-2]] * 2, [dtype, _real(dtype)], a)
    return type(np.linalg.slogdet(np.eye(1)))(*results)


def cholesky(a: Any, *, upper: bool = False) -> Any:
    """Cholesky factor of positive definite matrices."""
    dtype = _matrix(a, True)
    return _queue("cusolver_potrf", np.linalg.cholesky, [a.shape], [dtype], a, upper=upper)[0]


def eigh(a: Any, UPLO: str = "L") -> Any:
    """Eigenvalues and eigenvectors of Hermitian matrices."""
    if UPLO not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    dtype = _matrix(a, True, half=True)
    results = _queue("cusolver_syevd", np.linalg.eigh, [a.shape[:-1], a.shape], [_real(dtype), dtype], a, UPLO)
    return type(np.linalg.eigh(np.eye(1)))(*results)


def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """Eigenvalues of Hermitian matrices."""
    dtype = _matrix(a, True, half=True)
    return _queue("cusolver_syevd", np.linalg.eigvalsh, [a.shape[:-1]], [_real(dtype)], a, UPLO)[0]


def eig(a: Any) -> Any:
    """Eigenvalues and eigenvectors of square matrices, complex."""
    dtype = np.result_type(_matrix(a, True), np.complex64)
    results = _queue("cusolver_geev", np.linalg.eig, [a.shape[:-1], a.shape], [dtype] * 2, a)
    return type(np.linalg.eig(np.eye(1)))(*results)


def eigvals(a: Any) -> Any:
    """Eigenvalues of square matrices, complex."""
    dtype = np.result_type(_matrix(a, True), np.complex64)
    return _queue("cusolver_geev", np.linalg.eigvals, [a.shape[:-1]], [dtype], a)[0]


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Singular value decomposition."""
    dtype = _matrix(a)
    *lead, m, n = a.shape
    k = min(m, n)
    if not compute_uv:
        return _queue("cusolver_gesvd", np.linalg.svd, [(*lead, k)], [_real(dtype)], a, compute_uv=False)[0]
    shapes = [(*lead, m, m if full_matrices else k), (*lead, k), (*lead, n if full_matrices else k, n)]
    dtypes = [dtype, _real(dtype), dtype]
    results = _queue("cusolver_gesvd", np.linalg.svd, shapes, dtypes, a, full_matrices=full_matrices)
    return type(np.linalg.svd(np.eye(1)))(*results)


def qr(a: Any, mode: str = "reduced") -> Any:
    """QR decomposition."""
    dtype = _matrix(a)
    *lead, m, n = a.shape
    k = min(m, n)
    if mode == "r":
        return _queue("cusolver_geqrf", np.linalg.qr, [(*lead, k, n)], [dtype], a, mode="r")[0]
    if mode == "raw":
        return launch.now("cusolver_geqrf", np.linalg.qr, a, mode="raw")
    if mode not in ("reduced", "complete"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    shapes = [(*lead, m, k), (*lead, k, n)] if mode == "reduced" else [(*lead, m, m), (*lead, m, n)]
    results = _queue("cusolver_geqrf", np.linalg.qr, shapes, [dtype] * 2, a, mode=mode)
    return type(np.linalg.qr(np.eye(1)))(*results)


def pinv(a: Any, rcond: float = 1e-15) -> Any:
    """Moore-Penrose inverse."""
    dtype = _matrix(a)
    if not a.size:
        dtype = a.dtype if 0 in a.shape[-2:] else dtype
        return launch.empty((*a.shape[:-2], a.shape[-1], a.shape[-2]), dtype)
    return _queue("cusolver_pinv", np.linalg.pinv, [(*a.shape[:-2], a.shape[-1], a.shape[-2])], [dtype], a, rcond)[0]


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Norm of vectors or matrices."""
    if not isinstance(x, ndarray):
        raise TypeError(f"Unsupported type {type(x)}")
    dtype = x.dtype if x.dtype.kind in "fc" else np.dtype(np.float64)
    if axis is None:
        axes = tuple(range(x.ndim))
        if ord is not None and x.ndim not in (1, 2):
            raise ValueError("Improper number of dimensions to norm.")
    else:
        axes = np.lib.array_utils.normalize_axis_tuple(axis, x.ndim)
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes)
    return _queue("cupy_norm", np.linalg.norm, [shape], [_real(dtype)], x, ord, axis, keepdims)[0]


def matrix_power(M: Any, n: int) -> Any:
    """A square matrix to an integer power."""
    if not isinstance(M, ndarray) or M.ndim < 2 or M.shape[-1] != M.shape[-2]:
        _matrix(M, True)
    if not isinstance(n, int):
        raise TypeError("exponent must be an integer")
    dtype = M.dtype if n >= 0 else _compute(M.dtype)
    return launch.submit_into("cublas_gemm", launch.empty(M.shape, dtype), np.linalg.matrix_power, M, n)


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """Number of singular values above a tolerance, a 0-d or stacked int64 array."""
    if not isinstance(A, ndarray):
        raise TypeError(f"Unsupported type {type(A)}")
    made = launch.now("cusolver_gesvd", np.linalg.matrix_rank, A, tol, hermitian, rtol=rtol)
    if isinstance(made, ndarray):
        return made

    return array(made)


def matrix_transpose(x: Any, /) -> Any:
    """The last two axes exchanged, a view."""
    return x.mT


def _adapted() -> dict[str, Callable]:
    names = "cond lstsq tensorinv tensorsolve cross".split()
    return {name: running(getattr(np.linalg, name), f"cusolver_{name}") for name in names}


globals().update(_adapted())
__all__ = [
    "LinAlgError", "cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matmul", "matrix_power", "matrix_rank",
    "matrix_transpose", "norm", "pinv", "qr", "slogdet", "solve", "svd", *_adapted(),
]  # fmt: skip
