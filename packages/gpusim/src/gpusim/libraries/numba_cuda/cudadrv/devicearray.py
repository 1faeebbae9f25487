"""Device arrays under their real names: `DeviceNDArray`, `DeviceRecord`, mapped and managed arrays."""

from __future__ import annotations

import functools
import math
import warnings
from typing import Any

import numpy as np

from gpusim.device import queue
from gpusim.importing.errors import NotSimulatedError
from gpusim.importing.names import refused_class

from .. import _memory
from .._context import get_context
from . import _layout
from ._base import (
    ERRMSG_CONTIGUOUS,
    DeviceNDArrayBase,
    array_core,
    check_array_compatibility,
    is_contiguous,
    sentry_contiguous,
)

errmsg_contiguous_buffer = ERRMSG_CONTIGUOUS
IpcArrayHandle = refused_class(
    "numba.cuda.cudadrv.devicearray.IpcArrayHandle",
    "copy_to_host()",
    "Device memory cannot be shared between processes.",
)


class DeviceRecord(DeviceNDArrayBase):
    """A record in device memory."""

    def __init__(self, dtype: Any, stream: Any = 0, gpu_data: Any = None):
        super().__init__((), (), dtype, stream, gpu_data)

    @property
    def _numba_type_(self) -> Any:
        return _from_dtype(self.dtype)

    def __getitem__(self, item: str) -> Any:
        return self.getitem(item)

    def getitem(self, item: str, stream: Any = 0) -> Any:
        """A field: a host scalar, or a view of a nested record or array."""
        stream = self._default_stream(stream)
        field, offset = self.dtype.fields[item][:2]
        data = self.gpu_data.view(offset)
        if field.shape:
            shape, base = field.shape, field.subdtype[0]
            return DeviceNDArray(shape, _layout.packed_strides(shape, base.itemsize), base, stream, data)
        if field.names is not None:
            return DeviceRecord(field, stream, data)
        host = np.empty(1, field)
        _memory.copy_to_host(host, data.array((1,), (field.itemsize,), field), field.itemsize, stream)
        return host[0]

    def __setitem__(self, key: str, value: Any) -> None:
        self.setitem(key, value)

    def setitem(self, key: str, value: Any, stream: Any = 0) -> None:
        """Set a field."""
        stream = self._default_stream(stream)
        field, offset = self.dtype.fields[key][:2]
        target = DeviceRecord(field, stream, self.gpu_data.view(offset))
        source, _ = auto_device(field.type(value), stream=stream, user_explicit=True)
        _memory.copy_on_device(target._a, source._a, field.itemsize)
        if not stream:
            queue.synchronize()


class DeviceNDArray(DeviceNDArrayBase):
    """An array in simulated device memory."""

    def is_f_contiguous(self) -> bool:
        """Whether it is Fortran-contiguous."""
        return self.flags["F_CONTIGUOUS"]

    def is_c_contiguous(self) -> bool:
        """Whether it is C-contiguous."""
        return self.flags["C_CONTIGUOUS"]

    @functools.cached_property
    def _numba_type_(self) -> Any:
        from numba.core import types

        flags, broadcast = self.flags, 0 in self.strides and self.size != 0
        layout = "A"
        if not broadcast:
            layout = "C" if flags["C_CONTIGUOUS"] else "F" if flags["F_CONTIGUOUS"] else "A"
        return types.Array(_from_dtype(self.dtype), self.ndim, layout)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if copy is False:
            raise ValueError("`copy=False` is not supported. A copy is always created.")
        host = self.copy_to_host()
        return host.__array__(dtype) if dtype else host

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def reshape(self, *newshape: Any, **kws: Any) -> DeviceNDArray:
        """The elements in another shape, a view; ``order`` may be C, F or A.

        Raises
        ------
        NotImplementedError
            If it would need a copy.
        """
        if len(newshape) == 1 and isinstance(newshape[0], (tuple, list)):
            newshape = tuple(newshape[0])
        order = kws.pop("order", "C")
        if kws:
            raise TypeError(f"unknown keyword arguments {list(kws)}")
        shape, strides = self.shape, self.strides
        if newshape != shape:
            shape, strides = _layout.reshaped(shape, strides, self.dtype.itemsize, newshape, order)
        return type(self)(shape, strides, self.dtype, gpu_data=self.gpu_data)

    def ravel(self, order: str = "C", stream: Any = 0) -> DeviceNDArray:
        """The elements of a contiguous array in one row, a view."""
        shape, strides = _layout.raveled(self.shape, self.strides, self.dtype.itemsize, order)
        return type(self)(shape, strides, self.dtype, self._default_stream(stream), self.gpu_data)

    def __getitem__(self, item: Any) -> Any:
        return self.getitem(item)

    def getitem(self, item: Any, stream: Any = 0) -> Any:
        """An element as a host scalar, or a view."""
        stream = self._default_stream(stream)
        offset, shape, strides = _layout.index(self.shape, self.strides, item)
        first, last = _memory.extents(shape, strides, self.dtype.itemsize)
        data = self.gpu_data.view(offset, offset + max(last, 0)) if self.size else self.gpu_data
        if shape or not _is_element(item, self.ndim):
            return type(self)(shape, strides, self.dtype, stream, data)
        if self.dtype.names is not None:
            return DeviceRecord(self.dtype, stream, data)
        host = np.empty(1, self.dtype)
        source = data.array((1,), (self.dtype.itemsize,), self.dtype)
        _memory.copy_to_host(host, source, self.dtype.itemsize, stream)
        return host[0]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.setitem(key, value)

    def setitem(self, key: Any, value: Any, stream: Any = 0) -> None:
        """Assign to elements: a transfer for a host value, a kernel, and without a stream a synchronisation."""
        stream = self._default_stream(stream)
        offset, shape, strides = _layout.index(self.shape, self.strides, key)
        target = (
            self.gpu_data.view(offset).array(shape, strides, self.dtype) if self.size else np.empty(shape, self.dtype)
        )
        source, _ = auto_device(value, stream=stream, user_explicit=True)
        if source.ndim > len(shape):
            raise ValueError(f"Can't assign {source.ndim}-D array to {len(shape)}-D self")
        padded = (1,) * (len(shape) - source.ndim) + tuple(source.shape)
        for axis, (left, right) in enumerate(zip(shape, padded, strict=True)):
            if right not in (1, left):
                raise ValueError(f"Can't copy sequence with size {right} to array axis {axis} with dimension {left}")
        if source.dtype.kind == "c" and self.dtype.kind not in "cV":
            raise TypeError(
                f"cannot assign {source.dtype} to an array of {self.dtype}: it would lose the imaginary part"
            )
        if math.prod(shape):
            view = source._a.reshape(padded)
            queue.submit("assign", np.copyto, (target, view, "unsafe"), reads=(view,), writes=(target,))
        if not stream:
            get_context().get_default_stream().synchronize()


def _is_element(item: Any, ndim: int) -> bool:
    items = item if isinstance(item, tuple) else (item,)
    return len(items) == ndim and not any(isinstance(one, slice) for one in items)


def _from_dtype(dtype: np.dtype) -> Any:
    from numba.core import types
    from numba.np import numpy_support

    return types.float16 if dtype == np.float16 else numpy_support.from_dtype(dtype)


class _HostVisible(DeviceNDArrayBase, np.ndarray):
    """A NumPy array whose memory the device sees too.  Its content is right after a synchronisation."""

    def device_setup(self, gpu_data: Any, stream: Any = 0) -> None:
        """Tie the array to its memory."""
        self.gpu_data, self.stream = gpu_data, stream

    def __array_finalize__(self, source: Any) -> None:
        self.stream = getattr(source, "stream", 0)
        self.gpu_data = getattr(source, "gpu_data", None)

    @property
    def _a(self) -> np.ndarray:
        return self.view(np.ndarray)

    @property
    def alloc_size(self) -> int:
        """Bytes from the first to the last element."""
        return _memory.memory_size_from_info(self.shape, self.strides, self.dtype.itemsize)

    @property
    def _numba_type_(self) -> Any:
        import numba

        return numba.typeof(self.view(np.ndarray))

    # What NumPy does with an array of the host, it does with this one.
    view, squeeze, transpose, T = np.ndarray.view, np.ndarray.squeeze, np.ndarray.transpose, np.ndarray.T
    flags, nbytes, __copy__ = np.ndarray.flags, np.ndarray.nbytes, np.ndarray.__copy__

    def __reduce_ex__(self, protocol: int) -> Any:
        return np.array(self, subok=False).__reduce_ex__(protocol)


class MappedNDArray(_HostVisible):
    """A host array in memory that is mapped to the device."""


class ManagedNDArray(_HostVisible):
    """An array in managed memory."""


def is_cuda_ndarray(obj: Any) -> bool:
    """Whether an object is a device array of this library."""
    return getattr(obj, "__cuda_ndarray__", False)


def require_cuda_ndarray(obj: Any) -> None:
    """Raise ValueError if an object is not a device array of this library."""
    if not is_cuda_ndarray(obj):
        raise ValueError("require an cuda ndarray object")


def verify_cuda_ndarray_interface(obj: Any) -> None:
    """Raise if an object is not a device array or lacks what one has."""
    require_cuda_ndarray(obj)
    for name, kind in (("shape", tuple), ("strides", tuple), ("dtype", np.dtype), ("size", int)):
        if not isinstance(getattr(obj, name), kind):
            raise AttributeError(f"{name} must be of type {kind}")


def from_array_like(ary: Any, stream: Any = 0, gpu_data: Any = None) -> DeviceNDArray:
    """A new device array with the shape, strides and dtype of another array."""
    return DeviceNDArray(ary.shape, ary.strides, ary.dtype, stream=stream, gpu_data=gpu_data)


def from_record_like(rec: Any, stream: Any = 0, gpu_data: Any = None) -> DeviceRecord:
    """A new device record of the dtype of another."""
    return DeviceRecord(rec.dtype, stream=stream, gpu_data=gpu_data)


def auto_device(obj: Any, stream: Any = 0, copy: bool = True, user_explicit: bool = False) -> tuple[Any, bool]:
    """A device array or record of an object, and whether it is new: what is on the device already is returned as it is.

    Raises
    ------
    ValueError
        For a host array that is not contiguous.
    """
    if getattr(obj, "__cuda_memory__", False):
        return obj, False
    interface = getattr(obj, "__cuda_array_interface__", None)
    if interface is not None:
        from ..api import from_cuda_array_interface

        return from_cuda_array_interface(interface, owner=obj), False
    if isinstance(obj, np.void):
        made = from_record_like(obj, stream=stream)
        if copy:
            _memory.copy_from_host(made._a, np.array(obj, dtype=obj.dtype), obj.dtype.itemsize, stream)
        return made, True
    if isinstance(obj, np.ma.MaskedArray):
        raise NotSimulatedError("a masked array on the device", "x.filled(value)")
    host = np.array(obj, copy=None, subok=True)
    sentry_contiguous(host)
    made = from_array_like(host, stream=stream)
    if copy:
        if not user_explicit and isinstance(obj, np.ndarray):
            warn_of_implicit_copy()
        made.copy_to_device(host, stream=stream)
    return made, True


def warn_of_implicit_copy() -> None:
    """Warn, as numba-cuda does, of a host array that a launch copies to the device and back."""
    from .._warn import performance_warning

    performance_warning(
        "CUDA_WARN_ON_IMPLICIT_COPY", "Host array used in CUDA kernel will incur copy overhead to/from device."
    )


_ = warnings, array_core, check_array_compatibility, is_contiguous
