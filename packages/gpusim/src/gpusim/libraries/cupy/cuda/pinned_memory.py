"""Pinned host memory: ordinary host memory here, with CuPy's calls."""

from __future__ import annotations

import ctypes
import weakref
from typing import Any

import numpy as np

from gpusim.device import pinned
from gpusim.importing.names import extension_type

_UNIT = 512


class PinnedMemory:
    """Host memory: ``ptr`` (its address) and ``size`` (bytes)."""

    def __init__(self, size: int, flags: int = 0):
        self.size = size
        self._memory = np.empty(size, np.uint8)
        self.ptr = self._memory.ctypes.data if size else 0
        if size:
            weakref.finalize(self, pinned.unpin, pinned.pin(self._memory)).atexit = False

    def __int__(self) -> int:
        return self.ptr


@extension_type("cupy.cuda.pinned_memory")
class PinnedMemoryPointer:
    """A place in pinned host memory; ``numpy.frombuffer`` takes it.

    Attributes
    ----------
    mem : PinnedMemory
        The allocation it lies in.
    ptr : int
        Its address.
    """

    def __new__(cls, mem: Any, offset: int = 0) -> PinnedMemoryPointer:
        # Only a ctypes array shows its memory to NumPy (a class of Python's can from 3.12 on).
        length = max(int(mem.size - offset), 0)
        kind = type(cls.__name__, (cls, ctypes.Array), {"_type_": ctypes.c_byte, "_length_": length})
        self = kind.from_address(int(mem.ptr + offset))
        self.mem, self.ptr = mem, mem.ptr + offset
        return self

    def __init__(self, mem: Any, offset: int = 0):
        pass

    def __int__(self) -> int:
        return self.ptr

    def __add__(self, offset: int) -> PinnedMemoryPointer:
        return PinnedMemoryPointer(self.mem, self.ptr - self.mem.ptr + offset)

    __radd__ = __iadd__ = __add__

    def __sub__(self, offset: int) -> PinnedMemoryPointer:
        return self + -offset

    __isub__ = __sub__

    def size(self) -> int:
        """Bytes from here to the end of the allocation."""
        return self.mem.size - (self.ptr - self.mem.ptr)


class PooledPinnedMemory(PinnedMemory):
    """Memory of a pool, which it goes back to when the last reference dies."""

    def __init__(self, mem: PinnedMemory, pool: PinnedMemoryPool):
        self.ptr, self.size, self._mem, self._pool = mem.ptr, mem.size, mem, weakref.ref(pool)

    def free(self) -> None:
        """Give the memory back to its pool; a second time, do nothing."""
        mem, self._mem = self._mem, None
        pool = self._pool()
        if mem is not None and pool is not None:
            pool.free(mem, self.size)

    def __del__(self) -> None:
        self.free()


@extension_type("cupy.cuda.pinned_memory")
class PinnedMemoryPool:
    """A pool of host memory: freed allocations are kept by their size.

    Parameters
    ----------
    allocator : callable, optional
        Makes a :class:`PinnedMemoryPointer` of a size.
    """

    def __init__(self, allocator: Any = None):
        self._allocator = allocator or _malloc
        self._free: dict[int, list] = {}

    def malloc(self, size: int) -> PinnedMemoryPointer:
        """Allocate host memory."""
        if size == 0:
            return PinnedMemoryPointer(PinnedMemory(0), 0)
        rounded = -(-size // _UNIT) * _UNIT
        kept = self._free.get(rounded)
        memory = kept.pop() if kept else self._allocator(rounded).mem
        return PinnedMemoryPointer(PooledPinnedMemory(memory, self), 0)

    def free(self, mem: Any, size: int) -> None:
        """Keep memory for reuse."""
        self._free.setdefault(size, []).append(mem)

    def free_all_blocks(self) -> None:
        """Give back what is kept."""
        self._free.clear()

    def n_free_blocks(self) -> int:
        """How many allocations are kept."""
        return sum(map(len, self._free.values()))


def _malloc(size: int) -> PinnedMemoryPointer:
    return PinnedMemoryPointer(PinnedMemory(size), 0)


def is_memory_pinned(data: int) -> bool:
    """Whether an address is in pinned memory, whoever pinned it."""
    return pinned.holds(data)


default_pool = PinnedMemoryPool()
_allocator: Any = default_pool.malloc


def alloc_pinned_memory(size: int) -> PinnedMemoryPointer:
    """Allocate host memory."""
    return _allocator(size)


def set_pinned_memory_allocator(allocator: Any = None) -> None:
    """Use another allocator for host memory."""
    global _allocator
    _allocator = allocator or _malloc
