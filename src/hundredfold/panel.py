"""What the Dask panel's NEW button starts: a cluster over this machine's GPUs, or one whose workers simulate them.

The panel lives in the Jupyter server, which must stay an ordinary Python: nothing here puts the stand-ins in place in it. The
workers of a simulated cluster do so for themselves, through this module's `dask_setup`.
"""

from __future__ import annotations

import importlib.util
import os
from typing import Any

from distributed import LocalCluster, Nanny

from hundredfold.machine import cpu

#: A worker with pandas, Numba and a notebook's arrays wants about this much main memory (bytes).
WORKER_MEMORY = 768 * 2**20
#: The share of the memory that is left now which the workers may take; the rest is the kernel's, which holds the data too.
SHARE = 0.6

#: The server's environment before the first cluster.
_BEFORE = dict(os.environ)


class PanelNanny(Nanny):
    """A nanny that leaves the server's environment as it was.

    Dask puts what a worker needs before it starts (one BLAS thread, another malloc) into its own process for good. Here that is
    the Jupyter server: every kernel started later would inherit it and measure NumPy too slow.
    """

    async def instantiate(self) -> Any:
        try:
            return await super().instantiate()
        finally:
            for name in self.pre_spawn_env:
                if name in _BEFORE:
                    os.environ[name] = _BEFORE[name]
                else:
                    os.environ.pop(name, None)


class SimulatedCUDACluster(LocalCluster):
    """A LocalCluster whose workers simulate a GPU each. The panel shows a cluster by the name of its class."""


def make(**kwargs: Any) -> LocalCluster:
    """Return the cluster for this machine; with `asynchronous=True` it is to be awaited, as the panel does.

    Parameters
    ----------
    **kwargs : passed on to `dask_cuda.LocalCUDACluster` where NVML counts a GPU and dask_cuda is installed, else to
        `SimulatedCUDACluster`, whose workers then simulate: one of one thread for each of `HUNDREDFOLD_GPUS` GPUs, else
        two where cores and memory suffice, else one; with as much memory as the control group leaves.
    """
    if gpus() and importlib.util.find_spec("dask_cuda") is not None:
        from dask_cuda import LocalCUDACluster

        return LocalCUDACluster(**kwargs)
    return SimulatedCUDACluster(**{**simulating(), **kwargs})


def gpus() -> int:
    """How many GPUs NVML counts; it makes no CUDA context. Without a driver, 0."""
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return 0
    try:
        return pynvml.nvmlDeviceGetCount()
    except pynvml.NVMLError:
        return 0
    finally:
        pynvml.nvmlShutdown()


def simulating() -> dict[str, Any]:
    """The arguments of a LocalCluster whose workers simulate, one thread and one GPU each, within this machine's limits."""
    left = int(cpu.memory().available * SHARE)
    count = _asked_gpus() or max(1, min(2, cpu.cores(), left // WORKER_MEMORY))
    env = {"HUNDREDFOLD_SIMULATE": "1", "HUNDREDFOLD_GPUS": "1"}
    # Half of a worker's memory is its device's, as it is everywhere in simulation; what the host does takes the other half.
    env["HUNDREDFOLD_GPU_MEMORY"] = os.environ.get("HUNDREDFOLD_GPU_MEMORY") or str(left // count // 2)
    return {
        "n_workers": count,
        "threads_per_worker": 1,
        "worker_class": PanelNanny,
        "memory_limit": left // count,
        "dashboard_address": "127.0.0.1:0",
        "env": env,
        "preload": [__name__],
    }


def dask_setup(worker: object) -> None:
    """Dask's hook for a preloaded module: put the stand-ins in place in the worker, before its first task arrives."""
    from hundredfold import simulate

    simulate.activate()


def _asked_gpus() -> int:
    asked = os.environ.get("HUNDREDFOLD_GPUS", "")
    return int(asked) if asked.isdigit() else 0
