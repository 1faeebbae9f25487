"""Values replaced by others: fill, where, replace, map, isin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import no_default

from .assign import host_value
from .binary import family
from .cast import cast
from .column import dtype_of, isnull, masked, nans_to_nulls, normal
from .construct import as_storage, nulls
from .missing import fill_array
from .reshape_types import find_common_type
from .wrap import classes, frame_of, make_frame, normal_series, series_of, unwrap, wrap


def fillna(self: Any, value: Any) -> Any:
    """Nulls replaced by a scalar, by a Series' values of the same label, or by column."""
    p = self._p
    if p.ndim == 1:
        if isinstance(value, dict):
            raise NotImplementedError("Series.fillna does not support dict")  # fmt: skip
        new = _other(p, value)
        return series_of(pd.Series(fill_array(nans_to_nulls(p.array), new), index=p.index, name=p.name))
    arrays = {}
    by_column = isinstance(value, (dict, classes["Series"], pd.Series, classes["DataFrame"], pd.DataFrame))
    if isinstance(value, (classes["Series"], pd.Series)):
        host = value.to_pandas() if hasattr(value, "to_pandas") else value
        value = dict(zip(host.index, host, strict=True))
    for i, name in enumerate(p.columns):
        array = p.iloc[:, i].array
        if by_column and name not in value:
            arrays[i] = array
            continue
        one = value[name] if by_column else value
        arrays[i] = fill_array(nans_to_nulls(array), _other(p.iloc[:, i], one))
    return frame_of(make_frame(arrays, p.index, p.columns))


def _other(p: pd.Series, value: Any) -> Any:
    if isinstance(value, (classes["Series"], pd.Series)):
        other = value if isinstance(value, classes["Series"]) else classes["Series"](value)
        if not other._p.index.equals(p.index):
            other = other.reindex(classes["Index"](p.index))
        return other._storage
    if isinstance(value, str) and p.dtype.kind in "Mm":
        return (pd.Timestamp if p.dtype.kind == "M" else pd.Timedelta)(value)
    return unwrap(value)


def _both(array: Any, other: Any, keep: np.ndarray) -> Any:
    """``array`` where ``keep``, else ``other`` (a scalar or a storage array)."""
    if other is None or other is pd.NA or other is pd.NaT:
        if hasattr(array, "_mask"):
            return masked(array._data, array._mask | ~keep)
        return pd.Series(array).where(keep).array
    if not hasattr(other, "dtype") or np.ndim(other) == 0:
        value, wide = host_value(other, array)
        if hasattr(wide, "_mask"):
            return masked(np.where(keep, wide._data, np.asarray(value).astype(wide._data.dtype)), wide._mask & keep)
        return pd.Series(wide).where(keep, value).array
    kinds = [dtype_of(array.dtype), dtype_of(other.dtype)]
    common = kinds[0] if kinds[0] == kinds[1] else find_common_type(kinds)
    if kinds[0] != kinds[1] and "text" in (family(array), family(other)):
        raise TypeError(
            "cudf does not support mixed types, please type-cast the column of dataframe/series and other to same dtypes."
        )
    a, b = cast(array, common), cast(other, common)
    if hasattr(a, "_mask"):
        return masked(np.where(keep, a._data, b._data), np.where(keep, a._mask, b._mask))
    return pd.Series(a).where(keep, pd.Series(b)).array


def _condition(cond: Any, n: int) -> np.ndarray:
    array = cond._storage if hasattr(cond, "_storage") else as_storage(cond)
    if len(array) != n:
        raise ValueError("Array conditional must be same shape as self")
    if not hasattr(array, "_mask") or array._data.dtype.kind != "b":
        array = cast(array, np.dtype("bool"))
    return array._data & ~array._mask


def where(self: Any, cond: Any, other: Any) -> Any:
    """Values where a condition holds, others elsewhere."""
    p = self._p
    if callable(cond) and not hasattr(cond, "_p"):
        cond = cond(self)
    if callable(other) and not hasattr(other, "_p"):
        other = other(self)
    if p.ndim == 1:
        if isinstance(cond, classes["DataFrame"]):
            raise ValueError("Array conditional must be same shape as self")
        if isinstance(cond, classes["Series"]) and not cond._p.index.equals(p.index):
            cond = cond.reindex(self.index).fillna(False)
        if isinstance(other, classes["Series"]) and not other._p.index.equals(p.index):
            other = other.reindex(self.index)
        keep = _condition(cond, len(p))
        value = (
            other._storage
            if hasattr(other, "_storage")
            else other
            if pd.api.types.is_scalar(other) or other is None
            else as_storage(other)
        )
        return series_of(pd.Series(_both(p.array, value, keep), index=p.index, name=p.name))
    arrays = {}
    matrix = None
    if not hasattr(cond, "_p"):
        matrix = np.asarray(unwrap(cond))
        if matrix.shape != p.shape and not (matrix.ndim == 1 and len(matrix) == len(p)):
            raise ValueError("Array conditional must be same shape as self")
    for i, name in enumerate(p.columns):
        array = p.iloc[:, i].array
        if matrix is not None:
            keep = matrix[:, i].astype(bool) if matrix.ndim == 2 else matrix.astype(bool)
        elif cond._p.ndim == 1:
            keep = _condition(cond if cond._p.index.equals(p.index) else cond.reindex(self.index).fillna(False), len(p))
        elif name in cond._p.columns:
            one = cond[name]
            keep = _condition(one if one._p.index.equals(p.index) else one.reindex(self.index).fillna(False), len(p))
        else:
            keep = np.zeros(len(p), bool)
        if isinstance(other, classes["DataFrame"]):
            value = other[name]._storage if name in other._p.columns else None
        elif isinstance(other, classes["Series"]):
            value = other._storage
        elif isinstance(other, (list, tuple)) and len(other) == p.shape[1]:
            value = other[i]
        else:
            value = other
        arrays[i] = _both(array, value, keep)
    return frame_of(make_frame(arrays, p.index, p.columns))


def replace(self: Any, to_replace: Any, value: Any) -> Any:
    """Some values replaced by others."""

    p = self._p
    to_replace, value = unwrap(to_replace), unwrap(value)
    if value is no_default and not isinstance(to_replace, (dict, pd.Series)):
        if p.ndim == 2 or not isinstance(to_replace, dict):
            raise ValueError(
                f"{type(self).__name__}.replace must specify either 'value', a dict-like 'to_replace', or dict-like 'regex'"
            )
    if value is None and isinstance(to_replace, dict):
        value = no_default
    options = {} if value is no_default else {"value": value}
    if isinstance(to_replace, list) and isinstance(value, list) and len(to_replace) != len(value):
        raise ValueError(f"Replacement lists must be of same length. Expected {len(to_replace)}, got {len(value)}.")
    columns = [p] if p.ndim == 1 else [p.iloc[:, i] for i in range(p.shape[1])]
    out = []
    for column in columns:
        out.append(_replace_column(column, to_replace, options))
    if p.ndim == 1:
        return wrap(out[0])
    return frame_of(make_frame({i: c.array for i, c in enumerate(out)}, p.index, p.columns))


def _replace_column(column: pd.Series, to_replace: Any, options: dict) -> pd.Series:
    rules = to_replace
    if (
        isinstance(to_replace, dict)
        and column.name in to_replace
        and (isinstance(to_replace[column.name], dict) or options)
    ):
        rules = to_replace[column.name]
        if isinstance(options.get("value"), dict):
            options = {"value": options["value"].get(column.name)}
    elif isinstance(to_replace, dict) and options:  # by column, and not this one
        return column
    elif isinstance(options.get("value"), dict) and not isinstance(to_replace, dict):
        if column.name not in options["value"]:
            return column
        options = {"value": options["value"][column.name]}
    if isinstance(rules, dict):
        olds, news = list(rules), list(rules.values())
    else:
        olds = list(rules) if pd.api.types.is_list_like(rules) else [rules]
        new = options.get("value")
        news = list(new) if pd.api.types.is_list_like(new) else [new] * len(olds)
    array = column.array
    text = family(array) in ("text", "null")
    done = np.zeros(len(column), bool)
    result = pd.Series(array, index=column.index, name=column.name)
    for old, new in zip(olds, news, strict=True):
        if isinstance(array, pd.Categorical):
            if old in array.categories:
                result = pd.Series(result.array.rename_categories({old: new}) if new not in array.categories else
                                   result.where(result != old, new).array, index=column.index, name=column.name)  # fmt: skip
            continue
        missing = old is None or old is pd.NA or (isinstance(old, float) and np.isnan(old))
        if not missing and isinstance(old, str) != text:
            continue
        hit = isnull(array) if missing else np.asarray((column == old).fillna(False), dtype=bool)
        hit = hit & ~done
        done |= hit
        if hit.any():
            result = pd.Series(_both(result.array, new, ~hit), index=column.index, name=column.name)
    return normal_series(result)


def map_series(self: Any, arg: Any, na_action: Any = None) -> Any:
    """Each value replaced by what a dict, a Series or a function gives for it; null for values it does not know."""
    p = self._p
    if na_action not in (None, "ignore"):
        raise ValueError("na_action must either be 'ignore' or None")
    if na_action == "ignore":
        raise NotImplementedError("na_action='ignore' is not supported")
    if isinstance(arg, dict) or isinstance(arg, classes["Series"]) or isinstance(arg, pd.Series):
        if isinstance(arg, dict) and hasattr(arg, "__missing__"):
            raise NotImplementedError("default values in dicts are currently not supported.")
        table = (
            arg
            if isinstance(arg, classes["Series"])
            else classes["Series"](list(arg.values()), index=list(arg))
            if isinstance(arg, dict) and arg
            else classes["Series"](arg)
        )
        if not isinstance(arg, dict) and not table._p.index.is_unique:
            raise NotImplementedError("Reindexing only valid with uniquely valued Index objects")  # fmt: skip
        if not len(table):
            return series_of(pd.Series(nulls(len(p), np.dtype("float64")), index=p.index, name=p.name))
        source = p.array
        keys = normal(table._p.index.array)
        try:
            common = find_common_type([dtype_of(source.dtype), dtype_of(keys.dtype)])
            source, keys = cast(source, common), cast(keys, common)
        except (TypeError, NotImplementedError):
            pass
        places = pd.Index(keys).get_indexer(pd.Index(source))
        places = np.where(isnull(source), -1, places) if not isnull(keys).any() else places
        return series_of(pd.Series(table._storage.take(places, allow_fill=True), index=p.index, name=p.name))
    if not callable(arg):
        raise TypeError(f"'{type(arg).__name__}' object is not callable")
    return self.apply(arg)


def isin_array(array: Any, values: Any) -> Any:
    """Which values of a storage array are among some others, as a bool storage array; a null is where nulls are."""
    if hasattr(values, "_storage"):
        other = values._storage
    else:
        values = list(values) if isinstance(values, (set, frozenset, dict)) else values
        try:
            other = as_storage(values)
        except Exception:
            kinds = [v for v in values if isinstance(v, str) == (family(array) in ("text", "category"))]
            other = as_storage(kinds) if kinds else nulls(0, np.dtype("object"))
    if isinstance(array, pd.Categorical):
        array = normal(array.categories.array.take(array.codes, allow_fill=True))
    if isinstance(other, pd.Categorical):
        other = normal(other.categories.array.take(other.codes, allow_fill=True))
    null, nothing = isnull(array), isnull(other)
    here, there = family(array), family(other)
    if here != there and not (here in "Mm" and there == "text") and there != "null":
        return masked(null & bool(nothing.any()))
    if there == "null":
        return masked(null & bool(nothing.any()))
    if here in "Mm" and there == "text":
        other = cast(other, array.dtype)
    found = pd.Series(array).isin(pd.Series(other[~nothing])).to_numpy(dtype=bool)
    found = np.where(null, bool(nothing.any()), found)
    return masked(found.astype(bool))


def isin_frame(self: Any, values: Any) -> Any:
    """``DataFrame.isin``."""
    p = self._p
    if pd.api.types.is_scalar(values):
        raise TypeError(
            "only list-like or dict-like objects are allowed to be passed to DataFrame.isin(), you passed a "
            f"'{type(values).__name__}'"
        )
    arrays = {}
    for i, name in enumerate(p.columns):
        array = p.iloc[:, i].array
        if isinstance(values, dict):
            arrays[i] = isin_array(array, values[name]) if name in values else masked(np.zeros(len(p), bool))
        elif isinstance(values, (classes["DataFrame"], classes["Series"])):
            other = values._p.reindex(p.index)
            if other.ndim == 2 and name not in other.columns:
                arrays[i] = masked(np.zeros(len(p), bool))
                continue
            column = other[name] if other.ndim == 2 else other
            same = (pd.Series(array) == pd.Series(column.array)).fillna(False).to_numpy(dtype=bool)
            arrays[i] = masked(same)
        else:
            arrays[i] = isin_array(array, values)
    return frame_of(make_frame(arrays, p.index, p.columns))
