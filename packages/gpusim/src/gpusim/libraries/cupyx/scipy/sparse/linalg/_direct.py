"""Direct solvers, and the least squares solvers."""

from __future__ import annotations

import warnings
from typing import Any

import cupy
import numpy as np
import scipy.sparse as _sparse
import scipy.sparse.linalg as _scipy
from cupyx._bridge import convert, takes
from cupyx.scipy.sparse import _host
from cupyx.scipy.sparse._base import SparseEfficiencyWarning, issparse

from gpusim.device.thread_warnings import ignored

from ._interface import aslinearoperator
from ._iterative import finish, on_host, system

_MODULE = "cupyx.scipy.sparse.linalg"
_ALL = ignored()


def _square(A: Any, text: str = "A must be a square matrix (A.shape: {})") -> None:
    if not issparse(A):
        raise TypeError("A must be cupyx.scipy.sparse.spmatrix")
    if A.shape[0] != A.shape[1]:
        raise ValueError(text.format(A.shape))


def _solve(host: Any, b: np.ndarray) -> np.ndarray:
    with _ALL:  # cuSOLVER says nothing of a singular matrix
        return _scipy.spsolve(host.tocsc(), b)


@takes(_MODULE)
def spsolve(A: Any, b: Any) -> Any:
    """Solve ``A x = b`` with a sparse square matrix and a dense device array of one or two axes."""
    if not issparse(A):
        raise TypeError("A must be cupyx.scipy.sparse.spmatrix")
    if not _host.is_dense(b):
        raise TypeError("b must be cupy.ndarray")
    _square(A)
    if b.ndim not in (1, 2):
        raise ValueError(f"Invalid b.shape (b.shape: {b.shape})")
    if A.shape[0] != b.shape[0]:
        raise ValueError(f"matrix dimension mismatch (A.shape: {A.shape}, b.shape: {b.shape})")
    if A.format != "csr":
        warnings.warn("CSR format is required. Converting to CSR format.", SparseEfficiencyWarning, stacklevel=3)
    right = convert.down(b.astype(A.dtype, copy=False))
    x = _solve(_host.host(A), right).reshape(b.shape).astype(A.dtype, copy=False)
    return finish("csrlsvqr", (A, b), np.asfortranarray(x), 0)[0]


@takes(_MODULE)
def lsqr(A: Any, b: Any) -> tuple:
    """Solve a square system by QR; the other nine results that SciPy has are None."""
    from cupyx.scipy.sparse import csr_matrix

    if not (issparse(A) and A.format == "csr"):
        A = csr_matrix(A)
    if A.shape[0] != A.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if not _host.is_dense(b):
        raise np.linalg.LinAlgError("cupy.linalg only supports cupy.ndarray")
    if b.ndim != 1 or len(b) != A.shape[0]:
        raise ValueError("b must be 1-d array whose size is same as A")
    x = _solve(_host.host(A).astype(np.float64), convert.down(b.astype(np.float64)))
    if not np.isfinite(x).all():
        x = np.linalg.lstsq(_host.host(A).toarray().astype(np.float64), convert.down(b), rcond=None)[0]
    return finish("csrlsvqr", (A, b), x, 0)[0], *(None,) * 9


@takes(_MODULE)
def lsmr(A: Any, b: Any, x0: Any, damp: float, atol: float, btol: float, conlim: float, maxiter: Any) -> tuple:
    """Least squares by Golub and Kahan's bidiagonalisation; eight results, as SciPy's."""
    there = aslinearoperator(A)
    b = b.squeeze()
    if x0 is not None and x0.shape not in ((there.shape[1],), (there.shape[1], 1)):
        raise ValueError("x0 has incompatible dimensions")
    start = None if x0 is None else convert.down(x0).ravel()
    maxiter = min(there.shape) * 5 if maxiter is None else maxiter
    made = _scipy.lsmr(on_host(A), convert.down(b), damp, atol, btol, conlim, maxiter, x0=start)
    return (*finish("lsmr", (A, b, x0), made[0].astype(np.float64), 0)[:1], *made[1:])


@takes(_MODULE)
def minres(
    A: Any, b: Any, x0: Any, shift: float, tol: float, maxiter: Any, M: Any, callback: Any, check: bool
) -> tuple:
    """Minimal residuals for a symmetric matrix."""
    operands = A, b, x0, M
    A, M, start, b = system(A, M, x0, b)
    back = None if callback is None else (lambda x: callback(convert.up(x)))
    x, info = _scipy.minres(A, b, start, rtol=tol, shift=shift, maxiter=maxiter, M=M, callback=back, check=check)
    return finish("minres", operands, x.astype(b.dtype, copy=False), info)


@takes(_MODULE)
def spsolve_triangular(A: Any, b: Any, lower: bool, overwrite_A: bool, overwrite_b: bool, unit_diagonal: bool) -> Any:
    """Solve with a triangular matrix; the result is in double precision."""
    if not issparse(A):
        raise TypeError("A must be cupyx.scipy.sparse.spmatrix")
    if not _host.is_dense(b):
        raise TypeError("b must be cupy.ndarray")
    _square(A)
    if b.ndim not in (1, 2):
        raise ValueError(f"b must be 1D or 2D array (b.shape: {b.shape})")
    if A.shape[0] != b.shape[0]:
        raise ValueError(
            "The size of dimensions of A must be equal to the size of the first dimension of b "
            f"(A.shape: {A.shape}, b.shape: {b.shape})"
        )
    if A.dtype.char not in "fdFD":
        raise TypeError(f"unsupported dtype (actual: {A.dtype})")
    if A.format not in ("csr", "csc", "coo"):
        warnings.warn("CSR, CSC or COO format is required. Converting to CSR format.", SparseEfficiencyWarning, 3)
    half = (_sparse.tril if lower else _sparse.triu)(_host.host(A).tocsr()).tocsr()
    if unit_diagonal:
        half.setdiag(1.0)
    right = convert.down(b).astype(np.promote_types(A.dtype, b.dtype))
    x = _scipy.spsolve_triangular(half, right, lower=lower)
    wide = np.promote_types(A.dtype, np.float64)
    return finish("cusparseSpSM", (A, b), np.asfortranarray(x.astype(wide, copy=False)), 0)[0]


class SuperLU:
    """A sparse LU decomposition: made on the host from SciPy's, its parts on the device."""

    def __init__(self, obj: Any) -> None:
        from cupyx.scipy.sparse import csr_matrix

        if not isinstance(obj, _scipy.SuperLU):
            raise TypeError("obj must be scipy.sparse.linalg.SuperLU")
        self.shape, self.nnz = obj.shape, obj.nnz
        self.perm_r, self.perm_c = cupy.array(obj.perm_r), cupy.array(obj.perm_c)
        self.L, self.U = csr_matrix(obj.L.tocsr()), csr_matrix(obj.U.tocsr())
        self._host = obj

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """Solve with the matrix, its transpose or its conjugate transpose."""
        if not _host.is_dense(rhs):
            raise TypeError("ojb must be cupy.ndarray")  # CuPy's own spelling
        if rhs.ndim not in (1, 2):
            raise ValueError(f"rhs.ndim must be 1 or 2 (actual: {rhs.ndim})")
        if rhs.shape[0] != self.shape[0]:
            raise ValueError(f"shape mismatch (self.shape: {self.shape}, rhs.shape: {rhs.shape})")
        if trans not in ("N", "T", "H"):
            raise ValueError("trans must be 'N', 'T', or 'H'")
        right = convert.down(rhs.astype(self.L.dtype))
        return finish("cusparseSpSM", (self.L, self.U, rhs), np.asfortranarray(self._host.solve(right, trans)), 0)[0]


def _decompose(name: str, A: Any, **options: Any) -> SuperLU:
    _square(A)
    if A.dtype.char not in "fdFD":
        raise TypeError(f"Invalid dtype (actual: {A.dtype})")
    return SuperLU(getattr(_scipy, name)(A.get().tocsc(), **options))


@takes(_MODULE)
def splu(A: Any, permc_spec: Any, diag_pivot_thresh: Any, relax: Any, panel_size: Any, options: Any) -> SuperLU:
    """The LU decomposition of a square matrix, made on the host as CuPy makes it."""
    options = {} if options is ... else options
    return _decompose(
        "splu", A, permc_spec=permc_spec, diag_pivot_thresh=diag_pivot_thresh, relax=relax, panel_size=panel_size,
        options=options,
    )  # fmt: skip


@takes(_MODULE)
def spilu(
    A: Any, drop_tol: Any, fill_factor: Any, drop_rule: Any, permc_spec: Any, diag_pivot_thresh: Any, relax: Any,
    panel_size: Any, options: Any,
) -> SuperLU:  # fmt: skip
    """An incomplete LU decomposition; ``fill_factor=1`` keeps the matrix's own pattern."""
    options = {} if options is ... else options
    if fill_factor == 1:
        _square(A)
        return _Pattern(A)
    return _decompose(
        "spilu", A, fill_factor=fill_factor, drop_tol=drop_tol, drop_rule=drop_rule, permc_spec=permc_spec,
        diag_pivot_thresh=diag_pivot_thresh, relax=relax, panel_size=panel_size, options=options,
    )  # fmt: skip


class _Pattern(SuperLU):
    """LU without pivoting and without fill-in, as cuSPARSE's csrilu02."""

    def __init__(self, A: Any) -> None:
        from cupyx.scipy.sparse import csr_matrix

        there = A.get().tocsr()
        there.sum_duplicates()
        rows = [dict(zip(there.indices[s:e].tolist(), there.data[s:e], strict=True))
                for s, e in zip(there.indptr[:-1], there.indptr[1:], strict=True)]  # fmt: skip
        for i, row in enumerate(rows):
            for k in sorted(c for c in row if c < i):
                row[k] /= rows[k][k]
                for j in (c for c in row if c > k):
                    row[j] -= row[k] * rows[k].get(j, 0)
        there.data[:] = [row[c] for row in rows for c in sorted(row)]
        lower = _sparse.tril(there, -1) + _sparse.eye(there.shape[0], dtype=there.dtype)
        self.shape, self.nnz, self.perm_r, self.perm_c = A.shape, A.nnz, None, None
        self.L, self.U = csr_matrix(lower.tocsr()), csr_matrix(_sparse.triu(there).tocsr())

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """Solve with the two triangles."""
        if not _host.is_dense(rhs):
            raise TypeError("ojb must be cupy.ndarray")
        steps = [(_host.host(self.L), True), (_host.host(self.U), False)]
        x = convert.down(rhs.astype(self.L.dtype))
        if trans != "N":
            steps = [((m.T.conj() if trans == "H" else m.T).tocsr(), not low) for m, low in reversed(steps)]
        for matrix, low in steps:
            x = _scipy.spsolve_triangular(matrix, x, lower=low)
        return finish("cusparseSpSM", (self.L, self.U, rhs), np.asfortranarray(x), 0)[0]


@takes(_MODULE)
def factorized(A: Any) -> Any:
    """A function that solves with a matrix."""
    return splu(A).solve
