"""The syllabi: they take what there is, in the course's order, in the time they promise, and open as workspaces."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hundredfold.classroom import syllabi
from hundredfold.classroom.syllabi import layout
from hundredfold.classroom.syllabi.page import page

ROOT = Path(__file__).parents[5]
NAMES = list(syllabi.every())


@pytest.mark.parametrize("name", NAMES)
def test_a_syllabus_keeps_to_its_time_and_to_the_course_s_order(name):
    syllabus = syllabi.find(name)
    assert syllabus.limit * 0.8 <= syllabus.minutes <= syllabus.limit
    for day in syllabus.days:
        numbers = [part.unit.number for part in day if part.unit]
        assert day[0].unit and day[-1].unit, "a day begins and ends with a unit"
        assert all(part.lecture or part.exercises for part in day if part.unit)
        assert sum(part.minutes for part in day) <= 8 * 60
        assert len(numbers) == len(set(numbers))
    assert syllabus.first.slug == "arrays"


@pytest.mark.parametrize("name", NAMES)
def test_minutes_are_those_of_the_sources(name):
    for day in syllabi.find(name).days:
        for part in day:
            if part.unit is None:
                continue
            header = (ROOT / "sources" / "lectures" / f"{part.unit.stem}.py").read_text(encoding="utf-8")[:1500]
            teaching, exercises = (
                int(re.search(rf"#\s+{word}: (\d+)", header).group(1)) for word in ("teaching", "exercises")
            )
            assert part.minutes == teaching * part.lecture + exercises * part.exercises


@pytest.mark.parametrize("name", NAMES)
def test_every_link_of_its_page_leads_to_a_notebook(name):
    links = re.findall(r"\]\(([^)]+)\)", page(syllabi.find(name)))
    assert links and all((ROOT / "syllabi" / link).resolve().is_file() for link in links)


def test_the_minutes_since_the_beginning_add_up():
    syllabus = syllabi.find("90-minutes")
    rows = re.findall(r"^\| (\d+):(\d\d) \| (\d+) \|", page(syllabus), re.MULTILINE)
    began = 0
    for hours, minutes, long in rows:
        assert int(hours) * 60 + int(minutes) == began
        began += int(long)
    assert began == syllabus.minutes


@pytest.mark.parametrize(("below", "before"), [("", ""), (".", ""), ("course", "course/"), ("a/b", "a/b/")])
def test_a_workspace_opens_its_first_lecture_from_where_the_copies_are(below, before):
    made = layout.workspace(syllabi.find("half-day"), below)
    paths = [each["data"]["path"] for name, each in made["data"].items() if name.startswith(("notebook:", "markdown"))]
    assert paths == [f"{before}notebooks/01_arrays.ipynb", f"{before}syllabi/half-day.md"]
    dock = made["data"]["layout-restorer:data"]["main"]
    assert set(dock["dock"]["widgets"]) == {
        name for name in made["data"] if ":" in name and "path" in str(made["data"][name])
    } - {"file-browser-filebrowser:cwd"}
    assert dock["current"] in dock["dock"]["widgets"]


def test_workspaces_are_put_once_and_a_learner_s_own_is_left(tmp_path):
    assert layout.put(tmp_path) == NAMES
    file = next(file for file in tmp_path.iterdir() if json.loads(file.read_text())["metadata"]["id"] == "half-day")
    file.write_text(json.dumps({"data": {"mine": 1}, "metadata": {"id": "half-day"}}))
    assert layout.put(tmp_path) == []
    assert json.loads(file.read_text())["data"] == {"mine": 1}
    file.unlink()
    assert layout.put(tmp_path) == ["half-day"]


def _run(*arguments):
    command = [sys.executable, "-m", "hundredfold.cli", "syllabus", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_the_command_shows_them_all_one_or_says_which_there_are():
    every = _run()
    assert every.returncode == 0 and [line.split()[0] for line in every.stdout.splitlines()] == NAMES
    assert _run("half-day").stdout == (ROOT / "syllabi" / "half-day.md").read_text(encoding="utf-8")
    told = json.loads(_run("90-minutes", "--json").stdout)[0]
    assert told["minutes"] == sum(part.get("minutes", 0) + part.get("break", 0) for part in told["days"][0])
    wrong = _run("three-weeks")
    assert wrong.returncode == 2 and all(name in wrong.stderr for name in NAMES)


def test_the_readme_has_the_minutes_of_the_sources():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| (\d\d) \| \[.*\| (\d+) \+ (\d+) \|$", readme, flags=re.MULTILINE)
    course = [(f"{u.number:02d}", str(u.teaching), str(u.exercises)) for u in syllabi.units().values()]
    assert told == course, "`README.md`, *The course*: its minutes are those of the lectures' first lines"
