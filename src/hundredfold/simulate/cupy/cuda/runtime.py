"""The CUDA runtime, as far as a simulated device can answer."""

from __future__ import annotations

from typing import Any

from hundredfold.engine import device, memory, queue

from .._core.names import refuser

_ERRORS = {
    1: ("cudaErrorInvalidValue", "invalid argument"),
    2: ("cudaErrorMemoryAllocation", "out of memory"),
    100: ("cudaErrorNoDevice", "no CUDA-capable device is detected"),
    400: ("cudaErrorInvalidResourceHandle", "invalid resource handle"),
    101: ("cudaErrorInvalidDevice", "invalid device ordinal"),
}

is_hip = False
memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice, memcpyDefault = range(5)
streamDefault, streamNonBlocking, streamLegacy, streamPerThread = 0, 1, 1, 2
eventDefault, eventBlockingSync, eventDisableTiming, eventInterprocess = 0, 1, 2, 4
cudaDevAttrMaxThreadsPerBlock, cudaDevAttrWarpSize, cudaDevAttrMultiProcessorCount = 1, 10, 16
cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor = 75, 76

ATTRIBUTES = {
    "MaxThreadsPerBlock": 1024, "MaxBlockDimX": 1024, "MaxBlockDimY": 1024, "MaxBlockDimZ": 64,
    "MaxGridDimX": 2147483647, "MaxGridDimY": 65535, "MaxGridDimZ": 65535, "MaxSharedMemoryPerBlock": 49152,
    "MaxSharedMemoryPerBlockOptin": 232448, "WarpSize": 32, "MultiProcessorCount": device.MULTIPROCESSORS,
    "MaxThreadsPerMultiProcessor": 2048, "MaxRegistersPerBlock": 65536, "ComputeCapabilityMajor": 9,
    "ComputeCapabilityMinor": 0, "UnifiedAddressing": 1, "ConcurrentKernels": 1, "MemoryPoolsSupported": 0,
}  # fmt: skip


class CUDARuntimeError(RuntimeError):
    """An error of the CUDA runtime."""

    def __init__(self, status: int):
        self.status = status
        name, text = _ERRORS.get(status, ("cudaErrorUnknown", "unknown error"))
        super().__init__(f"{name}: {text}")

    def __reduce__(self):
        return type(self), (self.status,)


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
    queue.synchronize()


def streamSynchronize(stream: int) -> None:
    """Wait until a stream's work is done: all work, as all streams share one queue."""
    queue.synchronize()


def memGetInfo() -> tuple[int, int]:
    """Free and total memory of the current device in bytes."""
    return memory.information(device.current())


def driverGetVersion() -> int:
    """A version that every supported package accepts; there is no driver."""
    return 13000


def runtimeGetVersion() -> int:
    """The CUDA version whose libraries are stood in for."""
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
    known = {1: 1024, 2: 1024, 3: 1024, 4: 64, 5: 2147483647, 6: 65535, 7: 65535, 8: 49152, 10: 32, 12: 65536,
             16: device.MULTIPROCESSORS, 39: 2048, 75: 9, 76: 0, 97: 232448}  # fmt: skip
    if attribute not in known:
        from hundredfold.simulate.errors import NotSimulatedError

        raise NotSimulatedError(f"device attribute {attribute}", "cupy.cuda.Device().attributes")
    return known[attribute]


def deviceGetPCIBusId(device_id: int) -> str:
    """An address that no real device has."""
    _check(device_id)
    return f"0000:00:{device_id:02X}.0"


def deviceCanAccessPeer(device_id: int, peer_device: int) -> int:
    """Simulated devices share the host's memory, so each reaches the others."""
    _check(device_id)
    _check(peer_device)
    return int(device_id != peer_device)


def deviceEnablePeerAccess(peer_device: int) -> None:
    """Nothing to enable."""
    _check(peer_device)


def profilerStart() -> None:
    """There is no profiler."""


def profilerStop() -> None:
    """There is no profiler."""


__getattr__ = refuser("cupy.cuda.runtime")
