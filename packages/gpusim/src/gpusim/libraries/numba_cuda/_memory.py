"""Device memory as numba-cuda shows it: pointers that keep an allocation alive, and copies between host and device."""

from __future__ import annotations

import ctypes
import math
import weakref
from typing import Any

import numpy as np

from gpusim.device import activity, device, memory, queue, regions, shapes, unowned
from gpusim.device.pinned import is_pinned, pin, unpin
from gpusim.importing.errors import NotSimulatedError
from gpusim.kernels.driver_errors import CudaAPIError

_pools: dict[int, _Pool] = {}
_NOTHING = np.empty(0, np.uint8)
source: Any = None
"""Whence arrays take their memory instead of the device: a function as `allocate`, of an external memory manager."""


class _Pool(memory.Pool):
    by_stream = False  # numba-cuda frees with cuMemFree, which waits for the device


def pool(device_id: int) -> memory.Pool:
    """The memory that this library has taken of a device."""
    there = _pools.get(device_id)
    return there if there is not None else _pools.setdefault(device_id, _Pool(device_id))


def give_back(device_id: int) -> None:
    """Give a device the memory back that no array uses any more: numba-cuda keeps none for reuse."""
    pool(device_id).free_all_blocks()


def allocate(nbytes: int) -> tuple[np.ndarray, Any]:
    """Take device memory on the current device; returns its bytes and what keeps them.

    Raises
    ------
    CudaAPIError
        If there is not enough.
    """
    if source is not None:
        return source(nbytes)
    here = device.current()
    try:
        block = pool(here).malloc(nbytes)
    except memory.OutOfMemoryError as error:
        free, total = memory.information(here)
        raise CudaAPIError(
            2,
            f"Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY: {nbytes:,} bytes were asked for, {free:,} of "
            f"{total:,} are free",
        ) from error
    return block.raw, block


def set_memory_manager(mm_plugin: Any) -> None:
    """Let arrays take their memory from RMM (`rmm.allocators.numba.RMMNumbaManager`) from now on.

    Raises
    ------
    NotSimulatedError
        For any other manager: it would call the driver.
    """
    global source
    take = getattr(mm_plugin, "_take", None) if isinstance(mm_plugin, type) else None
    if take is None:
        raise NotSimulatedError(
            "cuda.set_memory_manager with another manager than RMM's", "rmm.allocators.numba.RMMNumbaManager"
        )
    source = take


class MemoryPointer:
    """A place in device memory, and what keeps the memory there.

    Parameters
    ----------
    context : Context
        Of the device.
    pointer : int
        Address in simulated device memory.
    size : int
        In bytes.
    owner : object, optional
        Kept alive as long as this.
    """

    __cuda_memory__ = True

    def __init__(self, context: Any, pointer: Any, size: int, owner: Any = None, finalizer: Any = None):
        address = int(getattr(pointer, "value", pointer) or 0)
        found = unowned.borrow(address, size, device.current(), owner) if size else None
        if size and found is None:
            raise NotSimulatedError("device memory at an address that this process has not allocated", "cuda.to_device")
        self._set(context, found.raw if found else _NOTHING, 0, size, owner)
        self._finalizer = weakref.finalize(self, finalizer) if finalizer is not None else None

    def _set(self, context: Any, base: np.ndarray, offset: int, size: int, owner: Any) -> None:
        self.context = context
        self._base, self._offset, self.size = base, offset, size
        self._cuda_memsize_ = size
        self._owner = owner
        self._finalizer = None

    @classmethod
    def of(cls, context: Any, base: np.ndarray, owner: Any, size: int | None = None, offset: int = 0) -> MemoryPointer:
        """Make a pointer into bytes that we have already."""
        made = object.__new__(cls)
        made._set(context, base, offset, base.size - offset if size is None else size, owner)
        return made

    @property
    def owner(self) -> Any:
        """What keeps the memory."""
        return self if self._owner is None else self._owner

    @property
    def device_pointer(self) -> int:
        """The address, valid only in simulation."""
        return self._base.ctypes.data + self._offset if self._base.size else 0

    handle = device_pointer

    @property
    def device_ctypes_pointer(self) -> ctypes.c_size_t:
        """The address as a ctypes object."""
        return ctypes.c_size_t(self.device_pointer)

    @property
    def device_pointer_value(self) -> int | None:
        """The address, None if there is no memory."""
        return self.device_pointer or None

    @property
    def device_id(self) -> int:
        """The device that the memory is on."""
        return self.context.device.id

    @property
    def is_managed(self) -> bool:
        """Whether freeing it runs a finalizer."""
        return self._finalizer is not None

    def own(self) -> MemoryPointer:
        """Another reference to the same memory."""
        return self

    def free(self) -> None:
        """Let go of the memory; it is given back when nothing else refers to it."""
        if self._finalizer is not None:
            if not self._finalizer.alive:
                raise RuntimeError("Freeing dead memory")
            self._finalizer()

    def view(self, start: int, stop: int | None = None) -> MemoryPointer:
        """A pointer into this memory, from byte ``start`` to ``stop``."""
        size = (self.size if stop is None else stop) - start
        if not self._base.size:
            if size:
                raise RuntimeError("non-empty slice into empty slice")
            return self
        if size < 0:
            raise RuntimeError("size cannot be negative")
        return MemoryPointer.of(self.context, self._base, self.owner, size, self._offset + start)

    def memset(self, byte: int, count: int | None = None, stream: Any = 0) -> None:
        """Fill bytes."""
        count = self.size if count is None else count
        target = self.array((count,), (1,), np.dtype(np.uint8))
        queue.submit("memset", np.ndarray.fill, (target, byte & 0xFF), reads=(), writes=(target,))
        if not stream:
            queue.run()

    def array(self, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """The memory as a NumPy array, for the queue's operations."""
        if 0 in shape:
            return np.empty(shape, dtype)
        return np.ndarray(shape, dtype, self._base, self._offset, strides)


class AutoFreePointer(MemoryPointer):
    """A pointer whose memory is freed with its last reference: here, as any."""


class MappedMemory(AutoFreePointer):
    """Host memory that the device sees."""


class ManagedMemory(AutoFreePointer):
    """Memory that host and device see."""


class PinnedMemory(MemoryPointer):
    """Host memory that stays in place."""


def extents(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> tuple[int, int]:
    """First and last byte (one past) of an array relative to its first element."""
    if 0 in shape:
        return 0, 0
    reach = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    return sum(r for r in reach if r < 0), sum(r for r in reach if r > 0) + itemsize


def memory_size_from_info(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> int:
    """Bytes from the first to the last element of an array."""
    assert len(shape) == len(strides), "# dim mismatch"
    first, last = extents(tuple(shape), tuple(strides), itemsize)
    return last - first


def host_bytes(nbytes: int, visible: bool) -> np.ndarray:
    """Allocate pinned host memory; ``visible`` to the device as well, by its address."""
    raw = np.empty(max(nbytes, 1), np.uint8)
    weakref.finalize(raw, unpin, pin(raw)).atexit = False
    if visible:
        regions.note(raw, device.current())
    return raw


def copy_from_host(target: np.ndarray, source: np.ndarray, nbytes: int, stream: Any = 0) -> None:
    """Copy host to device.

    As in CUDA: without a stream, what was launched before is done first.  With one the copy is queued; pinned memory is
    read when its turn comes, any other when this is called.
    """
    pinned = is_pinned(source)
    with activity.on(int(stream) if stream else None, waits=not (stream and pinned), pinned=pinned):
        queue.count("memcpy HtoD", 0, nbytes, "h2d", reads=(), writes=(target,))
    if shapes.on:
        return
    if not stream:
        queue.run()
        np.copyto(target, source)
        return
    source = source if pinned else source.copy(order="K")
    queue.submit_uncounted("memcpy HtoD", np.copyto, (target, source))


def copy_to_host(target: np.ndarray, source: np.ndarray, nbytes: int, stream: Any = 0) -> None:
    """Copy device to host, waiting for the device unless there is a stream and the host memory is pinned."""
    pinned = is_pinned(target)
    stays = bool(stream) and pinned
    with activity.on(int(stream) if stream else None, waits=not stays, pinned=pinned):
        queue.count("memcpy DtoH", nbytes, 0, "d2h", reads=(source,), writes=())
    if stays:
        queue.submit_uncounted("memcpy DtoH", np.copyto, (target, source))
        return
    queue.synchronize(int(stream) if stream else None)
    np.copyto(target, source)


def unread(array: Any, host: Any) -> Any:
    """Copy to the host where arrays have only shapes: counted, and what comes of it is not to be looked at."""
    from cupy._core.unread import Unread

    view = array._a
    queue.count("memcpy DtoH", array.alloc_size, 0, "d2h", reads=(view,), writes=(), unread=True)
    if host is not None:
        raise shapes.refuse("A host array is to be filled with values")
    return Unread(view.shape, view.dtype)


def copy_on_device(target: np.ndarray, source: np.ndarray, nbytes: int) -> None:
    """Copy device to device, in order."""
    queue.count("memcpy DtoD", nbytes, nbytes, "d2d", reads=(source,), writes=(target,))
    queue.submit_uncounted("memcpy DtoD", np.copyto, (target, source))


def size_of(shape: tuple[int, ...], itemsize: int) -> int:
    """Bytes of an array's elements."""
    return math.prod(shape) * itemsize
