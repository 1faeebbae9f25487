"""Our exercises in the real nbgrader: made, handed out, handed in, graded.

`make test-all ARGS=grading` sets its environment up: the lab's, with nbgrader.
"""

import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hundredfold import paths
from hundredfold.classroom.assignment import course

ROOT = Path(__file__).parents[2]
UNIT = "arrays"
(STEM,) = paths.units((UNIT,), course.stems())


def nbgrader(folder, *arguments):
    """Run a command of nbgrader in the course's folder, and return what it said."""
    bin = Path(sys.prefix) / "bin"
    env = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("HUNDREDFOLD_", "GPUSIM_", "KERNELLENS_", "NBGRADER_"))
    }
    env |= {"PATH": f"{bin}{os.pathsep}{os.environ['PATH']}", "HUNDREDFOLD_STATE": str(folder / "state")}
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments], cwd=folder, env=env, capture_output=True, text=True, timeout=900, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def read(file):
    return json.loads(file.read_text(encoding="utf-8"))


def text(cell):
    return "".join(cell["source"])


def answers(notebook):
    """The answers' cells by their grade_id."""
    return {
        cell["metadata"]["nbgrader"]["grade_id"]: cell
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution")
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("course")
    course.write(made, (UNIT,))
    nbgrader(made, "generate_assignment", UNIT)
    return made


@pytest.fixture(scope="module")
def released(folder):
    return read(folder / "release" / UNIT / f"{STEM}.ipynb")


def test_learners_get_exactly_the_exercise(released):
    exercise = read(ROOT / "exercises" / f"{STEM}.ipynb")
    assert [(cell["cell_type"], text(cell)) for cell in released["cells"]] == [
        (cell["cell_type"], text(cell)) for cell in exercise["cells"]
    ]
    said = json.dumps(released)
    assert "SOLUTION" not in said and "HIDDEN" not in said and '"given"' not in said


WARN = "import sys, warnings\nwarnings.warn('careful')\nprint('to stderr', file=sys.stderr)\n"


@pytest.fixture(scope="module")
def points(folder, released):
    """What each of these learners gets, problem by problem, as nbgrader's gradebook has it."""
    solution = {name: text(cell) for name, cell in answers(read(ROOT / "solutions" / f"{STEM}.ipynb")).items()}
    half = list(solution)[: len(solution) // 2]
    assert 2 * len(half) == len(solution)

    def noisy(name):
        """The answer, with warnings where the cell runs, and where the judge calls the function."""
        lines = solution[name].split("\n")
        if lines[0].startswith("def "):
            lines.insert(1, "    import sys, warnings; warnings.warn('careful'); print('to stderr', file=sys.stderr)")
        return WARN + "\n".join(lines)

    handed_in = {
        "solved": solution,
        "untouched": {},
        "half": {name: solution[name] for name in half},
        "noisy": {name: noisy(name) for name in solution},
        "rebinds": {half[0]: "def check(*anything):\n    print('all is well')\n"},
        "hides": dict.fromkeys(solution, "import os\nos.environ.pop('NBGRADER_EXECUTION', None)"),
        "raises": {**solution, half[0]: "raise RuntimeError('nothing')"},
    }
    for learner, theirs in handed_in.items():
        notebook = copy.deepcopy(released)
        for name, cell in answers(notebook).items():
            cell["source"] = theirs.get(name, cell["source"])
        if learner == "rebinds":  # who edits a test has it undone
            for cell in notebook["cells"]:
                if cell["metadata"].get("nbgrader", {}).get("grade"):
                    cell["source"] = "pass"
        file = folder / "submitted" / learner / UNIT / f"{STEM}.ipynb"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(notebook))
    nbgrader(folder, "autograde", UNIT)
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        return {
            learner: {grade.name: grade.score for grade in book.find_submission_notebook(STEM, UNIT, learner).grades}
            for learner in handed_in
        }


def test_the_points_that_there_are(folder, points):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        most = book.find_assignment(UNIT).max_score
    assert most == len(points["solved"]) == 6


def test_solved_gets_full_points(points):
    assert set(points["solved"].values()) == {1.0}


def test_untouched_gets_none(points):
    assert set(points["untouched"].values()) == {0.0}


def test_half_solved_gets_half(points):
    assert sum(points["half"].values()) == len(points["half"]) / 2


def test_warnings_cost_nothing(points):
    assert points["noisy"] == points["solved"]


def test_whoever_rebinds_check_or_edits_a_test_gains_nothing(points):
    assert set(points["rebinds"].values()) == {0.0}


def test_whoever_hides_that_it_is_graded_gains_nothing(points):
    assert set(points["hides"].values()) == {0.0}


def test_with_the_two_lines_of_its_settings_nbgrader_starts_kernels_by_docker(folder, released, tmp_path):
    """With a program in Docker's place that notes what it is told, and starts the kernel here."""
    settings = (folder / "nbgrader_config.py").read_text()
    lines = re.findall(r"(?m)^# (c\.(?:Execute\.kernel_manager_class|InContainer\.image).*)$", settings)
    assert len(lines) == 2
    said, program = tmp_path / "said", tmp_path / "docker"
    program.write_text(
        f"#!{sys.executable}\nimport os, sys\nopen({str(said)!r}, 'a').write(' '.join(sys.argv[1:]) + '\\n')\n"
        "if sys.argv[1] == 'run':\n    kernel = sys.argv[sys.argv.index('hundredfold:cpu') + 2 :]\n"
        "    os.execv(sys.executable, [sys.executable, *kernel])\n"
    )
    program.chmod(0o755)
    solution = {name: text(cell) for name, cell in answers(read(ROOT / "solutions" / f"{STEM}.ipynb")).items()}
    notebook = copy.deepcopy(released)
    for name, cell in answers(notebook).items():
        cell["source"] = solution[name]
    file = folder / "submitted" / "contained" / UNIT / f"{STEM}.ipynb"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(notebook))
    try:
        (folder / "nbgrader_config.py").write_text(
            "\n".join([settings, *lines, f"c.InContainer.program = {str(program)!r}\n"])
        )
        nbgrader(folder, "autograde", UNIT, "--student", "contained")
    finally:
        (folder / "nbgrader_config.py").write_text(settings)
    assert [line.split()[0] for line in said.read_text().splitlines()] == ["run", "rm"]
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        grades = book.find_submission_notebook(STEM, UNIT, "contained").grades
        assert [grade.score for grade in grades] == [1.0] * 6


def test_an_answer_that_raises_costs_its_own_points_only(points):
    assert sum(points["raises"].values()) == len(points["raises"]) - 1


def test_feedback_can_be_made(folder, points):
    nbgrader(folder, "generate_feedback", UNIT)
    page = (folder / "feedback" / "half" / UNIT / f"{STEM}.html").read_text()
    assert "not attempted yet" in page
    assert not (folder / "state").exists() or not list((folder / "state").glob("progress*")), "grading is no progress"
