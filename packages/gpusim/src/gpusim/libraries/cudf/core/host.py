"""From storage to the host: pandas, NumPy, scalars, and what a repr prints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.core.arrays.masked import BaseMaskedArray

from gpusim.importing.errors import NotSimulatedError

from . import device
from .binary import family
from .cast import to_strings
from .column import arrow_of, dtype_of, isnull, normal
from .dtypes import STR


def must_copy(copy: bool) -> None:
    """What `to_numpy` raises without a copy.

    Raises
    ------
    ValueError
    """
    if not copy:
        raise ValueError("copy=False is not supported because conversion to a numpy array always copies the data.")


def to_host(array: Any, nullable: bool = False, arrow_type: bool = False) -> Any:
    """The array that pandas gets of a storage array.

    Raises
    ------
    ValueError
        If both kinds of nullable result are asked for.
    NotImplementedError
        For types that have no such form.
    """
    if arrow_type and nullable:
        raise ValueError(f"{arrow_type=} and {nullable=} cannot both be set.")
    if arrow_type:
        if family(array) in ("category", "interval"):
            raise NotImplementedError(f"{arrow_type=} is not supported for {dtype_of(array.dtype)}")
        return pd.arrays.ArrowExtensionArray(pa.chunked_array([arrow_of(array)]))
    if isinstance(array, BaseMaskedArray):
        if nullable:
            return array.copy()
        null = array._mask
        if not null.any():
            return array._data.copy()
        if array._data.dtype.kind == "b":
            values = array._data.astype(object)
            values[null] = None
            return values
        values = array._data.astype(np.float64 if array._data.dtype.kind in "iu" else array._data.dtype)
        values[null] = np.nan
        return values
    kind = family(array)
    if kind == "text":
        return array.astype(pd.StringDtype(na_value=pd.NA)) if nullable else array.copy()
    if kind == "null":
        return np.full(len(array), None, dtype=object)
    if kind in ("list", "struct", "decimal"):
        if nullable:
            raise NotImplementedError(f"{nullable=} is not supported for {dtype_of(array.dtype)}")
        values = np.empty(len(array), dtype=object)
        values[:] = arrow_of(array).to_pylist()
        return values
    if nullable and kind in ("category", "interval"):
        raise NotImplementedError(f"{nullable=} is not supported for {dtype_of(array.dtype)}")
    return array.copy()


def host_series(p: pd.Series, nullable: bool = False, arrow_type: bool = False, index: bool = True) -> pd.Series:
    """A Series for the host."""
    device.downloaded(device.size(p.array), reads=p)
    array = to_host(p.array, nullable, arrow_type)
    dtype = array.dtype if not isinstance(array, np.ndarray) or array.dtype.kind != "O" else object
    return pd.Series(array, index=host_index(p.index) if index else None, name=p.name, dtype=dtype)


def host_frame(p: pd.DataFrame, nullable: bool = False, arrow_type: bool = False) -> pd.DataFrame:
    """A DataFrame for the host."""
    index = host_index(p.index)
    columns = {}
    for position in range(p.shape[1]):
        array = p.iloc[:, position].array
        device.downloaded(device.size(array), reads=array)
        array = to_host(array, nullable, arrow_type)
        dtype = array.dtype if not isinstance(array, np.ndarray) or array.dtype.kind != "O" else object
        columns[position] = pd.Series(array, index=index, dtype=dtype)
    out = pd.DataFrame(columns, index=index)
    out.columns = p.columns
    return out


def host_index(p: pd.Index, nullable: bool = False, arrow_type: bool = False) -> pd.Index:
    """An Index for the host."""
    if isinstance(p, pd.MultiIndex):
        # A level holds each label once and no nulls: those are codes of −1.
        plain = [
            level.astype(level.dtype.numpy_dtype) if isinstance(level.array, BaseMaskedArray) else level
            for level in p.levels
        ]
        return (
            p.set_levels(plain, verify_integrity=False)
            if any(a is not b for a, b in zip(plain, p.levels, strict=True))
            else p.copy()
        )
    if isinstance(p, pd.RangeIndex) or not len(p) and p.dtype == object:
        return p.copy()
    array = to_host(normal(p.array), nullable, arrow_type)
    if isinstance(array, np.ndarray) and array.dtype.kind == "O":
        return pd.Index(array, name=p.name, dtype=object)
    return pd.Index(array, name=p.name)


def element(array: Any, position: int) -> Any:
    """One value, a number as NumPy's, NaN of floats that is null, too; null is NaN of strings, NaT of dates, ``<NA>`` of anything else."""
    if isinstance(array, BaseMaskedArray):
        if array._mask[position]:
            return array._data.dtype.type("nan") if array._data.dtype.kind == "f" else pd.NA
        return array._data[position]
    value = array[position]
    kind = family(array)
    if kind == "text":
        return value if isinstance(value, str) else np.nan
    if kind in ("list", "struct", "decimal", "null"):
        return nested(arrow_of(array[position : position + 1])[0].as_py()) if len(array) else value
    if kind in ("M", "m", "tz"):
        return value
    if kind == "category":
        return pd.NA if pd.isna(value) else value
    return value


def nested(value: Any) -> Any:
    """A nested value whose nulls are ``<NA>``."""
    if value is None:
        return pd.NA
    if isinstance(value, list):
        return [nested(item) for item in value]
    if isinstance(value, dict):
        return {key: nested(item) for key, item in value.items()}
    return value


def printable(array: Any) -> Any:
    """What a repr shows of a storage array: a host array whose nulls read as cuDF prints them."""
    null = isnull(array)
    kind = family(array)
    if not null.any() or kind in ("category", "interval", "list", "struct"):  # nulls of the last two read as None
        return to_host(array)
    if kind in ("M", "m", "tz"):
        texts, missing = np.asarray(to_strings(array), dtype=object), "NaT"
    elif kind == "decimal":
        texts, missing = np.array([None if v is None else str(v) for v in arrow_of(array).to_pylist()], object), "<NA>"
    elif kind == "null":
        texts, missing = np.full(len(array), None, dtype=object), "None"
    else:
        texts = np.asarray(to_strings(array), dtype=object)
        is_float = isinstance(array, BaseMaskedArray) and array._data.dtype.kind == "f"
        missing = "NaN" if is_float or array.dtype == STR else "<NA>"
    return np.where(null, missing, texts)


def printable_frame(p: pd.DataFrame) -> pd.DataFrame:
    """A host DataFrame for a repr."""
    index = printable_index(p.index)
    columns = {i: pd.Series(printable(p.iloc[:, i].array), index=index) for i in range(p.shape[1])}
    out = pd.DataFrame(columns, index=index)
    out.columns = p.columns
    return out


def printable_index(p: pd.Index) -> pd.Index:
    """A host Index for a repr."""
    if isinstance(p, (pd.MultiIndex, pd.RangeIndex, pd.CategoricalIndex, pd.IntervalIndex)) or p.dtype == object:
        return p
    return pd.Index(printable(normal(p.array)), name=p.name) if p.hasnans else p


def values_array(array: Any) -> np.ndarray:
    """A numeric storage array as NumPy values, as ``.values`` exposes them: nulls become NaN.

    Raises
    ------
    NotImplementedError
        For columns that CuPy has no type for.
    ValueError
        For bools with nulls.
    """
    if not isinstance(array, BaseMaskedArray):
        if family(array) in ("text", "null"):
            raise TypeError(f"cupy does not support {dtype_of(array.dtype)}")
        if family(array) in ("M", "m"):
            raise NotSimulatedError(f"a CuPy array of {array.dtype}", "to_numpy()")
        raise NotImplementedError(f"CuPy does not support {dtype_of(array.dtype)}")
    values, null = array._data, array._mask
    if null.any():
        if values.dtype.kind == "b":
            raise ValueError(f"Column must have no nulls for dtype={values.dtype}")
        values = values.astype(np.float64 if values.dtype.kind != "f" else values.dtype)
        values[null] = np.nan
    return values
