"""``to_numeric``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.core.arrays.masked import BaseMaskedArray

from ..binary import family
from ..cast import cast
from ..column import isnull, masked, normal
from ..construct import as_storage
from ..guard import kept
from ..wrap import classes, index_of, series_of


@kept
def to_numeric(arg: Any, errors: str = "raise", downcast: Any = None, dtype_backend: Any = None) -> Any:
    """Numbers of strings; the smallest type that holds them with ``downcast``."""
    if dtype_backend is not None:
        raise NotImplementedError("dtype_backend is not supported.")
    if errors not in {"raise", "coerce"}:
        raise ValueError("invalid error value specified")
    if downcast not in {None, "integer", "signed", "unsigned", "float"}:
        raise ValueError("invalid downcasting method provided")
    if not (hasattr(arg, "_storage") or pd.api.types.is_list_like(arg) or pd.api.types.is_scalar(arg)):
        raise ValueError("arg must be column convertible")
    column = arg if hasattr(arg, "_storage") else classes["Series"]([arg] if pd.api.types.is_scalar(arg) else arg)
    array = column._storage
    if getattr(arg, "ndim", 1) > 1:
        raise TypeError("arg must be column convertible")
    kind = family(array)
    if kind == "category":
        array = normal(array.categories.array.take(array.codes, allow_fill=True))
        kind = family(array)
    if kind in ("M", "m"):
        array = cast(array, np.dtype("int64"))
    elif kind in ("text", "null"):
        array = _parse(array, errors)
    elif kind != "number":
        raise ValueError("Unrecognized datatype")
    if downcast:
        array = _small(array, downcast)
    if isinstance(arg, classes["Series"]):
        return series_of(pd.Series(array, index=arg._p.index, name=arg.name))
    if hasattr(arg, "_storage"):
        return index_of(pd.Index(array, name=arg.name))
    import cupy

    return cupy.asarray(array._data) if not array._mask.any() else series_of(pd.Series(array))


def _parse(array: Any, errors: str) -> Any:
    null = isnull(array)
    texts = np.asarray(array, dtype=object)
    try:
        values = [None if n else int(t) for t, n in zip(texts, null, strict=True)]
    except ValueError:
        pass
    else:
        solid = [v for v in values if v is not None]
        low, high = min(solid, default=0), max(solid, default=0)
        if low < -(2**63) or high >= 2**64 or (low < 0 and high >= 2**63):
            raise OverflowError("Integer string value is out of bounds for int64/uint64.")
        return as_storage(values, np.dtype("uint64" if high >= 2**63 else "int64"))
    out, lost = np.zeros(len(texts)), null.copy()
    for i, text in enumerate(texts):
        if null[i]:
            continue
        try:
            out[i] = float(text) if text.strip() else np.nan
        except ValueError:
            if errors == "raise":
                raise ValueError("Unable to convert some strings to numerics.") from None
            lost[i] = True
    return masked(out, lost)


def _small(array: BaseMaskedArray, downcast: str) -> Any:
    values = array._data[~array._mask]
    if downcast == "float":
        kinds = ["f4", "f8"]
        if array._data.dtype.kind == "f":
            with np.errstate(all="ignore"):
                fits = np.allclose(values.astype("f4").astype("f8"), values, equal_nan=True)
            return cast(array, np.dtype("f4")) if fits else array
        return cast(array, np.dtype(kinds[0]))
    if values.dtype.kind == "f" and not (np.isfinite(values) & (values == np.floor(values))).all():
        return array
    if downcast == "unsigned" and len(values) and values.min() < 0:
        return array
    for kind in ("u1", "u2", "u4", "u8") if downcast == "unsigned" else ("i1", "i2", "i4", "i8"):
        info = np.iinfo(kind)
        if not len(values) or (values.min() >= info.min and values.max() <= info.max):
            return cast(array, np.dtype(kind))
    return array
