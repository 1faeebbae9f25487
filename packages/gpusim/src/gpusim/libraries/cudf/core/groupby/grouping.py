"""Which group each row belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.extensions import no_default
from pandas.core.arrays.masked import BaseMaskedArray

from ..column import nans_to_nulls, normal
from ..index import ensure_index
from ..wrap import classes, normal_series


class NamedAgg(NamedTuple):
    """A column and what to compute of it."""

    column: Any
    aggfunc: Any


class Grouper:
    """A key of groups: a column, a level, or a frequency."""

    def __init__(
        self, key: Any = None, level: Any = None, freq: Any = None, closed: Any = None, label: Any = None
    ) -> None:
        if key is not None and level is not None:
            raise ValueError("Grouper cannot specify both key and level")
        if (key is None and level is None) and not freq:
            raise ValueError("Grouper must specify either key or level")
        self.key, self.level, self.freq, self.closed, self.label = key, level, freq, closed, label


def _codes(keys: list[pd.Series], dropna: bool) -> np.ndarray:
    """The group of each row, groups in the order of their keys; −1 for rows in none."""
    if len(keys) == 1 and isinstance(keys[0].array, BaseMaskedArray):  # numbers: in half of the memory
        return pd.factorize(keys[0].array, sort=True, use_na_sentinel=dropna)[0]
    frame = pd.DataFrame(dict(enumerate(keys)))
    codes = frame.groupby(list(frame.columns), sort=True, dropna=dropna, observed=True).ngroup()
    codes = codes.to_numpy(dtype="f8", na_value=-1)
    return np.where(np.isnan(codes), -1, codes).astype(np.int64)


class Grouping:
    """Key columns of a frame: codes of the groups, their labels in order, names.

    Attributes
    ----------
    codes : numpy.ndarray
        The group of each row, −1 for rows in none.
    labels : pandas.Index
        Label of each group, sorted.
    names : list
        Names of the keys.
    named : list
        Those columns of the frame that are keys.
    """

    def __init__(self, obj: Any, by: Any, level: Any, dropna: bool) -> None:
        self.keys: list[pd.Series] = []
        self.names: list = []
        self.named: list = []
        p = obj._p
        self._p = p
        if level is not None:
            if by is not None:
                raise ValueError("Cannot specify both by and level")
            for one in level if isinstance(level, list) else [level]:
                self._level(one)
        else:
            for one in by if isinstance(by, list) else [by]:
                self._key(one)
        if not self.keys:
            raise ValueError("No group keys passed")
        plain = [pd.Series(nans_to_nulls(normal(k.array))) for k in self.keys]
        self._set(plain, dropna)

    def _set(self, plain: list[pd.Series], dropna: bool) -> None:
        self.codes = _codes(plain, dropna)
        # The last is for the rows of no group, whose code is -1.
        first = np.full(int(self.codes.max(initial=-1)) + 2, -1)
        first[self.codes[::-1]] = np.arange(len(self.codes))[::-1]
        self.first = first = first[:-1]
        levels = [pd.Index(s.array.take(first)) for s in plain]
        self.levels = levels
        self.labels = (
            levels[0].rename(self.names[0]) if len(levels) == 1 else pd.MultiIndex.from_arrays(levels, names=self.names)
        )
        self.ngroups = len(first)

    def _level(self, level: Any) -> None:
        index = self._p.index.get_level_values(level)
        self._add(pd.Series(index), index.name)

    def _add(self, series: pd.Series, name: Any, column: Any = no_default) -> None:
        if len(series) != len(self._p):
            raise ValueError("Length of grouper and object must be the same")
        self.keys.append(normal_series(series))
        self.names.append(name)
        if column is not no_default:
            self.named.append(column)

    def _key(self, by: Any) -> None:
        if callable(by) and not isinstance(by, (classes["Series"], classes["Index"])):
            self._key(by(classes["Index"](self._p.index)))
        elif isinstance(by, (classes["Series"], pd.Series)):
            series = by._p if isinstance(by, classes["Series"]) else classes["Series"](by)._p
            if not series.index.equals(self._p.index):
                series = normal_series(series.reindex(self._p.index))
            self._add(series.reset_index(drop=True), series.name)
            p = self._p
            if p.ndim == 2 and series.name in p.columns and p[series.name].array is series.array:
                self.named.append(series.name)
        elif isinstance(by, (classes["Index"], pd.Index)):
            index = ensure_index(by)
            for i in range(index.nlevels):
                self._add(pd.Series(index.get_level_values(i)), index.names[i])
        elif isinstance(by, Mapping):
            mapped = pd.Series(self._p.index.to_series().map(dict(by)).array)
            self._add(mapped, None)
        elif isinstance(by, Grouper):
            if by.level is not None:
                self._level(by.level)
            else:
                self._label(by.key)
        else:
            try:
                self._label(by)
            except (KeyError, TypeError):
                found = classes["Series"](by)._p
                if len(found) != len(self._p):
                    raise
                self._add(found.reset_index(drop=True), None)

    def _label(self, label: Any) -> None:
        p = self._p
        if p.ndim == 2:
            try:
                known = label in p.columns
            except TypeError:
                known = False
            if known:
                self._add(p[label].reset_index(drop=True), label, label)
                return
        if label in p.index.names:
            self._level(label)
            return
        raise KeyError(label)
