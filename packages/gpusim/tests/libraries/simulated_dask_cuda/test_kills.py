"""Kills of workers, drawn by seeds, in the middle of a computation: the answer is right each time, and it comes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[5] / "benchmarks" / "kills.py"


@pytest.mark.large
@pytest.mark.parametrize("runs", [6, 20])
@pytest.mark.counted("workers killed in the middle of a computation, by seeds")
def test_the_answer_is_right_although_workers_are_killed(tmp_path, runs):
    record = tmp_path / "kills.json"
    done = subprocess.run(
        [sys.executable, BENCHMARK, f"--runs={runs}", "--timeout=300", f"--json={record}"],
        capture_output=True,
        text=True,
        timeout=3000,  # for what hangs: a busy machine is slow
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(record.read_text())
    assert [run["seed"] for run in found["runs"]] == list(range(runs))
    assert all(run["outcome"] == "right" for run in found["runs"])
    few = max(2, runs // 5)
    assert found["summary"]["killed in the middle"] >= runs - few, (
        "a computation may be over before its kill, but few are"
    )
    assert found["summary"]["tasks done again"] > runs, "what the dead had was computed again"
    again = subprocess.run(
        [sys.executable, BENCHMARK, f"--runs={runs}", f"--json={record}"], capture_output=True, text=True, timeout=300
    )
    assert again.returncode == 0 and json.loads(again.stdout.splitlines()[-1])["runs"] == runs, (
        "it goes on where it ended"
    )


def test_an_answer_that_is_wrong_is_seen(tmp_path):
    """The judge is asked as well: with a record in which one run is not right, it fails."""
    record = tmp_path / "kills.json"
    run = {"seed": 0, "after": 3, "outcome": "wrong", "killed": True, "again": 1, "seconds": 1.0}
    record.write_text(json.dumps({"runs": [run]}))
    done = subprocess.run(
        [sys.executable, BENCHMARK, "--runs=1", f"--json={record}"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 1 and '"wrong": 1' in done.stdout, done.stdout + done.stderr
