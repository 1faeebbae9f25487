"""The workers of one machine, started beside a scheduler that runs already."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import warnings
from typing import Any

import dask
from distributed.core import Server
from distributed.deploy.cluster import Cluster
from distributed.proctitle import enable_proctitle_on_children, enable_proctitle_on_current
from distributed.utils import parse_ports
from distributed.worker_memory import parse_memory_limit

from .initialize import initialize
from .utils import cuda_visible_devices, get_n_gpus, nvml_device_index
from .worker_common import Nanny, share_devices, worker_data_function, worker_plugins

NO_SCHEDULER = (
    "No scheduler specified. A scheduler can be specified by passing an address through the SCHEDULER argument or "
    "'dask.scheduler-address' config option, or by passing the location of a scheduler file through the --scheduler-file "
    "option"
)


class CUDAWorker(Server):
    """One nanny with one worker per simulated GPU; takes the arguments of the real one. ``await`` it to start them."""

    def __init__(
        self,
        scheduler: Any = None,
        host: str | None = None,
        listen_address: str | None = None,
        contact_address: str | None = None,
        nthreads: int = 1,
        name: Any = None,
        memory_limit: Any = "auto",
        device_memory_limit: Any = "default",
        enable_cudf_spill: bool = False,
        cudf_spill_stats: int = 0,
        rmm_pool_size: Any = None,
        rmm_maximum_pool_size: Any = None,
        rmm_managed_memory: bool = False,
        rmm_async: bool = False,
        rmm_allocator_external_lib_list: Any = None,
        rmm_release_threshold: Any = None,
        rmm_log_directory: str | None = None,
        rmm_track_allocations: bool = False,
        pid_file: str | None = None,
        resources: str | None = None,
        dashboard: bool = True,
        dashboard_address: str = ":0",
        local_directory: str | None = None,
        scheduler_file: str | None = None,
        interface: str | None = None,
        preload: Any = (),
        dashboard_prefix: str | None = None,
        security: Any = None,
        enable_tcp_over_ucx: bool | None = None,
        enable_infiniband: bool | None = None,
        enable_nvlink: bool | None = None,
        enable_rdmacm: bool | None = None,
        worker_class: Any = None,
        pre_import: Any = None,
        worker_port: str | None = None,
        **kwargs: Any,
    ) -> None:
        os.environ["RAPIDS_NO_INITIALIZE"] = "True"
        enable_proctitle_on_current()
        enable_proctitle_on_children()
        share_devices()
        nprocs = get_n_gpus()
        if nthreads < 1:
            raise ValueError("nthreads must be higher than 0.")
        memory_limit = parse_memory_limit(
            memory_limit=memory_limit, nthreads=1, total_cores=nprocs, logger=logging.getLogger(__name__)
        )
        if pid_file:
            _write_pid(pid_file)
        wanted = None
        if resources:
            wanted = {
                key: float(value) for key, value in (pair.split("=") for pair in resources.replace(",", " ").split())
            }
        preload_argv = kwargs.pop("preload_argv", [])
        if scheduler is None and scheduler_file is None and dask.config.get("scheduler-address", None) is None:
            raise ValueError(NO_SCHEDULER)
        if isinstance(scheduler, Cluster):
            scheduler = scheduler.scheduler_address
        ports = _ports(nprocs, host, interface, listen_address, contact_address, worker_port)
        if enable_nvlink and rmm_managed_memory:
            raise ValueError("RMM managed memory and NVLink are currently incompatible.")
        initialize(
            create_cuda_context=False,
            enable_tcp_over_ucx=enable_tcp_over_ucx,
            enable_infiniband=enable_infiniband,
            enable_nvlink=enable_nvlink,
            enable_rdmacm=enable_rdmacm,
        )
        data = worker_data_function(
            device_memory_limit=device_memory_limit, memory_limit=memory_limit, enable_cudf_spill=enable_cudf_spill
        )
        if enable_cudf_spill and dask.config.get("cudf-spill-warning", default=True):
            warnings.warn(
                "cuDF spilling is enabled, please ensure the client and scheduler processes set `CUDF_SPILL=on` as well. "
                "To disable this warning set `DASK_CUDF_SPILL_WARNING=False`.",
                stacklevel=2,
            )

        def nanny(i: int) -> Nanny:
            visible = cuda_visible_devices(i)
            index = nvml_device_index(i, visible)  # as in the real one, where both count from i
            return Nanny(
                scheduler,
                scheduler_file=scheduler_file,
                nthreads=nthreads,
                dashboard=dashboard,
                dashboard_address=dashboard_address,
                http_prefix=dashboard_prefix,
                resources=wanted,
                memory_limit=memory_limit,
                interface=interface,
                host=host,
                worker_port=ports[i],
                listen_address=listen_address,
                contact_address=contact_address or listen_address,
                preload=[*preload, "dask_cuda.initialize"],
                preload_argv=[*preload_argv, "--create-cuda-context"],
                security=security,
                env={"CUDA_VISIBLE_DEVICES": visible},
                plugins=worker_plugins(
                    device_index=index,
                    rmm_initial_pool_size=rmm_pool_size,
                    rmm_maximum_pool_size=rmm_maximum_pool_size,
                    rmm_managed_memory=rmm_managed_memory,
                    rmm_async_alloc=rmm_async,
                    rmm_release_threshold=rmm_release_threshold,
                    rmm_log_directory=rmm_log_directory,
                    rmm_track_allocations=rmm_track_allocations,
                    rmm_allocator_external_lib_list=rmm_allocator_external_lib_list,
                    pre_import=pre_import,
                    enable_cudf_spill=enable_cudf_spill,
                    cudf_spill_stats=cudf_spill_stats,
                ),
                name=name if nprocs == 1 or name is None else f"{name}-{i}",
                local_directory=local_directory,
                data=data(index),
                worker_class=worker_class,
                **kwargs,
            )

        self.nannies = [nanny(i) for i in range(nprocs)]

    def __await__(self) -> Any:
        return self._wait().__await__()

    async def _wait(self) -> CUDAWorker:
        await asyncio.gather(*self.nannies)
        return self

    async def finished(self) -> None:
        """Wait until all workers have ended."""
        await asyncio.gather(*[nanny.finished() for nanny in self.nannies])

    async def close(self, timeout: float = 5) -> None:
        """Close them."""
        await asyncio.gather(*[nanny.close(timeout=timeout) for nanny in self.nannies])


def _write_pid(pid_file: str) -> None:
    with open(pid_file, "w") as file:
        file.write(str(os.getpid()))

    def remove() -> None:
        if os.path.exists(pid_file):
            os.remove(pid_file)

    atexit.register(remove)


def _ports(nprocs: int, host: Any, interface: Any, listen: Any, contact: Any, worker_port: str | None) -> list[Any]:
    """The port of each worker, None for any; ValueError for addresses that exclude each other."""
    if interface and host:
        raise ValueError("Can not specify both interface and host")
    if (host or interface) and listen:
        raise ValueError("Cannot specify listen_address when host or interface is given")
    if contact and not listen:
        raise ValueError("Must specify listen_address when contact_address is provided")
    if (listen or contact) and nprocs > 1:
        raise ValueError(
            f"Cannot specify listen_address or contact_address when using multiple GPUs (nprocs={nprocs})."
        )
    if not worker_port:
        return [None] * nprocs
    if listen:
        raise ValueError("Cannot specify worker_port when listen_address is given")
    ports = parse_ports(worker_port)
    if len(ports) < nprocs:
        raise ValueError(
            f"Not enough ports in --worker-port range for {nprocs} GPUs. "
            f"Provide a range like {ports[0]}:{ports[0] + nprocs - 1}."
        )
    return ports
