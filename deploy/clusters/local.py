"""One machine. With a GPU a worker for each, which `dask_cuda` starts; without one, processes with a thread each.

python local.py              # CPU
python local.py --gpu        # GPU; `python -m hundredfold local.py --gpu` simulates it
"""

import sys

from dask.distributed import Client, LocalCluster
from work import run, say


def make(gpu=False, workers=2):
    """A cluster that only this machine can reach."""
    if gpu:
        from dask_cuda import LocalCUDACluster

        return LocalCUDACluster(dashboard_address="127.0.0.1:0")
    return LocalCluster(n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0")


if __name__ == "__main__":  # a spawned worker imports this file, and must not start a cluster of its own
    gpu = "--gpu" in sys.argv
    with make(gpu) as cluster, Client(cluster) as client:
        say(run(client, backend="cupy" if gpu else "numpy"))
