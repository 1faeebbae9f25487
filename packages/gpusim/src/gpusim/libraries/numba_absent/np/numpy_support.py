"""NumPy's types as Numba's, and back."""

from __future__ import annotations

import numpy as np
from numba.core import types


def from_dtype(dtype: np.dtype) -> types.Type:
    """The Numba type of a dtype.

    Raises
    ------
    ValueError
        If it has none.
    """
    if dtype.names:
        return types.Record(dtype)
    if dtype.kind == "b":
        return types.boolean
    if dtype.kind in "mM":
        kind = types.NPTimedelta if dtype.kind == "m" else types.NPDatetime
        return kind(str(dtype))
    found = getattr(types, dtype.name, None) if dtype.kind in "iufc" else None
    if not isinstance(found, types.Number):
        raise ValueError(f"Unsupported array dtype: {dtype}")
    return found


def as_dtype(kind: types.Type) -> np.dtype:
    """The dtype of a Numba type."""
    if isinstance(kind, types.Record):
        return kind.dtype
    return np.dtype(kind.name)
