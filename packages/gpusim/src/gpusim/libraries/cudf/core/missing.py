"""Filling, dropping and interpolating nulls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas import NA, NaT
from pandas.core.arrays.masked import BaseMaskedArray

from .binary import family, is_array
from .cast import cast
from .column import dtype_of, isnull, masked, nans_to_nulls

__all__ = ["NA", "NaT", "fill_array", "fits"]


def fits(value: Any, array: Any) -> Any:
    """A scalar as a value of a column, after cuDF's check that the type holds it.

    Raises
    ------
    TypeError, ValueError
        For a value that the column's type cannot hold.
    """
    if value is None or value is pd.NA or value is pd.NaT:
        return pd.NA
    kind = family(array)
    if kind == "number":
        dtype = array._data.dtype
        if isinstance(value, str) or not isinstance(value, (bool, int, float, np.generic)):
            raise TypeError(f"cannot safely cast non-equivalent {type(value).__name__} to {dtype}")
        if isinstance(value, (float, np.floating)) and np.isnan(value):
            return value if dtype.kind == "f" else pd.NA
        if dtype.kind in "iu":
            if int(value) != value:
                raise TypeError(f"Cannot safely cast non-equivalent {type(value).__name__} to {dtype}")
            info = np.iinfo(dtype)
            if not info.min <= int(value) <= info.max:
                raise TypeError(f"Cannot safely cast non-equivalent {type(value).__name__} to {dtype}")
        return dtype.type(value)
    if kind == "text":
        if not isinstance(value, str):
            raise TypeError("Cannot set value of type " + type(value).__name__ + " to a string column")
        return str(value)
    if kind == "category" and value not in array.categories:
        raise ValueError("fill value must be in categories")
    return value


def fill_array(array: Any, value: Any) -> Any:
    """A storage array whose nulls are a scalar or the values of another of the same length."""
    null = isnull(array)
    if isinstance(array, BaseMaskedArray) and array._data.dtype.kind == "f":
        array = nans_to_nulls(array)
        null = array._mask
    if not null.any():
        return array
    if is_array(value):
        if value.dtype != array.dtype:
            value = cast(value, dtype_of(array.dtype))
        if isinstance(array, BaseMaskedArray):
            return masked(np.where(null, value._data, array._data), null & value._mask)
        return pd.Series(array).where(~null, pd.Series(value)).array
    if family(array) == "null":
        from .construct import as_storage

        return as_storage(value, length=len(array))
    value = fits(value, array)
    if value is pd.NA:
        return array
    if isinstance(array, BaseMaskedArray):
        return masked(np.where(null, value, array._data).astype(array._data.dtype), np.zeros(len(array), bool))
    filled = pd.Series(array).fillna(value).array
    return filled if filled.dtype == array.dtype else pd.Series(filled).astype(array.dtype).array
