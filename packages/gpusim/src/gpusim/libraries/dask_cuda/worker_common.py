"""What `LocalCUDACluster` and `CUDAWorker` give each worker: where it keeps its data, and its plugins."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from distributed import Nanny as DaskNanny

from gpusim.device import device

from .device_host_file import DeviceHostFile
from .plugins import CPUAffinity, CUDFSetup, PreImport, RMMSetup
from .utils import get_cpu_affinity, has_device_memory_resource, parse_device_memory_limit


class Nanny(DaskNanny):
    """A nanny that lets its worker have its device's memory beside its memory limit: here, both are main memory."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        limits = self.memory_manager
        if limits.memory_limit and limits.memory_terminate_fraction is not False:
            limits.memory_terminate_fraction += device.memory() / limits.memory_limit


def share_devices() -> None:
    """Let the processes started from here see devices of the size that this one sees.

    Else each would take its share of the memory that is left when it starts.
    """
    os.environ.setdefault("GPUSIM_GPU_MEMORY", str(device.memory()))


def _plain() -> bool:
    return int(os.environ.get("DASK_CUDA_TEST_DISABLE_DEVICE_SPECIFIC", "0")) != 0


def worker_data_function(
    device_memory_limit: Any = None,
    memory_limit: Any = None,
    enable_cudf_spill: bool = False,
    log_spilling: bool = False,
) -> Callable[[Any], Any]:
    """Return a function of a device that returns the ``data`` argument of its worker."""

    def data(device_index: Any) -> Any:
        if _plain():
            return {}
        if not has_device_memory_resource(device_index):
            if enable_cudf_spill:
                raise ValueError(
                    "cuDF spilling is not supported on devices without dedicated memory, such as system on a chip "
                    "(SoC) devices."
                )
            if device_memory_limit not in (None, "default"):
                raise ValueError("device_memory_limit is set but device has no dedicated memory.")
            return {} if memory_limit is None else None
        if device_memory_limit is None and memory_limit is None:
            return {}
        options = {
            "device_memory_limit": parse_device_memory_limit(device_memory_limit, device_index=device_index),
            "memory_limit": memory_limit,
        }
        return DeviceHostFile, options | ({"log_spilling": True} if log_spilling else {})

    return data


def worker_plugins(
    *,
    device_index: Any,
    rmm_initial_pool_size: Any,
    rmm_maximum_pool_size: Any,
    rmm_managed_memory: bool,
    rmm_async_alloc: bool,
    rmm_release_threshold: Any,
    rmm_log_directory: str | None,
    rmm_track_allocations: bool,
    rmm_allocator_external_lib_list: list[str] | None,
    pre_import: Any,
    enable_cudf_spill: bool,
    cudf_spill_stats: int,
) -> set[Any]:
    """The plugins of a worker."""
    plugins = {PreImport(pre_import), CUDFSetup(spill=enable_cudf_spill, spill_stats=cudf_spill_stats)}
    if _plain():
        return plugins
    return plugins | {
        CPUAffinity(get_cpu_affinity(device_index)),
        RMMSetup(
            initial_pool_size=rmm_initial_pool_size,
            maximum_pool_size=rmm_maximum_pool_size,
            managed_memory=rmm_managed_memory,
            async_alloc=rmm_async_alloc,
            release_threshold=rmm_release_threshold,
            log_directory=rmm_log_directory,
            track_allocations=rmm_track_allocations,
            external_lib_list=rmm_allocator_external_lib_list,
        ),
    }
