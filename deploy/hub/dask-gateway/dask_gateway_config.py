"""A Dask Gateway beside the hub on one machine or on Slurm: learners who have logged in to the hub start clusters in it, and own them.

    dask-gateway-server --config dask_gateway_config.py

The hub knows it as a service (README.md). The token that both know is in the environment: JUPYTERHUB_API_TOKEN.
"""

import os
import sys

from dask_gateway_server.options import Integer, Options, Select

c = get_config()  # noqa: F821

# The token is made by the administrator once and given to both; without it nobody could log in, and that is said at once.
token = os.environ.get("JUPYTERHUB_API_TOKEN", "")
if not token:
    sys.exit(
        "Set JUPYTERHUB_API_TOKEN to the token of the service dask-gateway in the hub's configuration (README.md)."
    )

# Whoever asks shows the token of their server on the hub, and the hub says who that is.
c.DaskGateway.authenticator_class = "dask_gateway_server.auth.JupyterHubAuthenticator"
c.JupyterHubAuthenticator.jupyterhub_api_token = token
c.JupyterHubAuthenticator.jupyterhub_api_url = os.environ.get("JUPYTERHUB_API_URL", "http://127.0.0.1:8081/hub/api")
c.Proxy.address = os.environ.get("GATEWAY_ADDRESS", "127.0.0.1:8002")

# Where clusters run: jobs of Slurm, as the learner. `local` starts processes as the learner on this machine (needs sudo).
c.DaskGateway.backend_class = {
    "slurm": "dask_gateway_server.backends.jobqueue.slurm.SlurmBackend",
    "local": "dask_gateway_server.backends.local.LocalBackend",
}[os.environ.get("GATEWAY_BACKEND", "slurm")]
if os.environ.get("GATEWAY_BACKEND", "slurm") == "slurm":
    c.SlurmClusterConfig.partition = os.environ.get("GATEWAY_PARTITION", "gpu")

# The commands dask-scheduler and dask-worker, which the gateway would call, left Dask in 2026.
c.ClusterConfig.scheduler_cmd = ["dask", "scheduler"]
c.ClusterConfig.worker_cmd = ["dask", "worker"]

# What a learner may take, and when what is forgotten ends. A cluster of a learner's is theirs alone: TLS, with its own certificates.
c.ClusterConfig.cluster_max_workers = 4
# The scheduler counts: four workers of the largest kind below, and it.
c.ClusterConfig.cluster_max_memory = "66 G"
c.ClusterConfig.cluster_max_cores = 17
c.ClusterConfig.idle_timeout = 1200
c.ClusterConfig.adaptive_period = 5


def configure(options):
    """The cluster that a learner's options ask for: with GPUs a process for each, and on Slurm the job that has them."""
    wanted = {"worker_cores": options.cores, "worker_memory": f"{options.memory} G"}
    if options.kind == "gpu":
        wanted["worker_cmd"] = ["dask", "cuda", "worker"]
    return wanted


# These are what `Gateway().cluster_options()` shows in the notebook, as a form.
c.Backend.cluster_options = Options(
    Select("kind", ["cpu", "gpu"], default="cpu", label="Workers with"),
    Integer("cores", default=2, min=1, max=4, label="Cores for each"),
    Integer("memory", default=4, min=1, max=16, label="Memory for each (GB)"),
    handler=configure,
)
