"""The precision in which matrices are multiplied: remembered.  Products here are always in the type's own precision."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

(
    COMPUTE_TYPE_TBD,
    COMPUTE_TYPE_DEFAULT,
    COMPUTE_TYPE_PEDANTIC,
    COMPUTE_TYPE_FP16,
    COMPUTE_TYPE_FP32,
    COMPUTE_TYPE_FP64,
    COMPUTE_TYPE_BF16,
    COMPUTE_TYPE_TF32,
) = range(8)
_NAMES = {value: name for name, value in globals().items() if name.startswith("COMPUTE_TYPE")}
_chosen: dict[int, int] = {}


def to_compute_type_index(dtype: Any) -> int:
    """Number of a type's setting: 1 half, 2 single, 3 double."""
    char = np.dtype(dtype).char
    for index, chars in ((1, "e"), (2, "fF"), (3, "dD")):
        if char in chars:
            return index
    raise TypeError(f"dtype is not supported: {dtype}")


def set_compute_type(dtype: Any, compute_type: int) -> None:
    """Choose the precision for products of a type."""
    if compute_type not in _NAMES:
        raise ValueError(f"Unknown compute type: {compute_type}")
    _chosen[to_compute_type_index(dtype)] = compute_type


def get_compute_type(dtype: Any) -> int:
    """The precision for products of a type."""
    index = to_compute_type_index(dtype)
    if not _chosen.get(index):
        wanted = index == 2 and int(os.environ.get("CUPY_TF32", "0")) > 0
        _chosen[index] = COMPUTE_TYPE_TF32 if wanted else COMPUTE_TYPE_DEFAULT
    return _chosen[index]


def compute_type_to_str(compute_type: int) -> Any:
    """A setting's name."""
    return _NAMES.get(compute_type, compute_type)
