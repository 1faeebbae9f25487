"""``describe`` and ``agg``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .column import dtype_of, normal
from .construct import as_storage
from .dtypes import STR
from .host import to_host
from .wrap import classes, frame_of, make_frame, series_of


def describe(self: Any, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
    """Count, mean, spread and quantiles of numbers; count, unique, top and freq of anything else."""
    points = _points(percentiles)
    p = self._p
    if p.ndim == 1:
        return _describe_series(self, points)
    if include == "all":
        if exclude is not None:
            raise ValueError("exclude must be None when include is 'all'")
        chosen = self
    elif include is None and exclude is None:
        chosen = self.select_dtypes(include=["number", "datetime64", "timedelta64"]) if any(
            dtype_of(d).kind in "iufM" and isinstance(dtype_of(d), np.dtype) for d in p.dtypes) else self  # fmt: skip
    else:
        chosen = self.select_dtypes(include=include, exclude=exclude)
    if not chosen.shape[1]:
        raise ValueError("No data of included types.")
    parts = [_describe_series(chosen[c], points) for c in chosen._p.columns]
    labels: list = []
    for part in sorted(parts, key=len):
        labels += [x for x in part._p.index if x not in labels]
    index = pd.Index(labels)
    arrays = {i: part._p.reindex(index).array for i, part in enumerate(parts)}
    return frame_of(make_frame(arrays, index, chosen._p.columns))


def _points(percentiles: Any) -> np.ndarray:
    if percentiles is None:
        return np.array([0.25, 0.5, 0.75])
    points = np.array(list(percentiles), dtype=float)
    if not ((points >= 0) & (points <= 1)).all():
        raise ValueError("All percentiles must be between 0 and 1, inclusive.")
    return np.sort(points)


def _names(points: np.ndarray) -> list[str]:
    return [f"{x * 100:.1f}".rstrip("0").rstrip(".") + "%" for x in points]


def _describe_series(series: Any, points: np.ndarray) -> Any:
    dtype = series.dtype
    name = series.name
    kind = getattr(dtype, "kind", "O")
    if kind in "iuf" and isinstance(dtype, np.dtype):
        rows = [float(series.count()), float(series.mean()), float(series.std()), float(series.min())]
        rows += [float(x) for x in series.quantile(points)._p.to_numpy(dtype=float, na_value=np.nan)]
        rows.append(float(series.max()))
        index = ["count", "mean", "std", "min", *_names(points), "max"]
        return series_of(pd.Series(normal(np.array(rows)), index=pd.Index(index), name=name))
    if kind in "mM" and isinstance(dtype, np.dtype):
        values = {"count": str(series.count()), "mean": str(series.mean())}
        if kind == "m":
            values["std"] = str(series.std())
        values["min"] = str(series.min())
        quantiles = series.quantile(points)
        values.update(zip(_names(points), [str(x) for x in pd.Series(quantiles._p.array)], strict=True))
        values["max"] = str(series.max())
        if kind == "M":
            host = pd.Series(to_host(series._storage)).describe(percentiles=list(points))
            values = {k: str(v) for k, v in host.items()}
        return series_of(pd.Series(pd.array(list(values.values()), dtype=STR), index=pd.Index(list(values)), name=name))
    counts = pd.Series(series._storage).value_counts()
    top = counts.index[0] if len(counts) else None
    rows = [
        str(series.count()),
        str(series.nunique()),
        None if top is None else str(top),
        str(counts.iloc[0]) if len(counts) else None,
    ]
    return series_of(
        pd.Series(pd.array(rows, dtype=STR), index=pd.Index(["count", "unique", "top", "freq"]), name=name)
    )


def aggregate(self: Any, aggs: Any, axis: Any = None) -> Any:
    """Several reductions at once: a list for every column, or a dict by column."""
    p = self._p
    if any(dtype == "str" for dtype in self.dtypes):
        raise NotImplementedError("DataFrame.agg() is not supported for frames containing string columns")
    if axis is not None:
        raise NotImplementedError("axis not implemented yet")
    if isinstance(aggs, (list, tuple)) or isinstance(aggs, set):
        names = list(aggs)
        if any(not isinstance(a, str) for a in names):
            raise NotImplementedError("callable parameter is not implemented yet")
        if isinstance(aggs, set):
            names = sorted(names)
        rows = {c: as_storage([_one(p[c].array, a) for a in names]) for c in p.columns}
        return frame_of(make_frame(rows, pd.Index(names), p.columns))
    if isinstance(aggs, str):
        if not hasattr(self, aggs):
            raise AttributeError(f"{aggs} is not a valid function for 'DataFrame' object")
        return getattr(self, aggs)()
    if isinstance(aggs, dict):
        if any(callable(a) or isinstance(a, (list, tuple, set)) and any(callable(x) for x in a) for a in aggs.values()):
            raise NotImplementedError("callable parameter is not implemented yet")
        kinds = {isinstance(a, str) for a in aggs.values()}
        if kinds == {True}:
            values = [_one(p[c].array, a) for c, a in aggs.items()]
            return series_of(pd.Series(as_storage(values), index=pd.Index(list(aggs))))
        if kinds == {False}:
            names = sorted({x for a in aggs.values() for x in a})
            rows = {c: as_storage([_one(p[c].array, x) if x in a else None for x in names]) for c, a in aggs.items()}
            return frame_of(make_frame(rows, pd.Index(names)))
        raise ValueError("all values of `aggs` must have the same type")
    if callable(aggs):
        raise NotImplementedError("callable parameter is not implemented yet")
    raise ValueError("argument must be a string, list or dict")


def _one(array: Any, name: str) -> Any:
    column = classes["Series"](pd.Series(array))
    if not hasattr(column, name):
        raise AttributeError(f"{name} is not a valid function for 'Series' object")
    value = getattr(column, name)()
    return value.item() if isinstance(value, np.generic) else value
