"""Helpers of Dask-CUDA: devices, amounts of memory, a cluster's configuration."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import click
from distributed import wait

from ._devices import (
    cuda_visible_devices,
    get_cpu_affinity,
    get_cpu_count,
    get_device_total_memory,
    get_gpu_count,
    get_gpu_count_mig,
    get_gpu_handle,
    get_gpu_uuid,
    get_n_gpus,
    has_device_memory_resource,
    nvml_device_index,
    parse_cuda_visible_device,
    unpack_bitmask,
)
from ._refusals import ucx
from ._report import (
    _get_cluster_configuration,
    get_cluster_configuration,
    get_scheduler_configuration,
    get_worker_config,
    pretty_print,
    print_cluster_config,
)
from ._sizes import parse_device_bytes, parse_device_memory_limit


@contextmanager
def nvtx_annotate(message: str | None = None, color: str = "blue", domain: str | None = None) -> Any:
    """A range for a profiler that sees nothing of a simulation."""
    yield


def get_ucx_config(
    enable_tcp_over_ucx: bool | None = None,
    enable_infiniband: bool | None = None,
    enable_nvlink: bool | None = None,
    enable_rdmacm: bool | None = None,
) -> None:
    """None, as without distributed-ucxx; NotSimulatedError if a transport of UCX is asked for."""
    asked = {
        "enable_tcp_over_ucx": enable_tcp_over_ucx, "enable_infiniband": enable_infiniband,
        "enable_nvlink": enable_nvlink, "enable_rdmacm": enable_rdmacm,
    }  # fmt: skip
    for name, value in asked.items():
        if value:
            raise ucx(f"{name}=True in dask_cuda")


def get_preload_options(
    protocol: str | None = None,
    create_cuda_context: bool | None = None,
    enable_tcp_over_ucx: bool | None = None,
    enable_infiniband: bool | None = None,
    enable_nvlink: bool | None = None,
    enable_rdmacm: bool | None = None,
) -> dict[str, list[str]]:
    """The arguments of a Dask worker that make it use its device from the start."""
    flags = ["--create-cuda-context"] if create_cuda_context else []
    if protocol in ("ucx", "ucxx"):
        flags += ["--enable-tcp-over-ucx"] if enable_tcp_over_ucx else []
        flags += ["--enable-infiniband"] if enable_infiniband else []
        flags += ["--enable-rdmacm"] if enable_rdmacm else []
        flags += ["--enable-nvlink"] if enable_nvlink else []
    return {"preload": ["dask_cuda.initialize"], "preload_argv": flags}


def get_rmm_log_file_name(dask_worker: Any, logging: bool = False, log_directory: str | None = None) -> str | None:
    """Where a worker's RMM log goes."""
    if not logging:
        return None
    name = getattr(dask_worker, "name", "scheduler")
    return os.path.join(log_directory, f"rmm_log_{name.split('/')[-1] if isinstance(name, str) else name}.txt")


def wait_workers(
    client: Any,
    min_timeout: float = 10,
    seconds_per_gpu: float = 2,
    n_gpus: int | None = None,
    timeout_callback: Callable[[], None] | None = None,
) -> bool:
    """Wait until as many workers as GPUs are there; False after ``seconds_per_gpu`` for each, ``min_timeout`` at least."""
    least = os.environ.get("DASK_CUDA_WAIT_WORKERS_MIN_TIMEOUT")
    gpus = n_gpus or get_n_gpus()
    patience = max(min_timeout if least is None else int(least), seconds_per_gpu * gpus)
    start = time.time()
    while len(client.scheduler_info(n_workers=-1)["workers"]) != gpus:
        if time.time() - start > patience:
            if callable(timeout_callback):
                timeout_callback()
            return False
        time.sleep(0.1)
    return True


async def _all_to_all(client: Any) -> None:
    workers = list(client.scheduler_info(n_workers=-1)["workers"])
    byte = b"0"
    held = [client.map(lambda x: byte, range(1), pure=False, workers=[worker])[0] for worker in workers]
    await wait(held)
    await wait([client.submit(lambda x: None, one, workers=[worker], pure=False) for worker in workers for one in held])


def all_to_all(client: Any) -> Any:
    """Let each worker speak to each other one, so that the connections are made."""
    return client.sync(_all_to_all, client=client, asynchronous=client.asynchronous)


def get_rmm_device_memory_usage() -> int | None:
    """Bytes on the current device as the first statistics or tracking resource counts them, None without one."""
    import rmm

    resource = rmm.mr.get_current_device_resource()
    while resource is not None:
        if isinstance(resource, rmm.mr.TrackingResourceAdaptor):
            return resource.get_allocated_bytes()
        if isinstance(resource, rmm.mr.StatisticsResourceAdaptor):
            return resource.allocation_counts.current_bytes
        resource = getattr(resource, "upstream_mr", None)
    return None


class CommaSeparatedChoice(click.Choice):
    """An option of several choices with commas between."""

    def convert(self, value: str, param: Any, ctx: Any) -> list[str]:
        """The list; a usage error for what is no choice."""
        values = [item.strip() for item in value.split(",")]
        for item in values:
            if item not in self.choices:
                known = ", ".join(f"'{choice}'" for choice in self.choices)
                self.fail(f"invalid choice(s): {item}. (choices are: {known})")
        return values


__all__ = [
    "CommaSeparatedChoice", "_get_cluster_configuration", "all_to_all", "cuda_visible_devices", "get_cluster_configuration",
    "get_cpu_affinity", "get_cpu_count", "get_device_total_memory", "get_gpu_count", "get_gpu_count_mig", "get_gpu_handle",
    "get_gpu_uuid", "get_n_gpus", "get_preload_options", "get_rmm_device_memory_usage", "get_rmm_log_file_name",
    "get_scheduler_configuration", "get_ucx_config", "get_worker_config", "has_device_memory_resource", "nvml_device_index",
    "nvtx_annotate", "parse_cuda_visible_device", "parse_device_bytes", "parse_device_memory_limit", "pretty_print",
    "print_cluster_config", "unpack_bitmask", "wait_workers",
]  # fmt: skip
