"""Compressed rows and columns."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
import scipy.sparse as _scipy
from cupyx._bridge import convert

from . import _host
from ._arithmetic import Arithmetic, _axis, _validate_axis
from ._base import _spbase, issparse, sparray, spmatrix


class _compressed(Arithmetic, _spbase):
    _part_names = ("data", "indices", "indptr")
    _major = 0

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, *, maxprint: Any = None):
        if maxprint is not None:
            self.maxprint = maxprint
        parts, shape, copy = self._read(arg1, shape, dtype, copy)
        data, indices, indptr = parts
        dtype = data.dtype if dtype is None else np.dtype(dtype)
        if not _host.is_data(dtype):
            raise ValueError(_host.ONLY)
        data = data.astype(dtype, copy=copy)
        if copy:
            indices, indptr = indices.copy(), indptr.copy()
        if shape is None:
            minor = int(indices.max()) + 1
            shape = (len(indptr) - 1, minor) if self._major == 0 else (minor, len(indptr) - 1)
        major = 1 if len(shape) == 1 else shape[self._major]
        if len(indptr) != major + 1:
            raise ValueError(f"index pointer size ({len(indptr)}) should be ({major + 1})")
        self._set((data, indices, indptr), shape)

    def _read(self, arg1: Any, shape: Any, dtype: Any, copy: bool) -> tuple[tuple, Any, bool]:
        if shape is not None:
            shape = _host.check_shape(shape, self._allow_nd)
        if _host.is_dense(arg1) or _host.is_shape(arg1, self._allow_nd) or _scipy.issparse(arg1) or issparse(arg1):
            ndim = arg1.ndim if hasattr(arg1, "ndim") else len(arg1)
            if ndim == 1 and self._is_array and 1 not in self._allow_nd:
                raise ValueError(
                    f"{type(self).__name__} does not support 1D input; use a 2D shape or coo_array / csr_array"
                )
        if issparse(arg1) and arg1.ndim == 1 and shape is not None and shape != arg1.shape:
            arg1 = self._class("coo")(arg1, shape=shape)
        if issparse(arg1):
            there = arg1.asformat(self.format)
            parts = tuple(getattr(there, name) for name in self._part_names)
            return parts, arg1.shape if shape is None else shape, copy and arg1.format == self.format
        if _host.is_shape(arg1, self._allow_nd):
            shape = _host.check_shape(arg1, self._allow_nd)
            kind = _host.index_dtype(maxval=max(shape))
            major = 1 if len(shape) == 1 else shape[self._major]
            empty = cupy.zeros(0, dtype if dtype else "d"), cupy.zeros(0, kind), cupy.zeros(major + 1, kind)
            return empty, shape, False
        if _scipy.issparse(arg1):
            there = arg1.asformat(self.format)
            parts = tuple(cupy.array(getattr(there, name)) for name in self._part_names)
            return parts, arg1.shape if shape is None else shape, False
        if isinstance(arg1, tuple) and len(arg1) == 2:
            there = self._class("coo")(arg1, shape=shape, dtype=dtype, copy=copy).asformat(self.format)
            return tuple(getattr(there, name) for name in self._part_names), there.shape, False
        if isinstance(arg1, tuple) and len(arg1) == 3:
            return self._read_parts(arg1, shape), shape, copy
        if _host.is_dense(arg1):
            return self._read_dense(arg1, shape)
        raise ValueError("Unsupported initializer format")

    def _read_parts(self, parts: tuple, shape: Any) -> tuple:
        data, indices, indptr = parts
        if not all(_host.is_dense(p) and p.ndim == 1 for p in parts):
            raise ValueError("data, indices, and indptr must be 1-D cupy arrays")
        if len(data) != len(indices):
            raise ValueError("indices and data should have the same size")
        if indptr.size:
            ends = indptr[[0, -1]].get()
            if ends[0] != 0:
                raise ValueError(f"index pointer should start with 0 (got {ends[0]})")
            if ends[1] > data.size:
                raise ValueError(f"last index pointer ({ends[1]}) exceeds the size of data/indices ({data.size})")
            data, indices = data[: int(ends[1])], indices[: int(ends[1])]
        kind = _host.index_dtype((indices, indptr), None if shape is None else max(shape), not self._is_array)
        return data, indices.astype(kind, copy=False), indptr.astype(kind, copy=False)

    def _read_dense(self, dense: Any, shape: Any) -> tuple[tuple, Any, bool]:
        if dense.ndim > 2:
            raise ValueError("expected dimension <= 2 array or matrix")
        if dense.ndim == 0 and self._is_array:
            kind = TypeError if 1 in self._allow_nd else ValueError
            wanted = "a 1-D or 2-D array" if 1 in self._allow_nd else "a 2-D array"
            raise kind(f"{type(self).__name__} does not support scalar (0-D) input; provide {wanted}")
        if not _host.is_data(dense.dtype):
            raise ValueError(_host.ONLY)
        make = getattr(_scipy, f"{self.format}_{_host.kind_name(self._is_array)}")
        there = make(convert.down(dense if dense.ndim == 1 and 1 in self._allow_nd else cupy.atleast_2d(dense)))
        made = _host.lift(there)
        _host.count("cusparse_denseToSparse", dense, made)
        return (made.data, made.indices, made.indptr), made.shape if shape is None else shape, False

    # state

    def _mutate(self, function: Any) -> None:
        """Let SciPy change a copy, and take over its parts."""
        there = _host.host_copy(self)
        function(there)
        made = _host.lift(there, self._is_array)
        self.data, self.indices, self.indptr = made.data, made.indices, made.indptr

    @property
    def has_sorted_indices(self) -> bool:
        """Whether indices ascend within each row or column."""
        if "_sorted" not in self.__dict__:
            self._sorted = bool(_host.host(self).has_sorted_indices)
        return self._sorted

    @has_sorted_indices.setter
    def has_sorted_indices(self, value: bool) -> None:
        self._sorted = bool(value)

    @property
    def has_canonical_format(self) -> bool:
        """Whether indices ascend and none stands twice."""
        if "_canonical" not in self.__dict__:
            self._canonical = bool(_host.host(self).has_canonical_format)
        return self._canonical

    @has_canonical_format.setter
    def has_canonical_format(self, value: bool) -> None:
        self._canonical = bool(value)
        if value:
            self._sorted = True

    def sum_duplicates(self) -> None:
        """Sum elements with the same coordinates and sort, in place."""
        if self.has_canonical_format:
            return
        self._mutate(lambda a: a.sum_duplicates())
        self.has_canonical_format = True

    def sort_indices(self) -> None:
        """Sort the indices in place."""
        if not self.has_sorted_indices:
            self._mutate(lambda a: a.sort_indices())
            self._sorted = True

    def sorted_indices(self) -> Any:
        """A copy with sorted indices."""
        made = self.copy()
        made.sort_indices()
        return made

    def count_nonzero(self, axis: Any = None) -> Any:
        """Number of elements that are not zero, in all or along an axis; duplicates are summed first."""
        axis = _axis(axis, self.ndim)
        self.sum_duplicates()
        if axis is None:
            return int(cupy.count_nonzero(self.data))
        return self._compute("count_nonzero", lambda a: np.asarray(a.count_nonzero(axis=axis), np.intp))

    def prune(self) -> None:
        """Drop memory behind the last element."""
        count = int(self.indptr[-1])
        self.data, self.indices = self.data[:count], self.indices[:count]

    def eliminate_zeros(self) -> None:
        """Drop stored zeros in place."""
        self._mutate(lambda a: a.eliminate_zeros())

    def setdiag(self, values: Any, k: int = 0) -> None:
        """Set a diagonal in place, from a number or a device array."""
        self._require_2d("setdiag")
        rows, cols = self.shape
        if min(rows - max(0, -k), cols - max(0, k)) <= 0:
            raise ValueError("k exceeds matrix dimensions")
        values = cupy.asarray(values, dtype=self.dtype)
        if values.ndim > 1:
            raise ValueError("values must be 0-d or 1-d")
        self._canonical_rows() if self.format == "csr" else None

        def run(there: Any) -> None:
            there.setdiag(convert.down(values), k)
            there.sum_duplicates()

        self._mutate(run)

    # views of it

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """The transpose, in the other compressed format and on the same memory."""
        self._check_axes(axes)
        if self.ndim == 1:
            return self.copy() if copy else self
        there = self.copy() if copy else self
        cls = self._class("csc" if self.format == "csr" else "csr")
        made = cls._make((there.data, there.indices, there.indptr), self.shape[::-1])
        for flag in ("_canonical", "_sorted"):
            if flag in self.__dict__:
                made.__dict__[flag] = self.__dict__[flag]
        return made

    def _getrow(self, i: int) -> Any:
        return self[i : i + 1, :] if i != -1 else self[i:, :]

    def _getcol(self, j: int) -> Any:
        return self[:, j : j + 1] if j != -1 else self[:, j:]

    def _key(self, key: Any) -> Any:
        if isinstance(key, tuple):
            return tuple(self._key(k) for k in key)
        if issparse(key):
            if key.dtype != bool or key.shape != self.shape:
                raise IndexError(
                    "Indexing with sparse matrices is not supported except boolean indexing where matrix and index are "
                    "equal shapes."
                )
            return _host.host(key)
        return convert.down(key) if _host.is_dense(key) else key

    def __getitem__(self, key: Any) -> Any:
        scalar = []

        def run(a: Any) -> Any:
            made = a[self._key(key)]
            scalar.append(np.isscalar(made))
            return np.asarray(made, self.dtype) if np.isscalar(made) else made

        made = self._compute("getitem", run)
        return made.asformat(self.format) if issparse(made) and made.ndim == 2 else made

    def __setitem__(self, key: Any, value: Any) -> None:
        down = _host.host(value) if issparse(value) else convert.down(value)
        self._mutate(lambda a: a.__setitem__(self._key(key), down))
        self.__dict__.pop("_canonical", None)
        self.__dict__.pop("_sorted", None)

    def _reduce(self, name: str, axis: Any, out: Any, **kwargs: Any) -> Any:
        if out is not None:
            raise ValueError("Sparse matrices do not support an 'out' parameter.")
        if self.ndim == 1:
            axis = _axis(axis, 1)
        _validate_axis(axis)
        self.sum_duplicates()
        if self.ndim == 2 and axis is None and 0 in self.shape:
            raise ValueError(
                "zero-size array to reduction operation"
                if name in ("max", "min")
                else "Can't apply the operation to an empty matrix."
            )
        if name.startswith("arg") and axis is None and self.nnz == 0:
            return 0

        def run(a: Any) -> Any:
            made = getattr(a, name)(axis=axis, **kwargs)
            return made if hasattr(made, "format") else np.asarray(made)

        made = self._compute(name, run)
        return made.tocoo() if issparse(made) else made

    def max(self, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """Largest element; along an axis a matrix of coordinates."""
        return self._reduce("max", axis, out, **({"explicit": True} if explicit else {}))

    def min(self, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """Smallest element; along an axis a matrix of coordinates."""
        return self._reduce("min", axis, out, **({"explicit": True} if explicit else {}))

    def argmax(self, axis: Any = None, out: Any = None) -> Any:
        """Where the largest element stands."""
        return self._reduce("argmax", axis, out)

    def argmin(self, axis: Any = None, out: Any = None) -> Any:
        """Where the smallest element stands."""
        return self._reduce("argmin", axis, out)


class _csr_base(_compressed):
    format = "csr"
    _major = 0

    def tocsr(self, copy: bool = False) -> Any:
        """Itself, or a copy."""
        return self.copy() if copy else self


class _csc_base(_compressed):
    format = "csc"
    _major = 1

    def tocsc(self, copy: bool = False) -> Any:
        """Itself, or a copy."""
        return self.copy() if copy else self


class csr_matrix(spmatrix, _csr_base):
    """Compressed rows, as a matrix."""


class csr_array(_csr_base, sparray):
    """Compressed rows, as an array of one or two axes."""

    _allow_nd = (1, 2)


class csc_matrix(spmatrix, _csc_base):
    """Compressed columns, as a matrix."""


class csc_array(_csc_base, sparray):
    """Compressed columns, as an array."""
