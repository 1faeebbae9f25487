"""Methods of groups beyond plain aggregates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..column import masked, normal
from ..guard import guarded_class
from ..wrap import classes, frame_of, make_frame, normal_frame, series_of, wrap
from .aggregate import Requested, _parts, aggregate, requested


@guarded_class
class GroupMethods:
    """What groups can do."""

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

    def cumsum(self, *args: Any, **kwargs: Any) -> Any:
        """Running sums."""
        return self._scan("cumsum")

    def cumprod(self, *args: Any, **kwargs: Any) -> Any:
        """Running products."""
        return self._scan("cumprod")

    def cummin(self, *args: Any, **kwargs: Any) -> Any:
        """Running minima."""
        return self._scan("cummin")

    def cummax(self, *args: Any, **kwargs: Any) -> Any:
        """Running maxima."""
        return self._scan("cummax")

    def cumcount(self, ascending: bool = True) -> Any:
        """The place of each row in its group, from 0."""
        if ascending is not True:
            raise NotImplementedError("ascending is currently not implemented.")
        found = aggregate(masked(np.zeros(len(self.grouping.codes))), self.grouping.codes, 0, Requested("cumcount"))
        return series_of(pd.Series(found, index=self.obj._p.index))

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
        if (codes < 0).any():
            return series_of(pd.Series(masked(codes.astype("f8"), codes < 0), index=self.obj._p.index))
        return series_of(pd.Series(masked(codes.astype("i8")), index=self.obj._p.index))

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
        if engine is not None:
            raise NotImplementedError("engine is non-functional and added for compatibility with pandas")
        if engine_kwargs is not None:
            raise NotImplementedError("engine_kwargs is non-functional added for compatibility with pandas")
        if args:
            raise NotImplementedError("Passing args to func is currently not supported.")
        if kwargs:
            raise NotImplementedError("Passing kwargs to func is currently not supported.")
        if not (isinstance(func, str) or callable(func)):
            raise TypeError("Aggregation must be a named aggregation or a callable")
        try:
            want = requested(func)
        except (TypeError, AttributeError, ValueError) as error:
            raise NotImplementedError("Currently, `transform()` supports only aggregations.") from error
        g = self.grouping
        from .aggregate import SCANS

        if want.name == "cumcount":
            return self.cumcount()
        if want.name == "size" and self.obj.ndim == 2:
            sizes = aggregate(masked(np.zeros(len(g.codes))), g.codes, g.ngroups, want)
            return series_of(pd.Series(sizes.take(g.codes, allow_fill=True), index=self.obj._p.index))

        def one(array: Any, codes: np.ndarray) -> Any:
            from .aggregate import supported

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
        from ..host import to_host

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


def _absent(name: str, message: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(message)

    method.__name__ = name
    method.__doc__ = "Not in cuDF."
    return method


for _name in ("ohlc", "resample", "take", "filter", "expanding", "ewm", "hist", "boxplot"):
    setattr(GroupMethods, _name, _absent(_name, f"{_name} is currently not implemented"))
