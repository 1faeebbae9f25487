"""``hundredfold assignment`` without nbgrader: what is written, and what is never overwritten."""

import ast
import json
import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from traitlets.config import Config

from hundredfold import paths
from hundredfold.classroom.assignment import contained as contained_module
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


def test_a_course_is_for_whoever_made_it_alone(tmp_path):
    """Learners' answers and points will lie in it, for everybody to read."""
    run(tmp_path / "new", "arrays")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    (tmp_path / "theirs").mkdir(mode=0o750)
    run(tmp_path / "theirs", "arrays")
    assert stat.S_IMODE((tmp_path / "theirs").stat().st_mode) == 0o750, (
        "whom else an instructor lets in is theirs to say"
    )


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
import json, os, pathlib, signal, sys
here, arguments = pathlib.Path(__file__).parent, sys.argv[1:]
with open(here / "said", "a") as file:
    file.write(json.dumps(arguments) + "\\n")
if arguments[0] == "run":
    inside, _ = next(each for each in arguments if each.startswith("--volume=")).partition("=")[2].split(":")
    told = json.loads(pathlib.Path(inside, "kernel.json").read_text())
    (here / "kernel.json").write_text(json.dumps(dict(told, ip=inside + "/kernel")))
    (here / "running").write_text(str(os.getpid()))
    *start, python, module, launcher, option, file = arguments[arguments.index("an-image") + 1 :][:9]
    os.execv(start[0], [*start, sys.executable, module, launcher, option, str(here / "kernel.json")])
elif (here / "running").exists():
    os.kill(int((here / "running").read_text()), signal.SIGKILL)
    (here / "running").unlink()
"""


@pytest.fixture
def contained(tmp_path):
    """Runs cells in a container and returns the notebook: with a program in Docker's place that notes what it is told, and starts the kernel here."""
    (tmp_path / "handed_in").mkdir()
    program = tmp_path / "docker"
    program.write_text(FAKE.format(python=sys.executable))
    program.chmod(0o755)

    def run(*cells, **settings):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python"}
        config = Config({"InContainer": {"program": str(program), "image": "an-image", **settings}})
        NotebookClient(notebook, kernel_manager_class=InContainer, config=config, timeout=280).execute(
            cwd=str(tmp_path / "handed_in")
        )
        return notebook

    return run


def said_to_docker(folder):
    return [json.loads(line) for line in (folder / "said").read_text().splitlines()]


def test_a_notebook_is_run_in_a_container_that_has_nothing_of_the_graders(contained, tmp_path):
    assert contained("print(6 * 7)").cells[0].outputs[0].text == "42\n"
    run, *ends = said_to_docker(tmp_path)
    assert {"--network=none", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"} <= set(run)
    assert "--no-healthcheck" in run, "the image's asks for a lab, which is not there"
    assert "--env=NBGRADER_EXECUTION" in run
    (volume,) = [each for each in run if each.startswith(("--volume", "--mount", "-v"))]
    inside, folder = map(Path, volume.partition("=")[2].split(":"))
    assert Path(run[run.index("-f") + 1]).parent == folder == inside.parent and not folder.exists(), (
        "all that it shares was its own, and is gone"
    )
    assert ends and all(end == ["rm", "--force", run[run.index("--name") + 1]] for end in ends)


def test_an_answer_writes_nothing_on_the_graders_disk(contained, tmp_path):
    """The folder where kernel and nbgrader meet is the grader's once the kernel has its sockets, and Docker keeps none of its output."""
    asked = f"import json, os\nprint(oct(os.stat(os.path.dirname(json.load(open({str(tmp_path / 'kernel.json')!r}))['ip'])).st_mode))"
    assert contained(asked).cells[0].outputs[0].text == "0o40711\n"
    run = said_to_docker(tmp_path)[0]
    (user,) = [each for each in run if each.startswith("--user=")]
    assert user == "--user=65534:65534" and os.getuid() != 65534 and "--log-driver=none" in run


@pytest.mark.large(smoke=1)
@pytest.mark.parametrize(
    "answer",
    [
        "while True: print('x' * 100_000)",
        "print('x' * 50_000_000)",
        "while True: get_ipython().kernel.iopub_socket.send_multipart([b'x' * 1000] * 100_000)",
    ],
    ids=["lines", "one", "parts"],
)
def test_what_an_answer_prints_fills_nobodys_memory(contained, answer):
    """nbgrader keeps all of it, so its kernel is ended, and with it the grading of this notebook."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(DeadKernelError):
        contained(answer)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000, "kB"


def test_a_notebook_ends_after_its_time_however_many_cells_it_has(contained):
    with pytest.raises(
        RuntimeError
    ):  # of which DeadKernelError is one; a kernel that takes so long to start raises another
        contained(*["import time; time.sleep(5)"] * 40, seconds=6)


def test_what_a_container_writes_moves_no_cursor_and_hangs_nothing():
    """Docker hands it on to the grader's terminal."""
    what = json.dumps({"folder": "/x", "inside": "/x", "ports": [1], "seconds": 60, "most": 1, "end": ["true"]})
    code = "import sys; print('for nobody'); sys.stderr.write('no such image\\x1b]0;owned\\x07\\n' + 'y' * 1_000_000); sys.exit(3)"
    process = subprocess.run(
        [sys.executable, "-P", "-m", contained_module.__name__, what, "--", sys.executable, "-c", code],
        capture_output=True, text=True, check=False, timeout=280,
    )  # fmt: skip
    assert process.returncode == 3 and process.stdout == ""
    assert (
        process.stderr.startswith("no such image\ufffd]0;owned\ufffd\n")
        and len(process.stderr) == contained_module.SHOWN
    )


def test_files_handed_in_beside_a_notebook_are_not_imported_by_what_starts_its_container(contained, tmp_path):
    for name in ("json", "hundredfold", "sitecustomize"):
        (tmp_path / "handed_in" / f"{name}.py").write_text(f"open({str(tmp_path / 'owned')!r}, 'w')")
    assert contained("print(1)").cells[0].outputs[0].text == "1\n"
    assert not (tmp_path / "owned").exists()
