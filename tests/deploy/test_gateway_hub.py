"""The gateway beside a hub, with the package that it is for; under the Python that HUNDREDFOLD_DEPLOY names (`make test-all ARGS=clusters`)."""

import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "hub" / "dask-gateway"
CHART = ROOT.parent / "shared" / "data" / "dask-gateway"

LOAD = """
import asyncio, json, sys
from dask_gateway_server.app import DaskGateway
gateway = DaskGateway()
gateway.load_config_file(sys.argv[1])
from traitlets.config import Config
import importlib
def named(path):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)
backend, auth = named(gateway.config.DaskGateway.backend_class), named(gateway.config.DaskGateway.authenticator_class)
kind = backend.cluster_config_class.default_value
kind = named(kind) if isinstance(kind, str) else kind
from dask_gateway_server.backends.base import Backend, ClusterConfig
from dask_gateway_server.proxy import Proxy
known = {each.__name__: each for each in (DaskGateway, backend, auth, kind, Backend, ClusterConfig, Proxy)}
unknown = [f"{name}.{trait}" for name, section in gateway.config.items() for trait in section
           if name not in known or trait not in known[name].class_traits(config=True)]
options = gateway.config.Backend.cluster_options
class User: name = "anna"; groups = []; admin = False
asked = options.parse_options(json.loads(sys.argv[2]))
made = kind(config=gateway.config, **options.get_configuration(asked, User()))
print(json.dumps({"unknown": unknown, "backend": backend.__name__, "auth": auth.__name__, "worker": list(made.worker_cmd),
    "memory": made.worker_memory, "cores": made.worker_cores, "most": made.cluster_max_workers, "idle": made.idle_timeout,
    "token": auth(config=gateway.config).jupyterhub_api_token, "partition": getattr(made, "partition", None)}))
"""


def load(python, options, **environment):
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("DASK_", "JUPYTERHUB_", "GATEWAY_"))
    }
    told = [python, "-c", LOAD, str(FOLDER / "dask_gateway_config.py"), json.dumps(options)]
    return subprocess.run(told, capture_output=True, text=True, timeout=300, env={**kept, **environment}, check=False)


@pytest.mark.parametrize("backend", ["slurm", "local"])
def test_the_gateways_settings_are_ones_that_it_has(deploying, backend):
    done = load(
        deploying.python, {"kind": "gpu", "cores": 4, "memory": 16}, JUPYTERHUB_API_TOKEN="t0k", GATEWAY_BACKEND=backend
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["unknown"] == [] and found["auth"] == "JupyterHubAuthenticator" and found["token"] == "t0k"
    assert found["backend"] == {"slurm": "SlurmBackend", "local": "LocalBackend"}[backend]
    assert found["worker"] == ["dask", "cuda", "worker"] and found["cores"] == 4 and found["memory"] == 16 * 2**30
    assert found["most"] == 4 and found["idle"] > 0
    assert found["partition"] == ("gpu" if backend == "slurm" else None)


def test_a_learner_who_asks_for_more_than_there_is_is_refused(deploying):
    done = load(deploying.python, {"memory": 900}, JUPYTERHUB_API_TOKEN="t0k")
    assert done.returncode != 0 and "memory" in done.stderr


def test_a_gateway_without_a_token_says_so(deploying):
    done = load(deploying.python, {})
    assert done.returncode != 0 and "JUPYTERHUB_API_TOKEN" in done.stderr and "README.md" in done.stderr


def test_the_charts_values_are_ones_that_it_has(deploying):
    values = yaml.safe_load((FOLDER / "values.yaml").read_text())
    if CHART.is_dir():
        schema, theirs = (yaml.safe_load((CHART / name).read_text()) for name in ("values.schema.yaml", "values.yaml"))
        assert not list(jsonschema.Draft7Validator(schema).iter_errors(merged(theirs, values)))
    code = "\n".join(values["gateway"]["extraConfig"].values())
    check = (
        "from traitlets.config import Config\nfrom dask_gateway_server.backends.kubernetes.backend import KubeClusterConfig as K\n"
        f"c = Config()\nexec({code!r})\nmade = K(config=c)\nprint(made.worker_cmd, made.scheduler_cmd, made.cluster_max_workers, made.idle_timeout)"
    )
    said = deploying("-c", check)
    assert "'cuda', 'worker'" in said and "4 1200" in said


def merged(theirs, ours):
    """Values as helm merges them."""
    if not isinstance(theirs, dict) or not isinstance(ours, dict):
        return ours
    return {**theirs, **{key: merged(theirs.get(key), value) for key, value in ours.items()}}
