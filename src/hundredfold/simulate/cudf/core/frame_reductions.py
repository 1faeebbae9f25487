"""Reductions of a DataFrame, down its columns or along its rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from . import device
from .cast import cast
from .column import dtype_of, masked, nans_to_nulls, normal
from .construct import as_storage
from .dtypes import STR
from .guard import guarded_class
from .reduce import quantile, reduce
from .reshape_types import find_common_type
from .wrap import classes, frame_of, make_frame, series_of, unwrap


def _is_number(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "iufb"


def reduce_frame(self: Any, op: str, axis: Any = 0, numeric_only: bool = False, **kwargs: Any) -> Any:
    """Reduce each column, each row (``axis=1``) or everything (``axis=None``)."""
    p = self._p
    if axis not in (0, 1, None, "index", "columns"):
        raise ValueError(f"No axis named {axis} for object type {type(self)}")
    if numeric_only:
        p = p.iloc[:, [i for i, d in enumerate(p.dtypes) if _is_number(dtype_of(d))]]
        if not p.size:
            index = p.columns[:0] if axis in (0, "index") else p.index
            return series_of(pd.Series(masked(np.full(len(index), np.nan), np.ones(len(index), bool)), index=index))
    device.count(f"cudf_reduce_{op}", p.size * 8, p.shape[1] * 8)
    if axis in (1, "columns"):
        return _rows(p, op, **kwargs)
    results = []
    for i in range(p.shape[1]):
        array = p.iloc[:, i].array
        try:
            results.append(reduce(op, array, **kwargs))
        except (AttributeError, ValueError) as error:
            if not _is_number(dtype_of(array.dtype)):
                raise TypeError(
                    "Non numeric columns passed with `numeric_only=False`, pass `numeric_only=True` to perform "
                    f"DataFrame.{op}"
                ) from error
            raise
    if axis is None:
        return reduce(op, as_storage(results, None, False), **kwargs)
    kinds = [dtype_of(d) for d in p.dtypes]
    if not kinds:
        empty = np.dtype("bool") if op in ("any", "all") else np.dtype("float64")
        return series_of(pd.Series(normal(np.array([], dtype=empty)), index=p.columns))
    common = find_common_type(kinds)
    mixed = (common == STR or common == np.dtype("object")) and len({str(k) for k in kinds}) > 1
    if mixed or (getattr(common, "kind", "") != "b" and any(getattr(k, "kind", "") == "b" for k in kinds)):
        raise TypeError(f"Columns must all have the same dtype to perform op='{op}' with axis={axis!r}")
    array = (
        as_storage(results, None, False) if not any(isinstance(r, np.generic) for r in results) else _scalars(results)
    )
    kind = getattr(common, "kind", "")
    if (
        op in ("max", "min")
        and isinstance(common, np.dtype)
        or kind in "mM"
        and op in ("sum", "mean", "median", "std", "min", "max")
    ):
        target = np.dtype(f"m8[{np.datetime_data(common)[0]}]") if op == "std" and kind == "M" else common
        array = cast(array, target) if array.dtype.kind != "f" or kind == "f" else array
    return series_of(pd.Series(array, index=p.columns))


def _scalars(results: list) -> Any:
    values = np.array(results)
    return masked(values) if values.dtype.kind in "iufb" else as_storage(results, None, False)


def _rows(p: pd.DataFrame, op: str, skipna: bool = True, min_count: int = 0, ddof: int = 1, **kwargs: Any) -> Any:
    kinds = [dtype_of(d) for d in p.dtypes]
    if any(not _is_number(k) and getattr(k, "kind", "") not in "Mm" for k in kinds):
        raise TypeError(
            f"Cannot perform row-wise {op} across mixed-dtype columns, try type-casting all the columns to same dtype."
        )
    if len({getattr(k, "kind", "") in "Mm" for k in kinds}) > 1:
        raise TypeError(
            f"Cannot perform row-wise {op} across mixed-dtype columns, try type-casting all the columns to same dtype."
        )
    if kinds and kinds[0].kind in "Mm":
        found = getattr(p, op)(axis=1, skipna=skipna)
        return series_of(pd.Series(normal(found.array), index=p.index))
    name = {"product": "prod", "kurtosis": "kurt"}.get(op, op)
    common = find_common_type(kinds) if kinds else np.dtype("f8")
    arrays = [nans_to_nulls(p.iloc[:, i].array) for i in range(p.shape[1])]
    null = np.array([a._mask for a in arrays]) if arrays else np.zeros((0, len(p)), bool)
    if not null.any() and name in ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std"):
        matrix = np.array([a._data.astype(common) for a in arrays])
        with np.errstate(all="ignore"):
            options = {"ddof": ddof} if name in ("var", "std") else {}
            values = getattr(matrix, name)(axis=0, **options)
        return series_of(pd.Series(masked(np.asarray(values)), index=p.index))
    wide = pd.DataFrame(
        {i: np.where(a._mask, np.nan, a._data.astype("f8")) for i, a in enumerate(arrays)}, index=p.index
    )
    options = {"ddof": ddof} if name in ("var", "std") else {"min_count": min_count} if name in ("sum", "prod") else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = getattr(wide, name)(axis=1, skipna=skipna, **options)
    return series_of(pd.Series(normal(found.array), index=p.index))


def _method(op: str, name: str) -> Any:
    def method(self: Any, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **kwargs: Any) -> Any:
        kwargs = {key: value for key, value in kwargs.items() if key in ("ddof", "min_count")}
        return reduce_frame(self, op, axis, numeric_only, skipna=skipna, **kwargs)

    method.__name__ = name
    method.__doc__ = f"Reduce by {op}; nulls are left out unless ``skipna=False``."
    return method


@guarded_class
class FrameReductions:
    """Reductions."""

    sum = _method("sum", "sum")
    min = _method("min", "min")
    max = _method("max", "max")
    mean = _method("mean", "mean")
    median = _method("median", "median")
    skew = _method("skew", "skew")
    kurt = kurtosis = _method("kurtosis", "kurtosis")
    prod = product = _method("product", "product")
    std = _method("std", "std")
    var = _method("var", "var")

    def all(self, axis: Any = 0, bool_only: bool = False, skipna: bool = True, **kwargs: Any) -> Any:
        """Whether all values are true."""
        target = self.select_dtypes(include="bool") if bool_only else self
        return _truths(target, "all", axis, skipna)

    def any(self, axis: Any = 0, bool_only: bool = False, skipna: bool = True, **kwargs: Any) -> Any:
        """Whether a value is true."""
        target = self.select_dtypes(include="bool") if bool_only else self
        return _truths(target, "any", axis, skipna)

    def count(self, axis: Any = 0, numeric_only: bool = False) -> Any:
        """Number of values of each column that are neither null nor NaN."""
        target = self.select_dtypes(include="number") if numeric_only else self
        if self._axis(axis) != 0:
            present = target.notna()._p.to_numpy(dtype=bool) if target.shape[1] else np.zeros((len(self), 0), bool)
            return series_of(pd.Series(masked(present.sum(axis=1).astype("i8")), index=self._p.index))
        return series_of(pd.Series(masked(target.notna()._p.sum().to_numpy(dtype="i8")), index=target._p.columns))

    def nunique(self, axis: Any = 0, dropna: bool = True) -> Any:
        """How many different values each column has."""
        if axis != 0:
            raise NotImplementedError("axis parameter is not supported yet.")
        values = [self[c].nunique(dropna) for c in self._p.columns]
        return series_of(pd.Series(masked(np.array(values, dtype="i8")), index=self._p.columns))

    def mode(self, axis: Any = 0, numeric_only: bool = False, dropna: bool = True) -> Any:
        """The most frequent values of each column."""
        if axis not in (0, "index"):
            raise NotImplementedError("Only axis=0 is currently supported")
        target = self.select_dtypes(include="number") if numeric_only else self
        modes = {c: target[c].mode(dropna=dropna)._p.reset_index(drop=True) for c in target._p.columns}
        n = max((len(m) for m in modes.values()), default=0)
        index = pd.RangeIndex(n)
        arrays = {i: m.reindex(index).array for i, m in enumerate(modes.values())}
        return frame_of(make_frame(arrays, index, target._p.columns))

    def value_counts(self, subset: Any = None, normalize: bool = False, sort: bool = True, ascending: bool = False,
                     dropna: bool = True) -> Any:  # fmt: skip
        """How often each row occurs."""
        if subset:
            missing = set(subset) - set(self._p.columns)
            if missing:
                raise KeyError(f"Keys {missing} in subset do not exist in the DataFrame.")
        names = list(self._p.columns) if subset is None else list(subset)
        counts = self._p.groupby(names, dropna=dropna, sort=True, observed=True).size()
        if len(names) == 1:
            counts.index = pd.MultiIndex.from_arrays([counts.index], names=names)
        if sort:
            counts = counts.sort_values(ascending=ascending, kind="stable")
        values = np.asarray(counts, dtype="i8")
        out = values / values.sum() if normalize else values
        return series_of(pd.Series(masked(out), index=counts.index, name="proportion" if normalize else "count"))

    def quantile(self, q: Any = 0.5, axis: Any = 0, numeric_only: bool = False, interpolation: Any = None,
                 method: str = "single", columns: Any = None, exact: bool = True) -> Any:  # fmt: skip
        """Quantiles of each column; a Series for a scalar ``q``."""
        if axis not in (0, None):
            raise NotImplementedError("axis is not implemented yet")
        target = (
            self.select_dtypes(include=[np.number], exclude=["datetime64", "timedelta64"]) if numeric_only else self
        )
        target = target if columns is None else target[list(columns)]
        points = np.asarray(unwrap(q), dtype=float)
        if method == "table":
            interpolation = interpolation or "nearest"
            if interpolation in ("linear", "midpoint"):
                raise ValueError(f"{interpolation=} is not supported when {method=}.")
            found = target._p.quantile(np.atleast_1d(points), interpolation=interpolation, method="table")
            return classes["DataFrame"](found) if points.ndim else classes["Series"](found.iloc[0])
        if method != "single":
            raise ValueError(f"Invalid method: {method}")
        interpolation = interpolation or "linear"
        p = target._p
        for d in p.dtypes:
            if not _is_number(dtype_of(d)) and not (isinstance(d, np.dtype)):
                raise TypeError(f"quantile is not supported for dtype {dtype_of(d)}")
        found = {
            c: quantile(p.iloc[:, i].array, np.atleast_1d(points), interpolation, exact)
            for i, c in enumerate(p.columns)
        }
        if points.ndim == 0:
            return series_of(
                pd.Series(normal(np.array([v[0] for v in found.values()])), index=p.columns, name=float(points))
            )
        index = pd.Index(points, dtype="float64")
        return frame_of(make_frame({i: normal(v) for i, v in enumerate(found.values())}, index, p.columns))


def _truths(target: Any, op: str, axis: Any, skipna: bool) -> Any:
    p = target._p
    if axis in (1, "columns"):
        return _rows(p, op, skipna)
    values = [reduce(op, p.iloc[:, i].array, skipna) for i in range(p.shape[1])]
    if axis is None:
        return bool(getattr(np.array(values, bool), op)())
    return series_of(pd.Series(masked(np.array(values, dtype=bool)), index=p.columns))
