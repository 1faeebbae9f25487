"""The page *Test your GPU code in CI without a GPU*: its example does what it says, and its table is of the recorded results."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

spec = importlib.util.spec_from_file_location("public_packages_run", Path(__file__).with_name("run.py"))
run = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run)
TEXT = run.PAGE.read_text(encoding="utf-8")

REPORT = """<testsuites><testsuite>
<testcase classname="tests.test_a" name="test_right"/>
<testcase classname="tests.test_a" name="test_elsewhere"><skipped message="Not CuPy enabled"/></testcase>
<testcase classname="tests.test_a" name="test_asks"><skipped message="could not import: ucxx needs a GPU: it is not simulated."/></testcase>
<testcase classname="tests.test_a" name="test_ipc"><failure message="NotSimulatedError: cupy.x needs a GPU: it is not simulated. Nearest">…</failure></testcase>
<testcase classname="tests.test_a" name="test_old"><failure message="AttributeError: module 'numpy' has no attribute 'trapz'">…</failure></testcase>
<testcase classname="tests.test_a" name="test_new"><error message="ValueError: of another kind&#10;and more">…</error></testcase>
</testsuite></testsuites>"""


def test_each_outcome_is_counted_and_what_nobody_explains_is_named(tmp_path):
    (tmp_path / "report.xml").write_text(REPORT, encoding="utf-8")
    package = {"commit": "abc", "because": {"'trapz'": "NumPy has it no more"}}
    got = run.outcome(package, tmp_path / "report.xml")
    assert {kind: got[kind] for kind in ("passed", "skipped", "refused", "failed")} == {
        "passed": 1,
        "skipped": 1,
        "refused": 2,
        "failed": 2,
    }
    assert got["why"] == {
        "ucxx is not simulated": 1,
        "cupy.x is not simulated": 1,
        "NumPy has it no more": 1,
        "ValueError: of another kind": 1,
    }
    assert got["unexplained"] == ["tests.test_a::test_new: ValueError: of another kind"]


def test_the_table_is_of_the_recorded_results_at_the_named_commits():
    results = json.loads(run.RESULTS.read_text(encoding="utf-8"))
    assert {name: got["commit"] for name, got in results.items()} == {
        package["name"]: package["commit"] for package in run.PACKAGES
    }
    assert run.page(TEXT, results) == TEXT
    assert run.page(TEXT, results | {"pylops": results["pylops"] | {"passed": -1}}) != TEXT


@pytest.mark.parametrize("guard", [True, False], ids=["as it is", "without the line"])
def test_the_example_does_what_the_page_says(tmp_path, guard):
    kernel, tests = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    (line,) = re.findall(r"Leave out the line `(.*?)`", TEXT)
    assert kernel.count(line) == 1
    kernel = kernel if guard else re.sub(rf" *{re.escape(line)}\n    ( *)", r"\1", kernel)
    (tmp_path / "scale.py").write_text(kernel)
    (tmp_path / "test_scale.py").write_text(tests)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GPUSIM_", "PYTEST_"))}
    command = [sys.executable, "-m", "pytest", "--gpusim", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, env=clean, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == (0 if guard else 1), done.stdout + done.stderr
    (said,) = (block for block in re.findall(r"```text\n(.*?)```", TEXT, re.S) if "OutOfBounds" in block)
    assert all(line in done.stdout for line in said.splitlines()) is not guard
