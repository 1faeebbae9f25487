"""Selection: ``[]``, ``loc``, ``iloc``, ``at``, ``iat``, and assignment through them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.core.arrays.masked import BaseMaskedArray

from . import device, host
from .guard import guarded_class
from .wrap import classes, frame_of, series_of, wrap


def key_of(key: Any) -> Any:
    """An indexer on the host, as pandas takes it.

    Raises
    ------
    ValueError
        For a mask with nulls.
    """
    if isinstance(key, tuple):
        return tuple(key_of(k) for k in key)
    if isinstance(key, (classes["Series"], classes["Index"])):
        if isinstance(key, classes["MultiIndex"]):
            return key._p
        array = key._storage
        if isinstance(array, BaseMaskedArray):
            if array._data.dtype.kind == "b":
                # A null in a mask selects nothing.
                mask = array._data & ~array._mask
                return pd.Series(mask, index=key._p.index) if isinstance(key, classes["Series"]) else mask
            return array._data if not array._mask.any() else array
        return key._p if isinstance(key, classes["Index"]) else array
    if isinstance(key, classes["DataFrame"]):
        return key._p
    if hasattr(key, "get") and hasattr(key, "__cuda_array_interface__"):
        # Where to find rows is asked on the device; only a single place is read by the host.
        return key.get()[()] if key.ndim == 0 else device.of_cupy(key)
    if isinstance(key, range):
        return list(key)
    if isinstance(key, (pd.Series, pd.Index)) and key.dtype == bool:
        return np.asarray(key)
    if isinstance(key, slice):
        return slice(*(k.item() if isinstance(k, np.generic) and k.dtype.kind in "iu" else k
                       for k in (key.start, key.stop, key.step)))  # fmt: skip
    return key


def _is_mask(key: Any) -> bool:
    return getattr(getattr(key, "dtype", None), "kind", "") == "b" or (
        isinstance(key, list) and len(key) > 0 and all(isinstance(k, (bool, np.bool_)) for k in key)
    )


def _upload(rows: Any) -> None:
    """Enter the transfer of row numbers, labels that are numbers, or a mask, which the host has."""
    if isinstance(rows, (list, range, np.ndarray, pd.Series, pd.Index)) and len(rows):
        array = np.asarray(rows)
        if array.dtype.kind in "biuf":
            device.uploaded(array.nbytes, ())


def _check_mask(key: Any, n: int) -> None:
    if len(key) != n:
        raise IndexError(f"Boolean mask has wrong length: {len(key)} not {n}")


def scalar(p: pd.Series, value: Any) -> Any:
    """A scalar that pandas selected, as cuDF returns it."""
    if value is pd.NA or value is None or (isinstance(value, float) and value != value):
        number = getattr(p.dtype, "numpy_dtype", None)
        if getattr(number, "kind", "") == "f":
            return number.type("nan")
        if isinstance(p.dtype, pd.StringDtype):
            return np.nan
        return value if isinstance(value, float) else pd.NA
    if isinstance(value, (list, dict)) or isinstance(value, np.ndarray):
        return host.nested(value.tolist() if isinstance(value, np.ndarray) else value)
    return value


def series_getitem(self: Any, key: Any) -> Any:
    """``series[key]``: positions for slices of ints, labels otherwise."""
    if isinstance(key, slice):
        return self.iloc[key] if not _label_slice(key, self._p.index) else self.loc[key]
    return self.loc[key]


def _label_slice(key: slice, index: pd.Index) -> bool:
    ends = [k for k in (key.start, key.stop) if k is not None]
    return bool(ends) and not all(isinstance(k, (int, np.integer)) for k in ends)


def frame_getitem(self: Any, key: Any) -> Any:
    """``frame[key]``: a column, columns, or rows by a mask or a slice."""
    p = self._p
    if isinstance(key, classes["DataFrame"]):
        return self.where(key)
    host_key = key_of(key)
    if isinstance(host_key, tuple) and any(isinstance(k, slice) for k in host_key):
        raise pd.errors.InvalidIndexError(next(k for k in host_key if isinstance(k, slice)))
    if isinstance(host_key, slice):
        if _label_slice(host_key, p.index):
            return wrap(p.loc[host_key])
        return wrap(p.iloc[host_key])
    if pd.api.types.is_scalar(host_key) or isinstance(host_key, tuple):
        found = p[host_key]
        return frame_of(found) if isinstance(found, pd.DataFrame) else series_of(found)
    if _is_mask(host_key):
        _upload(key)
        mask = np.asarray(host_key, dtype=bool) if not isinstance(host_key, pd.Series) else host_key
        if isinstance(mask, pd.Series):
            if not mask.index.equals(p.index) and len(mask) == len(p) and mask.index.is_unique:
                mask = mask.reindex(p.index, fill_value=False)
            mask = mask.to_numpy(dtype=bool)
        _check_mask(mask, len(p))
        made = frame_of(p[mask])
        nbytes = int(mask.sum()) * p.shape[1] * 8
        device.count("cudf_apply_boolean_mask", mask.nbytes + p.size * 8, nbytes, reads=[key, p], writes=made)
        return made
    if isinstance(host_key, set):
        raise TypeError("Passing a set as an indexer is not supported. Use a list instead.")
    labels = list(host_key)
    missing = [k for k in labels if k not in p.columns]
    if missing and not isinstance(p.columns, pd.MultiIndex):
        raise KeyError(missing[0] if len(labels) == 1 else f"{missing} not in index")
    return frame_of(p[labels])


@guarded_class
class Locator:
    """``loc`` and its like on a frame."""

    _positional = False
    _single = False

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def _pandas(self, p: Any) -> Any:
        return p.iloc if self._positional else p.loc

    def _key(self, key: Any) -> Any:
        frame = self._frame
        if callable(key) and not isinstance(key, type):
            key = key(frame)
        _upload(
            key[0] if isinstance(key, tuple) and len(key) and not isinstance(frame._p.index, pd.MultiIndex) else key
        )
        key = key_of(key)
        if self._single:
            parts = key if isinstance(key, tuple) else (key,)
            if self._positional and not all(isinstance(k, (int, np.integer)) for k in parts):
                raise ValueError("iAt based indexing can only have integer indexers")
            if not all(pd.api.types.is_scalar(k) for k in parts) and not isinstance(frame._p.index, pd.MultiIndex):
                raise ValueError("Invalid call for scalar access (getting)!")
        rows = key[0] if isinstance(key, tuple) and len(key) else key
        if isinstance(rows, np.ndarray) and rows.ndim > 1:
            raise ValueError("Can only index with 1D array")
        if _is_mask(rows) and not isinstance(rows, pd.Series):
            _check_mask(rows, len(frame._p))
        if isinstance(rows, pd.Series) and _is_mask(rows):
            aligned = rows
            index = frame._p.index
            if (
                not rows.index.equals(index)
                and not self._positional
                and rows.index.is_unique
                and len(rows) >= len(index)
            ):
                aligned = rows.reindex(index, fill_value=False)
            rows = aligned.to_numpy(dtype=bool)
            _check_mask(rows, len(index))
            key = (rows, *key[1:]) if isinstance(key, tuple) else rows
        return key

    def __getitem__(self, key: Any) -> Any:
        p = self._frame._p
        key = self._key(key)
        if self._positional and p.ndim == 1 and isinstance(key, (int, np.integer)):
            if not -len(p) <= key < len(p):
                raise IndexError("single positional indexer is out-of-bounds")
            return host.element(p.array, int(key) % max(len(p), 1))
        found = self._pandas(p)[key]
        if p.ndim == 2 and isinstance(found, pd.Series) and not self._one_column(key):
            return _row(p, found, key, self._pandas(p))
        result = wrap(found) if isinstance(found, (pd.Series, pd.DataFrame)) else _cell(p, key, found, self._positional)
        rows = key[0] if isinstance(key, tuple) and len(key) else key
        if not isinstance(rows, slice) or rows.step not in (None, 1):  # else it is a view
            device.count("cudf_gather", p.size * 8, getattr(found, "size", 1) * 8, reads=p, writes=result)
        return result

    @staticmethod
    def _one_column(key: Any) -> bool:
        return isinstance(key, tuple) and len(key) == 2 and pd.api.types.is_scalar(key[1]) and not pd.api.types.is_scalar(
            key[0])  # fmt: skip

    def __setitem__(self, key: Any, value: Any) -> None:
        from .assign import set_located

        set_located(self._frame, self._key(key), value, self._positional)


def _cell(p: Any, key: Any, found: Any, positional: bool) -> Any:
    if p.ndim == 1:
        return scalar(p, found)
    label = key[1] if isinstance(key, tuple) and len(key) > 1 else None
    if label is None:
        return found
    column = p.iloc[:, label] if positional else p[label]
    return scalar(column, found) if isinstance(column, pd.Series) else found


def _row(p: pd.DataFrame, found: pd.Series, key: Any, where: Any) -> Any:
    """One row as a Series of the columns' common type; a DataFrame of one row where they have none."""
    from .reshape_types import common_storage

    places = p.columns.get_indexer(found.index) if p.columns.is_unique and found.index.is_unique else np.array([-1])
    if len(found) and (places >= 0).all():
        array = common_storage([p.iloc[:, i].array for i in places], found)
        if isinstance(array, str):
            rows, *rest = key if isinstance(key, tuple) and not isinstance(p.index, pd.MultiIndex) else (key,)
            return frame_of(where[([rows], *rest)] if rest else where[[rows]])
        if array is not None:
            return series_of(pd.Series(array, index=found.index, name=found.name))
    return wrap(found)


@guarded_class
class ILocator(Locator):
    """``iloc``."""

    _positional = True


@guarded_class
class AtLocator(Locator):
    """``at``."""

    _single = True


@guarded_class
class IAtLocator(Locator):
    """``iat``."""

    _positional = True
    _single = True
