"""RMM for CuPy: ``cupy.cuda.set_allocator(rmm_cupy_allocator)``."""

from __future__ import annotations

from typing import Any

from cupy.cuda import MemoryPointer, UnownedMemory
from rmm.pylibrmm.memory_resource._base import Allocation
from rmm.pylibrmm.memory_resource._current import get_current_device_resource


class _Memory(Allocation, UnownedMemory):
    """What CuPy sees of an allocation."""


def rmm_cupy_allocator(nbytes: int) -> Any:
    """Device memory of the current resource as CuPy's MemoryPointer."""
    return MemoryPointer(_Memory(get_current_device_resource(), int(nbytes)), 0)
