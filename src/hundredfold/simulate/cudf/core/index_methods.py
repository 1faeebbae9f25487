"""Methods of every Index."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from . import device, host
from .cast import cast
from .column import isnull
from .delegate import no_default
from .dtypes import dtype as cudf_dtype
from .frame import _missing
from .guard import guarded_class
from .reduce import reduce
from .wrap import classes, frame_of, index_of, series_of, unwrap


def _device(values: Any) -> Any:

    return device.as_cupy(np.asarray(values))


@guarded_class
class IndexMethods:
    """What every Index can do."""

    @property
    def nlevels(self) -> int:
        """Number of levels."""
        return self._p.nlevels

    @property
    def T(self) -> Any:
        """Itself."""
        return self

    def transpose(self) -> Any:
        """Itself."""
        return self

    @property
    def has_duplicates(self) -> bool:
        """Whether a label stands there twice."""
        return not self._p.is_unique

    @property
    def is_unique(self) -> bool:
        """Whether no label stands there twice."""
        return bool(self._p.is_unique)

    @property
    def is_monotonic_increasing(self) -> bool:
        """Whether the labels ascend."""
        return bool(self._p.is_monotonic_increasing)

    @property
    def is_monotonic_decreasing(self) -> bool:
        """Whether the labels descend."""
        return bool(self._p.is_monotonic_decreasing)

    @property
    def inferred_type(self) -> str:
        """pandas' word for the kind of labels."""
        return self._p.inferred_type

    @property
    def str(self) -> Any:
        """String methods."""
        from .accessors.string import StringMethods

        return StringMethods(self)

    def __getitem__(self, key: Any) -> Any:
        key = unwrap(key)
        if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
            if isinstance(self._p, (pd.MultiIndex, pd.RangeIndex)):
                return self._p[key]
            n = len(self._p)
            if not -n <= key < n:
                raise IndexError("single positional indexer is out-of-bounds")
            return host.element(self._storage, key % n)
        if isinstance(key, pd.Series) and pd.api.types.is_bool_dtype(key.dtype):
            key = key.fillna(False).to_numpy(dtype=bool)  # a null selects nothing
        if isinstance(key, (list, pd.Series, pd.Index)):
            key = np.asarray(key)
            key = key.astype(int) if not len(key) else key
        return index_of(self._p[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(f"'{type(self).__name__}' object does not support item assignment")

    def __contains__(self, item: Any) -> bool:
        return item in self._p

    def isna(self) -> Any:
        """Which labels are null."""
        return _device(pd.isna(self._p) if isinstance(self._p, pd.MultiIndex) else _missing(self._storage))

    isnull = isna

    def notna(self) -> Any:
        """Which labels are not null."""
        return _device(~self.isna().get())

    notnull = notna

    def copy(self, name: Any = None, deep: bool = False) -> Any:
        """A copy, with another name if one is given."""
        p = self._p.copy(deep=deep)
        return index_of(p if name is None else p.rename(name))

    def rename(self, name: Any, inplace: bool = False) -> Any:
        """The same under another name."""
        if inplace:
            self._p = self._p.rename(name)
            return None
        return index_of(self._p.rename(name))

    def set_names(self, names: Any, level: Any = None, inplace: bool = False) -> Any:
        """The same with other names of its levels."""
        p = self._p.set_names(names, level=level)
        if inplace:
            self._p = p
            return None
        return index_of(p)

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """The same in another dtype."""
        return index_of(pd.Index(cast(self._storage, cudf_dtype(dtype)), name=self._p.name))

    def append(self, other: Any) -> Any:
        """The labels of both, one after the other."""
        others = other if isinstance(other, list) else [other]
        return index_of(self._p.append([classes["Index"](o)._p for o in others]))

    def equals(self, other: Any) -> bool:
        """Whether the labels and their types are the same."""
        if not isinstance(other, classes["Index"]):
            return False
        return bool(self._p.equals(other._p))

    def get_level_values(self, level: Any) -> Any:
        """The labels of one level."""
        return index_of(self._p.get_level_values(level))

    def get_loc(self, key: Any) -> Any:
        """Where a label stands: an int, a slice or a mask on the device."""
        found = self._p.get_loc(key)
        return _device(found) if isinstance(found, np.ndarray) else found

    def get_indexer(self, target: Any, method: Any = None, limit: Any = None, tolerance: Any = None) -> Any:
        """Places of other labels, −1 for those that are not there."""
        if isinstance(target, (list, tuple)) or hasattr(target, "__array__"):
            target = classes["Index"](target)
        return _device(self._p.get_indexer(unwrap(target), method, limit, tolerance).astype(np.int32))

    def get_slice_bound(self, label: Any, side: str) -> int:
        """Where a slice that ends at a label starts or ends."""
        return int(self._p.get_slice_bound(label, side))

    def find_label_range(self, loc: slice) -> slice:
        """Positions of a slice of labels."""
        found = self._p.slice_indexer(loc.start, loc.stop, loc.step)
        return slice(found.start, found.stop, 1 if found.step is None else found.step)

    def isin(self, values: Any, level: Any = None) -> Any:
        """Which labels are among some values, as a mask on the device."""
        if pd.api.types.is_scalar(values):
            raise TypeError(
                f"only list-like objects are allowed to be passed to isin(), you passed a {type(values).__name__}"
            )
        return _device(self._p.isin(unwrap(values), level=level))

    def unique(self, level: Any = None) -> Any:
        """The different labels."""
        return index_of(self._p.unique(level=level))

    def nunique(self, dropna: bool = True) -> int:
        """How many different labels there are."""
        return int(self._p.nunique(dropna=dropna))

    def duplicated(self, keep: Any = "first") -> Any:
        """Which labels stand there before (or after), as a mask on the device."""
        return _device(self._p.duplicated(keep=keep))

    def drop_duplicates(self, keep: Any = "first", nulls_are_equal: bool = True) -> Any:
        """One of each label."""
        return index_of(self._p.drop_duplicates(keep=keep))

    def dropna(self, how: str = "any") -> Any:
        """The labels that are not null."""
        if how not in {"any", "all"}:
            raise ValueError(f"{how=} must be 'any' or 'all'")
        return index_of(self._p.dropna(how=how))

    def fillna(self, value: Any) -> Any:
        """Nulls replaced by a value."""
        from .missing import fill_array

        if self._p.dtype.kind in "Mm" and isinstance(value, str):
            value = pd.Timestamp(value) if self._p.dtype.kind == "M" else pd.Timedelta(value)
        return index_of(pd.Index(fill_array(self._storage, value), name=self._p.name))

    def factorize(self, sort: bool = False, use_na_sentinel: bool = True) -> Any:
        """Codes (on the device) and the different labels."""
        codes, uniques = self._p.factorize(sort=sort, use_na_sentinel=use_na_sentinel)
        return _device(codes), index_of(uniques)

    def argsort(self, axis: Any = 0, kind: str = "quicksort", order: Any = None, ascending: bool = True,
                na_position: str = "last") -> Any:  # fmt: skip
        """Positions that sort the labels, on the device."""
        frame = (
            self._p.to_frame(index=False) if isinstance(self._p, pd.MultiIndex) else pd.DataFrame({0: self._storage})
        )
        order_ = frame.sort_values(
            list(frame.columns), ascending=ascending, na_position=na_position, kind="stable"
        ).index
        return _device(np.asarray(order_).astype(np.int32))

    def sort_values(self, return_indexer: bool = False, ascending: bool = True, na_position: str = "last",
                    key: Any = None) -> Any:  # fmt: skip
        """The labels in order."""
        if key is not None:
            raise NotImplementedError("key parameter is not yet implemented.")
        if na_position not in ("first", "last"):
            raise ValueError(f"invalid na_position: {na_position}")
        order = self.argsort(ascending=ascending, na_position=na_position)
        found = index_of(self._p.take(order.get()))
        return (found, order) if return_indexer else found

    def searchsorted(self, values: Any, side: str = "left", sorter: Any = None, ascending: bool = True,
                     na_position: str = "last") -> Any:  # fmt: skip
        """Where values would have to be put in to keep the order."""
        return self.to_series().searchsorted(values, side, sorter, ascending, na_position)

    def take(self, indices: Any, axis: Any = 0, allow_fill: bool = True, fill_value: Any = None) -> Any:
        """Labels by position."""
        if axis not in {0, "index"}:
            raise NotImplementedError("Gather along column axis is not yet supported.")
        if not allow_fill or fill_value is not None:
            raise NotImplementedError("`allow_fill` and `fill_value` are unsupported.")
        return index_of(self._p.take(np.asarray(unwrap(indices))))

    def repeat(self, repeats: Any, axis: Any = None) -> Any:
        """Each label several times."""
        return index_of(self._p.repeat(unwrap(repeats)))

    def shift(self, periods: int = 1, freq: Any = None) -> Any:
        """Not there for most indexes."""
        raise NotImplementedError("shift is not yet implemented.")

    def where(self, cond: Any, other: Any = None, inplace: bool = False) -> Any:
        """Labels where a condition holds, others elsewhere."""
        found = self.to_series().reset_index(drop=True).where(cond, other)
        return index_of(pd.Index(found._p.array, name=self._p.name))

    def to_series(self, index: Any = None, name: Any = None) -> Any:
        """A Series of the labels, with itself as index unless another is given."""
        p = pd.Series(self._storage, index=self._p if index is None else unwrap(index),
                      name=self._p.name if name is None else name, copy=False)  # fmt: skip
        return series_of(p)

    def to_frame(self, index: bool = True, name: Any = no_default) -> Any:
        """A DataFrame of the labels."""
        from .wrap import normal_frame

        names = {} if name is no_default else {"name": name}
        return frame_of(normal_frame(self._p.to_frame(index=index, **names)))

    def memory_usage(self, deep: bool = False) -> int:
        """Bytes on the device; a RangeIndex has none."""
        if isinstance(self._p, pd.RangeIndex):
            return 0
        if isinstance(self._p, pd.MultiIndex):
            return sum(index_of(self._p.get_level_values(i)).memory_usage() for i in range(self._p.nlevels))
        return _bytes(self._storage)

    def _set_op(self, name: str, other: Any, sort: Any) -> Any:
        if isinstance(other, (list, np.ndarray, pd.Index, classes["Series"])):
            other = classes["Index"](other)
        if sort not in {None, False, True}:
            raise ValueError(f"The 'sort' keyword only takes the values of [None, False, True]; {sort} was passed.")
        p = self._p
        return index_of(getattr(p, name)(other._p, sort=None if sort is True and name == "union" else sort))

    def union(self, other: Any, sort: Any = None) -> Any:
        """Labels of either."""
        return self._set_op("union", other, sort)

    def intersection(self, other: Any, sort: Any = False) -> Any:
        """Labels of both."""
        return self._set_op("intersection", other, sort)

    def difference(self, other: Any, sort: Any = None) -> Any:
        """Labels that the other does not have."""
        if not pd.api.types.is_list_like(unwrap(other)):
            raise TypeError("Input must be Index or array-like")
        return self._set_op("difference", other, sort)

    def join(self, other: Any, how: str = "left", level: Any = None, return_indexers: bool = False,
             sort: bool = False) -> Any:  # fmt: skip
        """Labels as a join of two indexes gives them."""
        if return_indexers is not False:
            raise NotImplementedError("return_indexers is not implemented")
        return index_of(self._p.join(unwrap(other), how=how, level=level, sort=sort))

    def min(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **kwargs: Any) -> Any:
        """Smallest label."""
        return reduce("min", self._storage, skipna)

    def max(self, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **kwargs: Any) -> Any:
        """Largest label."""
        return reduce("max", self._storage, skipna)

    def any(self) -> bool:
        """Whether a label is true."""
        return bool(reduce("any", self._storage))

    def all(self, axis: Any = 0, skipna: bool = True, **kwargs: Any) -> bool:
        """Whether all labels are true."""
        return bool(reduce("all", self._storage, skipna))


def _bytes(array: Any) -> int:
    """Bytes of a column on the device: the values, and a bit for each row where there are nulls."""
    from pandas.core.arrays.masked import BaseMaskedArray

    from .column import arrow_of

    null = isnull(array)
    extra = ((len(array) + 7) // 8 + 63) // 64 * 64 if null.any() else 0
    if isinstance(array, BaseMaskedArray):
        return array._data.nbytes + extra
    if isinstance(array, pd.Categorical):
        return array.codes.nbytes + _bytes(index_of(array.categories)._storage) + extra
    if array.dtype.kind in "Mm":
        return len(array) * 8 + extra
    return _nested_bytes(arrow_of(array))


def _nested_bytes(values: Any) -> int:
    """Bytes of a column of strings, lists, structs or decimals: libcudf's offsets are 32 bits wide."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, n = values.type, len(values)
    own = ((n + 7) // 8 + 63) // 64 * 64 if values.null_count else 0
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return own + int(pc.sum(pc.binary_length(values)).as_py() or 0) + (4 * (n + 1) if n else 0)
    if pa.types.is_list(kind):
        return own + 4 * (n + 1) + _nested_bytes(values.flatten())
    if pa.types.is_struct(kind):
        return own + sum(_nested_bytes(values.field(i)) for i in range(kind.num_fields))
    if pa.types.is_null(kind):
        return 0
    return own + n * max(getattr(kind, "bit_width", 8), 8) // 8
