"""Sorting, searching, choosing, and indices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._core import launch, sorting
from ._core.adapt import running, sending, table
from ._core.convert import array, asarray
from ._core.placeholders import fusible
from ._core.ufuncs import where as _where

ndarray = launch.array_class


def sort(a: Any, axis: int | None = -1, kind: Any = None) -> Any:
    """A sorted copy."""
    a = a.flatten() if axis is None else a.copy()
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
    a = a.flatten() if axis is None else a.copy()
    a.partition(kth, -1 if axis is None else axis)
    return a


def argpartition(a: Any, kth: Any, axis: int | None = -1) -> Any:
    """Indices that partly sort an array."""
    return a.argpartition(kth, axis)


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Where to insert elements to keep the order."""
    return sorting.searchsorted(a, v, side, sorter)


@fusible
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
    if not isinstance(a, ndarray):  # NumPy's has the method too, and CuPy asks whose it is
        raise TypeError(f"'a' must be a cupy.ndarray object, not {type(a)}.")
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
    if axis is None and indices.ndim != 1:
        raise NotImplementedError("Tuple setitem isn't supported for flatiter.")
    if axis is not None and indices.ndim != a.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    values = values if isinstance(values, ndarray) else array(values, dtype=a.dtype)
    if not indices.size:
        return
    shape = (indices.size,) if axis is None else (*a.shape[:axis], indices.shape[axis], *a.shape[axis:][1:])
    written = math.prod(np.broadcast_shapes(shape, indices.shape)) * a.itemsize
    launch.submit(
        "cupy_put_along_axis",
        _put_along,
        (a._a, indices._a, values._a, axis),
        reads=(indices._a, values._a),
        writes=(a._a,),
        bytes_written=written,
    )


def _put_along(a: np.ndarray, indices: np.ndarray, values: np.ndarray, axis: int | None) -> None:
    np.put_along_axis(a, indices % (a.size if axis is None else a.shape[axis]), values, axis)


def place(arr: Any, mask: Any, vals: Any) -> None:
    """Set the elements where a mask holds, repeating values as needed; waits for the device."""
    mask = asarray(mask)
    if arr.size != mask.size:
        raise ValueError("Mask and data must be the same size.")
    vals = asarray(vals)
    where = mask.ravel().nonzero()[0]
    if where.size:
        if not vals.size:
            raise ValueError("Cannot insert from an empty array.")
        arr.put(where, vals, mode="wrap")


def putmask(a: Any, mask: Any, values: Any) -> None:
    """Set the elements where a mask holds, from the same places of the values, which are repeated as needed."""
    for name, given in (("a", a), ("mask", mask)):
        if not isinstance(given, ndarray):
            raise TypeError(f"`{name}` should be of type cupy.ndarray")
    if not (np.isscalar(values) or isinstance(values, ndarray)):
        raise TypeError("`values` should be of type cupy.ndarray")
    if a.shape != mask.shape:
        raise ValueError("mask and data must be the same size")
    mask = mask.astype(np.bool_)
    if np.isscalar(values):
        a[mask] = values
        return
    if not np.can_cast(values.dtype, a.dtype):
        raise TypeError(f"Cannot cast array data from {values.dtype!r} to {a.dtype!r} according to the rule 'safe'")
    arguments = (a._a, mask._a, values._a)
    launch.submit("cupy_putmask_kernel", _putmask, arguments, reads=(mask._a, values._a), writes=(a._a,))


def _putmask(a: np.ndarray, mask: np.ndarray, values: np.ndarray) -> None:
    np.putmask(a, mask, values.astype(a.dtype))


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Set the diagonal."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    value = launch.frozen(val)
    reads = (value,) if isinstance(val, ndarray) else ()
    written = min(a.shape) * a.itemsize
    launch.submit(
        "cupy_fill_diagonal", np.fill_diagonal, (a._a, value, wrap), reads=reads, writes=(a._a,), bytes_written=written
    )


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


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Elements of the first choice whose condition holds."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not len(condlist):
        raise ValueError("select with an empty condition list is not possible")
    if not np.isscalar(default):
        raise TypeError("default only accepts scalar values")
    for i, (condition, choice) in enumerate(zip(condlist, choicelist, strict=True)):
        if not isinstance(choice, ndarray):
            raise TypeError("choicelist only accepts lists of cupy ndarrays")
        if condition.dtype != np.bool_:
            raise ValueError(f"invalid entry {i} in condlist: should be boolean ndarray")
    kind = np.result_type(*(c.dtype for c in choicelist), default)
    shape = np.broadcast_shapes(*(c.shape for c in condlist), *(c.shape for c in choicelist))
    conditions = [np.broadcast_to(c._a, shape) for c in condlist]
    choices = [np.broadcast_to(c._a, shape) for c in choicelist]
    out = launch.empty(shape, kind)
    reads = [x._a for x in (*condlist, *choicelist)]
    if out.size:
        arguments = (out._a, _select, (conditions, choices, default, kind), {})
        launch.submit("cupy_select", launch.store, arguments, reads=reads, writes=(out._a,))
    return out


def _select(conditions: list, choices: list, default: Any, kind: np.dtype) -> np.ndarray:
    result = np.full(conditions[0].shape, default, kind)
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        np.copyto(result, choice, "unsafe", where=condition)
    return result


def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "wrap", order: str = "C") -> Any:
    """Flat indices of indices along the axes; those out of bounds wrap around by default."""
    return launch.now("cupy_ravel_multi_index", np.ravel_multi_index, tuple(multi_index), dims, mode, order)


def lexsort(keys: Any) -> Any:
    """Indices that sort by the last row, then by the one before."""
    if not isinstance(keys, ndarray):
        raise AttributeError(f"{type(keys).__name__!r} object has no attribute 'ndim'")
    if keys.ndim == 0:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if keys.ndim > 2:
        raise NotImplementedError("Keys with the rank of three or more is not supported in lexsort")
    if keys.ndim == 1:
        return array(0)
    out = launch.empty(keys.shape[1:], np.dtype(np.int64))
    return launch.submit_into("cupy_lexsort", out, np.lexsort, keys)


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
        take_along_axis, put_along_axis, place, putmask, fill_diagonal, ix_, unravel_index, select, ravel_multi_index, lexsort,
    )
}  # fmt: skip
made |= {"r_": _Join(np.r_), "c_": _Join(np.c_)}
made |= table(
    np,
    "argwhere flatnonzero extract sort_complex unique unique_all unique_counts unique_inverse unique_values "
    "triu_indices_from tril_indices_from diag_indices_from",
    running,
)
made |= table(np, "tril_indices triu_indices diag_indices mask_indices", sending)
