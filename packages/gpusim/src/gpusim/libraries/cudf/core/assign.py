"""Assignment of columns and of values: always to a copy, so that what shares the memory keeps its values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .binary import family
from .cast import cast
from .column import arrow_of, dtype_of, storage_of
from .construct import as_storage, nulls
from .dtypes import STR
from .indexing import key_of
from .operators import device_scalar
from .reshape_types import find_common_type
from .wrap import classes, normal_frame, normal_series, series_of


def frame_setitem(self: Any, key: Any, value: Any) -> None:
    """``frame[key] = value``: a column, several columns, or the rows of a mask."""
    p = self._p
    if isinstance(key, classes["DataFrame"]):
        self._p = normal_frame(self.mask(key, value)._p)
        return
    host_key = key_of(key)
    if isinstance(host_key, slice):
        self.iloc[host_key] = value
        return
    if pd.api.types.is_scalar(host_key) or isinstance(host_key, tuple):
        if isinstance(p.columns, pd.MultiIndex) and not isinstance(host_key, tuple):
            host_key = (host_key,) + ("",) * (p.columns.nlevels - 1)
        self._p = with_column(p, host_key, value)
        return
    if getattr(getattr(host_key, "dtype", None), "kind", "") == "b" or (
        isinstance(host_key, list) and len(host_key) and all(isinstance(k, (bool, np.bool_)) for k in host_key)
    ):
        self.loc[key] = value
        return
    labels = list(host_key)
    if isinstance(value, classes["DataFrame"]):
        if len(labels) != value.shape[1]:
            raise ValueError("Columns must be same length as key")
        for label, name in zip(labels, list(value._p.columns), strict=True):
            p = with_column(p, label, value[name])
    elif hasattr(value, "ndim") and getattr(value, "ndim", 0) == 2:
        if len(labels) != value.shape[1]:
            raise ValueError("Columns must be same length as key")
        for i, label in enumerate(labels):
            p = with_column(p, label, value[:, i])
    elif (
        isinstance(value, (list, tuple))
        and len(value) == len(labels)
        and all(pd.api.types.is_list_like(v) for v in value)
    ):
        for label, one in zip(labels, value, strict=True):
            p = with_column(p, label, one)
    else:
        for label in labels:
            p = with_column(p, label, value)
    self._p = p


def column_storage(p: pd.DataFrame, value: Any, nan_as_null: bool = True) -> tuple[Any, pd.Index]:
    """A new column's storage aligned with a frame, and the index of the result."""
    index = p.index
    empty = not len(index)
    if isinstance(value, (classes["Series"], pd.Series)):
        series = value if isinstance(value, classes["Series"]) else classes["Series"](value)
        if empty and not p.shape[1]:
            return series._p.array, series._p.index
        if series._p.index.equals(index):
            return series._p.array, index
        if not series._p.index.is_unique:
            raise ValueError("cannot reindex on an axis with duplicate labels")
        return normal_series(series._p.reindex(index)).array, index
    if device_scalar(value):
        value = value.item()
    if pd.api.types.is_scalar(value) or isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()] if isinstance(value, np.ndarray) else value
        if value is None or value is pd.NA:
            return nulls(len(index), STR), index
        return as_storage(value, None, nan_as_null, len(index)), index
    if isinstance(value, classes["DataFrame"]):
        if value.shape[1] != 1:
            raise ValueError("Cannot set a DataFrame with multiple columns to the single column")
        return column_storage(p, value.iloc[:, 0])
    if hasattr(value, "ndim") and value.ndim == 2 and value.shape[1] == 1:
        value = value.reshape(-1)
    array = as_storage(value, None, nan_as_null)
    if empty:
        return array, pd.RangeIndex(len(array))
    if len(array) != len(index):
        raise ValueError("All columns must be of equal length")
    return array, index


def with_column(p: pd.DataFrame, label: Any, value: Any, loc: int | None = None) -> pd.DataFrame:
    """A frame with a column set, or inserted at a place."""
    array, index = column_storage(p, value)
    if not index.equals(p.index) or not p.shape[1]:
        kept = {c: nulls(len(index), dtype_of(p[c].array.dtype)) for c in p.columns}
        p = pd.DataFrame(kept, index=index, columns=p.columns if p.shape[1] else None)
    out = p.copy(deep=False)
    series = pd.Series(array, index=out.index, copy=False)
    if not p.shape[1]:
        columns = p.columns
        out = pd.DataFrame({0: series})
        out.columns = (
            pd.MultiIndex.from_tuples([label]) if isinstance(label, tuple) else pd.Index([label], name=columns.name)
        )
        return out
    if loc is not None:
        out.insert(loc, label, series)
    else:
        out[label] = series
    return out


def set_located(frame: Any, key: Any, value: Any, positional: bool) -> None:
    """``frame.loc[key] = value`` with cuDF's refusals of values that the column cannot hold."""
    p = frame._p
    if p.ndim == 1:
        frame._p = _set_series(p, key, value, positional)
        return
    rows, columns = (
        key if isinstance(key, tuple) and len(key) == 2 and not isinstance(p.index, pd.MultiIndex) else (key, None)
    )
    if columns is None and isinstance(key, tuple) and isinstance(p.index, pd.MultiIndex) and len(key) == 2 and isinstance(
            key[0], (tuple, slice, list)):  # fmt: skip
        rows, columns = key
    names = _columns(p, columns, positional)
    if isinstance(value, classes["DataFrame"]):
        value = {c: value._p[c] for c in names if c in value._p.columns}
    out = p
    for i, name in enumerate(names):
        one = value
        if isinstance(value, dict):
            if name not in value:
                continue
            one = value[name]
        elif isinstance(value, (list, tuple)) and len(names) > 1 and len(value) == len(names):
            one = value[i]
        elif getattr(value, "ndim", 0) == 2:
            one = value[:, i]
        elif (
            isinstance(value, classes["Series"]) and len(names) > 1 and columns is None and pd.api.types.is_scalar(rows)
        ):
            one = value[name]
        elif getattr(value, "ndim", 0) == 1 and len(names) > 1 and not isinstance(value, classes["Series"]):
            one = value[i].item() if hasattr(value[i], "item") else value[i]
        if name not in out.columns:
            out = with_column(out, name, None if not _is_whole(rows) else one)
            if out[name].dtype == STR and not isinstance(one, str):
                kind = dtype_of(as_storage(one).dtype)
                out = with_column(out, name, classes["Series"](nulls_series(kind, out.index)))
        series = _set_series(out[name], rows, one, positional)
        if len(series) != len(out):
            grown = out.reindex(series.index)
            out = normal_frame(grown)
        out = out.copy(deep=False)
        out[name] = series
    frame._p = out


def nulls_series(kind: Any, index: pd.Index) -> Any:
    """A Series of nulls."""

    return series_of(pd.Series(nulls(len(index), kind), index=index))


def _is_whole(rows: Any) -> bool:
    return isinstance(rows, slice) and rows == slice(None)


def _columns(p: pd.DataFrame, key: Any, positional: bool) -> list:
    if key is None:
        return list(p.columns)
    if positional:
        found = p.columns[key]
        return [found] if pd.api.types.is_scalar(found) or isinstance(found, tuple) else list(found)
    if pd.api.types.is_scalar(key) or isinstance(key, tuple):
        return [key]
    if isinstance(key, slice):
        return list(p.columns[p.columns.slice_indexer(key.start, key.stop, key.step)])
    if (
        getattr(getattr(key, "dtype", None), "kind", "") == "b"
        or len(key)
        and all(isinstance(k, (bool, np.bool_)) for k in key)
    ):
        return list(p.columns[np.asarray(key, dtype=bool)])
    return list(key)


def host_value(value: Any, array: Any, strict: bool = False) -> tuple[Any, Any]:
    """A value for a column as storage, and the column's storage cast to what holds both.

    With ``strict``, as for an assignment, TypeError for values that the column's own type does not hold.
    """
    if isinstance(value, (classes["Series"], classes["Index"], pd.Series, pd.Index)) or not pd.api.types.is_scalar(
        value
    ):
        new = as_storage(value)
    elif value is pd.NaT and strict and family(array) in ("number", "text"):
        raise TypeError(f"Invalid value '{value}' for dtype '{dtype_of(array.dtype)}'")
    elif value is None or value is pd.NA or value is pd.NaT:
        return pd.NaT if array.dtype.kind in "Mm" else pd.NA, array
    else:
        if isinstance(array, pd.Categorical):
            if value not in array.categories:
                raise TypeError("Cannot setitem on a Categorical with a new category, set the categories first")
            return value, array
        # NaN is stored as NaN; only None and <NA> are null.
        new = as_storage(value, None, False)
        if family(array) in ("M", "m") and isinstance(value, str):
            return (pd.Timestamp if family(array) == "M" else pd.Timedelta)(value), array
    here, there = dtype_of(array.dtype), dtype_of(new.dtype)
    if family(array) == "null":
        array = cast(array, there)
    elif family(new) == "null":
        new = cast(new, here)
    elif here != there:
        if isinstance(array, pd.Categorical):
            return cast(new, here), array
        if "text" in (family(array), family(new)):
            raise TypeError(f"Invalid value '{value}' for dtype '{here}'")
        scalar = pd.api.types.is_scalar(value)
        if scalar and here.kind in "iuf" and there.kind in "iufb":
            common = here if _holds(here, value) else find_common_type([here, there])
        else:
            common = find_common_type([here, there])
        if strict and common != here and not _all_fit(here, new):
            raise TypeError(f"Invalid value '{value}' for dtype '{here}'")
        common = here if strict else common
        array, new = cast(array, common), cast(new, common)
    if pd.api.types.is_scalar(value):
        return (new[0] if len(new) else value), array
    return new, array


def _all_fit(dtype: Any, new: Any) -> bool:
    """Whether a column's type holds each of some values without loss."""
    values = getattr(new, "_data", None)
    if values is None or not isinstance(dtype, np.dtype):
        return new.dtype.kind in "Mm" and new.dtype.kind == dtype.kind
    if (values.dtype.kind == "b") != (dtype.kind == "b"):
        return False
    values = values[~new._mask]
    with np.errstate(all="ignore"):
        return bool((values.astype(dtype).astype(values.dtype) == values).all()) or dtype.kind == "f"


def _holds(dtype: np.dtype, value: Any) -> bool:
    if dtype.kind == "f":
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value == int(value)) if np.isfinite(value) else False
    return np.iinfo(dtype).min <= int(value) <= np.iinfo(dtype).max


def _set_series(p: pd.Series, key: Any, value: Any, positional: bool) -> pd.Series:
    if isinstance(value, classes["Series"]) and not positional and _aligns(key):
        target = p.index if isinstance(key, slice) and key == slice(None) else None
        if target is not None and not value._p.index.equals(target) and value._p.index.is_unique:
            value = classes["Series"](value._p.reindex(target))
    if isinstance(value, classes["Series"]) and not positional and not _aligns(key):
        rows = _positions(p, key, positional)
        if rows is not None and value._p.index.is_unique:
            labels = p.index.take(rows)
            if not labels.equals(value._p.index) and labels.isin(value._p.index).any():
                value = classes["Series"](normal_series(value._p.reindex(labels)))
    if family(p.array) in ("list", "struct"):
        return _set_nested(p, key, value, positional)
    new, array = host_value(value, p.array, strict=True)
    out = pd.Series(array.copy(), index=p.index, name=p.name)
    positions = _positions(p, key, positional)
    if positions is None:
        # A new label: the column grows by a row.
        out.loc[key] = new if pd.api.types.is_scalar(value) or not hasattr(new, "__len__") else new[0]
        return normal_series(out)
    if not pd.api.types.is_scalar(value) and hasattr(new, "__len__") and not isinstance(new, str):
        if len(new) == 1 and len(positions) != 1:
            new = new.take(np.zeros(len(positions), int))
        elif len(new) != len(positions):
            if len(new) == len(p) and getattr(getattr(key, "dtype", None), "kind", "") == "b":
                new = new.take(positions)
            else:
                raise ValueError(
                    f"shape mismatch: value array of shape ({len(new)},) could not be broadcast to indexing result of shape ({len(positions)},)"
                )
    out.iloc[positions] = new
    return normal_series(out)


def _set_nested(p: pd.Series, key: Any, value: Any, positional: bool) -> pd.Series:
    """Assignment to a column of lists or structs: one element, or null."""
    import pyarrow as pa

    arrow = arrow_of(p.array)
    items = arrow.to_pylist()
    if value is pd.NA or value is None:
        value = None
    elif hasattr(value, "_storage"):
        value = value.to_arrow().to_pylist()
    elif not isinstance(value, (list, dict)):
        kind = "List" if family(p.array) == "list" else "Struct"
        raise ValueError(f"Can not set {value} into {kind}Column")
    positions = _positions(p, key, positional)
    several = isinstance(value, list) and (family(p.array) == "struct" or len(value) and isinstance(value[0], list))
    for i, position in enumerate(positions):
        items[position] = value[i] if several else value
    return pd.Series(storage_of(pa.array(items, type=arrow.type)), index=p.index, name=p.name)


def _aligns(key: Any) -> bool:
    return isinstance(key, slice)


def _positions(p: pd.Series, key: Any, positional: bool) -> np.ndarray | None:
    n = len(p)
    places = pd.Series(np.arange(n), index=p.index)
    try:
        found = places.iloc[key] if positional else places.loc[key]
    except KeyError:
        if pd.api.types.is_scalar(key) and not isinstance(p.index, pd.MultiIndex):
            return None
        raise
    return np.atleast_1d(np.asarray(found))
