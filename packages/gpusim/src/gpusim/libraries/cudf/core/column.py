"""A column's storage: which pandas array holds which cuDF dtype, and the ways between Arrow, pandas and NumPy.

Numbers and bools lie in pandas' masked arrays, where null and NaN are two things; dates in datetime64 and timedelta64,
whose NaT is cuDF's null; strings in Arrow; categories and intervals in pandas' own; lists, structs and decimals in Arrow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.arrays import BooleanArray, FloatingArray, IntegerArray
from pandas.core.arrays.masked import BaseMaskedArray

from .dtypes import (
    STR,
    CategoricalDtype,
    Decimal32Dtype,
    Decimal64Dtype,
    Decimal128Dtype,
    DecimalDtype,
    IntervalDtype,
    ListDtype,
    StructDtype,
)

MASKED = {
    np.dtype(name.lower()): getattr(pd, name + "Dtype")()
    for name in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64")
} | {np.dtype("bool"): pd.BooleanDtype()}


def dtype_of(kind: Any) -> Any:
    """The cuDF dtype of an Arrow type or of a storage dtype."""
    if isinstance(kind, pa.DataType):
        return _of_arrow(kind)
    if isinstance(kind, np.dtype):
        return kind
    if isinstance(kind, pd.CategoricalDtype):
        return CategoricalDtype(kind.categories, kind.ordered)
    if isinstance(kind, pd.IntervalDtype):
        return IntervalDtype(kind.subtype, kind.closed)
    if isinstance(kind, pd.ArrowDtype):
        return _of_arrow(kind.pyarrow_dtype)
    if isinstance(kind, (pd.StringDtype, pd.DatetimeTZDtype)):
        return kind
    return kind.numpy_dtype


def _of_arrow(kind: pa.DataType) -> Any:
    types = pa.types
    if types.is_null(kind):
        return np.dtype("object")
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return ListDtype.from_arrow(kind)
    if types.is_struct(kind):
        return StructDtype.from_arrow(kind)
    if types.is_decimal256(kind):
        raise NotImplementedError("cudf does not support Decimal256Type")
    if types.is_decimal(kind):
        return {4: Decimal32Dtype, 8: Decimal64Dtype}.get(kind.byte_width, Decimal128Dtype).from_arrow(kind)
    if types.is_timestamp(kind):
        return pd.DatetimeTZDtype(kind.unit, kind.tz) if kind.tz else np.dtype(f"M8[{kind.unit}]")
    if types.is_duration(kind):
        return np.dtype(f"m8[{kind.unit}]")
    if types.is_date(kind):
        return np.dtype("M8[s]")
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return STR
    if types.is_dictionary(kind):
        return CategoricalDtype(None, kind.ordered)
    if kind.id in (pa.float16().id,) or not (
        types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
    ):
        raise TypeError(f"Unsupported type: {kind}")
    return np.dtype(kind.to_pandas_dtype())


def arrow_type(dtype: Any) -> pa.DataType:
    """The Arrow type of a cuDF dtype."""
    if isinstance(dtype, CategoricalDtype):
        raise NotImplementedError("No conversion from Categorical to pyarrow type")
    if isinstance(dtype, (ListDtype, StructDtype, DecimalDtype)):
        return dtype.to_arrow()
    if isinstance(dtype, pd.DatetimeTZDtype):
        return pa.timestamp(dtype.unit, str(dtype.tz))
    if isinstance(dtype, pd.StringDtype) or getattr(dtype, "kind", "") in "OU":
        return pa.string()
    return pa.from_numpy_dtype(getattr(dtype, "numpy_dtype", dtype))


def storage_dtype(dtype: Any) -> Any:
    """The pandas dtype in which a column of a cuDF dtype is stored."""
    if isinstance(dtype, (CategoricalDtype, IntervalDtype)):
        return dtype.to_pandas()
    if isinstance(dtype, (ListDtype, StructDtype, DecimalDtype)):
        return pd.ArrowDtype(dtype.to_arrow())
    if isinstance(dtype, np.dtype):
        if dtype in MASKED:
            return MASKED[dtype]
        return STR if dtype.kind in "OU" else dtype
    return STR if isinstance(dtype, pd.StringDtype) else dtype


def masked(values: np.ndarray, mask: np.ndarray | None = None) -> BaseMaskedArray:
    """A masked array of NumPy values; NaN stays a value."""
    if values.dtype == np.float16:
        values = values.astype(np.float32)
    mask = np.zeros(len(values), bool) if mask is None else mask
    cls = {"b": BooleanArray, "f": FloatingArray}.get(values.dtype.kind, IntegerArray)
    out = object.__new__(cls)
    out._data, out._mask = values, mask
    if cls is BooleanArray:
        out._dtype = MASKED[values.dtype]
    return out


def in_one(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column of Arrow's in one piece."""
    if not isinstance(array, pa.ChunkedArray):
        return array
    return array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()


def storage_of(array: pa.Array | pa.ChunkedArray) -> Any:
    """Make storage of an Arrow array; nulls stay null and NaN stays NaN."""
    array = in_one(array)
    kind, types = array.type, pa.types
    if isinstance(kind, pa.ExtensionType):
        if hasattr(kind, "subtype"):
            bounds = pd.IntervalDtype(kind.subtype.to_pandas_dtype(), kind.closed)
            return pd.Series(array.to_pandas(), dtype=bounds).array
        array = array.storage
        kind = array.type
    if types.is_dictionary(kind):
        categories = storage_of(array.dictionary)
        codes = array.indices.to_numpy(zero_copy_only=False)
        codes = np.where(np.isnan(codes), -1, codes).astype(np.int64) if codes.dtype.kind == "f" else codes
        return pd.Categorical.from_codes(codes.astype(np.int64), _plain_index(categories), ordered=kind.ordered)
    dtype = _of_arrow(kind)
    if types.is_null(kind) or types.is_decimal(kind) or types.is_struct(kind):
        return pd.arrays.ArrowExtensionArray(pa.chunked_array([array]))
    if isinstance(dtype, ListDtype):
        if not types.is_list(kind):
            array = array.cast(pa.list_(kind.value_type))
        return pd.arrays.ArrowExtensionArray(pa.chunked_array([array]))
    if dtype is STR:
        array = array if types.is_large_string(kind) else array.cast(pa.large_string())
        return pd.array(pa.chunked_array([array]), dtype=STR)
    if getattr(dtype, "kind", "") in "Mm":
        if types.is_date(kind):
            array = array.cast(pa.timestamp("ms")).cast(pa.timestamp("s"))
        values = array.cast(pa.int64(), safe=False).fill_null(np.iinfo(np.int64).min).to_numpy(zero_copy_only=False)
        if isinstance(dtype, pd.DatetimeTZDtype):
            base = pd.DatetimeIndex(values.view(f"M8[{dtype.unit}]"))
            return base.tz_localize("UTC").tz_convert(dtype.tz).array
        return pd.array(values.view(dtype).copy() if not values.flags.writeable else values.view(dtype), dtype=dtype)
    mask = array.is_null().to_numpy(zero_copy_only=False).copy() if array.null_count else np.zeros(len(array), bool)
    filled = array.fill_null(False if types.is_boolean(kind) else 0) if array.null_count else array
    values = filled.to_numpy(zero_copy_only=False)
    return masked(np.array(values, dtype=dtype), mask)


def _plain_index(array: Any) -> pd.Index:
    """A pandas Index of a storage array, on NumPy where there are no nulls."""
    if isinstance(array, BaseMaskedArray) and not array._mask.any():
        return pd.Index(array._data)
    return pd.Index(array)


def arrow_of(array: Any) -> pa.Array:
    """Make an Arrow array (one chunk) of a storage array or a pandas Index."""
    if isinstance(array, (pd.Index, pd.Series)):
        array = array.array
    if isinstance(array, BaseMaskedArray):
        return pa.array(array._data, mask=array._mask if array._mask.any() else None, from_pandas=False)
    if isinstance(array, pd.Categorical):
        codes = array.codes
        indices = pa.array(codes.astype(_codes_dtype(len(array.categories))), mask=codes < 0)
        return pa.DictionaryArray.from_arrays(indices, arrow_of(array.categories), ordered=bool(array.ordered))
    inner = getattr(array, "_pa_array", None)
    if inner is not None:
        one = in_one(inner)
        return _from_start(one.cast(pa.string())) if pa.types.is_large_string(one.type) else one
    if isinstance(array, pd.arrays.IntervalArray):
        return pa.array(array)
    dtype = array.dtype
    if isinstance(dtype, pd.DatetimeTZDtype):
        return pa.array(array)
    values = np.asarray(array)
    if values.dtype.kind in "Mm":
        return pa.array(values)
    if values.dtype.kind == "O":
        return pa.array(values, from_pandas=True)
    return pa.array(values, from_pandas=False)


def _from_start(array: pa.Array) -> pa.Array:
    """Strings whose first is at the start of their memory: a part of a column is not, and Arrow's `ascii_upper` reads the wrong bytes then."""
    if not len(array) or not np.frombuffer(array.buffers()[1], np.int32, 1, 4 * array.offset)[0]:
        return array
    return pa.concat_arrays([array, array.slice(0, 0)])


def public_arrow(array: pa.Array) -> pa.Array:
    """What ``to_arrow`` hands out: strings with 64-bit offsets, as cuDF's default string dtype says."""
    kind = array.type
    if pa.types.is_string(kind):
        return array.cast(pa.large_string())
    if pa.types.is_dictionary(kind) and pa.types.is_string(kind.value_type):
        values = array.dictionary.cast(pa.large_string())
        return pa.DictionaryArray.from_arrays(array.indices, values, ordered=kind.ordered)
    return array


def _codes_dtype(n: int) -> np.dtype:
    return np.dtype("int8") if n < 128 else np.dtype("int16") if n < 32768 else np.dtype("int32")


def isnull(array: Any) -> np.ndarray:
    """Which values of a storage array are null (NaN is not)."""
    if isinstance(array, BaseMaskedArray):
        return array._mask
    return np.asarray(pd.isna(array), dtype=bool)


def nans_to_nulls(array: Any) -> Any:
    """Make nulls of the NaN in a storage array."""
    if isinstance(array, FloatingArray):
        nan = np.isnan(array._data)
        if nan.any():
            return masked(array._data, array._mask | nan)
    return array


def normal(array: Any, nan_as_null: bool = True) -> Any:
    """Make storage of any array that pandas or NumPy computed."""
    if isinstance(array, pd.arrays.NumpyExtensionArray):
        array = array.to_numpy()
    if isinstance(array, BaseMaskedArray):
        if array._data.dtype == np.float16:
            return masked(array._data, array._mask)
        return array
    dtype = array.dtype
    if isinstance(dtype, np.dtype):
        if dtype.kind in "biuf":
            mask = np.isnan(array) if dtype.kind == "f" and nan_as_null else None
            return masked(np.asarray(array), mask)
        if dtype.kind in "Mm":
            return pd.array(np.asarray(array) if isinstance(array, np.ndarray) else array)
        if dtype.kind == "O":
            return _of_objects(array)
        return pd.array(np.asarray(array).astype(object), dtype=STR)
    if isinstance(dtype, pd.StringDtype):
        return array if dtype == STR else array.astype(STR)
    if isinstance(dtype, pd.ArrowDtype):
        kind = dtype.pyarrow_dtype
        if pa.types.is_nested(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind):
            return array
        return storage_of(array._pa_array)
    return array


def _of_objects(array: Any) -> Any:
    values = np.asarray(array, dtype=object)
    try:
        return storage_of(pa.array(values, from_pandas=True))
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        from ..errors import MixedTypeError

        raise MixedTypeError("Cannot create column with mixed types") from None
