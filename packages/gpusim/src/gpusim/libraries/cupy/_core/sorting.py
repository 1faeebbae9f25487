"""Sorting and searching in order: shapes are known, so all is queued."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.device import sorting

from . import launch


def _check_kind(kind: Any) -> None:
    if kind is not None and kind != "stable":
        raise ValueError("kind can only be None or 'stable'")


def normal_axis(axis: int, ndim: int) -> int:
    """The axis counted from the front, or AxisError."""
    return np.lib.array_utils.normalize_axis_index(axis, ndim)


def sort(a: Any, axis: int = -1, *, kind: Any = None) -> None:
    """Sort in place, along an axis."""
    _check_kind(kind)
    if a.ndim == 0:
        raise np.exceptions.AxisError("Sorting arrays with the rank of zero is not supported")
    _check_layout(a)
    axis = normal_axis(axis, a.ndim)
    if a.size:
        launch.submit("cupy_sort", sorting.sort, (a._a, axis), reads=(a._a,), writes=(a._a,))


def _check_layout(a: Any) -> None:
    if not a._a.flags.c_contiguous:
        raise NotImplementedError("Sorting non-contiguous array is not supported.")


def argsort(a: Any, axis: int | None = -1, *, kind: Any = None) -> Any:
    """Indices that sort an array; equal elements keep their order."""
    _check_kind(kind)
    if a.ndim == 0 and axis is not None:
        normal_axis(axis, 1)
    a = a.reshape(1) if a.ndim == 0 else a
    if axis is None:
        a, axis = a.ravel(), 0
    out = launch.empty(a.shape, np.dtype(np.int64))
    return launch.submit_into("cupy_argsort", out, sorting.argsort, a, axis=normal_axis(axis, a.ndim))


def _check_kth(a: Any, kth: Any, axis: int | None) -> None:
    """Raise if a position to partition at is out of bounds."""
    if a.ndim == 0:
        raise np.exceptions.AxisError("Sorting arrays with the rank of zero is not supported")
    length = a.size if axis is None else a.shape[normal_axis(axis, a.ndim)]
    for k in kth if isinstance(kth, (list, tuple)) else (kth,):
        if not -length <= k < length:
            raise ValueError(f"kth(={k}) out of bounds {length}")


def partition(a: Any, kth: Any, axis: int = -1) -> None:
    """Partly sort in place (CuPy sorts fully)."""
    _check_kth(a, kth, axis)
    sort(a, axis)


def argpartition(a: Any, kth: Any, axis: int | None = -1) -> Any:
    """Indices that partly sort (CuPy's sort fully)."""
    _check_kth(a, kth, axis)
    return argsort(a, axis)


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Where to insert elements to keep a sorted array sorted."""
    if not isinstance(a, launch.array_class):
        raise NotImplementedError("Only int or ndarray are supported for a")
    if side not in ("left", "right"):
        raise ValueError(f"Unsupported value of side: {side}")
    if a.ndim != 1:
        raise ValueError("object of too small depth for desired array")
    shape = v.shape if isinstance(v, launch.array_class) else np.shape(v)
    if isinstance(v, np.ndarray):
        raise NotImplementedError("Only int or ndarray are supported for v")
    out = launch.empty(shape, np.dtype(np.int64))
    if sorter is not None:
        if sorter.dtype.kind not in "iu":
            raise TypeError("sorter must be of integer type")
        if sorter.size != a.size:
            raise ValueError("sorter.size must equal a.size")
        a = a.take(sorter)
    return launch.submit_into("cupy_searchsorted", out, np.searchsorted, a, v, side=side)
