"""The resource of each device, which whoever asks RMM for memory without naming one gets it from."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from rmm.pylibrmm.helper import parse_bytes

from gpusim.device import device
from gpusim.device import memory as engine

from ._adaptors import LoggingResourceAdaptor
from ._base import CudaMemoryResource, DeviceMemoryResource, ManagedMemoryResource
from ._pools import PoolMemoryResource

_per_device_mrs: dict[int, DeviceMemoryResource] = defaultdict(CudaMemoryResource)


def _initialize(
    pool_allocator: bool = False,
    managed_memory: bool = False,
    initial_pool_size: int | str | None = None,
    maximum_pool_size: int | str | None = None,
    devices: Any = 0,
    logging: bool = False,
    log_file_name: str | None = None,
) -> None:
    upstream = ManagedMemoryResource if managed_memory else CudaMemoryResource

    def make() -> DeviceMemoryResource:
        if not pool_allocator:
            return upstream()
        return PoolMemoryResource(
            upstream(),
            initial_pool_size=None if initial_pool_size is None else parse_bytes(initial_pool_size),
            maximum_pool_size=None if maximum_pool_size is None else parse_bytes(maximum_pool_size),
        )

    _per_device_mrs.clear()
    before = device.current()
    try:
        for number in [0] if devices is None else [devices] if isinstance(devices, int) else devices:
            if not 0 <= number < device.count():
                from rmm._cuda.gpu import CUDARuntimeError

                raise CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
            device.use(number)
            resource = make()
            set_per_device_resource(number, LoggingResourceAdaptor(resource, log_file_name) if logging else resource)
    finally:
        device.use(before)


def get_per_device_resource(device: int) -> DeviceMemoryResource:
    """The resource of a device."""
    return _per_device_mrs[device]


def set_per_device_resource(device: int, mr: DeviceMemoryResource) -> None:
    """Set the resource of a device."""
    if not isinstance(mr, DeviceMemoryResource):
        raise TypeError(
            "Argument 'mr' has incorrect type (expected "
            f"rmm.pylibrmm.memory_resource._memory_resource.DeviceMemoryResource, got {type(mr).__name__})"
        )
    _per_device_mrs[device] = mr


def set_current_device_resource(mr: DeviceMemoryResource) -> None:
    """Set the resource of the current device."""
    set_per_device_resource(device.current(), mr)


def get_current_device_resource() -> DeviceMemoryResource:
    """The resource of the current device."""
    return _per_device_mrs[device.current()]


def is_initialized() -> bool:
    """True: a device without a resource gets CUDA's own when it is asked for."""
    return True


def _flush_logs() -> None:
    for resource in _per_device_mrs.values():
        if isinstance(resource, LoggingResourceAdaptor):
            resource.flush()


def enable_logging(log_file_name: str | None = None) -> None:
    """Log what the resources of all devices give out, each to a file of its own."""
    for number in list(_per_device_mrs) or [0]:
        resource = _per_device_mrs[number]
        if not isinstance(resource, LoggingResourceAdaptor):
            set_per_device_resource(number, LoggingResourceAdaptor(resource, log_file_name))


def disable_logging() -> None:
    """Log no more."""
    for number, resource in list(_per_device_mrs.items()):
        if isinstance(resource, LoggingResourceAdaptor):
            resource.flush()
            set_per_device_resource(number, resource.get_upstream())


def get_log_filenames() -> dict[int, str | None]:
    """The log of each device, None where there is none."""
    return {
        number: resource.get_file_name() if isinstance(resource, LoggingResourceAdaptor) else None
        for number, resource in _per_device_mrs.items()
    }


def available_device_memory() -> tuple[int, int]:
    """Free and total bytes of the current device."""
    return engine.information(device.current())
