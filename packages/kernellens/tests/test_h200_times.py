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
    "expression/argmax": (
        0.36,
        "CuPy's kernel over CUB computes each element's index by a division, which is not counted",
    ),
    "expression/cumsum": (0.58, "two fifths of a scan's time are not found"),
    "expression/dot and outer": (0.39, "cuBLAS writes an outer product at half of the bandwidth"),
    "expression/einsum": (0.18, "cuBLAS runs 10 000 products of two vectors each as matrices"),
    "expression/matrix product": (
        0.24,
        "300 × 10 000 × 200 fills a few SMs only, and Python takes tens of µs to call it",
    ),
    "expression/tensordot": (0.06, "the call from Python takes longer than the product"),
    "kernel/matmul, naive": (0.57, "blocks of 32 threads; what holds them up is not found"),
    "kernel/stencil int8, as published": (
        1.89,
        "L1 looks up to four lines a cycle where their words lie in different banks; the model has one",
    ),
}
"""Off by more than 1.5 times: estimate / measured, and why, as far as we know.  All times had been seen when the model was changed."""

BY_HAND = {
    "std": "y.std()",
    "std of columns": "y2.std(axis=0)",
    "std of rows": "y2.std(axis=1)",
    "sum": "CuPy sum float64 1e8",
}
"""Those of kernels.json."""


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


def test_the_times_are_those_that_were_recorded(cases):
    raw = FOLDER.parents[2] / "recordings/raw/nvidia-h200"
    lines = [json.loads(each) for each in (raw / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    timed = {each["part"]: each["result"]["measured"] for each in lines if "estimate" in (each.get("result") or {})}
    told = json.loads((raw / "kernels.json").read_text(encoding="utf-8"))["kernels"]
    by_hand = {each["what"]: each["microseconds"] / 1e6 for each in told}
    timed |= {f"expression/{name}": by_hand[what] for name, what in BY_HAND.items()}
    assert {name: seconds for name, (seconds, _, _) in cases.items()} == pytest.approx(timed, rel=1e-9)


def test_no_bound_is_above_a_measured_time(cases):
    assert not {name: bound / seconds for name, (seconds, bound, _) in cases.items() if bound > seconds}


def test_most_estimates_are_near_and_of_the_others_it_is_said_how_far_off_they_are(cases):
    far = {name: round(case[2] / case[0], 2) for name, case in cases.items() if off(case) > 1.5}
    assert far == {name: ratio for name, (ratio, _) in FAR.items()}
