"""Operators and their named forms for frames: alignment, fill values, and which classes go together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from . import device
from .binary import COMPARISONS, binop, invert, is_array, negate
from .column import dtype_of, isnull, masked, normal
from .guard import kept
from .wrap import classes, frame_of, index_of, make_frame, normal_frame, series_of, unwrap

NAMES = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")


def device_scalar(other: Any) -> bool:
    """Whether it is a device array of no dimensions (asking a Series for its interface may raise)."""
    return type(other).__module__.startswith("cupy") and getattr(other, "ndim", 1) == 0


def _scalar(other: Any) -> bool:
    if device_scalar(other):
        return True
    return pd.api.types.is_scalar(other) or isinstance(other, np.ndarray) and other.ndim == 0


def _fill(array: Any, value: Any) -> Any:
    if not is_array(array) or not isnull(array).any():
        return array
    from .missing import fill_array

    return fill_array(array, value)


def columnwise(op: str, left: Any, right: Any, reflect: bool, fill_value: Any = None) -> Any:
    """One column's operation, with nulls filled beforehand where a fill value is given."""
    lost = None
    if fill_value is not None:
        if is_array(left) and is_array(right):
            lost = isnull(left) & isnull(right)
        left, right = _fill(left, fill_value), _fill(right, fill_value)
    out = binop(op, right, left) if reflect else binop(op, left, right)
    if lost is not None and lost.any():
        out = pd.Series(out).mask(lost).array if not hasattr(out, "_mask") else masked(out._data, out._mask | lost)
    device.count(f"cudf_{op}", out.nbytes, out.nbytes, reads=[left, right], writes=out)
    return out


def _other_array(other: Any, n: int) -> Any:
    """A host or device array as an operand, or NotImplemented."""
    from .construct import as_storage

    if isinstance(other, (list, tuple, np.ndarray, pd.Series, pd.Index)) or hasattr(other, "__cuda_array_interface__"):
        if isinstance(other, (pd.Series, pd.Index)):
            return NotImplemented
        return as_storage(other, None, None)
    return NotImplemented


def series_op(self: Any, other: Any, op: str, reflect: bool, fill_value: Any = None, can_reindex: bool = False) -> Any:
    """A Series or an Index with a scalar, a column or an array."""
    left, name = self._p, self._p.name
    is_series = isinstance(left, pd.Series)
    if isinstance(other, classes["DataFrame"]):
        return NotImplemented
    index = left.index if is_series else None
    a = _array(left)
    if _scalar(other):
        b = other.item() if device_scalar(other) else other
        b = b[()] if isinstance(b, np.ndarray) else b
    elif isinstance(other, (classes["Series"], classes["Index"])):
        if not is_series and isinstance(other, classes["Series"]):
            return NotImplemented
        right = other._p
        name = name if _same(name, right.name) else None
        if is_series and isinstance(other, classes["Series"]) and not left.index.equals(right.index):
            if not can_reindex and op in COMPARISONS:
                raise ValueError("Can only compare identically-labeled Series objects")
            left, right = left.align(right, join="outer")
            index, a = left.index, _array(left)
        b = _array(right)
    else:
        b = _other_array(other, len(a))
        if b is NotImplemented:
            return NotImplemented
    if is_array(b) and len(b) != len(a):
        raise ValueError("Length mismatch")
    out = columnwise(op, a, b, reflect, fill_value)
    if is_series:
        return series_of(pd.Series(out, index=index, name=name, copy=False))
    return index_of(pd.Index(out, name=name))


def _array(p: Any) -> Any:
    return normal(p.array) if isinstance(p, pd.Index) else p.array


def _same(a: Any, b: Any) -> bool:
    return a is b or (pd.api.types.is_scalar(a) and pd.api.types.is_scalar(b) and (a == b or (a != a and b != b)))


def frame_op(self: Any, other: Any, op: str, reflect: bool, fill_value: Any = None, can_reindex: bool = False) -> Any:
    """A DataFrame with a scalar, a Series along the columns, or a DataFrame."""
    left = self._p
    if _scalar(other):
        arrays = [columnwise(op, left.iloc[:, i].array, other, reflect, fill_value) for i in range(left.shape[1])]
        return frame_of(make_frame(dict(enumerate(arrays)), left.index, left.columns))
    if isinstance(other, classes["DataFrame"]):
        right = other._p
        same = left.index.equals(right.index) and left.columns.equals(right.columns)
        if not same:
            if not can_reindex and op in COMPARISONS:
                raise ValueError("Can only compare identically-labeled DataFrame objects")
            a, b = left.align(right, join="outer")
            a, b = normal_frame(a), normal_frame(b)
        else:
            a, b = left, right
        out = {}
        for i in range(a.shape[1]):
            x, y = a.iloc[:, i].array, b.iloc[:, i].array
            x, y = _typed(x, y), _typed(y, x)
            out[i] = columnwise(op, x, y, reflect, fill_value)
        return frame_of(make_frame(out, a.index, a.columns))
    if isinstance(other, Mapping):
        return NotImplemented
    if isinstance(other, classes["Series"]):
        host = other.to_pandas()
        if not left.columns.equals(host.index) and not can_reindex and op in COMPARISONS:
            raise ValueError(
                "Can only compare DataFrame & Series objects whose columns & index are same respectively, please reindex."
            )
        values = dict(zip(host.index, other.to_numpy(), strict=True))
        labels = left.columns if left.columns.equals(host.index) else left.columns.join(host.index, how="outer")
        out = {}
        for position, label in enumerate(labels):
            a = left[label].array if label in left.columns else masked(np.full(len(left), np.nan))
            out[position] = columnwise(op, a, values.get(label, fill_value), reflect, fill_value)
        return frame_of(make_frame(out, left.index, labels))
    host = unwrap(other)
    if isinstance(host, (list, tuple)):
        if len(host) != left.shape[1]:
            raise ValueError("other must be a DataFrame or Series.")
        return NotImplemented
    return NotImplemented


def _typed(x: Any, y: Any) -> Any:
    """A column that is all null after alignment takes the other's type."""
    if x.dtype != y.dtype and isnull(x).all() and len(x):
        from .construct import nulls

        return nulls(len(x), dtype_of(y.dtype))
    return x


def _operator(op: str, reflect: bool) -> Callable:
    def method(self: Any, other: Any) -> Any:
        run = frame_op if isinstance(self, classes["DataFrame"]) else series_op
        return run(self, other, op, reflect)

    method.__name__ = f"__{'r' if reflect else ''}{op}__"
    return kept(method)


def _inplace(op: str) -> Callable:
    def method(self: Any, other: Any) -> Any:
        run = frame_op if isinstance(self, classes["DataFrame"]) else series_op
        result = run(self, other, op, False)
        if result is NotImplemented:
            return result
        if isinstance(self, classes["Index"]):
            return result
        self._p = result._p
        return self

    method.__name__ = f"__i{op}__"
    return kept(method)


def _named(name: str, op: str, reflect: bool, owner: str) -> Callable:
    def method(self: Any, other: Any, axis: Any = "columns", level: Any = None, fill_value: Any = None) -> Any:
        if level is not None:
            raise NotImplementedError("level parameter is not supported yet.")
        if owner == "DataFrame":
            if axis not in (1, "columns"):
                raise NotImplementedError("Only axis=1 supported at this time.")
            return frame_op(self, other, op, reflect, fill_value, can_reindex=True)
        if axis not in (0, "index", "columns"):
            raise NotImplementedError("Only axis=0 supported at this time.")
        return series_op(self, other, op, reflect, fill_value, can_reindex=True)

    def series_method(self: Any, other: Any, level: Any = None, fill_value: Any = None, axis: Any = 0) -> Any:
        return method(self, other, axis, level, fill_value)

    chosen = method if owner == "DataFrame" else series_method
    chosen.__name__ = chosen.__qualname__ = name
    chosen.__doc__ = f"cuDF's ``{owner}.{name}``: null with anything is null unless ``fill_value`` is given."
    return kept(chosen)


def add_operators(cls: type, owner: str, named: bool = True) -> None:
    """Give a class the operators and, for frames, their named forms."""
    for op in NAMES:
        setattr(cls, f"__{op}__", _operator(op, False))
        setattr(cls, f"__r{op}__", _operator(op, True))
        setattr(cls, f"__i{op}__", _inplace(op))
    for op in COMPARISONS:
        setattr(cls, f"__{op}__", _operator(op, False))
    if not named:
        return
    for op in (*NAMES[:7], *COMPARISONS):
        setattr(cls, op, _named(op, op, False, owner))
        if op not in COMPARISONS:
            setattr(cls, f"r{op}", _named(f"r{op}", op, True, owner))
    for alias, op in (("div", "truediv"), ("divide", "truediv"), ("multiply", "mul"), ("subtract", "sub")):
        setattr(cls, alias, _named(alias, op, False, owner))
    cls.rdiv = _named("rdiv", "truediv", True, owner)


def mapped(self: Any, function: Callable) -> Any:
    """A frame of the same class with a function of storage arrays applied to each column."""
    p = self._p
    if isinstance(p, pd.DataFrame):
        arrays = {i: function(p.iloc[:, i].array) for i in range(p.shape[1])}
        return frame_of(make_frame(arrays, p.index, p.columns))
    if isinstance(p, pd.Series):
        return series_of(pd.Series(function(p.array), index=p.index, name=p.name, copy=False))
    return index_of(pd.Index(function(_array(p)), name=p.name))


class Unary:
    """``-x``, ``+x``, ``~x``, ``abs(x)``."""

    def __neg__(self) -> Any:
        from pandas.core.arrays.masked import BaseMaskedArray

        def one(array: Any) -> Any:
            is_bool = isinstance(array, BaseMaskedArray) and array._data.dtype.kind == "b"
            return invert(array) if is_bool else negate(array)

        return mapped(self, one)

    def __pos__(self) -> Any:
        return self.copy(deep=True)

    def __invert__(self) -> Any:
        return mapped(self, invert)

    def __abs__(self) -> Any:
        """Absolute values."""
        from pandas.core.arrays.masked import BaseMaskedArray

        def one(array: Any) -> Any:
            if isinstance(array, BaseMaskedArray):
                return masked(np.abs(array._data), array._mask)
            if array.dtype.kind == "m":
                return pd.Series(array).abs().array
            raise TypeError(f"Operation `abs` not supported on {array.dtype}")

        return mapped(self, one)
