"""Repeating elements."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gpusim.device import queue

from . import launch
from .sorting import normal_axis


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """Repeat elements: each as often as one number says, or a number for each.

    Numbers in a device array have to be read first, for the shape depends on them: that waits for the device.
    """
    counts = _counts(repeats)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = normal_axis(axis, a.ndim)
    n = a.shape[axis]
    if counts.size == 1:
        count = int(counts.reshape(-1)[0])
        if count < 0:
            raise ValueError(f"'repeats' should not be negative: {count}")
        counts, total = np.asarray(count), count * n
    elif counts.size != n:
        raise ValueError(f"'repeats' and 'axis' of 'a' should be same length: {n} != {counts.size}")
    elif (counts < 0).any():
        raise ValueError("all elements of 'repeats' should not be negative")
    else:
        total = int(counts.sum())
    out = launch.empty((*a.shape[:axis], total, *a.shape[axis + 1 :]), a.dtype)
    arguments = (out._a, np.repeat, (a._a, counts), {"axis": axis})
    if out.size:
        launch.submit("cupy_repeat", launch.store, arguments, reads=(a._a,), writes=(out._a,))
    return out


def _counts(repeats: Any) -> np.ndarray:
    if isinstance(repeats, launch.array_class):
        if not np.can_cast(repeats.dtype, np.intp, "safe"):
            raise TypeError(
                f"Cannot cast array data from dtype('{repeats.dtype}') to dtype('int64') according to the rule 'safe'"
            )
        if repeats.ndim > 1:
            raise ValueError("object too deep for desired array")
        queue.count("memcpy DtoH", repeats.nbytes, 0, "d2h", reads=(repeats._a,), writes=())
        queue.synchronize()
        return repeats._a.astype(np.intp)
    if isinstance(repeats, np.ndarray):
        raise TypeError("'repeats' does not accept numpy.ndarray; convert with cupy.array() first")
    try:
        return np.asarray(operator.index(repeats))
    except TypeError:
        if not hasattr(repeats, "__getitem__"):
            raise ValueError(f"'repeats' should be int or sequence: {repeats}") from None
    counts = np.asarray(repeats, dtype=np.intp)
    if counts.ndim > 1:
        raise ValueError("object too deep for desired array")
    return counts
