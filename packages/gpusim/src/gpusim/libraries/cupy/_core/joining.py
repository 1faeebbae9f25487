"""Joining arrays: one copy kernel for each part, as CuPy launches them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import launch
from .checks import check_array, check_devices, raise_if_invalid_cast
from .convert import from_like
from .promote import kind_of_scalar


def concatenate(
    arrays: Sequence[Any], axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """Join arrays along an existing axis.

    Raises
    ------
    TypeError
        For anything but device arrays.
    ValueError
        If their shapes do not fit.
    """
    if axis is None:
        arrays, axis = [a.ravel() for a in arrays], 0
    if out is not None:
        check_array(out, "out")
    arrays = [from_like(a) for a in arrays]
    if not arrays:
        raise ValueError("Cannot concatenate from empty tuple")
    strangers = [a for a in arrays if not isinstance(a, launch.array_class)]
    for a in strangers:
        kind_of_scalar(a)  # raises for what is no number either
    if strangers:
        raise TypeError("Only cupy arrays can be concatenated")
    check_devices(arrays)
    first = arrays[0]
    if first.ndim == 0:
        raise TypeError("zero-dimensional arrays cannot be concatenated")
    axis = np.lib.array_utils.normalize_axis_index(axis, first.ndim)
    for a in arrays[1:]:
        if a.ndim != first.ndim:
            raise ValueError("All arrays to concatenate must have the same ndim")
        if any(i != axis and m != n for i, (m, n) in enumerate(zip(a.shape, first.shape, strict=True))):
            raise ValueError("All arrays must have same shape except the axis to concatenate")
    shape = (*first.shape[:axis], sum(a.shape[axis] for a in arrays), *first.shape[axis + 1 :])
    if out is None:
        result = np.result_type(*{a.dtype for a in arrays}) if dtype is None else np.dtype(dtype)
        out = launch.empty(shape, result)
    elif dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    elif out.shape != shape:
        raise ValueError("Output array must have the same shape as the result")
    start = 0
    for a in arrays:
        raise_if_invalid_cast(a.dtype, out.dtype, casting, "array data")
        stop = start + a.shape[axis]
        launch.copy_into(out._a[(slice(None),) * axis + (slice(start, stop),)], a._a, "cupy_concatenate")
        start = stop
    return out
