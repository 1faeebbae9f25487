"""Eigenvalues, singular values and norms."""

from __future__ import annotations

import operator
from typing import Any

import cupy
import numpy as np
import scipy.sparse.linalg as _scipy
from cupyx._bridge import convert, takes
from cupyx.scipy.sparse import _host
from cupyx.scipy.sparse._base import issparse

from ._iterative import on_host

_MODULE = "cupyx.scipy.sparse.linalg"


def _send(name: str, operands: tuple, *results: Any) -> Any:
    made = [convert.up(r) for r in results]
    _host.count(f"cupyx_{name}", operands, made)
    return made[0] if len(made) == 1 else tuple(made)


def _check_k(k: int, n: int) -> None:
    if k <= 0:
        raise ValueError(f"k must be greater than 0 (actual: {k})")
    if k >= n:
        raise ValueError(f"k must be smaller than n (actual: {k})")


@takes(_MODULE)
def eigsh(a: Any, k: int, *, which: str, v0: Any, ncv: Any, maxiter: Any, tol: float, return_eigenvectors: bool) -> Any:
    """Some eigenvalues of a symmetric or Hermitian matrix, ascending; ``which`` is LM, LA or SA."""
    n = a.shape[0]
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"expected square matrix (shape: {a.shape})")
    if a.dtype.char not in "fdFD":
        raise TypeError(f"unsupprted dtype (actual: {a.dtype})")  # CuPy's own spelling
    _check_k(k, n)
    if which not in ("LM", "LA", "SA"):
        raise ValueError(f"which must be 'LM','LA'or'SA' (actual: {which})")
    start = None if v0 is None else convert.down(v0)
    values, vectors = _eigen(on_host(a), k, which, start, tol)
    if a.dtype.kind != "c":
        values, vectors = values.real, vectors.real
    if not return_eigenvectors:
        return _send("eigsh", (a, v0), values)
    return _send("eigsh", (a, v0), values, vectors.astype(a.dtype, copy=False))


def _eigen(a: Any, k: int, which: str, v0: Any, tol: float) -> tuple[np.ndarray, np.ndarray]:
    n = a.shape[0]
    if n <= 200 and not isinstance(a, _scipy.LinearOperator):
        dense = a.toarray() if hasattr(a, "toarray") else a
        values, vectors = np.linalg.eigh(dense)
        keep = {"LM": np.argsort(np.abs(values))[n - k :], "LA": np.arange(n - k, n), "SA": np.arange(k)}[which]
        keep = np.sort(keep)
        return values[keep], vectors[:, keep]
    values, vectors = _scipy.eigsh(a, k, which=which, v0=v0, tol=tol)
    order = np.argsort(values)
    return values[order], vectors[:, order]


@takes(_MODULE)
def svds(a: Any, k: int, *, ncv: Any, tol: float, which: str, maxiter: Any, return_singular_vectors: bool) -> Any:
    """The largest singular values, ascending."""
    if a.ndim != 2:
        raise ValueError(f"expected 2D (shape: {a.shape})")
    if a.dtype.char not in "fdFD":
        raise TypeError(f"unsupprted dtype (actual: {a.dtype})")  # CuPy's own spelling
    m, n = a.shape
    if k <= 0:
        raise ValueError(f"k must be greater than 0 (actual: {k})")
    if k >= min(m, n):
        raise ValueError(f"k must be smaller than min(m, n) (actual: {k})")
    there = on_host(a)
    if min(m, n) <= 200 and not isinstance(there, _scipy.LinearOperator):
        dense = there.toarray() if hasattr(there, "toarray") else there
        u, s, vt = np.linalg.svd(dense, full_matrices=False)
        u, s, vt = u[:, :k][:, ::-1], s[:k][::-1], vt[:k][::-1]
    else:
        u, s, vt = _scipy.svds(there, k, tol=tol)
        order = np.argsort(s)
        u, s, vt = u[:, order], s[order], vt[order]
    return _send("svds", (a,), u, s, vt) if return_singular_vectors else _send("svds", (a,), s)


@takes(_MODULE)
def lobpcg(
    A: Any, X: Any, B: Any, M: Any, Y: Any, tol: Any, maxiter: Any, largest: bool, verbosityLevel: int,
    retLambdaHistory: bool, retResidualNormsHistory: bool,
) -> Any:  # fmt: skip
    """Locally optimal block preconditioned conjugate gradients."""
    if X.ndim != 2:
        raise ValueError("expected rank-2 array for argument X")
    operands = (on_host(A), convert.down(X), on_host(B), on_host(M), None if Y is None else convert.down(Y))
    made = _scipy.lobpcg(
        *operands, tol=tol, maxiter=20 if maxiter is None else maxiter, largest=largest, verbosityLevel=verbosityLevel,
        retLambdaHistory=retLambdaHistory, retResidualNormsHistory=retResidualNormsHistory,
    )  # fmt: skip
    made = convert.up(made)
    _host.count("cupyx_lobpcg", (A, X, B, M, Y), [each for each in made if _host.is_dense(each)])
    return made


@takes(_MODULE)
def norm(x: Any, ord: Any, axis: Any) -> Any:
    """A norm of a sparse matrix, or of its rows or columns."""
    if not issparse(x):
        raise TypeError(f"input must be a cupyx.scipy.sparse matrix or array, got {type(x).__name__}")
    if axis is None and ord in (None, "fro", "f"):
        return cupy.linalg.norm(cupy.abs(x.data))
    return _send("norm", (x,), _scipy.norm(on_host(x.tocsr()), ord, axis))


# Powers of sparse matrices.


@takes("cupyx.scipy.sparse.linalg")
def matrix_power(A: Any, power: int) -> Any:
    """A square matrix to a non-negative integer power."""
    from cupyx.scipy import sparse

    if A.shape[0] != A.shape[1]:
        raise TypeError("sparse matrix is not square")
    try:
        power = operator.index(power)
    except TypeError:
        raise ValueError("exponent must be an integer") from None
    if power < 0:
        raise ValueError("exponent must be >= 0")
    if power == 0:
        one = sparse.eye_array if isinstance(A, sparse.sparray) else sparse.identity
        return one(A.shape[0], dtype=A.dtype, format="csr")
    if power == 1:
        return A.copy()
    half = matrix_power(A, power // 2)
    return A @ half @ half if power % 2 else half @ half
