"""Index and its classes: a pandas Index without nulls on NumPy, with nulls in a masked array."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.api.extensions import no_default
from pandas.core.arrays.masked import BaseMaskedArray

from gpusim.importing.names import member_refuser

from ..options import get_option
from . import device, host
from .cast import cast
from .column import arrow_of, isnull, storage_of
from .construct import as_storage
from .dtypes import CategoricalDtype, IntervalDtype
from .dtypes import dtype as cudf_dtype
from .frame import SingleColumn, _missing, name_owner
from .guard import guarded_class
from .index_dates import add_dates
from .operators import Unary, add_operators
from .reduce import reduce
from .wrap import classes, frame_of, index_of, normal_frame, normal_index, series_of, unwrap


def ensure_index(data: Any, nan_as_null: Any = no_default) -> pd.Index:
    """A pandas Index (in storage form) of any index-like."""
    if isinstance(data, Index):
        return data._p
    if isinstance(data, pd.Index):
        return normal_index(data)
    return Index(data)._p


def _device(values: Any) -> Any:
    return device.as_cupy(np.asarray(values))


@guarded_class
class Index(SingleColumn, Unary):
    """An immutable sequence of labels: ``Index(data, dtype, copy, name, tupleize_cols, nan_as_null)``."""

    __getattr__ = member_refuser("cudf.Index")

    def __new__(
        cls,
        data: Any = None,
        dtype: Any = None,
        copy: bool = False,
        name: Any = no_default,
        tupleize_cols: bool = True,
        nan_as_null: Any = no_default,
    ) -> Any:
        if cls is not Index:
            return object.__new__(cls)
        if not tupleize_cols:
            raise NotImplementedError("tupleize_cols is currently not supported.")
        return index_of(_make(data, dtype, name, nan_as_null))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    @classmethod
    def _from_arrow(cls, array: Any, name: Any = None) -> Any:
        """An Index of an Arrow array (no transfer is counted)."""
        return index_of(pd.Index(storage_of(array), name=name))

    @classmethod
    def from_arrow(cls, obj: Any) -> Any:
        """An Index of an Arrow array."""
        return index_of(pd.Index(as_storage(obj, None, False)))

    def to_pandas(self, *, nullable: bool = False, arrow_type: bool = False) -> pd.Index:
        """The same on the host."""
        return host.host_index(self._p, nullable, arrow_type)

    def __repr__(self) -> str:
        return _repr(self)

    @property
    def names(self) -> Any:
        """Its name, as a list of one."""
        return self._p.names

    @names.setter
    def names(self, values: Any) -> None:
        if not pd.api.types.is_list_like(values):
            raise ValueError("Names must be a list-like")
        if len(values) != self.nlevels:
            raise ValueError(f"Length of new names must be 1, got {len(values)}")
        self._p = self._p.set_names(list(values))
        name_owner(self)

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

        names = {} if name is no_default else {"name": name}
        return frame_of(normal_frame(self._p.to_frame(index=index, **names)))

    def memory_usage(self, deep: bool = False) -> int:
        """Bytes on the device; a RangeIndex has none."""
        if isinstance(self._p, pd.RangeIndex):
            return 0
        if isinstance(self._p, pd.MultiIndex):
            return sum(index_of(self._p.get_level_values(i)).memory_usage() for i in range(self._p.nlevels))
        return device_bytes(self._storage)

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


def _make(data: Any, dtype: Any, name: Any, nan_as_null: Any) -> pd.Index:
    nan_as_null = not get_option("mode.pandas_compatible") if nan_as_null is no_default else nan_as_null
    if data is None:
        raise TypeError("Index() missing 1 required positional argument: 'data'")
    if name is no_default:
        name = getattr(data, "name", None)
    kind = None if dtype is None else cudf_dtype(dtype)
    if isinstance(data, (pd.MultiIndex, classes["MultiIndex"])):
        return unwrap(data).copy()
    if isinstance(data, range) or (isinstance(data, (pd.RangeIndex, classes["RangeIndex"])) and kind is None):
        data = unwrap(data) if not isinstance(data, range) else pd.RangeIndex(data)
        if kind is None:
            return data.rename(name)
    if isinstance(data, (list, tuple)) and len(data) and all(isinstance(x, tuple) for x in data):
        return pd.MultiIndex.from_tuples(data, names=name if isinstance(name, list) else None)
    if isinstance(data, (list, tuple)) and not len(data) and kind is None:
        return pd.Index([], dtype=object, name=name)
    if not pd.api.types.is_list_like(data) and not hasattr(data, "__array_interface__"):
        raise TypeError(f"{type(data).__name__} must be an iterable or sequence.")
    array = as_storage(data, kind, nan_as_null)
    return pd.Index(array, name=name)


def _repr(index: Any) -> str:
    p = host.printable_index(index._p)
    if isinstance(index._p, pd.RangeIndex):
        return repr(index._p)
    lines = repr(p).split("\n")
    text = "\n".join(lines)
    if isinstance(p.dtype, (pd.CategoricalDtype, pd.IntervalDtype)) or p is index._p and p.dtype.kind in "Mm":
        return text.replace(", freq=None", "") if p.dtype.kind in "Mm" else text
    if p is not index._p and p.dtype != index._p.dtype:
        # Nulls were printed as strings: the quotes go, the real dtype comes back.
        head = type(index).__name__
        quoted = index._p.dtype == p.dtype
        text = text if quoted else text.replace("'", "")
        text = text[text.index("(") :]
        cut = text.rindex("dtype=")
        tail = text[cut:].split(",", 1)
        return f"{head}{text[:cut]}dtype='{index.dtype}'{',' + tail[1] if len(tail) > 1 else ')'}"
    return text


@guarded_class
class RangeIndex(Index):
    """Integers from ``start`` to before ``stop`` in steps of ``step``, without memory of their own."""

    __getattr__ = member_refuser("cudf.RangeIndex")

    def __new__(
        cls,
        start: Any = None,
        stop: Any = None,
        step: Any = None,
        dtype: Any = None,
        copy: bool = False,
        name: Any = None,
        nan_as_null: Any = no_default,
    ) -> Any:
        if not (dtype is None or cudf_dtype(dtype).kind == "i"):
            raise ValueError(
                "Only dtype int64 is supported"
                if cudf_dtype(dtype).kind not in "iu"
                else "dtype must be a signed integer type"
            )
        if isinstance(start, range):
            start, stop, step = start.start, start.stop, start.step
        elif isinstance(start, (RangeIndex, pd.RangeIndex)):
            name = name or start.name
            start, stop, step = start.start, start.stop, start.step
        if stop is None and start is None:
            raise TypeError("RangeIndex(...) must be called with integers")
        step = 1 if step is None else step
        return index_of(pd.RangeIndex(start, stop, step, name=name))

    start = property(lambda self: self._p.start, doc="First value.")
    stop = property(lambda self: self._p.stop, doc="End, excluded.")
    step = property(lambda self: self._p.step, doc="Distance of the values.")

    @property
    def dtype(self) -> np.dtype:
        """int64, or what the option ``default_integer_bitwidth`` says."""
        width = get_option("default_integer_bitwidth") or 64
        return np.dtype(f"i{width // 8}")


@guarded_class
class DatetimeIndex(Index):
    """Points in time: ``DatetimeIndex(data, freq, tz, …, dtype, copy, name)``."""

    __getattr__ = member_refuser("cudf.DatetimeIndex")

    def __new__(
        cls,
        data: Any = None,
        freq: Any = None,
        tz: Any = None,
        normalize: bool = False,
        closed: Any = None,
        ambiguous: str = "raise",
        dayfirst: bool = False,
        yearfirst: bool = False,
        dtype: Any = None,
        copy: bool = False,
        name: Any = None,
        nan_as_null: Any = no_default,
    ) -> Any:
        for value, what in ((tz, "tz"), (closed, "closed")):
            if value is not None:
                raise NotImplementedError(f"{what} is not yet supported")
        if normalize is not False:
            raise NotImplementedError("normalize == True is not yet supported")
        if ambiguous != "raise":
            raise NotImplementedError("ambiguous is not yet supported")
        if dayfirst or yearfirst:
            raise NotImplementedError(f"{'dayfirst' if dayfirst else 'yearfirst'} == True is not yet supported")
        found = _time_index(data, dtype, name, "M8[s]")
        if freq is not None:
            found = pd.DatetimeIndex(found, freq=getattr(freq, "_host", freq))
        return index_of(found)


@guarded_class
class TimedeltaIndex(Index):
    """Lengths of time."""

    __getattr__ = member_refuser("cudf.TimedeltaIndex")

    def __new__(
        cls,
        data: Any = None,
        unit: Any = None,
        freq: Any = None,
        closed: Any = None,
        dtype: Any = "timedelta64[ns]",
        copy: bool = False,
        name: Any = None,
        nan_as_null: Any = no_default,
    ) -> Any:
        if freq is not None:
            raise NotImplementedError("freq is not yet supported")
        if closed is not None:
            warn = "The 'closed' parameter is deprecated and will be removed in a future version."

            warnings.warn(warn, FutureWarning, stacklevel=2)
            raise NotImplementedError("closed is not yet supported")
        return index_of(_time_index(data, dtype, name, "m8[ns]"))


def _time_index(data: Any, dtype: Any, name: Any, default: str) -> pd.Index:
    name = getattr(data, "name", None) if name is None else name
    kind = None if dtype is None else cudf_dtype(dtype)
    if kind is not None and getattr(kind, "kind", "") != default[0]:
        raise TypeError("dtype must be a datetime type" if default[0] == "M" else "dtype must be a timedelta type")
    array = as_storage(data if data is not None else [], None if kind is None or default[0] == "m" else kind)
    if array.dtype.kind != default[0] or kind is not None:
        strings = isinstance(array.dtype, pd.StringDtype) and len(array)
        array = cast(array, kind or np.dtype(f"{default[0]}8[us]" if strings and default[0] == "M" else default))
    return pd.Index(array, name=name)


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


add_operators(Index, "Index", named=False)


add_dates(DatetimeIndex, durations=False)


add_dates(TimedeltaIndex, durations=True)


for _name, _class in list(globals().items()):
    if isinstance(_class, type) and issubclass(_class, Index):
        classes[_name] = _class


def device_bytes(array: Any) -> int:
    """Bytes of a column on the device: the values, and a bit for each row where there are nulls."""

    null = isnull(array)
    extra = ((len(array) + 7) // 8 + 63) // 64 * 64 if null.any() else 0
    if isinstance(array, BaseMaskedArray):
        return array._data.nbytes + extra
    if isinstance(array, pd.Categorical):
        return array.codes.nbytes + device_bytes(index_of(array.categories)._storage) + extra
    if array.dtype.kind in "Mm":
        return len(array) * 8 + extra
    return _nested_bytes(arrow_of(array))


def _nested_bytes(values: Any) -> int:
    """Bytes of a column of strings, lists, structs or decimals: libcudf's offsets are 32 bits wide."""

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
