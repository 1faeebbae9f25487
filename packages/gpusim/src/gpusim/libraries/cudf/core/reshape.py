"""Concatenation and changes of shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import no_default

from . import device
from .cast import cast
from .column import arrow_of, dtype_of, isnull, normal, storage_of
from .construct import nulls
from .dtypes import STR, CategoricalDtype
from .guard import kept
from .reshape_types import find_common_type
from .wrap import classes, frame_of, make_frame, series_of, unwrap, wrap


def concat_arrays(arrays: list) -> Any:
    """Storage arrays one after the other, in their common type."""
    solid = [a for a in arrays if not (isnull(a).all() and (a.dtype.kind == "O" or not len(a)))] or arrays[:1]
    kinds = []
    for a in solid:
        kind = dtype_of(a.dtype)
        if kind not in kinds:
            kinds.append(kind)
    if len(kinds) > 1 and STR in kinds:
        raise ValueError("All columns must be the same type")
    target = kinds[0] if len(kinds) == 1 else find_common_type(kinds)
    parts = [
        cast(a, target) if dtype_of(a.dtype) != target or isinstance(target, CategoricalDtype) else a for a in arrays
    ]
    return pd.concat([pd.Series(a, copy=False) for a in parts], ignore_index=True).array


@kept
def concat(objs: Any, axis: Any = 0, join: str = "outer", ignore_index: bool = False, keys: Any = None, levels: Any = None,
           names: Any = None, verify_integrity: bool = False, sort: Any = None) -> Any:  # fmt: skip
    """Frames, Series or Indexes under each other, or side by side."""
    if keys is not None:
        raise NotImplementedError("keys is currently not supported")
    if levels is not None:
        raise NotImplementedError("levels is currently not supported")
    if names is not None:
        raise NotImplementedError("names is currently not supported")
    objs = dict(objs) if isinstance(objs, dict) else list(objs)
    if not objs:
        raise ValueError("No objects to concatenate")
    axes = {0: 0, "index": 0, "rows": 0, 1: 1, "columns": 1}
    if axis not in axes:
        raise ValueError('`axis` must be 0 / "index" or 1 / "columns", got: None')
    axis = axes[axis]
    labels = None
    if isinstance(objs, dict):
        if axis != 1:
            raise NotImplementedError(f"Can only concatenate dictionary input along axis=1, not {axis}")
        objs = {k: o for k, o in objs.items() if o is not None}
        labels, objs = list(objs), list(objs.values())
    objs = [o for o in objs if o is not None]
    if not objs:
        raise ValueError("All objects passed were None")
    allowed = (classes["Series"], classes["DataFrame"], classes["Index"])
    if not all(isinstance(o, allowed) for o in objs):
        raise TypeError(
            f"can only concatenate objects which are instances of {set(allowed)}, instead received {[type(o) for o in objs]}"
        )
    indexes = [isinstance(o, classes["Index"]) for o in objs]
    if any(indexes):
        if not all(indexes):
            raise TypeError("when concatenating indices you must provide ONLY indices")
        return objs[0].append(objs[1:]) if len(objs) > 1 else objs[0]
    if axis == 1:
        made = _side_by_side(objs, join, ignore_index, sort, labels)
    elif all(isinstance(o, classes["Series"]) for o in objs):
        names_ = {o.name for o in objs}
        p = pd.Series(concat_arrays([o._p.array for o in objs]), name=objs[0].name if len(names_) == 1 else None)
        made = series_of(p if ignore_index else p.set_axis(_indexes(objs)))
    else:
        made = _stacked([o if o.ndim == 2 else o.to_frame() for o in objs], join, ignore_index, sort)
    nbytes = sum(o.size * 8 for o in objs)
    device.count("cudf_concatenate", nbytes, nbytes, reads=objs, writes=made)
    return made


def _indexes(objs: list) -> pd.Index:
    found = [o._p.index for o in objs]
    return found[0].append(found[1:]) if len(found) > 1 else found[0]


def _stacked(objs: list, join: str, ignore_index: bool, sort: Any) -> Any:
    columns = objs[0]._p.columns
    for o in objs[1:]:
        other = o._p.columns
        if join == "inner":
            columns = columns[columns.isin(other)]
        elif not columns.equals(other):
            extra = other[~other.isin(columns)]
            columns = columns.append(extra) if len(columns) else other
    if sort and join != "inner" or sort and not all(o._p.columns.equals(objs[0]._p.columns) for o in objs):
        try:
            columns = columns.sort_values()
        except TypeError:
            pass
    arrays = {}
    for i, name in enumerate(columns):
        parts: list = []
        kind = next((dtype_of(o._p[name].array.dtype) for o in objs if name in o._p.columns), np.dtype("object"))
        for o in objs:
            if name in o._p.columns:
                parts.append(o._p[name].array)
            else:
                parts.append(nulls(len(o._p), kind))
        arrays[i] = concat_arrays(parts)
    n = sum(len(o) for o in objs)
    index = pd.RangeIndex(n) if ignore_index else _indexes(objs)
    return frame_of(make_frame(arrays, index, columns))


def _side_by_side(objs: list, join: str, ignore_index: bool, sort: Any, labels: Any) -> Any:
    frames, position = [], 0
    for o in objs:
        if o.ndim == 1:
            name = o.name
            if name is None:
                name, position = position, position + 1
            frames.append(make_frame({name: o._p.array}, o._p.index))
        else:
            frames.append(o._p)
    first = frames[0].index
    if not all(f.index.equals(first) for f in frames):
        if not all(f.index.is_unique for f in frames):
            raise ValueError("cannot reindex on an axis with duplicate labels")
        index = first
        for f in frames[1:]:
            index = (
                index.intersection(f.index, sort=False)
                if join == "inner"
                else index.union(f.index, sort=None if sort else False)
            )
        from .alignment import rows

        frames = [rows(f, index) for f in frames]
        first = index
    names = [c for f in frames for c in f.columns]
    if labels is not None:
        names = [(k, c) for k, f in zip(labels, frames, strict=True) for c in f.columns]
    arrays = [f.iloc[:, i].array for f in frames for i in range(f.shape[1])]
    if ignore_index:
        columns: Any = pd.RangeIndex(len(names))
    else:
        seen = set()
        for name in names:
            if name in seen:
                raise NotImplementedError(
                    f"A Column with duplicate name found: {name}, cuDF doesn't support having multiple columns with same "
                    "names yet."
                )
            seen.add(name)
        if labels is not None and all(o.ndim == 1 for o in objs):
            columns = pd.Index(labels)
        elif len(frames) == 1 or all(isinstance(f.columns, pd.MultiIndex) for f in frames):
            columns = frames[0].columns.append([f.columns for f in frames[1:]])
        else:
            columns = pd.Index(names)
    return frame_of(make_frame(dict(enumerate(arrays)), first, columns))


@kept
def melt(frame: Any, id_vars: Any = None, value_vars: Any = None, var_name: Any = None, value_name: Any = "value",
         col_level: Any = None, ignore_index: bool = True) -> Any:  # fmt: skip
    """Columns as rows: one row for each value of ``value_vars``."""
    if col_level is not None:
        raise NotImplementedError("col_level != None is not supported yet.")
    p = frame._p
    ids, values = _names(p, id_vars, "id_vars"), _names(p, value_vars, "value_vars")
    ids = ids or []
    values = [c for c in p.columns if c not in ids] if values is None else values
    overlap = set(ids) & set(values)
    if overlap:
        raise KeyError(
            "'value_vars' and 'id_vars' cannot have overlap. The following 'value_vars' are ALSO present in 'id_vars': "
            f"{list(overlap)}"
        )
    if any(isinstance(p[c].dtype, pd.CategoricalDtype) for c in [*ids, *values]):
        raise NotImplementedError("Categorical columns are not yet supported for function")
    kinds = {str(dtype_of(p[c].array.dtype)) for c in values}
    if len(kinds) > 1 and (str(STR) in kinds or any(k in ("object",) for k in kinds)):
        raise ValueError("all cols in value_vars must have the same dtype")
    n, k = len(p), len(values)
    rows = np.tile(np.arange(n), k)
    arrays = {c: p[c].array.take(rows) for c in ids}
    name = var_name if var_name is not None else (p.columns.name if p.columns.name is not None else "variable")
    labels = pd.Index(values)
    arrays[name] = normal(pd.array(np.repeat(np.arange(k), n)))
    variable = normal(labels.array).take(np.repeat(np.arange(k), n)) if k else nulls(0, STR)
    arrays[name] = variable
    arrays[value_name] = concat_arrays([p[c].array for c in values]) if k else nulls(0, np.dtype("float64"))
    index = pd.RangeIndex(n * k) if ignore_index else p.index.take(rows)
    return frame_of(make_frame(arrays, index))


def _names(p: pd.DataFrame, names: Any, what: str) -> list | None:
    if names is None:
        return None
    names = (
        [names]
        if pd.api.types.is_scalar(names) or isinstance(names, tuple) and names in p.columns
        else list(unwrap(names))
    )
    missing = set(names) - set(p.columns)
    if missing:
        raise KeyError(f"The following '{what}' are not present in the DataFrame: {list(missing)}")
    return names


@kept
def pivot(data: Any, columns: Any = None, index: Any = no_default, values: Any = no_default) -> Any:
    """A table of values by row and column labels; each pair of labels may stand there once."""
    p = data._p
    options = {k: unwrap(v) for k, v in (("index", index), ("values", values)) if v is not no_default}
    try:
        return wrap(p.pivot(columns=columns, **options))
    except ValueError as error:
        if "duplicate" in str(error):
            raise ValueError("Duplicate index-column pairs found. Cannot reshape.") from None
        raise


@kept
def pivot_table(data: Any, values: Any = None, index: Any = None, columns: Any = None, aggfunc: Any = "mean",
                fill_value: Any = None, margins: bool = False, dropna: Any = None, margins_name: str = "All",
                observed: bool = False, sort: bool = True) -> Any:  # fmt: skip
    """A table of aggregates by row and column labels."""
    if margins is not False:
        raise NotImplementedError("margins is not supported yet")
    if margins_name != "All":
        raise NotImplementedError("margins_name is not supported yet")
    if dropna not in (None, False, True):
        raise NotImplementedError("dropna is not supported yet")
    if observed:
        raise NotImplementedError("observed is not supported yet")
    if sort is not True:
        raise NotImplementedError("sort is not supported yet")
    found = data._p.pivot_table(unwrap(values), unwrap(index), unwrap(columns), aggfunc, fill_value, observed=True)
    return wrap(found)


@kept
def crosstab(index: Any, columns: Any, values: Any = None, rownames: Any = None, colnames: Any = None, aggfunc: Any = None,
             margins: bool = False, margins_name: str = "All", dropna: Any = None, normalize: bool = False) -> Any:  # fmt: skip
    """How often two factors' values meet."""
    if normalize is not False:
        raise NotImplementedError("normalize is not supported yet")
    if values is None and aggfunc is not None:
        raise ValueError("aggfunc cannot be used without values.")
    if values is not None and aggfunc is None:
        raise ValueError("values cannot be used without an aggfunc.")
    if margins is not False:
        raise NotImplementedError("margins is not supported yet")
    out = pd.crosstab(unwrap(index), unwrap(columns), unwrap(values), rownames, colnames, aggfunc)
    return wrap(out)


@kept
def stack(self: Any, level: Any = -1, dropna: Any = no_default, future_stack: bool = True) -> Any:
    """Column labels as the innermost row labels."""
    if future_stack:
        if dropna is not no_default:
            raise ValueError("dropna must be unspecified with future_stack=True.")
        return wrap(self._p.stack(level=level, future_stack=True))
    found = wrap(self._p.stack(level=level, future_stack=True))
    return (
        found.dropna(how="all")
        if found.ndim == 2 and dropna is not False
        else found
        if dropna is False
        else found.dropna()
    )


@kept
def unstack(df: Any, level: Any, fill_value: Any = None, sort: bool = True) -> Any:
    """Row labels as column labels."""
    if not isinstance(df, classes["DataFrame"]):
        raise ValueError("`df` should be a cudf Dataframe object.")
    if df.empty:
        raise ValueError("Cannot unstack an empty dataframe.")
    if fill_value is not None:
        raise NotImplementedError("fill_value is not supported.")
    return wrap(df._p.unstack(level))


def explode_frame(p: pd.DataFrame, column: Any, ignore_index: bool) -> pd.DataFrame:
    """One row for each element of the lists of a column; an empty list or a null gives a null."""
    import pyarrow.compute as pc

    columns = [column] if not isinstance(column, list) else column
    if len(columns) > 1:
        raise NotImplementedError("Exploding multiple columns is not supported")
    name = columns[0]
    if name not in p.columns:
        raise KeyError(name)
    lists = arrow_of(p[name].array)
    import pyarrow as pa

    if not pa.types.is_list(lists.type):
        return p.reset_index(drop=True) if ignore_index else p
    lengths = np.asarray(pc.list_value_length(lists).fill_null(0)).astype(int)
    counts = np.maximum(lengths, 1)
    rows = np.repeat(np.arange(len(p)), counts)
    flat = storage_of(lists.flatten())
    places = np.full(len(rows), -1)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]) if len(counts) else np.array([], int)
    offset = np.arange(len(rows)) - np.repeat(starts, counts)
    full = np.repeat(lengths > 0, counts)
    begin = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if len(lengths) else np.array([], int)
    places[full] = (np.repeat(begin, counts) + offset)[full]
    exploded = flat.take(places, allow_fill=True) if len(flat) else nulls(len(places), dtype_of(flat.dtype))
    arrays = {i: exploded if c == name else p.iloc[:, i].array.take(rows) for i, c in enumerate(p.columns)}
    return make_frame(arrays, pd.RangeIndex(len(rows)) if ignore_index else p.index.take(rows), p.columns)
