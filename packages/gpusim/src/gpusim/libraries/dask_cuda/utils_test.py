"""What Dask-CUDA's own tests use."""

from __future__ import annotations

from typing import Any

import distributed
from distributed import Nanny, Worker


class MockWorker(Worker):
    """A worker that never asks NVML, so that it may believe in devices that are not there."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        distributed.diagnostics.nvml.device_get_count = MockWorker.device_get_count
        super().__init__(*args, **kwargs)

    @staticmethod
    def device_get_count() -> int:
        """No device."""
        return 0


class IncreasedCloseTimeoutNanny(Nanny):
    """A nanny that gives its worker half a minute to close."""

    async def close(self, timeout: float = 30.0, reason: str = "nanny-close") -> str:  # type: ignore[override]
        """Close the worker."""
        return await super().close(timeout=timeout, reason=reason)
