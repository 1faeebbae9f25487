"""All resources and the functions that set them, where the real library has them."""

from ._adaptors import (
    CallbackMemoryResource,
    FailureCallbackResourceAdaptor,
    LimitingResourceAdaptor,
    LoggingResourceAdaptor,
    PrefetchResourceAdaptor,
    StatisticsResourceAdaptor,
    TrackingResourceAdaptor,
)
from ._base import (
    CudaAsyncMemoryResource,
    CudaAsyncViewMemoryResource,
    CudaMemoryResource,
    DeviceMemoryResource,
    ManagedMemoryResource,
    PinnedHostMemoryResource,
    SamHeadroomMemoryResource,
    SystemMemoryResource,
    UpstreamResourceAdaptor,
)
from ._current import (
    _flush_logs,
    _initialize,
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
from ._pools import ArenaMemoryResource, BinningMemoryResource, FixedSizeMemoryResource, PoolMemoryResource

__all__ = [
    "ArenaMemoryResource", "BinningMemoryResource", "CallbackMemoryResource", "CudaAsyncMemoryResource",
    "CudaAsyncViewMemoryResource", "CudaMemoryResource", "DeviceMemoryResource", "FailureCallbackResourceAdaptor",
    "FixedSizeMemoryResource", "LimitingResourceAdaptor", "LoggingResourceAdaptor", "ManagedMemoryResource",
    "PinnedHostMemoryResource", "PoolMemoryResource", "PrefetchResourceAdaptor", "SamHeadroomMemoryResource",
    "StatisticsResourceAdaptor", "SystemMemoryResource", "TrackingResourceAdaptor", "UpstreamResourceAdaptor",
    "available_device_memory", "disable_logging", "enable_logging", "get_current_device_resource", "get_log_filenames",
    "get_per_device_resource", "is_initialized", "set_current_device_resource", "set_per_device_resource", "_flush_logs",
    "_initialize",
]  # fmt: skip
