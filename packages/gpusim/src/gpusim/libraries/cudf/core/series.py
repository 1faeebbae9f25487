"""Series: one column with an index."""

from __future__ import annotations

import copy as copying
import importlib
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import no_default
from pandas.core.arrays.masked import BaseMaskedArray

from gpusim.importing.names import member_refuser

from ..options import get_option
from . import device, host
from .binary import family
from .cast import cast
from .column import dtype_of, isnull, masked, normal, storage_of
from .construct import as_storage, nulls
from .dtypes import dtype as cudf_dtype
from .frame import SingleColumn
from .guard import Later, guarded_class
from .index import ensure_index
from .indexed import Indexed
from .indexing import series_getitem
from .operators import Unary, add_operators
from .order import shuffled
from .reduce import quantile, reduce
from .wrap import classes, frame_of, make_frame, normal_index, series_of, unwrap, wrap


class Accessor:
    """``Series.str`` and its like: made on first use."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def __get__(self, instance: Any, owner: Any) -> Any:
        cls = getattr(importlib.import_module(f"cudf.core.accessors.{self._module}"), self._name)
        return cls if instance is None else cls(instance)


def reduction(op: str, name: str) -> Any:
    """A method that reduces the column to a scalar."""

    def method(self: Any, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **kwargs: Any) -> Any:
        if axis not in (None, 0, "index"):
            raise NotImplementedError("axis parameter is not implemented yet")
        if numeric_only and self.dtype.kind not in "iufb":
            raise TypeError(f"Series.{op} does not allow numeric_only={numeric_only} with non-numeric dtypes.")
        array = self._storage
        device.count(f"cudf_reduce_{op}", array.nbytes, 8, reads=array, writes=())  # the number is the host's
        kwargs = {key: value for key, value in kwargs.items() if key in ("ddof", "min_count")}
        return reduce(op, array, skipna, **kwargs)

    method.__name__ = name
    method.__doc__ = f"Reduce by {op}; nulls are left out unless ``skipna=False``."
    return method


@guarded_class
class Series(Indexed, SingleColumn, Unary):
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
        self._p = p = p.copy() if copy and hasattr(data, "__cuda_array_interface__") else p
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
        device.uploaded(device.size(storage), writes=storage)
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

    sum = reduction("sum", "sum")
    min = reduction("min", "min")
    max = reduction("max", "max")
    mean = reduction("mean", "mean")
    median = reduction("median", "median")
    skew = reduction("skew", "skew")
    kurt = kurtosis = reduction("kurtosis", "kurtosis")
    prod = product = reduction("product", "product")

    def std(self, axis: Any = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False, **kwargs: Any) -> Any:
        """Standard deviation."""
        return reduce("std", self._storage, skipna, ddof=ddof)

    def var(self, axis: Any = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False, **kwargs: Any) -> Any:
        """Variance."""
        return reduce("var", self._storage, skipna, ddof=ddof)

    def all(self, axis: Any = 0, bool_only: Any = None, skipna: bool = True, **kwargs: Any) -> Any:
        """Whether all values are true."""
        if bool_only not in (None, True):
            raise NotImplementedError("The bool_only parameter is not supported for Series.")
        return reduce("all", self._storage, skipna)

    def any(self, axis: Any = 0, bool_only: Any = None, skipna: bool = True, **kwargs: Any) -> Any:
        """Whether a value is true."""
        if bool_only not in (None, True):
            raise NotImplementedError("The bool_only parameter is not supported for Series.")
        return reduce("any", self._storage, skipna)

    def count(self) -> int:
        """Number of values that are neither null nor NaN."""
        return int(self.notna()._p.sum())

    def nunique(self, dropna: bool = True) -> int:
        """How many different values there are."""
        array = self._storage
        n = int(pd.Series(array).nunique(dropna=True))
        return n if dropna or not isnull(array).any() else n + 1

    def unique(self) -> Any:
        """The different values as a Series, in the order of their first appearance."""
        found = pd.Series(self._storage).unique()
        p = pd.Series(normal(found, False), name=self.name)
        return series_of(p)

    def mode(self, dropna: bool = True) -> Any:
        """The most frequent values."""
        return series_of(pd.Series(normal(self._p.mode(dropna=dropna).array), name=self.name))

    def value_counts(self, normalize: bool = False, sort: bool = True, ascending: bool = False, bins: Any = None,
                     dropna: bool = True) -> Any:  # fmt: skip
        """How often each value occurs; the order of equally frequent ones is not defined."""
        p = self._p
        name = "proportion" if normalize else "count"
        if bins is not None:
            host_ = pd.Series(host.to_host(p.array))
            found = host_.value_counts(normalize, sort, ascending, bins, dropna)
            return series_of(pd.Series(normal(found.array), index=found.index, name=name))
        counts = pd.Series(p.array).value_counts(sort=False, dropna=dropna)
        counts = counts.iloc[shuffled(len(counts))]
        if sort:
            counts = counts.sort_values(ascending=ascending, kind="stable")
        values = masked(np.asarray(counts, dtype=np.int64))
        if normalize:
            values = masked(values._data / max(values._data.sum(), 1))
        index = counts.index.rename(p.name)
        return series_of(pd.Series(values, index=index, name=name))

    def quantile(
        self, q: Any = 0.5, interpolation: str = "linear", exact: bool = True, quant_index: bool = True
    ) -> Any:
        """Quantiles; a scalar for a scalar ``q``."""
        points = np.asarray(unwrap(q), dtype=float)
        array = self._storage
        found = quantile(array, np.atleast_1d(points), interpolation, exact)
        if points.ndim == 0:
            if not len(array[~isnull(array)]):
                return np.nan if array.dtype.kind not in "Mm" else pd.NaT
            value = found[0]
            return pd.Series(found)[0] if found.dtype.kind in "Mm" else value
        if found.dtype.kind in "iu" and isinstance(array, BaseMaskedArray):
            found = found.astype(array._data.dtype)
        index = pd.Index(points, dtype="float64") if quant_index else None
        return series_of(pd.Series(normal(found), index=index, name=self.name))

    def astype(self, dtype: Any, copy: Any = None, errors: str = "raise") -> Any:
        """The same in another dtype."""
        if errors not in ("raise", "ignore"):
            raise ValueError("invalid error value specified")
        if isinstance(dtype, dict):
            if len(dtype) > 1 or self.name not in dtype:
                raise KeyError("Only the Series name can be used for the key in Series dtype mappings.")
            dtype = dtype[self.name]
        try:
            return series_of(pd.Series(cast(self._storage, cudf_dtype(dtype)), index=self._p.index, name=self.name))
        except Exception:
            if errors == "ignore":
                return self.copy()
            raise

    def to_frame(self, name: Any = no_default) -> Any:
        """A DataFrame of this one column."""
        label = (0 if self.name is None else self.name) if name is no_default else name

        return frame_of(make_frame({label: self._p.array}, self._p.index))

    def to_dict(self, into: type = dict) -> dict:
        """Labels and values as a dict on the host."""
        return self.to_pandas().to_dict(into=into)

    def rename(self, index: Any = None, axis: Any = None, copy: bool = True, inplace: bool = False, level: Any = None,
               errors: str = "ignore") -> Any:  # fmt: skip
        """The same under another name; cuDF cannot rename labels of rows here."""
        if inplace is not False:
            raise NotImplementedError("inplace is currently not supported.")
        if level is not None:
            raise NotImplementedError("level is currently not supported.")
        if not (pd.api.types.is_scalar(index) or isinstance(index, tuple)):
            raise NotImplementedError(".rename does not currently support relabeling the index.")
        return series_of(self._p.rename(index))

    corr = Later("cudf.core.linear", "correlation")

    def cov(self, other: Any, min_periods: Any = None, ddof: Any = None) -> Any:
        """Covariance with another Series."""
        if min_periods is not None:
            raise NotImplementedError("min_periods parameter is not implemented yet")
        from .linear import covariance

        return covariance(self, other)

    def autocorr(self, lag: int = 1) -> Any:
        """Correlation with itself, shifted."""
        return self.corr(self.shift(lag))

    def searchsorted(self, values: Any, side: str = "left", sorter: Any = None, ascending: bool = True,
                     na_position: str = "last") -> Any:  # fmt: skip
        """Where values would have to be put in to keep the order; a scalar for a scalar."""

        if sorter is not None:
            raise NotImplementedError("sorter is currently not supported.")
        if na_position not in ("first", "last"):
            raise ValueError(f"invalid na_position: {na_position}")
        single = pd.api.types.is_scalar(values)

        needles = as_storage([values] if single else values)
        keys = pd.Series(self._storage)
        if family(keys.array) != family(needles) and not {family(keys.array), family(needles)} <= {"M", "m", "text"}:
            raise ValueError(f"Mismatch of dtypes: {self.dtype} and {dtype_of(needles.dtype)}")
        valid = np.asarray(host.to_host(keys.dropna().array))
        if not ascending:
            valid = valid[::-1]
        points = np.asarray(host.to_host(needles))
        side_ = side if ascending else {"left": "right", "right": "left"}[side]
        found = np.searchsorted(valid, points, side_)
        found = found if ascending else len(valid) - found
        found = found + (int(keys.isna().sum()) if na_position == "first" else 0)
        found = found.astype(np.int32)
        return found[0] if single else device.as_cupy(found)

    def explode(self, ignore_index: bool = False) -> Any:
        """One row for each element of a list."""
        if family(self._storage) != "list":
            data = self.copy()
            return data.reset_index(drop=True) if ignore_index else data
        from .reshape import explode_frame

        label = 0 if self.name is None else self.name
        out = explode_frame(self.to_frame(label)._p, label, ignore_index)
        return series_of(out[label].rename(self.name))

    def between(self, left: Any, right: Any, inclusive: str = "both") -> Any:
        """Which values lie between two bounds."""
        if inclusive not in ("both", "neither", "left", "right"):
            raise ValueError("Inclusive has to be either string of 'both', 'left', 'right', or 'neither'.")
        low = self >= left if inclusive in ("both", "left") else self > left
        high = self <= right if inclusive in ("both", "right") else self < right
        return low & high

    def isin(self, values: Any) -> Any:
        """Which values are among some others."""
        if pd.api.types.is_scalar(values):
            raise TypeError(
                f"only list-like objects are allowed to be passed to isin(), you passed a {type(values).__name__}"
            )
        from .replace import isin_array

        return series_of(pd.Series(isin_array(self._storage, values), index=self._p.index, name=self.name))

    def update(self, other: Any) -> None:
        """Take over another Series' values that are not null."""
        other = other if isinstance(other, classes["Series"]) else classes["Series"](other)
        if not self._p.index.equals(other._p.index):
            other = other.reindex(self.index)
        self._p = self.where(other.isna(), other)._p

    def factorize(self, sort: bool = False, use_na_sentinel: bool = True) -> Any:
        """Codes on the device and the different values."""
        from .encode import factorize

        return factorize(self, sort, use_na_sentinel)

    def transpose(self) -> Any:
        """Itself."""
        return self

    def keys(self) -> Any:
        """The index."""
        return self.index

    def digitize(self, bins: Any, right: bool = False) -> Any:
        """Which bin each value belongs to."""
        bins = np.asarray(unwrap(bins))
        if bins.dtype != self.dtype:
            raise ValueError("digitize() expects bins and input column have the same dtype.")
        return wrap(pd.Series(np.digitize(np.asarray(self._storage._data), bins, right).astype(np.int32)))

    @property
    def null_count(self) -> int:
        """Number of nulls."""
        return int(isnull(self._storage).sum())

    @property
    def has_nulls(self) -> bool:
        """Whether there are nulls."""
        return self.null_count > 0

    def apply(
        self, func: Any, convert_dtype: bool = True, args: tuple = (), by_row: Any = "compat", **kwargs: Any
    ) -> Any:
        """A function of one value, compiled, applied to each row."""
        from .udf import apply_series

        if convert_dtype is not True:
            raise ValueError("Series.apply only supports convert_dtype=True")
        if by_row != "compat":
            raise NotImplementedError("by_row is currently not supported.")
        return apply_series(self, func, args, kwargs)

    map = Later("cudf.core.replace", "map_series")

    def groupby(self, by: Any = None, axis: Any = 0, level: Any = None, as_index: bool = True, sort: Any = None,
                group_keys: Any = None, observed: bool = True, dropna: bool = True) -> Any:  # fmt: skip
        """Groups of rows."""
        from .groupby import SeriesGroupBy

        if axis not in (0, "index"):
            raise NotImplementedError("axis parameter is not yet implemented")
        if not as_index:
            raise TypeError("as_index=False only valid with DataFrame")
        return SeriesGroupBy(self, by, level, sort, as_index, dropna, group_keys)

    def to_string(self, buf: Any = None, *, na_rep: str = "NaN", float_format: Any = None, header: bool = True,
                  index: bool = True, length: bool = False, dtype: bool = False, name: bool = False,
                  max_rows: Any = None, min_rows: Any = None) -> Any:  # fmt: skip
        """The text of the whole column."""

        shown = self.to_pandas()
        if isnull(self._storage).any() and self.dtype.kind in "iub":
            shown = pd.Series(host.printable(self._storage), index=shown.index, name=self.name)
        return shown.to_string(
            buf, na_rep=na_rep, float_format=float_format, header=header, index=index, length=length, dtype=dtype, name=name,
            max_rows=max_rows, min_rows=min_rows,
        )  # fmt: skip


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
