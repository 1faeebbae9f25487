"""Communication between processes, each with a GPU: refused by name."""

from __future__ import annotations

from typing import Any

from cupyx._bridge import takes

from gpusim.importing.errors import NotSimulatedError
from gpusim.importing.names import refused_class

NCCLBackend = refused_class("cupyx.distributed.NCCLBackend")


@takes("cupyx.distributed")
def init_process_group(n_devices: int, rank: int, *, backend: str, host: Any, port: Any, use_mpi: bool) -> Any:
    """Refused: a process group needs a GPU for each process."""
    if n_devices <= 0:
        raise ValueError(f"Invalid number of devices {n_devices}")
    if not 0 <= rank < n_devices:
        raise ValueError(f"Invalid number of rank {rank} {n_devices}")
    if backend != "nccl":
        raise ValueError(f"{backend} is not supported")
    raise NotSimulatedError("cupyx.distributed.init_process_group", "dask_cuda.LocalCUDACluster")
