"""Memory resources, as everybody calls them."""

from rmm.pylibrmm.memory_resource._memory_resource import (
    ArenaMemoryResource,
    BinningMemoryResource,
    CallbackMemoryResource,
    CudaAsyncMemoryResource,
    CudaAsyncViewMemoryResource,
    CudaMemoryResource,
    DeviceMemoryResource,
    FailureCallbackResourceAdaptor,
    FixedSizeMemoryResource,
    LimitingResourceAdaptor,
    LoggingResourceAdaptor,
    ManagedMemoryResource,
    PinnedHostMemoryResource,
    PoolMemoryResource,
    PrefetchResourceAdaptor,
    SamHeadroomMemoryResource,
    StatisticsResourceAdaptor,
    SystemMemoryResource,
    TrackingResourceAdaptor,
    UpstreamResourceAdaptor,
    available_device_memory,
    disable_logging,
    enable_logging,
    get_current_device_resource,
    get_log_filenames,
    get_per_device_resource,
    is_initialized,
    set_current_device_resource,
    set_per_device_resource,
)

from gpusim.importing.names import refuser

from . import experimental

__all__ = [
    "ArenaMemoryResource", "BinningMemoryResource", "CallbackMemoryResource", "CudaAsyncMemoryResource",
    "CudaAsyncViewMemoryResource", "CudaMemoryResource", "DeviceMemoryResource", "FailureCallbackResourceAdaptor",
    "FixedSizeMemoryResource", "LimitingResourceAdaptor", "LoggingResourceAdaptor", "ManagedMemoryResource",
    "PinnedHostMemoryResource", "PoolMemoryResource", "PrefetchResourceAdaptor", "SamHeadroomMemoryResource",
    "StatisticsResourceAdaptor", "SystemMemoryResource", "TrackingResourceAdaptor", "UpstreamResourceAdaptor",
    "available_device_memory", "disable_logging", "enable_logging", "experimental", "get_current_device_resource",
    "get_log_filenames", "get_per_device_resource", "is_initialized", "set_current_device_resource",
    "set_per_device_resource",
]  # fmt: skip
__getattr__ = refuser("rmm.mr")
