"""One column's aggregates by group, with cuDF's result types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.core.arrays.masked import BaseMaskedArray

from ..binary import family
from ..column import arrow_of, dtype_of, isnull, masked, nans_to_nulls, normal, storage_of
from ..construct import as_storage, nulls
from ..reduce import quantile as column_quantile
from ..reduce import reduce

SCANS = frozenset(["cumsum", "cumprod", "cummin", "cummax", "cumcount", "diff", "shift", "rank"])
_TEXT = {
    "collect",
    "count",
    "max",
    "min",
    "nth",
    "nunique",
    "size",
    "unique",
    "first",
    "last",
    "idxmin",
    "idxmax",
    "sum",
    "any",
    "all",
}
_CATEGORY = {"count", "nunique", "size", "unique", "max", "min", "first", "last", "nth"}
_DECIMAL = {
    "collect",
    "count",
    "max",
    "mean",
    "min",
    "nth",
    "nunique",
    "sum",
    "idxmin",
    "idxmax",
    "first",
    "last",
    "size",
}
_ALIASES = {"product": "prod", "list": "collect", "argmin": "idxmin", "argmax": "idxmax"}


def name_of(agg: Any) -> str:
    """The name under which an aggregation's result appears."""
    if isinstance(agg, str):
        return agg
    if agg is list:
        return "list"
    return getattr(agg, "__name__", repr(agg))


class _Probe:
    """Stands for a group where a function of the user's asks for an aggregation, ``lambda x: x.quantile(0.5)``."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: Requested(name, args, kwargs)


class Requested:
    """An aggregation with arguments."""

    def __init__(self, name: str, args: tuple = (), kwargs: Any = None) -> None:
        self.name, self.args, self.kwargs = name, args, kwargs or {}


def requested(agg: Any) -> Requested:
    """What an aggregation asks for: a name, ``list``, or a function that calls one aggregation of its argument.

    Raises
    ------
    TypeError
        For anything else.
    """
    if isinstance(agg, Requested):
        return agg
    if isinstance(agg, str):
        return Requested(_ALIASES.get(agg, agg))
    if agg is list:
        return Requested("collect")
    builtin = {sum: "sum", min: "min", max: "max", np.sum: "sum", np.mean: "mean", np.min: "min", np.max: "max",
               np.std: "std", np.var: "var", np.median: "median", np.prod: "prod"}  # fmt: skip
    try:
        if agg in builtin:
            return Requested(builtin[agg])
    except TypeError:
        pass
    if callable(agg):
        found = agg(_Probe())
        if isinstance(found, Requested):
            found.name = _ALIASES.get(found.name, found.name)
            return found
    raise TypeError(
        "Aggregation must be a named aggregation or a callable"
        if not callable(agg)
        else f"Unsupported aggregation: {name_of(agg)}"
    )


def supported(array: Any, name: str) -> bool:
    """Whether a column has an aggregation; TypeError where cuDF raises it."""
    kind = family(array)
    if kind in ("text", "null"):
        allowed = _TEXT
    elif kind == "category":
        allowed = _CATEGORY
    elif kind == "decimal":
        return name in _DECIMAL
    elif kind in ("list", "struct", "interval"):
        return name in ("collect", "first", "last", "nth", "size", "count") if kind != "list" else name == "collect"
    else:
        return not (kind in ("M", "tz") and name in ("sum", "prod", "var", "std", "any", "all"))
    if name not in allowed:
        raise TypeError(f"{dtype_of(array.dtype)} type does not support {name} operations")
    return True


def aggregate(array: Any, codes: np.ndarray, n: int, agg: Requested, labels: Any = None, by: Any = None) -> Any:
    """A storage array with one value for each group (or each row, for a scan); `by` is what :func:`grouper` made of the codes."""
    name, args, kwargs = agg.name, agg.args, agg.kwargs
    if name == "size":
        return masked(np.bincount(codes[codes >= 0], minlength=n).astype(np.int64))
    if isinstance(array, BaseMaskedArray):
        array = nans_to_nulls(array)
    if name == "count":
        kept = (codes >= 0) & ~isnull(array)
        return masked(np.bincount(codes[kept], minlength=n).astype(np.int64))
    if name in ("collect", "unique"):
        return _lists(array, codes, n, name, **kwargs)
    if name in ("idxmin", "idxmax"):
        return _labels(array, codes, n, name, labels)
    if name == "nth":
        return _nth(array, codes, n, *args, **kwargs)
    if family(array) == "decimal" or family(array) in ("struct", "interval", "null"):
        return _one_by_one(array, codes, n, agg)
    if family(array) == "category" and name in ("min", "max"):
        order = aggregate(masked(np.asarray(array.codes).astype("i8"), isnull(array)), codes, n, agg)
        return pd.Categorical.from_codes(np.where(order._mask, -1, order._data), dtype=array.dtype)
    if name == "quantile":
        return _quantiles(array, codes, n, *args, **kwargs)
    by = grouper(codes, n) if by is None else by
    grouped = _grouped(array, by)
    if name in ("first", "last", "min", "max"):
        return normal(getattr(grouped, name)().array)
    if name in ("any", "all") and family(array) in ("text", "null"):
        return _one_by_one(array, codes, n, agg)
    if name in ("any", "all"):
        return normal(getattr(grouped, name)().array)
    if name == "nunique":
        return masked(grouped.nunique(**kwargs).to_numpy(dtype="i8"))
    if name == "median":
        return _quantiles(array, codes, n, 0.5)
    if name in ("sum", "prod"):
        if family(array) == "text":
            return _one_by_one(array, codes, n, agg)
        if isinstance(array, BaseMaskedArray) and array._data.dtype.kind == "b":
            grouped = _grouped(masked(array._data.astype("i8"), array._mask), by)
        return normal(getattr(grouped, name)(min_count=1).array)
    if name == "mean":
        found = grouped.mean()
        array = normal(found.array)
        return masked(array._data.astype("f8"), array._mask) if isinstance(array, BaseMaskedArray) else array
    if name in ("var", "std"):
        if isinstance(array, BaseMaskedArray):
            grouped = _grouped(masked(array._data.astype("f8"), array._mask), by)
        return nans_to_nulls(normal(getattr(grouped, name)(*args, **kwargs).array))
    if name in ("skew", "kurt", "kurtosis", "sum_of_squares"):
        return _one_by_one(array, codes, n, agg)
    if name in SCANS:
        return scan(array, codes, agg)
    raise AttributeError(f"type object 'Aggregation' has no attribute '{name}'")


def grouper(codes: np.ndarray, n: int) -> Any:
    """Codes as pandas takes them for what they are, without looking for the groups once more; good for many columns."""
    keys = pd.Categorical.from_codes(codes, categories=pd.RangeIndex(n), validate=False)
    return pd.Series(codes, copy=False).groupby(keys, observed=False)._grouper


def _grouped(array: Any, by: Any) -> Any:
    return pd.Series(array, copy=False).groupby(by, observed=False)


def scan(array: Any, codes: np.ndarray, agg: Requested) -> Any:
    """A cumulative result for each row; null for rows in no group."""
    keys = np.where(codes < 0, np.nan, codes)
    if agg.name == "cumcount":
        counts = pd.Series(np.zeros(len(codes))).groupby(keys).cumcount().to_numpy()
        return masked(counts.astype("i8"), codes < 0)
    if isinstance(array, BaseMaskedArray) and agg.name in ("cumsum", "cumprod") and array._data.dtype.kind in "bi":
        array = masked(array._data.astype("i8"), array._mask)
    found = normal(getattr(pd.Series(array).groupby(keys, observed=False), agg.name)(*agg.args, **agg.kwargs).array)
    if (codes < 0).any() and isinstance(found, BaseMaskedArray):
        return masked(found._data, found._mask | (codes < 0))
    return found


def _parts(codes: np.ndarray, n: int) -> list[np.ndarray]:
    """Rows of each group."""
    order = np.argsort(codes, kind="stable")
    order = order[(codes < 0).sum() :]
    return np.split(order, np.cumsum(np.bincount(codes[codes >= 0], minlength=n))[:-1]) if n else []


def _one_by_one(array: Any, codes: np.ndarray, n: int, agg: Requested) -> Any:
    values = []
    name = {"prod": "product", "kurt": "kurtosis"}.get(agg.name, agg.name)
    for rows in _parts(codes, n):
        part = array.take(rows)
        part = part[~isnull(part)]
        if name in ("first", "last"):
            values.append(part[0 if name == "first" else -1] if len(part) else None)
        elif name == "nunique":
            values.append(int(pd.Series(part).nunique()))
        else:
            values.append(reduce(name, part) if len(part) else None)
    if family(array) == "decimal" and name in ("min", "max", "first", "last"):
        return as_storage(values, dtype_of(array.dtype))
    if all(v is None for v in values):
        return nulls(n, dtype_of(array.dtype))
    return as_storage([v.item() if isinstance(v, np.generic) else v for v in values])


def _lists(array: Any, codes: np.ndarray, n: int, name: str, **kwargs: Any) -> Any:
    import pyarrow as pa

    parts = _parts(codes, n)
    if name == "unique":
        parts = [rows[~pd.Series(array.take(rows)).duplicated().to_numpy()] for rows in parts]
    flat = array.take(np.concatenate(parts).astype(int) if parts else np.array([], int))
    offsets = np.concatenate([[0], np.cumsum([len(rows) for rows in parts])]).astype(np.int32)
    values = arrow_of(flat)
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return storage_of(pa.ListArray.from_arrays(pa.array(offsets), values))


def _labels(array: Any, codes: np.ndarray, n: int, name: str, labels: Any) -> Any:
    series = pd.Series(array)
    places = []
    for rows in _parts(codes, n):
        part = series.take(rows).reset_index(drop=True).dropna()
        if not len(part):
            raise ValueError(f"{name} with skipna=True encountered all NA values in a group.")
        places.append(rows[int(getattr(part, name)())])
    if labels is None or isinstance(labels, pd.MultiIndex):
        return masked(np.array(places, dtype="i8"))
    return normal(labels.take(places).array)


def _nth(array: Any, codes: np.ndarray, n: int, k: int = 0, *_: Any, **__: Any) -> Any:
    places = [rows[k] if -len(rows) <= k < len(rows) else -1 for rows in _parts(codes, n)]
    return array.take(np.array(places, dtype=int), allow_fill=True)


def _quantiles(array: Any, codes: np.ndarray, n: int, q: Any = 0.5, interpolation: str = "linear", **_: Any) -> Any:
    points = np.atleast_1d(np.asarray(q, dtype=float))
    out, null = np.zeros((n, len(points))), np.zeros((n, len(points)), bool)
    if family(array) in ("M", "m", "tz"):
        found = pd.Series(array).groupby(np.where(codes < 0, np.nan, codes)).median()
        return normal(found.array)
    values = masked(array._data.astype("f8"), array._mask)
    if len(points) == 1 and interpolation == "linear" and not np.isnan(values._data[~values._mask]).any():
        found = pd.Series(values).groupby(np.where(codes < 0, np.nan, codes)).quantile(float(points[0]))
        return nans_to_nulls(normal(found.array))
    for i, rows in enumerate(_parts(codes, n)):
        found = column_quantile(values.take(rows), points, interpolation)
        out[i], null[i] = np.where(np.isnan(found), 0, found), np.isnan(found)
    return masked(out.reshape(-1), null.reshape(-1))
