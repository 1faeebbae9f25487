"""Index and its classes: a pandas Index without nulls on NumPy, with nulls in a masked array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from hundredfold.simulate.names import member_refuser

from ..options import get_option
from . import host
from .column import storage_of
from .construct import as_storage
from .delegate import no_default
from .dtypes import dtype as cudf_dtype
from .frame import SingleColumn, name_owner
from .guard import guarded_class
from .index_dates import add_dates
from .index_methods import IndexMethods
from .operators import Unary, add_operators
from .wrap import classes, index_of, normal_index, unwrap


def ensure_index(data: Any, nan_as_null: Any = no_default) -> pd.Index:
    """A pandas Index (in storage form) of any index-like."""
    if isinstance(data, Index):
        return data._p
    if isinstance(data, pd.Index):
        return normal_index(data)
    return Index(data)._p


@guarded_class
class Index(IndexMethods, SingleColumn, Unary):
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
            import warnings

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
        from .cast import cast

        strings = isinstance(array.dtype, pd.StringDtype) and len(array)
        array = cast(array, kind or np.dtype(f"{default[0]}8[us]" if strings and default[0] == "M" else default))
    return pd.Index(array, name=name)


# They build on Index.
from .index_kinds import CategoricalIndex, IntervalIndex, interval_range  # noqa: E402, F401

add_operators(Index, "Index", named=False)
add_dates(DatetimeIndex, durations=False)
add_dates(TimedeltaIndex, durations=True)
for _name, _class in list(globals().items()):
    if isinstance(_class, type) and issubclass(_class, Index):
        classes[_name] = _class
