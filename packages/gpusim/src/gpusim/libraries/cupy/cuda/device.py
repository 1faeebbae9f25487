"""``cupy.cuda.Device``."""

from __future__ import annotations

import threading
from typing import Any

from gpusim.device import activity, device, memory, queue
from gpusim.importing.names import extension_type

from .runtime import ATTRIBUTES, CUDARuntimeError, _check, deviceGetByPCIBusId, pointerGetAttributes


@extension_type("cupy.cuda.device")
class Device:
    """A simulated device.

    Use it as a context manager to work on it, or call :meth:`use`.

    Parameters
    ----------
    device : int or Device, optional
        Its id; by default the current device.
    """

    __slots__ = ("id",)

    def __init__(self, device: Any = None):
        self.id = _current() if device is None else int(device)

    def __int__(self) -> int:
        return self.id

    def __enter__(self) -> Device:
        _check(self.id)
        _local.__dict__.setdefault("before", []).append(_current())  # the thread's: a Device may be entered by several
        device.use(self.id)
        return self

    def __exit__(self, *exception: object) -> None:
        device.use(_local.before.pop())

    def use(self) -> Device:
        """Make this the current device of this thread."""
        _check(self.id)
        device.use(self.id)
        return self

    @staticmethod
    def from_pci_bus_id(pci_bus_id: str) -> Device:
        """The device of an address."""

        return Device(deviceGetByPCIBusId(pci_bus_id))

    def synchronize(self) -> None:
        """Wait until all work on the device is done."""
        queue.synchronize(activity.DEVICE)

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

        _check(self.id)
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


def from_pointer(ptr: int) -> Device:
    """The device on which the memory of an address lies."""

    return Device(pointerGetAttributes(ptr).device)


def _handle(library: str) -> Any:
    def get(self: Any = None) -> int:
        """A number that stands for a library's handle: one for each thread and device."""

        held = _local.__dict__.setdefault("handles", {})
        return held.setdefault((library, device.current()), next(activity.handles))

    get.__name__ = f"get_{library}_handle"
    return get


_local = threading.local()
get_cublas_handle, get_cusolver_handle = _handle("cublas"), _handle("cusolver")
get_cusolver_sp_handle, get_cusparse_handle = _handle("cusolver_sp"), _handle("cusparse")
for _name in ("cublas", "cusolver", "cusolver_sp", "cusparse"):
    setattr(Device, f"{_name}_handle", property(_handle(_name)))


def get_compute_capability() -> str:
    """Compute capability of the current device."""
    return Device().compute_capability


__all__ = [
    "CUDARuntimeError", "Device", "from_pointer", "get_compute_capability", "get_cublas_handle", "get_cusolver_handle",
    "get_cusolver_sp_handle", "get_cusparse_handle", "get_device_id",
]  # fmt: skip
