"""Reductions of storage arrays to scalars and of frames to columns, in cuDF's result types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.core.arrays.masked import BaseMaskedArray

from gpusim.device.thread_warnings import ignored

from . import device
from .binary import _CLASSES, family
from .cast import cast
from .column import arrow_of, dtype_of, isnull, masked, nans_to_nulls, normal
from .construct import as_storage
from .dtypes import STR
from .reshape_types import find_common_type
from .wrap import series_of

_UNSUPPORTED = {
    "M": {"sum", "product", "var", "skew", "kurtosis"},
    "tz": {"sum", "product", "var", "skew", "kurtosis"},
    "m": {"product", "var", "skew", "kurtosis"},
    "text": {"product", "mean", "var", "std", "median", "skew", "kurtosis"},
    "null": {"product", "mean", "var", "std", "median", "skew", "kurtosis"},
    "category": {"sum", "product", "mean", "var", "std", "median", "skew", "kurtosis", "any", "all"},
    "list": {"sum", "product", "mean", "var", "std", "median", "min", "max", "any", "all", "skew", "kurtosis"},
    "struct": {"sum", "product", "mean", "var", "std", "median", "min", "max", "any", "all", "skew", "kurtosis"},
    "interval": {"sum", "product", "mean", "var", "std", "median", "min", "max", "any", "all", "skew", "kurtosis"},
    "decimal": {"any", "all", "skew", "kurtosis"},
}


def missing_of(array: Any) -> Any:
    """What stands for a missing result of a column's type."""
    if family(array) in ("M", "m", "tz"):
        return pd.NaT
    if isinstance(array, BaseMaskedArray) and array._data.dtype.kind == "f":
        return array._data.dtype.type("nan")
    return np.nan if family(array) in ("text", "null") else np.float64("nan")


def reduce(op: str, array: Any, skipna: bool = True, min_count: int = 0, **kwargs: Any) -> Any:
    """Reduce a storage array: sum, product, min, max, mean, var, std, median, any, all, skew, kurtosis, sum_of_squares.

    Raises
    ------
    TypeError
        For reductions that cuDF does not have for the column's type.
    """
    if not isinstance(skipna, bool):
        raise ValueError(f"For argument 'skipna' expected type bool, got {type(skipna).__name__}.")
    kind = family(array)
    if op in _UNSUPPORTED.get(kind, ()):
        raise TypeError(f"'{_CLASSES[kind]}' with dtype {dtype_of(array.dtype)} does not support reduction '{op}'")
    null = isnull(array)
    if kind == "number" and array._data.dtype.kind == "f":
        null = null | np.isnan(array._data)
    if op in ("any", "all") and kind in ("text", "null") and not skipna and null.any():
        raise TypeError("boolean value of NA is ambiguous")
    if not skipna and null.any() and op not in ("any", "all"):
        return missing_of(array)
    if op in ("any", "all"):
        return _truth(op, array, null, skipna)
    if skipna:
        array = nans_to_nulls(array)
        if null.any():
            array = array[~null]
    if min_count > 0 and len(array) < min_count:
        return missing_of(array)
    if kind == "number":
        return _number(op, array._data, missing_of(array), **kwargs)
    if kind in ("M", "m", "tz"):
        return _time(op, array, **kwargs)
    if kind == "decimal":
        return _decimal(op, array, **kwargs)
    if op == "sum" and len(array) == 0:
        return ""
    if len(array) == 0:
        return np.nan
    if kind == "category":
        if not array.ordered:
            raise TypeError(
                f"Categorical is not ordered for operation {op}\nyou can use .as_ordered() to change the Categorical "
                "to an ordered one\n"
            )
        return array.categories[getattr(np.asarray(array.codes), op)()]
    if op == "sum":
        return "".join(arrow_of(array).to_pylist())
    if op in ("min", "max"):
        return getattr(pc, op)(arrow_of(array)).as_py()
    raise TypeError(f"cannot perform {op} with type {dtype_of(array.dtype)}")


def _truth(op: str, array: Any, null: np.ndarray, skipna: bool) -> Any:
    if isinstance(array, BaseMaskedArray):
        values = array._data.astype(bool)
    elif family(array) in ("text", "null"):
        if family(array) == "null":
            return op == "all"
        values = np.asarray(pc.greater(pc.utf8_length(arrow_of(array)), 0).fill_null(False))
    else:
        values = np.ones(len(array), bool) if array.dtype.kind != "m" else np.asarray(array).view("i8") != 0
    kept = values[~null] if skipna else np.where(null, True, values)
    found = getattr(kept, op)()
    # libcudf reduces to a column of one element; without a value cuDF answers by itself.
    return bool(found) if null.all() or family(array) == "text" else np.bool_(found)


def _number(op: str, values: np.ndarray, missing: Any, ddof: int = 1, **kwargs: Any) -> Any:
    dtype = values.dtype
    wide = dtype if dtype.kind == "f" else np.dtype("u8") if dtype.kind == "u" else np.dtype("i8")
    n = len(values)
    with np.errstate(all="ignore"):
        if op == "sum":
            return wide.type(values.sum(dtype=wide))
        if op == "product":
            return wide.type(values.prod(dtype=wide))
        if op == "sum_of_squares":
            wide = np.result_type(dtype, np.uint64)
            return wide.type((values.astype(wide) ** 2).sum())
        if n == 0:
            return missing
        if op in ("min", "max"):
            return getattr(values, op)()
        real = dtype if dtype.kind == "f" else np.dtype("f8")
        values = values.astype("f8")
        if op == "mean":
            return real.type(values.mean())
        if op == "median":
            return real.type(np.median(values))
        if op in ("var", "std"):
            return real.type(getattr(values, op)(ddof=ddof)) if n - ddof > 0 else np.float64("nan")
        if op in ("skew", "kurtosis"):
            series = pd.Series(values)
            least = 3 if op == "skew" else 4
            return np.float64("nan") if n < least else (series.skew() if op == "skew" else series.kurt())
    raise TypeError(f"cannot perform {op} with type {dtype}")


def _time(op: str, array: Any, **kwargs: Any) -> Any:
    series = pd.Series(array)
    if len(series) == 0:
        return pd.Timedelta(0).as_unit(np.datetime_data(array.dtype)[0]) if op == "sum" else pd.NaT
    result = getattr(series, op)(**({"ddof": kwargs.get("ddof", 1)} if op == "std" else {}))
    unit = getattr(array.dtype, "unit", None) or np.datetime_data(array.dtype)[0]
    return result.as_unit(unit) if hasattr(result, "as_unit") else result


def _decimal(op: str, array: Any, **kwargs: Any) -> Any:
    values = arrow_of(array)
    values = values.cast(pa.decimal128(38, values.type.scale))
    if op in ("sum", "product", "min", "max"):
        if len(values) == 0:
            return {"sum": 0, "product": 1}.get(op, np.nan)
        if op == "product":
            result = 1
            for value in values.to_pylist():
                result *= value
            return result
        return getattr(pc, op)(values).as_py()
    return _number(op, np.asarray(values.cast(pa.float64())), np.nan, **kwargs)


def quantile(array: Any, q: np.ndarray, interpolation: str = "linear", exact: bool = True) -> np.ndarray:
    """Quantiles of a numeric storage array as float64, or in its own type where the result is one of its values."""
    if family(array) != "number" and family(array) not in ("M", "m", "decimal"):
        raise TypeError(f"cannot perform quantile with type {dtype_of(array.dtype)}")
    if isinstance(array, BaseMaskedArray) and array._data.dtype.kind == "b":
        raise NotImplementedError("quantile is not implemented for boolean dtype")
    if np.logical_or(q < 0, q > 1).any():
        raise ValueError("percentiles should all be in the interval [0, 1]")
    array = nans_to_nulls(array)
    array = array[~isnull(array)]
    if family(array) in ("M", "m"):
        values = np.asarray(array).view("i8")
        kept = values if interpolation in ("lower", "higher", "nearest") else values.astype("f8")
        found = np.quantile(kept, q, method=interpolation) if len(values) else np.full(len(q), np.iinfo("i8").min)
        return np.asarray(found).astype("i8").view(array.dtype)
    if family(array) == "decimal":
        values = np.asarray(arrow_of(array).cast(pa.float64()))
    else:
        values = array._data
    if not len(values):
        return np.full(len(q), np.nan)
    if interpolation in ("linear", "midpoint") or not exact:
        values = values.astype("f8")
    with np.errstate(all="ignore"):
        return np.quantile(values, q, method=interpolation)


def is_number(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "iufb"


def reduce_frame(self: Any, op: str, axis: Any = 0, numeric_only: bool = False, **kwargs: Any) -> Any:
    """Reduce each column, each row (``axis=1``) or everything (``axis=None``)."""
    p = self._p
    if axis not in (0, 1, None, "index", "columns"):
        raise ValueError(f"No axis named {axis} for object type {type(self)}")
    if numeric_only:
        p = p.iloc[:, [i for i, d in enumerate(p.dtypes) if is_number(dtype_of(d))]]
        if not p.size:
            index = p.columns[:0] if axis in (0, "index") else p.index
            return series_of(pd.Series(masked(np.full(len(index), np.nan), np.ones(len(index), bool)), index=index))
    made = _rows(p, op, **kwargs) if axis in (1, "columns") else _columns(p, op, axis, **kwargs)
    device.count(f"cudf_reduce_{op}", p.size * 8, p.shape[1] * 8, reads=p, writes=made)
    return made


def _columns(p: pd.DataFrame, op: str, axis: Any, **kwargs: Any) -> Any:
    results = []
    for i in range(p.shape[1]):
        array = p.iloc[:, i].array
        try:
            results.append(reduce(op, array, **kwargs))
        except (AttributeError, ValueError) as error:
            if not is_number(dtype_of(array.dtype)):
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
    if any(not is_number(k) and getattr(k, "kind", "") not in "Mm" for k in kinds):
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
    with ignored():
        found = getattr(wide, name)(axis=1, skipna=skipna, **options)
    return series_of(pd.Series(normal(found.array), index=p.index))


def truths(target: Any, op: str, axis: Any, skipna: bool) -> Any:
    p = target._p
    if axis in (1, "columns"):
        return _rows(p, op, skipna)
    values = [reduce(op, p.iloc[:, i].array, skipna) for i in range(p.shape[1])]
    if axis is None:
        return bool(getattr(np.array(values, bool), op)())
    return series_of(pd.Series(masked(np.array(values, dtype=bool)), index=p.columns))
