"""The progress file."""

import json
import os
import subprocess
import sys

import pytest

from hundredfold.learning.problems import progress
from hundredfold.learning.problems.properties import GRADING, Attempt, seed_of
from hundredfold.learning.problems.verdict import Verdict

RIGHT = Verdict("arrays.port", "right")


def test_verdicts_are_appended():
    assert progress.record(RIGHT)
    assert progress.record(Verdict("arrays.count", "wrong", "device"))
    assert [(line["problem"], line["outcome"], line["reason"]) for line in progress.read()] == [
        ("arrays.port", "right", None),
        ("arrays.count", "wrong", "device"),
    ]


def test_nothing_yet_is_an_empty_list():
    assert progress.read() == []


def test_the_next_attempt_is_judged_by_what_was_refused():
    assert progress.attempt("arrays.port") == GRADING, "a first attempt has the cases of grading"
    for case in ("one row", "no rows", "", "one row"):
        progress.record(Verdict("arrays.port", "wrong", "value", case=case))
    progress.record(Verdict("arrays.port", "untouched"))
    progress.record(Verdict("arrays.count", "wrong", "value", case="one zero"))
    assert progress.attempt("arrays.port") == Attempt(seed_of("arrays.port", 5), ("one row", "no rows"))
    progress.record(RIGHT)
    assert progress.attempt("arrays.port").seed == seed_of("arrays.port", 5), "what is right is right again"


def test_a_solution_is_judged_as_in_grading(monkeypatch):
    progress.record(Verdict("arrays.port", "wrong", "value", case="one row"))
    monkeypatch.setenv("JPY_SESSION_NAME", "/course/solutions/01_arrays.ipynb")
    assert progress.attempt("arrays.port") == GRADING


def test_a_broken_line_loses_only_itself():
    progress.record(RIGHT)
    with open(progress.file(), "a") as out:
        out.write('{"half\n[1]\n\n')
    progress.record(RIGHT)
    assert len(progress.read()) == 2


def test_two_notebooks_at_once_lose_nothing():
    code = (
        "from hundredfold.learning.problems import progress\n"
        "from hundredfold.learning.problems.verdict import Verdict\n"
        "assert all(progress.record(Verdict('arrays.port', 'right')) for _ in range(50))\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    assert [each.wait() for each in both] == [0, 0]
    lines = progress.file().read_text().splitlines()
    assert len(lines) == 100 and all(json.loads(line) for line in lines)


def test_a_folder_that_cannot_be_made_harms_nothing(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HUNDREDFOLD_STATE", str(tmp_path / "file" / "state"))
    assert not progress.record(RIGHT)
    assert progress.read() == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no disk that is always full")
def test_a_full_disk_harms_nothing():
    os.symlink("/dev/full", progress.file())
    assert not progress.record(RIGHT)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on a file's size")
def test_half_a_line_is_taken_back():
    """A disk that fills up in the middle of a line: the next verdict must not be glued to the half."""
    import resource

    assert progress.record(RIGHT)
    size = progress.file().stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, before[1]))
    try:
        assert not progress.record(RIGHT)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert progress.file().stat().st_size == size
    assert progress.record(RIGHT) and len(progress.read()) == 2
