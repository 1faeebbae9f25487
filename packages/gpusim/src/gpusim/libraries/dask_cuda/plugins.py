"""What is set up in each worker."""

from __future__ import annotations

import importlib
import logging
import os
from typing import Any

from distributed import WorkerPlugin

from .utils import get_rmm_log_file_name, parse_device_bytes


class CPUAffinity(WorkerPlugin):
    """Run on the cores near the device."""

    def __init__(self, cores: Any) -> None:
        self.cores = cores

    def setup(self, worker: Any = None) -> None:
        """Dask's hook."""
        try:
            os.sched_setaffinity(0, self.cores)
        except Exception:  # a worker without its cores is slower, and works
            logging.getLogger("distributed.worker").warning(
                "Setting CPU affinity for GPU failed. Please refer to the following link for troubleshooting information: "
                "https://docs.rapids.ai/api/dask-cuda/nightly/troubleshooting/#setting-cpu-affinity-failure"
            )


class CUDFSetup(WorkerPlugin):
    """Set cuDF's own spilling. Without it, what is simulated of cuDF needs no set-up, and it is not imported."""

    def __init__(self, spill: bool, spill_stats: int) -> None:
        self.spill = spill
        self.spill_stats = spill_stats

    def setup(self, worker: Any = None) -> None:
        """Dask's hook."""
        if not self.spill:
            return
        import cudf

        cudf.set_option("spill", self.spill)
        cudf.set_option("spill_stats", self.spill_stats)


class RMMSetup(WorkerPlugin):
    """Set RMM's resource. Amounts are parsed in the worker, on whose device they depend."""

    def __init__(
        self,
        initial_pool_size: Any,
        maximum_pool_size: Any,
        managed_memory: bool,
        async_alloc: bool,
        release_threshold: Any,
        log_directory: str | None,
        track_allocations: bool,
        external_lib_list: list[str] | None,
    ) -> None:
        if async_alloc is True and managed_memory is True:
            raise ValueError("`rmm_managed_memory` is incompatible with the `rmm_async`.")
        if async_alloc is False and release_threshold is not None:
            raise ValueError("`rmm_release_threshold` requires `rmm_async`.")
        self.initial_pool_size = initial_pool_size
        self.maximum_pool_size = maximum_pool_size
        self.managed_memory = managed_memory
        self.async_alloc = async_alloc
        self.release_threshold = release_threshold
        self.logging = log_directory is not None
        self.log_directory = log_directory
        self.rmm_track_allocations = track_allocations
        self.external_lib_list = external_lib_list

    def setup(self, worker: Any = None) -> None:
        """Dask's hook."""
        self.initial_pool_size = parse_device_bytes(self.initial_pool_size, alignment_size=256)
        log_file = get_rmm_log_file_name(worker, self.logging, self.log_directory)
        if self.async_alloc:
            self._set_async(log_file)
        elif self.initial_pool_size is not None or self.managed_memory:
            import rmm

            if self.initial_pool_size is not None:
                self.maximum_pool_size = parse_device_bytes(self.maximum_pool_size, alignment_size=256)
            rmm.reinitialize(
                pool_allocator=self.initial_pool_size is not None,
                managed_memory=self.managed_memory,
                initial_pool_size=self.initial_pool_size,
                maximum_pool_size=self.maximum_pool_size,
                logging=self.logging,
                log_file_name=log_file,
            )
        if self.rmm_track_allocations:
            import rmm

            rmm.mr.set_current_device_resource(rmm.mr.TrackingResourceAdaptor(rmm.mr.get_current_device_resource()))
        for library in self.external_lib_list or ():
            enable_rmm_memory_for_library(library)

    def _set_async(self, log_file: str | None) -> None:
        import rmm

        self.release_threshold = parse_device_bytes(self.release_threshold, alignment_size=256)
        resource = rmm.mr.CudaAsyncMemoryResource(
            initial_pool_size=self.initial_pool_size, release_threshold=self.release_threshold
        )
        self.maximum_pool_size = parse_device_bytes(self.maximum_pool_size, alignment_size=256)
        if self.maximum_pool_size is not None:
            resource = rmm.mr.LimitingResourceAdaptor(resource, allocation_limit=self.maximum_pool_size)
        rmm.mr.set_current_device_resource(resource)
        if self.logging:
            rmm.enable_logging(log_file_name=log_file)


def enable_rmm_memory_for_library(lib_name: str) -> None:
    """Let a library, "cupy" or "torch", take its memory from RMM; ValueError for another name."""
    if lib_name == "cupy":
        import cupy
        from rmm.allocators.cupy import rmm_cupy_allocator

        cupy.cuda.set_allocator(rmm_cupy_allocator)
    elif lib_name == "torch":
        try:
            import torch
        except ImportError as error:
            raise ImportError("PyTorch is not installed.") from error
        from rmm.allocators.torch import rmm_torch_allocator

        torch.cuda.memory.change_current_allocator(rmm_torch_allocator)
    else:
        raise ValueError(
            f"The library '{lib_name}' is not supported for RMM integration. Supported libraries are: torch, cupy."
        )


class PreImport(WorkerPlugin):
    """Import modules before the first task needs them."""

    def __init__(self, libraries: str | list[str] | None) -> None:
        self.libraries = libraries.split(",") if isinstance(libraries, str) else libraries or []

    def setup(self, worker: Any = None) -> None:
        """Dask's hook."""
        for library in self.libraries:
            importlib.import_module(library)
