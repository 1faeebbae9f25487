"""Allocations and pointers into them."""

from __future__ import annotations

import abc
import ctypes
import functools
import weakref
from typing import Any

import numpy as np

from gpusim.device import activity, device, pinned, queue, unowned
from gpusim.device import memory as engine
from gpusim.importing.errors import NotSimulatedError
from gpusim.importing.names import extension_type

from .._core import launch


class BaseMemory(abc.ABC):  # noqa: B024  (the engine's own classes are registered with it)
    """Memory on a device: ``ptr`` (its address), ``size`` (bytes), ``device_id``.

    Arrays stand on it. For them the simulation has ``raw``, its bytes as a 1-d array, and ``in_flight()``, whether operations of
    an earlier owner may still wait.
    """

    ptr = 0
    size = 0
    device_id = 0

    @functools.cached_property
    def raw(self) -> np.ndarray:
        if not self.ptr:
            return engine.EmptyBlock.raw
        found = unowned.borrow(self.ptr, self.size, self.device_id, None)
        if found is None:
            raise NotSimulatedError(f"the memory at {self.ptr:#x}, which is no simulated device memory,")
        return found.raw

    def in_flight(self) -> bool:
        return True

    def __int__(self) -> int:
        return self.ptr

    @property
    def device(self) -> Any:
        """The device it lies on."""
        from .device import Device

        return Device(self.device_id)


@extension_type("cupy.cuda.memory")
class Memory(BaseMemory):
    """Memory taken from the device without a pool, and given back when the last reference dies.

    Parameters
    ----------
    size : int
        Bytes.
    """

    def __init__(self, size: int):
        self.size = size
        self.device_id = device.current()
        self._stand_on(_taken(size))

    def _stand_on(self, block: engine.Block | engine.EmptyBlock) -> None:
        self._block, self.raw, self.ptr = block, block.raw, block.ptr

    def in_flight(self) -> bool:
        return self._block.in_flight()


def _taken(size: int) -> engine.Block | engine.EmptyBlock:
    """A block of a pool of its own, which lives as long as the block."""
    try:
        return engine.Pool(device.current()).malloc(size)
    except engine.OutOfMemoryError:
        from .runtime import CUDARuntimeError

        raise CUDARuntimeError(2) from None


# What the pools of the engine give out; a class of the engine's, so that an allocation costs nothing more.
PooledMemory = engine.Block
BaseMemory.register(PooledMemory)


BaseMemory.register(engine.EmptyBlock)
Memory.register(engine.EmptyBlock)
BaseMemory.register(unowned.Borrowed)


def _device(self: Any) -> Any:
    from .device import Device

    return Device(self.device_id)


PooledMemory.device = engine.EmptyBlock.device = property(_device)
PooledMemory.identity = "Memory"


@extension_type("cupy.cuda.memory")
class UnownedMemory(BaseMemory):
    """Device memory that belongs to another object.

    Parameters
    ----------
    ptr, size : int
        Its address and bytes.
    owner
        Kept alive as long as this.
    device_id : int
        By default found by the address.

    Raises
    ------
    NotSimulatedError
        If the address is not one of simulated device memory.
    """

    def __init__(self, ptr: int, size: int, owner: Any, device_id: int = -1):
        if device_id < 0 and not ptr:
            raise RuntimeError("UnownedMemory requires explicit device ID for a null pointer.")
        if device_id < 0:
            device_id = unowned.device_of(ptr)
        self.ptr, self.size, self._owner = ptr, size, owner
        self.device_id = device.current() if device_id is None else device_id
        _ = self.raw  # which refuses other addresses


class _Movable(Memory):
    def prefetch(self, stream: Any, *, device_id: int = -2) -> None:
        """Accepted: host and simulated device share their memory."""
        from .runtime import CUDARuntimeError

        if device_id >= device.count() or device_id < -2:
            raise CUDARuntimeError(101)

    def advise(self, advise: int, dev: Any) -> None:
        """Accepted: host and simulated device share their memory."""
        from .runtime import CUDARuntimeError

        if not 1 <= advise <= 6:
            raise CUDARuntimeError(1)


class ManagedMemory(_Movable):
    """Memory that host and device share (``cudaMallocManaged``)."""


class SystemMemory(_Movable):
    """Memory of the host that the device reaches."""


class MemoryAsync(Memory):
    """Memory allocated and freed in the order of a stream (``cudaMallocAsync``)."""

    def __init__(self, size: int, stream: Any):
        super().__init__(size)
        self.stream_ref = weakref.ref(stream)


class PythonFunctionAllocatorMemory(BaseMemory):
    """Memory from a function of the caller's; see :class:`PythonFunctionAllocator`."""

    def __init__(self, size: int, malloc: Any, free: Any):
        self.size, self._free = size, free
        self.device_id = device.current()
        self.ptr = malloc(size, self.device_id)

    def __del__(self) -> None:
        self._free(self.ptr, self.device_id)


@extension_type("cupy.cuda.memory")
class MemoryPointer:
    """A place in device memory.

    Attributes
    ----------
    ptr : int
        Its address, valid only in simulation.
    mem : BaseMemory
        The allocation it lies in.
    device_id : int
        The device.
    """

    __slots__ = ("_mem", "_offset")

    def __init__(self, mem: Any, offset: int):
        self._mem, self._offset = mem, offset

    # Asked for when it is needed, as every array's allocation passes here: NumPy takes a microsecond to find an address.

    @property
    def mem(self) -> Any:
        return self._mem

    @property
    def ptr(self) -> int:
        return self._mem.ptr + self._offset

    @property
    def device_id(self) -> int:
        return self._mem.device_id

    @property
    def device(self) -> Any:
        """The device."""
        return _device(self)

    def __int__(self) -> int:
        return self.ptr

    def __repr__(self) -> str:
        return f"<MemoryPointer {self.ptr:#x} device={self.device_id} mem={self.mem!r}>"

    def __add__(self, offset: int) -> MemoryPointer:
        return MemoryPointer(self._mem, self._offset + offset)

    __radd__ = __add__

    def __iadd__(self, offset: int) -> MemoryPointer:
        self._offset += offset
        return self

    def __sub__(self, offset: int) -> MemoryPointer:
        return self + -offset

    def __isub__(self, offset: int) -> MemoryPointer:
        self._offset -= offset
        return self

    def _bytes(self, size: int) -> np.ndarray:
        view = self._mem.raw[self._offset : self._offset + size]
        if view.size != size:
            from .runtime import CUDARuntimeError

            raise CUDARuntimeError(1)
        return view

    def memset(self, value: int, size: int) -> None:
        """Fill bytes."""
        self.memset_async(value, size)
        queue.synchronize()

    def memset_async(self, value: int, size: int, stream: Any = None) -> None:
        """Fill bytes, in stream order."""
        view = self._bytes(size)
        launch.submit("memset", np.ndarray.fill, (view, value), reads=(), writes=(view,))

    def copy_from_device(self, src: MemoryPointer, size: int) -> None:
        """Copy bytes within device memory."""
        target, source = self._bytes(size), src._bytes(size)
        launch.submit("memcpy DtoD", np.copyto, (target, source), reads=(source,), writes=(target,))

    def copy_from_device_async(self, src: MemoryPointer, size: int, stream: Any = None) -> None:
        """Copy bytes within device memory, in stream order."""
        self.copy_from_device(src, size)

    def copy_from_host(self, mem: Any, size: int) -> None:
        """Copy bytes from a host address."""
        self.copy_from_host_async(mem, size)
        queue.synchronize()

    def copy_from_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """Copy bytes from a host address, in stream order; pinned memory is read when the copy runs, other memory at once."""
        data = np.frombuffer((ctypes.c_uint8 * size).from_address(_address(mem)), np.uint8)
        stays = pinned.is_pinned(data)
        if not stays:
            data = data.copy()
        view = self._bytes(size)
        with activity.on(None if stream is None else int(stream.ptr), waits=not stays, pinned=stays):
            queue.count("memcpy HtoD", 0, size, "h2d", reads=(), writes=(view,))
        queue.submit_uncounted("memcpy HtoD", np.copyto, (view, data))

    def copy_to_host(self, mem: Any, size: int) -> None:
        """Copy bytes to a host address."""
        view = self._bytes(size)
        with activity.on(None, pinned=pinned.holds(_address(mem))):
            queue.count("memcpy DtoH", size, 0, "d2h", reads=(view,), writes=())
        queue.synchronize()
        ctypes.memmove(_address(mem), view.ctypes.data, size)

    def copy_to_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """Copy bytes to a host address; done on return."""
        self.copy_to_host(mem, size)

    def copy_from(self, mem: Any, size: int) -> None:
        """Copy bytes from device or host."""
        (self.copy_from_device if isinstance(mem, MemoryPointer) else self.copy_from_host)(mem, size)

    def copy_from_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """Copy bytes from device or host, in stream order."""
        self.copy_from(mem, size) if isinstance(mem, MemoryPointer) else self.copy_from_host_async(mem, size)


def _address(mem: Any) -> int:
    return mem if isinstance(mem, int) else int(getattr(mem, "value", None) or mem.ptr)
