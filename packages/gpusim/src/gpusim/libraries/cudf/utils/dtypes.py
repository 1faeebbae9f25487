"""Types in common and lists of types, under the names other libraries look for."""

import numpy as _np
import pandas as _pd

from ..core.column import arrow_type as cudf_dtype_to_pa_type
from ..core.column import dtype_of as cudf_dtype_from_pa_type
from ..core.dtypes import STR as DEFAULT_STRING_DTYPE
from ..core.reshape_types import find_common_type

np_dtypes_to_pandas_dtypes = {
    _np.dtype(name.lower()): getattr(_pd, f"{name}Dtype")()
    for name in ("UInt8", "UInt16", "UInt32", "UInt64", "Int8", "Int16", "Int32", "Int64", "Float32", "Float64")
} | {
    _np.dtype("bool"): _pd.BooleanDtype(),
    _np.dtype("object"): DEFAULT_STRING_DTYPE,
    _np.dtype("str"): DEFAULT_STRING_DTYPE,
}
pandas_dtypes_to_np_dtypes = {value: key for key, value in np_dtypes_to_pandas_dtypes.items()}
SIGNED_INTEGER_TYPES = {"int8", "int16", "int32", "int64"}
UNSIGNED_TYPES = {"uint8", "uint16", "uint32", "uint64"}
INTEGER_TYPES = SIGNED_INTEGER_TYPES | UNSIGNED_TYPES
FLOAT_TYPES = {"float32", "float64"}
SIGNED_TYPES = SIGNED_INTEGER_TYPES | FLOAT_TYPES
NUMERIC_TYPES = SIGNED_TYPES | UNSIGNED_TYPES
DATETIME_TYPES = {f"datetime64[{unit}]" for unit in ("s", "ms", "us", "ns")}
TIMEDELTA_TYPES = {f"timedelta64[{unit}]" for unit in ("s", "ms", "us", "ns")}
OTHER_TYPES = {"bool", "category", "str"}
STRING_TYPES = {"object", "str", "string"}
BOOL_TYPES = {"bool"}
ALL_TYPES = NUMERIC_TYPES | DATETIME_TYPES | TIMEDELTA_TYPES | OTHER_TYPES

__all__ = ["DEFAULT_STRING_DTYPE", "cudf_dtype_from_pa_type", "cudf_dtype_to_pa_type", "find_common_type"]
