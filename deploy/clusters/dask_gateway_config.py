"""The gateway's own settings, for whoever runs it: dask-gateway-server --config dask_gateway_config.py

Here the clusters are processes of this machine, for trying it out. For Slurm or Kubernetes another `backend_class` is named, and
no user has to notice.
"""

import os

c = get_config()  # noqa: F821 (the server defines it)
port = os.environ.get("GATEWAY_PORT", "8000")
c.Proxy.address = f"127.0.0.1:{port}"
c.DaskGateway.backend_class = "dask_gateway_server.backends.local.UnsafeLocalBackend"
c.DaskGateway.authenticator_class = "dask_gateway_server.auth.SimpleAuthenticator"  # one password, or none
# The commands dask-scheduler and dask-worker, which the gateway would call, left Dask in 2026: they are words of `dask` now.
c.ClusterConfig.scheduler_cmd = ["dask", "scheduler"]
c.ClusterConfig.worker_cmd = ["dask", "worker"]  # with GPUs: ["dask", "cuda", "worker"], a process for each
# What a user can take at most, and when what is forgotten ends.
c.ClusterConfig.cluster_max_workers = 4
c.ClusterConfig.worker_memory = "1 G"
c.ClusterConfig.idle_timeout = 600
