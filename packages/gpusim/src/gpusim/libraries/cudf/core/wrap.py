"""From pandas objects to ours and back: storage is made normal on the way in, device memory is counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.core.arrays.masked import BaseMaskedArray

from . import device
from .column import normal
from .dtypes import STR

NO_COLUMN = "{owner} object has no attribute {name}"
"""What a class of which ``x.name`` may be a column says of any other name [cudf/core/mixins/getitem.py]."""

classes: dict[str, Any] = {}  # "Series", "DataFrame", "Index" …: set by the modules that define them


def stored(dtype: Any) -> bool:
    """Whether a pandas dtype is one that columns are stored in."""
    if isinstance(dtype, np.dtype):
        return dtype.kind in "Mm"
    if isinstance(dtype, pd.StringDtype):
        return dtype.na_value is not pd.NA and dtype.storage == "pyarrow"
    if isinstance(dtype, pd.ArrowDtype):
        return dtype.kind == "O"
    return True


def normal_series(series: pd.Series, nan_as_null: bool = True) -> pd.Series:
    """A Series in storage dtype."""
    if stored(series.dtype):
        return series
    return pd.Series(normal(series.array, nan_as_null), index=series.index, name=series.name, copy=False)


def normal_frame(frame: pd.DataFrame, nan_as_null: bool = True) -> pd.DataFrame:
    """A DataFrame whose columns are all in storage dtypes."""
    if all(stored(dtype) for dtype in frame.dtypes):
        return frame
    arrays = {}
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        arrays[position] = column.array if stored(column.dtype) else normal(column.array, nan_as_null)
    return make_frame(arrays, frame.index, frame.columns)


def make_frame(arrays: dict, index: Any, columns: Any = None) -> pd.DataFrame:
    """A pandas DataFrame of storage arrays without a copy."""
    if columns is None:
        columns = pd.Index(list(arrays), tupleize_cols=False)
    out = pd.DataFrame(dict(enumerate(arrays.values())), index=index, copy=False)
    out.columns = columns
    return out


def normal_index(index: pd.Index) -> pd.Index:
    """An Index on NumPy where there are no nulls, in a masked array where there are."""
    if isinstance(index, pd.MultiIndex):
        return index
    if isinstance(index, pd.PeriodIndex):
        raise NotImplementedError("cuDF does not yet support PeriodDtype")
    dtype = index.dtype
    if isinstance(dtype, np.dtype):
        if dtype.kind == "O":
            if not len(index):
                return index
            array = normal(index.to_numpy())
            return index if isinstance(array.dtype, pd.ArrowDtype) else normal_index(pd.Index(array, name=index.name))
        if dtype == np.float16:
            raise TypeError("Unsupported type float16")
        if dtype.kind == "f":
            array = normal(index.to_numpy())
            return pd.Index(array, name=index.name) if array._mask.any() else index
        return index
    array = index.array
    if isinstance(dtype, pd.DatetimeTZDtype):
        return index
    if not stored(dtype):
        array = normal(array)
    if isinstance(array, BaseMaskedArray):
        return pd.Index(array if array._mask.any() else array._data, name=index.name)
    return index if array is index.array else pd.Index(array, name=index.name)


def wrap(value: Any) -> Any:
    """Make ours of a pandas object; anything else comes back as it is."""
    if isinstance(value, pd.DataFrame):
        return frame_of(normal_frame(value))
    if isinstance(value, pd.Series):
        return series_of(normal_series(value))
    if isinstance(value, pd.Index):
        return index_of(value)
    return value


def series_of(p: pd.Series, cls: Any = None) -> Any:
    """A Series of a pandas Series in storage dtype."""
    out = object.__new__(cls or classes["Series"])
    index = normal_index(p.index)
    if index is not p.index:
        p = p.set_axis(index)
    object.__setattr__(out, "_p", p)
    device.account(p.array)
    return out


def frame_of(p: pd.DataFrame, cls: Any = None) -> Any:
    """A DataFrame of a pandas DataFrame in storage dtypes."""
    out = object.__new__(cls or classes["DataFrame"])
    index = normal_index(p.index)
    if index is not p.index:
        p = p.set_axis(index)
    object.__setattr__(out, "_p", p)
    for array in device.storages(p):
        device.account(array)
    return out


def index_of(p: pd.Index) -> Any:
    """An Index, of the class that its dtype has in cuDF."""
    p = normal_index(p)
    if isinstance(p, pd.MultiIndex):
        name = "MultiIndex"
    elif isinstance(p, pd.RangeIndex):
        name = "RangeIndex"
    elif isinstance(p.dtype, pd.CategoricalDtype):
        name = "CategoricalIndex"
    elif isinstance(p.dtype, pd.IntervalDtype):
        name = "IntervalIndex"
    elif p.dtype.kind == "M":
        name = "DatetimeIndex"
    elif p.dtype.kind == "m":
        name = "TimedeltaIndex"
    else:
        name = "Index"
    out = object.__new__(classes[name])
    out._p = p
    return out


def unwrap(value: Any) -> Any:
    """Make a pandas object of ours, also inside lists, tuples and dicts; device arrays come to the host."""
    inner = getattr(value, "_p", None)
    if inner is not None and isinstance(inner, (pd.Series, pd.DataFrame, pd.Index)):
        return inner
    if isinstance(value, dict):
        return {key: unwrap(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(unwrap(item) for item in value)
    if hasattr(value, "get") and hasattr(value, "__cuda_array_interface__"):
        return value.get()
    if type(value).__module__.startswith("cudf.") and hasattr(value, "to_pandas"):
        return value.to_pandas()
    if isinstance(value, np.dtype) and value.kind == "U":
        return STR
    return value


def mimic(self: Any, result: Any, inplace: bool) -> Any:
    """Return a result, or put it into ``self`` and return None."""
    if not inplace:
        return result
    self._p = result._p
    return None
