"""The type of a value."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
from numba.core import types
from numba.np.numpy_support import from_dtype


class Purpose(enum.Enum):
    """What the type is asked for."""

    argument = 1
    constant = 2


def typeof(value: Any, purpose: Purpose = Purpose.argument) -> types.Type:
    """The type of a value.

    Raises
    ------
    ValueError
        If it has none.
    """
    if isinstance(value, np.ndarray):
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return types.Array(from_dtype(value.dtype), value.ndim, layout, not flags.writeable, bool(flags.aligned))
    if isinstance(value, (np.generic, np.void)):
        return from_dtype(value.dtype)
    if isinstance(value, enum.Enum):
        return types.EnumMember(type(value), typeof(value.value))
    if isinstance(value, bool):
        return types.boolean
    if isinstance(value, int):
        return types.int64 if -(2**63) <= value < 2**63 else types.uint64
    if isinstance(value, float):
        return types.float64
    if isinstance(value, complex):
        return types.complex128
    if isinstance(value, tuple):
        return types.BaseTuple.from_types([typeof(item) for item in value], type(value))
    raise ValueError(f"Cannot determine Numba type of {type(value)}")
