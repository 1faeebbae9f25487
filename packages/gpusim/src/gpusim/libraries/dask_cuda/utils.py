"""Helpers of Dask-CUDA: devices, amounts of memory, a cluster's configuration."""

from __future__ import annotations

import operator
import os
import pickle
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from functools import singledispatch
from typing import Any

import click
import dask
from dask.utils import format_bytes, parse_bytes
from distributed import wait
from distributed.comm import parse_address

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


@contextmanager
def nvtx_annotate(message: str | None = None, color: str = "blue", domain: str | None = None) -> Any:
    """A range for a profiler."""
    import nvtx

    with nvtx.annotate(message=message, color=color, domain=domain):
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


# How a cluster is configured, for `dask cuda config` and for the curious.

_BYTES = {"memory_limit", "device-memory-limit", "initial_pool_size", "maximum_pool_size"}
_LIMITS = ("memory_limit", "memory_pause_fraction", "memory_spill_fraction", "memory_target_fraction")


def get_worker_config(dask_worker: Any) -> dict[str, Any]:
    """A worker's plugins with their settings, its memory limits and its protocol."""
    told: dict[str, Any] = {}
    for plugin in dask_worker.plugins.values():
        names = [name for name in dir(plugin) if not name.startswith("_") and name not in ("setup", "cores")]
        config: Any = {name: getattr(plugin, name) for name in names}
        try:
            pickle.dumps(config)  # it travels to the client
        except TypeError:
            config = "UNKNOWN CONFIG"
        told[f"[plugin] {type(plugin).__name__}"] = config
    told |= {name: getattr(dask_worker.memory_manager, name) for name in _LIMITS}
    limit = getattr(getattr(dask_worker.data, "device_buffer", None), "n", None)
    if limit is not None:
        told["device-memory-limit"] = limit
    told["protocol"] = parse_address(dask_worker.scheduler.address)[0]
    told["distributed.comm.timeouts"] = dask.config.get("distributed.comm.timeouts")
    return told


async def get_scheduler_configuration(client: Any) -> dict[str, Any]:
    """What the scheduler has set."""
    return {
        "distributed.scheduler.worker-ttl": await client.run_on_scheduler(
            lambda dask_scheduler: dask_scheduler.worker_ttl
        ),
        "active-extensions": list(
            await client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.extensions.keys()))
        ),
    }


async def _get_cluster_configuration(client: Any) -> dict[str, Any]:
    workers = await client.run(get_worker_config)
    told = await get_scheduler_configuration(client)
    if workers:  # the first speaks for all
        told |= next(iter(workers.values()))
        # Not scheduler_info: in this coroutine it cannot ask, and tells what it knew.
        told["nworkers"] = len(workers)
        told["nthreads"] = sum((await client.run(lambda dask_worker: dask_worker.state.nthreads)).values())
    return told


def get_cluster_configuration(client: Any) -> Any:
    """The configuration of a client's cluster as a dictionary."""
    return client.sync(_get_cluster_configuration, client=client, asynchronous=client.asynchronous)


@singledispatch
def pretty_print(obj: Any, toplevel: bool) -> Any:
    """Something as ``rich`` shows it."""
    from rich.pretty import Pretty

    return Pretty(obj)


@pretty_print.register(str)
def _(obj: str, toplevel: bool) -> Any:
    from rich.markup import escape

    return escape(obj)


@pretty_print.register(dict)
def _(obj: dict, toplevel: bool) -> Any:
    from rich.table import Table

    if not obj:
        return "No known settings"
    table = Table(show_header=toplevel, title="Dask Cluster Configuration" if toplevel else None)
    for heading in ("Parameter", "Value"):
        table.add_column(heading, justify="left", style="bold bright_green")
    for key, value in sorted(obj.items(), key=operator.itemgetter(0)):
        shown = format_bytes(value) if key in _BYTES and value is not None else value
        table.add_row(pretty_print(key, False), pretty_print(shown, False))
    return table


def print_cluster_config(client: Any) -> None:
    """Print the configuration of a client's cluster as a table."""
    if client.asynchronous:
        print("Printing cluster configuration works only with synchronous Dask clients")
    data = get_cluster_configuration(client)
    try:
        from rich.console import Console
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Please install rich `python -m pip install rich` to print a table of the current Dask Cluster Configuration"
        ) from error
    Console().print(pretty_print(data, True))


# Amounts of device memory as Dask-CUDA's arguments give them.


def _fraction(value: float | str | None) -> float | None:
    """Return a share of the device's memory, None for anything else: 1.0 and "1.0" are shares, 1 and "1" are bytes."""
    if not isinstance(value, float) and value in (1, "1"):
        return None
    with suppress(ValueError, TypeError):
        share = float(value)
        if 0.0 < share <= 1.0:
            return share
    return None


def parse_device_bytes(
    device_bytes: float | str | None, device_index: int | str = 0, alignment_size: int = 1
) -> int | None:
    """Bytes of device memory from a number, a share, or a text such as ``"5GB"``; None for None and whatever is zero.

    Rounded down to a multiple of ``alignment_size``.
    """
    share = _fraction(device_bytes)
    if share is not None:
        if not has_device_memory_resource():
            raise ValueError(
                "Fractional of total device memory not supported in devices without a dedicated memory resource."
            )
        size = int(get_device_total_memory(device_index) * share)
    elif device_bytes is None or device_bytes == 0.0:
        return None
    else:
        size = int(device_bytes) if isinstance(device_bytes, float) else parse_bytes(device_bytes)
        if size == 0:
            return None
    return size // alignment_size * alignment_size


def parse_device_memory_limit(
    device_memory_limit: float | str | None, device_index: int | str = 0, alignment_size: int = 1
) -> int | None:
    """As `parse_device_bytes`; ``"default"`` is 80 % of the device's memory and ``"auto"`` all of it."""
    if device_memory_limit in ("auto", "default"):
        if not has_device_memory_resource():
            return None
        device_memory_limit = get_device_total_memory(device_index) if device_memory_limit == "auto" else 0.8
    return parse_device_bytes(device_memory_limit, device_index, alignment_size)


__all__ = [
    "CommaSeparatedChoice", "_get_cluster_configuration", "all_to_all", "cuda_visible_devices", "get_cluster_configuration",
    "get_cpu_affinity", "get_cpu_count", "get_device_total_memory", "get_gpu_count", "get_gpu_count_mig", "get_gpu_handle",
    "get_gpu_uuid", "get_n_gpus", "get_preload_options", "get_rmm_device_memory_usage", "get_rmm_log_file_name",
    "get_scheduler_configuration", "get_ucx_config", "get_worker_config", "has_device_memory_resource", "nvml_device_index",
    "nvtx_annotate", "parse_cuda_visible_device", "parse_device_bytes", "parse_device_memory_limit", "pretty_print",
    "print_cluster_config", "unpack_bitmask", "wait_workers",
]  # fmt: skip
