"""`kernellens check` from outside."""

import json
import os
import subprocess
import sys
import types

import jsonschema
import nbformat
import pytest

from kernellens.check import command

CLEAN = {
    name: value for name, value in os.environ.items() if not name.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_"))
}
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
    line = [sys.executable, "-c", "from kernellens.cli import main; main()", "check", *map(str, arguments)]
    return subprocess.run(line, env=CLEAN, cwd=cwd, capture_output=True, text=True, check=False, timeout=280)


def test_right_kernels_pass_and_wasted_sectors_are_shown(tmp_path):
    (tmp_path / "right.py").write_text(KERNELS + CALLS["good"] + CALLS["columns"])
    done = lens("right.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "good: 2 blocks of 64 threads" in done.stdout
    assert "line 5: 32 sectors a request, 12% of them useful: read x: out[i] = x[i, 0]" in done.stdout
    assert "error" not in done.stdout


def test_errors_end_with_status_1_and_are_in_the_sarif_at_their_lines(tmp_path):
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
    """A finding's place is one that its reader can find: the code cell, and the line of it.  Each launch is told once."""
    cells = ["import numpy as np", "", "# %%\n" + KERNELS, CALLS["total"]]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    book.cells.insert(1, nbformat.v4.new_markdown_cell("Words."))
    nbformat.write(book, tmp_path / "book.ipynb")
    done = lens("book.ipynb", "--sarif", "found.sarif", cwd=tmp_path)
    assert done.returncode == 1
    line = cells[2].splitlines().index("    out[0] += x[cuda.grid(1)]") + 1
    assert f"error: race in total, line 3 (cell 3, line {line})" in done.stdout
    assert done.stdout.count("total: 2 blocks of 32 threads") == 1
    log = json.loads((tmp_path / "found.sarif").read_text())
    jsonschema.validate(log, SARIF)
    (result,) = log["runs"][0]["results"]
    assert result["message"]["text"].startswith(f"total, cell 3, line {line} of it: out[0] is read, changed")
    assert "region" not in result["locations"][0]["physicalLocation"]


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


def test_a_program_that_is_not_below_the_root(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out.py").write_text("print(1)\n")
    done = lens("--root", "in", "out.py", cwd=tmp_path)
    assert done.returncode == 2 and "out.py is not under in." in done.stderr


REFUSED = (
    KERNELS
    + """

@cuda.jit
def lists(x):
    values = []
    values.append(x[0])


"""
)


@pytest.mark.parametrize(
    "call, kind, at",
    [
        ("lists[1, 32](np.zeros(32))\n", "uncompilable", "    values = []"),
        ("good[1, 2048](np.ones(9), np.zeros(9))\n", "launch", "good[1, 2048]"),
    ],
)
def test_what_a_gpu_refuses_is_a_finding_with_its_line(tmp_path, call, kind, at):
    text = REFUSED + call
    (tmp_path / "refused.py").write_text(text)
    done = lens("refused.py", "--sarif", "found.sarif", cwd=tmp_path)
    line = text[: text.index(at)].count("\n") + 1
    assert done.returncode == 1
    assert f"error: {kind} in " in done.stdout and f"refused.py:{line})" in done.stdout
    log = json.loads((tmp_path / "found.sarif").read_text())
    (result,) = log["runs"][0]["results"]
    assert result["ruleId"] == kind
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": line}


TEXT = {
    "type": "object",
    "properties": {"text": {"type": "string", "minLength": 1}},
    "required": ["text"],
    "additionalProperties": False,
}
LOCATION = {
    "type": "object",
    "properties": {
        "physicalLocation": {
            "type": "object",
            "properties": {
                # A URI reference: no spaces, no backslashes.
                "artifactLocation": {
                    "type": "object",
                    "properties": {"uri": {"type": "string", "pattern": r"^[^\s\\]+$"}},
                },
                "region": {"type": "object", "properties": {"startLine": {"type": "integer", "minimum": 1}}},
            },
            "required": ["artifactLocation"],
            "additionalProperties": False,
        },
        "logicalLocations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"fullyQualifiedName": {"type": "string"}},
                "additionalProperties": False,
            },
        },
    },
    "required": ["physicalLocation"],
    "additionalProperties": False,
}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
SARIF = {  # the part of the SARIF 2.1.0 schema that is used here; logs were held against the whole of it once, by hand
    "type": "object",
    "properties": {
        "$schema": {"type": "string"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "tool": {
                        "type": "object",
                        "properties": {
                            "driver": {
                                "type": "object",
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "properties": {"id": {"type": "string"}, "shortDescription": TEXT},
                                            "required": ["id"],
                                            "additionalProperties": False,
                                        },
                                    },
                                },
                                "required": ["name"],
                                "additionalProperties": False,
                            }
                        },
                        "required": ["driver"],
                        "additionalProperties": False,
                    },
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "executionSuccessful": {"type": "boolean"},
                                "toolExecutionNotifications": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "properties": {
                                            "level": LEVEL,
                                            "message": TEXT,
                                            "locations": {"type": "array", "items": LOCATION},
                                        },
                                        "required": ["message"],
                                        "additionalProperties": False,
                                    },
                                },
                            },
                            "required": ["executionSuccessful"],
                            "additionalProperties": False,
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": LEVEL,
                                "message": TEXT,
                                "locations": {"type": "array", "items": LOCATION},
                            },
                            "required": ["message"],
                            "additionalProperties": False,
                        },
                    },
                },
                "required": ["tool"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["version", "runs"],
    "additionalProperties": False,
}


def test_the_sarif_keeps_the_rules_of_its_schema(tmp_path):
    folder = tmp_path / "a folder"
    folder.mkdir()
    (folder / "kernels.py").write_text(KERNELS)
    (folder / "run me.py").write_text("import numpy as np\nfrom kernels import total\n" + CALLS["total"])
    (folder / "fails.py").write_text("import numpy\n1 / 0\n")
    done = lens(folder / "run me.py", "a folder/run me.py", "a folder/fails.py", "--sarif", "found.sarif", cwd=tmp_path)
    assert done.returncode == 1
    log = json.loads((tmp_path / "found.sarif").read_text())
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    line = KERNELS[: KERNELS.index("    out[0] += ")].count("\n") + 1
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    # The kernel's line is one of the module that it stands in.
    assert places[1] == {"artifactLocation": {"uri": "a%20folder/kernels.py"}, "region": {"startLine": line}}
    assert places[0]["artifactLocation"]["uri"] == (folder / "kernels.py").as_uri()
    assert [run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] for result in run["results"]] == ["race", "race"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert "ZeroDivisionError" in notification["message"]["text"]
    assert notification["locations"][0]["physicalLocation"]["region"] == {"startLine": 2}


def test_a_log_that_cannot_be_written(tmp_path):
    (tmp_path / "plain.py").write_text("print('hello')\n")
    done = lens("plain.py", "--sarif", "missing/found.sarif", cwd=tmp_path)
    assert done.returncode == 2 and "missing/found.sarif cannot be written: No such file or directory" in done.stderr


WORKERS = """\
import multiprocessing, sys


def work(which):
    beyond[2, 32](np.ones(64), np.zeros(64))
    if which:
        total[2, 32](np.ones(64), np.zeros(1))


if __name__ == "__main__":
    good[2, 64](np.ones(100, 'f4'), np.zeros(100, 'f4'))
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        pool.map(work, [0, 1])
"""


@pytest.mark.parametrize("way", ["spawn", "fork"])
def test_kernels_of_the_processes_that_a_script_starts(tmp_path, way):
    """They were not looked at: such a script passed, as one that "launched no kernel"."""
    (tmp_path / "pool.py").write_text(KERNELS + WORKERS)
    done = lens("pool.py", "--json", "--arguments", way, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    (outcome,) = json.loads(done.stdout)
    assert outcome["status"] == "ran"
    assert {(each["kind"], each["kernel"], each["path"]) for each in outcome["findings"]} == {
        ("out-of-bounds", "beyond", "pool.py"),
        ("race", "total", "pool.py"),
    }
    assert sorted(each["kernel"] for each in outcome["launches"]).count("good") == 1
    assert {each["kernel"] for each in outcome["launches"]} == {"good", "beyond", "total"}


def test_errors_come_first_then_warnings_then_what_moves_in_colour_where_it_is_shown(tmp_path, monkeypatch):
    (tmp_path / "both.py").write_text(KERNELS + CALLS["columns"] + CALLS["total"])
    done = lens("both.py", cwd=tmp_path)
    assert "\x1b" not in done.stdout
    kinds = [line.split(":")[0].strip() for line in done.stdout.splitlines()[1:] if not line.startswith("    ")]
    assert kinds[0] == "error" and {"columns", "total"} == set(kinds[kinds.index("columns") :]), done.stdout
    outcome = types.SimpleNamespace(path="a.py", status="failed", error="E", message="m", launches=[], where=str)
    outcome.findings = [
        {"severity": severity, "kind": "race", "kernel": "k", "line": 3, "sentence": "Said."}
        for severity in ("warning", "error")
    ]
    told = command.report(outcome).splitlines()
    assert [line.split(":")[0] for line in told[2:]] == ["  \x1b[31merror", "  \x1b[33mwarning"]
