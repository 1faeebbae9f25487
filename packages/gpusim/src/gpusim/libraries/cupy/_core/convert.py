"""Making device arrays of what a caller has: other arrays, host arrays, numbers, nested lists."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gpusim.device import device, queue, unowned
from gpusim.importing.errors import NotSimulatedError

from . import launch
from .base import normal_dtype, normal_order, normal_shape

_NARROW = np.dtype(np.intp).itemsize < 8


def array(
    obj: Any,
    dtype: Any = None,
    copy: Any = True,
    order: str | None = "K",
    subok: bool = False,
    ndmin: int = 0,
    *,
    blocking: bool = False,
) -> Any:
    """Make a device array.

    Parameters
    ----------
    obj
        A device array (copied on the device), a host array, number or nested list (copied to the device), or a
        nested list of device arrays (stacked).
    dtype : optional
        Of the result; by default what NumPy would choose.
    copy : bool, optional
        None returns ``obj`` itself where it fits; False raises a ValueError where it does not fit.
    order : {'C', 'F', 'A', 'K'}
        Memory layout.
    ndmin : int
        Axes of length 1 are put in front up to this many.
    blocking : bool
        Wait for the transfer.

    Returns
    -------
    cupy.ndarray
    """
    if subok:
        raise NotImplementedError
    order = normal_order("K" if order is None else order, "CFAK")
    dtype = None if dtype is None else normal_dtype(dtype)
    if not isinstance(obj, launch.array_class):
        obj = from_like(obj)
    if isinstance(obj, launch.array_class):
        result = _from_device(obj, dtype, copy, order)
    elif isinstance(obj, (list, tuple)) and _holds_device_arrays(obj):
        result = _stack(obj)
        result = result.astype(result.dtype if dtype is None else dtype, "F" if order == "F" else "C", copy=False)
    else:
        result = _from_host(obj, dtype, order, ndmin)
    if result.ndim < ndmin:
        result = result.reshape((1,) * (ndmin - result.ndim) + result.shape)
    if blocking:
        queue.synchronize()
    return result


def from_like(obj: Any) -> Any:
    """The device array that another object shows or gives; the object itself if it does neither."""
    # Not every host array is only that: one of mapped memory shows the device's view of itself.
    if type(obj) is np.ndarray or isinstance(
        obj, (launch.array_class, list, tuple, int, float, complex, str, np.generic)
    ):
        return obj
    if hasattr(obj, "__cuda_array_interface__"):
        return _borrow(obj)
    if hasattr(obj, "__cupy_get_ndarray__"):
        return obj.__cupy_get_ndarray__()
    return obj


def _borrow(obj: Any) -> Any:
    """A device array over the simulated device memory that another object shows."""
    interface = obj.__cuda_array_interface__
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    if dtype.kind == "V" and interface.get("descr") and interface["descr"][0][0]:
        dtype = np.dtype(interface["descr"])  # the type string of a structured type is its size alone
    if dtype.kind not in "Mm":  # dates can be held, though there is no kernel for them
        dtype = normal_dtype(dtype)
    if interface.get("mask") is not None:
        raise ValueError("CuPy currently does not support masked arrays.")
    if 0 in shape:
        return launch.empty(shape, dtype)
    strides = interface.get("strides")
    reach = [(n - 1) * s for n, s in zip(shape, strides, strict=True)] if strides else []
    before, after = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
    nbytes = after - before + dtype.itemsize if strides else math.prod(shape) * dtype.itemsize
    block = unowned.borrow(interface["data"][0] + before, nbytes, device.current(), obj)
    if block is None:
        raise NotSimulatedError(f"taking over the device memory of {type(obj)}", "cupy.asarray of a host array")
    return launch.wrap(np.ndarray(shape, dtype, block.raw, -before, strides), block)


def _from_device(obj: Any, dtype: Any, copy: Any, order: str) -> Any:
    dtype = obj.dtype if dtype is None else dtype
    if obj._block.device_id != device.current() and obj.size:
        return obj.copy(order).astype(dtype, copy=False)
    made = obj.astype(dtype, order, copy=bool(copy))
    if copy is False and made is not obj:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    return made


def _from_host(obj: Any, dtype: Any, order: str, ndmin: int) -> Any:
    host = np.array(obj, dtype=dtype, copy=None, ndmin=ndmin)
    if dtype is None and _NARROW and host.dtype == np.intp and not isinstance(obj, (np.ndarray, np.generic)):
        host = host.astype(np.int64)  # Python's whole numbers are a GPU's int64 wherever this runs
    if not host.dtype.isnative:
        host = host.astype(host.dtype.newbyteorder("<"))
    normal_dtype(host.dtype)
    if order in "KA":
        order = "F" if isinstance(obj, np.ndarray) and host.flags.fnc else "C"
    if host.ndim == 0:  # a kernel argument, not a transfer
        result = launch.empty((), host.dtype)
        result.fill(host)
        return result
    return launch.upload(host, order)


def _holds_device_arrays(obj: Any) -> bool:
    while isinstance(obj, (list, tuple)):
        if not obj:
            return False
        if any(_is_device_array(item) for item in obj):
            return True
        obj = obj[0]
    return False


def _is_device_array(obj: Any) -> bool:
    kind = type(obj)
    return (
        isinstance(obj, launch.array_class)
        or hasattr(kind, "__cuda_array_interface__")
        or hasattr(kind, "__cupy_get_ndarray__")
    )


def _stack(obj: Any) -> Any:
    """Stack a nested list of device arrays of one shape."""
    from .joining import concatenate

    parts = [_stack(item) if isinstance(item, (list, tuple)) else from_like(item) for item in obj]
    for part in parts:
        if not isinstance(part, launch.array_class):
            raise TypeError(launch.IMPLICIT)  # NumPy is asked for what is not of arrays alone, or not of one shape
    if any(part.shape != parts[0].shape for part in parts):
        raise TypeError(launch.IMPLICIT)
    return concatenate([part.reshape((1, *part.shape)) for part in parts], 0)


def asarray(a: Any, dtype: Any = None, order: str | None = None, *, blocking: bool = False, copy: Any = None) -> Any:
    """Make a device array, without a copy if it is one already; see :func:`array`."""
    return array(a, dtype, copy, "K" if order is None else order, blocking=blocking)


def device_array(a: Any) -> Any:
    """The argument itself if it is a device array, else CuPy's TypeError."""
    if not isinstance(a, launch.array_class):
        raise TypeError(f"Unsupported type {type(a)}")
    return a


def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C") -> Any:
    """A new array filled with one value."""
    if dtype is None:
        dtype = fill_value.dtype if isinstance(fill_value, launch.array_class) else np.array(fill_value).dtype
    result = launch.empty(normal_shape(shape), normal_dtype(dtype), normal_order(order))
    result.fill(fill_value)
    return result
