"""What Series and DataFrame have in common."""

from __future__ import annotations

import copy as copying
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import no_default
from pandas.core.arrays.masked import BaseMaskedArray

from . import device, sorting
from .cast import cast
from .column import isnull, masked, nans_to_nulls, normal
from .guard import Later, guarded_class
from .index import device_bytes, ensure_index
from .indexing import AtLocator, IAtLocator, ILocator, Locator
from .operators import mapped
from .sorting import extremes
from .wrap import classes, frame_of, index_of, make_frame, mimic, series_of, unwrap, wrap


class Flags:
    """``frame.flags``."""

    def __init__(self, allows_duplicate_labels: bool = True) -> None:
        self.allows_duplicate_labels = allows_duplicate_labels


def scan(op: str) -> Any:
    """A cumulative method."""
    functions = {"cumsum": np.cumsum, "cumprod": np.cumprod, "cummin": np.minimum.accumulate,
                 "cummax": np.maximum.accumulate}  # fmt: skip

    def one(array: Any, skipna: bool) -> Any:
        if not isinstance(array, BaseMaskedArray):
            return normal(getattr(pd.Series(array), op)(skipna=skipna).array)
        values, null = array._data, array._mask
        if values.dtype.kind == "f":
            null = null | np.isnan(values)
        if op in ("cumsum", "cumprod") and values.dtype.kind != "f":
            values = values.astype(np.uint64 if values.dtype.kind == "u" else np.int64)
        if null.any():
            if not skipna:
                null = np.logical_or.accumulate(null)
            neutral = {"cumsum": 0, "cumprod": 1}.get(op)
            if neutral is None:
                info = np.finfo(values.dtype) if values.dtype.kind == "f" else np.iinfo(values.dtype)
                neutral = info.max if op == "cummin" else info.min
            values = np.where(null, np.asarray(neutral, values.dtype), values)
        with np.errstate(all="ignore"):
            return masked(functions[op](values), null.copy())

    def method(self: Any, axis: Any = None, skipna: bool = True, *args: Any, **kwargs: Any) -> Any:
        if axis not in (None, 0, "index"):
            raise NotImplementedError(
                "axis parameter is not implemented yet" if self.ndim == 1 else f"Unknown axis parameter: {axis}"
            )
        return mapped(self, lambda array: one(array, skipna))

    method.__name__ = op
    method.__doc__ = f"{op} down each column; nulls stay null and are passed over unless ``skipna=False``."
    return method


@guarded_class
class Indexed:
    """Frames that have an index."""

    def abs(self) -> Any:
        """Absolute values."""
        return abs(self)

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return object.__new__(cls)

    @property
    def _index(self) -> Any:
        return index_of(self._p.index)

    @property
    def index(self) -> Any:
        """Labels of the rows."""
        out = index_of(self._p.index)
        out._owner = self, self._p.index  # naming it names this object's
        return out

    @index.setter
    def index(self, value: Any) -> None:
        index = ensure_index(value)
        if len(index) != len(self._p) and (self._p.ndim == 1 or self._p.shape[1]):
            raise ValueError(
                f"Length mismatch: Expected axis has {len(self._p)} elements, new values have {len(index)} elements"
            )
        if self._p.ndim == 2 and not self._p.shape[1]:
            self._p = pd.DataFrame(index=index, columns=self._p.columns)
        else:
            self._p = self._p.set_axis(index)

    loc = property(Locator, doc="Selection by label.")
    iloc = property(ILocator, doc="Selection by position.")
    at = property(AtLocator, doc="One value by label.")
    iat = property(IAtLocator, doc="One value by position.")

    @property
    def attrs(self) -> dict:
        """Whatever the user attached."""
        found = self.__dict__.get("_attrs")
        if found is None:
            found = {}
            object.__setattr__(self, "_attrs", found)
        return found

    @attrs.setter
    def attrs(self, value: Any) -> None:
        object.__setattr__(self, "_attrs", dict(value))

    @property
    def flags(self) -> Flags:
        """``allows_duplicate_labels``."""
        if "_flags" not in self.__dict__:
            object.__setattr__(self, "_flags", Flags())
        return self.__dict__["_flags"]

    def set_flags(self, *, copy: bool = False, allows_duplicate_labels: Any = None) -> Any:
        """A copy with other flags."""
        out = self.copy(deep=copy)
        if allows_duplicate_labels is not None:
            if not allows_duplicate_labels and not self._p.index.is_unique:
                raise ValueError("Index has duplicates.")
            object.__setattr__(out, "_flags", Flags(allows_duplicate_labels))
        return out

    def copy(self, deep: bool = True) -> Any:
        """A copy; a shallow one shares memory until either is written to."""
        p = self._p.copy(deep=deep)
        out = series_of(p, type(self)) if p.ndim == 1 else frame_of(p, type(self))
        if self.__dict__.get("_attrs"):
            out.attrs = copying.deepcopy(self._attrs)
        return out

    def _rows(self, positions: Any) -> Any:
        return wrap(self._p.iloc[positions])

    def head(self, n: int = 5) -> Any:
        """The first rows."""
        return self._rows(slice(n))

    def tail(self, n: int = 5) -> Any:
        """The last rows."""
        return self._rows(slice(0, 0)) if n == 0 else self._rows(slice(-n, None))

    def take(self, indices: Any, axis: Any = 0) -> Any:
        """Rows by position."""
        if axis not in (0, "index"):
            raise NotImplementedError("Gather along column axis is not yet supported.")
        on_device = hasattr(indices, "__cuda_array_interface__") and hasattr(indices, "get")
        positions = device.of_cupy(indices) if on_device else np.asarray(unwrap(indices))
        if positions.dtype.kind not in "iub" and positions.size:
            raise ValueError("Gather map must be integer dtype.")
        positions = positions.astype(int)
        if positions.size and (positions.max() >= len(self._p) or positions.min() < -len(self._p)):
            raise IndexError("Gather map index is out of bounds.")
        return self._rows(positions)

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """``func(self, …)``."""
        if isinstance(func, tuple):
            func, target = func
            if target in kwargs:
                raise ValueError(f"{target} is both the pipe target and a keyword argument")
            kwargs[target] = self
            return func(*args, **kwargs)
        return func(self, *args, **kwargs)

    def equals(self, other: Any) -> bool:
        """Whether values, types and labels are the same; nulls equal nulls."""
        if other is None or type(self) is not type(other) or self.shape != other.shape:
            return False
        return bool(self._p.equals(other._p)) and self._p.index.equals(other._p.index)

    def add_prefix(self, prefix: str, axis: Any = None) -> Any:
        """Labels with something in front."""
        if axis is not None:
            raise NotImplementedError("axis is currently not implemented.")
        return wrap(self._p.add_prefix(prefix))

    def add_suffix(self, suffix: str, axis: Any = None) -> Any:
        """Labels with something behind."""
        if axis is not None:
            raise NotImplementedError("axis is currently not implemented.")
        return wrap(self._p.add_suffix(suffix))

    def squeeze(self, axis: Any = None) -> Any:
        """Fewer axes where they have length 1."""
        found = self._p.squeeze(axis)
        return wrap(found)

    def tile(self, count: int) -> Any:
        """The rows several times, one after the other."""
        return self._rows(np.tile(np.arange(len(self._p)), count))

    def repeat(self, repeats: Any, axis: Any = None) -> Any:
        """Each row several times."""
        repeats = np.asarray(unwrap(repeats))
        if repeats.ndim and len(repeats) != len(self._p):
            raise ValueError("Invalid number of repeats")
        return self._rows(np.repeat(np.arange(len(self._p)), repeats))

    def truncate(self, before: Any = None, after: Any = None, axis: Any = 0, copy: bool = True) -> Any:
        """The rows between two labels."""
        if not copy:
            raise ValueError("Truncating with copy=False is not supported.")
        if not self._p.index.is_monotonic_increasing and not self._p.index.is_monotonic_decreasing:
            raise ValueError("truncate requires a sorted index")
        return wrap(self._p.truncate(before, after, axis))

    resample = Later("cudf.core.resample")

    def rolling(self, window: Any, min_periods: Any = None, center: bool = False, win_type: Any = None, on: Any = None,
                axis: Any = 0, closed: Any = None, step: Any = None, method: str = "single") -> Any:  # fmt: skip
        """Moving windows."""
        from .window import Rolling

        return Rolling(self, window, min_periods, center, win_type, on, axis, closed, step, method)

    def ewm(self, com: Any = None, span: Any = None, halflife: Any = None, alpha: Any = None, min_periods: Any = 0,
            adjust: bool = True, ignore_na: bool = False, axis: int = 0, times: Any = None) -> Any:  # fmt: skip
        """Exponentially weighted windows."""
        from .window import ExponentialMovingWindow

        return ExponentialMovingWindow(self, com, span, halflife, alpha, min_periods, adjust, ignore_na, axis, times)

    hash_values = Later("cudf.core.hashing")

    def scale(self) -> Any:
        """Values between 0 and 1."""
        low, high = self.min(), self.max()
        return (self - low) / (high - low)

    cumsum = scan("cumsum")
    cumprod = scan("cumprod")
    cummin = scan("cummin")
    cummax = scan("cummax")

    round = Later("cudf.core.rounding", "round_frame")

    def sort_index(self, axis: Any = 0, level: Any = None, ascending: Any = True, inplace: bool = False,
                   kind: str = "quicksort", na_position: str = "last", sort_remaining: bool = True,
                   ignore_index: bool = False, key: Any = None) -> Any:  # fmt: skip
        """Rows in the order of their labels."""
        if kind is not None and kind not in ("quicksort", "mergesort", "heapsort", "stable"):
            raise ValueError(f"invalid kind: {kind}")
        if not sort_remaining:
            raise NotImplementedError("sort_remaining is not supported.")
        if key is not None:
            raise NotImplementedError("key is not supported.")
        if na_position not in ("first", "last"):
            raise ValueError(f"invalid na_position: {na_position}")
        p = self._p
        if axis in (1, "columns"):
            if p.ndim == 1:
                raise ValueError("Only axis=0 is supported.")
            out = p.sort_index(axis=1, ascending=ascending, level=level)
        else:
            found = None
            if level is None and isinstance(ascending, (bool, np.bool_)) and not p.index.is_monotonic_increasing:
                found = sorting.index_positions(p.index, bool(ascending), na_position)
            if found is None:
                out = p.sort_index(level=level, ascending=ascending, na_position=na_position, kind="stable")
            else:
                out = p.iloc[found]
        if ignore_index:
            out = out.reset_index(drop=True)
        return mimic(self, wrap(out), inplace)

    def reset_index(self, level: Any = None, drop: bool = False, *args: Any, **kwargs: Any) -> Any:
        """Row labels become a column, or are dropped."""
        kwargs = {k: v for k, v in kwargs.items() if v is not no_default}
        inplace = kwargs.pop("inplace", False)
        if kwargs.pop("col_level", 0) != 0:
            raise NotImplementedError("col_level parameter is not supported yet.")
        if kwargs.pop("col_fill", "") != "":
            raise NotImplementedError("col_fill parameter is not supported yet.")
        p = self._p
        if p.ndim == 1:
            if not drop and inplace:
                raise TypeError("Cannot reset_index inplace on a Series to create a DataFrame")
            if args:
                kwargs["name"] = args[0]
            if drop:
                kwargs.pop("name", None)
            out = p.reset_index(level=level, drop=drop, **kwargs)
        else:
            if args:
                inplace = args[0]
            out = p.reset_index(level=level, drop=drop, **kwargs)
        return mimic(self, wrap(out), inplace)

    def drop(self, labels: Any = None, axis: Any = 0, index: Any = None, columns: Any = None, level: Any = None,
             inplace: bool = False, errors: str = "raise") -> Any:  # fmt: skip
        """Without some rows or columns."""
        if labels is not None:
            if index is not None or columns is not None:
                raise ValueError("Cannot specify both 'labels' and 'index'/'columns'")
        elif index is None and columns is None:
            raise ValueError("Need to specify at least one of 'labels', 'index' or 'columns'")
        labels, index, columns = (_labels(x) for x in (labels, index, columns))
        if self._p.ndim == 1 and axis in (1, "columns"):
            raise ValueError("No axis named 1 for object type Series")
        if errors not in ("raise", "ignore"):
            raise ValueError("invalid error value specified")
        try:
            where = {"labels": labels, "axis": axis} if labels is not None else {"index": index, "columns": columns}
            out = self._p.drop(level=level, errors=errors, **where)
        except KeyError as error:
            raise KeyError(
                "One or more values not found in axis"
                if axis in (0, "index") and columns is None
                else f"column '{_first(labels if labels is not None else columns, self._p.columns)}' does not exist"
            ) from error
        return mimic(self, wrap(out), inplace)

    def dropna(self, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
        """Without the rows (or columns) that have nulls."""
        p = self._p
        names = (
            ("how", "thresh", "subset", "inplace", "ignore_index")
            if p.ndim == 2
            else ("inplace", "how", "ignore_index")
        )
        options = {**dict(zip(names, args, strict=False)), **kwargs}
        inplace = options.pop("inplace", False)
        if options.get("how") not in (None, "any", "all", no_default):
            raise ValueError("how must be 'any' or 'all'")
        ignore = options.pop("ignore_index", False)
        plain = self.nans_to_nulls()._p
        if p.ndim == 1:
            out = p[~isnull(plain.array)]
        else:
            options = {k: unwrap(v) for k, v in options.items() if v is not None and v is not no_default}
            kept = plain.dropna(axis=axis, **options)
            out = p.loc[:, kept.columns] if axis in (1, "columns") else p[_which(plain, options)]
        if ignore:
            out = out.reset_index(drop=True)
        return mimic(self, wrap(out), inplace)

    def where(self, cond: Any, other: Any = None, inplace: bool = False, axis: Any = None, level: Any = None) -> Any:
        """Values where a condition holds, others (null by default) elsewhere."""
        from .replace import where

        if axis is not None:
            raise NotImplementedError("axis is not supported.")
        if level is not None:
            raise NotImplementedError("level is not supported.")
        return mimic(self, where(self, cond, other), inplace)

    def mask(self, cond: Any, other: Any = None, inplace: bool = False, axis: Any = None, level: Any = None) -> Any:
        """Values where a condition does not hold, others (null by default) elsewhere."""
        if axis is not None:
            raise NotImplementedError("axis is not supported.")
        if level is not None:
            raise NotImplementedError("level is not supported.")
        if not hasattr(cond, "__invert__") or callable(cond):
            cond = cond(self) if callable(cond) else np.asarray(cond, dtype=bool)
        return self.where(~cond, other, inplace)

    def replace(
        self, to_replace: Any = None, value: Any = no_default, *, inplace: bool = False, regex: bool = False
    ) -> Any:
        """Some values replaced by others."""
        from .replace import replace

        if regex:
            raise NotImplementedError("regex parameter is not implemented yet")
        return mimic(self, replace(self, to_replace, value), inplace)

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
            return getattr(pd.Series(nans_to_nulls(array)), how)().array

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

    sort_values = Later("cudf.core.sorting")

    def nlargest(self, n: int = 5, *args: Any, **kwargs: Any) -> Any:
        """The rows of the largest values."""

        return extremes(self, n, True, *args, **kwargs)

    def nsmallest(self, n: int = 5, *args: Any, **kwargs: Any) -> Any:
        """The rows of the smallest values."""

        return extremes(self, n, False, *args, **kwargs)

    argsort = Later("cudf.core.sorting")
    sample = Later("cudf.core.sorting")
    reindex = Later("cudf.core.alignment")
    duplicated = Later("cudf.core.sorting")
    drop_duplicates = Later("cudf.core.sorting")
    describe = Later("cudf.core.describe")
    dot = Later("cudf.core.linear")
    to_json = Later("cudf.io.json")

    def to_hdf(self, path_or_buf: Any, key: Any, *args: Any, **kwargs: Any) -> Any:
        """An HDF5 file, through pandas."""
        from ..io.hdf import to_hdf

        return to_hdf(path_or_buf, key, self, *args, **kwargs)

    def memory_usage(self, index: bool = True, deep: bool = False) -> Any:
        """Bytes on the device, of a Series or of each column."""

        p = self._p
        own = self.index.memory_usage()
        if p.ndim == 1:
            return device_bytes(p.array) + (own if index else 0)
        sizes, names = [device_bytes(p.iloc[:, i].array) for i in range(p.shape[1])], p.columns
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


def _which(plain: pd.DataFrame, options: dict) -> np.ndarray:
    subset = options.get("subset")
    if subset is not None:
        subset = (
            [subset]
            if pd.api.types.is_scalar(subset) or isinstance(subset, tuple) and subset in plain.columns
            else list(subset)
        )
        missing = [c for c in subset if c not in plain.columns]
        if missing:
            raise KeyError(f"columns {missing!r} do not exist")
        plain = plain[subset]
    present = plain.notna()
    if "thresh" in options:
        return (present.sum(axis=1) >= options["thresh"]).to_numpy()
    return (present.all(axis=1) if options.get("how", "any") == "any" else present.any(axis=1)).to_numpy(dtype=bool)


def _labels(labels: Any) -> Any:
    if labels is None:
        return None
    labels = unwrap(labels)
    return list(labels) if isinstance(labels, (pd.Series, pd.Index, np.ndarray, set)) else labels


def _first(labels: Any, columns: pd.Index) -> Any:
    labels = [labels] if pd.api.types.is_scalar(labels) else labels
    return next((x for x in labels if x not in columns), None)


def _clip_text(array: Any, low: Any, high: Any) -> Any:
    series = pd.Series(array)
    if low is not None:
        series = series.where((series >= low) | series.isna(), low)
    if high is not None:
        series = series.where((series <= high) | series.isna(), high)
    return series.array
