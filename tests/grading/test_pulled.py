"""A learner whose hub pulls the course with nbgitpuller: their edits survive every update. The real nbgitpuller, a local repository."""

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from nbgitpuller.pull import GitPuller

from hundredfold.classroom import links

ROOT = Path(__file__).parents[2]


def git(folder, *arguments):
    who = ("-c", "user.name=course", "-c", "user.email=course@example.org")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Course:
    """The course's public repository, and a learner's copy of it."""

    def __init__(self, folder, attributes=True):
        self.public, self.mine = folder / "public", folder / "mine"
        self.public.mkdir()
        git(self.public, "init", "--quiet", "--initial-branch", "main")
        for name in ("exercises/01_arrays.ipynb", "notebooks/01_arrays.ipynb"):
            (self.public / name).parent.mkdir()
            shutil.copy(ROOT / name, self.public / name)
        (self.public / "README.md").write_text("one\ntwo\nthree\n")
        if attributes:
            shutil.copy(ROOT / ".gitattributes", self.public)
        self.release()
        self.update()

    def release(self):
        git(self.public, "add", "--all")
        git(self.public, "commit", "--quiet", "--allow-empty", "-m", "a new version")

    def update(self):
        """What a click on the link does."""
        where = links.Address(f"file://{self.public}")
        said = "".join(GitPuller(where.url, str(self.mine), branch=where.branch).pull())
        assert git(self.mine, "ls-files", "--unmerged") == "", said


def read(file):
    return json.loads(file.read_text(encoding="utf-8"))


def write(file, notebook):
    file.write_text(json.dumps(notebook, indent=1) + "\n")


def edit(file, rng, mark):
    """Change a cell, add one or remove one, as people do."""
    notebook = read(file)
    cells, at = notebook["cells"], rng.randrange(1, len(notebook["cells"]) - 1)
    what = rng.choice(["change", "change", "add", "remove"])
    if what == "change":
        cells[at]["source"] = [f"{mark}\n", "and more"]
    elif what == "add":
        cells.insert(at, {"cell_type": "markdown", "id": mark, "metadata": {}, "source": [mark]})
    elif len(cells) > 10:
        del cells[at]
    write(file, notebook)


@pytest.fixture
def course(tmp_path):
    return Course(tmp_path)


@pytest.mark.parametrize("seed", range(5))
def test_edits_survive_every_update(course, seed):
    """Twelve updates; before each the course changes something, and the learner too, or not. Nothing of theirs is ever changed."""
    rng = random.Random(seed)
    name = "exercises/01_arrays.ipynb"
    touched = False
    for turn in range(12):
        edit(course.public / name, rng, f"course{turn}")
        edit(course.public / "notebooks/01_arrays.ipynb", rng, f"lecture{turn}")
        course.release()
        if rng.random() < 0.5:
            edit(course.mine / name, rng, f"mine{turn}")
            touched = True
        before = (course.mine / name).read_bytes()
        course.update()
        after = (course.mine / name).read_bytes()
        assert after == (before if touched else (course.public / name).read_bytes())
        # What they did not touch is the newest version.
        lecture = "notebooks/01_arrays.ipynb"
        assert (course.mine / lecture).read_bytes() == (course.public / lecture).read_bytes()


def test_without_the_attribute_versions_would_be_mixed(tmp_path):
    """Why .gitattributes says what it says: line by line, nbgitpuller's merge takes some of the one and some of the other."""
    course = Course(tmp_path, attributes=False)
    name = "exercises/01_arrays.ipynb"
    mine, theirs = read(course.mine / name), read(course.public / name)
    mine["cells"][5]["source"] = ["mine"]
    theirs["cells"][-1]["source"] = ["theirs"]
    write(course.mine / name, mine)
    write(course.public / name, theirs)
    course.release()
    course.update()
    mixed = (course.mine / name).read_text()
    assert "mine" in mixed and "theirs" in mixed


def test_a_file_of_the_learners_gives_way_under_another_name(course):
    (course.mine / "notes.md").write_text("mine")
    (course.public / "notes.md").write_text("theirs")
    course.release()
    course.update()
    assert (course.mine / "notes.md").read_text() == "theirs"
    assert [file.read_text() for file in course.mine.glob("notes_*.md")] == ["mine"]


def test_what_a_learner_removed_comes_back(course):
    (course.mine / "notebooks/01_arrays.ipynb").unlink()
    edit(course.public / "exercises/01_arrays.ipynb", random.Random(1), "new")
    course.release()
    course.update()
    assert (course.mine / "notebooks/01_arrays.ipynb").exists()


def test_a_half_written_notebook_harms_nothing(course):
    name = "exercises/01_arrays.ipynb"
    (course.mine / name).write_text("<<<<<<< HEAD\nnothing that is a notebook")
    edit(course.public / name, random.Random(2), "new")
    course.release()
    course.update()
    assert (course.mine / name).read_text().startswith("<<<<<<< HEAD\nnothing")
