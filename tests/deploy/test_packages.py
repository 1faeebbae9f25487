"""The files of `deploy/clusters` with the packages that they are for: job script, manifest, and a gateway that really runs."""

import importlib.util
import json
import re
import socket
import subprocess
import time
from pathlib import Path

import jsonschema
import pytest
import yaml

from hundredfold.learning.problems.deploying import script, slurm

CLUSTERS = Path(__file__).parents[2] / "deploy" / "clusters"
LECTURE = Path(__file__).parents[2] / "sources" / "lectures" / "14_deploying.py"
spec = importlib.util.spec_from_file_location("deploy_conftest", Path(__file__).with_name("conftest.py"))
conftest = importlib.util.module_from_spec(spec)
spec.loader.exec_module(conftest)


@pytest.fixture(scope="module")
def job(deploying, tmp_path_factory):
    return deploying(CLUSTERS / "slurm.py", "--script", cwd=tmp_path_factory.mktemp("job"))


def test_the_job_script_asks_for_what_was_meant(job):
    found = slurm.read(job)
    assert not found.ignored and found.interpreter
    assert slurm.seconds(found.options["time"]) == 1800
    assert slurm.size(found.options["mem"]) == 64 * 2**30
    assert slurm.gpus(found.options, 1, 1) == 4 and found.options["cpus-per-task"] == "16"
    assert found.options["ntasks"] == "1"
    (worker,) = found.commands
    assert worker[1:4] == ["-m", "dask_cuda.cli", "worker"] and worker[4].startswith("tls://")
    flags = script._flags(worker)
    assert flags["memory-limit"] == "16.00GiB" and flags["death-timeout"] == "120" and "tls-cert" in flags


def test_the_lecture_shows_this_job_script(job):
    """But for what is of this machine: names, addresses, and the TLS files that the cluster has just made."""
    text = re.sub(r"(?m)^# ?", "", LECTURE.read_text())
    (block,) = re.findall(r"```bash\n(#!/usr/bin/env bash.*?)```", text, re.S)

    def tidy(text):
        text = re.sub(r" --(protocol|tls-\S+) \S+", "", text)
        text = re.sub(r"(?m)^#SBATCH -J .*$", "#SBATCH -J NAME", text)
        return re.sub(r"(?m)^\S*python -m (.*) tls://\S+", r"python -m \1 ADDRESS", text).strip()

    assert tidy(block) == tidy(job.replace("# !", "#!"))


# ---- Kubernetes ----


@pytest.fixture(scope="module")
def schema(deploying):
    """What the operator's own definition of a DaskCluster allows, made strict: an unknown field is an error."""
    code = "import dask_kubernetes; print(dask_kubernetes.__path__[0])"
    folder = Path(deploying("-c", code).strip()) / "operator/deployment/helm/dask-kubernetes-operator/crds"
    definition = yaml.safe_load((folder / "daskcluster.yaml").read_text())
    found = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]

    def strict(part):
        if isinstance(part, dict):
            if "properties" in part and part.get("type") == "object":
                part.setdefault("additionalProperties", False)
            if part.get("x-kubernetes-int-or-string"):
                part.pop("type", None)
            for each in list(part.values()):
                strict(each)
        elif isinstance(part, list):
            for each in part:
                strict(each)

    strict(found)
    found["properties"] |= {"apiVersion": {"const": "kubernetes.dask.org/v1"}, "kind": {"const": "DaskCluster"}}
    found["properties"]["metadata"] = {"type": "object"}
    return jsonschema.Draft7Validator(found)


@pytest.fixture
def manifest(deploying):
    return json.loads(deploying(CLUSTERS / "kubernetes.py", "--manifest"))


def containers(manifest):
    return {part: manifest["spec"][part]["spec"]["containers"][0] for part in ("worker", "scheduler")}


def test_the_manifest_is_one_that_the_operator_takes(schema, manifest):
    assert not list(schema.iter_errors(manifest))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda each: each["worker"].update(resource={}),
        lambda each: each["worker"].update(args="dask cuda worker"),
        lambda each: each["scheduler"].pop("name"),
        lambda each: each["worker"]["ports"][0].update(containerPort="http"),
    ],
)
def test_a_manifest_with_a_mistake_is_not(schema, manifest, spoil):
    spoil(containers(manifest))
    assert list(schema.iter_errors(manifest))


def test_each_worker_has_a_gpu_and_the_scheduler_none(manifest):
    found = containers(manifest)
    assert found["worker"]["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert "nvidia.com/gpu" not in found["scheduler"]["resources"]["limits"]
    assert found["worker"]["args"][:3] == ["dask", "cuda", "worker"]
    assert manifest["spec"]["idleTimeout"] > 0, "what is forgotten ends"


def test_the_commands_in_the_pods_are_commands_that_dask_has(deploying, manifest, simulated_libraries):
    """`dask-scheduler`, which make_cluster_spec writes, is none any more."""
    from dask_cuda.cli import cuda

    found = containers(manifest)
    assert found["scheduler"]["args"][:2] == ["dask", "scheduler"]
    told = deploying("-m", "dask", "scheduler", "--help")
    assert all(word in told for word in found["scheduler"]["args"] if word.startswith("--"))
    known = {option for parameter in cuda.commands["worker"].params for option in parameter.opts}
    assert {word for word in found["worker"]["args"] if word.startswith("--")} <= known


def test_without_gpus_there_are_none(deploying):
    code = "import json, kubernetes; print(json.dumps(kubernetes.manifest(gpus=0, workers=2)))"
    found = json.loads(deploying("-c", code, cwd=CLUSTERS))
    assert found["spec"]["worker"]["replicas"] == 2
    worker = containers(found)["worker"]
    assert "nvidia.com/gpu" not in worker["resources"]["limits"] and worker["args"][:2] == ["dask", "worker"]


# ---- a gateway ----


@pytest.fixture(scope="module")
def gateway(deploying, tmp_path_factory):
    """The address of a gateway of this machine, with the settings of `deploy/clusters`."""
    folder = tmp_path_factory.mktemp("gateway")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = [deploying.python, "-m", "dask_gateway_server", "--config", CLUSTERS / "dask_gateway_config.py"]
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(
            server, cwd=folder, env=conftest.clean(GATEWAY_PORT=str(port)), stdout=log, stderr=log
        )
    try:
        end = time.monotonic() + 120
        while not answers(port):
            assert process.poll() is None and time.monotonic() < end, (folder / "log").read_text()[-2000:]
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


def answers(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as asked:
            asked.sendall(b"GET /api/health HTTP/1.0\r\n\r\n")
            return asked.recv(64).split(b" ")[1] == b"200"
    except (OSError, IndexError):
        return False


def test_the_work_runs_through_a_gateway(deploying, gateway, tmp_path):
    said = deploying(CLUSTERS / "gateway.py", gateway, timeout=300, cwd=tmp_path)
    found = re.fullmatch(r"2 workers on 1 hosts, [\d.]+ s, LAPACK differs by (\S+)\n", said)
    assert found and float(found[1]) < 1e-10, said
