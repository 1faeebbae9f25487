"""Grouping a collection: each partition is aggregated, then the parts are, then the means and variances are made."""

from __future__ import annotations

import functools
from typing import Any

import pandas as pd
from dask.dataframe.core import _concat
from dask.dataframe.dask_expr import new_collection
from dask.dataframe.dask_expr._groupby import DecomposableGroupbyAggregation, GroupbyAggregation
from dask.dataframe.dask_expr._groupby import GroupBy as DaskGroupBy
from dask.dataframe.dask_expr._groupby import SeriesGroupBy as DaskSeriesGroupBy
from dask.dataframe.groupby import Aggregation
from dask.dataframe.utils import is_scalar

OPTIMIZED = ("count", "mean", "std", "var", "sum", "min", "max", list, "first", "last")
REDIRECTS = {sum: "sum", max: "max", min: "min", "collect": list, "list": list}
MERGED = {"count": "sum", "sum": "sum", "square": "sum"}


def _redirected(arg: Any) -> Any:
    if isinstance(arg, dict):
        return {key: _redirected(value) for key, value in arg.items()}
    if isinstance(arg, list):
        return [_redirected(one) for one in arg]
    return REDIRECTS.get(arg, arg)


def _all_optimized(arg: Any) -> bool:
    if isinstance(arg, dict):
        return all(map(_all_optimized, arg.values()))
    if isinstance(arg, list):
        return all(map(_all_optimized, arg))
    return isinstance(arg, (str, type)) and arg in OPTIMIZED


def _spec(arg: Any, columns: list) -> tuple[list[tuple[Any, Any, Any]], bool]:
    """Return (column, aggregation, label) of what was asked for, and whether the result's names are plain."""
    if not isinstance(arg, dict):
        arg = dict.fromkeys(columns, arg)
    out, plain = [], True
    for name, wanted in arg.items():
        if isinstance(wanted, dict):
            plain = False
            out += [(name, agg, label) for label, agg in wanted.items()]
        elif isinstance(wanted, list):
            plain = False
            out += [(name, agg, "list" if agg is list else agg) for agg in wanted]
        else:
            out.append((name, wanted, None))
    return out, plain


def _parts(spec: list) -> list[tuple[Any, str]]:
    """Return the (column, part) that partitions compute."""
    needs: dict[tuple[Any, str], None] = {}
    for name, agg, _ in spec:
        kinds = {"mean": ("count", "sum"), "var": ("count", "sum", "square"), "std": ("count", "sum", "square")}
        for part in kinds.get(agg, ("list" if agg is list else agg,)):
            needs[(name, part)] = None
    return list(needs)


def _partition(df: Any, by: list, spec: list, dropna: bool, sort: Any) -> Any:
    """Aggregate one partition: a frame of the keys and of ``p0``, ``p1``, …"""
    work = df[by].copy(deep=False)
    aggs = {}
    for at, (name, part) in enumerate(_parts(spec)):
        work[f"p{at}"] = df[name].astype("float64") ** 2 if part == "square" else df[name]
        aggs[f"p{at}"] = "sum" if part == "square" else list if part == "list" else part
    out = work.groupby(by, dropna=dropna, as_index=False, sort=bool(sort)).agg(aggs)
    return out[[*by, *aggs]]


def _merge(df: Any, by: list, spec: list, dropna: bool, sort: Any) -> Any:
    """Aggregate the parts of several partitions."""
    parts = _parts(spec)
    aggs = {f"p{at}": list if part == "list" else MERGED.get(part, part) for at, (_, part) in enumerate(parts)}
    out = df.groupby(by, dropna=dropna, as_index=False, sort=bool(sort)).agg(aggs)[[*by, *aggs]]
    for at, (_, part) in enumerate(parts):
        if part == "list":
            out[f"p{at}"] = out[f"p{at}"].list.concat()
    return out


def _final(df: Any, by: list, spec: list, plain: bool, dropna: bool, sort: Any) -> Any:
    """Make the result of the parts."""
    import cudf

    merged = _merge(df, by, spec, dropna, sort)
    if sort:
        merged = merged.sort_values(by)
    merged = merged.set_index(by if len(by) > 1 else by[0])
    place = {part: f"p{at}" for at, part in enumerate(_parts(spec))}
    columns, labels = {}, []
    for at, (name, agg, label) in enumerate(spec):
        if agg in ("mean", "var", "std"):
            n, total = merged[place[name, "count"]], merged[place[name, "sum"]]
            if agg == "mean":
                value = total / n
            else:
                value = merged[place[name, "square"]] - total.astype("float64") ** 2 / n
                free = n - 1
                value = value / free.where(free >= 1, 1)
                value = value.where(value >= 0, 0.0)
                value = value.where(free != 0)
                value = value**0.5 if agg == "std" else value
        else:
            value = merged[place[name, "list" if agg is list else agg]]
        columns[at] = value
        labels.append(name if plain else (name, label or ("list" if agg is list else agg)))
    out = cudf.DataFrame(columns, index=merged.index)
    out.columns = labels if plain else pd.MultiIndex.from_tuples(labels)
    return out


class DecomposableCudfAgg(DecomposableGroupbyAggregation):
    """The three steps."""

    @property
    def _spec(self) -> tuple[list, bool]:
        by = self._keys
        wanted = self._slice if self._slice is not None else [name for name in self.frame.columns if name not in by]
        return _spec(self.arg, wanted if isinstance(wanted, list) else [wanted])

    @property
    def _keys(self) -> list:
        by = self._by_columns
        return [by] if isinstance(by, str) else list(by)

    @functools.cached_property
    def _meta(self) -> Any:
        options = {"by": self._keys, "spec": self._spec[0], "dropna": True, "sort": None}
        empty = self.frame._meta
        return _final(_partition(empty, **options), **options, plain=self._spec[1])

    @property
    def shuffle_by_index(self) -> bool:
        """Parts keep their keys as columns."""
        return False

    @property
    def _options(self) -> dict:
        return {
            "by": self._keys, "spec": self._spec[0], "dropna": True if self.dropna is None else self.dropna,
            "sort": self.sort,
        }  # fmt: skip

    @classmethod
    def chunk(cls, df: Any, *by_: Any, **kwargs: Any) -> Any:
        """Aggregate one partition."""
        return _partition(df, **kwargs)

    @classmethod
    def combine(cls, inputs: list, **kwargs: Any) -> Any:
        """Aggregate the parts of several partitions."""
        return _merge(_concat(inputs), **kwargs)

    @classmethod
    def aggregate(cls, inputs: list, **kwargs: Any) -> Any:
        """Make the result."""
        return _final(_concat(inputs), **kwargs)

    @property
    def chunk_kwargs(self) -> dict:
        """Options of the first step."""
        return self._options

    @property
    def combine_kwargs(self) -> dict:
        """Options of the second."""
        return self._options

    @property
    def aggregate_kwargs(self) -> dict:
        """Options of the third."""
        return {**self._options, "plain": self._spec[1]}


class CudfAgg(GroupbyAggregation):
    """An aggregation that is done in the three steps."""

    @functools.cached_property
    def _meta(self) -> Any:
        return self._lower()._meta

    def _lower(self) -> Any:
        return DecomposableCudfAgg(
            self.frame, self.arg, self.observed, self.dropna, self.split_every, self.split_out, self.sort,
            self.shuffle_method, self._slice, *self.by,
        )  # fmt: skip


def _lists(arg: Any) -> Any:
    return arg.agg(list)


def _join_lists(arg: Any) -> Any:
    grouped = arg.agg(list)
    if grouped.ndim == 1:
        return grouped.list.concat()
    for name in grouped.columns:
        grouped[name] = grouped[name].list.concat()
    return grouped


LIST = Aggregation(name="list", chunk=_lists, agg=_join_lists)


def _translated(arg: Any) -> Any:
    if isinstance(arg, dict):
        return {key: _translated(value) for key, value in arg.items()}
    if isinstance(arg, list):
        return [_translated(one) for one in arg]
    return LIST if arg in ("collect", "list", list) else arg


class GroupBy(DaskGroupBy):
    """Groups of a DataFrame; categories that do not occur are left out by default."""

    def __init__(self, *args: Any, observed: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, observed=True if observed is None else observed, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        kind, options = (SeriesGroupBy, {}) if is_scalar(key) else (GroupBy, {"group_keys": self.group_keys})
        return kind(
            self.obj, by=self.by, slice=key, sort=self.sort, dropna=self.dropna, observed=self.observed, **options
        )

    def aggregate(self, arg: Any, fused: bool = True, **kwargs: Any) -> Any:
        """Aggregate."""
        wanted = _redirected(arg)
        options = {key: kwargs.pop(key, None) for key in ("split_every", "split_out", "shuffle_method")}
        plain_keys = all(isinstance(one, (str, int)) or hasattr(one, "_name") for one in self.by)
        if fused and not kwargs and plain_keys and hasattr(self.obj._meta, "to_pandas") and _all_optimized(wanted):
            return new_collection(
                CudfAgg(
                    self.obj.expr, wanted, self.observed, self.dropna, options["split_every"], options["split_out"] or 1,
                    self.sort, options["shuffle_method"], self._slice, *self.by,
                )
            )  # fmt: skip
        options = {key: value for key, value in options.items() if value is not None}
        return super().aggregate(_translated(arg), **options, **kwargs)

    agg = aggregate


class SeriesGroupBy(DaskSeriesGroupBy):
    """Groups of a Series; categories that do not occur are left out by default."""

    def __init__(self, *args: Any, observed: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, observed=True if observed is None else observed, **kwargs)

    def aggregate(self, arg: Any, **kwargs: Any) -> Any:
        """Aggregate."""
        return super().aggregate(_translated(arg), **kwargs)

    agg = aggregate
