"""Device memory as CuPy shows it: pools and allocators."""

from __future__ import annotations

import contextlib
import os
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from gpusim.device import device, queue, unowned
from gpusim.device import memory as engine
from gpusim.device.memory import OutOfMemoryError
from gpusim.importing.names import extension_type

from .._core import launch
from ._pointers import (
    BaseMemory,
    ManagedMemory,
    Memory,
    MemoryAsync,
    MemoryPointer,
    PooledMemory,
    PythonFunctionAllocatorMemory,
    SystemMemory,
    UnownedMemory,
)
from .memory_hook import watched
from .runtime import CUDARuntimeError

OutOfMemoryError.__module__ = "cupy.cuda.memory"  # as tracebacks show it
_allocation_unit_size = engine.UNIT


def _round_size(size: int) -> int:
    return -(-size // engine.UNIT) * engine.UNIT


class SingleDeviceMemoryPool:
    """The pool of one device.

    Parameters
    ----------
    allocator : callable, optional
        Accepted for CuPy's sake; memory always comes from the simulated device.
    """

    def __init__(self, allocator: Any = None, *, _pool: engine.Pool | None = None):
        self._engine = _pool or engine.Pool(device.current(), _limit_of_environment())

    def malloc(self, size: int) -> MemoryPointer:
        """Allocate."""
        return MemoryPointer(watched(self._engine, size), 0)

    def used_bytes(self) -> int:
        """Bytes that arrays hold."""
        return self._engine.used_bytes()

    def free_bytes(self) -> int:
        """Bytes kept for reuse."""
        return self._engine.free_bytes()

    def total_bytes(self) -> int:
        """Bytes taken from the device."""
        return self._engine.total_bytes()

    def n_free_blocks(self) -> int:
        """Blocks kept for reuse."""
        return self._engine.n_free_blocks()

    def free_all_blocks(self, stream: Any = None) -> None:
        """Give what is unused back to the device."""
        self._engine.free_all_blocks()

    def free_all_free(self) -> None:
        """As :meth:`free_all_blocks` (deprecated)."""
        warnings.warn("free_all_free is deprecated. Use free_all_blocks instead.", DeprecationWarning, stacklevel=2)
        self.free_all_blocks()

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """Limit what the pool takes of the device, in bytes or as a share of its memory; 0 for no limit."""
        self._engine.limit = _limit(size, fraction)

    def get_limit(self) -> int:
        """The limit in bytes, 0 for none."""
        return self._engine.limit


def _limit(size: int | None, fraction: float | None) -> int:
    if size is None:
        if fraction is None:
            return 0
        if not 0 <= fraction <= 1:
            raise ValueError(f"memory limit fraction out of range: {fraction}")
        return int(fraction * device.memory())
    if fraction is not None:
        raise ValueError("size and fraction cannot be specified at one time")
    if size < 0:
        raise ValueError(f"memory limit size out of range: {size}")
    return size


def _parse_limit_string(limit: str | None = None) -> dict[str, Any]:
    """What ``CUPY_GPU_MEMORY_LIMIT`` asks for, as the arguments of ``set_limit``."""
    if limit is None:
        limit = os.environ.get("CUPY_GPU_MEMORY_LIMIT")
    size = fraction = None
    if limit is not None:
        if limit.endswith("%"):
            fraction = float(limit[:-1]) / 100.0
        else:
            size = int(limit)
    return {"size": size, "fraction": fraction}


def _limit_of_environment() -> int:
    return _limit(**_parse_limit_string())


@extension_type("cupy.cuda.memory")
class MemoryPool:
    """A memory pool over all devices; its methods are about the current device.

    Parameters
    ----------
    allocator : callable, optional
        Accepted for CuPy's sake; memory always comes from the simulated device.
    """

    def __init__(self, allocator: Any = None):
        self._pools: dict[int, SingleDeviceMemoryPool] = {}

    def _pool(self) -> SingleDeviceMemoryPool:
        here = device.current()
        if here not in self._pools:
            self._pools[here] = self._make(here)
        return self._pools[here]

    def _make(self, device_id: int) -> SingleDeviceMemoryPool:
        return SingleDeviceMemoryPool()


def _forward(name: str) -> Callable:
    def call(self: MemoryPool, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._pool(), name)(*args, **kwargs)

    call.__name__ = name
    call.__doc__ = getattr(SingleDeviceMemoryPool, name).__doc__
    return call


for (
    _name
) in "malloc used_bytes free_bytes total_bytes n_free_blocks free_all_blocks free_all_free set_limit get_limit".split():
    setattr(MemoryPool, _name, _forward(_name))


class _DefaultPool(MemoryPool):
    def _make(self, device_id: int) -> SingleDeviceMemoryPool:
        pool = launch.default_pool(device_id)
        pool.limit = pool.limit or _limit_of_environment()
        return SingleDeviceMemoryPool(_pool=pool)


@extension_type("cupy.cuda.memory")
class MemoryAsyncPool:
    """The device's own pool (``cudaMallocAsync``), which all instances share.

    Parameters
    ----------
    pool_handles : {'current', 'default'} or list of them
        Both are the one pool of a device.
    """

    _shared: dict[int, engine.Pool] = {}
    _NO_LIMIT = 2**64 - 1
    _STEP = 32 * 1024**2

    def __init__(self, pool_handles: Any = "current"):
        handles = [pool_handles] if isinstance(pool_handles, (str, int)) else list(pool_handles)
        for handle in handles:
            if handle == "create":
                raise NotImplementedError("cudaMemPoolCreate is not yet supported")
            if handle not in ("default", "current") and not isinstance(handle, int):
                raise ValueError(
                    "handle must be 'default' (for the device's default pool), 'current' (for the device's current "
                    "pool), or int (a pointer to cudaMemPool_t)"
                )
        self.memoryAsyncHasStat = True

    @classmethod
    def _pool(cls) -> engine.Pool:
        here = device.current()
        return cls._shared.setdefault(here, engine.Pool(here)) if here not in cls._shared else cls._shared[here]

    def malloc(self, size: int) -> MemoryPointer:
        """Allocate in stream order.  The pool grows by 32 MiB at a time, as CUDA's does."""
        from .stream import get_current_stream

        pool = self._pool()
        rounded = _round_size(size)
        if pool.free_bytes() < rounded:
            grown = -(-rounded // self._STEP) * self._STEP
            if not pool.limit and pool.check_limit(grown):
                pool.malloc(grown).free()
        memory = MemoryAsync.__new__(MemoryAsync)
        memory._stand_on(pool.malloc(size))
        memory.size, memory.device_id = rounded, pool.device_id
        memory.stream_ref = _reference(get_current_stream())
        return MemoryPointer(memory, 0)

    def free_all_blocks(self, stream: Any = None) -> None:
        """Wait, and give what is unused back to the device."""
        queue.synchronize()
        self._pool().free_all_blocks()

    def n_free_blocks(self) -> int:
        """Refused, as by CuPy."""
        raise NotImplementedError("This function is not supported in MemoryAsyncPool")

    def used_bytes(self) -> int:
        """Bytes in use."""
        return self._pool().used_bytes()

    def free_bytes(self) -> int:
        """Bytes kept for reuse."""
        return self.total_bytes() - self.used_bytes()

    def total_bytes(self) -> int:
        """Bytes taken from the device."""
        return self._pool().total_bytes()

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """Limit the pool, in bytes or as a share of the device's memory; 0 for no limit."""
        self._pool().limit = _limit(size, fraction)

    def get_limit(self) -> int:
        """The limit in bytes, 2**64 - 1 for none."""
        return self._pool().limit or self._NO_LIMIT


def _reference(stream: Any) -> Callable:
    import weakref

    return weakref.ref(stream)


def _malloc(size: int) -> MemoryPointer:
    return MemoryPointer(Memory(size), 0)


def malloc_managed(size: int) -> MemoryPointer:
    """Allocate memory that host and device share."""
    return MemoryPointer(ManagedMemory(size), 0)


def malloc_system(size: int) -> MemoryPointer:
    """Allocate host memory that the device reaches."""
    return MemoryPointer(SystemMemory(size), 0)


def malloc_async(size: int) -> MemoryPointer:
    """Allocate in stream order, from the device's own pool."""
    return MemoryAsyncPool().malloc(size)


class PythonFunctionAllocator:
    """An allocator of two functions: ``malloc(size, device_id)`` gives an address, ``free(address, device_id)`` takes it."""

    def __init__(self, malloc_func: Callable, free_func: Callable):
        self._malloc_func, self._free_func = malloc_func, free_func

    def malloc(self, size: int) -> MemoryPointer:
        """Allocate with the caller's function."""
        return MemoryPointer(PythonFunctionAllocatorMemory(size, self._malloc_func, self._free_func), 0)


default_pool = _DefaultPool()
_allocator: Callable[[int], MemoryPointer] = default_pool.malloc
_local = threading.local()


def alloc(size: int) -> MemoryPointer:
    """Allocate device memory with the current allocator."""
    return get_allocator()(size)


def set_allocator(allocator: Callable[[int], MemoryPointer] | None = None) -> None:
    """Use another allocator, such as a pool's ``malloc``; without an argument memory is not pooled."""
    global _allocator
    if getattr(_local, "allocator", None) is not None:
        raise ValueError("Can't change the global allocator inside `using_allocator` context manager")
    _allocator = allocator or _malloc
    hooked()


def hooked() -> None:
    """Choose how arrays get their memory: the quickest way that heeds allocators and hooks."""
    plain = getattr(_allocator, "__self__", None) is default_pool and not _using and engine.watcher is None
    launch.set_allocator(None if plain else _allocate)


_lock = threading.Lock()
_using = 0  # threads inside of using_allocator


def _allocate(nbytes: int) -> Any:
    pointer = get_allocator()(nbytes)
    memory, start = pointer._mem, pointer._offset
    return memory if not start else unowned.Borrowed(memory.raw[start:], memory.device_id, memory)


def get_allocator() -> Callable[[int], MemoryPointer]:
    """The current allocator."""
    return getattr(_local, "allocator", None) or _allocator


@contextlib.contextmanager
def using_allocator(allocator: Callable[[int], MemoryPointer] | None = None) -> Iterator[None]:
    """Use another allocator in this thread inside a ``with``."""
    global _using
    before = getattr(_local, "allocator", None)
    _local.allocator = allocator or _malloc
    with _lock:
        _using += 1
    hooked()
    try:
        yield
    finally:
        _local.allocator = before
        with _lock:
            _using -= 1
        hooked()


__all__ = [
    "BaseMemory", "CUDARuntimeError", "ManagedMemory", "Memory", "MemoryAsync", "MemoryAsyncPool", "MemoryPointer", "MemoryPool",
    "OutOfMemoryError", "PooledMemory", "PythonFunctionAllocator", "PythonFunctionAllocatorMemory", "SingleDeviceMemoryPool",
    "SystemMemory", "UnownedMemory", "alloc", "get_allocator", "malloc_async", "malloc_managed", "malloc_system",
    "set_allocator", "using_allocator",
]  # fmt: skip
