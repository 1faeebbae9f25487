"""The driver under its real name: contexts, memory, streams, events, and its errors."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from gpusim.device import device as _engine_device
from gpusim.importing.names import refused, refused_class
from gpusim.kernels.driver_errors import CudaAPIError, CudaDriverError, LinkerError

from .. import _memory
from .._context import Context, MemoryInfo
from .._device import Device, all_devices
from .._memory import (
    AutoFreePointer,
    ManagedMemory,
    MappedMemory,
    MemoryPointer,
    PinnedMemory,
    memory_size_from_info,
    set_memory_manager,
)
from .._streams import Event, Stream, event_elapsed_time
from .error import CudaSupportError

CU_STREAM_DEFAULT = 0
MIN_REQUIRED_CC = (3, 5)
SUPPORTS_IPC = False
DRIVER_NOT_FOUND_MSG = "CUDA driver library cannot be found."
OwnedPointer = MemoryPointer
_MODULE = "numba.cuda.cudadrv.driver"
BaseCUDAMemoryManager = refused_class(f"{_MODULE}.BaseCUDAMemoryManager", None, "The memory is the simulation's own.")
HostOnlyCUDAMemoryManager = refused_class(f"{_MODULE}.HostOnlyCUDAMemoryManager")
GetIpcHandleMixin = refused_class(f"{_MODULE}.GetIpcHandleMixin")
IpcHandle = refused_class(f"{_MODULE}.IpcHandle")
Linker = refused_class(f"{_MODULE}.Linker")


class DeadMemoryError(RuntimeError):
    """Memory that was freed."""


class Driver:
    """The CUDA driver, as far as a simulated device can answer."""

    is_available = True
    initialization_error = None
    is_initialized = True
    pid = None

    def get_device(self, devnum: int = 0) -> Device:
        """A device by its number."""
        return all_devices()[devnum]

    def get_device_count(self) -> int:
        """How many devices there are."""
        return _engine_device.count()

    def list_devices(self) -> list[Device]:
        """The devices."""
        return list(all_devices())

    def get_version(self) -> tuple[int, int]:
        """A version that every supported package accepts; there is no driver."""
        return 13, 0

    def ensure_initialized(self) -> None:
        """Nothing to initialise."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("cu"):
            return refused(f"calling the CUDA driver ({name})", "the functions of numba.cuda")
        raise AttributeError(name)


driver = Driver()


def get_version() -> tuple[int, int]:
    """The driver's version."""
    return driver.get_version()


def _have_nvjitlink() -> bool:
    return True


def is_device_memory(obj: Any) -> bool:
    """Whether an object is device memory of this library."""
    return getattr(obj, "__cuda_memory__", False)


def require_device_memory(obj: Any) -> None:
    """Raise if an object is not device memory."""
    if not is_device_memory(obj):
        raise Exception("Not a CUDA memory object.")


def device_ctypes_pointer(obj: Any) -> Any:
    """The address of device memory as a ctypes object."""
    require_device_memory(obj)
    return obj.device_ctypes_pointer


def device_pointer(obj: Any) -> int:
    """The address of device memory."""
    return device_ctypes_pointer(obj).value


def device_memory_size(devmem: Any) -> int:
    """Bytes of an allocation."""
    return devmem.alloc_size if hasattr(devmem, "alloc_size") else devmem.size


def _bytes(memory: Any, size: int) -> np.ndarray:
    pointer = getattr(memory, "gpu_data", memory)
    if isinstance(pointer, np.ndarray):  # mapped host memory
        return _host(pointer, size)
    return pointer.array((size,), (1,), np.dtype(np.uint8))


def _host(array: Any, size: int) -> np.ndarray:
    return np.asarray(array).reshape(-1, order="A").view(np.uint8)[:size]


def host_to_device(dst: Any, src: Any, size: int, stream: Any = 0) -> None:
    """Copy bytes to the device."""
    _memory.copy_from_host(_bytes(dst, size), _host(src, size), size, stream)


def device_to_host(dst: Any, src: Any, size: int, stream: Any = 0) -> None:
    """Copy bytes to the host."""
    _memory.copy_to_host(_host(dst, size), _bytes(src, size), size, stream)


def device_to_device(dst: Any, src: Any, size: int, stream: Any = 0) -> None:
    """Copy bytes on the device."""
    _memory.copy_on_device(_bytes(dst, size), _bytes(src, size), size)


def device_memset(dst: Any, val: int, size: int, stream: Any = 0) -> None:
    """Fill bytes."""
    pointer = getattr(dst, "gpu_data", dst)
    if isinstance(pointer, np.ndarray):  # mapped host memory
        pointer = MappedMemory.of(None, pointer, pointer)
    pointer.memset(val, size, stream)


def host_memory_size(obj: Any) -> int:
    """Bytes from the first to the last element of a host array."""
    first, last = np.lib.array_utils.byte_bounds(obj)
    return last - first


def host_pointer(obj: Any, readonly: bool = False) -> int:
    """The address of a host array."""
    return obj if isinstance(obj, int) else np.asarray(obj).ctypes.data


def profile_start() -> None:
    """Start a profiler: there is none that sees a simulation."""


def profile_stop() -> None:
    """Stop a profiler: there is none."""


@contextlib.contextmanager
def profiling() -> Iterator[None]:
    """Profile a ``with`` block: there is no profiler."""
    yield


__all__ = [
    "AutoFreePointer", "BaseCUDAMemoryManager", "Context", "CudaAPIError", "CudaDriverError", "CudaSupportError",
    "DeadMemoryError", "Device", "Driver", "Event", "GetIpcHandleMixin", "HostOnlyCUDAMemoryManager", "IpcHandle",
    "Linker", "LinkerError", "ManagedMemory", "MappedMemory", "MemoryInfo", "MemoryPointer", "OwnedPointer",
    "PinnedMemory", "Stream", "device_ctypes_pointer", "device_memory_size", "device_memset", "device_pointer",
    "device_to_device", "device_to_host", "driver", "event_elapsed_time", "get_version", "host_memory_size",
    "host_pointer", "host_to_device", "is_device_memory", "memory_size_from_info", "profile_start", "profile_stop",
    "profiling", "require_device_memory", "set_memory_manager",
]  # fmt: skip
