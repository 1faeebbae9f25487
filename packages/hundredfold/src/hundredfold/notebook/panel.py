"""What the Dask panel's NEW button starts: a cluster over this machine's GPUs, or one whose workers simulate them.

The panel lives in the Jupyter server, which must stay an ordinary Python: nothing here puts the simulated libraries in place in it. The
workers of a simulated cluster do so for themselves, through this module's `dask_setup`.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import signal
import threading
import weakref
from typing import Any

from distributed import LocalCluster, Nanny, Status

import gpusim
from gpusim.hardware import cpu
from hundredfold.notebook import replay

#: A worker with pandas, Numba and a notebook's arrays wants about this much main memory (bytes).
WORKER_MEMORY = 768 * 2**20
#: The share of the memory that is left now which the workers may take; the rest is the kernel's, which holds the data too.
SHARE = 0.6

#: More GPUs than any node has are a slip of the keyboard, and as many processes would take the machine with them.
MOST_GPUS = 16

#: The server's environment before the first cluster.
_BEFORE = dict(os.environ)

#: What `make` returned and is still alive.
_MADE: weakref.WeakSet[LocalCluster] = weakref.WeakSet()


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
        `SimulatedCUDACluster`, whose workers then simulate: one of one thread for each of `GPUSIM_GPUS` GPUs (16 at
        most), else two where cores and memory suffice, else one; with as much memory as the control group leaves.
    """
    replay.offer(load=True)
    if gpus() and importlib.util.find_spec("dask_cuda") is not None:
        from dask_cuda import LocalCUDACluster

        cluster = LocalCUDACluster(**kwargs)
    else:
        cluster = SimulatedCUDACluster(**{**simulating(), **kwargs})
    _MADE.add(cluster)
    return cluster


@atexit.register  # after Dask registered its own, so it comes before that
def _close_all(patience: float = 4.0) -> None:
    """Close what is open when the server ends, in its own event loop, which has stopped by then.

    Dask would ask that loop from outside and wait ten seconds for each cluster, in vain: Ctrl-C would seem not to work.
    """
    for cluster in list(_MADE):
        loop = cluster.loop.asyncio_loop
        if cluster.status != Status.running or loop.is_running():
            continue
        if not loop.is_closed():
            with contextlib.suppress(Exception):
                cluster.loop.run_sync(cluster.close, timeout=patience)
        cluster.shutdown_on_close = False  # whatever is left ends with this process


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
    env = {"GPUSIM_SIMULATE": "1", "GPUSIM_GPUS": "1"}
    # Half of a worker's memory is its device's, as it is everywhere in simulation; what the host does takes the other half.
    env["GPUSIM_GPU_MEMORY"] = os.environ.get("GPUSIM_GPU_MEMORY") or str(left // count // 2)
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
    """Dask's hook for a preloaded module: put the simulated libraries in place in the worker, before its first task arrives."""

    gpusim.activate()
    if threading.current_thread() is threading.main_thread():
        # Ctrl-C in the terminal reaches the workers too, and each would answer with a traceback; the server ends them.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _asked_gpus() -> int:
    """How many GPUs are to be simulated; 0 where that is not said, or is no number (which the notebook says)."""
    asked = os.environ.get("GPUSIM_GPUS", "").strip()
    return min(int(asked), MOST_GPUS) if asked.isdecimal() else 0
