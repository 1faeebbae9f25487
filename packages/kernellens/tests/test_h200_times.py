"""Against what a real H200 measured: no bound above a time, and how far the estimates are."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))

FAR = {
    "expression/argmax": "CuPy's kernel over CUB computes each element's index by a division, which is not counted",
    "expression/cumsum": "a quarter of a scan's time is not found",
    "expression/dot and outer": "cuBLAS writes an outer product at half of the bandwidth",
    "expression/einsum": "cuBLAS runs 10 000 products of two vectors each as matrices",
    "expression/matrix product": "a product of 300 × 10 000 × 200 fills a few SMs only, and Python takes tens of µs to call it",
    "expression/tensordot": "the call from Python takes longer than the product",
    "kernel/matmul, naive": "blocks of 32 threads; what holds them up is not found",
    "kernel/stencil int8, as published": "an H200's L1 serves twice the lines that the model has it serve",
}
"""Off by more than 1.5 times, and why, as far as we know.  All times had been seen when the model was changed."""


@pytest.fixture(scope="module")
def cases():
    command = [sys.executable, "-m", "published.h200"]
    environment = {**os.environ, "GPUSIM_GPU_MEMORY": "1TB"}
    done = subprocess.run(
        command, cwd=FOLDER, capture_output=True, text=True, timeout=600, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def off(case):
    seconds, _, estimate = case
    return max(estimate / seconds, seconds / estimate)


def test_all_that_was_timed_is_there(cases):
    lines = (FOLDER.parents[2] / "recordings/raw/nvidia-h200/results.jsonl").read_text(encoding="utf-8").splitlines()
    timed = [each for each in map(json.loads, lines) if "estimate" in (each.get("result") or {})]
    assert {each["part"]: each["result"]["measured"] for each in timed}.items() <= {
        n: c[0] for n, c in cases.items()
    }.items()


def test_no_bound_is_above_a_measured_time(cases):
    assert not {name: bound / seconds for name, (seconds, bound, _) in cases.items() if bound > seconds}


def test_most_estimates_are_near_and_of_the_others_it_is_said_why(cases):
    assert {name for name in cases if off(cases[name]) > 1.5} == set(FAR)
