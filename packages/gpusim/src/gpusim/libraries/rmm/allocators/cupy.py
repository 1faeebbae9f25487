"""RMM for CuPy: ``cupy.cuda.set_allocator(rmm_cupy_allocator)``."""

from __future__ import annotations

from typing import Any

from rmm.pylibrmm.memory_resource._base import Allocation
from rmm.pylibrmm.memory_resource._current import get_current_device_resource


def rmm_cupy_allocator(nbytes: int) -> Any:
    """Device memory of the current resource as CuPy's MemoryPointer."""
    import cupy

    return cupy.cuda.MemoryPointer(Allocation(get_current_device_resource(), int(nbytes)), 0)
