"""Bytes in device memory."""

from __future__ import annotations

import ctypes
import operator
from typing import Any

import numpy as np
from rmm.pylibrmm.memory_resource._base import Allocation, DeviceMemoryResource
from rmm.pylibrmm.memory_resource._current import get_current_device_resource
from rmm.pylibrmm.stream import DEFAULT_STREAM, Stream, as_stream

from gpusim.device import queue, regions


def _size_t(size: Any) -> int:
    """A number of bytes as Cython takes it: a whole number that is not negative."""
    size = operator.index(size)
    if size < 0:
        raise OverflowError("can't convert negative value to size_t")
    return size


def _on_device(ptr: int) -> bool:
    """Whether an address lies in the simulated device's memory."""
    return any(raw.ctypes.data <= ptr < raw.ctypes.data + raw.size for raw, _ in regions.alive())


def _bytes_at(ptr: int, size: int) -> np.ndarray:
    return np.frombuffer((ctypes.c_ubyte * size).from_address(ptr), np.uint8)


def _flat(buffer: Any) -> np.ndarray:
    """The bytes of a contiguous host buffer, without a copy."""
    view = memoryview(buffer)
    if view.format not in ("B", "@B"):
        raise ValueError(f"Buffer dtype mismatch, expected 'const unsigned char' but got {view.format!r}")
    if view.ndim != 1:
        raise ValueError(f"Buffer has wrong number of dimensions (expected 1, got {view.ndim})")
    if not view.c_contiguous:
        raise ValueError("ndarray is not C-contiguous")
    return np.frombuffer(view, np.uint8) if view.nbytes else np.empty(0, np.uint8)


class DeviceBuffer:
    """A buffer in device memory.

    Parameters
    ----------
    ptr : int, optional
        Address, on the host or the device, that ``size`` bytes are copied from.
    size : int, optional
        Bytes.
    stream : Stream, optional
        In whose order.
    mr : DeviceMemoryResource, optional
        Where the memory comes from; the current device's resource without it.
    """

    def __init__(
        self,
        *,
        ptr: int = 0,
        size: int = 0,
        stream: Any = DEFAULT_STREAM,
        mr: DeviceMemoryResource | None = None,
    ) -> None:
        self.stream = as_stream(stream)
        self.mr = get_current_device_resource() if mr is None else mr
        self._size = _size_t(size)
        self._memory = Allocation(self.mr, self._size)
        if ptr and size:
            copied = _bytes_at(int(ptr), self._size)
            if _on_device(int(ptr)):
                queue.count("memcpy DtoD", self._size, self._size, reads=(copied,), writes=(self._raw,))
            else:
                queue.count("memcpy HtoD", 0, self._size, "h2d", reads=(), writes=(self._raw,))
            queue.run()
            np.copyto(self._raw, copied)

    @property
    def _raw(self) -> np.ndarray:
        return self._memory.raw[: self._size]

    def __len__(self) -> int:
        return self._size

    def __sizeof__(self) -> int:
        return self._size

    def __bytes__(self) -> bytes:
        return self.tobytes()

    @property
    def nbytes(self) -> int:
        """Bytes."""
        return self._size

    @property
    def ptr(self) -> int:
        """The address, 0 for no bytes."""
        return self._memory.ptr if self._memory.size else 0

    @property
    def size(self) -> int:
        """Bytes."""
        return self._size

    def __reduce__(self) -> tuple:
        return to_device, (self.copy_to_host(),)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"data": (self.ptr, False), "shape": (self._size,), "strides": None, "typestr": "|u1", "version": 0}

    def prefetch(self, device: int | None = None, stream: Stream | None = None) -> None:
        """Bring managed memory to a device: in simulation it is there."""

    def copy(self) -> DeviceBuffer:
        """A copy in other memory of the same resource."""
        return DeviceBuffer(ptr=self.ptr, size=self._size, stream=self.stream, mr=self.mr)

    __copy__ = copy

    @staticmethod
    def to_device(b: Any, stream: Any = DEFAULT_STREAM) -> DeviceBuffer:
        """A buffer with a copy of host bytes."""
        return to_device(b, stream)

    def copy_to_host(self, ary: Any = None, stream: Any = DEFAULT_STREAM) -> Any:
        """Copy to a host buffer, a new NumPy array without one, and return that."""
        as_stream(stream)
        target = np.empty(self._size, np.uint8) if ary is None else ary
        view = _flat(target)
        if view.size < self._size:
            raise ValueError(f"Argument `ary` is too small. Need space for {self._size} bytes.")
        queue.count("memcpy DtoH", self._size, 0, "d2h", reads=(self._raw,), writes=())
        queue.synchronize()
        if not view.flags.writeable:
            raise BufferError("Object is not writable.")
        np.copyto(view[: self._size], self._raw)
        return target

    def copy_from_host(self, ary: Any, stream: Any = DEFAULT_STREAM) -> None:
        """Copy host bytes to the beginning of the buffer."""
        as_stream(stream)
        view = _flat(ary)
        if view.size > self._size:
            raise ValueError(f"Argument `ary` is too large. Need space for {view.size} bytes.")
        target = self._raw[: view.size]
        queue.count("memcpy HtoD", 0, view.size, "h2d", reads=(), writes=(target,))
        queue.run()
        np.copyto(target, view)

    def copy_from_device(self, cuda_ary: Any, stream: Any = DEFAULT_STREAM) -> None:
        """Copy a contiguous 1-d device array to the beginning of the buffer."""
        as_stream(stream)
        if not hasattr(cuda_ary, "__cuda_array_interface__"):
            raise ValueError("Expected object to support `__cuda_array_interface__` protocol")
        interface = cuda_ary.__cuda_array_interface__
        shape, strides, dtype = interface["shape"], interface.get("strides"), np.dtype(interface["typestr"])
        if len(shape) > 1:
            raise ValueError(f"Only 1-D contiguous arrays are supported, got {len(shape)}-D array")
        if strides is not None and strides[0] != dtype.itemsize:
            raise ValueError("Only 1-D contiguous arrays are supported, got a non-contiguous array")
        size = shape[0] * dtype.itemsize
        if size > self._size:
            raise ValueError(f"Argument `hb` is too large. Need space for {size} bytes.")
        target = self._raw[:size]
        source = _bytes_at(interface["data"][0], size) if size else target
        queue.count("memcpy DtoD", size, size, reads=(source,), writes=(target,))
        queue.run()
        np.copyto(target, source)

    def tobytes(self, stream: Any = DEFAULT_STREAM) -> bytes:
        """The bytes on the host."""
        return self.copy_to_host(stream=stream).tobytes()

    def reserve(self, new_capacity: int, stream: Any = DEFAULT_STREAM) -> None:
        """Have room for as many bytes."""
        if _size_t(new_capacity) > self._memory.size:
            larger = Allocation(self.mr, new_capacity)
            queue.run()
            np.copyto(larger.raw[: self._size], self._raw)
            self._memory = larger

    def resize(self, new_size: int, stream: Any = DEFAULT_STREAM) -> None:
        """Have as many bytes; new ones are undefined."""
        self.reserve(new_size, stream)
        self._size = _size_t(new_size)

    def capacity(self) -> int:
        """Bytes that there is room for."""
        return self._memory.size


def to_device(b: Any, stream: Any = DEFAULT_STREAM) -> DeviceBuffer:
    """A buffer with a copy of host bytes."""
    if b is None:
        raise TypeError("Argument 'b' has incorrect type (expected bytes-like, got NoneType)")
    view = _flat(b)
    if not view.size:
        raise IndexError("Out of bounds on buffer access (axis 0)")
    return DeviceBuffer(ptr=view.ctypes.data, size=view.size, stream=stream)


def copy_ptr_to_host(db: int, hb: Any, stream: Any = DEFAULT_STREAM) -> None:
    """Copy from a device address over a host buffer."""
    view = _flat(hb)
    source = _bytes_at(db, view.size)
    queue.count("memcpy DtoH", view.size, 0, "d2h", reads=(source,), writes=())
    queue.synchronize()
    np.copyto(view, source)


def copy_host_to_ptr(hb: Any, db: int, stream: Any = DEFAULT_STREAM) -> None:
    """Copy a host buffer to a device address."""
    view = _flat(hb)
    target = _bytes_at(db, view.size)
    queue.count("memcpy HtoD", 0, view.size, "h2d", reads=(), writes=(target,))
    queue.run()
    np.copyto(target, view)


def copy_device_to_ptr(d_src: int, d_dst: int, count: int, stream: Any = DEFAULT_STREAM) -> None:
    """Copy between device addresses."""
    target, source = _bytes_at(d_dst, count), _bytes_at(d_src, count)
    queue.count("memcpy DtoD", count, count, reads=(source,), writes=(target,))
    queue.run()
    np.copyto(target, source)
