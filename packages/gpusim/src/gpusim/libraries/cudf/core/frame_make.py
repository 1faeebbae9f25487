"""What ``DataFrame(data, index, columns, dtype)`` does with each kind of data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api.extensions import no_default

from ..options import get_option
from .cast import cast
from .column import storage_of
from .construct import as_storage, nulls
from .dtypes import STR
from .dtypes import dtype as cudf_dtype
from .index import ensure_index
from .wrap import classes, make_frame, normal_frame, normal_index


def column_labels(columns: Any) -> pd.Index | None:
    """Column labels as a pandas Index; ValueError for duplicates."""
    if columns is None:
        return None
    if isinstance(columns, (classes["Index"], classes["Series"])) or hasattr(columns, "__cuda_array_interface__"):
        columns = ensure_index(columns)
    elif isinstance(columns, list) and columns and all(pd.api.types.is_list_like(c) for c in columns):
        columns = pd.MultiIndex.from_arrays(columns) if not isinstance(columns[0], tuple) else pd.Index(columns)
    elif not isinstance(columns, pd.Index):
        columns = pd.Index(columns)
    if columns.nunique(dropna=False) != len(columns):
        raise ValueError("Columns cannot contain duplicate values")
    return columns


def make(data: Any, index: Any, columns: Any, dtype: Any, nan_as_null: Any) -> tuple[pd.DataFrame, Any]:
    """A pandas DataFrame in storage form, and the attributes it brings."""
    if nan_as_null is no_default:
        nan_as_null = not get_option("mode.pandas_compatible")
    columns = column_labels(columns)
    index = None if index is None else ensure_index(index)
    kind = None if dtype is None else cudf_dtype(dtype)
    if isinstance(data, Iterator) and not pd.api.types.is_scalar(data):
        data = list(data)
    attrs = getattr(data, "attrs", None) if isinstance(data, (pd.DataFrame, pd.Series)) else None
    if isinstance(data, (classes["DataFrame"], pd.DataFrame)):
        p = _of_frame(data, nan_as_null)
        p = _select(p, index, columns)
    elif isinstance(data, (classes["Series"], pd.Series)):
        p = _of_series(classes["Series"](data, nan_as_null=nan_as_null)._p, index, columns)
    elif isinstance(data, (classes["Index"], pd.Index)):
        name = data.name if data.name is not None else (columns[0] if columns is not None else 0)
        p = make_frame({0: as_storage(data, kind, nan_as_null)}, index, columns if columns is not None else [name])
    elif data is None:
        n = 0 if index is None else len(index)
        labels = pd.RangeIndex(0) if columns is None else columns
        empty = np.dtype("object") if n == 0 else STR
        p = make_frame(
            {c: nulls(n, empty) for c in range(len(labels))}, pd.RangeIndex(0) if index is None else index, labels
        )
    elif isinstance(data, Mapping):
        p = _of_mapping(data, index, columns, kind, nan_as_null)
    elif getattr(getattr(data, "dtype", None), "names", None):
        p = _of_mapping({name: data[name] for name in data.dtype.names}, index, columns, kind, nan_as_null)
    elif hasattr(data, "__cuda_array_interface__") or hasattr(data, "__array_interface__"):
        p = _of_matrix(data, index, columns, nan_as_null)
    elif hasattr(data, "__arrow_c_stream__") or isinstance(data, pa.Table):
        p = of_table(pa.table(data))
    else:
        if pd.api.types.is_scalar(data):
            raise TypeError("DataFrame constructor called with incompatible data and dtype")
        p = _of_list(list(data), index, columns, nan_as_null)
    if kind is not None:
        arrays = {i: cast(p.iloc[:, i].array, kind) for i in range(p.shape[1])}
        p = make_frame(arrays, p.index, p.columns)
    return p, attrs


def _of_frame(data: Any, nan_as_null: bool) -> pd.DataFrame:
    if not isinstance(data, pd.DataFrame):
        return data._p
    if not data.columns.is_unique:
        raise ValueError("Duplicate column names are not allowed")
    arrays = {i: as_storage(data.iloc[:, i], None, nan_as_null) for i in range(data.shape[1])}
    return make_frame(arrays, normal_index(data.index), data.columns)


def _select(p: pd.DataFrame, index: Any, columns: Any) -> pd.DataFrame:
    if index is not None and not p.index.equals(index):
        p = normal_frame(p.reindex(index))
    if columns is not None and not p.columns.equals(columns):
        p = reindex_columns(p, columns)
    return p


def reindex_columns(p: pd.DataFrame, columns: pd.Index, fill: Any = None) -> pd.DataFrame:
    """The frame with these columns; new ones are null."""
    arrays = {}
    for i, name in enumerate(columns):
        if name in p.columns:
            arrays[i] = p[name].array
        elif fill is not None and fill is not pd.NA:
            arrays[i] = as_storage(fill, length=len(p))
        else:
            arrays[i] = nulls(len(p), np.dtype("float64"))
    return make_frame(arrays, p.index, columns)


def _of_series(p: pd.Series, index: Any, columns: Any) -> pd.DataFrame:
    if p.name is None:
        if columns is not None and len(columns) > 1:
            raise ValueError("Length of columns must be less than 2 if Series.name is None.")
        name = columns[0] if columns is not None and len(columns) else 0
    else:
        name = p.name
        if columns is not None and name not in columns:
            return make_frame({c: nulls(0, np.dtype("object")) for c in columns}, pd.RangeIndex(0))
    frame = make_frame(
        {name: p.array}, p.index, None if p.name is not None or columns is not None else pd.RangeIndex(1)
    )
    return _select(frame, index, columns)


def _of_mapping(data: Mapping, index: Any, columns: Any, kind: Any, nan_as_null: bool) -> pd.DataFrame:
    data = dict(data)
    if columns is not None:
        chosen = {c: data.get(c) for c in columns if c in data}
    else:
        chosen = data
    series = {
        key: classes["Series"](value, nan_as_null=nan_as_null, dtype=kind)._p
        for key, value in chosen.items()
        if isinstance(value, (pd.Series, classes["Series"], dict))
    }
    result_index = index
    if series:
        first = next(iter(series.values())).index
        if index is not None:
            series = {key: s if s.index.equals(index) else s.reindex(index) for key, s in series.items()}
        elif not all(s.index.equals(first) for s in series.values()):
            if not all(s.index.is_unique for s in series.values()):
                raise ValueError("Cannot align indices with non-unique values")
            union = first
            for s in list(series.values())[1:]:
                union = union.union(s.index) if not union.equals(s.index) else union
            series = {key: s.reindex(union) for key, s in series.items()}
        result_index = next(iter(series.values())).index
    arrays, scalars, lengths = {}, [], {len(s) for s in series.values()}
    for key, value in chosen.items():
        if key in series:
            arrays[key] = series[key].array
        elif pd.api.types.is_scalar(value):
            scalars.append(key)
            arrays[key] = value
        else:
            array = as_storage(value, kind, nan_as_null)
            if kind is None and len(array) == 0 and isinstance(value, (list, tuple, Iterator)):
                array = nulls(0, np.dtype("float64"))
            lengths.add(len(array))
            arrays[key] = array
    tuples = [isinstance(key, tuple) for key in chosen]
    if any(tuples) and not all(tuples):
        raise ValueError("All dict keys must be tuples if a tuple key exists.")
    if len(scalars) != len(chosen) and len(lengths) > 1:
        raise ValueError(f"Found varying value lengths when all values must have the same length: {lengths}")
    if scalars and len(scalars) == len(chosen):
        if index is None:
            raise ValueError("If using all scalar values, you must pass an index")
        n = len(index)
    else:
        n = lengths.pop() if lengths else (0 if index is None else len(index))
    for key in scalars:
        missing = arrays[key] is None or arrays[key] is pd.NA
        arrays[key] = nulls(n, kind or STR) if missing else as_storage(arrays[key], kind, nan_as_null, n)
    if result_index is None:
        result_index = pd.RangeIndex(n)
    elif len(result_index) != n:
        raise ValueError(f"Length of values ({n}) does not match length of index ({len(result_index)})")
    if any(tuples):
        deep = max(len(key) for key in arrays)
        arrays = {key + ("",) * (deep - len(key)): array for key, array in arrays.items()}
        labels: Any = pd.MultiIndex.from_tuples(list(arrays))
    else:
        labels = pd.Index(list(arrays)) if arrays else pd.RangeIndex(0)
    p = make_frame(arrays, result_index, labels)
    return p if columns is None else _missing_columns(p, columns)


def _missing_columns(p: pd.DataFrame, columns: pd.Index) -> pd.DataFrame:
    arrays = {i: p[c].array if c in p.columns else nulls(len(p), np.dtype("object")) for i, c in enumerate(columns)}
    return make_frame(arrays, p.index, columns)


def _of_matrix(data: Any, index: Any, columns: Any, nan_as_null: bool) -> pd.DataFrame:
    if data.ndim not in (1, 2):
        raise ValueError(f"records dimension expected 1 or 2 but found: {data.ndim}")
    data = data.reshape(len(data), 1) if data.ndim == 1 else data
    if columns is not None and len(columns) != data.shape[1]:
        raise ValueError(f"columns length expected {data.shape[1]} but found {len(columns)}")
    labels = pd.RangeIndex(data.shape[1]) if columns is None else columns
    arrays = {i: as_storage(data[:, i], None, nan_as_null) for i in range(data.shape[1])}
    if index is not None and len(index) != len(data):
        raise ValueError(f"Length of values ({len(data)}) does not match length of index ({len(index)})")
    return make_frame(arrays, pd.RangeIndex(len(data)) if index is None else index, labels)


def _of_list(data: list, index: Any, columns: Any, nan_as_null: bool) -> pd.DataFrame:
    if not data:
        n = 0 if index is None else len(index)
        labels = pd.RangeIndex(0) if columns is None else columns
        empty = np.dtype("object") if n == 0 else STR
        return make_frame({i: nulls(n, empty) for i in range(len(labels))},
                          pd.RangeIndex(0) if index is None else index, labels)  # fmt: skip
    first = data[0]
    if pd.api.types.is_scalar(first):
        if columns is not None and len(columns) != 1:
            raise ValueError("Passed column must be of length 1")
        if index is not None and len(index) != len(data):
            raise ValueError("Passed index must be the same length as data.")
        labels = pd.RangeIndex(1) if columns is None else columns
        return make_frame(
            {0: as_storage(data, None, nan_as_null)}, pd.RangeIndex(len(data)) if index is None else index, labels
        )
    if isinstance(first, (classes["Series"], pd.Series)):
        host = [s.to_pandas() if hasattr(s, "to_pandas") else s for s in data]
        p = (
            pd.DataFrame(host, index=index)
            if index is None or len(index) == len(host)
            else pd.DataFrame(host * (len(index) // len(host)), index=index)
        )
        p = _of_frame(p, nan_as_null)
        return _select(p, None, columns)
    if isinstance(first, dict):
        return _select(_of_frame(pd.DataFrame(data), nan_as_null), index, columns)
    if not (pd.api.types.is_list_like(first) or hasattr(first, "__cuda_array_interface__")):
        raise TypeError(f"Cannot convert {type(first)} to a column")
    import itertools

    rows = [x.get() if hasattr(x, "get") and hasattr(x, "__cuda_array_interface__") else x for x in data]
    values = list(itertools.zip_longest(*rows))
    if columns is None:
        columns = pd.Index(first._fields) if hasattr(first, "_fields") else pd.RangeIndex(len(values))
    if len(columns) != len(values):
        raise ValueError(
            "zip() argument 2 is shorter than argument 1"
            if len(values) < len(columns)
            else "zip() argument 2 is longer than argument 1"
        )
    arrays = {i: as_storage([_scalar(v) for v in value], None, nan_as_null) for i, value in enumerate(values)}
    return make_frame(arrays, pd.RangeIndex(len(data)) if index is None else index, columns)


def _scalar(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) and value.dtype.kind in "biuf" else value


def of_table(table: pa.Table) -> pd.DataFrame:
    """A pandas DataFrame in storage form of an Arrow table; pandas' metadata gives index and column labels."""
    import json

    meta = (table.schema.metadata or {}).get(b"pandas")
    arrays = {i: storage_of(table.column(i)) for i in range(table.num_columns)}
    names = list(table.column_names)
    if len(set(names)) != len(names):
        raise ValueError("Duplicate column names are not allowed")
    index: pd.Index = pd.RangeIndex(table.num_rows)
    labels: Any = pd.Index(names) if names else pd.RangeIndex(0)
    if meta:
        info = json.loads(meta)
        keys = []
        for entry in info.get("index_columns", []):
            if isinstance(entry, dict) and entry.get("kind") == "range":
                index = pd.RangeIndex(entry["start"], entry["stop"], entry["step"], name=entry.get("name"))
                if len(index) != table.num_rows:
                    index = pd.RangeIndex(table.num_rows, name=entry.get("name"))
            elif entry in names:
                keys.append(entry)
        if keys:
            real = {c.get("field_name"): c.get("name") for c in info.get("columns", [])}
            levels = [pd.Index(arrays[names.index(k)], name=real.get(k, k)) for k in keys]
            index = levels[0] if len(levels) == 1 else pd.MultiIndex.from_arrays(levels)
            keep = [i for i, n in enumerate(names) if n not in keys]
            arrays, labels = {j: arrays[i] for j, i in enumerate(keep)}, pd.Index([names[i] for i in keep])
        kinds = info.get("column_indexes") or [{}]
        if len(kinds) == 1 and kinds[0].get("pandas_type") in ("int64",) and len(labels):
            labels = pd.Index([int(x) for x in labels], name=kinds[0].get("name"))
            if (labels == np.arange(len(labels))).all():
                labels = pd.RangeIndex(len(labels), name=labels.name)
        elif len(kinds) == 1 and len(labels):
            labels = labels.rename(kinds[0].get("name"))
    return make_frame(arrays, index, labels)
