"""GroupBy objects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import no_default

from gpusim.importing.names import member_refuser

from ...options import get_option
from .. import device
from ..column import masked, normal
from ..construct import as_storage
from ..guard import guarded_class
from ..host import to_host
from ..order import shuffled
from ..wrap import NO_COLUMN, classes, frame_of, index_of, make_frame, normal_frame, series_of, wrap
from .aggregate import SCANS, Requested, _parts, aggregate, grouper, name_of, requested, supported
from .grouping import Grouping, NamedAgg


def _no_engine(engine: Any, engine_kwargs: Any, args: tuple) -> None:
    if engine is not None:
        raise NotImplementedError("engine is non-functional and added for compatibility with pandas")
    if engine_kwargs is not None:
        raise NotImplementedError("engine_kwargs is non-functional added for compatibility with pandas")
    if args:
        raise NotImplementedError("Passing args to func is currently not supported.")


def _running(name: str, doc: str) -> Any:
    def method(self: GroupBy, *args: Any, **kwargs: Any) -> Any:
        return self._scan(name)

    method.__name__, method.__doc__ = name, doc
    return method


@guarded_class
class GroupBy:
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

    def _normalize(self, func: Any, kwargs: dict) -> tuple[list, bool]:
        """Names of the result's columns with the column and aggregations of each, and whether names have two levels."""
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
                return sets, any(isinstance(a, (list, tuple)) for a in func.values())
            if isinstance(func, (list, tuple)):
                if len(func) != len({name_of(f) if not callable(f) else id(f) for f in func}):
                    raise pd.errors.SpecificationError(
                        "Function names must be unique if there is no new column names assigned"
                    )
                return [(name, name, list(func)) for name in self._value_names], True
            return [(name, name, [func]) for name in self._value_names], False
        if kwargs:
            sets = []
            for name, value in kwargs.items():
                if not isinstance(value, (tuple, NamedAgg)):
                    raise TypeError(f"Invalid keyword argument {value} of type {type(value)} was passed to agg")
                if value[0] not in self.obj._p.columns:
                    raise KeyError(value[0])
                sets.append((name, value[0], [value[1]]))
            return sets, False
        raise TypeError("Must provide at least one aggregation function.")

    def agg(self, func: Any = None, *args: Any, engine: Any = None, engine_kwargs: Any = None, **kwargs: Any) -> Any:
        """Aggregates by group: a name, a list of names, a dict by column, or ``new=(column, name)``."""
        _no_engine(engine, engine_kwargs, args)
        sets, two = self._normalize(func, kwargs)
        g = self.grouping
        by = grouper(g.codes, g.ngroups)
        arrays, labels, asked, scans, done = {}, [], 0, [], 0
        for name, column, aggs in sets:
            array = self._column(column).array
            for agg in aggs:
                want = requested(agg)
                asked += 1
                scans.append(want.name in SCANS)
                if not supported(array, want.name):
                    continue
                arrays[done] = aggregate(array, g.codes, g.ngroups, want, self.obj._p.index, by)
                labels.append((name, name_of(agg)) if two else name)
                done += 1
        if asked and not done:
            raise pd.errors.DataError("All requested aggregations are unsupported.")
        if any(scans) and not all(scans):
            raise NotImplementedError("Cannot perform both aggregation and scan in one operation")
        if two:
            columns: Any = pd.MultiIndex.from_tuples(labels)
        elif not labels and self.obj._p.ndim == 2:
            columns = self.obj._p.columns[:0]
        else:
            columns = pd.Index(labels, tupleize_cols=isinstance(getattr(self.obj._p, "columns", None), pd.MultiIndex))
            if self.obj._p.ndim == 2 and not kwargs:
                columns.names = self.obj._p.columns.names
        if scans and all(scans):
            made = frame_of(make_frame(arrays, self.obj._p.index, columns))
        else:
            order = self._order
            frame = make_frame({i: a.take(order) for i, a in arrays.items()}, g.labels.take(order), columns)
            made = self._finish(frame, named=bool(kwargs) or isinstance(func, dict))
        p, nbytes = self.obj._p, g.ngroups * max(done, 1) * 8
        keys = [key.array for key in g.keys if p.ndim == 1 or key.name not in p.columns]
        read = (p.size + sum(map(len, keys))) * 8
        device.count("cudf_groupby", read, nbytes, reads=[self.obj, *keys], writes=made)
        return made

    def _finish(self, frame: pd.DataFrame, named: bool = False) -> Any:
        if not self._as_index:
            frame = self._keys_as_columns(frame)
        return frame_of(frame)

    def _keys_as_columns(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The group labels as the first columns."""

        g = self.grouping
        clash = [n for n in g.names if n is not None and n in frame.columns]
        if clash:
            frame = frame.drop(columns=clash)
        return normal_frame(frame.reset_index())

    aggregate = agg

    def size(self) -> Any:
        """Number of rows of each group."""
        g, order = self.grouping, self._order
        values = masked(np.bincount(g.codes[g.codes >= 0], minlength=g.ngroups).astype("i8")[order])
        name = self.obj._p.name if self.obj._p.ndim == 1 else None
        if not self._as_index:
            made = frame_of(self._keys_as_columns(make_frame({"size": values}, g.labels.take(order))))
        else:
            made = series_of(pd.Series(values, index=g.labels.take(order), name=name))
        return self._of_keys(made, g.ngroups)

    def _of_keys(self, made: Any, rows: int) -> Any:
        """Enter a launch that reads the keys alone."""
        keys = [key.array for key in self.grouping.keys]
        device.count("cudf_groupby", sum(map(len, keys)) * 8, rows * 8, reads=keys, writes=made)
        return made

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

    def _by_row(self, function: Any) -> Any:
        """A result for each row: a function of a column's storage array and the codes, on each value column."""
        p, codes = self.obj._p, self.grouping.codes
        if p.ndim == 1:
            return series_of(pd.Series(function(p.array, codes), index=p.index, name=p.name))
        names = self._value_names
        arrays = {i: function(p[name].array, codes) for i, name in enumerate(names)}
        return frame_of(make_frame(arrays, p.index, pd.Index(names)))

    def _scan(self, name: str, *args: Any, **kwargs: Any) -> Any:
        want = Requested(name, args, kwargs)
        return self._by_row(lambda array, codes: aggregate(array, codes, self.grouping.ngroups, want))

    cumsum = _running("cumsum", "Running sums.")
    cumprod = _running("cumprod", "Running products.")
    cummin = _running("cummin", "Running minima.")
    cummax = _running("cummax", "Running maxima.")

    def cumcount(self, ascending: bool = True) -> Any:
        """The place of each row in its group, from 0."""
        if ascending is not True:
            raise NotImplementedError("ascending is currently not implemented.")
        found = aggregate(masked(np.zeros(len(self.grouping.codes))), self.grouping.codes, 0, Requested("cumcount"))
        return self._of_keys(series_of(pd.Series(found, index=self.obj._p.index)), len(found))

    def ngroup(self, ascending: bool = True) -> Any:
        """The number of each row's group."""
        g = self.grouping
        codes = g.codes
        if not self._sort:
            # The order of first appearance.
            rank = np.empty(g.ngroups, int)
            rank[np.argsort(g.first)] = np.arange(g.ngroups)
            codes = np.where(codes >= 0, rank[codes], -1) if g.ngroups else codes
        if not ascending:
            codes = np.where(codes >= 0, g.ngroups - 1 - codes, -1)
        some = (codes < 0).any()
        values = masked(codes.astype("f8"), codes < 0) if some else masked(codes.astype("i8"))
        return self._of_keys(series_of(pd.Series(values, index=self.obj._p.index)), len(values))

    def rank(self, method: str = "average", ascending: bool = True, na_option: str = "keep", pct: bool = False,
             axis: Any = 0) -> Any:  # fmt: skip
        """The rank of each value in its group."""
        if axis != 0:
            raise NotImplementedError("Only axis=0 is supported.")
        if na_option not in {"keep", "top", "bottom"}:
            raise ValueError(f"na_option must be one of 'keep', 'top', or 'bottom', but got {na_option}")
        result = self._scan("rank", method=method, ascending=ascending, na_option=na_option, pct=pct)
        return result.astype("float64")

    def shift(
        self, periods: int = 1, freq: Any = None, axis: Any = 0, fill_value: Any = None, suffix: Any = None
    ) -> Any:
        """Values moved along the rows of their group."""
        if freq is not None:
            raise NotImplementedError("Parameter freq is unsupported.")
        if axis != 0:
            raise NotImplementedError("Only axis=0 is supported.")
        if suffix is not None:
            raise NotImplementedError("shift is not currently supported.")
        names = self._value_names
        fills = list(fill_value) if pd.api.types.is_list_like(fill_value) else [fill_value] * len(names)
        if len(fills) != len(names):
            raise ValueError("Mismatched number of columns and values to fill.")
        fill = iter(fills)

        def one(array: Any, codes: np.ndarray) -> Any:
            value = next(fill)
            places = pd.Series(np.arange(len(codes))).groupby(np.where(codes < 0, np.nan, codes)).shift(periods)
            moved = np.where(places.isna(), -1, places).astype(int)
            out = array.take(moved, allow_fill=True)
            if value is not None:
                new = (moved == -1) & (codes >= 0)
                out = normal(pd.Series(out).mask(new, value).array)
            return out

        return self._by_row(one)

    def diff(self, periods: int = 1, axis: Any = 0) -> Any:
        """Differences to the value some rows before in the group."""
        if axis != 0:
            raise NotImplementedError("Only axis=0 is supported.")
        values = self.obj if self.obj.ndim == 1 else self.obj[self._value_names]
        return values - self.shift(periods)

    def pct_change(self, periods: int = 1, fill_method: Any = None, freq: Any = None) -> Any:
        """Relative change in the group."""
        if freq is not None:
            raise NotImplementedError("freq parameter not supported yet.")
        if fill_method is not None:
            raise ValueError(f"fill_method must be None; got {fill_method=}.")
        values = self.obj if self.obj.ndim == 1 else self.obj[self._value_names]
        before = self.shift(periods)
        return (values - before) / before

    def _fill(self, how: str, limit: Any) -> Any:
        keys = lambda codes: np.where(codes < 0, np.nan, codes)  # noqa: E731
        return self._by_row(
            lambda a, c: normal(getattr(pd.Series(a).groupby(keys(c), observed=False), how)(limit=limit).array)
        )

    def ffill(self, limit: Any = None) -> Any:
        """Nulls replaced by the value before in the group."""
        return self._fill("ffill", limit)

    def bfill(self, limit: Any = None) -> Any:
        """Nulls replaced by the value behind in the group."""
        return self._fill("bfill", limit)

    def count(self, dropna: bool = True) -> Any:
        """Number of values that are not null; of rows with ``dropna=False``."""
        return self.agg("count") if dropna else self.agg("size")

    def nunique(self, dropna: bool = True) -> Any:
        """How many different values."""
        return self.agg(Requested("nunique", (), {"dropna": dropna})) if not dropna else self.agg("nunique")

    def collect(self) -> Any:
        """The values as lists."""
        return self.agg(list)

    def unique(self) -> Any:
        """The different values as lists."""
        return self.agg("unique")

    def quantile(self, q: Any = 0.5, interpolation: str = "linear", numeric_only: bool = False) -> Any:
        """Quantiles of each group."""
        if numeric_only:
            raise NotImplementedError("numeric_only is not currently supported.")
        if not pd.api.types.is_list_like(q):
            return self.agg(Requested("quantile", (q, interpolation)))
        g = self.grouping
        order = self._order
        names = self._value_names
        rows = (order[:, None] * len(q) + np.arange(len(q))).reshape(-1)
        arrays = {}
        for i, name in enumerate(names):
            found = aggregate(
                self._column(name).array, g.codes, g.ngroups, Requested("quantile", (list(q), interpolation))
            )
            arrays[i] = found.take(rows)
        repeated = g.labels.take(order).repeat(len(q))
        levels = [repeated.get_level_values(j) for j in range(repeated.nlevels)]
        index = pd.MultiIndex.from_arrays(
            [*levels, np.tile(np.asarray(q, dtype=float), g.ngroups)], names=[*g.names, None]
        )
        frame = make_frame(arrays, index, pd.Index(names))
        return frame_of(frame) if self.obj.ndim == 2 else series_of(frame.iloc[:, 0].rename(self.obj._p.name))

    def nth(self, n: Any, dropna: Any = None) -> Any:
        """The n-th row of each group."""
        if dropna:
            raise NotImplementedError("dropna is not currently supported.")
        wanted = [n] if isinstance(n, (int, np.integer)) else n
        if not isinstance(wanted, (list, tuple, slice)):
            raise TypeError(
                f"Invalid index {type(n)}. Must be integer, list-like, slice or a tuple of integers and slices"
            )
        rows = set()
        for part in _parts(self.grouping.codes, self.grouping.ngroups):
            for one in wanted if not isinstance(wanted, slice) else [wanted]:
                if isinstance(one, slice):
                    rows.update(part[one])
                elif -len(part) <= one < len(part):
                    rows.add(part[one])
        return self.obj._rows(np.array(sorted(rows), dtype=int))

    def _ends(self, n: int, preserve_order: bool, first: bool) -> Any:
        parts = _parts(self.grouping.codes, self.grouping.ngroups)
        chosen = [(p[:n] if first else (p[-n:] if n > 0 else p[-n:] if n < 0 else p[:0])) for p in parts]
        rows = np.concatenate(chosen).astype(int) if chosen else np.array([], int)
        return self.obj._rows(np.sort(rows) if preserve_order else rows)

    def head(self, n: int = 5, *, preserve_order: bool = True) -> Any:
        """The first rows of each group."""
        return self._ends(n, preserve_order, True)

    def tail(self, n: int = 5, *, preserve_order: bool = True) -> Any:
        """The last rows of each group."""
        return self._ends(n, preserve_order, False)

    def sample(self, n: Any = None, frac: Any = None, replace: bool = False, weights: Any = None,
               random_state: Any = None) -> Any:  # fmt: skip
        """Rows of each group drawn at random."""
        if weights is not None:
            raise NotImplementedError("Sampling with weights is not supported")
        if frac is not None and n is not None:
            raise ValueError("Cannot supply both of frac and n")
        if frac is not None and not 0 <= frac <= 1:
            raise ValueError(f"Sampling with fraction must provide fraction in [0, 1], got {frac=}")
        if random_state is not None and not isinstance(random_state, int):
            raise NotImplementedError("Only integer seeds are supported for random_state in this case")
        n = 1 if n is None and frac is None else n
        parts = _parts(self.grouping.codes, self.grouping.ngroups)
        smallest = min((len(p) for p in parts), default=0)
        if n is not None and not replace and n > smallest:
            raise ValueError(f"Cannot sample {n=} without replacement, smallest group is {smallest}")
        random = np.random.default_rng(random_state)
        rows = [random.choice(p, n if n is not None else round(frac * len(p)), replace=replace) for p in parts]
        return self.obj._rows(np.concatenate(rows).astype(int) if rows else np.array([], int))

    def transform(self, func: Any, *args: Any, engine: Any = None, engine_kwargs: Any = None, **kwargs: Any) -> Any:
        """An aggregate, repeated for each row of its group."""
        _no_engine(engine, engine_kwargs, args)
        if kwargs:
            raise NotImplementedError("Passing kwargs to func is currently not supported.")
        if not (isinstance(func, str) or callable(func)):
            raise TypeError("Aggregation must be a named aggregation or a callable")
        try:
            want = requested(func)
        except (TypeError, AttributeError, ValueError) as error:
            raise NotImplementedError("Currently, `transform()` supports only aggregations.") from error
        g = self.grouping

        if want.name == "cumcount":
            return self.cumcount()
        if want.name == "size" and self.obj.ndim == 2:
            sizes = aggregate(masked(np.zeros(len(g.codes))), g.codes, g.ngroups, want)
            return series_of(pd.Series(sizes.take(g.codes, allow_fill=True), index=self.obj._p.index))

        def one(array: Any, codes: np.ndarray) -> Any:
            supported(array, want.name)
            found = aggregate(array, codes, g.ngroups, want, self.obj._p.index)
            return found if want.name in SCANS else found.take(codes, allow_fill=True)

        return self._by_row(one)

    def describe(self, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
        """Count, mean, spread and quartiles of each group."""
        for value, name in ((percentiles, "percentiles"), (exclude, "exclude"), (include, "include")):
            if value is not None:
                raise NotImplementedError(f"{name} is currently not supported")
        parts = ["count", "mean", "std", "min"]
        quartiles = []
        for q, name in ((0.25, "25%"), (0.5, "50%"), (0.75, "75%")):
            f = lambda x, q=q: x.quantile(q)  # noqa: E731
            f.__name__ = name
            quartiles.append(f)
        return self.agg([*parts, *quartiles, "max"])

    def corr(self, *args: Any, **kwargs: Any) -> Any:
        """Correlations of the columns in each group."""
        return self._pairs("corr", *args, **kwargs)

    def cov(self, *args: Any, **kwargs: Any) -> Any:
        """Covariances of the columns in each group."""
        return self._pairs("cov", *args, **kwargs)

    def _pairs(self, name: str, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("numeric_only"):
            raise NotImplementedError("numeric_only is currently not supported.")
        if name == "corr" and (args[0] if args else kwargs.get("method", "pearson")) != "pearson":
            raise NotImplementedError("Only pearson correlation is currently supported")
        names = self._value_names

        host = pd.DataFrame({n: to_host(self._column(n).array) for n in names})
        if any(d.kind not in "iufb" for d in host.dtypes):
            raise TypeError(f"{'Correlation' if name == 'corr' else 'Covariance'} accepts only numerical column-pairs")
        g = self.grouping
        keys = [pd.Series(k.array, name=n) for k, n in zip(g.keys, g.names, strict=True)]
        keys = [k.rename(n if n is not None else f"__{i}") for i, (k, n) in enumerate(zip(keys, g.names, strict=True))]
        options = {k: v for k, v in kwargs.items() if k in ("ddof", "min_periods")}
        found = getattr(host.groupby(keys, sort=True, dropna=self._dropna), name)(**options)
        found.index.names = [*g.names, None]
        return frame_of(normal_frame(found))

    def value_counts(self, *args: Any, **kwargs: Any) -> Any:
        """How often each value occurs in each group."""
        p = self.obj._p
        keys = [k.rename(n) for k, n in zip(self.grouping.keys, self.grouping.names, strict=True)]
        keys = [k.set_axis(p.index) for k in keys]
        values = p if p.ndim == 1 else p[self._value_names]
        return wrap(
            values.groupby(keys, sort=self._sort, dropna=self._dropna, observed=True).value_counts(*args, **kwargs)
        )

    def nlargest(self, n: int = 5, keep: str = "first") -> Any:
        """The largest values of each group."""
        return self._extremes("nlargest", n, keep)

    def nsmallest(self, n: int = 5, keep: str = "first") -> Any:
        """The smallest values of each group."""
        return self._extremes("nsmallest", n, keep)

    def _extremes(self, name: str, n: int, keep: str) -> Any:
        keys = [
            k.rename(m).set_axis(self.obj._p.index)
            for k, m in zip(self.grouping.keys, self.grouping.names, strict=True)
        ]
        return wrap(getattr(self.obj._p.groupby(keys, sort=True, dropna=self._dropna), name)(n, keep))

    def rolling(self, *args: Any, **kwargs: Any) -> Any:
        """Moving windows in each group."""
        from ..window import RollingGroupby

        return RollingGroupby(self, *args, **kwargs)

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """``func(self, …)``."""
        return classes["Series"].pipe(self, func, *args, **kwargs)

    def apply(self, func: Any, *args: Any, engine: str = "auto", include_groups: bool = False, **kwargs: Any) -> Any:
        """A function of each group's rows (without the keys); its results are put together."""
        if include_groups:
            raise ValueError("include_groups=True is no longer allowed.")
        if kwargs:
            raise NotImplementedError("Passing kwargs to func is currently not supported.")
        if not callable(func):
            raise TypeError(f"type {type(func)} is not callable")
        if engine not in ("auto", "cudf", "jit"):
            raise ValueError(f"Unsupported engine '{engine}'")
        g = self.grouping
        if self.obj.empty:
            return self.obj.copy()
        parts = _parts(g.codes, g.ngroups)
        order = np.arange(g.ngroups) if self._sort else np.argsort(g.first)
        values = self.obj if self.obj.ndim == 1 else self.obj[self._apply_names()]
        results = [func(values._rows(parts[i]), *args) for i in order]
        out = self._together(results, g.labels.take(order), [parts[i] for i in order], values)
        return out.reset_index() if not self._as_index else out

    def _apply_names(self) -> list:
        chosen = self.__dict__.get("_selection")
        if chosen is not None:
            return list(chosen) if isinstance(chosen, (list, tuple)) else [chosen]
        return self._value_names

    def _together(self, results: list, labels: pd.Index, parts: list, values: Any) -> Any:
        import cudf

        first = results[0]
        if values.ndim == 2 and all(r is None for r in results):
            return values.head(0).reset_index(drop=True)
        if pd.api.types.is_scalar(first):
            array = as_storage(
                [r.item() if isinstance(r, np.generic) and r.dtype.kind in "iufb" else r for r in results]
            )
            if self._as_index:
                return series_of(pd.Series(array, index=labels, name=self.obj._p.name if self.obj.ndim == 1 else None))
            return frame_of(make_frame({None: array}, labels))
        if isinstance(first, classes["Series"]) and values.ndim == 2:
            same = all(first._p.index.equals(r._p.index) for r in results[1:])
            row_like = len(first) == values.shape[1] and first._p.index.equals(values._p.columns)
            if row_like or (same and not _of_rows(first, values, parts[0])):
                columns = {
                    i: as_storage(pd.concat([r._p.iloc[[i]] for r in results], ignore_index=True))
                    for i in range(len(first))
                }
                names = {r.name for r in results}
                index = first._p.index.rename(first.name if len(names) == 1 else None)
                return frame_of(make_frame(columns, labels, index))
            return self._stacked(cudf.concat(results), labels, [len(r) for r in results])
        result = cudf.concat(results)
        rows = np.concatenate(parts)
        if self._group_keys:
            return self._stacked(result, labels, [len(r) for r in results])
        if len(result) == len(rows) and result._p.index.equals(values._p.index.take(rows)):
            back = np.argsort(rows)
            return result.take(back)
        return result

    def _stacked(self, result: Any, labels: pd.Index, lengths: list) -> Any:
        keys = labels.repeat(lengths)
        levels = [keys.get_level_values(i) for i in range(keys.nlevels)]
        inner = result._p.index
        index = pd.MultiIndex.from_arrays([*levels, inner], names=[*labels.names, inner.name])
        p = result._p.set_axis(index)
        return series_of(p) if p.ndim == 1 else frame_of(normal_frame(p))


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


_refuse_frame = member_refuser("cudf.core.groupby.groupby.DataFrameGroupBy", NO_COLUMN)


def _absent(name: str, message: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(message)

    method.__name__ = name
    method.__doc__ = "Not in cuDF."
    return method


for _name in ("ohlc", "resample", "take", "filter", "expanding", "ewm", "hist", "boxplot"):
    setattr(GroupBy, _name, _absent(_name, f"{_name} is currently not implemented"))


def _of_rows(found: Any, values: Any, rows: np.ndarray) -> bool:
    return len(found) == len(rows) and found._p.index.equals(values._p.index.take(rows)) and len(rows) > 1
