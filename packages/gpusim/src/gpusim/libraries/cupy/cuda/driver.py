"""The CUDA driver, as far as a simulated device can answer."""

from __future__ import annotations

from . import runtime
from ._errors import CUDADriverError


def driverGetVersion() -> int:
    """As the runtime's."""
    return runtime.driverGetVersion()


def get_build_version() -> int:
    """The CUDA version whose libraries are simulated."""
    return runtime.runtimeGetVersion()


def _is_cuda_python() -> bool:
    return False


def ctxGetCurrent() -> int:
    """A number that stands for the context of the current device."""
    return runtime.getDevice() + 1


__all__ = ["CUDADriverError", "ctxGetCurrent", "driverGetVersion", "get_build_version"]
