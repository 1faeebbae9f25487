"""`kernellens try` from outside: what it says of programs of all kinds, and what it leaves alone."""

import json
import os
import subprocess
import sys

import nbformat
import pytest

from kernellens.trial import programs

CLEAN = {
    name: value for name, value in os.environ.items() if not name.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_"))
}


def command(*arguments, cwd=None):
    line = [sys.executable, "-c", "from kernellens.cli import main; main()", "try", *map(str, arguments)]
    return subprocess.run(line, env=CLEAN, cwd=cwd, capture_output=True, text=True, check=False, timeout=1200)


def tried(*arguments, cwd=None):
    done = command("--json", *arguments, cwd=cwd)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def notebook(path, *cells, **metadata):
    made = nbformat.v4.new_notebook(metadata=metadata)
    for cell in cells:
        made.cells.append(nbformat.v4.new_code_cell(cell) if isinstance(cell, str) else cell)
    nbformat.write(made, path)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Six notebooks of somebody's, and a file that they read and write."""
    home = tmp_path_factory.mktemp("theirs")
    (home / "data.csv").write_text("1,2\n")
    notebook(
        home / "a_runs.ipynb",
        "import cupy as cp\nx = cp.arange(3)",
        "!nvidia-smi\n!pip install something\nfound = !ls /\n!mkdir -p out/here",
        "%%bash\nrm -rf data.csv",
        "open('data.csv', 'a').write('3,4')\nopen('out/here/new', 'w').write('x')",
        "assert float(x.sum()) == 3",
    )
    notebook(home / "b_refused.ipynb", "import numpy as np, cupy as cp", "x = cp.ones(3)\n\nnp.asarray(x)\n", "1/0")
    notebook(home / "c_lacks.ipynb", "import cupy", "import no_such_module_xyz")
    stored = nbformat.v4.new_code_cell("1 / 0")
    stored.outputs = [nbformat.v4.new_output("error", ename="ZeroDivisionError", evalue="x", traceback=[])]
    notebook(home / "d_raises_as_stored.ipynb", stored, "print('on')")
    (home / "e_corrupt.ipynb").write_text('{"cells": [')
    notebook(home / "f_julia.ipynb", "println(1)", language_info={"name": "julia"})
    return home


@pytest.fixture(scope="module")
def results(folder):
    status, found = tried(folder)
    return status, {os.path.basename(outcome["path"]): outcome for outcome in found}


def test_one_line_for_each_notebook_of_a_folder(results):
    status, found = results
    assert status == 1
    assert {name: outcome["status"] for name, outcome in found.items()} == {
        "a_runs.ipynb": "ran",
        "b_refused.ipynb": "refused",
        "c_lacks.ipynb": "lacked",
        "d_raises_as_stored.ipynb": "ran",
        "e_corrupt.ipynb": "unreadable",
        "f_julia.ipynb": "unreadable",
    }


def test_shell_commands_are_recorded_and_not_run(results, folder):
    outcome = results[1]["a_runs.ipynb"]
    assert outcome["skipped"] == ["pip install something", "ls /", "%%bash\nrm -rf data.csv"]


def test_nothing_of_theirs_is_written_to(results, folder):
    assert (folder / "data.csv").read_text() == "1,2\n"
    assert not (folder / "out").exists()


def test_a_refusal_says_whose_and_where(results):
    outcome = results[1]["b_refused.ipynb"]
    assert (outcome["by"], outcome["cell"], outcome["line"], outcome["source"]) == ("CuPy", 2, 3, "np.asarray(x)")
    assert outcome["error"] == "TypeError" and "Implicit conversion" in outcome["message"]
    assert (outcome["cells"], outcome["cells_run"]) == (3, 1)


def test_what_is_lacking_is_named(results):
    outcome = results[1]["c_lacks.ipynb"]
    assert outcome["missing"] == "module no_such_module_xyz" and outcome["cell"] == 2


def test_a_cell_that_raised_for_its_author_may_raise(results):
    assert results[1]["d_raises_as_stored.ipynb"]["raised_as_stored"] == [1]


def test_what_is_no_notebook_is_said(results):
    assert "no notebook that can be read" in results[1]["e_corrupt.ipynb"]["message"]
    assert "for julia" in results[1]["f_julia.ipynb"]["message"]


KERNEL = """
import numpy as np
from numba import cuda

@cuda.jit
def shift(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i + 1]

x = cuda.to_device(np.arange(64.0))
shift[1, 64](x, x.copy_to_host())
cuda.synchronize()
"""


def test_a_kernel_that_reads_past_the_end_is_a_finding_and_can_go_on(tmp_path):
    script = tmp_path / "kernel.py"
    script.write_text(KERNEL)
    status, (outcome,) = tried(script)
    assert status == 1 and outcome["status"] == "finding"
    assert (outcome["error"], outcome["line"]) == ("OutOfBoundsError", 12)
    status, (outcome,) = tried("--allow-out-of-bounds", script)
    assert status == 0 and outcome["status"] == "ran"
    (found,) = [each for each in outcome["findings"] if each["kind"] == "out-of-bounds"]
    assert found["kernel"] == "shift" and "x[64] does not exist" in found["sentence"]


def test_a_module_that_the_real_library_lacks_is_refused(tmp_path):
    script = tmp_path / "old.py"
    script.write_text("from cuml.preprocessing.LabelEncoder import LabelEncoder\n")
    _, (outcome,) = tried(script)
    assert (outcome["status"], outcome["by"], outcome["missing"]) == ("refused", "cuML", "")
    script.write_text("import cudf\ncudf.DataFrame.from_pandas(1)\n")
    _, (outcome,) = tried(script)
    assert (outcome["status"], outcome["by"]) == ("refused", "cuDF")
    assert outcome["message"].endswith("(cuDF 26.02 removed cudf.DataFrame.from_pandas: use cudf.from_pandas(…).)")


def test_the_table_says_it_in_words(tmp_path):
    (tmp_path / "s.py").write_text("import cupy\nimport ucxx\n")
    (tmp_path / "t.py").write_text("open('nowhere.csv')\n")
    (tmp_path / "u.py").write_text("import cupy\nprint(cupy.ones(2))\n")
    done = command("s.py", "t.py", "u.py", cwd=tmp_path)
    said = " ".join(done.stdout.split())
    assert done.returncode == 1
    assert "s.py not simulated line 2" in said and "t.py lacked line 1 file nowhere.csv" in said
    assert "u.py ran" in said and "1 of 3 ran to the end." in said


def test_the_notebook_can_be_kept_with_what_it_printed_here(tmp_path):
    seen = nbformat.v4.new_code_cell("print(6 * 7)", outputs=[nbformat.v4.new_output("stream", text="theirs 1")])
    unseen = nbformat.v4.new_code_cell("print(2)", outputs=[nbformat.v4.new_output("stream", text="theirs 2")])
    tried("--keep", tmp_path / "kept", notebook(tmp_path / "n.ipynb", seen, "1 / 0", unseen))
    kept = nbformat.read(tmp_path / "kept" / "n.ipynb", as_version=4)
    assert [output.text for output in kept.cells[0].outputs] == ["42\n"]
    assert kept.cells[2].outputs == []  # it did not run


@pytest.mark.large
def test_it_can_go_on_after_a_cell_that_fails(tmp_path):
    stored = nbformat.v4.new_code_cell("{}['a']", outputs=[nbformat.v4.new_output("error", ename="KeyError")])
    cells = [stored, "import cupy\ncupy.asarray('word')", "print(6 * 7)", "1 / 0"]
    path = notebook(tmp_path / "n.ipynb", *cells)
    status, (outcome,) = tried("--go-on", "--keep", tmp_path / "kept", path)
    assert status == 1 and (outcome["cell"], outcome["cells_run"]) == (2, 2)
    assert outcome["error"] != "KeyError" and outcome["source"] == "cupy.asarray('word')"  # not the last one's
    (later,) = outcome["failed_later"]
    assert (later["cell"], later["error"]) == (4, "ZeroDivisionError")
    kept = nbformat.read(tmp_path / "kept" / "n.ipynb", as_version=4)
    assert kept.cells[2].outputs[0].text == "42\n"
    assert "cell 4 too: ZeroDivisionError: division by zero" in command("--go-on", path).stdout
    _, (stopped,) = tried(path)
    assert (stopped["cell"], stopped["cells_run"], stopped["failed_later"]) == (2, 1, [])


def test_the_line_in_a_timed_cell_is_found(tmp_path):
    _, (outcome,) = tried(notebook(tmp_path / "t.ipynb", "%%time\n\nx = 1\ny = x / 0"))
    assert (outcome["status"], outcome["line"], outcome["source"]) == ("failed", 4, "y = x / 0")


def test_timeit_runs_once_unless_told_how_often(tmp_path):
    cells = [
        "import cupy as cp\nn = []\nx = cp.ones(3)",
        "%timeit n.append(1); x + 1",
        "%%timeit\nn.append(2)",
        "t = %timeit -o -n 2 -r 2 n.append(3)",
        "assert (n.count(1), n.count(2), n.count(3)) == (1, 1, 4), n\nassert t.average > 0",
        "def f(y):\n    %timeit -q y.sum()\nf(x)",
    ]
    status, (outcome,) = tried(notebook(tmp_path / "timed.ipynb", *cells))
    assert status == 0, outcome


@pytest.mark.large
def test_a_cell_that_takes_too_long_is_stopped(tmp_path):
    slow = notebook(tmp_path / "slow.ipynb", "x = 1", "import time\ntime.sleep(600)")
    status, (outcome,) = tried("--timeout", "3", slow)
    assert status == 1 and (outcome["status"], outcome["cell"]) == ("too long", 2)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nothing.ipynb", "There is no file nothing.ipynb. Did you mean nothin.ipynb?"),
        ("other.ipynb", "There is no file other.ipynb."),
        ("text.txt", "text.txt is neither a notebook (.ipynb) nor a Python script (.py)."),
        ("empty", "There is no notebook under empty. Scripts are named one by one."),
    ],
)
def test_what_cannot_be_tried_is_refused(tmp_path, name, says):
    (tmp_path / "nothin.ipynb").write_text("{}")
    (tmp_path / "text.txt").write_text("")
    (tmp_path / "empty").mkdir()
    done = command(name, cwd=tmp_path)
    assert done.returncode == 2 and " ".join(done.stderr.split()).endswith(says)


def test_a_folder_for_temporary_files_below_the_program_is_not_copied_into_itself(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("print(1)")
    scratch = tmp_path / "temporary" / "kernellens-try-1"
    scratch.mkdir(parents=True)
    for name in ("copy", "again"):
        there, left_out = programs.copy(program, None, scratch / name)
        assert there.read_text() == "print(1)" and not left_out
        assert {path.name for path in (scratch / name).rglob("*")} == {"temporary", "program.py"}
