"""A Kubernetes cluster where Dask's operator runs (whoever runs the cluster puts it there once, with helm: the chart
dask-kubernetes-operator of https://helm.dask.org). The operator makes pods of the manifest below: one for the scheduler, and one
for each worker, with a GPU of its own.

    python kubernetes.py --manifest      # only show it; `kubectl apply -f -` takes it as well
    python kubernetes.py                 # make the cluster, run, remove it
"""

import json
import sys

from dask.distributed import Client
from dask_kubernetes.operator import KubeCluster, make_cluster_spec
from work import run, say

# An image with the packages and versions of your own environment: what is pickled here must be read there.
IMAGE = "rapidsai/base:26.10-cuda13-py3.12"


def manifest(name="svd", workers=4, gpus=1, image=IMAGE, memory="16Gi", cores="4"):
    """The DaskCluster that is sent to Kubernetes: `workers` pods with `gpus` GPUs each (0: CPU only)."""
    limits = {"cpu": cores, "memory": memory} | ({"nvidia.com/gpu": str(gpus)} if gpus else {})
    found = make_cluster_spec(
        name=name,
        image=image,
        n_workers=workers,
        resources={"limits": limits},
        worker_command="dask cuda worker" if gpus else "dask worker",
        env={"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "60s"},
        idle_timeout=600,  # seconds without work after which the operator removes everything, forgotten or not
    )
    # The resources go to all pods alike. The scheduler needs no GPU, and would keep one from a worker.
    scheduler = found["spec"]["scheduler"]["spec"]["containers"][0]
    scheduler["resources"] = {"limits": {"cpu": "2", "memory": "4Gi"}}
    # make_cluster_spec writes the command dask-scheduler, which left Dask in 2026: it is a word of `dask` now.
    scheduler["args"] = ["dask", "scheduler", *scheduler["args"][1:]]
    return found


def make(**more):
    """The cluster, when its scheduler is there. `namespace` is where you may make pods."""
    names = ("name", "workers", "gpus", "image", "memory", "cores")
    asked = {key: more.pop(key) for key in names if key in more}
    return KubeCluster(custom_cluster_spec=manifest(**asked), resource_timeout=300, **more)


if __name__ == "__main__":
    if "--manifest" in sys.argv:
        print(json.dumps(manifest(), indent=2))
    else:
        with make() as cluster, Client(cluster) as client:
            say(run(client, backend="cupy", workers=4, timeout=900))
