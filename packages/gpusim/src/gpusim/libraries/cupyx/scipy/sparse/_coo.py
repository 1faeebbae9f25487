"""Coordinates."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
import scipy.sparse as _scipy
from cupyx._bridge import convert

from . import _host
from ._arithmetic import Arithmetic
from ._base import _spbase, issparse, sparray, spmatrix


class _coo_base(Arithmetic, _spbase):
    format = "coo"
    _part_names = ("data", "row", "col")
    has_canonical_format = False

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None):
        if maxprint is not None:
            self.maxprint = maxprint
        if shape is not None and len(shape) not in self._allow_nd:
            raise ValueError(self._too_many())
        shape = None if shape is None else _host.check_shape(shape, self._allow_nd)
        parts, shape, copy = self._read(arg1, shape, dtype, copy)
        data, row, col = parts
        dtype = data.dtype if dtype is None else np.dtype(dtype)
        if not _host.is_data(dtype):
            raise ValueError(_host.ONLY)
        data = data.astype(dtype, copy=copy)
        kind = _host.index_dtype((row, col), None if shape is None else max(shape), not self._is_array)
        row, col = row.astype(kind, copy=copy), col.astype(kind, copy=copy)
        if shape is None and not len(row):
            raise ValueError("cannot infer dimensions from zero sized index arrays")
        self._set((data, row, col), self._bounds(row, col, shape) if len(data) else shape)

    def _too_many(self) -> str:
        if 1 in self._allow_nd:
            return "Only 1-D and 2-D sparse arrays are supported."
        return "Only two-dimensional sparse arrays are supported."

    def _bounds(self, row: Any, col: Any, shape: Any) -> tuple:
        one = self._one_axis if shape is None else len(shape) == 1
        ends = cupy.stack([row.max(), col.max(), row.min(), col.min()]).get()
        if shape is None:
            shape = (int(ends[1]) + 1,) if one else (int(ends[0]) + 1, int(ends[1]) + 1)
        if not one and ends[0] >= shape[0]:
            raise ValueError("row index exceeds matrix dimensions")
        if ends[1] >= shape[-1]:
            raise ValueError("column index exceeds matrix dimensions")
        if ends[2] < 0:
            raise ValueError("negative row index found")
        if ends[3] < 0:
            raise ValueError("negative column index found")
        return shape

    def _read(self, arg1: Any, shape: Any, dtype: Any, copy: bool) -> tuple[tuple, Any, bool]:
        self._one_axis = False
        if issparse(arg1) or _scipy.issparse(arg1):
            if shape is not None and len(shape) != arg1.ndim:
                raise ValueError(f"cannot use a {len(shape)}-D shape {shape} with a {arg1.ndim}-D input array")
            there = arg1.asformat("coo") if issparse(arg1) else _host.lift(arg1.tocoo())
            self.has_canonical_format = bool(there.has_canonical_format)
            parts = there.data, there.row, there.col
            return parts, arg1.shape if shape is None else shape, copy and there is arg1
        if _host.is_shape(arg1, self._allow_nd):
            shape = _host.check_shape(arg1, self._allow_nd)
            kind = _host.index_dtype(maxval=max(shape))
            self.has_canonical_format = True
            return (cupy.zeros(0, dtype if dtype else "d"), cupy.zeros(0, kind), cupy.zeros(0, kind)), shape, False
        if isinstance(arg1, tuple) and len(arg1) == 2 and not np.isscalar(arg1[1]):
            return self._read_parts(arg1, shape), shape, copy
        if _host.is_dense(arg1):
            return self._read_dense(arg1, shape)
        if self._is_array and isinstance(arg1, tuple) and arg1 and all(isinstance(n, int) for n in arg1):
            raise ValueError(self._too_many())
        raise TypeError("invalid input format")

    def _read_parts(self, parts: tuple, shape: Any) -> tuple:
        data, coordinates = parts
        if _host.is_dense(coordinates) and coordinates.ndim != 2:
            raise TypeError("invalid input format")
        try:
            coordinates = tuple(coordinates)
        except TypeError:
            raise TypeError("invalid input format") from None
        one = len(coordinates) == 1 and 1 in self._allow_nd
        if not one and len(coordinates) != 2:
            raise ValueError("invalid number of coordinate arrays")
        if not all(_host.is_dense(p) and p.ndim == 1 for p in (data, *coordinates)):
            what = "coordinate and data arrays" if one else "row, column, and data arrays"
            raise ValueError(f"{what} must be 1-D")
        if len({len(p) for p in (data, *coordinates)}) != 1:
            what = "coordinate and data array" if one else "row, column, and data array"
            raise ValueError(f"{what} must all be the same length")
        if shape is not None and len(shape) != len(coordinates):
            raise ValueError(
                f"mismatching number of index arrays for shape; got {len(coordinates)}, expected {len(shape)}"
            )
        self._one_axis = one
        return (data, cupy.zeros_like(coordinates[0]), coordinates[0]) if one else (data, *coordinates)

    def _read_dense(self, dense: Any, shape: Any) -> tuple[tuple, Any, bool]:
        if dense.ndim > 2:
            raise TypeError("expected dimension <= 2 array or matrix")
        if dense.ndim == 0 and self._is_array:
            name = type(self).__name__
            raise TypeError(f"{name} does not support scalar (0-D) input; provide a 1-D or 2-D array")
        if shape is not None and dense.ndim and len(shape) != dense.ndim:
            raise ValueError(f"cannot use a {len(shape)}-D shape {shape} with a {dense.ndim}-D input array")
        self.has_canonical_format = True
        if dense.ndim == 1 and 1 in self._allow_nd:
            col = dense.nonzero()[0]
            self._one_axis = True
            return (dense[col], cupy.zeros_like(col), col), dense.shape, False
        dense = cupy.atleast_2d(dense)
        row, col = dense.nonzero()
        return (dense[row, col], row, col), dense.shape, False

    @property
    def coords(self) -> tuple:
        """The coordinate arrays."""
        return (self.col,) if self.ndim == 1 else (self.row, self.col)

    @coords.setter
    def coords(self, value: tuple) -> None:
        if not isinstance(value, tuple) or len(value) != self.ndim:
            raise ValueError(f"coords must be a {self.ndim}-tuple of arrays")
        if self.ndim == 1:
            (self.col,) = value
            self.row = cupy.zeros_like(self.col)
        else:
            self.row, self.col = value

    def __getitem__(self, key: Any) -> Any:
        if not self._is_array:
            raise TypeError(f"'{type(self).__name__}' object is not subscriptable")
        made = self.tocsr()[key]
        if issparse(made):
            return made.tocoo()
        return type(self)(made) if made.ndim >= 1 else made

    def _getnnz(self, axis: Any = None) -> Any:
        if axis is None:
            return int(self.data.size)
        raise NotImplementedError("getnnz over an axis is not implemented for COO format")

    def _take(self, there: Any) -> None:
        made = _host.lift(there, self._is_array)
        self.data, self.row, self.col = made.data, made.row, made.col

    def sum_duplicates(self) -> None:
        """Sum elements with the same coordinates and sort by rows, in place."""
        if self.has_canonical_format:
            return
        there = _host.host_copy(self)
        there.sum_duplicates()
        self._take(there)
        order = cupy.lexsort(cupy.stack([self.col, self.row]))
        self.data, self.row, self.col = self.data[order], self.row[order], self.col[order]
        self.has_canonical_format = True

    def eliminate_zeros(self) -> None:
        """Drop stored zeros in place."""
        kept = self.data != 0
        self.data, self.row, self.col = self.data[kept], self.row[kept], self.col[kept]

    def setdiag(self, values: Any, k: int = 0) -> None:
        """Set a diagonal in place, from a number or a device array."""
        self._require_2d("setdiag")
        rows, cols = self.shape
        if (k > 0 and k >= cols) or (k < 0 and -k >= rows):
            raise ValueError("k exceeds matrix dimensions")
        values = cupy.asarray(values, dtype=self.dtype)
        if values.ndim > 1:
            raise ValueError("values must be 0-d or 1-d")
        if values.ndim and not len(values):
            return
        there = _host.host_copy(self)
        there.setdiag(convert.down(values), k)
        self._take(there)
        self.has_canonical_format = False

    def count_nonzero(self, axis: Any = None) -> Any:
        """Number of elements that are not zero, in all or along an axis."""
        self.sum_duplicates()
        if axis is None or self.ndim == 1:
            return int(cupy.count_nonzero(self.data))
        axis = axis + 2 if axis < 0 else axis
        if not 0 <= axis < 2:
            raise ValueError("axis out of bounds")
        return self._compute("count_nonzero", lambda a: np.asarray(a.count_nonzero(axis=axis)))

    def tocoo(self, copy: bool = False) -> Any:
        """Itself, or a copy."""
        return self.copy() if copy else self

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """The transpose, on the same memory."""
        self._check_axes(axes)
        there = self.copy() if copy else self
        if self.ndim == 1:
            return there
        return type(self)._make((there.data, there.col, there.row), self.shape[::-1])

    def dot(self, other: Any) -> Any:
        """The matrix product; a number scales."""
        return self._with_data(self.data * other) if _host.is_scalar(other) else self @ other


class coo_matrix(spmatrix, _coo_base):
    """Coordinates, as a matrix."""


class coo_array(_coo_base, sparray):
    """Coordinates, as an array of one or two axes."""

    _allow_nd = (1, 2)
