"""The CUDA runtime, as far as a simulated device can answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gpusim.device import activity, device, memory, queue
from gpusim.importing.errors import NotSimulatedError

from ._addresses import (
    MemPoolProps,
    PointerAttributes,
    free,
    freeAsync,
    freeHost,
    hostAlloc,
    hostRegister,
    hostUnregister,
    malloc,
    mallocAsync,
    mallocFromPoolAsync,
    mallocManaged,
    memAdvise,
    memcpy,
    memcpyAsync,
    memcpyPeer,
    memcpyPeerAsync,
    memPoolCreate,
    memPoolDestroy,
    memPoolTrimTo,
    memPrefetchAsync,
    memset,
    memsetAsync,
    pointerGetAttributes,
    pointerGetMemoryType,
)
from ._errors import CUDARuntimeError

is_hip = False
globals().update(json.loads((Path(__file__).parent / "constants.json").read_text()))  # read from the real library

ATTRIBUTES = {
    "MaxThreadsPerBlock": 1024, "MaxBlockDimX": 1024, "MaxBlockDimY": 1024, "MaxBlockDimZ": 64,
    "MaxGridDimX": 2147483647, "MaxGridDimY": 65535, "MaxGridDimZ": 65535, "MaxSharedMemoryPerBlock": 49152,
    "MaxSharedMemoryPerBlockOptin": 232448, "WarpSize": 32, "MultiProcessorCount": device.MULTIPROCESSORS,
    "MaxThreadsPerMultiProcessor": 2048, "MaxRegistersPerBlock": 65536, "ComputeCapabilityMajor": 9,
    "ComputeCapabilityMinor": 0, "UnifiedAddressing": 1, "ConcurrentKernels": 1, "MemoryPoolsSupported": 1, "ManagedMemory": 1, "ConcurrentManagedAccess": 1, "CooperativeLaunch": 1,
}  # fmt: skip


def _check(device_id: int) -> None:
    if not 0 <= device_id < device.count():
        raise CUDARuntimeError(101)


def getDeviceCount() -> int:
    """Number of simulated devices."""
    return device.count()


def getDevice() -> int:
    """Id of the current device."""
    return device.current()


def setDevice(device_id: int) -> None:
    """Make a device the current one of this thread."""
    _check(device_id)
    device.use(device_id)


def deviceSynchronize() -> None:
    """Wait until all work is done."""
    queue.synchronize(activity.DEVICE)


def streamSynchronize(stream: int) -> None:
    """Wait until a stream's work is done: all work, as all streams share one queue."""
    queue.synchronize(stream)


def memGetInfo() -> tuple[int, int]:
    """Free and total memory of the current device in bytes."""
    return memory.information(device.current())


def driverGetVersion() -> int:
    """A version that every supported package accepts; there is no driver."""
    return 13000


def runtimeGetVersion() -> int:
    """The CUDA version whose libraries are simulated."""
    return 13000


def getDeviceProperties(device_id: int) -> dict[str, Any]:
    """What the simulated device is, under the names of ``cudaDeviceProp``."""
    _check(device_id)
    return {
        "name": device.NAME.encode(), "totalGlobalMem": device.memory(), "major": 9, "minor": 0,
        "multiProcessorCount": device.MULTIPROCESSORS, "warpSize": 32, "maxThreadsPerBlock": 1024,
        "maxThreadsDim": (1024, 1024, 64), "maxGridSize": (2147483647, 65535, 65535), "sharedMemPerBlock": 49152,
        "sharedMemPerBlockOptin": 232448, "sharedMemPerMultiprocessor": 233472, "regsPerBlock": 65536,
        "regsPerMultiprocessor": 65536, "maxThreadsPerMultiProcessor": 2048, "totalConstMem": 65536,
        "unifiedAddressing": 1, "concurrentKernels": 1, "asyncEngineCount": 2, "ECCEnabled": 0, "integrated": 0,
        "canMapHostMemory": 1, "managedMemory": 0, "pciBusID": 0, "pciDeviceID": device_id, "pciDomainID": 0,
    }  # fmt: skip


def deviceGetAttribute(attribute: int, device_id: int) -> int:
    """One of CUDA's device attributes, by its number."""
    _check(device_id)
    known = {1: 1024, 2: 1024, 3: 1024, 4: 64, 5: 2147483647, 6: 65535, 7: 65535, 8: 49152, 9: 65536, 10: 32, 12: 65536,
             15: 1, 16: device.MULTIPROCESSORS, 17: 0, 18: 0, 19: 1, 20: 0, 31: 1, 32: 0, 33: 0, 34: device_id, 35: 0, 39: 2048,
             40: 2, 41: 1, 50: 0, 75: 9, 76: 0, 78: 1, 79: 1, 80: 1, 81: 233472, 82: 65536, 83: 1, 84: 0, 88: 0, 89: 1, 95: 1,
             97: 232448, 106: 32, 111: 1024, 115: 1}  # fmt: skip
    if attribute not in known:
        if attribute not in _ATTRIBUTE_NUMBERS:
            raise CUDARuntimeError(1)

        raise NotSimulatedError(f"device attribute {attribute}", "cupy.cuda.Device().attributes")
    return known[attribute]


_ATTRIBUTE_NUMBERS = {value for name, value in globals().items() if name.startswith("cudaDevAttr")}


def deviceGetByPCIBusId(pci_bus_id: str) -> int:
    """The id of the device of an address."""
    parts = str(pci_bus_id).replace(".", ":").split(":")
    try:
        numbers = [int(part, 16) for part in parts]
    except ValueError:
        raise CUDARuntimeError(1) from None
    for i in range(device.count()):
        if len(numbers) == 4 and numbers == [0, 0, i, 0]:
            return i
    raise CUDARuntimeError(101)


def deviceGetPCIBusId(device_id: int) -> str:
    """An address that no real device has."""
    _check(device_id)
    return f"0000:00:{device_id:02X}.0"


def deviceCanAccessPeer(device_id: int, peer_device: int) -> int:
    """Simulated devices share the host's memory, so each reaches the others."""
    _check(device_id)
    _check(peer_device)
    return int(device_id != peer_device)


def deviceDisablePeerAccess(peer_device: int) -> None:
    """Nothing to disable."""
    _check(peer_device)


_limits = {0: 1024, 1: 1048576, 2: 8388608, 3: 2, 4: 2048, 5: 64}


def deviceGetLimit(limit: int) -> int:
    """A limit of the device, as it was set; nothing depends on it."""
    return _limits[limit]


def deviceSetLimit(limit: int, value: int) -> None:
    """Remember a limit of the device; nothing depends on it."""
    _limits[limit] = value


_streams: dict[int, tuple[int, int]] = {}  # flags and priority


def streamCreate() -> int:
    """Make a stream; returns its handle."""
    return streamCreateWithPriority(0, 0)


def streamCreateWithFlags(flags: int) -> int:
    """Make a stream; returns its handle."""
    return streamCreateWithPriority(flags, 0)


def streamCreateWithPriority(flags: int, priority: int) -> int:
    """Make a stream; returns its handle."""
    handle = next(activity.handles)
    _streams[handle] = flags, priority
    return handle


def streamDestroy(stream: int) -> None:
    """Forget a stream."""
    if _streams.pop(stream, None) is None:
        raise CUDARuntimeError(400)


def streamGetFlags(stream: int) -> int:
    """Flags with which a stream was made."""
    return _streams.get(stream, (0, 0))[0]


def streamGetPriority(stream: int) -> int:
    """Priority with which a stream was made."""
    return _streams.get(stream, (0, 0))[1]


def streamQuery(stream: int) -> int:
    """0 where all work is done, else 600."""
    return 600 if queue.pending() else 0


def streamIsCapturing(stream: int) -> bool:
    """Graph capture is not simulated, so no stream ever captures."""
    return False


def streamWaitEvent(stream: int, event: int, flags: int = 0) -> None:
    """Later work comes after the event: it does, in the one queue."""
    activity.note("after", stream=stream, key=event)


def launchHostFunc(stream: int, callback: Any, arg: Any) -> None:
    """Call a host function when the work before it is done."""
    queue.submit_uncounted("host function", callback, (arg,))


def streamAddCallback(stream: int, callback: Any, arg: Any, flags: int = 0) -> None:
    """Call a host function when the work before it is done."""
    queue.submit_uncounted("host function", callback, (stream, 0, arg))


def check_status(status: int) -> None:
    """Raise the error of a status that is not 0."""
    if status:
        raise CUDARuntimeError(status)


def _getCUDAMajorVersion() -> int:
    return runtimeGetVersion() // 1000


def _ensure_context() -> None:
    """There is none."""


def deviceEnablePeerAccess(peer_device: int) -> None:
    """Nothing to enable."""
    _check(peer_device)


def profilerStart() -> None:
    """There is no profiler."""


def profilerStop() -> None:
    """There is no profiler."""


__all__ = [
    "CUDARuntimeError", "MemPoolProps", "PointerAttributes", "free", "freeAsync", "freeHost", "hostAlloc", "hostRegister",
    "hostUnregister", "malloc", "mallocAsync", "mallocFromPoolAsync", "mallocManaged", "memAdvise", "memPoolCreate",
    "memPoolDestroy", "memPoolTrimTo", "memPrefetchAsync", "memcpy", "memcpyAsync", "memcpyPeer", "memcpyPeerAsync", "memset",
    "memsetAsync", "pointerGetAttributes", "pointerGetMemoryType",
]  # fmt: skip
