"""Repeating elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import launch
from .sorting import normal_axis


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """Repeat elements; the numbers of repeats are host integers, so the shape is known."""
    if isinstance(repeats, launch.array_class):
        raise ValueError("cupy.ndaray cannot be specified as `repeats` argument.")  # CuPy's own spelling
    counts = np.asarray(repeats)
    if counts.ndim > 1:
        raise ValueError("`repeats` should be int or sequence")
    if (counts < 0).any():
        raise ValueError(f"all elements of `repeats` should not be negative: {repeats}")
    if axis is None:
        a, axis = a.ravel(), 0
    axis = normal_axis(axis, a.ndim)
    n = a.shape[axis]
    if counts.size not in (1, n):
        raise ValueError(f"'repeats' and 'axis' of 'a' should be same length: {n} != {counts.size}")
    total = int(counts.reshape(-1)[0]) * n if counts.size == 1 else int(counts.sum())
    out = launch.empty((*a.shape[:axis], total, *a.shape[axis + 1 :]), a.dtype)
    return launch.submit_into("cupy_repeat", out, np.repeat, a, repeats, axis=axis)
