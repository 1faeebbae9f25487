"""Codes for values: dummies, bins, factors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from . import device
from .cast import cast
from .column import dtype_of, isnull, masked, nans_to_nulls, normal
from .dtypes import STR
from .dtypes import dtype as cudf_dtype
from .guard import kept
from .host import to_host
from .wrap import classes, frame_of, index_of, make_frame, series_of, unwrap


@kept
def get_dummies(data: Any, prefix: Any = None, prefix_sep: Any = "_", dummy_na: bool = False, columns: Any = None,
                sparse: bool = False, drop_first: bool = False, dtype: Any = "bool") -> Any:  # fmt: skip
    """A column of 0 and 1 (bool by default) for each value of the columns of strings and categories."""
    if sparse:
        raise NotImplementedError("sparse is not supported yet")
    kind = cudf_dtype(dtype)
    if not isinstance(data, classes["DataFrame"]):
        series = data if isinstance(data, classes["Series"]) else classes["Series"](data)
        arrays = _dummies(series._p, prefix, "_" if prefix_sep is None else prefix_sep, dummy_na, drop_first, kind)
        return frame_of(make_frame(arrays, series._p.index))
    p = data._p
    if columns is None or not len(columns):
        columns = (
            [c for c in p.columns if dtype_of(p[c].array.dtype) == STR or isinstance(p[c].dtype, pd.CategoricalDtype)]
            if columns is None
            else []
        )
    columns = list(columns)
    prefixes, seps = _each(prefix, columns, "prefix"), _each(prefix_sep, columns, "prefix_sep")
    arrays = {c: p[c].array for c in p.columns if c not in columns}
    for c in columns:
        head = prefixes.get(c) if prefix is not None else c
        arrays.update(_dummies(p[c], head, seps.get(c, "_"), dummy_na, drop_first, kind))
    return frame_of(make_frame(arrays, p.index))


def _each(value: Any, columns: list, name: str) -> dict:
    if value is None or isinstance(value, str):
        return dict.fromkeys(columns, value)
    if isinstance(value, dict):
        return value
    if len(value) != len(columns):
        raise ValueError(
            f"Length of '{name}' ({len(value)}) did not match the length of the columns being encoded ({len(columns)})."
        )
    return dict(zip(columns, value, strict=True))


def _dummies(p: pd.Series, prefix: Any, sep: str, dummy_na: bool, drop_first: bool, kind: Any) -> dict:
    array = nans_to_nulls(p.array)
    null = isnull(array)
    if isinstance(array, pd.Categorical):
        labels, codes = list(array.categories), np.asarray(array.codes)
    else:
        codes, found = pd.factorize(pd.Series(array), sort=True)
        labels = list(to_host(found) if hasattr(found, "_mask") else found)
        labels = [x.item() if isinstance(x, np.generic) and x.dtype.kind in "biuf" else x for x in labels]
    out = {}
    names = [x if prefix is None else f"{prefix}{sep}{x}" for x in labels]
    for i, name in enumerate(names):
        out[name] = cast(masked(codes == i), kind)
    if dummy_na:
        out[np.nan if prefix is None else f"{prefix}{sep}nan"] = cast(masked(null.copy()), kind)
    if drop_first and out:
        out.pop(next(iter(out)))
    return out


@kept
def cut(x: Any, bins: Any, right: bool = True, labels: Any = None, retbins: bool = False, precision: int = 3,
        include_lowest: bool = False, duplicates: str = "raise", ordered: bool = True) -> Any:  # fmt: skip
    """Which bin each value falls into."""
    if duplicates not in ("raise", "drop"):
        raise ValueError("invalid value for 'duplicates' parameter, valid options are: raise, drop")
    if ordered is False and labels is None:
        raise ValueError("'labels' must be provided if 'ordered = False'")
    series = classes["Series"](x) if isinstance(x, pd.Series) else x if isinstance(x, classes["Series"]) else None
    host = pd.Series(to_host((series if series is not None else classes["Series"](x))._storage))
    bins = (
        to_host(bins._storage)
        if hasattr(bins, "_storage") and not isinstance(bins._p, pd.IntervalIndex)
        else unwrap(bins)
    )
    found = pd.cut(host, bins, right=right, labels=unwrap(labels), retbins=retbins, precision=precision,
                   include_lowest=include_lowest, duplicates=duplicates, ordered=ordered)  # fmt: skip
    codes, edges = found if retbins else (found, None)
    if isinstance(codes.dtype, pd.CategoricalDtype):
        out: Any = codes.array
    else:
        out = normal(codes.array)
    result = (
        index_of(pd.Index(out))
        if series is None
        else series_of(pd.Series(out, index=series._p.index, name=series.name))
    )

    return (result, device.as_cupy(edges)) if retbins else result


@kept
def factorize(values: Any, sort: bool = False, use_na_sentinel: bool = True, size_hint: Any = None) -> Any:
    """Codes on the device and the different values, in the order of their first appearance."""

    column = values if hasattr(values, "_storage") else classes["Series"](values)
    if size_hint is not None:
        import warnings

        warnings.warn("size_hint is not applicable for cudf.factorize", stacklevel=2)
    codes, found = pd.factorize(pd.Series(nans_to_nulls(column._storage)), sort=sort, use_na_sentinel=use_na_sentinel)
    index = index_of(pd.Index(found))
    uniques = (
        device.as_cupy(index._p.to_numpy())
        if hasattr(values, "__cuda_array_interface__") and not hasattr(values, "_p")
        else index
    )
    return device.as_cupy(codes), uniques


@kept
def unique(values: Any) -> Any:
    """The different values."""
    if hasattr(values, "unique"):
        return values.unique()
    if hasattr(values, "__cuda_array_interface__"):
        return device.as_cupy(pd.unique(values.get()))
    raise ValueError("Must pass cudf.Series, cudf.Index, or cupy.ndarray object")
