"""Groups of rows by time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .column import masked, normal
from .groupby import DataFrameGroupBy, SeriesGroupBy
from .groupby.grouping import Grouping
from .wrap import classes, frame_of, make_frame, series_of


class _TimeGrouping(Grouping):
    """Bins of time."""

    def __init__(self, obj: Any, rule: Any, closed: Any, label: Any, on: Any, level: Any) -> None:
        p = obj._p
        if on is not None:
            times, name, named = p[on], on, [on]
        elif level is not None:
            times, name, named = pd.Series(p.index.get_level_values(level)), p.index.get_level_values(level).name, []
        else:
            times, name, named = pd.Series(p.index), p.index.name, []
        if times.dtype.kind != "M":
            raise TypeError(
                f"Can only resample on a DatetimeIndex or datetime column, got column of type {times.dtype}"
            )
        self._p, self.names, self.named = p, [name], named
        host = pd.Series(np.arange(len(times)), index=pd.DatetimeIndex(times.array))
        bins = host.resample(rule, closed=closed, label=label)
        sizes = bins.size()
        labels = sizes.index
        order = np.argsort(host.index.asi8, kind="stable")
        codes = np.full(len(host), -1)
        valid = order[: int(sizes.sum())] if not host.index.hasnans else order[int(host.index.isna().sum()) :]
        codes[valid] = np.repeat(np.arange(len(labels)), sizes.to_numpy())
        self.codes = codes
        self.labels = pd.DatetimeIndex(labels.array, name=name)
        self.ngroups = len(labels)
        self.keys = [pd.Series(times.array)]
        self.first = np.arange(self.ngroups)


class _Resampler:
    """What resampled frames add to groups."""

    def _fill(self, how: str) -> Any:
        out = self.agg("first")
        return getattr(out, how)()

    def asfreq(self) -> Any:
        """The first value of each bin."""
        values = self.obj if self.obj.ndim == 1 else self.obj[self._value_names]
        return values.reindex(classes["Index"](self.grouping.labels))

    def ffill(self, limit: Any = None) -> Any:
        """Empty bins filled from before."""
        return self._scattered("ffill", limit)

    def bfill(self, limit: Any = None) -> Any:
        """Empty bins filled from behind."""
        return self._scattered("bfill", limit)

    nearest = None

    def _scattered(self, how: str, limit: Any) -> Any:
        if limit is not None:
            raise NotImplementedError("limit is not supported")
        values = self.obj if self.obj.ndim == 1 else self.obj[self._value_names]
        p = values._p
        labels = self.grouping.labels
        found = p.index.get_indexer(labels, method=how)
        arrays = [
            c.array.take(found, allow_fill=True)
            for c in ([p] if p.ndim == 1 else [p.iloc[:, i] for i in range(p.shape[1])])
        ]
        if p.ndim == 1:
            return series_of(pd.Series(normal(arrays[0]), index=labels, name=p.name))
        return frame_of(make_frame(dict(enumerate(arrays)), labels, p.columns))

    def size(self) -> Any:
        """Number of rows of each bin."""
        g = self.grouping
        return series_of(
            pd.Series(masked(np.bincount(g.codes[g.codes >= 0], minlength=g.ngroups).astype("i8")), index=g.labels)
        )


class SeriesResampler(_Resampler, SeriesGroupBy):
    """A Series in bins of time."""


class DataFrameResampler(_Resampler, DataFrameGroupBy):
    """A DataFrame in bins of time."""


def resample(self: Any, rule: Any, closed: Any = None, label: Any = None, convention: str = "start", on: Any = None,
             level: Any = None, origin: Any = "start_day", offset: Any = None, group_keys: bool = False) -> Any:  # fmt: skip
    """Groups of rows by time."""
    if convention != "start":
        raise NotImplementedError("convention is not currently supported")
    if origin != "start_day":
        raise NotImplementedError("origin is not currently supported")
    if offset is not None:
        raise NotImplementedError("offset is not currently supported")
    cls = SeriesResampler if self._p.ndim == 1 else DataFrameResampler
    grouping = _TimeGrouping(self, rule, closed, label, on, level)
    return cls(self, grouping, None, True, True, True, False)
