"""What a CUDA worker does before its first task: use its device, and count device memory apart from its own."""

from __future__ import annotations

import logging
import os
from typing import Any

import click
import pynvml
from distributed.diagnostics.nvml import CudaDeviceInfo, get_device_index_and_uuid, has_cuda_context

from gpusim.device import device, memory

from .utils import get_ucx_config

logger = logging.getLogger(__name__)
pre_existing_cuda_context: Any = None
cuda_context_created: Any = None

_WHY = (
    "This is often the result of a CUDA-enabled library calling a CUDA runtime function before Dask-CUDA can spawn worker "
    "processes. Please make sure any such function calls don't happen at import time or in the global scope of a program."
)


def _mock_test_device() -> bool:
    return int(os.environ.get("DASK_CUDA_TEST_SINGLE_GPU", "0")) != 0


def _name(info: CudaDeviceInfo) -> str:
    return f"{info.device_index} ({info.uuid!s})"


def _create_cuda_context() -> None:
    """Use the first visible device; a warning if one was in use before, or if it is another one than was meant."""
    global pre_existing_cuda_context, cuda_context_created
    try:
        first = "0" if _mock_test_device() else os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
        meant = get_device_index_and_uuid(first)
        pre_existing_cuda_context = has_cuda_context()
        if pre_existing_cuda_context.has_context:
            logger.warning(
                f"A CUDA context for device {_name(pre_existing_cuda_context.device_info)} already exists "
                f"on process ID {os.getpid()}. {_WHY}"
            )
        pynvml.make_context(device.current())
        cuda_context_created = has_cuda_context()
        if cuda_context_created.has_context and cuda_context_created.device_info.uuid != meant.uuid:
            logger.warning(
                f"Worker with process ID {os.getpid()} should have a CUDA context assigned to device "
                f"{_name(meant)}, but instead the CUDA context is on device "
                f"{_name(cuda_context_created.device_info)}. {_WHY}"
            )
    except Exception:
        logger.error("Unable to start CUDA Context", exc_info=True)


def initialize(
    create_cuda_context: bool = True,
    enable_tcp_over_ucx: bool | None = None,
    enable_infiniband: bool | None = None,
    enable_nvlink: bool | None = None,
    enable_rdmacm: bool | None = None,
) -> None:
    """Use the device; NotSimulatedError if a transport of UCX is asked for."""
    get_ucx_config(enable_tcp_over_ucx, enable_infiniband, enable_nvlink, enable_rdmacm)
    if create_cuda_context:
        _create_cuda_context()


@click.command()
@click.option("--create-cuda-context/--no-create-cuda-context", default=False, help="Create CUDA context")
def dask_setup(worker: Any, create_cuda_context: bool) -> None:
    """Dask's hook for a preloaded module."""
    if create_cuda_context:
        _create_cuda_context()
    monitor = getattr(worker, "monitor", None)
    if monitor is not None:
        # The memory limit is for what a worker has in main memory; here that is where its device's memory lies as well.
        whole = monitor.get_process_memory
        monitor.get_process_memory = lambda: max(whole() - memory.resident(), 0)
