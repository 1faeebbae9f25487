"""Hosts that you can reach by SSH, without a queue. The first of them runs the scheduler, all of them workers.

python ssh.py 10.0.0.1 10.0.0.1 10.0.0.2       # scheduler on the first; the first may be named twice
"""

import sys

import dask
from dask.distributed import Client, SSHCluster
from work import run, say, tls


def make(hosts, certificates=None, gpu=True, python=sys.executable, connect=None, workers=1):
    """A cluster over `hosts`, the first of which runs the scheduler.

    `certificates`: a folder that lies at the same path on every host (`by_hand.sh certificates` makes it). `python`: the
    interpreter over there, with the same packages. `connect`: of asyncssh; keep the check of the host's key.
    """
    listen = {"port": 0, "dashboard_address": "127.0.0.1:0"}
    security = tls(certificates) if certificates else None
    if security:
        # What is set here goes along to the hosts, which read the same files. Key by key: the rest of the section stays.
        files = {role: security.get_tls_config_for_role(role) for role in ("scheduler", "worker", "client")}
        comm = {f"tls.{role}.{part}": files[role][part] for role in files for part in ("cert", "key")}
        comm |= {"tls.ca-file": files["client"]["ca_file"], "require-encryption": True, "default-scheme": "tls"}
        dask.config.set({f"distributed.comm.{key}": value for key, value in comm.items()})
        listen["protocol"] = "tls"
    each = {"nthreads": 1, "dashboard_address": "127.0.0.1:0"} | ({} if gpu else {"n_workers": workers})
    return SSHCluster(
        hosts,
        connect_options=connect or {},
        scheduler_options=listen,
        worker_class="dask_cuda.CUDAWorker" if gpu else "distributed.Nanny",
        worker_options=each,
        remote_python=python,
        security=security,
    )


if __name__ == "__main__":
    with make(sys.argv[1:]) as cluster, Client(cluster) as client:
        say(run(client, backend="cupy", workers=len(sys.argv) - 2))
