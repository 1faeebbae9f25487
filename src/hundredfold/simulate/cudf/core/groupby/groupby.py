"""GroupBy objects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from hundredfold.simulate.names import member_refuser

from ...options import get_option
from .. import device
from ..column import masked
from ..delegate import no_default
from ..guard import guarded_class
from ..order import shuffled
from ..wrap import classes, frame_of, index_of, make_frame, series_of
from .aggregate import SCANS, Requested, aggregate, name_of, requested, supported
from .apply import ApplyMethods
from .grouping import Grouping, NamedAgg
from .methods import GroupMethods


@guarded_class
class GroupBy(GroupMethods, ApplyMethods):
    """Groups of rows: ``GroupBy(obj, by, level, sort, as_index, dropna, group_keys)``."""

    def __init__(self, obj: Any, by: Any = None, level: Any = None, sort: Any = no_default, as_index: bool = True,
                 dropna: bool = True, group_keys: Any = no_default) -> None:  # fmt: skip
        self.obj, self._by, self._level = obj, by, level
        self._sort = bool(get_option("mode.pandas_compatible") if sort is no_default or sort is None else sort)
        self._as_index, self._dropna = as_index, dropna
        keys = get_option("mode.pandas_compatible") if group_keys is no_default else group_keys
        self._group_keys = bool(keys)
        self.grouping = by if isinstance(by, Grouping) else Grouping(obj, by, level, dropna)

    @property
    def _order(self) -> np.ndarray:
        """In which order the groups appear in a result: sorted, or as a hash table happens to give them."""
        g = self.grouping
        if self._sort:
            return np.arange(g.ngroups)
        return np.argsort(g.first, kind="stable") if get_option("mode.pandas_compatible") else shuffled(g.ngroups)

    @property
    def _value_names(self) -> list:
        p = self.obj._p
        if p.ndim == 1:
            return [p.name]
        return [c for c in p.columns if c not in self.grouping.named]

    def _column(self, name: Any) -> pd.Series:
        p = self.obj._p
        return p if p.ndim == 1 else p[name]

    @property
    def ndim(self) -> int:
        """Axes of what is grouped."""
        return self.obj.ndim

    @property
    def ngroups(self) -> int:
        """Number of groups."""
        return self.grouping.ngroups

    def __len__(self) -> int:
        return self.grouping.ngroups

    def __iter__(self) -> Any:
        g = self.grouping
        for i in range(g.ngroups):
            label = g.labels[i]
            if not isinstance(g.labels, pd.MultiIndex) and isinstance(self._by, list):
                label = (label,)
            yield label, self.obj._rows(np.flatnonzero(g.codes == i))

    def _with_index(self, frame: pd.DataFrame, order: np.ndarray) -> pd.DataFrame:
        return frame.set_axis(self.grouping.labels.take(order))

    def _normalize(self, func: Any, kwargs: dict) -> tuple[list, list[list], bool]:
        """Names of the result's columns, the column and aggregations of each, and whether names have two levels."""
        if func is not None and (callable(func) or isinstance(func, (dict, Requested)) or len(func)):
            if isinstance(func, dict):
                for name in func:
                    if self.obj._p.ndim == 2 and name not in self.obj._p.columns:
                        raise KeyError(name)
                sets = [(name, name, list(a) if isinstance(a, (list, tuple)) else [a]) for name, a in func.items()]
                for i, (name, column, aggs) in enumerate(sets):
                    names = [name_of(a) for a in aggs]
                    if len(set(names)) != len(names):
                        if get_option("mode.pandas_compatible"):
                            raise NotImplementedError("Duplicate aggregations per column are currently not supported.")
                        import warnings

                        warnings.warn("Duplicate aggregations per column found. The resulting duplicate columns will be "
                                      "dropped.", UserWarning, stacklevel=5)  # fmt: skip
                        aggs = [a for j, a in enumerate(aggs) if names[j] not in names[:j]]
                        sets[i] = (name, column, aggs)
                return sets, [], any(isinstance(a, (list, tuple)) for a in func.values())
            if isinstance(func, (list, tuple)):
                if len(func) != len({name_of(f) if not callable(f) else id(f) for f in func}):
                    raise pd.errors.SpecificationError(
                        "Function names must be unique if there is no new column names assigned"
                    )
                return [(name, name, list(func)) for name in self._value_names], [], True
            return [(name, name, [func]) for name in self._value_names], [], False
        if kwargs:
            sets = []
            for name, value in kwargs.items():
                if not isinstance(value, (tuple, NamedAgg)):
                    raise TypeError(f"Invalid keyword argument {value} of type {type(value)} was passed to agg")
                if value[0] not in self.obj._p.columns:
                    raise KeyError(value[0])
                sets.append((name, value[0], [value[1]]))
            return sets, [], False
        raise TypeError("Must provide at least one aggregation function.")

    def agg(self, func: Any = None, *args: Any, engine: Any = None, engine_kwargs: Any = None, **kwargs: Any) -> Any:
        """Aggregates by group: a name, a list of names, a dict by column, or ``new=(column, name)``."""
        if engine is not None:
            raise NotImplementedError("engine is non-functional and added for compatibility with pandas")
        if engine_kwargs is not None:
            raise NotImplementedError("engine_kwargs is non-functional added for compatibility with pandas")
        if args:
            raise NotImplementedError("Passing args to func is currently not supported.")
        sets, _, two = self._normalize(func, kwargs)
        g = self.grouping
        arrays, labels, asked, scans, done = {}, [], 0, [], 0
        for name, column, aggs in sets:
            array = self._column(column).array
            for agg in aggs:
                want = requested(agg)
                asked += 1
                scans.append(want.name in SCANS)
                if not supported(array, want.name):
                    continue
                arrays[done] = aggregate(array, g.codes, g.ngroups, want, self.obj._p.index)
                labels.append((name, name_of(agg)) if two else name)
                done += 1
        if asked and not done:
            raise pd.errors.DataError("All requested aggregations are unsupported.")
        if any(scans) and not all(scans):
            raise NotImplementedError("Cannot perform both aggregation and scan in one operation")
        device.count("cudf_groupby", self.obj._p.size * 8, g.ngroups * max(done, 1) * 8)
        if two:
            columns: Any = pd.MultiIndex.from_tuples(labels)
        elif not labels and self.obj._p.ndim == 2:
            columns = self.obj._p.columns[:0]
        else:
            columns = pd.Index(labels, tupleize_cols=isinstance(getattr(self.obj._p, "columns", None), pd.MultiIndex))
            if self.obj._p.ndim == 2 and not kwargs:
                columns.names = self.obj._p.columns.names
        if scans and all(scans):
            return frame_of(make_frame(arrays, self.obj._p.index, columns))
        order = self._order
        frame = make_frame({i: a.take(order) for i, a in arrays.items()}, g.labels.take(order), columns)
        return self._finish(frame, named=bool(kwargs) or isinstance(func, dict))

    def _finish(self, frame: pd.DataFrame, named: bool = False) -> Any:
        if not self._as_index:
            frame = self._keys_as_columns(frame)
        return frame_of(frame)

    def _keys_as_columns(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The group labels as the first columns."""
        from ..wrap import normal_frame

        g = self.grouping
        clash = [n for n in g.names if n is not None and n in frame.columns]
        if clash:
            frame = frame.drop(columns=clash)
            names = [n for n in g.names if n not in clash]
            if not names and len(g.names) == 1:
                pass
        return normal_frame(frame.reset_index())

    aggregate = agg

    def size(self) -> Any:
        """Number of rows of each group."""
        g, order = self.grouping, self._order
        values = masked(np.bincount(g.codes[g.codes >= 0], minlength=g.ngroups).astype("i8")[order])
        name = self.obj._p.name if self.obj._p.ndim == 1 else None
        if not self._as_index:
            return frame_of(self._keys_as_columns(make_frame({"size": values}, g.labels.take(order))))
        return series_of(pd.Series(values, index=g.labels.take(order), name=name))

    @property
    def groups(self) -> dict:
        """Label → labels of the group's rows."""
        g = self.grouping
        return {label: index_of(self.obj._p.index[g.codes == i]) for i, label in enumerate(g.labels)}

    @property
    def indices(self) -> dict:
        """Label → positions of the group's rows, on the device."""
        import cupy

        g = self.grouping
        return {label: cupy.asarray(np.flatnonzero(g.codes == i)) for i, label in enumerate(g.labels)}

    def get_group(self, name: Any) -> Any:
        """The rows of one group."""
        g = self.grouping
        if isinstance(name, tuple) and len(name) == 1 and not isinstance(g.labels, pd.MultiIndex):
            name = name[0]
        try:
            place = g.labels.get_loc(name)
        except KeyError:
            raise KeyError(name) from None
        return self.obj._rows(np.flatnonzero(g.codes == place))

    def _reduction(
        self, name: str, numeric_only: bool = False, min_count: int = 0, skipna: bool = True, **kwargs: Any
    ) -> Any:
        if numeric_only:
            names = [n for n in self._value_names if self._column(n).array.dtype.kind in "iufb"]
            if self.obj.ndim == 1:
                raise NotImplementedError(f"numeric_only is not implemented for {type(self)}")
            return self[names]._reduction(name, False, min_count, skipna, **kwargs)
        result = self.agg(Requested(name, (), kwargs) if kwargs else name)
        if not skipna and name in ("sum", "prod", "mean", "median", "var", "std", "min", "max"):
            sizes = self.size()
            counts = self.agg("count")
            result = result.where(counts.eq(sizes, axis=0) if self.obj.ndim == 1 else self._whole(counts, sizes), None)
        if min_count and min_count > 0:
            result = result.where(self.agg("count") >= min_count, None)
        return result

    def _whole(self, counts: Any, sizes: Any) -> Any:
        return frame_of(make_frame({c: (counts[c] == sizes)._p.array for c in counts._p.columns}, counts._p.index))


def _reducer(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        names = ("ddof", "engine", "engine_kwargs", "numeric_only") if name in ("std", "var") else (
            ("skipna", "min_count") if name in ("any", "all") else ("numeric_only", "min_count"))  # fmt: skip
        options = {**dict(zip(names, args, strict=False)), **kwargs}
        for key in ("engine", "engine_kwargs"):
            if options.pop(key, None) is not None:
                raise NotImplementedError(
                    "engine is non-functional and added for compatibility with pandas"
                    if key == "engine"
                    else "engine_kwargs is non-functional added for compatibility with pandas"
                )
        if name in ("std", "var") and options.pop("numeric_only", False):
            raise NotImplementedError("numeric_only is currently not supported.")
        if options.get("ddof", 1) == 1:
            options.pop("ddof", None)
        return self._reduction(name, **options)

    method.__name__ = name
    method.__doc__ = f"{name} of each group; null for a group without values."
    return method


for _name in ("sum", "prod", "min", "max", "mean", "median", "std", "var", "first", "last", "any", "all",
              "idxmin", "idxmax"):  # fmt: skip
    setattr(GroupBy, _name, _reducer(_name))
guarded_class(GroupBy)


@guarded_class
class DataFrameGroupBy(GroupBy):
    """Groups of a DataFrame's rows."""

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and "obj" in self.__dict__ and name in self.obj._p.columns:
            return self[name]
        return _refuse_frame(self, name)

    def __getitem__(self, key: Any) -> Any:
        obj = self.obj[key]
        cls = SeriesGroupBy if isinstance(obj, classes["Series"]) else DataFrameGroupBy
        out = cls(obj, self.grouping, None, self._sort, self._as_index, self._dropna, self._group_keys)
        out._selection = key
        return out


@guarded_class
class SeriesGroupBy(GroupBy):
    """Groups of a Series' rows."""

    __getattr__ = member_refuser("cudf.core.groupby.groupby.SeriesGroupBy")

    def agg(self, func: Any = None, *args: Any, engine: Any = None, engine_kwargs: Any = None, **kwargs: Any) -> Any:
        """Aggregates by group: a Series for one, a DataFrame for several."""
        if func is None and kwargs:
            func = None
            parts = {name: self.agg(f) for name, f in kwargs.items()}
            first = next(iter(parts.values()))
            return frame_of(make_frame({n: s._p.array for n, s in parts.items()}, first._p.index))
        result = super().agg(func, *args, engine=engine, engine_kwargs=engine_kwargs)
        p = result._p
        if isinstance(func, (list, tuple)) or isinstance(func, dict):
            if isinstance(p.columns, pd.MultiIndex):
                return frame_of(p.set_axis(p.columns.get_level_values(-1), axis=1))
            return result
        if not self._as_index and not (isinstance(func, str) and func in SCANS):
            return result
        return series_of(p.iloc[:, -1].rename(self.obj._p.name))

    aggregate = agg

    @property
    def dtype(self) -> Any:
        """Type of the values by group."""
        g = self.grouping
        return classes["Series"]([str(self.obj.dtype)] * g.ngroups, index=index_of(g.labels))


_refuse_frame = member_refuser("cudf.core.groupby.groupby.DataFrameGroupBy")
