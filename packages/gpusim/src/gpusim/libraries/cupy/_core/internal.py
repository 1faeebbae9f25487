"""Small functions about shapes that CuPy keeps here and other libraries borrow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np


def prod(args: Sequence[Any]) -> Any:
    """Product of some numbers, 1 of none."""
    return math.prod(args)


prod_sequence = prod


def vector_equal(x: Sequence[Any], y: Sequence[Any]) -> bool:
    """Whether two sequences of numbers are equal."""
    return list(x) == list(y)


def get_size(size: Any) -> tuple[int, ...]:
    """A tuple of lengths of what a caller may give as a size."""
    if size is None:
        return ()
    items = tuple(size) if isinstance(size, Sequence) else (size,)
    if any(isinstance(item, (bool, np.bool_)) or getattr(item, "dtype", None) == np.bool_ for item in items):
        raise TypeError("an integer is required, not a bool")
    return tuple(item.item() if isinstance(item, (np.ndarray, np.generic)) else item for item in items)


def get_c_contiguity(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> bool:
    """Whether an array of some shape and strides is contiguous in row-major order."""
    expected = itemsize
    if 0 in shape:
        return True
    for n, step in zip(reversed(shape), reversed(strides), strict=True):
        if n != 1 and step != expected:
            return False
        expected *= n
    return True


def infer_unknown_dimension(shape: Sequence[int], size: int) -> list[int]:
    """A shape with its -1 worked out."""
    shape = list(shape)
    unknown = [i for i, n in enumerate(shape) if n < 0]
    if len(unknown) > 1:
        raise ValueError("can only specify only one unknown dimension")
    if unknown:
        rest = math.prod(n for n in shape if n >= 0)
        shape[unknown[0]] = size // rest if rest else 0
    return shape


def complete_slice(slc: slice, dim: int) -> slice:
    """A slice with its ends and step filled in and brought into bounds."""
    for value in (slc.start, slc.stop, slc.step):
        if value is not None and not hasattr(value, "__index__"):
            raise IndexError("slice indices must be integers or None or have an __index__ method")
    start, stop, step = slc.indices(dim)
    return slice(start, max(stop, start) if step > 0 else min(stop, start), step)


def clp2(x: int) -> int:
    """The next power of two that is not less; 0 of 0."""
    return 1 << (x - 1).bit_length() if x > 0 else 0


def _normalize_axis_index(axis: int, ndim: int) -> int:
    return np.lib.array_utils.normalize_axis_index(axis, ndim)


def _normalize_axis_indices(axes: Any, ndim: int, sort_axes: bool = True) -> tuple[int, ...]:
    axes = range(ndim) if axes is None else axes if isinstance(axes, (tuple, list)) else (axes,)
    result = []
    for axis in axes:
        axis = _normalize_axis_index(axis, ndim)
        if axis in result:
            raise ValueError("Duplicate value in 'axis'")
        result.append(axis)
    return tuple(sorted(result) if sort_axes else result)
