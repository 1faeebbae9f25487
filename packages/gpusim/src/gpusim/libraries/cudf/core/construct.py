"""Storage of whatever a user may hand over as one column, with cuDF's inference and its refusals."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api.types import infer_dtype
from pandas.core.arrays.masked import BaseMaskedArray

from ..errors import MixedTypeError
from ..options import get_option
from . import column, device
from .cast import cast
from .column import masked, normal, storage_dtype, storage_of
from .dtypes import STR, CategoricalDtype, DecimalDtype, IntervalDtype, ListDtype, StructDtype


def as_storage(data: Any, dtype: Any = None, nan_as_null: bool | None = None, length: int | None = None) -> Any:
    """Make a storage array of a column-like, a scalar (repeated ``length`` times) or an iterable.

    Raises
    ------
    MixedTypeError
        For values of several types.
    TypeError, NotImplementedError, ValueError
        As cuDF, for what it has no column for.
    """
    array = _as_storage(data, dtype, nan_as_null, length)
    if nan_as_null is not False and not _is_ours(data):
        array = column.nans_to_nulls(array)
    if dtype is not None and array.dtype != storage_dtype(dtype):
        array = cast(array, dtype)
    return array


def _is_ours(data: Any) -> bool:
    return hasattr(data, "_p") and type(data).__module__.startswith("cudf")


def _as_storage(data: Any, dtype: Any, nan_as_null: bool | None, length: int | None) -> Any:
    if isinstance(data, (range, pd.RangeIndex)):
        width = get_option("default_integer_bitwidth")
        device.require_memory(len(data) * (width or 64) // 8)
        values = np.arange(data.start, data.stop, data.step, dtype=f"i{width // 8}" if width else "i8")
        return masked(values)
    if _is_ours(data):
        inner = data._p
        return normal(inner.array if isinstance(inner, (pd.Series, pd.Index)) else inner)
    if hasattr(data, "__cuda_array_interface__"):
        return _of_device(data)
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        device.require_memory(data.nbytes)
        return storage_of(data)
    if isinstance(data, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray)):
        device.require_memory(data.nbytes)
        array = _of_pandas(data, dtype, nan_as_null)
        device.uploaded(device.size(array), writes=array)
        return array
    if pd.api.types.is_scalar(data) or isinstance(data, dict) and length is not None:
        return _of_scalar(data, dtype, nan_as_null, length)
    if hasattr(data, "__array_interface__"):
        array = _of_numpy(np.asarray(data), dtype, nan_as_null)
        device.uploaded(device.size(array), writes=array)
        return array
    return _of_iterable(data, dtype, nan_as_null, length)


def _of_device(data: Any) -> Any:
    import cupy

    array = cupy.asarray(data)
    _check_array(array.shape, array.dtype)
    return masked(device.on_cupy(array))


def _check_array(shape: tuple, dtype: np.dtype) -> None:
    if len(shape) > 1:
        raise ValueError("Data must be 1-dimensional")
    if dtype == np.dtype("float16"):
        raise TypeError("Unsupported type float16")
    if dtype.kind == "c":
        raise TypeError(f"Unsupported type {dtype}")


def _of_numpy(data: np.ndarray, dtype: Any, nan_as_null: bool | None) -> Any:
    _check_array(data.shape, data.dtype)
    device.require_memory(data.nbytes)
    if data.ndim == 0:
        data = data[np.newaxis]
    kind = data.dtype.kind
    if kind == "O":
        missing = pd.isna(data)
        if missing.any():
            if missing.all():
                raise MixedTypeError("Cannot have all NaN values with object dtype.")
            return _arrow_or_refuse(data, True)
        return _of_pandas(pd.Series(data), dtype, nan_as_null)
    if kind in "SU":
        return storage_of(pa.array(data).cast(pa.string()))
    if kind in "biuf":
        return masked(data.astype(data.dtype.newbyteorder("="), copy=True))
    if kind in "mM":
        unit = np.datetime_data(data.dtype)[0]
        if unit == "generic":
            raise TypeError(f"{data.dtype.type.__name__} must have a unit specified")
        if unit not in ("s", "ms", "us", "ns"):
            data = data.astype(f"{data.dtype.kind}8[s]")
        return pd.array(data.copy())
    raise NotImplementedError(f"{data.dtype} not supported")


def _arrow_or_refuse(values: Any, from_pandas: bool, kind: Any = None) -> Any:
    try:
        return storage_of(pa.array(values, type=kind, from_pandas=from_pandas))
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise MixedTypeError("Cannot create column with mixed types") from error


def _of_pandas(data: Any, dtype: Any, nan_as_null: bool | None) -> Any:
    kind = data.dtype
    if isinstance(kind, (pd.SparseDtype, pd.PeriodDtype)):
        raise NotImplementedError(f"cuDF does not yet support {type(kind).__name__}")
    if isinstance(kind, pd.IntervalDtype) and isinstance(kind.subtype, pd.DatetimeTZDtype):
        raise NotImplementedError("cuDF does not yet support Intervals with timezone-aware datetimes")
    if isinstance(kind, pd.ArrowDtype) and pa.types.is_date(kind.pyarrow_dtype):
        raise NotImplementedError(f"cuDF does not yet support {kind}")
    if isinstance(kind, np.dtype) and kind.kind == "O":
        return _of_objects(np.asarray(data, dtype=object), dtype, nan_as_null)
    if isinstance(kind, np.dtype) and kind == np.float16:
        raise TypeError("Unsupported type float16")
    if isinstance(kind, np.dtype) and kind.kind not in "fiubmM":
        raise NotImplementedError(f"{type(data).__name__} with {type(kind).__name__} is not supported.")
    if not isinstance(kind, (np.dtype, pd.CategoricalDtype, pd.IntervalDtype, pd.DatetimeTZDtype, pd.StringDtype)):
        if not isinstance(kind, pd.ArrowDtype) and not hasattr(kind, "numpy_dtype"):
            raise NotImplementedError("Custom pandas ExtensionDtypes are not supported")
    array = data if isinstance(data, pd.api.extensions.ExtensionArray) else data.array
    if isinstance(array, pd.arrays.NumpyExtensionArray):
        array = array.to_numpy().copy()
    elif isinstance(array, BaseMaskedArray):
        array = array.copy()
    return normal(array, nan_as_null is not False)


def _of_objects(values: np.ndarray, dtype: Any, nan_as_null: bool | None) -> Any:
    kind = infer_dtype(values, skipna=nan_as_null is not False)
    if kind in ("mixed-integer", "mixed-integer-float"):
        raise MixedTypeError("Cannot create column with mixed types")
    if dtype is None and kind not in ("mixed", "decimal", "string", "empty", "boolean"):
        raise MixedTypeError(f"Cannot convert a {kind} of object type")
    if nan_as_null is False and kind == "boolean":
        raise MixedTypeError("Cannot have a boolean type with dtype=object")
    if nan_as_null is False and kind not in ("decimal", "empty", "string"):
        if kind == "floating":
            raise MixedTypeError("Cannot have a floating type with dtype=object")
        try:
            return storage_of(pa.array(values, from_pandas=False))
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            raise MixedTypeError(f"Cannot have NaN with {kind}") from None
    if kind in ("string", "empty"):
        return pd.array(values, dtype=STR)
    return storage_of(pa.array(values, from_pandas=True))


def _of_scalar(data: Any, dtype: Any, nan_as_null: bool | None, length: int | None) -> Any:
    length = 1 if length is None else length
    if length < 0:
        raise ValueError(f"{length=} must be >=0.")
    if isinstance(data, pd.Interval) or isinstance(dtype, CategoricalDtype):
        return as_storage(pd.Series([data] * length), dtype, nan_as_null)
    if data is pd.NaT:
        kind = "m8[s]" if getattr(dtype, "kind", "") == "m" else "M8[s]"
        return pd.array(np.full(length, "NaT", kind))
    if data is None or data is pd.NA:
        if dtype is None:
            raise ValueError("Need to pass dtype when passing pd.NA or None")
        return nulls(length, dtype)
    if isinstance(data, (pd.Timestamp, pd.Timedelta)):
        if getattr(data, "tz", None) is not None:
            return pd.Series([data] * length).array
        data = data.to_numpy()
    if isinstance(data, (np.datetime64, np.timedelta64)):
        if np.datetime_data(data.dtype)[0] not in ("s", "ms", "us", "ns"):
            data = data.astype(f"{data.dtype.kind}8[s]")
        return pd.array(np.full(length, data))
    if isinstance(data, (bool, int, float, np.generic)) and not isinstance(data, np.str_):
        values = np.asarray(data)
        _check_array((), values.dtype)
        if values.dtype.kind in "biuf":
            return masked(np.full(length, values))
    return storage_of(pa.array([data] * length if length else [], pa.scalar(data).type))


def nulls(n: int, dtype: Any) -> Any:
    """Storage of ``n`` nulls."""
    kind = storage_dtype(dtype)
    if isinstance(kind, pd.CategoricalDtype):
        return pd.Categorical.from_codes(np.full(n, -1), dtype=kind)
    if isinstance(kind, pd.ArrowDtype):
        return storage_of(pa.nulls(n, kind.pyarrow_dtype))
    if isinstance(kind, np.dtype):
        return pd.array(np.full(n, "NaT", kind))
    if isinstance(kind, (pd.DatetimeTZDtype, pd.IntervalDtype, pd.StringDtype)):
        return pd.array([None] * n, dtype=kind)
    return masked(np.zeros(n, kind.numpy_dtype), np.ones(n, bool))


def _of_iterable(data: Any, dtype: Any, nan_as_null: bool | None, length: int | None) -> Any:
    if not isinstance(data, Iterable):
        raise TypeError(f"{type(data).__name__} must be an iterable or sequence.")
    if isinstance(data, (Iterator, set, frozenset, dict)) or not hasattr(data, "__getitem__"):
        data = list(data)
    array = _of_list(data, dtype, nan_as_null)
    device.uploaded(device.size(array), writes=array)
    return array


def _of_list(data: Any, dtype: Any, nan_as_null: bool | None) -> Any:
    import cupy

    from_pandas = nan_as_null is not False
    if isinstance(dtype, pd.DatetimeTZDtype):
        raise NotImplementedError("Use `tz_localize()` to construct timezone aware data.")
    if isinstance(dtype, DecimalDtype):
        return storage_of(pa.array(data, type=dtype.to_arrow()))
    if isinstance(dtype, IntervalDtype):
        return pd.Series(data).astype(dtype.to_pandas()).array
    if isinstance(dtype, CategoricalDtype):
        series = pd.Series(data, dtype=pd.CategoricalDtype(ordered=dtype.ordered))
        if dtype._categories is not None:
            series = series.cat.set_categories(dtype._categories, ordered=dtype.ordered)
        return series.array
    if isinstance(dtype, (StructDtype, ListDtype)):
        return storage_of(pa.array([_plain(x) for x in data], type=dtype.to_arrow()))
    if isinstance(dtype, pd.StringDtype) or getattr(dtype, "kind", "") in ("O", "U"):
        if isinstance(dtype, pd.StringDtype) and not len(data):
            return pd.array([], dtype=STR)
        return as_storage(
            pd.Series(data, dtype=STR if isinstance(dtype, pd.StringDtype) else object), None, nan_as_null
        )
    if dtype is not None:
        return _of_list_as(data, dtype, from_pandas)
    for element in data:
        if _is_ours(element) or isinstance(element, (np.ndarray, pd.Series, pd.Index)) and element.ndim:
            return storage_of(pa.array([_plain(x) for x in data]))
        if isinstance(element, cupy.ndarray):
            return _of_device(cupy.array(data)) if not element.ndim else storage_of(pa.array([_plain(x) for x in data]))
        if isinstance(element, (datetime.datetime, datetime.timedelta, pd.Interval)) or element is pd.NaT:
            return _of_pandas(pd.Series(data), dtype, nan_as_null)
        if not any(element is missing for missing in (None, pd.NA, np.nan)):
            break
    try:
        array = storage_of(pa.array(data, from_pandas=from_pandas))
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, pa.ArrowNotImplementedError):
        array = _of_pandas(pd.Series(data), dtype, nan_as_null)
    return default_width(array)


def default_width(array: Any) -> Any:
    """Cast inferred numbers to the width the options ask for."""
    kind = getattr(getattr(array.dtype, "numpy_dtype", None), "kind", "")
    if kind in "iu" and kind and (width := get_option("default_integer_bitwidth")):
        return cast(array, np.dtype(f"{kind}{width // 8}"))
    if kind == "f" and (width := get_option("default_float_bitwidth")):
        return cast(array, np.dtype(f"f{width // 8}"))
    return array


def _of_list_as(data: Any, dtype: np.dtype, from_pandas: bool) -> Any:
    kind = column.arrow_type(dtype)
    try:
        return storage_of(pa.array(data, type=kind, from_pandas=from_pandas))
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        if str(error.args[0]).startswith("Could not convert <NA>"):
            return storage_of(pa.array(data, type=kind, from_pandas=True))
        return _of_pandas(pd.Series(data, dtype=dtype), dtype, from_pandas)


def _plain(value: Any) -> Any:
    """An element of a list column, as Arrow takes it."""
    if value is None or value is pd.NA:
        return None
    if hasattr(value, "to_arrow"):
        return value.to_arrow().to_pylist()
    if hasattr(value, "get") and hasattr(value, "__cuda_array_interface__"):
        return value.get().tolist()
    if isinstance(value, (np.ndarray, pd.Series, pd.Index)):
        return value.tolist()
    return value
