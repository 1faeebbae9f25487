"""What all resources have, and those that take memory from the device itself."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from rmm.pylibrmm.helper import parse_bytes
from rmm.pylibrmm.stream import DEFAULT_STREAM, Stream, as_stream

from gpusim.device import device
from gpusim.device import memory as engine


def out_of_memory(message: str) -> MemoryError:
    """What RMM's C++ raises, as Cython shows it."""
    return MemoryError(f"std::bad_alloc: out_of_memory: {message}")


class Allocation:
    """Bytes of a resource, given back when the last reference dies. CuPy's arrays can stand on one.

    Attributes
    ----------
    raw : numpy.ndarray
        The memory, 1-d uint8.
    ptr, size, device_id : int
        Its address, its bytes as asked for, and its device.
    """

    __slots__ = ("__weakref__", "_block", "_resource", "device_id", "raw", "size")

    def __init__(self, resource: DeviceMemoryResource, nbytes: int) -> None:
        self._resource = None  # until there is something to give back
        self.device_id = device.current()
        if nbytes:
            self._block = block = resource._take(nbytes)
            self._resource = resource
        else:  # rmm::device_buffer asks no resource for that
            self._block = block = engine.EmptyBlock(self.device_id)
        self.size = nbytes
        self.raw = block.raw[:nbytes]

    @property
    def ptr(self) -> int:
        return self._block.ptr

    @property
    def sequence(self) -> int:
        """The newest operation that may still use this memory."""
        return getattr(self._block, "sequence", 0)

    def in_flight(self) -> bool:
        """Whether operations of an earlier owner may still wait."""
        return self._block.in_flight()

    def __del__(self) -> None:
        resource = self._resource
        if resource is not None:
            self._resource = None
            resource._give(self._block, self.size)


class DeviceMemoryResource:
    """The parent of all resources.

    A resource of the simulation has `_take`, which returns a block of at least as many bytes (``raw``, ``ptr``,
    ``in_flight()``), and `_give`, which is told that a block is no longer used; the block itself lives by its references.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._outstanding: dict[int, Allocation] = {}

    def _take(self, nbytes: int) -> Any:
        raise TypeError(f"cannot allocate from a plain {type(self).__name__}")

    def _give(self, block: Any, nbytes: int) -> None:
        pass

    def allocate(self, nbytes: int, stream: Stream = DEFAULT_STREAM) -> int:
        """Allocate and return the address; MemoryError if there is not as much."""
        as_stream(stream)
        if nbytes < 0:
            raise OverflowError("can't convert negative value to size_t")
        allocation = Allocation(self, nbytes)
        if nbytes:
            self._outstanding[allocation.ptr] = allocation
        return allocation.ptr

    def deallocate(self, ptr: int, nbytes: int, stream: Stream = DEFAULT_STREAM) -> None:
        """Give memory back. ValueError for what was not allocated here, which the real one does not check."""
        as_stream(stream)
        if not ptr:
            return
        allocation = self._outstanding.pop(ptr, None)
        if allocation is None:
            raise ValueError(
                f"{ptr:#x} was not allocated from this {type(self).__name__}, or has been deallocated before"
            )


class UpstreamResourceAdaptor(DeviceMemoryResource):
    """The parent of all that take their memory from another resource.

    Attributes
    ----------
    upstream_mr : DeviceMemoryResource
    """

    def __init__(self, upstream_mr: DeviceMemoryResource, *args: Any, **kwargs: Any) -> None:
        if upstream_mr is None:
            raise Exception("Argument `upstream_mr` must not be None")  # the type is the real one's
        if not isinstance(upstream_mr, DeviceMemoryResource):
            raise TypeError(
                "Argument 'upstream_mr' has incorrect type (expected "
                f"rmm.pylibrmm.memory_resource._memory_resource.DeviceMemoryResource, got {type(upstream_mr).__name__})"
            )
        super().__init__()
        self.upstream_mr = upstream_mr

    def get_upstream(self) -> DeviceMemoryResource:
        """The resource that memory is taken from."""
        return self.upstream_mr

    def _take(self, nbytes: int) -> Any:
        return self.upstream_mr._take(nbytes)

    def _give(self, block: Any, nbytes: int) -> None:
        self.upstream_mr._give(block, nbytes)


class _DevicePool(engine.Pool):
    gives_back = True
    by_stream = False


class _HostPool(engine.Pool):
    """Memory that is not the device's: pinned, pageable, or managed, which moves to wherever there is room."""

    def taken_bytes(self) -> int:
        return 0

    def check_limit(self, size: int) -> bool:
        return True


_pools: dict[tuple[type, int], engine.Pool] = {}


class _FromPool(DeviceMemoryResource):
    """A resource over the engine's memory; all resources of a kind share a pool, as those of CUDA share the device."""

    _kind: type[engine.Pool] = _DevicePool
    _where = "cuda_memory_resource.hpp"

    def _take(self, nbytes: int) -> Any:
        here = device.current()
        key = (self._kind, here)
        pool = _pools.get(key)
        if pool is None:
            pool = _pools.setdefault(key, self._kind(here))
        try:
            return pool.malloc(nbytes)
        except engine.OutOfMemoryError:
            raise out_of_memory(
                f"CUDA error (failed to allocate {nbytes} bytes) at: rmm/mr/{self._where}: "
                "cudaErrorMemoryAllocation out of memory"
            ) from None


class CudaMemoryResource(_FromPool):
    """Memory of the device, given back to it when freed."""

    def __init__(self) -> None:
        super().__init__()


class CudaAsyncMemoryResource(_FromPool):
    """Memory of the device in stream order. Sizes in bytes; the flags for other processes are refused by no check."""

    _where = "cuda_async_memory_resource.hpp"

    def __init__(
        self,
        initial_pool_size: int | str | None = None,
        release_threshold: int | None = None,
        enable_ipc: bool = False,
        enable_fabric: bool = False,
    ) -> None:
        super().__init__()
        if initial_pool_size is not None:
            Allocation(self, parse_bytes(initial_pool_size))  # there must be as much


class CudaAsyncViewMemoryResource(_FromPool):
    """Memory of a pool of CUDA's: needs the handle of one, which a simulation cannot have."""

    def __init__(self, pool_handle: Any) -> None:
        raise ValueError("pool_handle must be a cudaMemPool_t or CUmemoryPool")


class ManagedMemoryResource(_FromPool):
    """Memory that may be more than the device has."""

    _kind = type("_ManagedPool", (_HostPool,), {})

    def __init__(self) -> None:
        super().__init__()


class CudaAsyncManagedMemoryResource(ManagedMemoryResource):
    """Managed memory in stream order."""


class SystemMemoryResource(_FromPool):
    """Main memory that the device can reach."""

    _kind = type("_SystemPool", (_HostPool,), {})

    def __init__(self) -> None:
        super().__init__()


class SamHeadroomMemoryResource(SystemMemoryResource):
    """Main memory, of which ``headroom`` bytes of the device stay free: it takes none of the device's here."""

    def __init__(self, headroom: int) -> None:
        super().__init__()
        self._headroom = int(headroom)


class PinnedHostMemoryResource(_FromPool):
    """Page-locked main memory."""

    _kind = type("_PinnedPool", (_HostPool,), {})

    def __init__(self) -> None:
        super().__init__()


class ForeignBlock:
    """Memory at an address that somebody else gave."""

    __slots__ = ("ptr", "raw", "sequence", "size")

    def __init__(self, ptr: int, nbytes: int) -> None:
        self.ptr, self.size, self.sequence = ptr, nbytes, 0
        self.raw = (
            np.frombuffer((ctypes.c_ubyte * nbytes).from_address(ptr), np.uint8) if nbytes else np.empty(0, np.uint8)
        )

    def in_flight(self) -> bool:
        """Not known; the owner answers for it."""
        return False
