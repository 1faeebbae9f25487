"""A JupyterHub on a cluster with Slurm: each learner's server is a job of theirs. What to set is in PROFILES; README.md says the rest.

The hub runs on a node that learners' nodes reach, as a user who may `sudo -u` learners (README.md). What a job may take is Slurm's to
enforce, and what a learner may ask for stands in PROFILES: nothing else of what their browser sends reaches the job.
"""

import sys
from pathlib import Path

import batchspawner  # noqa: F401 (adds the address that a job tells its port to)

from hundredfold.classroom.seats import certificates
from hundredfold.classroom.seats.people import GroupAuthenticator

c = get_config()  # noqa: F821

# What a learner can choose; the first is what they get who choose nothing. Names of partitions: `sinfo -s`.
PROFILES = {
    "simulated": {
        "title": "Simulated GPUs, 2 cores, 4 GB: all units and exercises",
        "job": {"partition": "cpu", "memory": "4G", "nprocs": "2", "runtime": "04:00:00", "gres": ""},
        "environment": {"GPUSIM_GPUS": "2", "GPUSIM_GPU_MEMORY": "1000000000", "GPUSIM_SIMULATE": "1"},
    },
    "gpu": {
        "title": "A GPU of your own, 8 cores, 32 GB, for two hours",
        "job": {"partition": "gpu", "memory": "32G", "nprocs": "8", "runtime": "02:00:00", "gres": "gpu:1"},
        "environment": {},
    },
}
#: The environment that the lab is installed in, on a file system that all nodes have.
PREFIX = Path(sys.prefix)


def choose(spawner):
    """Ask for what the learner's profile is, and give their server a certificate: jobs of others are on the same node."""
    name = spawner.user_options.get("profile")
    name = name if name in PROFILES else next(iter(PROFILES))
    spawner.user_options = {"profile": name}  # batchspawner would put all that a browser sends into the job's script
    for what, amount in PROFILES[name]["job"].items():
        setattr(spawner, f"req_{what}", amount)
    cores = PROFILES[name]["job"]["nprocs"]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"), cores)
    own = certificates.settings(*certificates.make(spawner.user.name))
    spawner.environment = {**c.Spawner.environment, **threads, **PROFILES[name]["environment"], **own}
    # What reaches the node. batchspawner would keep the names that a server's first start had, whatever profile that was.
    spawner.req_keepvars = ",".join(spawner.get_env())


def form(spawner):
    """What a learner chooses from."""
    options = "".join(f'<option value="{name}">{each["title"]}</option>' for name, each in PROFILES.items())
    return f'<label for="profile">What do you need?</label><select class="form-control" id="profile" name="profile">{options}</select>'


def chosen(data):
    """What the form says, as the spawner's options."""
    return {"profile": data.get("profile", [""])[0]}


c.JupyterHub.spawner_class = "batchspawner.SlurmSpawner"
# Behind a web server with a certificate. The port is below 1024: no user of this node can take it while the hub restarts.
c.JupyterHub.bind_url = "http://127.0.0.1:888"
# Each learner's pages on a name of their own, so that a browser keeps one learner's page from another's and from the hub's. It needs
# wildcard DNS and certificate; "" without: then nobody should open another learner's page.
c.JupyterHub.subdomain_host = "https://hub.example.org"
c.JupyterHub.hub_ip = (
    "0.0.0.0"  # jobs reach the hub; whoever asks has to show a token. Name the cluster's own interface here.
)
# Members of these groups of this machine, and nobody is an admin of JupyterHub's: a learner's page that an admin opened could act for them.
c.JupyterHub.authenticator_class = GroupAuthenticator
c.GroupAuthenticator.learners = ["learners"]
c.GroupAuthenticator.instructors = ["instructors"]
c.JupyterHub.load_roles = [{"name": "admin", "users": [], "services": []}]

c.Spawner.pre_spawn_hook = choose
c.Spawner.options_form = form
c.Spawner.options_from_form = chosen
c.Spawner.start_timeout = 900  # a queue may be long; the hub's page says that it waits
c.Spawner.http_timeout = 120
# batchspawner finds this on the node and runs it as a Python file: the learner's copies, refreshed, and then the server.
c.Spawner.cmd = [str(PREFIX / "bin" / "hundredfold-server")]
# Kernels talk through files in a private folder: ports of a node are everybody's who has a job there.
c.Spawner.args = ["--KernelManager.transport=ipc"]
c.Spawner.notebook_dir = "~/hundredfold"
c.Spawner.default_url = "/lab/tree/start.md"
c.Spawner.environment = {"PATH": f"{PREFIX}/bin:/usr/local/bin:/usr/bin:/bin"}

c.SlurmSpawner.batchspawner_singleuser_cmd = str(PREFIX / "bin" / "batchspawner-singleuser")
# The server is a step of the job: it ends with it, in Slurm's own control group.
c.SlurmSpawner.req_srun = "srun"
