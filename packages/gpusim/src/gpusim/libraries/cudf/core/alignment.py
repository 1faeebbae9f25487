"""Frames with other labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .column import dtype_of
from .construct import as_storage, nulls
from .index import ensure_index
from .wrap import frame_of, make_frame, normal_frame, normal_series, series_of


def reindex(self: Any, labels: Any = None, index: Any = None, columns: Any = None, axis: Any = None, method: Any = None,
            copy: bool = True, level: Any = None, fill_value: Any = None, limit: Any = None, tolerance: Any = None) -> Any:  # fmt: skip
    """Rows and columns for other labels."""
    p = self._p
    for value, name in ((level, "level"), (method, "method"), (limit, "limit"), (tolerance, "tolerance")):
        if value is not None:
            raise NotImplementedError(f"{name} is not currently supported.")
    if p.ndim == 1:
        index = labels if index is None else index
        if axis not in (None, 0, "index"):
            raise ValueError("reindex() on a Series only supports axis=0")
    else:
        if labels is None and index is None and columns is None:
            return self.copy(deep=copy)
        if labels is not None:
            if index is not None or columns is not None:
                raise TypeError("Cannot specify both 'labels' and any of 'index' or 'columns'.")
            if axis in (1, "columns"):
                columns = labels
            else:
                index = labels
    fill = None if fill_value is None or fill_value is pd.NA else fill_value
    if index is not None:
        target = ensure_index(index)
        if target.name is None and not isinstance(target, pd.MultiIndex) and not hasattr(index, "name"):
            target = target.rename(p.index.name) if not isinstance(p.index, pd.MultiIndex) else target
        p = rows(p, target, fill)
    if p.ndim == 1:
        return series_of(p)
    if columns is not None:
        names = columns if isinstance(columns, pd.Index) else ensure_index(columns)
        arrays = {}
        for i, name in enumerate(names):
            if name in p.columns:
                arrays[i] = p[name].array
            elif fill is not None:
                arrays[i] = as_storage(fill, length=len(p))
            else:
                arrays[i] = nulls(len(p), np.dtype("float64"))
        p = make_frame(arrays, p.index, names.rename(p.columns.name) if not isinstance(names, pd.MultiIndex) else names)
    return frame_of(p)


def rows(p: Any, target: pd.Index, fill: Any = None) -> Any:
    """A pandas object in storage form with other row labels."""
    if p.index.equals(target):
        return p.set_axis(target)
    if not p.index.is_unique:
        raise ValueError("cannot reindex on an axis with duplicate labels")
    if not len(target):
        return p.iloc[:0].set_axis(target)
    places = p.index.get_indexer(target)
    missing = places < 0

    def one(array: Any) -> Any:
        if not len(array):
            out = nulls(len(target), dtype_of(array.dtype))
        else:
            out = array.take(places, allow_fill=True)
        if fill is not None and missing.any():
            out = normal_series(pd.Series(out).mask(missing, fill)).array
        return out

    if p.ndim == 1:
        return pd.Series(one(p.array), index=target, name=p.name)
    return normal_frame(make_frame({i: one(p.iloc[:, i].array) for i in range(p.shape[1])}, target, p.columns))
