"""Indexes of categories and of intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from hundredfold.simulate.names import member_refuser

from . import device
from .construct import as_storage
from .delegate import no_default
from .dtypes import CategoricalDtype, IntervalDtype
from .dtypes import dtype as cudf_dtype
from .guard import guarded_class
from .index import Index
from .wrap import index_of, unwrap


@guarded_class
class CategoricalIndex(Index):
    """Labels of few different values: ``CategoricalIndex(data, categories, ordered, dtype, copy, name)``."""

    __getattr__ = member_refuser("cudf.CategoricalIndex")

    def __new__(
        cls,
        data: Any = None,
        categories: Any = None,
        ordered: Any = None,
        dtype: Any = None,
        copy: bool = False,
        name: Any = None,
        nan_as_null: Any = no_default,
    ) -> Any:
        name = getattr(data, "name", None) if name is None else name
        if isinstance(dtype, (pd.CategoricalDtype, CategoricalDtype)):
            if categories is not None or ordered is not None:
                raise ValueError("Cannot specify `categories` or `ordered` together with `dtype`.")
            kind = cudf_dtype(dtype)
        else:
            kind = CategoricalDtype(categories, bool(ordered) if ordered is not None else None)
            if isinstance(getattr(data, "dtype", None), (pd.CategoricalDtype, CategoricalDtype)) and categories is None:
                kind = None if ordered is None else CategoricalDtype(data.dtype.categories, ordered)
        array = as_storage(data if data is not None else [])
        from .cast import cast

        return index_of(pd.Index(cast(array, kind) if kind is not None else array, name=name))

    @classmethod
    def from_codes(cls, codes: Any, categories: Any, ordered: bool = False, name: Any = None) -> Any:
        """Labels of the places of their categories."""
        values = pd.Categorical.from_codes(np.asarray(unwrap(codes)), Index(categories)._p, ordered=bool(ordered))
        return index_of(pd.Index(values, name=name))

    @property
    def ordered(self) -> bool:
        """Whether the categories have an order."""
        return self._p.ordered

    @property
    def codes(self) -> Any:
        """The place of each value among the categories."""
        codes = np.asarray(self._p.codes)
        return Index(codes.astype(np.uint8) if len(self._p.categories) < 256 else codes.astype(np.uint32))

    @property
    def categories(self) -> Any:
        """The different values."""
        return index_of(self._p.categories)


def _category_method(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return index_of(getattr(self._p, name)(*unwrap(args), **unwrap(kwargs)))

    method.__name__ = name
    return method


for _name in ("add_categories", "as_ordered", "as_unordered", "remove_categories", "remove_unused_categories",
              "rename_categories", "reorder_categories", "set_categories"):  # fmt: skip
    setattr(CategoricalIndex, _name, _category_method(_name))


@guarded_class
class IntervalIndex(Index):
    """Intervals: ``IntervalIndex(data, closed, dtype, copy, name)``."""

    __getattr__ = member_refuser("cudf.IntervalIndex")

    def __new__(
        cls,
        data: Any = None,
        closed: Any = None,
        dtype: Any = None,
        copy: bool = False,
        name: Any = None,
        verify_integrity: bool = True,
        nan_as_null: Any = no_default,
    ) -> Any:
        name = getattr(data, "name", None) if name is None else name
        kind = None if dtype is None else IntervalDtype(dtype).to_pandas()
        values = data.to_pandas() if hasattr(data, "to_pandas") else data
        return index_of(pd.IntervalIndex(values, closed=closed, dtype=kind, name=name))

    @classmethod
    def from_breaks(cls, breaks: Any, closed: str = "right", name: Any = None, copy: bool = False, dtype: Any = None):
        """Intervals between neighbouring breaks."""
        if copy:
            breaks = breaks.copy()
        values = Index(breaks)._p if not isinstance(breaks, pd.Index) else breaks
        kind = None if dtype is None else IntervalDtype(dtype).to_pandas()
        return index_of(pd.IntervalIndex.from_breaks(values, closed or "right", name=name, dtype=kind))

    @classmethod
    def from_arrays(cls, left: Any, right: Any, closed: str = "right", name: Any = None, copy: bool = False,
                    dtype: Any = None) -> Any:  # fmt: skip
        """Intervals of their left and right ends."""
        return index_of(pd.IntervalIndex.from_arrays(Index(left)._p, Index(right)._p, closed, name=name))

    @classmethod
    def from_tuples(cls, data: Any, closed: str = "right", name: Any = None, dtype: Any = None) -> Any:
        """Intervals of pairs."""
        return index_of(pd.IntervalIndex.from_tuples(data, closed, name=name))

    def set_closed(self, closed: str) -> Any:
        """The same intervals closed elsewhere."""
        return index_of(self._p.set_closed(closed))

    @property
    def is_empty(self) -> Any:
        """Which intervals hold no point, on the device."""

        return device.as_cupy(self._p.is_empty)

    closed_left = property(lambda self: self._p.closed_left, doc="Whether the left ends belong to them.")
    closed_right = property(lambda self: self._p.closed_right, doc="Whether the right ends belong to them.")
    is_overlapping = property(lambda self: bool(self._p.is_overlapping), doc="Whether two of them share a point.")

    @property
    def is_non_overlapping_monotonic(self) -> bool:
        """Whether the intervals ascend or descend without touching."""
        return bool(self._p.is_non_overlapping_monotonic)

    @property
    def closed(self) -> str:
        """Which ends belong to the intervals."""
        return self._p.closed

    left = property(lambda self: index_of(self._p.left), doc="Left ends.")
    right = property(lambda self: index_of(self._p.right), doc="Right ends.")
    mid = property(lambda self: index_of(self._p.mid), doc="Middles.")
    length = property(lambda self: index_of(self._p.length), doc="Lengths.")


def interval_range(
    start: Any = None, end: Any = None, periods: Any = None, freq: Any = None, name: Any = None, closed: str = "right"
) -> Any:
    """Equal intervals next to each other."""
    parts = [start, end, periods]
    if sum(x is not None for x in (*parts, freq)) not in (3,) and not (
        freq is None and sum(x is not None for x in parts) == 2
    ):
        raise ValueError("Of the four parameters: start, end, periods, and freq, exactly three must be specified")
    return index_of(pd.interval_range(start, end, periods, freq, name, closed))
