"""Sparse matrices and arrays whose parts lie in device memory; SciPy computes on views of them."""

from __future__ import annotations

from typing import Any

import scipy.sparse as _scipy
from cupyx._bridge import convert as _convert

from . import _construct, _host
from ._base import SparseEfficiencyWarning, SparseWarning, _spbase, issparse, isspmatrix, sparray, spmatrix
from ._compressed import csc_array, csc_matrix, csr_array, csr_matrix
from ._coo import coo_array, coo_matrix
from ._dia import dia_array, dia_matrix

_NAMES = (
    "bmat block_array block_diag diags diags_array eye eye_array find get_index_dtype hstack identity kron kronsum "
    "matrix_transpose permute_dims rand random random_array safely_cast_index_arrays spdiags swapaxes tril triu vstack"
).split()
globals().update({name: getattr(_construct, name) for name in _NAMES})


def isspmatrix_csr(x: Any) -> bool:
    """Whether something is a csr_matrix on the device."""
    return isinstance(x, csr_matrix)


def isspmatrix_csc(x: Any) -> bool:
    """Whether something is a csc_matrix on the device."""
    return isinstance(x, csc_matrix)


def isspmatrix_coo(x: Any) -> bool:
    """Whether something is a coo_matrix on the device."""
    return isinstance(x, coo_matrix)


def isspmatrix_dia(x: Any) -> bool:
    """Whether something is a dia_matrix on the device."""
    return isinstance(x, dia_matrix)


_convert.register(_spbase, lambda value, visit: _host.host(value), None, None)
for _cls in (_scipy.spmatrix, _scipy.sparray):
    _convert.register(None, None, _cls, lambda value, visit: _host.lift(value))

__all__ = [
    *_NAMES, "SparseEfficiencyWarning", "SparseWarning", "coo_array", "coo_matrix", "csc_array", "csc_matrix", "csr_array",
    "csr_matrix", "dia_array", "dia_matrix", "issparse", "isspmatrix", "isspmatrix_coo", "isspmatrix_csc",
    "isspmatrix_csr", "isspmatrix_dia", "sparray", "spmatrix",
]  # fmt: skip
