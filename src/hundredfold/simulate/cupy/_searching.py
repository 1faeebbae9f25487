"""Sorting, searching, choosing, and indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import launch, sorting
from ._core.adapt import running, sending, table
from ._core.convert import array, asarray
from ._core.ufuncs import where as _where

ndarray = launch.array_class


def sort(a: Any, axis: int | None = -1, kind: Any = None) -> Any:
    """A sorted copy."""
    a = a.flatten() if axis is None else a.copy(order="K")
    a.sort(-1 if axis is None else axis, kind=kind)
    return a


def argsort(a: Any, axis: int | None = -1, kind: Any = None) -> Any:
    """Indices that sort an array."""
    return a.argsort(axis, kind=kind)


def msort(a: Any) -> Any:
    """A copy sorted along the first axis."""
    return sort(a, 0)


def partition(a: Any, kth: Any, axis: int | None = -1) -> Any:
    """A partly sorted copy (CuPy sorts it fully)."""
    a = a.flatten() if axis is None else a.copy(order="K")
    a.partition(kth, -1 if axis is None else axis)
    return a


def argpartition(a: Any, kth: Any, axis: int | None = -1) -> Any:
    """Indices that partly sort an array."""
    return a.argpartition(kth, axis)


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Where to insert elements to keep the order."""
    return sorting.searchsorted(a, v, side, sorter)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Elements of ``x`` or ``y`` by a condition; with a condition alone, the indices where it holds."""
    if (x is None) != (y is None):
        raise ValueError("Must provide both 'x' and 'y' or neither.")
    if x is None:
        return nonzero(condition)
    if not isinstance(condition, ndarray):
        if isinstance(condition, np.ndarray):
            raise TypeError(f"Unsupported type {np.ndarray}")
        condition = asarray(condition)
    return _where(condition if condition.dtype == np.bool_ else condition.astype(bool), x, y)


def nonzero(a: Any) -> Any:
    """Indices of the elements that are not zero; waits for the device."""
    return a.nonzero()


def take(a: Any, indices: Any, axis: int | None = None, out: Any = None) -> Any:
    """Elements at some indices; those out of bounds wrap around."""
    return a.take(indices, axis, out)


def put(a: Any, ind: Any, v: Any, mode: str = "wrap") -> None:
    """Set elements at flat indices."""
    a.put(ind, v, mode)


def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Elements picked from several arrays."""
    return a.choose(choices, out, mode)


def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Any:
    """Elements where a 1-d condition holds; waits for the device."""
    return a.compress(condition, axis, out)


def take_along_axis(a: Any, indices: Any, axis: int | None = -1) -> Any:
    """Elements at indices that differ along an axis."""
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        return a.ravel().take(indices)
    at = sorting.normal_axis(axis, a.ndim)
    if a.ndim != indices.ndim:
        raise ValueError("`indices` and `a` must have the same ndim")
    shape = np.broadcast_shapes(*(tuple(1 if i == at else n for i, n in enumerate(x.shape)) for x in (a, indices)))
    shape = (*shape[:at], indices.shape[at], *shape[at + 1 :])
    return launch.submit_into("cupy_take_along_axis", launch.empty(shape, a.dtype), _along, a, indices, at)


def _along(a: np.ndarray, indices: np.ndarray, axis: int) -> np.ndarray:
    return np.take_along_axis(a, indices % a.shape[axis], axis)


def put_along_axis(a: Any, indices: Any, values: Any, axis: int | None) -> None:
    """Set elements at indices that differ along an axis."""
    values = values if isinstance(values, ndarray) else array(values, dtype=a.dtype)
    read = indices.nbytes + values.nbytes
    launch.submit("cupy_put_along_axis", _put_along, (a._a, indices._a, values._a, axis), None, read, read)


def _put_along(a: np.ndarray, indices: np.ndarray, values: np.ndarray, axis: int | None) -> None:
    np.put_along_axis(a, indices % (a.size if axis is None else a.shape[axis]), values, axis)


def place(arr: Any, mask: Any, vals: Any) -> None:
    """Set the elements where a mask holds, repeating values as needed."""
    mask, vals = asarray(mask, bool), asarray(vals)
    launch.submit("cupy_place", np.place, (arr._a, mask._a, vals._a), None, mask.nbytes + vals.nbytes, arr.nbytes)


def putmask(a: Any, mask: Any, values: Any) -> None:
    """Set the elements where a mask holds, from the same places of the values."""
    mask, values = asarray(mask, bool), asarray(values)
    read = mask.nbytes + values.nbytes
    launch.submit("cupy_putmask", _putmask, (a._a, mask._a, values._a), None, read, a.nbytes)


def _putmask(a: np.ndarray, mask: np.ndarray, values: np.ndarray) -> None:
    np.putmask(a, mask, values.astype(a.dtype))


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Set the diagonal."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    value = launch.frozen(val)
    written = min(a.shape) * a.itemsize
    launch.submit("cupy_fill_diagonal", np.fill_diagonal, (a._a, value, wrap), None, 0, written)


def ix_(*args: Any) -> tuple:
    """Open grids for indexing."""
    made = []
    for k, new in enumerate(args):
        new = asarray(new) if not isinstance(new, ndarray) else new
        if new.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if new.size == 0:
            new = new.astype(np.intp)
        if new.dtype == np.bool_:
            (new,) = new.nonzero()
        made.append(new.reshape((1,) * k + (new.size,) + (1,) * (len(args) - k - 1)))
    return tuple(made)


def unravel_index(indices: Any, dims: Any, order: str = "C") -> Any:
    """Indices along the axes of flat indices."""
    return launch.now("cupy_unravel_index", np.unravel_index, indices, dims, order)


class _Join:
    """``r_`` and ``c_``: joining by indexing."""

    def __init__(self, numpy_one: Any):
        self._numpy = numpy_one

    def __getitem__(self, key: Any) -> Any:
        items = key if isinstance(key, tuple) else (key,)
        return launch.now("cupy_concatenate", lambda *i: self._numpy[i], *items)


made = {
    f.__name__: f
    for f in (
        sort, argsort, msort, partition, argpartition, searchsorted, where, nonzero, take, put, choose, compress,
        take_along_axis, put_along_axis, place, putmask, fill_diagonal, ix_, unravel_index,
    )
}  # fmt: skip
made |= {"r_": _Join(np.r_), "c_": _Join(np.c_)}
made |= table(
    np,
    "argwhere flatnonzero extract lexsort sort_complex unique unique_all unique_counts unique_inverse unique_values "
    "ravel_multi_index select triu_indices_from tril_indices_from diag_indices_from",
    running,
)
made |= table(np, "tril_indices triu_indices diag_indices mask_indices", sending)
