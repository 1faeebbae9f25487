"""Methods of Series and DataFrame that work alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.core.arrays.masked import BaseMaskedArray

from .column import isnull, masked, normal
from .delegate import mimic, no_default
from .guard import guarded_class
from .operators import mapped
from .shared_more import SharedMore
from .wrap import unwrap, wrap


def _refuse_axis(axis: Any) -> None:
    if axis not in (0, "index", None):
        raise NotImplementedError("Only axis=0 is currently supported.")


def scan(op: str) -> Any:
    """A cumulative method."""
    functions = {"cumsum": np.cumsum, "cumprod": np.cumprod, "cummin": np.minimum.accumulate,
                 "cummax": np.maximum.accumulate}  # fmt: skip

    def one(array: Any, skipna: bool) -> Any:
        if not isinstance(array, BaseMaskedArray):
            if isinstance(array.dtype, np.dtype) and array.dtype.kind in "Mm":
                return normal(getattr(pd.Series(array), op)(skipna=skipna).array)
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
class Shared(SharedMore):
    """Methods of frames that have an index."""

    cumsum = scan("cumsum")
    cumprod = scan("cumprod")
    cummin = scan("cummin")
    cummax = scan("cummax")

    def round(self, decimals: Any = 0, how: str = "half_even") -> Any:
        """Values with fewer digits; halves go to the even neighbour unless ``how="half_up"``."""
        from .rounding import round_frame

        return round_frame(self, decimals, how)

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
            out = p.sort_index(level=level, ascending=ascending, na_position=na_position, kind="stable")
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
            raise ValueError("how must be 'any' or 'all'" if p.ndim == 1 else "how must be 'any' or 'all'")
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
