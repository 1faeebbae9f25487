"""Methods of Series."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.core.arrays.masked import BaseMaskedArray

from . import device, host
from .binary import family
from .cast import cast
from .column import dtype_of, isnull, masked, normal
from .delegate import no_default
from .dtypes import dtype as cudf_dtype
from .guard import guarded_class
from .order import shuffled
from .reduce import quantile, reduce
from .series_more import SeriesMore
from .shared import Shared
from .wrap import classes, frame_of, series_of, unwrap, wrap


def reduction(op: str, name: str) -> Any:
    """A method that reduces the column to a scalar."""

    def method(self: Any, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **kwargs: Any) -> Any:
        if axis not in (None, 0, "index"):
            raise NotImplementedError("axis parameter is not implemented yet")
        if numeric_only and self.dtype.kind not in "iufb":
            raise TypeError(f"Series.{op} does not allow numeric_only={numeric_only} with non-numeric dtypes.")
        array = self._storage
        device.count(f"cudf_reduce_{op}", array.nbytes, 8)
        kwargs = {key: value for key, value in kwargs.items() if key in ("ddof", "min_count")}
        return reduce(op, array, skipna, **kwargs)

    method.__name__ = name
    method.__doc__ = f"Reduce by {op}; nulls are left out unless ``skipna=False``."
    return method


@guarded_class
class SeriesMethods(SeriesMore, Shared):
    """What a Series can do."""

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
        from .wrap import make_frame

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

    def corr(self, other: Any, method: str = "pearson", min_periods: Any = None) -> Any:
        """Correlation with another Series."""
        from .linear import correlation

        return correlation(self, other, method, min_periods)

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
        from .construct import as_storage

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
