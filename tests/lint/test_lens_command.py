"""`hundredfold lens` from outside."""

import json
import os
import subprocess
import sys

import nbformat
import pytest

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("HUNDREDFOLD_")}
KERNELS = """\
import numpy as np
from numba import cuda


@cuda.jit
def good(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i]


@cuda.jit
def columns(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i, 0]


@cuda.jit
def total(x, out):
    out[0] += x[cuda.grid(1)]


@cuda.jit
def beyond(x, out):
    i = cuda.grid(1)
    out[i] = x[i + 1]
"""
CALLS = {
    "good": "good[2, 64](np.ones(100, 'f4'), np.zeros(100, 'f4'))\n",
    "columns": "columns[2, 32](np.ones((64, 64), 'f4'), np.zeros(64, 'f4'))\n",
    "total": "total[2, 32](np.ones(64), np.zeros(1))\n",
    "beyond": "beyond[2, 32](np.ones(64), np.zeros(64))\n",
}


def lens(*arguments, cwd):
    line = [sys.executable, "-c", "from hundredfold.cli import main; main()", "lens", *map(str, arguments)]
    return subprocess.run(line, env=CLEAN, cwd=cwd, capture_output=True, text=True, check=False, timeout=280)


def test_right_kernels_pass_and_wasted_sectors_are_shown(tmp_path):
    (tmp_path / "right.py").write_text(KERNELS + CALLS["good"] + CALLS["columns"])
    done = lens("right.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "good: 2 blocks of 64 threads" in done.stdout
    assert "line 5: 32 sectors a request, 12% of them useful: read x: out[i] = x[i, 0]" in done.stdout
    assert "error" not in done.stdout


def test_errors_end_with_status_1_and_stand_in_the_sarif_at_their_lines(tmp_path):
    (tmp_path / "wrong.py").write_text(KERNELS + CALLS["total"] + CALLS["beyond"] + "print('to its end')\n")
    done = lens("wrong.py", "--json", "--sarif", "found.sarif", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    (outcome,) = json.loads(done.stdout)
    assert outcome["status"] == "ran"
    log = json.loads((tmp_path / "found.sarif").read_text())
    results = log["runs"][0]["results"]
    places = {(r["ruleId"], r["locations"][0]["physicalLocation"]["region"]["startLine"]) for r in results}
    lines = (tmp_path / "wrong.py").read_text().splitlines()
    assert places == {
        ("race", lines.index("    out[0] += x[cuda.grid(1)]") + 1),
        ("out-of-bounds", lines.index("    out[i] = x[i + 1]") + 1),
    }
    assert {rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]} == {"race", "out-of-bounds"}


def test_a_notebook(tmp_path):
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(KERNELS), nbformat.v4.new_code_cell(CALLS["total"])]
    )
    nbformat.write(book, tmp_path / "book.ipynb")
    done = lens("book.ipynb", cwd=tmp_path)
    assert done.returncode == 1
    assert "error: race in total, line 3" in done.stdout


@pytest.mark.parametrize(
    "text, status, said",
    [
        ("print('hello')\n", 0, "launched no kernel"),
        ("import numpy\n1 / 0\n", 1, "ZeroDivisionError"),
    ],
)
def test_programs_without_launches_and_programs_that_fail(tmp_path, text, status, said):
    (tmp_path / "plain.py").write_text(text)
    done = lens("plain.py", cwd=tmp_path)
    assert done.returncode == status and said in done.stdout


def test_a_file_that_is_not_there(tmp_path):
    done = lens("nothing.py", cwd=tmp_path)
    assert done.returncode == 2 and "There is no file nothing.py" in done.stderr
