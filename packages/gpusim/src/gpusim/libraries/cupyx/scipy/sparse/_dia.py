"""Diagonals."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
import scipy.sparse as _scipy

from . import _host
from ._arithmetic import Arithmetic
from ._base import _spbase, sparray, spmatrix


class _dia_base(Arithmetic, _spbase):
    format = "dia"
    _part_names = ("data", "offsets")

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None):
        if maxprint is not None:
            self.maxprint = maxprint
        if _scipy.issparse(arg1):
            there = arg1.todia()
            data, offsets, shape, dtype, copy = there.data, there.offsets, there.shape, there.dtype, False
        elif isinstance(arg1, tuple):
            data, offsets = arg1
            if shape is None:
                raise ValueError("expected a shape argument")
        else:
            raise ValueError("unrecognized form for dia_matrix constructor")
        data = cupy.atleast_2d(cupy.array(data, dtype=dtype, copy=copy or None))
        kind = _host.index_dtype(maxval=max(shape))
        offsets = cupy.atleast_1d(cupy.array(offsets, dtype=kind, copy=copy or None))
        if offsets.ndim != 1:
            raise ValueError("offsets array must have rank 1")
        if data.ndim != 2:
            raise ValueError("data array must have rank 2")
        if data.shape[0] != len(offsets):
            raise ValueError(
                f"number of diagonals ({data.shape[0]}) does not match the number of offsets ({len(offsets)})"
            )
        if len(np.unique(offsets.get())) != len(offsets):
            raise ValueError("offset array contains duplicate values")
        self._set((data, offsets), _host.check_shape(shape))

    def _getnnz(self, axis: Any = None) -> Any:
        if axis is not None:
            raise NotImplementedError("getnnz over an axis is not implemented for DIA format")
        rows, cols = self.shape
        width = min(self.data.shape[1], cols)
        return sum(max(min(rows + int(o), width) - max(int(o), 0), 0) for o in self.offsets.get())

    def count_nonzero(self, axis: Any = None) -> int:
        """Number of elements that are not zero."""
        if axis is not None:
            raise NotImplementedError("count_nonzero over an axis is not implemented for DIA format")
        return int(_host.host(self).count_nonzero())

    def todia(self, copy: bool = False) -> Any:
        """Itself, or a copy."""
        return self.copy() if copy else self

    def tocsc(self, copy: bool = False) -> Any:
        """As compressed columns, without stored zeros."""

        def run(a: Any) -> Any:
            made = a.tocsc()
            made.eliminate_zeros()
            return made

        return self._compute("dia2csc", run, form="csc")

    def tocsr(self, copy: bool = False) -> Any:
        """As compressed rows, without stored zeros."""
        return self.tocsc().tocsr()

    def tocoo(self, copy: bool = False) -> Any:
        """As coordinates, without stored zeros."""
        return self.tocsr().tocoo()


class dia_matrix(spmatrix, _dia_base):
    """Diagonals, as a matrix."""


class dia_array(_dia_base, sparray):
    """Diagonals, as an array."""
