"""``cupy.cuda.Device``."""

from __future__ import annotations

from typing import Any

from hundredfold.engine import device, memory, queue

from .runtime import CUDARuntimeError, _check


class Device:
    """A simulated device.

    Use it as a context manager to work on it, or call :meth:`use`.

    Parameters
    ----------
    device : int or Device, optional
        Its id; by default the current device.
    """

    __slots__ = ("_before", "id")

    def __init__(self, device: Any = None):
        self.id = _current() if device is None else int(device)
        self._before: list[int] = []

    def __int__(self) -> int:
        return self.id

    def __enter__(self) -> Device:
        self._before.append(_current())
        _check(self.id)
        device.use(self.id)
        return self

    def __exit__(self, *exception: object) -> None:
        device.use(self._before.pop())

    def use(self) -> None:
        """Make this the current device of this thread."""
        _check(self.id)
        device.use(self.id)

    def synchronize(self) -> None:
        """Wait until all work on the device is done."""
        queue.synchronize()

    @property
    def compute_capability(self) -> str:
        """As a string of two digits, ``"90"``."""
        return "".join(map(str, device.COMPUTE_CAPABILITY))

    @property
    def mem_info(self) -> tuple[int, int]:
        """Free and total memory in bytes."""
        return memory.information(self.id)

    @property
    def attributes(self) -> dict[str, int]:
        """Some of CUDA's device attributes."""
        from .runtime import ATTRIBUTES

        return dict(ATTRIBUTES)

    @property
    def pci_bus_id(self) -> str:
        """An address that no real device has."""
        return f"0000:00:{self.id:02X}.0"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self.id == other.id

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: Device) -> bool:
        return self.id < other.id if isinstance(other, Device) else NotImplemented

    def __le__(self, other: Device) -> bool:
        return self.id <= other.id if isinstance(other, Device) else NotImplemented

    def __gt__(self, other: Device) -> bool:
        return self.id > other.id if isinstance(other, Device) else NotImplemented

    def __ge__(self, other: Device) -> bool:
        return self.id >= other.id if isinstance(other, Device) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}>"


def _current() -> int:
    return device.current()


def get_device_id() -> int:
    """Id of the current device."""
    return device.current()


def get_compute_capability() -> str:
    """Compute capability of the current device."""
    return Device().compute_capability


__all__ = ["CUDARuntimeError", "Device", "get_compute_capability", "get_device_id"]
