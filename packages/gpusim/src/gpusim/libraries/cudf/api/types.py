"""Questions about types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types as pd_types

from ..core.dtypes import (
    STR,
    CategoricalDtype,
    Decimal32Dtype,
    Decimal64Dtype,
    Decimal128Dtype,
    DecimalDtype,
    IntervalDtype,
    ListDtype,
    StructDtype,
    _BaseDtype,
    dtype,
)


def _of(value: Any) -> Any:
    if isinstance(value, (_BaseDtype, np.dtype, pd.api.extensions.ExtensionDtype)):
        return value
    return getattr(value, "dtype", value)


def _is(value: Any, cls: Any) -> bool:
    found = _of(value)
    if isinstance(found, type) and issubclass(found, _BaseDtype):
        return issubclass(found, cls)
    return isinstance(found, cls) or (isinstance(found, str) and found == getattr(cls, "name", None))


def is_categorical_dtype(obj: Any) -> bool:
    """Whether it is a categorical type or has one."""
    return (
        _is(obj, CategoricalDtype)
        or isinstance(_of(obj), pd.CategoricalDtype)
        or (isinstance(obj, str) and obj == "category")
    )


def _is_kind(kind: str, cls: Any) -> Any:
    def is_dtype(obj: Any) -> bool:
        return _is(obj, cls)

    is_dtype.__name__ = is_dtype.__qualname__ = f"is_{kind}_dtype"
    is_dtype.__doc__ = f"Whether it is a {kind} type or has one."
    return is_dtype


is_list_dtype = _is_kind("list", ListDtype)
is_struct_dtype = _is_kind("struct", StructDtype)
is_decimal_dtype = _is_kind("decimal", DecimalDtype)
is_decimal32_dtype = _is_kind("decimal32", Decimal32Dtype)
is_decimal64_dtype = _is_kind("decimal64", Decimal64Dtype)
is_decimal128_dtype = _is_kind("decimal128", Decimal128Dtype)


def is_interval_dtype(obj: Any) -> bool:
    """Whether it is an interval type or has one."""
    return _is(obj, IntervalDtype) or isinstance(_of(obj), pd.IntervalDtype)


def is_numeric_dtype(obj: Any) -> bool:
    """Whether it is a type of numbers (decimals and bools are) or has one."""
    found = _of(obj)
    if isinstance(found, _BaseDtype) or isinstance(found, type) and issubclass(found, _BaseDtype):
        return is_decimal_dtype(found)
    return bool(pd_types.is_numeric_dtype(found))


def is_string_dtype(obj: Any) -> bool:
    """Whether it is a type of strings or has one."""
    found = _of(obj)
    if isinstance(found, _BaseDtype) or isinstance(found, (pd.CategoricalDtype, pd.IntervalDtype)):
        return False
    if isinstance(found, type) and issubclass(found, _BaseDtype):
        return False
    return found == STR or bool(pd_types.is_string_dtype(found))


def is_integer(obj: Any) -> bool:
    """Whether it is an integer."""
    return pd_types.is_integer(obj)


def is_scalar(val: Any) -> bool:
    """Whether it is a scalar, on the host."""
    return bool(pd_types.is_scalar(val))


def is_list_like(obj: Any) -> bool:
    """Whether it is a list-like: a sequence, a set, an array, a frame; not a string."""
    return isinstance(obj, (Sequence, np.ndarray)) and not isinstance(obj, (str, bytes)) or pd_types.is_list_like(obj)


def _plain(name: str) -> Any:
    function = getattr(pd_types, name)

    def ask(obj: Any) -> bool:
        found = _of(obj)
        if isinstance(found, _BaseDtype) or isinstance(found, type) and issubclass(found, _BaseDtype):
            return False
        return bool(function(found))

    ask.__name__ = name
    ask.__doc__ = f"pandas' ``{name}``, also of our types and frames."
    return ask


for _name in ("is_bool_dtype", "is_object_dtype", "is_float_dtype", "is_integer_dtype", "is_any_real_numeric_dtype",
              "is_datetime64_dtype", "is_datetime64_ns_dtype", "is_datetime64_any_dtype", "is_timedelta64_dtype",
              "is_timedelta64_ns_dtype", "is_signed_integer_dtype", "is_unsigned_integer_dtype", "is_int64_dtype",
              "is_complex_dtype", "is_extension_array_dtype", "is_period_dtype", "is_sparse"):  # fmt: skip
    if hasattr(pd_types, _name):
        globals()[_name] = _plain(_name)
for _name in ("is_re", "is_re_compilable", "is_dict_like", "is_file_like", "is_hashable", "is_iterator", "is_float",
              "is_bool", "is_number", "is_named_tuple", "infer_dtype", "pandas_dtype", "union_categoricals"):  # fmt: skip
    if hasattr(pd_types, _name):
        globals().setdefault(_name, getattr(pd_types, _name))


def is_datetime64tz_dtype(obj: Any) -> bool:
    """Whether it is a type of points in time with a zone or has one."""
    return isinstance(_of(obj), pd.DatetimeTZDtype)


_cudf_dtype = dtype
