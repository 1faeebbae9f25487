"""Series: one column with an index."""

from __future__ import annotations

import copy as copying
from typing import Any

import numpy as np
import pandas as pd

from hundredfold.simulate.names import member_refuser

from ..options import get_option
from . import device, host
from .column import storage_of
from .construct import as_storage
from .delegate import no_default
from .dtypes import dtype as cudf_dtype
from .frame import SingleColumn
from .guard import guarded_class
from .index import ensure_index
from .indexed import Indexed
from .operators import Unary, add_operators
from .series_methods import SeriesMethods
from .wrap import classes, normal_index, series_of


class Accessor:
    """``Series.str`` and its like: made on first use."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def __get__(self, instance: Any, owner: Any) -> Any:
        import importlib

        cls = getattr(importlib.import_module(f"cudf.core.accessors.{self._module}"), self._name)
        return cls if instance is None else cls(instance)


@guarded_class
class Series(SeriesMethods, Indexed, SingleColumn, Unary):
    """One column: ``Series(data, index, dtype, name, copy, nan_as_null)``."""

    __getattr__ = member_refuser("cudf.Series")

    def __init__(
        self,
        data: Any = None,
        index: Any = None,
        dtype: Any = None,
        name: Any = None,
        copy: bool = False,
        nan_as_null: Any = no_default,
    ) -> None:
        p, attrs = _make(data, index, dtype, name, nan_as_null)
        self._p = p
        if attrs:
            self._attrs = copying.deepcopy(attrs)
        device.account(p.array)

    @classmethod
    def _from_arrow(cls, array: Any, index: Any = None, name: Any = None) -> Any:
        """A Series of an Arrow array (no transfer is counted)."""
        index = None if index is None else ensure_index(index)
        return series_of(pd.Series(storage_of(array), index=index, name=name, copy=False))

    @classmethod
    def from_arrow(cls, array: Any) -> Any:
        """A Series of an Arrow array."""
        storage = as_storage(array, None, False)
        device.uploaded(device.size(storage))
        return series_of(pd.Series(storage, copy=False))

    def to_pandas(self, *, index: bool = True, nullable: bool = False, arrow_type: bool = False) -> pd.Series:
        """The same on the host; nulls become NaN unless ``nullable`` or ``arrow_type``."""
        if index is not True:
            return host.host_series(self._p, nullable, arrow_type, index=False)
        out = host.host_series(self._p, nullable, arrow_type)
        out.attrs = copying.deepcopy(self.attrs)
        return out

    @property
    def dtypes(self) -> Any:
        """The dtype."""
        return self.dtype

    @property
    def valid_count(self) -> int:
        """Number of values that are not null."""
        return len(self) - self.null_count

    @property
    def axes(self) -> list:
        """The index in a list."""
        return [self.index]

    @property
    def T(self) -> Any:
        """Itself."""
        return self

    def items(self) -> None:
        """Refused: cuDF does not iterate."""
        return self.__iter__()

    iteritems = items

    def __contains__(self, item: Any) -> bool:
        return item in self._p.index

    def __getitem__(self, key: Any) -> Any:
        from .indexing import series_getitem

        return series_getitem(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            self.iloc[key] = value
        else:
            self.loc[key] = value

    def __delitem__(self, key: Any) -> None:
        self._p = self._p.drop(key)

    def __repr__(self) -> str:
        return _repr(self)


def _make(data: Any, index: Any, dtype: Any, name: Any, nan_as_null: Any) -> tuple[pd.Series, Any]:
    if nan_as_null is no_default:
        nan_as_null = not get_option("mode.pandas_compatible")
    if data is None:
        data = {}
        if dtype is None and index is not None and len(index) > 0:
            dtype = np.dtype("float64")
    dtype = None if dtype is None else cudf_dtype(dtype)
    own, attrs = None, None
    if isinstance(data, (pd.Series, pd.Index, classes["Index"], Series)):
        name = data.name if name is None else name
        attrs = getattr(data, "attrs", None)
        array = as_storage(data, dtype, nan_as_null)
        if isinstance(data, Series):
            own = data._p.index
        elif isinstance(data, pd.Series):
            own = normal_index(data.index)
    elif isinstance(data, dict):
        if data:
            array = as_storage(list(data.values()), dtype, nan_as_null)
            own = ensure_index(list(data))
        else:
            array = as_storage([], dtype, nan_as_null)
            own = pd.RangeIndex(0)
    else:
        array = as_storage(data, dtype, nan_as_null, None if index is None else len(index))
    given = None if index is None else ensure_index(index)
    if own is not None:
        p = pd.Series(array, index=own, name=name, copy=False)
        if given is not None:
            if not len(own) and not len(array):
                from .column import dtype_of
                from .construct import nulls

                return pd.Series(nulls(len(given), dtype or dtype_of(array.dtype)), index=given, name=name), attrs
            p = p.reindex(given)
        return p, attrs
    if given is not None and len(given) != len(array):
        raise ValueError(f"Length of values ({len(array)}) does not match length of index ({len(given)})")
    return pd.Series(array, index=given, name=name, copy=False), attrs


def _repr(series: Series) -> str:
    p = series._p
    rows = pd.get_option("display.max_rows")
    shown = p
    if rows and len(p) > rows:
        half = rows // 2 + 1
        shown = pd.concat([p.iloc[:half], p.iloc[-half:]])
    if isinstance(p.dtype, pd.CategoricalDtype):
        text = shown.set_axis(host.printable_index(shown.index)).to_string(
            name=p.name, dtype=True, max_rows=rows, na_rep="<NA>"
        )
        lines = text.split("\n")
        start = next((i for i in range(len(lines) - 1, -1, -1) if lines[i].startswith("Categories")), len(lines) - 1)
        categories, lines = lines[start:], lines[:start]
    else:
        plain = pd.Series(host.printable(shown.array), index=host.printable_index(shown.index), name=p.name)
        lines, categories = repr(plain).split("\n"), []
    if len(lines) <= 1:
        parts = "\n".join(lines).split(",")
        parts[-1] = f" dtype: {series.dtype})"
        return ",".join(parts)
    if lines[-1].startswith("Name: "):
        last = f"Name: {p.name}" + (f", Length: {len(p)}" if len(p) > len(shown) else "") + ", "
        lines = [*lines[:-1], last]
    elif lines[-1].startswith("Length: "):
        lines = [*lines[:-1], f"Length: {len(p)}, "]
    else:
        lines = lines[:-1]
        lines[-1] += "\n"
    lines[-1] += f"dtype: {series.dtype}"
    return "\n".join([*lines, *categories])


for _name, _module, _class in (
    ("str", "string", "StringMethods"),
    ("dt", "datetime", "DatetimeProperties"),
    ("cat", "categorical", "CategoricalAccessor"),
    ("list", "lists", "ListMethods"),
    ("struct", "struct", "StructMethods"),
):
    setattr(Series, _name, Accessor(_module, _class))
add_operators(Series, "Series")
classes["Series"] = Series
