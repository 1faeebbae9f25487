"""A matrix and its transpose on several GPUs: every block but those of the diagonal meets one that may lie on another GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..workload import Way, Workload

SIDE, BLOCKS = 20_000, 8
N = SIDE * SIDE
ID = "clusters.transpose"
WHAT = "(x + x.T).mean() of random numbers, in 8 × 8 blocks"


def _numpy() -> Callable[[], Any]:
    import numpy as np

    x = np.random.default_rng(0).random((SIDE, SIDE))
    return lambda: (x + x.T).mean()


def _dask_numpy() -> Callable[[], Any]:
    import dask.array as da

    state: Any = da.random.RandomState(0)  # whose annotation of `chunks` knows text only
    x = state.random_sample((SIDE, SIDE), chunks=SIDE // BLOCKS).persist(scheduler="threads")
    return lambda: (x + x.T).mean().compute(scheduler="threads")


def matrix(side: int) -> Any:
    """The matrix of random numbers on the workers' GPUs, of shape (side, side), float64, lazy."""
    import cupy as cp
    import dask.array as da

    state: Any = da.random.RandomState(0, RandomState=cp.random.RandomState)
    return state.random_sample((side, side), chunks=side // BLOCKS)


def _dask_cupy() -> Callable[[], Any]:
    from dask.distributed import Client, wait
    from dask_cuda import LocalCUDACluster

    client = Client(LocalCUDACluster(dashboard_address="127.0.0.1:0"))
    x = matrix(SIDE).persist()
    wait(x)

    def run(_client: Any = client) -> float:  # which keeps the cluster
        return float((x + x.T).mean().compute())

    return run


WORKLOADS = (
    Workload(
        ID,
        WHAT,
        (
            Way("NumPy", "cpu", _numpy),
            Way("Dask and NumPy, a thread for each core", "cpu", _dask_numpy, ("dask",)),
            Way("Dask and CuPy, a worker for each GPU", "gpu", _dask_cupy, ("dask_cuda", "cupy")),
        ),
        n=N,
        shape=(SIDE, SIDE),
        memory=3 * 8 * N,
        bytes=8.0 * 4 * N,
        least_bytes=8.0 * N,
        # Each way has random numbers of its own: the mean of so many is 1 to some 10⁻⁵.
        tolerance=1e-3,
    ),
)
