"""NVML as it reports the simulated devices: how many, their memory, whether they work, who uses them.

Constants, structures and errors are those of the real ``pynvml``, which Dask brings along and which is loaded here from its
own file; its functions ask a driver that is not there, so the ones that a simulated device has an answer for are replaced, and
all others raise NVMLError_NotSupported, as a device does that lacks a sensor.  NVML counts every device of the machine,
whatever CUDA_VISIBLE_DEVICES hides, and what it knows of their use is what this process does with them.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable
from typing import Any

from gpusim.device import device, memory, queue
from gpusim.importing import finder


def _real() -> Any:
    """Return the real module: the one somebody imported before the simulated libraries were in place, else one of our own."""
    there = finder.displaced.get("pynvml")
    if there is not None:
        return there
    spec = importlib.machinery.PathFinder.find_spec("pynvml")
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError("No module named 'pynvml'", name="pynvml")
    module = importlib.util.module_from_spec(spec)
    ours = sys.modules[__name__]
    sys.modules[__name__] = module  # it gives itself its error classes by that name
    try:
        spec.loader.exec_module(module)
    finally:
        sys.modules[__name__] = ours
    return module


_nvml = _real()
__version__ = "13.615.71+gpusim"
DRIVER = "580.82.07+simulated"
"""What the driver calls itself: a version that packages accept and readers see through."""
CUDA = 13000

_initialized = 0
_contexts: set[int] = set()  # devices on which somebody asked for a context (dask_cuda.initialize)


class _Device:
    """A handle: nothing but the number of a device."""

    def __init__(self, index: int):
        self.index = index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Device) and other.index == self.index

    def __hash__(self) -> int:
        return hash(("nvml", self.index))

    def __repr__(self) -> str:
        return f"<simulated device {self.index}>"


def _need() -> None:
    if not _initialized:
        raise _nvml.NVMLError(_nvml.NVML_ERROR_UNINITIALIZED)


def _index(handle: Any) -> int:
    _need()
    if not isinstance(handle, _Device):
        raise _nvml.NVMLError(_nvml.NVML_ERROR_INVALID_ARGUMENT)
    return handle.index


def _here(index: int) -> int | None:
    """Return the number by which this process's CUDA calls a device, None if it is hidden from it."""
    shown = device.visible()
    return shown.index(index) if index in shown else None


def make_context(index: int = 0) -> None:
    """Note that this process has a context on a device (CUDA's number of it), as ``cuda.core.Device().set_current()`` makes."""
    _contexts.add(device.visible()[index])


def _has_context(index: int) -> bool:
    here = _here(index)
    return index in _contexts or (here is not None and memory.taken(here) > 0)


def nvmlInit() -> None:
    """Begin; each call needs an nvmlShutdown."""
    global _initialized
    _initialized += 1


def nvmlInitWithFlags(flags: int) -> None:
    """Begin."""
    nvmlInit()


def nvmlShutdown() -> None:
    """End."""
    global _initialized
    _need()
    _initialized -= 1


def nvmlDeviceGetCount() -> int:
    """All simulated devices, hidden ones included."""
    _need()
    return device.asked_for()


def nvmlDeviceGetHandleByIndex(index: int) -> _Device:
    """The handle of a device; NVMLError_InvalidArgument if there is none."""
    _need()
    number = int(index)
    if not 0 <= number < device.asked_for():
        raise _nvml.NVMLError(_nvml.NVML_ERROR_INVALID_ARGUMENT)
    return _Device(number)


def nvmlDeviceGetHandleByUUID(uuid: str | bytes) -> _Device:
    """The handle of the device with a UUID; NVMLError_NotFound if there is none."""
    _need()
    text = uuid.decode() if isinstance(uuid, bytes) else uuid
    for index in range(device.asked_for()):
        if device.uuid(index) == text:
            return _Device(index)
    raise _nvml.NVMLError(_nvml.NVML_ERROR_NOT_FOUND)


def nvmlDeviceGetName(handle: _Device) -> str:
    """``"Simulated GPU"``."""
    _index(handle)
    return device.NAME


def nvmlDeviceGetUUID(handle: _Device) -> str:
    """A UUID that no real GPU has."""
    return device.uuid(_index(handle))


def nvmlDeviceGetIndex(handle: _Device) -> int:
    """The number of a device."""
    return _index(handle)


def nvmlDeviceGetMinorNumber(handle: _Device) -> int:
    """The number of a device."""
    return _index(handle)


def nvmlDeviceGetMemoryInfo(handle: _Device, version: int | None = None) -> Any:
    """Bytes of memory: ``total``, and what this process holds as ``used``."""
    here = _here(_index(handle))
    info = _nvml.c_nvmlMemory_v2_t() if version else _nvml.c_nvmlMemory_t()
    info.total = device.memory()
    info.used = 0 if here is None else memory.taken(here)
    info.free = info.total - info.used
    return info


def nvmlDeviceGetUtilizationRates(handle: _Device) -> Any:
    """100 % while the queue of the device runs operations of this process, else 0; its memory is as busy."""
    index = _index(handle)
    rates = _nvml.c_nvmlUtilization_t()
    rates.gpu = rates.memory = 100 if queue.busy() and _here(index) is not None else 0
    return rates


def nvmlDeviceGetComputeRunningProcesses(handle: _Device) -> list[Any]:
    """This process, if it has used the device."""
    index = _index(handle)
    if not _has_context(index):
        return []
    here = _here(index)
    process = _nvml.c_nvmlProcessInfo_t()
    process.pid, process.usedGpuMemory = os.getpid(), 0 if here is None else memory.taken(here)
    return [process]


def nvmlSystemGetDriverVersion() -> str:
    """A driver's version, marked as simulated."""
    _need()
    return DRIVER


def nvmlSystemGetNVMLVersion() -> str:
    """NVML's version, marked as simulated."""
    _need()
    return f"13.{DRIVER}"


def nvmlSystemGetCudaDriverVersion() -> int:
    """The CUDA version that the simulated libraries name, as 1000 * major + 10 * minor."""
    _need()
    return CUDA


def nvmlDeviceGetCudaComputeCapability(handle: _Device) -> list[int]:
    """That of the device whose rules are kept."""
    _index(handle)
    return list(device.COMPUTE_CAPABILITY)


def nvmlDeviceGetCpuAffinity(handle: _Device, cpuSetSize: int) -> Any:
    """The cores that this process may use, as ``cpuSetSize`` words of 64 bits: a simulated device is close to all of them."""
    _index(handle)
    words = [0] * cpuSetSize
    for core in os.sched_getaffinity(0):
        if core // 64 < cpuSetSize:
            words[core // 64] |= 1 << core % 64
    return words


def nvmlDeviceIsMigDeviceHandle(handle: _Device) -> int:
    """0: no simulated device is a part of another."""
    _index(handle)
    return 0


def _unsupported(name: str) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        _need()
        raise _nvml.NVMLError(_nvml.NVML_ERROR_NOT_SUPPORTED)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "What a simulated device has no answer for: NVMLError_NotSupported."
    return function


nvmlInit_v2 = nvmlInit
nvmlDeviceGetCount_v2 = nvmlDeviceGetCount
nvmlDeviceGetHandleByIndex_v2 = nvmlDeviceGetHandleByIndex
nvmlDeviceGetComputeRunningProcesses_v2 = nvmlDeviceGetComputeRunningProcesses_v3 = nvmlDeviceGetComputeRunningProcesses
nvmlSystemGetCudaDriverVersion_v2 = nvmlSystemGetCudaDriverVersion

_module = sys.modules[__name__]
_WITHOUT_DEVICE = ("nvmlErrorString", "nvmlExceptionClass", "nvmlStructToFriendlyObject", "nvmlFriendlyObjectToStruct")
for _name, _value in vars(_nvml).items():
    if _name.startswith("__") or hasattr(_module, _name):
        continue
    _asks_driver = _name.startswith("nvml") and callable(_value) and not isinstance(_value, type)
    setattr(_module, _name, _unsupported(_name) if _asks_driver and _name not in _WITHOUT_DEVICE else _value)
