"""Device memory as CuPy shows it: pools, pointers, allocators."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hundredfold.engine import device, queue
from hundredfold.engine import memory as engine
from hundredfold.engine.memory import OutOfMemoryError

from .._core import launch
from .._core.names import refuser


class MemoryPointer:
    """A place in device memory.

    Attributes
    ----------
    ptr : int
        Its address, valid only in simulation.
    mem
        The allocation it lies in.
    """

    __slots__ = ("_block", "_offset")

    def __init__(self, mem: Any, offset: int):
        self._block = mem._block if isinstance(mem, MemoryPointer) else mem
        self._offset = offset

    @property
    def ptr(self) -> int:
        return self._block.ptr + self._offset

    @property
    def mem(self) -> Any:
        return self._block

    @property
    def device_id(self) -> int:
        return self._block.device_id

    @property
    def device(self) -> Any:
        from .device import Device

        return Device(self._block.device_id)

    def __int__(self) -> int:
        return self.ptr

    def __repr__(self) -> str:
        return f"<MemoryPointer {self.ptr:#x} device={self.device_id} mem={self._block!r}>"

    def __add__(self, offset: int) -> MemoryPointer:
        return MemoryPointer(self._block, self._offset + offset)

    __radd__ = __add__

    def __sub__(self, offset: int) -> MemoryPointer:
        return MemoryPointer(self._block, self._offset - offset)

    def _bytes(self, size: int) -> np.ndarray:
        return self._block.raw[self._offset : self._offset + size]

    def memset(self, value: int, size: int) -> None:
        """Fill bytes."""
        self.memset_async(value, size)
        queue.synchronize()

    def memset_async(self, value: int, size: int, stream: Any = None) -> None:
        """Fill bytes, in stream order."""
        launch.submit("memset", np.ndarray.fill, (self._bytes(size), value), None, 0, size)

    def copy_from_device(self, src: MemoryPointer, size: int) -> None:
        """Copy bytes within device memory."""
        launch.submit("memcpy DtoD", np.copyto, (self._bytes(size), src._bytes(size)), None, size, size)

    def copy_from_device_async(self, src: MemoryPointer, size: int, stream: Any = None) -> None:
        """Copy bytes within device memory, in stream order."""
        self.copy_from_device(src, size)

    def copy_from_host(self, mem: Any, size: int) -> None:
        """Copy bytes from a host address."""
        self.copy_from_host_async(mem, size)
        queue.synchronize()

    def copy_from_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """Copy bytes from a host address, in stream order; they are read at once."""
        data = np.frombuffer(ctypes.string_at(_address(mem), size), np.uint8)
        queue.count("memcpy HtoD", 0, size, "h2d")
        queue.submit_uncounted("memcpy HtoD", np.copyto, (self._bytes(size), data))

    def copy_to_host(self, mem: Any, size: int) -> None:
        """Copy bytes to a host address."""
        queue.count("memcpy DtoH", size, 0, "d2h")
        queue.synchronize()
        ctypes.memmove(_address(mem), self.ptr, size)

    def copy_to_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """Copy bytes to a host address; done on return."""
        self.copy_to_host(mem, size)

    def copy_from(self, mem: Any, size: int) -> None:
        """Copy bytes from device or host."""
        (self.copy_from_device if isinstance(mem, MemoryPointer) else self.copy_from_host)(mem, size)


def _address(mem: Any) -> int:
    return mem if isinstance(mem, int) else int(getattr(mem, "value", None) or mem.ptr)


class MemoryPool:
    """A memory pool over all devices.

    Parameters
    ----------
    allocator : callable, optional
        Accepted for CuPy's sake; memory always comes from the simulated device.
    """

    def __init__(self, allocator: Any = None):
        self._pools: dict[int, engine.Pool] = {}
        limit = os.environ.get("CUPY_GPU_MEMORY_LIMIT")
        self._limit = limit

    def _pool(self) -> engine.Pool:
        here = device.current()
        if here not in self._pools:
            self._pools[here] = self._make(here)
        return self._pools[here]

    def _make(self, device_id: int) -> engine.Pool:
        return engine.Pool(device_id, _parse_limit(self._limit))

    def malloc(self, size: int) -> MemoryPointer:
        """Allocate on the current device."""
        return MemoryPointer(self._pool().malloc(size), 0)

    def used_bytes(self) -> int:
        """Bytes that arrays on the current device hold."""
        return self._pool().used_bytes()

    def free_bytes(self) -> int:
        """Bytes kept for reuse."""
        return self._pool().free_bytes()

    def total_bytes(self) -> int:
        """Bytes taken from the current device."""
        return self._pool().total_bytes()

    def n_free_blocks(self) -> int:
        """Blocks kept for reuse."""
        return self._pool().n_free_blocks()

    def free_all_blocks(self, stream: Any = None) -> None:
        """Give what is unused back to the current device."""
        self._pool().free_all_blocks()

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """Limit what the pool takes of the current device, in bytes or as a share of its memory; 0 for no limit."""
        if size is None:
            if fraction is None:
                size = 0
            elif not 0 <= fraction <= 1:
                raise ValueError(f"memory limit fraction out of range: {fraction}")
            else:
                size = int(fraction * device.memory())
        elif fraction is not None:
            raise ValueError("size and fraction cannot be specified at one time")
        if size < 0:
            raise ValueError(f"memory limit size out of range: {size}")
        self._pool().limit = size

    def get_limit(self) -> int:
        """The limit in bytes, 0 for none."""
        return self._pool().limit


def _parse_limit(text: str | None) -> int:
    if not text:
        return 0
    return int(float(text[:-1]) / 100 * device.memory()) if text.endswith("%") else int(text)


class _DefaultPool(MemoryPool):
    def _make(self, device_id: int) -> engine.Pool:
        pool = launch.default_pool(device_id)
        if self._limit and not pool.limit:
            pool.limit = _parse_limit(self._limit)
        return pool


default_pool = _DefaultPool()
_allocator: Callable[[int], MemoryPointer] = default_pool.malloc


def alloc(size: int) -> MemoryPointer:
    """Allocate device memory with the current allocator."""
    return _allocator(size)


def set_allocator(allocator: Callable[[int], MemoryPointer] | None = None) -> None:
    """Use another allocator, such as a pool's ``malloc``; without an argument memory is not pooled."""
    global _allocator
    _allocator = MemoryPool().malloc if allocator is None else allocator
    default = getattr(_allocator, "__self__", None) is default_pool
    launch.set_allocator(None if default else _allocate)


def _allocate(nbytes: int) -> engine.Block:
    pointer = _allocator(nbytes)
    return pointer._block


def get_allocator() -> Callable[[int], MemoryPointer]:
    """The current allocator."""
    return _allocator


@contextlib.contextmanager
def using_allocator(allocator: Callable[[int], MemoryPointer] | None = None) -> Iterator[None]:
    """Use another allocator inside a ``with``."""
    before = get_allocator()
    set_allocator(allocator)
    try:
        yield
    finally:
        set_allocator(before)


__all__ = [
    "MemoryPointer", "MemoryPool", "OutOfMemoryError", "alloc", "get_allocator", "set_allocator", "using_allocator",
]  # fmt: skip
__getattr__ = refuser("cupy.cuda.memory")
