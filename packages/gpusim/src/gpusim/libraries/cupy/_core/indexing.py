"""Indexing by CuPy's rules: integer arrays wrap around instead of raising, masks read the device.

Basic indexing makes a view at once.  Indexing with integer arrays is queued: the result's shape does not depend on
their values.  A boolean mask must be counted first, so it waits for the device, as in CuPy.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gpusim.device import queue, shapes

from . import launch
from .casting import convert
from .convert import array, from_like

BASIC = (int, np.integer, slice, type(None), type(Ellipsis))


def whole(item: Any) -> Any:
    """A slice with numbers where it has arrays, which have no ``__index__``; any other index as it is."""
    if not isinstance(item, slice):
        return item
    ends = []
    for name in ("start", "stop", "step"):
        end = getattr(item, name)
        try:
            ends.append(end if end is None else end.__index__() if hasattr(end, "__index__") else int(end))
        except TypeError:
            raise TypeError(f"slice.{name} must be int or None or have __index__ method: {item}") from None
    return slice(*ends)


def basic_error(shape: tuple[int, ...], items: tuple) -> IndexError:
    """CuPy's words for what NumPy refused."""
    used = sum(item is not None and item is not Ellipsis for item in items)
    if sum(item is Ellipsis for item in items) > 1:
        return IndexError("an index can only have a single ellipsis ('...')")
    if used > len(shape):
        return IndexError(f"too many indices for array: array is {len(shape)}-dimensional, but {used} were indexed")
    axis = 0
    for at, item in enumerate(items):
        if item is Ellipsis:
            axis = len(shape) - sum(i is not None for i in items[at + 1 :])
        elif isinstance(item, (int, np.integer)):
            if not -shape[axis] <= item < shape[axis]:
                return IndexError(f"Index {item} is out of bounds for axis {axis} with size {shape[axis]}")
            axis += 1
        elif item is not None:
            axis += 1
    return IndexError("index is not valid")


def assign(target: Any, value: Any) -> None:
    value = from_like(value)
    if not isinstance(value, launch.array_class):
        target.fill(value)  # refuses host arrays that are not scalars
        return
    source, a = value._a, target._a
    while source.ndim > a.ndim and source.shape[0] == 1:
        source = source[0, ...]  # a view also where nothing is left of the shape
    if source.shape == a.shape and source.strides == a.strides and source.ctypes.data == a.ctypes.data:
        return  # x[i] += 1 ends here
    try:
        source = np.broadcast_to(source, a.shape)
    except ValueError:
        raise ValueError(f"operands could not be broadcast together with shape {value.shape} and {a.shape}") from None
    launch.copy_into(a, source)


def _prepare(items: tuple) -> list:
    """Turn lists and host arrays among indices into device arrays, as CuPy does (``_prepare_slice_list``)."""
    prepared = []
    for item in items:
        if isinstance(item, BASIC) and item is not True and item is not False:
            prepared.append(whole(item))
            continue
        if not isinstance(item, launch.array_class):
            empty = isinstance(item, (list, tuple))
            try:
                item = array(item)
            except ValueError:
                if isinstance(item, np.ndarray):
                    raise IndexError(
                        f"arrays used as indices must be of integer or boolean type (actual: {item.dtype.type})"
                    ) from None
                if isinstance(item, (list, tuple)):
                    np.asarray(item)  # what NumPy cannot make an array of raises NumPy's error
                raise IndexError(
                    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
                    "boolean arrays are valid indices"
                ) from None
            if empty and item.size == 0:
                item = item.astype(np.int32)
        if item.dtype.kind not in "biu":
            raise IndexError(f"arrays used as indices must be of integer or boolean type. (actual: {item.dtype.type})")
        prepared.append(item)
    return prepared


def is_field(x: Any, items: tuple) -> bool:
    """Whether an index names fields of a structured array."""
    if x._a.dtype.names is None or len(items) != 1:
        return False
    (item,) = items
    return isinstance(item, str) or (isinstance(item, list) and bool(item) and all(isinstance(i, str) for i in item))


def fields(x: Any, names: Any) -> Any:
    """A view of one field or several of a structured array."""
    view = x._a[names]
    if isinstance(names, str):
        if x._a.dtype.fields[names][0].subdtype is not None:
            raise ValueError("CuPy does not yet support accessing nested subarrays")
        need = view.dtype.itemsize if view.dtype.names is None else view.dtype.alignment
        steps = [step for step, n in zip(view.strides, view.shape, strict=True) if n > 1]
        offset = x._a.dtype.fields[names][1]
        if view.size and need in (1, 2, 4, 8, 16) and any(step % need for step in (offset, *steps)):
            raise ValueError(
                f"Cannot create result array with dtype {view.dtype}: the field is not sufficiently aligned for GPU "
                "use. You can ensure it with the `make_aligned_dtype()` helper."
            )
    return x._view(view)


def advanced_get(x: Any, items: tuple) -> Any:
    if is_field(x, items):
        return fields(x, items[0])
    items = _prepare(items)
    masks = [i for i in items if isinstance(i, launch.array_class) and i.dtype.kind == "b"]
    views = tuple(i._a if isinstance(i, launch.array_class) else i for i in items)
    if masks:
        _check_mask(x, items)
        shape = _shape_by_masks(x, items, views)
    else:
        shape = _result_shape(x._a, items)
    out = launch.empty(shape, x.dtype)
    arguments = (x._a, views, out._a)
    indices = [i._a for i in items if isinstance(i, launch.array_class)]
    read = out.nbytes + queue.nbytes(indices)
    if out.size:
        name = "cupy_getitem_mask" if masks else "cupy_take"
        if masks:  # a scan over the mask comes first
            queue.count("cupy_scan", masks[0].nbytes, masks[0].size * 4, reads=(masks[0]._a,), writes=())
            read = x.nbytes + launch.read(*masks) + masks[0].size * 4
        launch.submit(name, _gather, arguments, (x._a, *indices), (out._a,), read)
    return out


def _shape_by_masks(x: Any, items: list, views: tuple) -> tuple[int, ...]:
    # How many are true decides the shape.
    queue.count("memcpy DtoH", 4, 0, "d2h", reads=(), writes=(), unread=shapes.on)
    if shapes.on:
        if len(items) > 1:
            raise shapes.refuse("How large the result is depends on values of a mask among several indices")
        n = shapes.selected(views[0].size, "a mask")
        return (n, *x.shape[views[0].ndim :])
    queue.synchronize()
    return _masked_shape(x._a, views[0]) if len(items) == 1 else x._a[_wrapped(x._a, views)].shape


def _masked_shape(a: np.ndarray, mask: np.ndarray) -> tuple[int, ...]:
    return (int(np.count_nonzero(mask)), *a.shape[mask.ndim :])


def _check_mask(x: Any, items: list) -> None:
    axis = 0
    used = sum((i.ndim if isinstance(i, launch.array_class) and i.dtype.kind == "b" else 1) for i in items
               if i is not None and i is not Ellipsis)  # fmt: skip
    if used > x.ndim:
        raise IndexError(f"too many indices for array: array is {x.ndim}-dimensional, but {used} were indexed")
    for item in items:
        if item is Ellipsis:
            axis += x.ndim - used
        elif isinstance(item, launch.array_class) and item.dtype.kind == "b":
            for n in item.shape:
                if n not in (0, x.shape[axis]):
                    raise IndexError(
                        f"boolean index did not match indexed array along dimension {axis}; dimension is "
                        f"{x.shape[axis]} but corresponding boolean dimension is {n}"
                    )
                axis += 1
        elif item is not None:
            axis += 1


def _result_shape(a: np.ndarray, items: list) -> tuple[int, ...]:
    """The shape of integer-array indexing, which needs no data: index with zeros that take no memory."""
    used = sum(i is not None and i is not Ellipsis for i in items)
    if used > a.ndim:
        raise IndexError(f"too many indices for array: array is {a.ndim}-dimensional, but {used} were indexed")
    if len(items) == 1 and isinstance(items[0], launch.array_class):
        shape = (*items[0].shape, *a.shape[1:])
        if 0 in a.shape and 0 not in shape:
            raise IndexError("cannot do a non-empty take from an empty axes.")
        return shape
    zeros = tuple(np.broadcast_to(np.intp(0), i.shape) if isinstance(i, launch.array_class) else i for i in items)
    lengths, axis = list(a.shape), 0
    for item in items:
        if item is Ellipsis:
            axis += a.ndim - used
        elif item is not None:
            # An empty axis would refuse index 0, which is no error where nothing is taken.
            if isinstance(item, launch.array_class) and not lengths[axis]:
                lengths[axis] = 1
            axis += 1
    small = np.broadcast_to(np.int8(0), tuple(lengths))
    try:
        shape = small[zeros].shape
    except IndexError as error:
        raise _shape_error(a.shape, items, error) from None
    if 0 in a.shape and 0 not in shape:
        raise IndexError("cannot do a non-empty take from an empty axes.")
    return shape


def _shape_error(shape: tuple[int, ...], items: list, error: IndexError) -> IndexError:
    if "broadcast" in str(error):
        return IndexError(str(error))
    return basic_error(shape, tuple(0 if isinstance(i, launch.array_class) else i for i in items))


def _wrapped(a: np.ndarray, index: tuple) -> tuple:
    """Bring integer arrays into bounds: CuPy takes every index modulo the length of its axis."""
    used = sum(i.ndim if _is_mask(i) else 1 for i in index if i is not None and i is not Ellipsis)
    axis, wrapped = 0, []
    for i in index:
        if i is Ellipsis:
            axis += a.ndim - used
        elif i is not None:
            if isinstance(i, np.ndarray) and not _is_mask(i):
                n = a.shape[axis]
                if n and i.size and (i.min() < -n or i.max() >= n):
                    i = i % n
            axis += i.ndim if _is_mask(i) else 1
        wrapped.append(i)
    return tuple(wrapped)


def _is_mask(i: Any) -> bool:
    return isinstance(i, np.ndarray) and i.dtype == bool


def _gather(a: np.ndarray, index: tuple, out: np.ndarray) -> None:
    first = index[0]
    plain = len(index) == 1 and isinstance(first, np.ndarray) and first.dtype.kind in "iu"
    if plain and np.can_cast(first.dtype, np.intp):
        np.take(a, first, axis=0, out=out, mode="wrap")  # straight into its place
    else:
        out[...] = a[_wrapped(a, index)]


def take(a: Any, indices: Any, axis: int | None = None, out: Any = None) -> Any:
    """Elements at some indices along an axis; those out of bounds wrap around."""
    if not isinstance(indices, launch.array_class):
        scalar = np.ndim(indices) == 0
        indices = int(indices) if scalar else array(indices, dtype=int)
    shape = () if isinstance(indices, int) else indices.shape
    if axis is not None:
        axis = np.lib.array_utils.normalize_axis_index(axis, max(a.ndim, 1))
    whole = a.shape if a.ndim else (1,)
    result = shape if axis is None else (*whole[:axis], *shape, *whole[axis + 1 :])
    if out is None:
        out = launch.empty(result, a.dtype)
    elif out.dtype != a.dtype:
        raise TypeError("Output dtype mismatch")
    elif out.shape != result:
        raise ValueError("Output shape mismatch")
    if a.size == 0 and out.size:
        raise IndexError("cannot do a non-empty take from an empty axes.")
    if out.size:
        view = indices if isinstance(indices, int) else indices._a
        reads = (a._a,) if isinstance(indices, int) else (a._a, view)
        read = out.nbytes + queue.nbytes(reads[1:])
        launch.submit("cupy_take", _take, (a._a, view, axis, out._a), reads, (out._a,), read)
    return out


def _take(a: np.ndarray, indices: Any, axis: int | None, out: np.ndarray) -> None:
    out[...] = np.take(a, indices, axis=axis, mode="wrap")


def scatter(x: Any, index: Any, value: Any, operation: str) -> None:
    """Write to, or combine with, the elements at some indices.  Queued, except that masks are counted by CuPy first."""
    items = _prepare(index if type(index) is tuple else (index,))
    views = tuple(i._a if isinstance(i, launch.array_class) else i for i in items)
    masked = any(_is_mask(v) for v in views)
    if masked:
        _check_mask(x, items)
    if not any(isinstance(v, np.ndarray) for v in views):
        target = x._view(x._basic(views))
        if operation == "update":
            assign(target, value)
        else:
            _UFUNCS()[operation](target, value, target)
        return
    if not isinstance(value, launch.array_class):
        value = array(value, dtype=x.dtype)
    source = value._a.real if value.dtype.kind == "c" and x.dtype.kind != "c" else value._a
    if not masked:
        _check_types(x.dtype, operation)
        shape = _result_shape(x._a, items)
        while source.ndim > len(shape) and source.shape[0] == 1:
            source = source[0, ...]
        try:
            np.broadcast_to(source, shape)
        except ValueError:
            raise ValueError(f"operands could not be broadcast together with shape {value.shape} and {shape}") from None
    if not x.size:
        return
    function = _set if operation == "update" else _combine
    reads = [*(v for v in views if isinstance(v, np.ndarray)), source]
    read = queue.nbytes(reads)
    written = x.nbytes if masked else math.prod(shape) * x.itemsize
    if operation != "update":
        reads.append(x._a)
        read += written
    launch.submit(
        f"cupy_scatter_{operation}" + ("_mask" if masked else ""),
        function,
        (x._a, views, source, operation),
        reads=reads,
        writes=(x._a,),
        bytes_read=read,
        bytes_written=written,
    )


_WIDE = ("int32", "int64", "uint32", "uint64")
_COMBINES = {
    "add": ("int32", "int64", "float16", "float32", "float64", "uint32", "uint64"),
    "sub": ("int32", "uint32"),
    "max": ("int32", "int64", "float32", "float64", "uint32", "uint64"),
    "min": ("int32", "int64", "float32", "float64", "uint32", "uint64"),
    "and": _WIDE, "or": _WIDE, "xor": _WIDE,
}  # fmt: skip
"""Types that CuPy has an atomic operation for (`_scatter_op_single` in its `_routines_indexing.pyx`)."""


def _check_types(dtype: np.dtype, operation: str) -> None:
    allowed = _COMBINES.get(operation)
    if allowed is not None and dtype.name not in allowed:
        raise TypeError(f"cupy.{_NAMES[operation]}.at only supports {', '.join(allowed)} as data type")


def _set(a: np.ndarray, index: tuple, value: np.ndarray, operation: str) -> None:
    a[_wrapped(a, index)] = _in_type(value, a.dtype)


def _combine(a: np.ndarray, index: tuple, value: np.ndarray, operation: str) -> None:
    getattr(np, _NAMES[operation]).at(a, _wrapped(a, index), _in_type(value, a.dtype))


def _in_type(value: np.ndarray, dtype: np.dtype) -> np.ndarray:
    if value.dtype.kind == "f" and dtype.kind in "iu" and value.size:
        result = np.empty(value.shape, dtype)
        convert(result, value)
        return result
    return value.astype(dtype, copy=False)


_NAMES = {
    "add": "add", "sub": "subtract", "max": "maximum", "min": "minimum",
    "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
}  # fmt: skip


def _UFUNCS() -> dict:
    from .ufuncs import by_name

    return {short: by_name[name] for short, name in _NAMES.items()}
