"""``astype`` on storage arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.core.arrays.masked import BaseMaskedArray

from .column import arrow_of, dtype_of, isnull, masked, nans_to_nulls, normal, storage_dtype, storage_of
from .dtypes import STR, CategoricalDtype, DecimalDtype, IntervalDtype, ListDtype, StructDtype


def cast(array: Any, dtype: Any) -> Any:
    """A storage array as another cuDF dtype.

    Raises
    ------
    ValueError, TypeError, NotImplementedError
        For conversions cuDF refuses.
    """
    target = storage_dtype(dtype)
    if array.dtype == target and not isinstance(dtype, CategoricalDtype):
        return array
    if isinstance(dtype, CategoricalDtype):
        return _to_category(array, dtype)
    if isinstance(array, pd.Categorical):
        return cast(normal(array.categories.array.take(array.codes, allow_fill=True)), dtype)
    if isinstance(dtype, IntervalDtype):
        return pd.Series(array).astype(target).array
    if isinstance(array.dtype, pd.ArrowDtype) and pa.types.is_null(array.dtype.pyarrow_dtype):
        from .construct import nulls

        return nulls(len(array), dtype)
    if isinstance(dtype, (ListDtype, StructDtype)):
        if not isinstance(array.dtype, pd.ArrowDtype):
            raise TypeError(f"Cannot cast {array.dtype} column to {dtype}")
        return storage_of(arrow_of(array).cast(dtype.to_arrow()))
    if isinstance(dtype, DecimalDtype):
        return _to_decimal(array, dtype)
    if target == STR:
        return to_strings(array)
    if isinstance(target, (np.dtype, pd.DatetimeTZDtype)):
        return _to_time(array, target)
    return _to_number(array, target.numpy_dtype)


def _to_category(array: Any, dtype: CategoricalDtype) -> Any:
    if isinstance(array, pd.Categorical):
        if dtype._categories is None:
            return array if not dtype.ordered or array.ordered else array.as_ordered()
        return array.set_categories(dtype._categories, ordered=bool(dtype.ordered))
    if isinstance(array.dtype, pd.ArrowDtype) and not pa.types.is_null(array.dtype.pyarrow_dtype):
        raise NotImplementedError("Cannot convert to categorical")
    array = nans_to_nulls(array)
    plain = array
    if isinstance(array, BaseMaskedArray):
        plain = array if array._mask.any() else array._data
    elif isinstance(array.dtype, pd.ArrowDtype):
        plain = pd.array([None] * len(array), dtype=STR)
    if dtype._categories is None:
        found = pd.Categorical(plain, ordered=bool(dtype.ordered))
        kind = getattr(found.categories.dtype, "numpy_dtype", None)
        return found.rename_categories(found.categories.astype(kind)) if kind is not None else found
    return pd.Categorical(plain, categories=dtype._categories, ordered=bool(dtype.ordered))


def _to_decimal(array: Any, dtype: DecimalDtype) -> Any:
    values = arrow_of(array)
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    if pa.types.is_integer(values.type):
        values = values.cast(pa.decimal128(20 if values.type.bit_width == 64 else 19, 0))
    return storage_of(pc.cast(values, dtype.to_arrow(), safe=False))


def to_strings(array: Any) -> Any:
    """Strings of the values as cuDF writes them: floats with a point, bools as ``True`` and ``False``."""
    null = isnull(array)
    if isinstance(array, BaseMaskedArray):
        kind = array._data.dtype.kind
        if kind == "b":
            texts: Any = np.where(array._data, "True", "False")
        elif kind == "f":
            texts = [_float_text(value) for value in array._data]
        else:
            texts = array._data.astype(str)
        return pd.array(np.where(null, None, np.asarray(texts, dtype=object)), dtype=STR)
    if isinstance(array.dtype, pd.ArrowDtype):
        if pa.types.is_nested(array.dtype.pyarrow_dtype):
            raise NotImplementedError("Cannot convert a nested column to strings")
        return storage_of(arrow_of(array).cast(pa.string()))
    if array.dtype.kind == "m":
        texts = np.asarray(pd.Series(array).astype(str), dtype=object)
        return pd.array(np.where(null, None, texts), dtype=STR)
    if array.dtype.kind == "M":
        texts = np.asarray(pd.Series(array).astype(str), dtype=object)
        return pd.array(np.where(null, None, texts), dtype=STR)
    return pd.array(np.where(null, None, np.asarray(array).astype(str).astype(object)), dtype=STR)


def _float_text(value: Any) -> str:
    if np.isnan(value):
        return "nan"
    if np.isinf(value):
        return "inf" if value > 0 else "-inf"
    return str(value)


def _to_time(array: Any, target: Any) -> Any:
    if isinstance(target, pd.DatetimeTZDtype):
        if not isinstance(array.dtype, pd.DatetimeTZDtype):
            raise TypeError(
                "Cannot use .astype to convert from timezone-naive dtype to timezone-aware dtype. "
                "Use tz_localize instead."
            )
        return pd.Series(array).astype(target).array
    if isinstance(array.dtype, pd.DatetimeTZDtype):
        raise TypeError(
            "Cannot use .astype to convert from timezone-aware dtype to timezone-naive dtype. "
            "Use tz_convert(None) instead."
        )
    if isinstance(array, BaseMaskedArray):
        if array._data.dtype.kind == "b":
            raise TypeError(f"cannot convert bool to {target}")
        values = np.where(np.isnan(array._data), 0, array._data) if array._data.dtype.kind == "f" else array._data
        values = values.astype(np.int64).view(target)
        nan = np.isnan(array._data) if array._data.dtype.kind == "f" else False
        return pd.array(np.where(array._mask | nan, np.array("NaT", target), values))
    if array.dtype.kind in "Mm":
        if array.dtype.kind != target.kind:
            raise TypeError(
                f"cannot astype a {'datetime' if array.dtype.kind == 'M' else 'timedelta'}"
                f" from {array.dtype} to {target}"
            )
        return pd.array(np.asarray(array).astype(target))
    if array.dtype == STR:
        convert = pd.to_datetime if target.kind == "M" else pd.to_timedelta
        found = convert(pd.Series(np.asarray(array, dtype=object)))
        return pd.array(np.asarray(found).astype(target))
    return pd.Series(array).astype(target).array


def _to_number(array: Any, dtype: np.dtype) -> Any:
    if isinstance(array, BaseMaskedArray):
        values = array._data
        if values.dtype.kind == "f" and dtype.kind in "iu":
            nan = np.isnan(values)
            if (nan & ~array._mask).any():
                raise TypeError("Cannot convert non-finite values (NA or inf) to integer")
            values = np.where(array._mask | nan, 0, values)
        with np.errstate(all="ignore"):
            return masked(values.astype(dtype), array._mask.copy())
    if isinstance(array.dtype, pd.ArrowDtype):
        if not pa.types.is_decimal(array.dtype.pyarrow_dtype):
            raise TypeError(f"Cannot convert {dtype_of(array.dtype)} to {dtype}")
        values = arrow_of(array)
        if dtype.kind != "f":
            values = pc.trunc(values).cast(pa.float64())
        return storage_of(pc.cast(values, pa.from_numpy_dtype(dtype), safe=False))
    if array.dtype == STR:
        return _number_of_text(array, dtype)
    if array.dtype.kind in "Mm":
        if dtype.kind == "b" and array.dtype.kind == "m":
            return masked(np.asarray(array).view("i8") != 0, isnull(array).copy())
        if dtype != np.int64 and dtype.kind == "b":
            raise TypeError(f"cannot astype a datetimelike from {array.dtype} to {dtype}")
        values = np.asarray(array.astype("int64") if not isinstance(array.dtype, np.dtype) else array).view("i8")
        return masked(values.astype(dtype), isnull(array).copy())
    raise TypeError(f"Cannot convert {array.dtype} to {dtype}")


def _number_of_text(array: Any, dtype: np.dtype) -> Any:
    null = isnull(array)
    if dtype.kind == "b":
        return masked(np.asarray(pc.greater(pc.utf8_length(arrow_of(array)), 0).fill_null(False)), null.copy())
    texts = np.asarray(array, dtype=object)
    values = np.zeros(len(texts), dtype)
    try:
        if dtype.kind == "f":
            values[~null] = [float(t) if t.strip() else np.nan for t in texts[~null]]
        else:
            values[~null] = np.array([int(t) for t in texts[~null]], dtype=object).astype(dtype)
    except ValueError:
        what = "float" if dtype.kind == "f" else "integer"
        raise ValueError(
            f"Could not convert strings to {what} type due to presence of non-{'floating' if what == 'float' else what} values."
        ) from None
    return masked(values, null.copy())
