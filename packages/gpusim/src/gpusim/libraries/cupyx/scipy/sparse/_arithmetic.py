"""Sums, products, comparisons and reductions of sparse matrices."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import cupy
import numpy as np
import scipy.sparse as _scipy
from scipy.sparse import SparseEfficiencyWarning

from gpusim.device.thread_warnings import ignored

from . import _host
from ._base import issparse

_ALL = ignored()


def _validate_axis(axis: Any) -> None:
    if axis is None:
        return
    if isinstance(axis, tuple):
        raise TypeError(
            "Tuples are not accepted for the 'axis' parameter. Please pass in one of the following: "
            "{-2, -1, 0, 1, None}."
        )
    if not isinstance(axis, (int, np.integer)):
        raise TypeError(f"axis must be an integer, not {type(axis).__name__}")
    if not -2 <= axis <= 1:
        raise ValueError("axis out of range")


def _axis(axis: Any, ndim: int) -> Any:
    """The axis of a reduction, or None for all."""
    if ndim == 1:
        given = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
        if isinstance(given, tuple):
            raise ValueError("axis out of range for 1-D array")
        if given not in (None, 0, -1):
            raise ValueError(f"axis {given} is out of bounds for 1-D array")
        return None
    if isinstance(axis, tuple):
        if len(axis) == 1:
            axis = operator.index(axis[0])
        elif {operator.index(a) % 2 for a in axis} == {0, 1} and len(axis) == 2:
            return None
        else:
            raise ValueError("axis out of range for 2-D reduction")
    _validate_axis(axis)
    return None if axis is None else int(axis) % 2


def _spread(a: Any, shape: tuple) -> Any:
    """A SciPy matrix of one row or column repeated over a shape."""
    if a.shape == shape:
        return a
    if a.ndim == 1:
        a = a.reshape((1, -1))
    times = [n if m == 1 else 1 for n, m in zip(shape, a.shape, strict=True)]
    return type(a)(_scipy.kron(np.ones(times, a.dtype), a, format="csr"))


class Arithmetic:
    """Operators; what CuPy does by way of compressed rows gives compressed rows."""

    # + and -

    def _as_row(self, other: Any, run: Callable) -> Any:
        """Do something with one axis by way of a matrix of one row; two axes come back if the other has them."""
        row = self.reshape((1, self.shape[0])).asformat("csr") if self.ndim == 1 else self
        there = other.reshape((1, other.shape[0])).asformat("csr") if issparse(other) and other.ndim == 1 else other
        made = run(row, there)
        if self.ndim == 2 or len(other.shape) == 2:
            return made
        flat = made.reshape((made.shape[-1],))
        return flat.tocsr() if issparse(made) and made.format == "csr" else flat

    def _sum(self, other: Any, function: Callable) -> Any:
        if issparse(other) and self.ndim + other.ndim == 3:
            return self._as_row(other, function)
        there = self if self.format == "csc" else self.tocsr()
        if np.isscalar(other):
            if other == 0:
                return -there if function(0, 1) == 1 and function(1, 0) == -1 else there.copy()
            raise NotImplementedError("adding a nonzero scalar to a sparse matrix is not supported")
        if issparse(other):
            self._canonical_rows()
            other = other._canonical_rows()
            return self._compute("csrgeam2", lambda a, b: function(a.tocsr(), b.tocsr()), other, form=there.format)
        if _host.is_dense(other):
            return function(self.toarray(), other)
        return NotImplemented

    def _canonical_rows(self) -> Any:
        there = self if self.format in ("csr", "csc") else self.tocsr()
        there.sum_duplicates()
        return there

    def __add__(self, other: Any) -> Any:
        return self._sum(other, operator.add)

    def __radd__(self, other: Any) -> Any:
        return self._sum(other, operator.add)

    def __sub__(self, other: Any) -> Any:
        return self._sum(other, operator.sub)

    def __rsub__(self, other: Any) -> Any:
        return self._sum(other, lambda a, b: b - a)

    # products

    def _product(self, other: Any) -> Any:
        if _host.is_scalar(other):
            return self._scaled(other)
        if issparse(other) and self.ndim + other.ndim < 4:
            return self._product_of_one_axis(other)
        if issparse(other):
            self._canonical_rows()
            other._canonical_rows()
            made = self._compute("spgemm", lambda a, b: a.tocsr() @ b.tocsr(), other, form=None)
            return made.tocsr() if issparse(made) else cupy.asarray(made)
        if _host.is_dense(other):
            if other.ndim > 2:
                raise ValueError("could not interpret dimensions")
            self._canonical_rows()
            dense = self._compute("spmm" if other.ndim == 2 else "spmv", operator.matmul, other)
            dtype = np.promote_types(self.dtype, other.dtype)
            dense = dense.astype(dtype, copy=False)
            return cupy.asfortranarray(dense) if dense.ndim == 2 else dense
        return NotImplemented

    def _product_of_one_axis(self, other: Any) -> Any:
        left = self.reshape((1, self.shape[0])).tocsr() if self.ndim == 1 else self
        right = other.reshape((other.shape[0], 1)).tocsr() if other.ndim == 1 else other
        made = left @ right
        if self.ndim + other.ndim == 2:
            return made.toarray().reshape(())
        return made.reshape((made.shape[0] * made.shape[1],))

    def _scaled(self, factor: Any) -> Any:
        there = self if self.format in ("csr", "csc", "coo", "dia") else self.tocsr()
        return there._with_data(there.data * factor)

    def _product_from_left(self, other: Any) -> Any:
        if _host.is_scalar(other):
            return self._product(other)
        if not issparse(other) and not _host.is_dense(other):
            return NotImplemented
        return self.T._product(other.T).T

    def __matmul__(self, other: Any) -> Any:
        if _host.is_scalar(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._product(other)

    def __rmatmul__(self, other: Any) -> Any:
        if _host.is_scalar(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._product_from_left(other)

    def dot(self, other: Any) -> Any:
        """The matrix product; a number scales."""
        return self * other if np.isscalar(other) else self @ other

    def __mul__(self, other: Any) -> Any:
        return self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        return self.multiply(other)

    def __pow__(self, other: Any) -> Any:
        return self.power(other)

    def multiply(self, other: Any) -> Any:
        """The elementwise product, sparse."""
        if np.isscalar(other):
            return self.tocsr()._with_data(self.tocsr().data * other)
        if not issparse(other) and not _host.is_dense(other):
            raise TypeError("expected scalar, dense matrix/vector or csr matrix")
        self._canonical_rows()
        if issparse(other):
            other._canonical_rows()
        self._check_pointwise(other)
        return self._compute("multiply", lambda a, b: a.tocsr().multiply(b).tocsr(), other, form="csr")

    def _check_pointwise(self, other: Any, broadcast: bool = True) -> None:
        mine = (1,) * (2 - self.ndim) + self.shape
        theirs = (1,) * (2 - len(other.shape)) + tuple(other.shape)
        fits = all(a == b or a == 1 or b == 1 for a, b in zip(mine, theirs, strict=True))
        if not (fits if broadcast else mine == theirs):
            raise ValueError("inconsistent shape")

    def __truediv__(self, other: Any) -> Any:
        if _host.is_scalar(other):
            dtype = np.result_type(np.float64 if self.dtype.char in "f?" else self.dtype, other)
            dtype = dtype if _host.is_data(dtype) else np.dtype(np.float64)
            there = self.tocsr()
            return there._with_data(there.data * cupy.reciprocal(cupy.asarray(other, dtype=dtype)))
        if self.ndim == 1 and (_host.is_dense(other) or issparse(other)):
            return self._as_row(other, lambda a, b: a / b)
        if _host.is_dense(other):
            other = cupy.broadcast_to(cupy.atleast_2d(other), self.shape)
            made = self.tocoo(copy=True)
            made.data = made.data / other[made.row, made.col]
            return made
        if issparse(other):
            self._check_pointwise(other, broadcast=False)
            dtype = np.promote_types(self.dtype, other.dtype)
            if dtype.kind != "c":
                dtype = np.promote_types(dtype, np.float64)
            return self.toarray().astype(dtype, copy=False) / other.toarray()
        return NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return NotImplemented

    def __iadd__(self, other: Any) -> Any:
        return NotImplemented

    __isub__ = __iadd__

    def _in_place(self, factor: Any) -> Any:
        if not _host.is_scalar(factor):
            return NotImplemented
        dtype = np.result_type(self.dtype, factor)
        dtype = dtype if _host.is_data(dtype) else np.dtype(np.float64)
        if dtype == self.dtype:
            self.data *= factor
        else:
            self.data = self.data.astype(dtype) * factor
        return self

    def __imul__(self, other: Any) -> Any:
        return self._in_place(other)

    def __itruediv__(self, other: Any) -> Any:
        return self._in_place(1.0 / other) if _host.is_scalar(other) else NotImplemented

    # comparisons

    def _compare(self, other: Any, function: Callable, symbol: str) -> Any:
        if _host.is_scalar(other):
            zero = bool(function(self.dtype.type(0), other.item() if _host.is_dense(other) else other))
            if zero:
                better = {"==": "!=", "!=": "==", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}[symbol]
                warnings.warn(
                    f"Comparing a sparse matrix with {other} using {symbol} is inefficient. Try using {better} instead.",
                    SparseEfficiencyWarning,
                    stacklevel=3,
                )
        elif _host.is_dense(other):
            return function(self.toarray(), other)
        elif issparse(other):
            self._check_pointwise(other)
            other._canonical_rows()
            if symbol in ("==", "<=", ">="):
                warnings.warn(
                    "Comparing sparse matrices using ==, <=, and >= is inefficient, try using !=, <, or > instead.",
                    SparseEfficiencyWarning,
                    stacklevel=3,
                )
        else:
            raise NotImplementedError
        self._canonical_rows()

        def run(a: Any, b: Any) -> Any:
            with _ALL:
                a = a.tocsr()
                if hasattr(b, "format"):
                    shape = np.broadcast_shapes(a.shape, b.shape)
                    a, b = _spread(a, shape), _spread(b.tocsr(), shape)
                made = function(a, b)
            return type(a)(made) if isinstance(made, np.ndarray) or made is True or made is False else made

        other = other.item() if _host.is_dense(other) else other
        return self._compute("compare", run, other, form="csr")

    def __eq__(self, other: Any) -> Any:
        return self._compare(other, operator.eq, "==")

    def __ne__(self, other: Any) -> Any:
        return self._compare(other, operator.ne, "!=")

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, operator.lt, "<")

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, operator.gt, ">")

    def __le__(self, other: Any) -> Any:
        return self._compare(other, operator.le, "<=")

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, operator.ge, ">=")

    __hash__ = None

    def _extreme(self, other: Any, name: str) -> Any:
        if _host.is_scalar(other):
            other = other.item() if _host.is_dense(other) else other
            dtype = np.result_type(self.dtype, other)
            if (other > 0) if name == "maximum" else (other < 0):
                return self._class("csr")(getattr(cupy, name)(self.toarray().astype(dtype), other))
            there = self._canonical_rows()
            return there._with_data(getattr(cupy, name)(there.data, other).astype(dtype))
        if _host.is_dense(other):
            return getattr(cupy, name)(self.toarray(), cupy.atleast_2d(other))
        if issparse(other):
            self._canonical_rows()
            self._check_pointwise(other)
            shape = np.broadcast_shapes(self.shape, other.shape)

            def run(a: Any, b: Any) -> Any:
                return getattr(_spread(a.tocsr(), shape), name)(_spread(b, shape))

            return self._compute(name, run, other._canonical_rows(), form="csr")
        raise NotImplementedError

    def maximum(self, other: Any) -> Any:
        """The larger of each two elements."""
        return self._extreme(other, "maximum")

    def minimum(self, other: Any) -> Any:
        """The smaller of each two elements."""
        return self._extreme(other, "minimum")

    # reductions

    def _counting(self) -> Any:
        """Booleans as numbers, each place once."""
        there = self
        if not getattr(self, "has_canonical_format", True):
            there = self.copy()
            there.sum_duplicates()
        return there.astype(np.float64)

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Sum over all or along an axis; a matrix keeps two axes."""
        axis = _axis(axis, self.ndim)
        if self.dtype == bool and dtype is None:
            dtype = np.int64
        there = self._counting() if self.dtype == bool else self

        def run(a: Any) -> Any:
            total = np.asarray(a.sum(axis=axis))
            if self.ndim == 2 and axis is not None and not self._is_array:
                total = total.reshape((1, -1) if axis == 0 else (-1, 1))
            return total.astype(there.dtype, copy=False)

        total = there._compute("sum", run)
        if out is not None:
            if out.shape != total.shape:
                raise ValueError("dimensions do not match")
            out[...] = total
            return out
        return total if dtype is None else total.astype(dtype, copy=False)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Mean over all or along an axis, zeros included."""
        there = self._counting() if self.dtype == bool else self
        at = _axis(axis, self.ndim)
        count = int(np.prod(self.shape)) if at is None else self.shape[at]
        return there._with_data(there.data * (1.0 / count)).sum(axis, dtype, out)
