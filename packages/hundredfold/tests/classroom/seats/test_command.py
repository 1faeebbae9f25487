"""``hundredfold seats plan``, as an instructor types it."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from hundredfold.classroom import seats
from hundredfold.classroom.seats.command import command, hub


def run(*arguments, **more):
    return CliRunner().invoke(command, ["plan", *arguments], **more)


def test_forty_learners_on_four_gpus():
    done = run("--learners", "40", "--gpus", "4xH200")
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "40 learners on 4 × H200: MPS, 14.6 GB each." in said
    assert "CUPY_GPU_MEMORY_LIMIT=14575482009" in said and "nvidia-cuda-mps-control -d" in said
    assert "01 arrays" in said and "05 kernels" in said


def test_as_json_it_is_the_same():
    plan = json.loads(run("--learners", "28", "--gpus", "4xH200", "--json").output)
    assert plan["mechanism"] == "MIG" and [gpu["cut"] for gpu in plan["gpus"]] == ["1g.18gb"] * 4
    assert len(plan["seats"]) == 28 and all(seat["profile"] == "1g.18gb" for seat in plan["seats"])


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--learners", "3", "--gpus", "2xH2000"], 2, "nearest known"),
        (["--learners", "3", "--gpus", "2xL4", "--mechanism", "MIG"], 2, "cannot be cut by MIG"),
        (["--learners", "0"], 2, "0 is not in the range"),
        (["--gpus", "T4"], 2, "Missing option '--learners'"),
    ],
)
def test_what_cannot_be_is_a_sentence(arguments, status, said):
    done = run(*arguments)
    assert done.exit_code == status and "Traceback" not in done.output
    assert said.replace("cannot be cut", "can be cut") in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("group", "arguments"),
    [(hub, ["check"]), (command, ["status"]), (command, ["reclaim"]), (command, ["stop", "anna"])],
    ids=["check", "status", "reclaim", "stop"],
)
def test_with_a_python_that_has_no_jupyterhub_it_is_said_which_has(group, arguments, monkeypatch):
    for name in ("first_run", "hub_client", "people", "reclaim", "status"):  # as if none had been imported yet
        monkeypatch.delitem(sys.modules, f"{seats.__name__}.{name}", raising=False)
        monkeypatch.delattr(seats, name, raising=False)
    for name in ("jupyterhub", "pydantic"):
        monkeypatch.setitem(sys.modules, name, None)
    done = CliRunner().invoke(group, [*arguments, "--settings", "/nowhere/hub.toml"])
    assert done.exit_code == 2 and "/opt/hundredfold/bin/hundredfold" in done.output, done.output


def test_without_a_gpu_all_simulate(monkeypatch):
    monkeypatch.setattr(
        "gpusim.hardware.probe",
        lambda: __import__("gpusim.hardware.detect", fromlist=["Probe"]).Probe("no driver"),
    )
    said = " ".join(run("--learners", "12").output.split())
    assert "12 learners on no GPU: all simulate." in said and "GPUSIM_SIMULATE=1" in said


def test_the_program_knows_it():
    done = subprocess.run(
        [sys.executable, "-m", "hundredfold.cli", "seats", "plan", "--learners", "2", "--gpus", "1xA100"],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
        timeout=120,
    )
    assert done.returncode == 0 and "MIG" in done.stdout, done.stderr
