"""How long a simulated cluster takes to start: LocalCUDACluster over two GPUs, beside a plain LocalCluster.

    python benchmarks/cluster_start.py [--repeat 5]

Each is started in a process of its own, imports not counted (they are printed apart).  The target is four seconds on two cores.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys

CODE = """
import sys, time
start = time.perf_counter()
import gpusim
gpusim.activate()
from dask.distributed import Client, LocalCluster
from dask_cuda import LocalCUDACluster
kind = sys.argv[1]
if __name__ == "__main__":
    imported = time.perf_counter()
    options = dict(dashboard_address=None)
    cluster = LocalCUDACluster(**options) if kind == "cuda" else LocalCluster(2, threads_per_worker=1, **options)
    with cluster, Client(cluster) as client:
        client.wait_for_workers(2)
        print(imported - start, time.perf_counter() - imported)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    environment = {
        **os.environ,
        "GPUSIM_SIMULATE": "1",
        "GPUSIM_GPUS": "2",
        "GPUSIM_GPU_MEMORY": "256MiB",
    }
    for kind, name in (("cuda", "LocalCUDACluster, 2 GPUs"), ("plain", "LocalCluster, 2 workers")):
        runs = []
        for _ in range(arguments.repeat):
            said = subprocess.check_output([sys.executable, "-c", CODE, kind], env=environment, text=True)
            runs.append([float(part) for part in said.split()])
        imports, starts = zip(*runs, strict=True)
        print(f"{name:28} starts in {statistics.median(starts):.2f} s (of {min(starts):.2f} to {max(starts):.2f}); "
              f"imports {statistics.median(imports):.2f} s")  # fmt: skip
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
