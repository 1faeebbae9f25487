"""RMM for Numba: ``cuda.set_memory_manager(RMMNumbaManager)``."""

from __future__ import annotations

from typing import Any

import numpy as np
from rmm.pylibrmm.memory_resource._base import Allocation
from rmm.pylibrmm.memory_resource._current import get_current_device_resource

from gpusim.importing.names import member_refuser


class RMMNumbaManager:
    """Numba's device arrays take their memory from RMM's current resource."""

    __getattr__ = member_refuser("rmm.allocators.numba.RMMNumbaManager")
    interface_version = 1

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args, self.kwargs = args, kwargs

    @staticmethod
    def _take(nbytes: int) -> tuple[np.ndarray, Any]:
        allocation = Allocation(get_current_device_resource(), nbytes)
        return allocation.raw, allocation


_numba_memory_manager = RMMNumbaManager
