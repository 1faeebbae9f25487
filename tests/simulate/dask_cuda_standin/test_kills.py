"""Twenty kills of workers, drawn by seeds, in the middle of a computation: the answer is right each time, and it comes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "kills.py"
RUNS = 20


@pytest.mark.counted("workers killed in the middle of a computation, by seeds")
def test_the_answer_is_right_although_workers_are_killed(tmp_path):
    record = tmp_path / "kills.json"
    done = subprocess.run(
        [sys.executable, BENCHMARK, f"--runs={RUNS}", "--timeout=300", f"--json={record}"],
        capture_output=True,
        text=True,
        timeout=3000,  # for what hangs: a busy machine is slow
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(record.read_text())
    assert [run["seed"] for run in found["runs"]] == list(range(RUNS))
    assert all(run["outcome"] == "right" for run in found["runs"])
    assert found["summary"]["killed in the middle"] >= RUNS - 4, (
        "a computation may be over before its kill, but few are"
    )
    assert found["summary"]["tasks done again"] > RUNS, "what the dead had was computed again"
    again = subprocess.run(
        [sys.executable, BENCHMARK, f"--runs={RUNS}", f"--json={record}"], capture_output=True, text=True, timeout=300
    )
    assert again.returncode == 0 and json.loads(again.stdout.splitlines()[-1])["runs"] == RUNS, (
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
