"""Host arrays in pinned memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from cupy import cuda


def _shape(shape: Any) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)


def empty_pinned(shape: Any, dtype: Any = float, order: str = "C") -> np.ndarray:
    """A NumPy array in pinned memory, not initialised; transfers from there need no copy in between on a GPU."""
    shape, dtype = _shape(shape), np.dtype(dtype)
    memory = cuda.alloc_pinned_memory(math.prod(shape) * dtype.itemsize)
    return np.ndarray(shape, dtype, buffer=memory, order=order)


def zeros_pinned(shape: Any, dtype: Any = float, order: str = "C") -> np.ndarray:
    """As :func:`empty_pinned`, of zeros."""
    out = empty_pinned(shape, dtype, order)
    np.copyto(out, 0, casting="unsafe")
    return out


def empty_like_pinned(a: Any, dtype: Any = None, order: str = "K", subok: Any = None, shape: Any = None) -> np.ndarray:
    """A NumPy array in pinned memory, laid out like another array of host or device."""
    if subok is not None:
        raise TypeError("subok is not supported yet")
    if order is not None and (not isinstance(order, str) or order.upper() not in "CFAK"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
    # NumPy's own rule for the layout, on an array without memory of its own
    bare = np.lib.stride_tricks.as_strided(np.empty(1, a.dtype), a.shape, a.strides)
    shape = a.shape if shape is None else _shape(shape)
    like = np.empty_like(bare, dtype, (order or "K").upper(), subok=False, shape=shape)
    memory = cuda.alloc_pinned_memory(math.prod(like.shape) * like.itemsize)
    return np.ndarray(like.shape, like.dtype, buffer=memory, strides=like.strides)


def zeros_like_pinned(a: Any, dtype: Any = None, order: str = "K", subok: Any = None, shape: Any = None) -> np.ndarray:
    """As :func:`empty_like_pinned`, of zeros."""
    out = empty_like_pinned(a, dtype, order, subok, shape)
    np.copyto(out, 0, casting="unsafe")
    return out
