"""Pinned host memory: ordinary host memory here, with CuPy's calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.names import refuser


class PinnedMemoryPointer(bytearray):
    """Host memory; ``numpy.frombuffer`` takes it."""

    @property
    def ptr(self) -> int:
        """Its address."""
        return np.frombuffer(self, np.uint8).ctypes.data

    @property
    def mem(self) -> PinnedMemoryPointer:
        """The allocation: itself."""
        return self

    def size(self) -> int:
        """Its bytes."""
        return len(self)


class PinnedMemoryPool:
    """A pool of host memory; nothing is kept, as host memory is Python's to manage."""

    def __init__(self, allocator: Any = None):
        pass

    def malloc(self, size: int) -> PinnedMemoryPointer:
        """Allocate host memory."""
        return PinnedMemoryPointer(size)

    def free(self, mem: Any, size: int) -> None:
        """Nothing to do."""

    def free_all_blocks(self) -> None:
        """Nothing is kept."""

    def n_free_blocks(self) -> int:
        """Always 0."""
        return 0


default_pool = PinnedMemoryPool()
_allocator: Any = default_pool.malloc


def alloc_pinned_memory(size: int) -> PinnedMemoryPointer:
    """Allocate host memory."""
    return _allocator(size)


def set_pinned_memory_allocator(allocator: Any = None) -> None:
    """Use another allocator for host memory."""
    global _allocator
    _allocator = PinnedMemoryPool().malloc if allocator is None else allocator


__getattr__ = refuser("cupy.cuda.pinned_memory")
