"""More methods of Series and DataFrame that work alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.core.arrays.masked import BaseMaskedArray

from .cast import cast
from .column import masked, nans_to_nulls
from .delegate import mimic, no_default
from .guard import guarded_class
from .operators import mapped
from .wrap import classes, make_frame, unwrap, wrap


@guarded_class
class SharedMore:
    """Methods of frames that have an index."""

    def fillna(self, value: Any = None, *, axis: Any = None, inplace: bool = False, limit: Any = None,
               method: Any = no_default) -> Any:  # fmt: skip
        """Nulls replaced by a value, a Series, or by column."""
        from .replace import fillna

        if limit is not None:
            raise NotImplementedError("The limit keyword is not supported")
        if axis:
            raise NotImplementedError("The axis keyword is not supported")
        if method is not no_default:
            raise TypeError(f"{type(self).__name__}.fillna() got an unexpected keyword argument 'method'")
        if value is None:
            raise ValueError("Must specify a fill 'value' or 'method'.")
        return mimic(self, fillna(self, value), inplace)

    def _pad(self, how: str, limit: Any, axis: Any, inplace: bool, limit_area: Any) -> Any:
        if limit_area is not None:
            raise NotImplementedError("limit_area is currently not supported.")
        if limit is not None:
            raise NotImplementedError("The limit keyword is not supported")
        if axis:
            raise NotImplementedError("The axis keyword is not supported")

        def one(array: Any) -> Any:
            filled = getattr(pd.Series(nans_to_nulls(array)), how)().array
            return filled

        return mimic(self, mapped(self, one), inplace)

    def ffill(self, *, axis: Any = None, inplace: bool = False, limit: Any = None, limit_area: Any = None) -> Any:
        """Nulls replaced by the value before."""
        return self._pad("ffill", limit, axis, inplace, limit_area)

    def bfill(self, *, axis: Any = None, inplace: bool = False, limit: Any = None, limit_area: Any = None) -> Any:
        """Nulls replaced by the value behind."""
        return self._pad("bfill", limit, axis, inplace, limit_area)

    def interpolate(self, *, method: str = "linear", axis: Any = 0, limit: Any = None, inplace: bool = False,
                    limit_direction: Any = None, limit_area: Any = None, **kwargs: Any) -> Any:  # fmt: skip
        """Nulls inside replaced by what lies between their neighbours."""
        if method in {"pad", "ffill"} and limit_direction != "forward" and limit_direction is not None:
            raise ValueError(f"`limit_direction` must be 'forward' for method `{method}`")
        if method in {"backfill", "bfill"} and limit_direction not in ("backward", None):
            raise ValueError(f"`limit_direction` must be 'backward' for method `{method}`")
        if method not in ("linear", "values", "index"):
            raise ValueError(f"Interpolation method `{method}` not found")
        if isinstance(self._p.index, pd.MultiIndex) and method != "linear":
            raise ValueError("Only `method=linear` interpolation is supported on MultiIndexes.")
        index = self._p.index if method != "linear" else pd.RangeIndex(len(self._p))

        def one(array: Any) -> Any:
            if not isinstance(array, BaseMaskedArray):
                raise TypeError(f"interpolation with {array.dtype} dtype is not supported")
            values = array._data.astype("f8")
            values[array._mask] = np.nan
            found = pd.Series(values, index=index).interpolate("values" if method != "linear" else "linear",
                                                               limit_direction="forward").to_numpy()  # fmt: skip
            return masked(found.astype(array._data.dtype if array._data.dtype.kind == "f" else "f8"), np.isnan(found))

        return mimic(self, mapped(self, one), inplace)

    def shift(
        self, periods: int = 1, freq: Any = None, axis: Any = 0, fill_value: Any = None, suffix: Any = None
    ) -> Any:
        """Values moved along the rows; null where nothing moves in."""
        axis = self._axis(axis)
        if axis != 0:
            raise NotImplementedError("Only axis=0 is supported.")
        if freq is not None:
            raise NotImplementedError("The freq argument is not yet supported.")
        if suffix is not None:
            raise NotImplementedError("The suffix argument is not yet supported.")

        def one(array: Any) -> Any:
            n = len(array)
            places = np.arange(n) - periods
            places[(places < 0) | (places >= n)] = -1
            out = array.take(places, allow_fill=True) if n else array
            if fill_value is not None and n:
                from .missing import fits

                new = places == -1
                value = fits(fill_value, array)
                out = pd.Series(out).mask(new, value).array if not isinstance(array, BaseMaskedArray) else masked(
                    np.where(new, value, out._data).astype(array._data.dtype), out._mask & ~new)  # fmt: skip
            return out

        return mapped(self, one)

    @staticmethod
    def _axis(axis: Any) -> int:
        try:
            return {0: 0, "index": 0, None: 0, "rows": 0, 1: 1, "columns": 1}[axis]
        except (KeyError, TypeError):
            raise ValueError(f"No axis named {axis}") from None

    def diff(self, periods: int = 1, axis: Any = 0) -> Any:
        """Differences to the value some rows before."""
        if not pd.api.types.is_integer(periods):
            if not (isinstance(periods, float) and periods.is_integer()):
                raise ValueError("periods must be an integer")
            periods = int(periods)
        if self._axis(axis) != 0:
            raise NotImplementedError("Only axis=0 is supported.")
        if abs(periods) > len(self._p):
            return mapped(self, lambda a: a.take(np.full(len(a), -1), allow_fill=True))
        return self - self.shift(periods)

    def pct_change(self, periods: int = 1, fill_method: Any = None, freq: Any = None, **kwargs: Any) -> Any:
        """Relative change to the value some rows before."""
        if fill_method is not None:
            raise ValueError(f"fill_method must be None; got {fill_method=}.")
        if freq is not None:
            raise NotImplementedError("freq parameter not supported yet.")
        change = self.diff(periods)
        return change / self.shift(periods)

    def clip(self, lower: Any = None, upper: Any = None, axis: Any = 1, inplace: bool = False) -> Any:
        """Values kept between two bounds."""
        if axis != 1:
            raise NotImplementedError("`axis is not yet supported in clip`")
        if lower is None and upper is None:
            return None if inplace is True else self.copy(deep=True)
        if lower is not None and upper is not None and pd.api.types.is_scalar(lower) and pd.api.types.is_scalar(upper):
            if pd.notna(lower) and pd.notna(upper) and lower > upper:
                lower, upper = upper, lower
        p = self._p
        n = p.shape[1] if p.ndim == 2 else 1
        lows, highs = (list(unwrap(b)) if pd.api.types.is_list_like(b) else [b] * n for b in (lower, upper))
        if len(lows) != n or len(highs) != n:
            raise ValueError("Length of lower/upper should be equal to number of columns")

        def one(array: Any, low: Any, high: Any) -> Any:
            low = None if low is None or low is pd.NA else low
            high = None if high is None or high is pd.NA else high
            if isinstance(array, BaseMaskedArray):
                with np.errstate(invalid="ignore"):
                    values = array._data
                    values = values if low is None else np.maximum(values, values.dtype.type(low))
                    values = values if high is None else np.minimum(values, values.dtype.type(high))
                return masked(values, array._mask)
            return pd.Series(array).clip(low, high).array if array.dtype.kind in "Mm" else _clip_text(array, low, high)

        if p.ndim == 1:
            out = wrap(pd.Series(one(p.array, lows[0], highs[0]), index=p.index, name=p.name))
        else:
            arrays = {i: one(p.iloc[:, i].array, lows[i], highs[i]) for i in range(n)}
            out = wrap(make_frame(arrays, p.index, p.columns))
        return mimic(self, out, inplace)

    def rank(self, axis: Any = 0, method: str = "average", numeric_only: bool = False, na_option: str = "keep",
             ascending: bool = True, pct: bool = False) -> Any:  # fmt: skip
        """Rank of each value in its column."""
        if method not in {"average", "min", "max", "first", "dense"}:
            raise KeyError(method)
        if na_option not in {"keep", "top", "bottom"}:
            raise ValueError("na_option must be one of 'keep', 'top', or 'bottom'")
        if axis not in (0, "index"):
            raise NotImplementedError("Only axis=0 is currently supported.")
        target = self
        if numeric_only:
            if self._p.ndim == 1 and self.dtype.kind not in "iufb":
                raise TypeError("Series.rank does not allow numeric_only=True with non-numeric dtype.")
            target = self if self._p.ndim == 1 else self.select_dtypes(include="number")

        def one(array: Any) -> Any:
            ranks = pd.Series(nans_to_nulls(array)).rank(
                method=method, na_option=na_option, ascending=ascending, pct=pct
            )
            values = ranks.to_numpy(dtype="f8", na_value=np.nan)
            return masked(values, np.isnan(values))

        return mapped(target, one)

    def sort_values(self, *args: Any, **kwargs: Any) -> Any:
        """Rows in the order of their values; nulls last unless ``na_position="first"``."""
        from .sorting import sort_values

        return sort_values(self, *args, **kwargs)

    def nlargest(self, n: int = 5, *args: Any, **kwargs: Any) -> Any:
        """The rows of the largest values."""
        from .sorting import extremes

        return extremes(self, n, True, *args, **kwargs)

    def nsmallest(self, n: int = 5, *args: Any, **kwargs: Any) -> Any:
        """The rows of the smallest values."""
        from .sorting import extremes

        return extremes(self, n, False, *args, **kwargs)

    def argsort(self, *args: Any, **kwargs: Any) -> Any:
        """Positions that sort the values."""
        from .sorting import argsort

        return argsort(self, *args, **kwargs)

    def sample(self, n: Any = None, frac: Any = None, replace: bool = False, weights: Any = None,
               random_state: Any = None, axis: Any = None, ignore_index: bool = False) -> Any:  # fmt: skip
        """Rows drawn at random."""
        from .sorting import sample

        return sample(self, n, frac, replace, weights, random_state, axis, ignore_index)

    def reindex(self, *args: Any, **kwargs: Any) -> Any:
        """Rows (and columns) for other labels; null where there were none."""
        from .alignment import reindex

        return reindex(self, *args, **kwargs)

    def duplicated(self, *args: Any, **kwargs: Any) -> Any:
        """Which rows stand there before (or after)."""
        from .sorting import duplicated

        return duplicated(self, *args, **kwargs)

    def drop_duplicates(self, *args: Any, **kwargs: Any) -> Any:
        """One of each row."""
        from .sorting import drop_duplicates

        return drop_duplicates(self, *args, **kwargs)

    def describe(self, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
        """Count, mean, spread and quantiles."""
        from .describe import describe

        return describe(self, percentiles, include, exclude)

    def memory_usage(self, index: bool = True, deep: bool = False) -> Any:
        """Bytes on the device, of a Series or of each column."""
        from .index_methods import _bytes

        p = self._p
        own = self.index.memory_usage()
        if p.ndim == 1:
            return _bytes(p.array) + (own if index else 0)
        sizes, names = [_bytes(p.iloc[:, i].array) for i in range(p.shape[1])], p.columns
        if index:  # as cuDF does, so that two levels of names end here with pandas' TypeError
            sizes, names = [own, *sizes], pd.Index(["Index"]).append(names.astype(str))
        return classes["Series"](pd.Series(sizes, index=names, dtype="int64"))

    def convert_dtypes(self, infer_objects: bool = True, convert_string: bool = True, convert_integer: bool = True,
                       convert_boolean: bool = True, convert_floating: bool = True, dtype_backend: Any = None) -> Any:  # fmt: skip
        """Floats that are whole become integers."""
        if not (convert_floating and convert_integer):
            return self.copy()

        def one(array: Any) -> Any:
            if isinstance(array, BaseMaskedArray) and array._data.dtype.kind == "f":
                kept = nans_to_nulls(array)
                values = kept._data[~kept._mask]
                if np.isfinite(values).all() and (values == np.floor(values)).all():
                    return cast(kept, np.dtype("int64"))
            return array

        return mapped(self, one)


def _clip_text(array: Any, low: Any, high: Any) -> Any:
    series = pd.Series(array)
    if low is not None:
        series = series.where((series >= low) | series.isna(), low)
    if high is not None:
        series = series.where((series <= high) | series.isna(), high)
    return series.array
