"""Our exercises in the real nbgrader: made, handed out, handed in, graded.

`make test-all ARGS=grading` sets its environment up: the lab's, with nbgrader.
"""

import contextlib
import copy
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

from hundredfold import paths
from hundredfold.classroom.assignment import course

ROOT = Path(__file__).parents[2]
UNIT = "arrays"
(STEM,) = paths.units((UNIT,), course.stems())


def nbgrader(folder, *arguments, status=0):
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
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def hand_in(folder, learner, notebook):
    """Put a learner's notebook where nbgrader looks for it, and return the file."""
    file = folder / "submitted" / learner / UNIT / f"{STEM}.ipynb"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(notebook))
    return file


def scores(folder, learner):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        return {grade.name: grade.score for grade in book.find_submission_notebook(STEM, UNIT, learner).grades}


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
        "shadows": {},
    }
    for learner, theirs in handed_in.items():
        notebook = copy.deepcopy(released)
        for name, cell in answers(notebook).items():
            cell["source"] = theirs.get(name, cell["source"])
        if learner == "rebinds":  # who edits a test has it undone
            for cell in notebook["cells"]:
                if cell["metadata"].get("nbgrader", {}).get("grade"):
                    cell["source"] = "pass"
        file = hand_in(folder, learner, notebook)
        if learner == "shadows":  # with a package of the course's name beside it
            package = file.parent / "hundredfold" / "learning"
            package.mkdir(parents=True)
            (package.parent / "__init__.py").write_text("def load_ipython_extension(ip): pass\ncheck = hint = print")
            (package / "checking.py").write_text("graded = print")
    nbgrader(folder, "autograde", UNIT)
    return {learner: scores(folder, learner) for learner in handed_in}


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


def test_whoever_hands_in_files_of_the_courses_names_gains_nothing(points):
    assert set(points["shadows"].values()) == {0.0}


def test_a_notebook_that_cannot_be_graded_costs_nobody_elses_points(folder, released, points):
    """nbgrader alone ends at the first that names another format, and reads a link as the notebook that it leads to."""
    newer = copy.deepcopy(released)
    for cell in newer["cells"]:
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"]["schema_version"] = 99
    hand_in(folder, "one-newer", newer)
    hand_in(
        folder,
        "one-long",
        {
            **released,
            "cells": [
                *released["cells"],
                {"cell_type": "markdown", "metadata": {}, "source": "x" * 2_000_000, "id": "x"},
            ],
        },
    )
    link = hand_in(folder, "one-links", {})
    link.unlink()
    link.symlink_to(folder / "submitted" / "solved" / UNIT / link.name)
    solved = read(folder / "submitted" / "solved" / UNIT / link.name)
    hand_in(folder, "one-solves", solved)
    said = nbgrader(folder, "autograde", UNIT, "--student", "one-*", status=1)
    assert set(scores(folder, "one-solves").values()) == {1.0}
    for learner in ("one-newer", "one-long", "one-links"):
        assert not any(scores(folder, learner).values()) and f"for student '{learner}'" in said


#: Each sets a name of the page's, in a way of its own.
SCRIPT = (
    "<script>window.ran = 'script'</script><img src=x onerror=\"window.ran = 'img'\"><svg onload=\"window.ran = 'svg'\"></svg>"
    "<iframe srcdoc=\"<script>parent.ran = 'frame'</script>\"></iframe><a id='hers' href=\"javascript:window.ran = 'link'\">x</a>"
)
SHOWS = f"""from IPython.display import HTML, Javascript, Markdown, display
display(HTML({SCRIPT!r}), Markdown({SCRIPT!r}))
display({{"image/svg+xml": {SCRIPT!r}}}, raw=True)
display(Javascript("window.ran = 'javascript'"))
display({{"text/latex": {SCRIPT!r}}}, raw=True)
display({{"image/png": 'x" onerror="window.ran = 2'}}, raw=True)
print({SCRIPT!r})
raise RuntimeError({SCRIPT!r})"""


@pytest.mark.browser
def test_a_learners_scripts_do_nothing_in_the_pages_of_answers(folder, released, points):
    """formgrader shows them in the page of the instructor's own server, which could start kernels there."""
    from nbgrader.api import Gradebook
    from playwright.sync_api import sync_playwright

    notebook = copy.deepcopy(released)
    markdown = {
        "cell_type": "markdown",
        "metadata": {},
        "id": "m",
        "source": f"{SCRIPT}\n\n[x](javascript:window.ran=1) **bold**",
    }
    raw = {"cell_type": "raw", "metadata": {"format": "text/html"}, "id": "r", "source": SCRIPT}
    code = {"cell_type": "code", "metadata": {}, "id": "c", "source": SHOWS, "outputs": [], "execution_count": None}
    notebook["cells"][1:1] = [markdown, raw, code]
    hand_in(folder, "scripts", notebook)
    nbgrader(folder, "autograde", UNIT, "--student", "scripts")
    nbgrader(folder, "generate_feedback", UNIT, "--student", "scripts")
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        submission = book.find_submission_notebook(STEM, UNIT, "scripts").id
    with formgrader(folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        pages = [
            f"{address}/formgrader/submissions/{submission}/?index=0&token={TOKEN}",
            (folder / "feedback" / "scripts" / UNIT / f"{STEM}.html").as_uri(),
        ]
        for place in pages:
            page = browser.new_page()
            page.goto(place, wait_until="load")
            assert page.locator("strong", has_text="bold").count() == 1, "Markdown is shown as such"
            page.wait_for_timeout(1000)
            assert page.evaluate("window.ran") is None
            assert page.locator("a[href^=javascript]").count() == 0
        browser.close()


TOKEN = "instructor"


@contextlib.contextmanager
def formgrader(folder):
    """The address of a Jupyter server with nbgrader's extension, in the course's folder."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable, "-m", "jupyter", "server", "--no-browser", "--allow-root", f"--port={port}", f"--ServerApp.root_dir={folder}",
        f"--IdentityProvider.token={TOKEN}", "--ServerApp.jpserver_extensions={'nbgrader.server_extensions.formgrader': True}",
    ]  # fmt: skip
    with open(folder / "server.log", "w") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        while process.poll() is None:
            with contextlib.suppress(requests.RequestException):
                requests.get(f"{address}/api", timeout=60)
                break
            time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait()


def test_with_the_two_lines_of_its_settings_nbgrader_starts_kernels_by_docker(folder, released, tmp_path):
    """With a program in Docker's place that notes what it is told, and starts the kernel here."""
    settings = (folder / "nbgrader_config.py").read_text()
    lines = re.findall(r"(?m)^# (c\.(?:Execute\.kernel_manager_class|InContainer\.image).*)$", settings)
    assert len(lines) == 2
    said, program = tmp_path / "said", tmp_path / "docker"
    program.write_text(
        f"#!{sys.executable}\nimport json, os, sys\nopen({str(said)!r}, 'a').write(' '.join(sys.argv[1:]) + '\\n')\n"
        "if sys.argv[1] == 'run':\n    kernel = sys.argv[sys.argv.index('hundredfold:cpu') + 1 :]\n"
        "    inside = next(each for each in sys.argv if each.startswith('--volume=')).partition('=')[2].split(':')[0]\n"
        "    told = json.load(open(f'{inside}/kernel.json'))\n"
        f"    json.dump(dict(told, ip=f'{{inside}}/kernel'), open({str(tmp_path / 'kernel.json')!r}, 'w'))\n"
        "    kernel[kernel.index('/opt/hundredfold/bin/python')] = sys.executable\n"
        f"    kernel[kernel.index('-f') + 1] = {str(tmp_path / 'kernel.json')!r}\n"
        "    os.execv(kernel[0], kernel)\n"
    )
    program.chmod(0o755)
    solution = {name: text(cell) for name, cell in answers(read(ROOT / "solutions" / f"{STEM}.ipynb")).items()}
    notebook = copy.deepcopy(released)
    for name, cell in answers(notebook).items():
        cell["source"] = solution[name]
    hand_in(folder, "contained", notebook)
    try:
        (folder / "nbgrader_config.py").write_text(
            "\n".join([settings, *lines, f"c.InContainer.program = {str(program)!r}\n"])
        )
        nbgrader(folder, "autograde", UNIT, "--student", "contained")
    finally:
        (folder / "nbgrader_config.py").write_text(settings)
    assert [line.split()[0] for line in said.read_text().splitlines()] == ["run", "rm", "rm"]
    assert list(scores(folder, "contained").values()) == [1.0] * 6


def test_an_answer_that_raises_costs_its_own_points_only(points):
    assert sum(points["raises"].values()) == len(points["raises"]) - 1


def test_feedback_can_be_made(folder, points):
    nbgrader(folder, "generate_feedback", UNIT)
    page = (folder / "feedback" / "half" / UNIT / f"{STEM}.html").read_text()
    assert "not attempted yet" in page
    assert not (folder / "state").exists() or not list((folder / "state").glob("progress*")), "grading is no progress"
