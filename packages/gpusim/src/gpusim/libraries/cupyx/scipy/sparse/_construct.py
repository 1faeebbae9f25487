"""Making sparse matrices on the device."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
import scipy.sparse as _scipy
from cupyx._bridge import takes

from gpusim.device import queue

from . import _host
from ._base import issparse, sparray
from ._coo import coo_array, coo_matrix
from ._dia import dia_matrix

_MODULE = "cupyx.scipy.sparse"


def _arrays(*matrices: Any) -> bool:
    return any(isinstance(a, sparray) for a in matrices)


def _coo(*matrices: Any) -> type:
    return coo_array if _arrays(*matrices) else coo_matrix


@takes(_MODULE)
def eye(m: int, n: Any, k: int, dtype: Any, format: Any) -> Any:
    """Ones on a diagonal; diagonals unless a format is asked for."""
    n = m if n is None else n
    m, n = int(m), int(n)
    if m == n and k == 0 and format in ("csr", "csc", "coo"):
        kind = _host.index_dtype(maxval=m)
        along, ones = cupy.arange(n, dtype=kind), cupy.ones(n, dtype=dtype)
        cls = _host.classes[f"{format}_matrix"]
        if format == "coo":
            return cls((ones, (along, along.copy())), (n, n))
        return cls((ones, along, cupy.arange(n + 1, dtype=kind)), (n, n))
    return spdiags(cupy.ones((1, max(0, min(m + k, n))), dtype=dtype), k, m, n).asformat(format)


@takes(_MODULE)
def identity(n: int, dtype: Any, format: Any) -> Any:
    """Ones on the main diagonal."""
    return eye(n, n, dtype=dtype, format=format)


@takes(_MODULE)
def spdiags(data: Any, diags: Any, m: int, n: int, format: Any) -> Any:
    """A matrix of diagonals, one a row of ``data``."""
    return dia_matrix((data, diags), shape=(m, n)).asformat(format)


@takes(_MODULE)
def diags(diagonals: Any, offsets: Any, shape: Any, format: Any, dtype: Any) -> Any:
    """A matrix of diagonals of their own lengths."""
    if _host.is_scalar(offsets):
        if len(diagonals) and not _host.is_scalar(diagonals[0]):
            raise ValueError("Different number of diagonals and offsets.")
        diagonals = [cupy.atleast_1d(cupy.asarray(diagonals))]
    else:
        diagonals = [cupy.atleast_1d(cupy.asarray(d)) for d in diagonals]
    offsets = np.atleast_1d(offsets.get() if _host.is_dense(offsets) else offsets)
    if len(diagonals) != len(offsets):
        raise ValueError("Different number of diagonals and offsets.")
    if dtype is None:
        dtype = cupy.common_type(*diagonals)
    dtype = np.dtype(dtype)

    def run(*rows: np.ndarray) -> Any:
        size = shape if shape is not None else (len(rows[0]) + abs(int(offsets[0])),) * 2
        return _scipy.diags(rows, offsets, size, format="dia", dtype=dtype)

    made = _host.compute("diags", run, *diagonals, array=False, form="dia")
    return made.asformat(format)


def _blocks(blocks: Any) -> tuple[list, list]:
    rows = [[b if b is None or issparse(b) else coo_matrix(b) for b in row] for row in blocks]
    return rows, [b for row in rows for b in row if b is not None]


@takes(_MODULE)
def bmat(blocks: Any, format: Any, dtype: Any) -> Any:
    """A matrix of blocks; None stands for zeros."""
    rows, flat = _blocks(blocks)
    if not flat:
        return coo_matrix((0, 0), dtype=dtype)
    column = len(rows[0]) == 1 and format in (None, "csr") and all(b.format == "csr" for b in flat)
    line = len(rows) == 1 and format in (None, "csc") and all(b.format == "csc" for b in flat)
    form = "csr" if column else "csc" if line else "coo"
    queue.run()
    array = _arrays(*flat)
    host = [[None if b is None else _host.host(b) for b in row] for row in rows]
    made = _scipy.block_array(host, format=form, dtype=dtype)
    made = _host.lift(made, array)
    _host.count("cusparse_bmat", flat, made)
    if form == "coo":
        made.has_canonical_format = False
    return made.asformat(format)


@takes(_MODULE)
def hstack(blocks: Any, format: Any, dtype: Any) -> Any:
    """Matrices side by side."""
    return bmat([[_two(b) for b in blocks]], format=format, dtype=dtype)


@takes(_MODULE)
def vstack(blocks: Any, format: Any, dtype: Any) -> Any:
    """Matrices one above the other."""
    return bmat([[_two(b)] for b in blocks], format=format, dtype=dtype)


def _two(b: Any) -> Any:
    return b.reshape((1, b.shape[0])).asformat(b.format) if issparse(b) and b.ndim == 1 else b


@takes(_MODULE)
def kron(A: Any, B: Any, format: Any) -> Any:
    """The Kronecker product."""
    cls = _coo(A, B)
    A, B = cls(A), cls(B)
    made = _host.compute("kron", lambda a, b: _scipy.kron(a, b, "coo"), A, B, array=_arrays(A, B), form="coo")
    return made.asformat(format)


@takes(_MODULE)
def kronsum(A: Any, B: Any, format: Any) -> Any:
    """The Kronecker sum of two square matrices."""
    cls = _coo(A, B)
    A, B = cls(A), cls(B)
    for name, m in (("A", A), ("B", B)):
        if m.shape[0] != m.shape[1]:
            raise ValueError(f"{name} is not square matrix")
    dtype = np.result_type(A.dtype, B.dtype)
    left = kron(eye(B.shape[0], dtype=dtype), A)
    return (left + kron(B, eye(A.shape[0], dtype=dtype))).asformat(format)


@takes(_MODULE)
def block_diag(mats: Any, format: Any, dtype: Any) -> Any:
    """Matrices along the diagonal."""

    def crossed(a: Any) -> Any:
        if issparse(a):
            return a
        a = cupy.atleast_2d(cupy.asarray(a))
        return coo_matrix(a if _host.is_data(a.dtype) else a.astype(np.float64))

    array = _arrays(*mats)
    blocks = [crossed(a) for a in mats]
    made = _host.compute("block_diag", lambda *b: _scipy.block_diag(b, "coo", dtype), *blocks, array=array, form="coo")
    return made.asformat(format)


@takes(_MODULE)
def random(m: int, n: int, density: float, format: str, dtype: Any, random_state: Any, data_rvs: Any) -> Any:
    """Uniform numbers in [0, 1) at random places; float32 or float64."""
    if density < 0 or density > 1:
        raise ValueError("density expected to be 0 <= density <= 1")
    dtype = np.dtype(dtype)
    if dtype.char not in "fd":
        raise NotImplementedError(f"type {dtype} not supported")
    count = int(density * m * n)
    if random_state is None:
        random_state = cupy.random
    elif isinstance(random_state, (int, np.integer)):
        random_state = cupy.random.RandomState(random_state)
    data_rvs = random_state.rand if data_rvs is None else data_rvs
    places = random_state.choice(m * n, size=count, replace=False)
    places = places.astype(_host.index_dtype(maxval=m * n - 1), copy=False)
    col = places // m
    return coo_matrix((data_rvs(count).astype(dtype), (places - col * m, col)), shape=(m, n)).asformat(format)


@takes(_MODULE)
def rand(m: int, n: int, density: float, format: str, dtype: Any, random_state: Any) -> Any:
    """As :func:`random`."""
    return random(m, n, density, format, dtype, random_state)


def _as_array(matrix: Any, format: Any) -> Any:
    if matrix._is_array:
        return matrix.asformat(format)
    return _host.lift(_host.host(matrix), True, format or matrix.format)


@takes(_MODULE)
def random_array(shape: Any, *, density: float, format: str, dtype: Any, rng: Any, data_sampler: Any) -> Any:
    """As :func:`random`, an array."""
    m, n = (1, shape[0]) if len(shape) == 1 else shape
    state = rng if rng is None or isinstance(rng, (int, np.integer)) or hasattr(rng, "rand") else None
    sampler = None if data_sampler is None else (lambda count: data_sampler(size=count))
    made = _as_array(random(m, n, density, "coo", dtype, state, sampler), "coo")
    return made.reshape(tuple(shape)).asformat(format)


@takes(_MODULE)
def eye_array(m: int, n: Any, *, k: int, dtype: Any, format: Any) -> Any:
    """As :func:`eye`, an array."""
    return _as_array(eye(m, n, k=k, dtype=np.dtype(dtype), format=format), format)


@takes(_MODULE)
def diags_array(diagonals: Any, *, offsets: Any, shape: Any, format: Any, dtype: Any) -> Any:
    """As :func:`diags`, an array."""
    return _as_array(diags(diagonals, offsets=offsets, shape=shape, format=format, dtype=dtype), format)


@takes(_MODULE)
def block_array(blocks: Any, *, format: Any, dtype: Any) -> Any:
    """As :func:`bmat`, an array."""
    return _as_array(bmat(blocks, format=format, dtype=dtype), format)


def _sparse(A: Any, name: str) -> None:
    if not issparse(A):
        raise TypeError(f"{name} expected a sparse object")


@takes(_MODULE)
def matrix_transpose(A: Any) -> Any:
    """The transpose."""
    _sparse(A, "matrix_transpose")
    return A.transpose()


@takes(_MODULE)
def swapaxes(A: Any, axis1: int, axis2: int) -> Any:
    """The same with two axes exchanged."""
    _sparse(A, "swapaxes")
    if not (-2 <= axis1 < 2 and -2 <= axis2 < 2):
        raise ValueError("axis out of range for 2-D sparse object")
    return A.copy() if axis1 % 2 == axis2 % 2 else A.transpose()


@takes(_MODULE)
def permute_dims(A: Any, axes: Any, copy: bool) -> Any:
    """The same with its axes in another order."""
    _sparse(A, "permute_dims")
    axes = (1, 0) if axes is None else tuple(a + 2 if a < 0 else a for a in axes)
    if sorted(axes) != [0, 1]:
        raise ValueError("axes must be a permutation of (0, 1)")
    if axes == (0, 1):
        return A.copy() if copy else A
    return A.transpose(copy=copy)


def _check(A: Any) -> None:
    if not (_host.is_dense(A) or issparse(A)):
        raise TypeError("A must be cupy.ndarray or cupyx.scipy.sparse")


@takes(_MODULE)
def find(A: Any) -> tuple:
    """Rows, columns and values of the elements that are not zero."""
    _check(A)
    A = _coo(A)(A, copy=True)
    A.sum_duplicates()
    kept = A.data != 0
    return A.row[kept], A.col[kept], A.data[kept]


def _triangle(A: Any, format: Any, keep: Any) -> Any:
    _check(A)
    A = _coo(A)(A, copy=False)
    kept = keep(A.row, A.col)
    return type(A)._make((A.data[kept], A.row[kept], A.col[kept]), A.shape).asformat(format)


@takes(_MODULE)
def tril(A: Any, k: int, format: Any) -> Any:
    """The lower triangle."""
    return _triangle(A, format, lambda row, col: row + k >= col)


@takes(_MODULE)
def triu(A: Any, k: int, format: Any) -> Any:
    """The upper triangle."""
    return _triangle(A, format, lambda row, col: row + k <= col)


@takes(_MODULE)
def get_index_dtype(arrays: Any, maxval: Any, check_contents: bool) -> Any:
    """int32 where indices fit, else int64."""
    return _host.index_dtype(arrays, maxval, check_contents)


@takes(_MODULE)
def safely_cast_index_arrays(A: Any, idx_dtype: Any, msg: str) -> Any:
    """The index arrays as another type, or ValueError where they do not fit."""
    idx_dtype = np.dtype(idx_dtype)
    limit, what = np.iinfo(idx_dtype).max, msg or f"dtype {idx_dtype}"
    if A.format in ("csr", "csc"):
        if int(A.indptr[-1]) > limit:
            raise ValueError(f"indptr values too large for {what}")
        names, kind = ("indices", "indptr"), "indices"
    elif A.format == "coo":
        names, kind = ("row", "col"), "coords"
    elif A.format == "dia":
        names, kind = ("offsets",), "offsets"
    else:
        raise TypeError(f"Format {A.format} is not associated with index arrays.")
    parts = [getattr(A, name) for name in names]
    if max(A.shape) > limit and any(p.size and int(p.max()) > limit for p in parts):
        raise ValueError(f"{kind} values too large for {what}")
    cast = tuple(p.astype(idx_dtype, copy=False) for p in parts)
    return cast if len(cast) > 1 else cast[0]
