"""Merge and join."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.core.arrays.masked import BaseMaskedArray
from pandas.errors import MergeError

from gpusim.device import device as engine_device

from . import device
from .cast import cast
from .column import arrow_of, dtype_of, storage_of
from .dtypes import STR, CategoricalDtype, DecimalDtype
from .order import shuffled
from .reshape_types import find_common_type
from .wrap import classes, frame_of, normal_frame, unwrap

_HOW = ("left", "inner", "outer", "right", "leftanti", "leftsemi", "cross")


def _list(keys: Any, p: pd.DataFrame) -> list | None:
    if keys is None:
        return None
    if isinstance(keys, (list, tuple)) and not (isinstance(keys, tuple) and isinstance(p.columns, pd.MultiIndex)):
        return list(keys)
    return [keys]


def _frame(value: Any, side: str) -> pd.DataFrame:
    if isinstance(value, classes["Series"]):
        if value.name is None:
            raise ValueError("Cannot merge on unnamed Series")
        return value.to_frame()._p
    if not isinstance(value, classes["DataFrame"]):
        raise TypeError(f"{side} must be a Series or DataFrame")
    return value._p


def merge(left: Any, right: Any, how: str = "inner", on: Any = None, left_on: Any = None, right_on: Any = None,
          left_index: bool = False, right_index: bool = False, sort: bool = False, suffixes: Any = ("_x", "_y"),
          indicator: Any = False, validate: Any = None, **lists: Any) -> Any:  # fmt: skip
    """Rows of two frames that agree in some columns.

    Their order is not defined unless ``sort``; ``leftsemi`` and ``leftanti`` keep the rows of the left that have, or
    do not have, a match.
    """
    if indicator:
        raise NotImplementedError("Only indicator=False is currently supported")
    if validate is not None:
        raise NotImplementedError("validate is currently not supported.")
    l_frame, r_frame = _frame(left, "left"), _frame(right, "right")
    for name, value in (("left_index", left_index), ("right_index", right_index)):
        if not isinstance(value, bool):
            raise ValueError(f"{name} parameter must be of type bool, not {type(value)}")
    if not isinstance(suffixes, (list, tuple)):
        raise TypeError(
            f"Passing 'suffixes' as a {type(suffixes)}, is not supported. Provide 'suffixes' as a tuple instead."
        )
    if how not in _HOW:
        raise NotImplementedError(f"{how} merge not supported yet")
    on, left_on, right_on = _list(on, l_frame), _list(unwrap(left_on), l_frame), _list(unwrap(right_on), r_frame)
    if on:
        if left_on or right_on:
            raise ValueError('Can only pass argument "on" OR "left_on" and "right_on", not a combination of both.')
        if left_index or right_index:
            raise ValueError(
                'Can only pass argument "on" OR "left_index" and "right_index", not a combination of both.'
            )
        left_on = right_on = on
    elif left_on and left_index:
        raise ValueError('Can only pass argument "left_on" OR "left_index" not both.')
    elif right_on and right_index:
        raise ValueError('Can only pass argument "right_on" OR "right_index" not both.')
    common = [c for c in l_frame.columns if c in r_frame.columns]
    if how == "cross":
        device.require_memory(len(l_frame) * len(r_frame) * _width(l_frame, r_frame))
        out = _finish(l_frame.merge(r_frame, how="cross", suffixes=suffixes), how, sort)
        return _counted(left, right, out)
    if not (left_index or right_index or left_on or right_on):
        if not common:
            raise ValueError("No common columns to perform merge on")
        left_on = right_on = common
    for side, keys in ((l_frame, left_on), (r_frame, right_on)):
        for key in keys or []:
            if not isinstance(key, (np.ndarray, pd.Series)) and key not in side.columns and key not in side.index.names:
                raise KeyError(key)
    n_left = len(left_on) if left_on else l_frame.index.nlevels if left_index else 0
    n_right = len(right_on) if right_on else r_frame.index.nlevels if right_index else 0
    if n_left != n_right:
        raise ValueError("Merge operands must have same number of join key columns")
    narrow = {
        c: dtype_of(f[c].dtype)
        for f in (r_frame, l_frame)
        for c in f.columns
        if isinstance(dtype_of(f[c].dtype), DecimalDtype)
    }
    l_frame, r_frame = _match(l_frame, r_frame, left_on, right_on, how)
    clash = [
        c
        for c in common
        if not (left_on and right_on and c in left_on and c in right_on and left_on.index(c) == right_on.index(c))
    ]
    if clash and not any(suffixes) and how not in ("leftsemi", "leftanti"):
        raise ValueError("there are overlapping columns but lsuffix and rsuffix are not defined")
    if how in ("leftsemi", "leftanti"):
        out = _filter(l_frame, r_frame, left_on, right_on, left_index, right_index, how)
        return _counted(left, right, out)
    by_index = left_index or right_index
    _room(l_frame, r_frame, left_on, right_on)
    try:
        out = l_frame.merge(
            r_frame, how=how, left_on=left_on, right_on=right_on, left_index=left_index, right_index=right_index,
            sort=sort, suffixes=tuple(suffixes), indicator=False if how == "inner" else "__hundredfold_side__",
        )  # fmt: skip
    except MergeError as error:
        raise MergeError(str(error)) from None
    # Three codes, not a string for each row; a row of an inner join has both sides.
    sides = set() if how == "inner" else set(out.pop("__hundredfold_side__").unique())
    if not isinstance(out.columns, pd.MultiIndex):
        out.columns = out.columns.rename(l_frame.columns.name)
    if not out.columns.is_unique:
        raise NotImplementedError(
            f"suffixes={tuple(suffixes)} would introduce a duplicate column label, which is not supported."
        )
    out = normal_frame(out)
    for name, kind in narrow.items():
        if name in out.columns and dtype_of(out[name].dtype) != kind:
            out[name] = storage_of(arrow_of(out[name]).cast(kind.to_arrow()))
    for side, frame, suffix in (("right_only", l_frame, suffixes[0]), ("left_only", r_frame, suffixes[1])):
        if side in sides:
            _promote(out, [f"{c}{suffix}" if c in clash and suffix else c for c in frame.columns])
    return _counted(left, right, _finish(out, how, sort, keep_index=by_index))


def _width(left: pd.DataFrame, right: pd.DataFrame) -> int:
    return 8 * max(left.shape[1] + right.shape[1], 1)


def _room(left: pd.DataFrame, right: pd.DataFrame, left_on: Any, right_on: Any) -> None:
    """Refuse a join whose result is far too large before it is made: estimated from a thousand rows of the left.

    Rows multiply where keys repeat on both sides, and the process would be ended by its machine before it could be told.
    """
    width = _width(left, right)
    if len(left) * len(right) * width <= engine_device.memory():
        return
    sides = [
        [frame.index.to_series().reset_index(drop=True)] if not on else [frame[k] if k in frame else None for k in on]
        if all(isinstance(k, Hashable) for k in on) else [None]
        for frame, on in ((left, left_on), (right, right_on))
    ]  # fmt: skip
    if any(key is None or isinstance(key, pd.DataFrame) for side in sides for key in side) or left.index.nlevels > 1:
        return  # arrays as keys, levels of an index: rare, and no frame of these sizes has them
    l_keys, r_keys = (pd.DataFrame({i: key.array for i, key in enumerate(side)}) for side in sides)
    sample = l_keys.iloc[:: max(len(l_keys) // 1000, 1)]
    times = sample.groupby(list(sample.columns), dropna=False, observed=True).size().rename("times").reset_index()
    found = r_keys.merge(times, on=list(sample.columns))["times"].sum()
    device.require_memory(int(found * len(left) / max(len(sample), 1)) * width // 2)  # half: it is an estimate


def _counted(left: Any, right: Any, out: pd.DataFrame) -> Any:
    """Enter a join in the account: both sides are read, and what comes out is written, be it many times as much."""
    device.count("cudf_join", (left.size + right.size) * 8, out.size * 8, reads=[left, right], writes=out)
    return out


def _promote(out: pd.DataFrame, names: list) -> None:
    """Integers become floats where rows without a match left them null."""
    for name in names:
        if name in out.columns:
            array = out[name].array
            if isinstance(array, BaseMaskedArray) and array._data.dtype.kind in "iu" and array._mask.any():
                out[name] = cast(array, np.dtype("float64"))


def _finish(out: pd.DataFrame, how: str, sort: bool, keep_index: bool = False) -> Any:
    out = normal_frame(out)
    if not sort and how != "cross":
        order = shuffled(len(out))
        out = out.iloc[order]
    return frame_of(out if keep_index else out.reset_index(drop=True))


def _match(left: pd.DataFrame, right: pd.DataFrame, left_on: Any, right_on: Any, how: str) -> tuple:
    """Both sides' key columns in one type; TypeError for those that do not go together."""
    if not left_on or not right_on:
        return left, right
    left, right = left.copy(deep=False), right.copy(deep=False)
    for a, b in zip(left_on, right_on, strict=True):
        if (
            isinstance(a, (np.ndarray, pd.Series))
            or isinstance(b, (np.ndarray, pd.Series))
            or a not in left.columns
            or b not in right.columns
        ):
            continue
        x, y = left[a].array, right[b].array
        kx, ky = dtype_of(x.dtype), dtype_of(y.dtype)
        if kx == ky and isinstance(kx, DecimalDtype):
            # Arrow can look up decimals of 128 bits only; `_narrow` makes the key's own type of them again.
            wide = pa.decimal128(38, kx.scale)
            left[a], right[b] = storage_of(arrow_of(x).cast(wide)), storage_of(arrow_of(y).cast(wide))
            continue
        if kx == ky and not isinstance(kx, CategoricalDtype):
            continue
        if isinstance(kx, CategoricalDtype) or isinstance(ky, CategoricalDtype):
            left[a], right[b] = _categories(x, y, kx, ky, how)
            continue
        if isinstance(kx, DecimalDtype) or isinstance(ky, DecimalDtype):
            raise TypeError("Decimal columns can only be merged with decimal columns of the same precision and scale")
        if (kx == STR) != (ky == STR):
            raise ValueError(
                f"You are trying to merge on {kx} and {ky} columns for key '{a}'. If you wish to proceed you should use "
                "pd.concat"
            )
        if kx.kind in "mM" and ky.kind not in "mM" or ky.kind in "mM" and kx.kind not in "mM":
            first, second = (kx, ky) if kx.kind in "mM" else (ky, kx)
            raise TypeError(
                f"Cannot join between {first} and {second}, please type-cast both columns to the same type."
            )
        common = find_common_type([kx, ky])
        left[a], right[b] = cast(x, common), cast(y, common)
    return left, right


def _categories(x: Any, y: Any, kx: Any, ky: Any, how: str) -> tuple:
    if isinstance(kx, CategoricalDtype) and isinstance(ky, CategoricalDtype):
        if bool(kx.ordered) != bool(ky.ordered):
            raise TypeError("Merging on categorical variables with mismatched ordering is ambiguous")
        if set(kx._categories) == set(ky._categories):
            return x, y.set_categories(kx._categories)
        if kx.ordered and ky.ordered:
            raise TypeError(
                f"{how} merge between categoricals with different categories is only valid when neither side is ordered"
            )
        if how == "left":
            return x, y.set_categories(kx._categories)
        if how == "right":
            return x.set_categories(ky._categories), y
        union = kx._categories.append(ky._categories.difference(kx._categories, sort=False))
        return x.set_categories(union), y.set_categories(union)
    plain = kx.categories.dtype if isinstance(kx, CategoricalDtype) else ky.categories.dtype
    return cast(x, plain), cast(y, plain)


def _filter(left: pd.DataFrame, right: pd.DataFrame, left_on: Any, right_on: Any, left_index: bool, right_index: bool,
            how: str) -> Any:  # fmt: skip
    keys = (
        [left[c] for c in left_on]
        if left_on
        else [pd.Series(left.index.get_level_values(i)) for i in range(left.index.nlevels)]
    )
    others = (
        [right[c] for c in right_on]
        if right_on
        else [pd.Series(right.index.get_level_values(i)) for i in range(right.index.nlevels)]
    )
    mine = pd.DataFrame({i: pd.Series(k.array) for i, k in enumerate(keys)})
    theirs = pd.DataFrame({i: pd.Series(k.array) for i, k in enumerate(others)}).drop_duplicates()
    mine["row"] = np.arange(len(mine))
    found = mine.merge(theirs, on=list(range(len(keys))), how="inner")["row"].to_numpy()
    hit = np.zeros(len(left), bool)
    hit[found] = True
    out = left[hit if how == "leftsemi" else ~hit]
    out = out.iloc[shuffled(len(out))]
    return frame_of(out if left_index or right_index else out.reset_index(drop=True))


def join(
    self: Any,
    other: Any,
    on: Any = None,
    how: str = "left",
    lsuffix: str = "",
    rsuffix: str = "",
    sort: bool = False,
    validate: Any = None,
) -> Any:
    """Rows of two frames that agree in their labels."""
    if on is not None:
        raise NotImplementedError("The on parameter is not yet supported")
    if validate is not None:
        raise NotImplementedError("The validate parameter is not yet supported")
    out = merge(self, other, how, left_index=True, right_index=True, sort=sort, suffixes=(lsuffix, rsuffix))
    if out._p.index.nlevels == 1:
        both = self._p.index.names[0], other._p.index.names[0]
        out._p.index.name = both[0] if both[0] == both[1] else None
    return out
