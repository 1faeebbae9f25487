"""Python's parser of JSON ends in a RecursionError where lists are deeply nested: a file of a learner's, or of somebody else's, may be so."""

import logging
import os
import subprocess
import sys

import pytest

from gpusim.hardware import detect
from hundredfold.learning.problems import progress
from hundredfold.notebook import replay, workspace
from hundredfold.toolkit.record import recording_file

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.fixture
def deep(tmp_path):
    file = tmp_path / "deep.json"
    file.write_text(DEEP)
    return file


def test_it_is_no_recording(deep):
    command = [sys.executable, "-m", "hundredfold.cli", "compare", str(deep), "published-2019"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and f"{deep} is no recording." in done.stderr
    with pytest.raises(recording_file.CannotKeepError, match="is no recording"):
        recording_file.begin(deep, {"name": "this"}, {})


def test_it_is_no_recorded_run_and_the_others_are_offered(deep, monkeypatch, caplog):
    monkeypatch.setenv(replay.FOLDER, str(deep.parent))
    with caplog.at_level(logging.WARNING, "hundredfold"):
        replay.offer(load=True)
    assert "deep.json is no recorded run" in caplog.text


def test_it_is_no_probe(deep):
    done = subprocess.run(
        [sys.executable, "-m", "hundredfold.setup.doctor"],
        env={**os.environ, "GPUSIM_PROBE": str(deep)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr
    with pytest.raises(ValueError, match="not a recorded probe"):
        detect.Probe.from_json(DEEP)


def test_a_notebook_of_it_is_a_file_like_any_other():
    assert workspace.digest("x.ipynb", DEEP.encode()) == workspace.digest("x.txt", DEEP.encode())


def test_a_line_of_it_in_the_progress_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setenv("HUNDREDFOLD_STATE", str(tmp_path))
    (tmp_path / "progress.jsonl").write_text(f'{DEEP}\n{{"problem": "arrays.port", "outcome": "right"}}\n')
    assert [entry["problem"] for entry in progress.read()] == ["arrays.port"]
