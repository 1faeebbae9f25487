"""Device queries that RAPIDS libraries make through RMM."""

from __future__ import annotations

from typing import Any

from gpusim.device import device

CUDA = 13000


class CUDARuntimeError(RuntimeError):
    """An error of the CUDA runtime."""

    def __init__(self, status: Any) -> None:
        self.status = status
        super().__init__(f"{status}")


class CUDADriverError(CUDARuntimeError):
    """An error of the CUDA driver."""


def driverGetVersion() -> int:
    """The CUDA version that the simulated libraries name."""
    return CUDA


runtimeGetVersion = driverGetVersion


def getDevice() -> int:
    """The current device."""
    return device.current()


def setDevice(device: int) -> None:
    """Use a device; CUDARuntimeError if there is none of that number."""
    _check(device)
    _use(device)


_use = device.use


def getDeviceCount() -> int:
    """How many devices this process sees."""
    return device.count()


def deviceGetName(device: int) -> str:
    """The name of a device."""
    _check(device)
    return _NAME


_NAME, _count = device.NAME, device.count


def _check(number: int) -> None:
    if not 0 <= number < _count():
        raise CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
