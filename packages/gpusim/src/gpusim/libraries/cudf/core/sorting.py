"""Order, duplicates and samples of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc
from pandas.api.extensions import no_default
from pandas.core.arrays.masked import BaseMaskedArray

from gpusim.device import sorting

from . import device
from .column import arrow_of, masked, nans_to_nulls
from .wrap import mimic, series_of, unwrap, wrap


def positions(frame: pd.DataFrame, ascending: Any, na_position: str) -> np.ndarray:
    """Positions that sort the rows of a frame of key columns, stably; nulls of all columns go where ``na_position`` says."""
    if na_position not in ("first", "last"):
        raise ValueError(f"invalid na_position: {na_position}")
    flags = list(ascending) if pd.api.types.is_list_like(ascending) else [ascending] * frame.shape[1]
    if len(flags) != frame.shape[1]:
        raise ValueError(f"Length of ascending ({len(flags)}) != length of by ({frame.shape[1]})")
    found = None
    for i in reversed(range(frame.shape[1])):  # stable sorts, the least significant key first
        values, null = _comparable(nans_to_nulls(frame.iloc[:, i].array))
        if not flags[i]:
            values = -values if values.dtype.kind == "f" else ~values
        if found is not None:
            values, null = values[found], null if null is None else null[found]
        order = _sorted(values, null, na_position)
        found = order if found is None else found[order]
    return np.arange(len(frame)) if found is None else found


def _comparable(array: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Numbers that are in order as a column's values are, and which are null; None if there is none."""
    if isinstance(array, BaseMaskedArray):
        return array._data, array._mask if array._mask.any() else None
    if isinstance(array, (pd.arrays.DatetimeArray, pd.arrays.TimedeltaArray)):
        values, null = array.asi8, array.isna()
    elif isinstance(array, pd.Categorical):
        values = np.asarray(array.codes)
        null = values < 0
    elif isinstance(array.dtype, pd.StringDtype):
        coded = arrow_of(array).dictionary_encode()
        ranks = np.empty(len(coded.dictionary), np.int32)
        ranks[np.asarray(pc.array_sort_indices(coded.dictionary))] = np.arange(len(ranks))
        values, null = ranks.take(np.asarray(pc.fill_null(coded.indices, 0))) if len(ranks) else None, array.isna()
        values = np.zeros(len(array), np.int32) if values is None else values
    elif array.dtype.kind == "O":
        ranks = {v: k for k, v in enumerate(sorted({x for x in array if x is not None and x is not pd.NA}))}
        values = np.array([ranks.get(x, -1) for x in array], dtype=np.int64)
        null = pd.Series(array).isna().to_numpy()
    else:
        series = pd.Series(array)
        values, null = series.rank(method="dense").to_numpy(dtype="f8", na_value=0.0), series.isna().to_numpy()
    return values, null if null.any() else None


def index_positions(index: pd.Index, ascending: bool, na_position: str) -> np.ndarray | None:
    """As :func:`positions`, of the labels of rows; None for labels that are no plain numbers."""
    if index.nlevels > 1 or not isinstance(index.dtype, np.dtype) or index.dtype.kind not in "iuf":
        return None
    values = index.to_numpy()
    null = np.isnan(values) if values.dtype.kind == "f" else None
    values = values if ascending else -values if values.dtype.kind == "f" else ~values
    return _sorted(values, null if null is not None and null.any() else None, na_position)


def _sorted(values: np.ndarray, null: np.ndarray | None, na_position: str) -> np.ndarray:
    if null is None:
        return sorting.argsort(values)
    valid, nulls = np.flatnonzero(~null), np.flatnonzero(null)
    valid = valid[sorting.argsort(values[valid])]
    return np.concatenate([valid, nulls] if na_position == "last" else [nulls, valid])


def _first(keys: pd.DataFrame, n: int, largest: bool) -> np.ndarray:
    """The first of :func:`positions`, so many or more: of a single key, without sorting all of it."""
    if keys.shape[1] == 1 and 0 < n < len(keys) // 8:
        values, null = _comparable(nans_to_nulls(keys.iloc[:, 0].array))
        rows = np.arange(len(keys)) if null is None else np.flatnonzero(~null)
        if n < len(rows):
            values = values if null is None else values[rows]
            values = values if not largest else -values if values.dtype.kind == "f" else ~values
            near = np.flatnonzero(values <= np.partition(values, n - 1)[n - 1])
            return rows[near[sorting.argsort(values[near])]]
    return positions(keys, not largest, "last")


def sort_values(self: Any, *args: Any, **kwargs: Any) -> Any:
    """``sort_values`` of Series and DataFrame."""
    p = self._p
    names = ("axis", "ascending", "inplace", "kind", "na_position", "ignore_index", "key")
    if p.ndim == 2:
        names = ("by", *names)
    unknown = set(kwargs) - set(names)
    if unknown or len(args) > len(names):
        raise TypeError(f"sort_values() got an unexpected keyword argument '{(sorted(unknown) or ['?'])[0]}'")
    options = {**dict(zip(names, args, strict=False)), **kwargs}
    if options.get("key") is not None:
        raise NotImplementedError("key is not currently supported.")
    if options.get("axis", 0) not in (0, "index"):
        raise NotImplementedError("`axis` is not currently supported.")
    if p.ndim == 2:
        by = options["by"]
        by = list(by) if isinstance(by, (list, tuple)) and not (isinstance(by, tuple) and by in p.columns) else [by]
        missing = [b for b in by if b not in p.columns and b not in p.index.names]
        if any(b in p.columns and b in p.index.names for b in by):
            raise ValueError(
                f"{by=} appears in the {type(self).__name__} columns and as an index level which is ambiguous."
            )
        if missing:
            raise KeyError(missing[0] if len(missing) == 1 else missing)
        keys = pd.DataFrame(
            {
                i: pd.Series(p[b].array if b in p.columns else pd.Series(p.index.get_level_values(b)).array)
                for i, b in enumerate(by)
            }
        )
        if not by:
            return self
    else:
        keys = pd.DataFrame({0: p.reset_index(drop=True)})
    found = positions(keys, options.get("ascending", True), options.get("na_position", "last"))
    out = p.iloc[found]
    if options.get("ignore_index"):
        out = out.reset_index(drop=True)
    device.count("cudf_sort", p.size * 8, p.size * 8, reads=p, writes=out)
    return mimic(self, wrap(out), options.get("inplace", False))


def argsort(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Positions that sort the values: an int32 Series of a Series, a CuPy array of a DataFrame."""
    p = self._p
    names = ("axis", "kind", "order", "ascending", "na_position")
    names = names if p.ndim == 1 else ("by", *names)
    options = {**dict(zip(names, args, strict=False)), **kwargs}
    if options.get("kind", "quicksort") != "quicksort" and options.get("kind") not in (
        "quicksort",
        "mergesort",
        "heapsort",
        "stable",
    ):
        raise AttributeError(f"{options['kind']} is not a valid sorting algorithm for 'DataFrame' object")
    if p.ndim == 2:
        by = options.get("by")
        by = list(p.columns) if by is None else [by] if pd.api.types.is_scalar(by) else list(by)
        found = positions(p[by], options.get("ascending", True), options.get("na_position", "last"))

        return device.as_cupy(found.astype(np.int32))
    found = positions(
        pd.DataFrame({0: p.reset_index(drop=True)}), options.get("ascending", True), options.get("na_position", "last")
    )
    return series_of(pd.Series(masked(found.astype(np.int32)), index=p.index, name=p.name))


def extremes(self: Any, n: int, largest: bool, *args: Any, **kwargs: Any) -> Any:
    """The rows of the largest or smallest values; never those of nulls."""
    p = self._p
    names = ("keep",) if p.ndim == 1 else ("columns", "keep")
    options = {**dict(zip(names, args, strict=False)), **kwargs}
    keep = options.get("keep", "first")
    if keep not in {"first", "last"}:
        raise ValueError('keep must be either "first", "last"')
    if p.ndim == 1:
        if p.dtype == "object" or isinstance(p.dtype, (pd.StringDtype, pd.CategoricalDtype)):
            raise TypeError(f"{'nlargest' if largest else 'nsmallest'} is not supported for {self.dtype}")
        keys = pd.DataFrame({0: p.reset_index(drop=True)})
    else:
        columns = options["columns"]
        columns = [columns] if pd.api.types.is_scalar(columns) else list(columns)
        keys = p[columns].reset_index(drop=True)
        for c in columns:
            if isinstance(keys[c].dtype, pd.StringDtype):
                raise TypeError(
                    f"Column '{c}' has dtype object, cannot use method '{'nlargest' if largest else 'nsmallest'}' with this dtype"
                )
    if keep == "last":
        reverse = np.arange(len(keys))[::-1]
        found = reverse[_first(keys.iloc[reverse].reset_index(drop=True), int(n), largest)]
    else:
        found = _first(keys, int(n), largest)
    n = max(int(n), 0)
    valid = ~keys.iloc[:, 0].isna().to_numpy()
    found = found[valid[found]] if p.ndim == 1 and valid.sum() >= n else found
    return wrap(p.iloc[found[:n]])


def _keep(keep: Any) -> None:
    if keep not in ("first", "last", False):
        raise ValueError('keep must be either "first", "last" or False')


def duplicated(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Which rows stand there before (``keep="first"``) or after."""
    p = self._p
    names = ("keep",) if p.ndim == 1 else ("subset", "keep")
    options = {**dict(zip(names, args, strict=False)), **kwargs}
    _keep(options.get("keep", "first"))
    if p.ndim == 1:
        found = p.duplicated(options.get("keep", "first"))
    else:
        found = p.duplicated(_subset(p, options.get("subset")), options.get("keep", "first"))
    return series_of(pd.Series(masked(found.to_numpy()), index=p.index, name=p.name if p.ndim == 1 else None))


def _subset(p: pd.DataFrame, subset: Any) -> Any:
    if subset is None:
        return None
    subset = (
        [subset]
        if pd.api.types.is_scalar(subset) or isinstance(subset, tuple) and subset in p.columns
        else list(unwrap(subset))
    )
    missing = [c for c in subset if c not in p.columns]
    if missing:
        raise KeyError(f"columns {set(missing)} do not exist" if len(missing) else "")
    return subset


def drop_duplicates(self: Any, *args: Any, **kwargs: Any) -> Any:
    """One of each row, in the order in which they stand there."""
    p = self._p
    names = ("keep", "inplace", "ignore_index") if p.ndim == 1 else ("subset", "keep", "inplace", "ignore_index")
    options = {**dict(zip(names, args, strict=False)), **{k: v for k, v in kwargs.items() if v is not no_default}}
    inplace = options.pop("inplace", False)
    ignore = options.pop("ignore_index", False)
    keep = options.get("keep", "first")
    _keep(keep)
    found = p.duplicated(keep) if p.ndim == 1 else p.duplicated(_subset(p, options.get("subset")), keep)
    out = p[~found.to_numpy()]
    if ignore:
        out = out.reset_index(drop=True)
    device.count("cudf_distinct", p.size * 8, out.size * 8, reads=p, writes=out)
    return mimic(self, wrap(out), inplace)


def sample(
    self: Any,
    n: Any = None,
    frac: Any = None,
    replace: bool = False,
    weights: Any = None,
    random_state: Any = None,
    axis: Any = None,
    ignore_index: bool = False,
) -> Any:
    """Rows drawn at random; with a NumPy or CuPy generator, the rows it draws."""
    p = self._p
    axis = 0 if axis in (None, 0, "index") else 1
    size = p.shape[axis] if p.ndim == 2 or axis == 0 else len(p)
    if frac is not None and n is not None:
        raise ValueError("Please enter a value for `frac` OR `n`, not both.")
    if frac is not None and frac > 1 and not replace:
        raise ValueError("Replace has to be set to `True` when upsampling the population `frac` > 1.")
    n = 1 if n is None and frac is None else int(round(size * frac)) if frac is not None else n
    if n > 0 and size == 0:
        raise ValueError("Cannot take a sample larger than 0 when axis is empty.")
    if not replace and n > size:
        raise ValueError("Cannot take a larger sample than population when 'replace=False'")
    if axis == 1 and weights is not None:
        raise NotImplementedError("Weights is not yet supported for axis=1.")
    chances = None
    if weights is not None:
        chances = np.asarray(unwrap(self[weights] if isinstance(weights, str) else weights), dtype="f8")
        if len(chances) != size:
            raise ValueError("Weights and axis to be sampled must be of same length")
        chances = chances / chances.sum()
    random = random_state
    if random is None or isinstance(random, (int, np.integer)):
        random = np.random.RandomState(random)
    found = (
        random.choice(size, n, replace=replace, p=chances)
        if hasattr(random, "choice")
        else random.permutation(size)[:n]
    )
    found = np.asarray(unwrap(found))
    out = p.iloc[found] if axis == 0 else p.iloc[:, found]
    if ignore_index:
        out = out.reset_index(drop=True) if axis == 0 else out.set_axis(range(out.shape[1]), axis=1)
    return wrap(out)
