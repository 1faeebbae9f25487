"""What the suite says at its end: seconds and bytes of each notebook, answers counted, the serial sum."""

import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from hundredfold.publish.build import cost

MB = 10**6
HOLD = "import sys; x = bytearray(b'x') * int(sys.argv[1]); print(1, flush=True); sys.stdin.readline()"
PARENT = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {HOLD!r}, "200000000"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()
x = bytearray(b'x') * 100_000_000
print(1, flush=True); sys.stdin.readline()
child.kill(); child.wait(); del x
print(2, flush=True); sys.stdin.readline()
"""


def wait(found):
    for _ in range(600):
        if found():
            return
        time.sleep(0.05)
    raise AssertionError("never came")


def test_the_most_that_a_process_and_its_children_held():
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    try:
        memory = cost.Memory(process.pid)
        process.stdout.readline()
        wait(lambda: memory.most > 300 * MB)
        process.stdin.write("\n")
        process.stdout.readline()
        assert cost.held(process.pid) < 60 * MB, "given back"
        assert 300 * MB < memory.most < 360 * MB, "remembered"
    finally:
        process.kill()
        process.wait()
    assert cost.held(process.pid) == 0


def report(name, when, duration, passed=True, skipped="", **told):
    return SimpleNamespace(
        nodeid=name,
        when=when,
        duration=duration,
        passed=passed,
        skipped=bool(skipped),
        longrepr=("conftest.py", 1, f"Skipped: {skipped}"),
        user_properties=list(told.items()),
    )


def test_reports_are_added_up():
    summary = cost.Summary()
    for when, seconds in (("setup", 2.0), ("call", 5.0), ("teardown", 1.0)):
        summary.pytest_runtest_logreport(report("notebooks/01.ipynb::Cell 0", when, seconds, memory=700 * MB))
    summary.pytest_runtest_logreport(report("notebooks/01.ipynb::Cell 1", "call", 4.0, memory=400 * MB))
    summary.pytest_runtest_logreport(report("solutions/01.ipynb::Cell 0", "call", 30.0, memory=None))
    for name, passed in (
        ("t.py::t[arrays.a-x]", True),
        ("t.py::t[fast-kernels.b-y]", True),
        ("t.py::t[memory.b-z]", False),
    ):
        for when in ("setup", "call", "teardown"):
            summary.pytest_runtest_logreport(report(name, when, 20.0, passed, counted="refused"))
    summary.pytest_runtest_logreport(report("seat.py::t", "call", 1.0, said="  9.9 s  0.9 GB  on a small seat"))
    for name in ("a", "b"):
        summary.pytest_runtest_logreport(report(f"seat.py::{name}", "setup", 0.0, False, skipped="no Chromium here"))
    written = []
    reporter = SimpleNamespace(section=written.append, write=written.append)
    summary.pytest_terminal_summary(reporter, SimpleNamespace(option=SimpleNamespace(numprocesses=2)))
    _, text = written
    assert text.splitlines()[:3] == [
        " 12.0 s  0.70 GB  notebooks/01.ipynb",
        " 30.0 s  solutions/01.ipynb",
        "2 notebooks: at most 30.0 s and 0.70 GB, workers included",
    ]
    assert "refused: 2 (arrays 1, fast-kernels 1)" in text, "one of them was not"
    assert "of 4 files these 4 took longest:\n180.0 s  t.py\n 30.0 s  solutions/01.ipynb\n" in text
    assert "\n  9.9 s  0.9 GB  on a small seat\n" in text
    assert "\n 180.0 s      3 tests  t.py\n" in text
    assert "\n2 tests left out: no Chromium here\n" in text
    assert "9 tests: 3.7 min one after the other (the serial sum)" in text and "on 2 workers" in text


def test_a_run_of_nothing_that_costs_says_nothing():
    summary = cost.Summary()
    summary.pytest_runtest_logreport(report("tests/test_a.py::test_b", "call", 1.0))
    written = []
    reporter = SimpleNamespace(section=written.append, write=written.append)
    summary.pytest_terminal_summary(reporter, SimpleNamespace(option=SimpleNamespace()))
    assert not written


@pytest.mark.parametrize(
    ("test", "part"),
    [
        ("notebooks/01_arrays.ipynb::Cell 1", "notebooks"),
        ("tests/hub/test_class.py::test_a", "tests/hub"),
        ("tests/test_lab.py::test_a", "tests"),
        ("packages/gpusim/tests/kernels/sanitizer/test_log.py::test_a", "gpusim/kernels"),
        ("packages/kernellens/tests/test_finds.py::test_a", "kernellens"),
    ],
)
def test_time_is_told_by_part(test, part):
    assert cost._part(test) == part
