"""Between pandas' objects and cuDF's, so that what comes back is what went."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.arrays import BooleanArray, FloatingArray, IntegerArray

from .fast_slow_proxy import Unusable

# The accelerator takes pandas' name: these are the real ones, bound at import.
NUMPY_KINDS = "biufmM"


def _keeps(dtype: Any) -> bool:
    """Whether cuDF gives a column of a dtype back as it got it."""
    if isinstance(dtype, np.dtype):
        return dtype.kind in NUMPY_KINDS and dtype != np.float16
    if isinstance(dtype, pd.StringDtype):
        return dtype.na_value is np.nan
    if isinstance(dtype, pd.CategoricalDtype):
        return _keeps(dtype.categories.dtype)
    return isinstance(dtype, pd.DatetimeTZDtype) and hasattr(dtype.tz, "key")


def to_fast(slow: Any) -> Any:
    """Move an object of pandas to the device.

    Raises
    ------
    Unusable
        If it would not come back the same: objects, extension dtypes, frequencies, flags.
    """
    import cudf

    if isinstance(slow, pd.DataFrame):
        if not slow.columns.is_unique or not all(_keeps(dtype) for dtype in slow.dtypes):
            raise Unusable("a dtype that cuDF has not")
        if not (slow.columns.dtype == object or isinstance(slow.columns, pd.RangeIndex) or _plain(slow.columns)):
            raise Unusable("labels that cuDF has not")
        _check_index(slow.index)
        if not slow.flags.allows_duplicate_labels:
            raise Unusable("flags")
        return cudf.DataFrame(slow, nan_as_null=True)
    if isinstance(slow, pd.Series):
        if not _keeps(slow.dtype):
            raise Unusable("a dtype that cuDF has not")
        _check_index(slow.index)
        return cudf.Series(slow, nan_as_null=True)
    _check_index(slow)
    return cudf.from_pandas(slow, nan_as_null=True)


def _plain(index: pd.Index) -> bool:
    return isinstance(index.dtype, pd.StringDtype) or index.dtype.kind in "iOf" or isinstance(index, pd.MultiIndex)


def _check_index(index: pd.Index) -> None:
    if isinstance(index, pd.MultiIndex):
        if not all(_keeps(level.dtype) for level in index.levels):
            raise Unusable("a dtype that cuDF has not")
        return
    if getattr(index, "freq", None) is not None or isinstance(index, (pd.PeriodIndex, pd.IntervalIndex)):
        raise Unusable("a frequency, which cuDF forgets")
    if not isinstance(index, pd.RangeIndex) and not _keeps(index.dtype):
        raise Unusable("a dtype that cuDF has not")


def to_slow(fast: Any) -> Any:
    """Move an object of cuDF to the host."""
    slow = fast.to_pandas()
    if isinstance(slow, pd.Index):
        return _numpy_index(slow)
    index = _numpy_index(slow.index)
    if index is not slow.index:
        slow.index = index
    if isinstance(slow, pd.DataFrame):
        columns = _numpy_index(slow.columns)
        if columns is not slow.columns:
            slow.columns = columns
    return slow


def _numpy_index(index: pd.Index) -> pd.Index:
    """Return labels in NumPy's dtypes, as pandas itself would have made them."""
    if isinstance(index, pd.MultiIndex):
        levels = [_numpy_index(level) for level in index.levels]
        if all(new is old for new, old in zip(levels, index.levels, strict=True)):
            return index
        return index.set_levels(levels)
    if isinstance(index.array, (BooleanArray, FloatingArray, IntegerArray)):
        array = index.array
        if array._mask.any():
            return pd.Index(array.to_numpy(dtype=float, na_value=np.nan), name=index.name)
        return pd.Index(array._data, name=index.name)
    return index


def _dense(array: Any) -> Any:
    if isinstance(array, pd.arrays.ArrowExtensionArray) and not isinstance(array.dtype, pd.StringDtype):
        raise Unusable("lists or structs, which pandas keeps as objects")
    if isinstance(array, BooleanArray) and array._mask.any():
        raise Unusable("bools with nulls, which pandas keeps as objects")
    if isinstance(array, IntegerArray) and array._mask.any():
        return FloatingArray(array._data.astype(np.float64), array._mask.copy())
    if isinstance(array, FloatingArray):
        nan = np.isnan(array._data)
        if nan.any() and not array._mask[nan].all():
            return FloatingArray(array._data, array._mask | nan)
    return array


def without_nulls(result: Any) -> Any:
    """Return a column or a frame of cuDF as pandas has it: integers with nulls are floats, and NaN is null."""
    from cudf.core.wrap import frame_of, make_frame, series_of

    pandas = result._p
    if isinstance(pandas, pd.Series):
        array = _dense(pandas.array)
        return (
            result
            if array is pandas.array
            else series_of(pd.Series(array, index=pandas.index, name=pandas.name, copy=False))
        )
    arrays = {at: pandas.iloc[:, at].array for at in range(pandas.shape[1])}
    dense = {at: _dense(array) for at, array in arrays.items()}
    if all(dense[at] is arrays[at] for at in arrays):
        return result
    return frame_of(make_frame(dense, pandas.index, pandas.columns))
