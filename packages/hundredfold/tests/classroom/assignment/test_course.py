"""``hundredfold assignment`` without nbgrader: what is written, and what is never overwritten."""

import ast
import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner
from nbclient import NotebookClient
from traitlets.config import Config

from hundredfold import paths
from hundredfold.classroom.assignment import course
from hundredfold.classroom.assignment.command import command
from hundredfold.classroom.assignment.container import InContainer
from hundredfold.learning.checking import CheckFailed

STEMS = course.stems()


def run(*arguments):
    return CliRunner().invoke(command, [str(each) for each in arguments])


def read(file):
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("stem", STEMS)
def test_the_instructors_version_holds_exercise_and_solution(stem):
    made = course.instructors(stem)
    exercise = read(paths.data_dir("exercises") / f"{stem}.ipynb")
    solution = read(paths.data_dir("solutions") / f"{stem}.ipynb")
    answers = {
        cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["source"])
        for cell in solution["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution")
    }
    assert [cell["id"] for cell in made["cells"]] == [cell["id"] for cell in exercise["cells"]]
    grades = 0
    for cell, given in zip(made["cells"], exercise["cells"], strict=True):
        rules, text = cell["metadata"].get("nbgrader", {}), "".join(cell["source"])
        if rules.get("solution"):
            assert cell["metadata"]["hundredfold"]["given"] == "".join(given["source"])
            assert text == f"### BEGIN SOLUTION\n{answers[rules['grade_id']]}\n### END SOLUTION"
            answers.pop(rules["grade_id"])
        elif rules.get("grade"):
            grades += 1
            assert text.startswith("### BEGIN HIDDEN TESTS\n") and text.endswith("".join(given["source"]))
            ast.parse(text)
        else:
            assert text == "".join(given["source"])
        assert not cell.get("outputs")
    assert grades and not answers, "a solution has no place in the exercise"


def test_a_course_is_written_and_brought_up_to_date(tmp_path, monkeypatch):
    done = run(tmp_path / "course", "1", "memory")
    assert done.exit_code == 0 and "3 written, 0 up to date, 0 kept." in done.output
    files = sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file())
    assert files == [
        "course/nbgrader_config.py",
        "course/source/arrays/01_arrays.ipynb",
        "course/source/memory/02_memory.ipynb",
    ]
    compile((tmp_path / "course/nbgrader_config.py").read_text(), "nbgrader_config.py", "exec")
    assert "0 written, 3 up to date" in run(tmp_path / "course", "1", "memory").output
    monkeypatch.setattr(course, "_HIDDEN", course._HIDDEN.replace("an answer", "somebody"))  # a newer version of ours
    assert "2 written, 1 up to date" in run(tmp_path / "course", "1", "memory").output


def test_what_an_instructor_changed_stays(tmp_path, monkeypatch):
    run(tmp_path, "arrays")
    file = tmp_path / "source/arrays/01_arrays.ipynb"
    notebook = read(file)
    notebook["metadata"]["celltoolbar"] = "Create Assignment"  # no change: opening it writes such things
    notebook["cells"][0]["source"] = "# My own exercises"
    file.write_text(json.dumps(notebook))
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")
    monkeypatch.setattr(course, "_HIDDEN", "")
    done = run(tmp_path, "arrays")
    assert done.exit_code == 0 and done.output.count("you changed it, so it stays") == 2
    assert read(file)["cells"][0]["source"] == "# My own exercises"
    assert "2 written" in run(tmp_path, "arrays", "--replace").output
    assert "My own" not in file.read_text()


def test_bad_input(tmp_path):
    done = run(tmp_path / "c", "nonsense")
    assert done.exit_code == 2 and "There is no unit 'nonsense'. There are: 01_arrays" in done.output
    assert not (tmp_path / "c").exists()
    (tmp_path / "file").write_text("")
    assert run(tmp_path / "file").exit_code == 2
    done = run(tmp_path / "file" / "deeper")
    assert done.exit_code == 1 and "cannot be written to" in done.output


@pytest.mark.parametrize(
    "trick",
    [
        "import os; os.environ.pop('NBGRADER_EXECUTION', None)",
        "import os; os.environ['NBGRADER_EXECUTION'] = ''",
        "check = print",
    ],
)
def test_an_answer_that_hides_that_it_is_graded_gains_nothing(trick, monkeypatch):
    """What nbgrader runs: an answer's cell, then the check's, as the instructor's version has it."""
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    made = course.instructors("01_arrays")
    (cell,) = [cell for cell in made["cells"] if 'check("arrays.port"' in "".join(cell["source"])]
    space = {"standardise": lambda x: x}
    exec("from hundredfold import check", space)
    exec(trick, space)
    with pytest.raises(CheckFailed):
        exec("".join(cell["source"]), space)


FAKE = """#!{python}
import json, os, sys
arguments = sys.argv[1:]
with open({said!r}, "a") as file:
    file.write(json.dumps(arguments) + "\\n")
if arguments[0] == "run":
    kernel = arguments[arguments.index("an-image") + 1 :]
    os.execv(sys.executable, [sys.executable, *kernel[1:]])
"""


def test_a_notebook_is_run_in_a_container_that_has_nothing_of_the_graders(tmp_path):
    """With a program in Docker's place that notes what it is told, and starts the kernel here: Docker itself is not here."""
    program, said = tmp_path / "docker", tmp_path / "said"
    program.write_text(FAKE.format(python=sys.executable, said=str(said)))
    program.chmod(0o755)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("print(6 * 7)")])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python"}
    config = Config({"InContainer": {"program": str(program), "image": "an-image"}})
    client = NotebookClient(notebook, kernel_manager_class=InContainer, config=config, timeout=280)
    client.execute()
    assert notebook.cells[0].outputs[0].text == "42\n"
    run, end = map(json.loads, said.read_text().splitlines())
    assert {"--network=none", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"} <= set(run)
    assert f"--user={os.getuid()}:{os.getgid()}" in run and "--env=NBGRADER_EXECUTION" in run
    (volume,) = [each for each in run if each.startswith(("--volume", "--mount", "-v"))]
    folder = Path(volume.partition("=")[2].partition(":")[0])
    assert Path(run[run.index("-f") + 1]).parent == folder and not folder.exists(), (
        "all that it shares was its own, and is gone"
    )
    assert end == ["rm", "--force", run[run.index("--name") + 1]]


def test_an_answer_that_makes_a_deep_tree_beside_its_kernels_sockets_does_not_end_the_grading(tmp_path):
    made = InContainer(program="true")
    deep = "import os, sys\nos.chdir(sys.argv[1])\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')"
    subprocess.run([sys.executable, "-c", deep, str(made.folder)], check=True)
    asyncio.run(made.cleanup_resources())
    assert not made.folder.exists()
