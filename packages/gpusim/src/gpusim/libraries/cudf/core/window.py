"""Moving and exponentially weighted windows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.indexers import BaseIndexer
from pandas.core.arrays.masked import BaseMaskedArray

from .binary import family
from .column import isnull, masked, nans_to_nulls, normal
from .guard import guarded_class
from .wrap import frame_of, make_frame, series_of


@guarded_class
class Rolling:
    """Moving windows of a number of rows or of a length of time; null where too few values are in one."""

    def __init__(self, obj: Any, window: Any, min_periods: Any = None, center: bool = False, win_type: Any = None,
                 on: Any = None, axis: Any = 0, closed: Any = None, step: Any = None, method: str = "single") -> None:  # fmt: skip
        if not isinstance(center, bool):
            raise ValueError("center must be a boolean")
        if axis != 0:
            warnings.warn("axis is deprecated with will be removed in a future version. Transpose the DataFrame first "
                          "instead.", stacklevel=3)  # fmt: skip
            raise NotImplementedError("axis != 0 is not supported yet.")
        if win_type is not None and win_type != "boxcar":
            raise NotImplementedError("Only the default win_type 'boxcar' is currently supported")
        if on is not None:
            raise NotImplementedError("on is currently not supported")
        if closed not in (None, "right"):
            raise NotImplementedError("closed is currently not supported")
        if step is not None:
            raise NotImplementedError("step is currently not supported")
        if method != "single":
            raise NotImplementedError("method is currently not supported")
        self.obj, self.center = obj, center
        self.window, self.min_periods = self._normal(window, min_periods)

    def _normal(self, window: Any, min_periods: Any) -> tuple[Any, Any]:
        if isinstance(window, (int, float, np.number)) and not isinstance(window, (np.timedelta64,)):
            if not isinstance(window, (int, np.integer)):
                raise ValueError("window must be an integer")
            if window <= 0:
                raise ValueError("window cannot be zero or negative")
            if min_periods is None:
                return int(window), int(window)
            if not isinstance(min_periods, (int, np.integer)):
                raise ValueError("min_periods must be an integer")
            return int(window), int(min_periods)
        if isinstance(window, BaseIndexer):
            return window, min_periods
        if pd.api.types.is_scalar(window):
            try:
                window = pd.to_timedelta(window)
            except ValueError as error:
                raise ValueError("window must be integer, BaseIndexer, or convertible to a timedelta") from error
            if self.obj._p.index.dtype.kind != "M":
                raise ValueError("index must be a DatetimeIndex for a frequency-based window")
            if self.center:
                raise NotImplementedError("center is not implemented for frequency-based windows")
            return window, 1 if min_periods is None else min_periods
        raise ValueError("window must be integer, BaseIndexer, or convertible to a timedelta")

    def __repr__(self) -> str:
        return f"{type(self).__name__} [window={self.window},min_periods={self.min_periods},center={self.center}]"

    def __getitem__(self, key: Any) -> Any:
        return Rolling(self.obj[key], self.window, self.min_periods, self.center)

    def __getattr__(self, name: str) -> Any:
        obj = self.__dict__.get("obj")
        if obj is not None and obj.ndim == 2 and name in obj._p.columns:
            return self[name]
        raise AttributeError(f"{type(self).__name__} object has no attribute {name}")

    def _rolled(self, array: Any) -> Any:
        if not isinstance(array, BaseMaskedArray) and family(array) != "m":
            raise TypeError(f"Operation not supported for dtype {array.dtype}")  # fmt: skip
        array = nans_to_nulls(array)
        values = array._data.astype("f8")
        values[array._mask] = np.nan
        series = pd.Series(values, index=self.obj._p.index)
        return series.rolling(self.window, self.min_periods, center=self.center)

    def _each(self, function: Any) -> Any:
        p = self.obj._p
        if p.ndim == 1:
            return series_of(pd.Series(function(p.array), index=p.index, name=p.name))
        return frame_of(make_frame({i: function(p.iloc[:, i].array) for i in range(p.shape[1])}, p.index, p.columns))

    def _agg(self, name: str, **options: Any) -> Any:
        def one(array: Any) -> Any:
            found = normal(getattr(self._rolled(array), name)(**options).array)
            kind = array._data.dtype
            if name in ("sum", "min", "max") and kind.kind != "f":
                wide = kind if name != "sum" else np.dtype("i8") if kind.kind != "u" else np.dtype("u8")
                return masked(np.where(found._mask, 0, found._data).astype(wide), found._mask)
            if name == "count":
                return masked(np.where(found._mask, 0, found._data).astype("i8"), found._mask)
            if kind == np.float32 and name in ("sum", "min", "max"):
                return masked(found._data.astype("f4"), found._mask)
            return found

        return self._each(one)

    def sum(self, *args: Any, **kwargs: Any) -> Any:
        """Sum of each window."""
        return self._agg("sum")

    def min(self, *args: Any, **kwargs: Any) -> Any:
        """Smallest value of each window."""
        self._no("min", args, kwargs)
        return self._agg("min")

    def max(self, *args: Any, **kwargs: Any) -> Any:
        """Largest value of each window."""
        self._no("max", args, kwargs)
        return self._agg("max")

    def mean(self, *args: Any, **kwargs: Any) -> Any:
        """Mean of each window."""
        self._no("mean", args, kwargs)
        return self._agg("mean")

    def var(self, ddof: int = 1, *args: Any, **kwargs: Any) -> Any:
        """Variance of each window."""
        return self._agg("var", ddof=ddof)

    def std(self, ddof: int = 1, *args: Any, **kwargs: Any) -> Any:
        """Standard deviation of each window."""
        return self._agg("std", ddof=ddof)

    def count(self, *args: Any, **kwargs: Any) -> Any:
        """Number of values in each window."""
        return self._agg("count")

    @staticmethod
    def _no(name: str, args: Any, kwargs: Any) -> None:
        if args or kwargs:
            raise NotImplementedError(f"Rolling.{name}() does not support args or kwargs")

    def median(self, **kwargs: Any) -> Any:
        """Not in cuDF."""
        raise NotImplementedError("Rolling.median() is not yet implemented")

    def aggregate(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """Not in cuDF."""
        raise NotImplementedError("rolling.aggregate() is not yet implemented")

    agg = aggregate

    def apply(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """A function of the array of each window, compiled by Numba."""
        from .udf import apply_window

        p = self.obj._p
        columns = [p] if p.ndim == 1 else [p.iloc[:, i] for i in range(p.shape[1])]
        if any(isnull(c.array).any() for c in columns):
            raise NotImplementedError("Handling UDF with null values is not yet supported")

        def one(array: Any) -> Any:
            compiled = apply_window(np.ascontiguousarray(array._data), func)
            rolled = pd.Series(array._data.astype("f8"), index=p.index).rolling(
                self.window, self.min_periods, center=self.center
            )
            kind = array._data.dtype
            found = normal(rolled.apply(lambda w: compiled(w.astype(kind)), raw=True).array)
            returned = next(iter(compiled.overloads.values())).signature.return_type
            if str(returned).startswith("int"):
                return masked(np.where(found._mask, 0, found._data).astype("i8"), found._mask)
            return found

        return self._each(one)


@guarded_class
class RollingGroupby:
    """Moving windows in each group."""

    def __init__(self, groupby: Any, window: Any, min_periods: Any = None, center: bool = False) -> None:
        if isinstance(window, BaseIndexer):
            raise NotImplementedError(
                "BaseIndexer subclasses are not yet supported with groupby.rolling: the window bounds would not be "
                "computed per group"
            )
        self._groupby, self._args = groupby, (window, min_periods, center)

    def _agg(self, name: str, *args: Any) -> Any:
        import cudf

        from .groupby.aggregate import _parts

        gb = self._groupby
        g = gb.grouping
        values = gb.obj if gb.obj.ndim == 1 else gb.obj[gb._value_names]
        parts = _parts(g.codes, g.ngroups)
        found = [getattr(Rolling(values._rows(rows), *self._args), name)(*args) for rows in parts]
        out = cudf.concat(found)
        return gb._stacked(out, g.labels, [len(r) for r in parts])

    def __getattr__(self, name: str) -> Any:
        if name in ("sum", "min", "max", "mean", "count", "var", "std", "apply"):
            return lambda *args: self._agg(name, *args)
        raise AttributeError(f"RollingGroupby object has no attribute {name}")


@guarded_class
class ExponentialMovingWindow:
    """Exponentially weighted windows."""

    def __init__(self, obj: Any, com: Any = None, span: Any = None, halflife: Any = None, alpha: Any = None,
                 min_periods: Any = 0, adjust: bool = True, ignore_na: bool = False, axis: int = 0, times: Any = None,
                 method: str = "single") -> None:  # fmt: skip
        if min_periods != 0:
            raise NotImplementedError("min_periods is currently not supported.")
        if ignore_na is not False:
            raise NotImplementedError("ignore_na is currently not supported.")
        if axis != 0:
            raise NotImplementedError("axis is currently not supported.")
        if times is not None:
            raise NotImplementedError("times is currently not supported.")
        if method != "single":
            raise NotImplementedError("method is currently not supported.")
        self.obj, self.adjust = obj, adjust
        self.com = _centre(com, span, halflife, alpha)

    def mean(self, numeric_only: bool = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        """Weighted mean up to each row."""
        if numeric_only is not False:
            raise NotImplementedError("numeric_only is currently not supported.")
        if engine is not None:
            raise NotImplementedError("engine is non-functional and added for compatibility with pandas.")
        if engine_kwargs is not None:
            raise NotImplementedError("engine_kwargs is non-functional and added for compatibility with pandas.")

        def one(array: Any) -> Any:
            if not isinstance(array, BaseMaskedArray):
                raise TypeError("No numeric types to aggregate")
            array = nans_to_nulls(array)
            values = array._data.astype("f8")
            values[array._mask] = np.nan
            return normal(pd.Series(values).ewm(com=self.com, adjust=self.adjust).mean().array)

        return Rolling._each(self, one)

    def __getattr__(self, name: str) -> Any:
        if name in ("sum", "var", "std", "corr", "cov"):
            raise NotImplementedError(f"{name} not yet supported.")
        if name == "online":
            raise NotImplementedError("online is currently not supported.")
        raise AttributeError(f"ExponentialMovingWindow object has no attribute {name}")


def _centre(com: Any, span: Any, halflife: Any, alpha: Any) -> float:
    if sum(x is not None for x in (com, span, halflife, alpha)) > 1:
        raise ValueError("comass, span, halflife, and alpha are mutually exclusive")
    if com is not None:
        if com < 0:
            raise ValueError("comass must satisfy: comass >= 0")
        return float(com)
    if span is not None:
        if span < 1:
            raise ValueError("span must satisfy: span >= 1")
        return (span - 1) / 2
    if halflife is not None:
        if halflife <= 0:
            raise ValueError("halflife must satisfy: halflife > 0")
        return 1 / (1 - np.exp(np.log(0.5) / halflife)) - 1
    if alpha is None:
        raise ValueError("Must pass one of comass, span, halflife, or alpha")
    if alpha <= 0 or alpha > 1:
        raise ValueError("alpha must satisfy: 0 < alpha <= 1")
    return (1 - alpha) / alpha
