"""A local cluster of one worker per simulated GPU."""

from __future__ import annotations

import copy
import logging
import os
import warnings
from functools import partial
from typing import Any

from distributed import LocalCluster, Worker
from distributed import Nanny as DaskNanny
from distributed.worker_memory import parse_memory_limit

from ._refusals import ucx
from .initialize import initialize
from .utils import cuda_visible_devices, nvml_device_index, parse_cuda_visible_device, parse_device_memory_limit
from .worker_common import Nanny, share_devices, worker_data_function, worker_plugins

# Arguments of earlier versions, which the locked one hands on to workers that then fail to start.
_GONE = {
    "jit_unspill": "JIT-unspill", "shared_filesystem": "JIT-unspill", "default_cudf_spill": "this name for enable_cudf_spill",
}  # fmt: skip


class LoggedWorker(Worker):
    """A worker whose data knows its address, for the log of what is spilled."""

    async def start(self) -> None:
        """Start and tell."""
        await super().start()
        if hasattr(self.data, "set_address"):
            self.data.set_address(self.address)


class LoggedNanny(Nanny):
    """The nanny of a LoggedWorker."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, worker_class=LoggedWorker, **kwargs)


class LocalCUDACluster(LocalCluster):
    """A LocalCluster of one process of one thread per simulated GPU, each with a device of its own.

    Takes the arguments of the real one, with these differences: the protocol is TCP (UCX is refused); with
    ``log_spilling=True`` each move between device, main memory and disk is logged to ``distributed.worker``, as the real one
    documents and its locked version forgets; a worker's ``memory_limit`` is for main memory alone, as on a GPU, although its
    device's memory lies there too.

    Parameters
    ----------
    CUDA_VISIBLE_DEVICES : str or list, optional
        The devices to use; all that are visible without it.
    n_workers : int, optional
        Workers, at most one per device.
    device_memory_limit : int, float, str or None
        Bytes, or share, of a device's memory above which results move to main memory; "default" is 80 %.
    memory_limit : int, float, str or None
        Bytes of main memory of a worker above which they move to disk.
    rmm_pool_size, rmm_maximum_pool_size, rmm_release_threshold : int, float, str, optional
        Bytes, or share, of a device's memory for RMM's pool.
    protocol : str, optional
        "tcp".
    **kwargs
        Passed on to `distributed.LocalCluster`.

    Raises
    ------
    ValueError
        As the real one: no thread, no worker, more workers than devices, arguments that exclude each other.
        And a memory limit in which no worker could start (`gpusim.importing.local_cluster`).
    RuntimeError
        If it cannot start: a port that is taken, or a task of another cluster that asks for a cluster of its own.
    NotSimulatedError
        For anything that needs UCX.
    """

    def __init__(
        self,
        CUDA_VISIBLE_DEVICES: Any = None,
        n_workers: int | None = None,
        threads_per_worker: int = 1,
        memory_limit: Any = "auto",
        device_memory_limit: Any = "default",
        enable_cudf_spill: bool = False,
        cudf_spill_stats: int = 0,
        local_directory: str | None = None,
        protocol: str | None = None,
        enable_tcp_over_ucx: bool | None = None,
        enable_infiniband: bool | None = None,
        enable_nvlink: bool | None = None,
        enable_rdmacm: bool | None = None,
        rmm_pool_size: Any = None,
        rmm_maximum_pool_size: Any = None,
        rmm_managed_memory: bool = False,
        rmm_async: bool = False,
        rmm_allocator_external_lib_list: Any = None,
        rmm_release_threshold: Any = None,
        rmm_log_directory: str | None = None,
        rmm_track_allocations: bool = False,
        log_spilling: bool = False,
        pre_import: Any = None,
        **kwargs: Any,
    ) -> None:
        for name in _GONE.keys() & kwargs.keys():
            raise TypeError(
                f"LocalCUDACluster() got an unexpected keyword argument {name!r}: Dask-CUDA 26.10 has {_GONE[name]} no more"
            )
        os.environ["RAPIDS_NO_INITIALIZE"] = "True"
        share_devices()
        if enable_cudf_spill:
            import cudf

            cudf.set_option("spill", enable_cudf_spill)
            cudf.set_option("spill_stats", cudf_spill_stats)
        if threads_per_worker < 1:
            raise ValueError("threads_per_worker must be higher than 0.")
        if CUDA_VISIBLE_DEVICES is None:
            CUDA_VISIBLE_DEVICES = cuda_visible_devices(0)
        if isinstance(CUDA_VISIBLE_DEVICES, str):
            CUDA_VISIBLE_DEVICES = CUDA_VISIBLE_DEVICES.split(",")
        devices = [parse_cuda_visible_device(device) for device in CUDA_VISIBLE_DEVICES]
        n_workers = len(devices) if n_workers is None else n_workers
        if n_workers < 1:
            raise ValueError("Number of workers cannot be less than 1.")

        # The cores do not matter here: each worker has its share of main memory.
        self.memory_limit = parse_memory_limit(
            memory_limit=memory_limit, nthreads=1, total_cores=n_workers, logger=logging.getLogger(__name__)
        )
        self.device_memory_limit = parse_device_memory_limit(
            device_memory_limit, device_index=nvml_device_index(0, devices)
        )
        self.enable_cudf_spill = enable_cudf_spill
        self.cudf_spill_stats = cudf_spill_stats
        self.rmm_pool_size = rmm_pool_size
        self.rmm_maximum_pool_size = rmm_maximum_pool_size
        self.rmm_managed_memory = rmm_managed_memory
        self.rmm_async = rmm_async
        self.rmm_release_threshold = rmm_release_threshold
        self.rmm_allocator_external_lib_list = _libraries(rmm_allocator_external_lib_list)
        self.rmm_log_directory = rmm_log_directory
        self.rmm_track_allocations = rmm_track_allocations
        self.pre_import = pre_import
        if rmm_async and rmm_pool_size is not None:
            warnings.warn(
                "'rmm_pool_size' is not needed when 'rmm_async' is enabled and will raise an exception in the future. "
                "Remove the 'rmm_pool_size' argument when creating this cluster to silence this warning.",
                FutureWarning,
                stacklevel=2,
            )
        if not kwargs.pop("processes", True):
            raise ValueError("Processes are necessary in order to use multiple GPUs with Dask")
        data = kwargs.pop("data", None)
        if data is None:
            self.data = worker_data_function(
                device_memory_limit=self.device_memory_limit,
                memory_limit=self.memory_limit,
                enable_cudf_spill=enable_cudf_spill,
                log_spilling=log_spilling,
            )
        if enable_tcp_over_ucx or enable_infiniband or enable_nvlink:
            protocol = protocol or "ucx"
            if protocol not in ("ucx", "ucxx"):
                raise TypeError("Enabling InfiniBand or NVLink requires protocol='ucx'")
        if protocol is not None and protocol.startswith("ucx"):
            raise ucx(f"dask_cuda.LocalCUDACluster(protocol={protocol!r})")
        self.host = kwargs.get("host")
        initialize(create_cuda_context=False, enable_rdmacm=enable_rdmacm)
        worker_class = _worker_class(kwargs.pop("worker_class", None), log_spilling)

        super().__init__(
            n_workers=0,
            threads_per_worker=threads_per_worker,
            memory_limit=self.memory_limit,
            processes=True,
            data=data,
            local_directory=local_directory,
            protocol=protocol,
            worker_class=worker_class,
            **kwargs,
        )
        options = self.new_spec["options"]
        options["preload"] = [*options.get("preload", []), "dask_cuda.initialize"]
        options["preload_argv"] = [*options.get("preload_argv", []), "--create-cuda-context"]
        self.cuda_visible_devices = devices
        self.scale(n_workers)
        self.sync(self._correct_state)

    def new_worker_spec(self) -> dict[Any, Any]:
        """The recipe for the worker of the first device that has none; ValueError if each has."""
        try:
            name = min(set(self.cuda_visible_devices) - set(self.worker_spec))
        except Exception:
            raise ValueError("Can not scale beyond visible devices", self.cuda_visible_devices) from None
        spec = copy.deepcopy(self.new_spec)
        visible = cuda_visible_devices(self.cuda_visible_devices.index(name), self.cuda_visible_devices)
        device_index = nvml_device_index(0, visible)
        if hasattr(self, "data"):
            spec["options"]["data"] = self.data(device_index)
        spec["options"]["env"] = {**spec["options"].get("env", {}), "CUDA_VISIBLE_DEVICES": visible}
        spec["options"]["plugins"] = worker_plugins(
            device_index=device_index,
            rmm_initial_pool_size=self.rmm_pool_size,
            rmm_maximum_pool_size=self.rmm_maximum_pool_size,
            rmm_managed_memory=self.rmm_managed_memory,
            rmm_async_alloc=self.rmm_async,
            rmm_release_threshold=self.rmm_release_threshold,
            rmm_log_directory=self.rmm_log_directory,
            rmm_track_allocations=self.rmm_track_allocations,
            rmm_allocator_external_lib_list=self.rmm_allocator_external_lib_list,
            pre_import=self.pre_import,
            enable_cudf_spill=self.enable_cudf_spill,
            cudf_spill_stats=self.cudf_spill_stats,
        )
        return {name: spec}


def _libraries(asked: Any) -> list[str] | None:
    """The libraries that are to take their memory from RMM."""
    if isinstance(asked, str):
        return [name.strip() for name in asked.split(",")]
    if asked is not None and not isinstance(asked, list):
        raise ValueError(
            "rmm_allocator_external_lib_list must be either a comma-separated string or a list of strings. "
            "Examples: 'torch,cupy' or ['torch', 'cupy']"
        )
    return asked


def _worker_class(asked: Any, log_spilling: bool) -> Any:
    """The nanny to use, which may be one of a user's worker class."""
    if asked is None:
        return LoggedNanny if log_spilling else Nanny
    if log_spilling is True:
        raise ValueError(
            "Cannot enable `log_spilling` when `worker_class` is specified. If logging is needed, ensure `worker_class` is a "
            "subclass of `distributed.local_cuda_cluster.LoggedNanny` or a subclass of "
            "`distributed.local_cuda_cluster.LoggedWorker`, and specify `log_spilling=False`."
        )
    return asked if issubclass(asked, DaskNanny) else partial(Nanny, worker_class=asked)
