"""The lab's start page: where to go on, what is solved, how much is left. (How the lab shows it: tests/lab/test_browser.py.)"""

import re

import pytest

from hundredfold.classroom import syllabi
from hundredfold.learning.progress import catalogue
from hundredfold.notebook import workspace
from hundredfold.setup.lab import start_page

UNITS = {unit.number: unit for unit in syllabi.units().values()}


def verdicts(*said):
    """Lines of a progress file, one a second."""
    return [
        {"time": f"2026-11-26T10:{second // 60:02d}:{second % 60:02d}+00:00", "problem": problem, "outcome": outcome}
        for second, (problem, outcome) in enumerate(said)
    ]


def solved(number):
    return [(problem.id, "right") for unit in catalogue.units() if unit.number == number for problem in unit.problems]


def go_on(lines):
    return start_page.page(lines).split("\n\n")[1]


def row(lines, number):
    """A unit's cells: exercises solved, minutes left."""
    (line,) = re.findall(rf"^\| \[{number:02d} · .*$", start_page.page(lines), re.MULTILINE)
    return [cell.strip() for cell in line.split("|")][3:5]


def test_each_unit_has_its_lecture_exercises_and_solutions():
    links = re.findall(r"\]\(((?:notebooks|exercises|solutions)/[^)]+)\)", start_page.page([]))
    for unit in UNITS.values():
        assert {f"{folder}/{unit.stem}.ipynb" for folder in ("notebooks", "exercises", "solutions")} < set(links)


def test_every_link_leads_to_a_file_of_the_copies(tmp_path):
    workspace.refresh(target=tmp_path)
    for target in re.findall(r"\]\(([^)#]+)\)", start_page.page([])):
        assert (tmp_path / target).is_file(), target


def test_who_begins_is_sent_to_the_first_lecture():
    assert go_on([]) == "**Begin here:** [01 · Arrays: from NumPy to CuPy](notebooks/01_arrays.ipynb), 45 minutes."
    assert row([], 1) == ["0 of 6", str(UNITS[1].teaching + UNITS[1].exercises)]


def test_who_comes_back_is_sent_to_the_open_problem_of_the_last_unit():
    first, second, *_ = catalogue.units()[4].problems
    lines = verdicts((second.id, "wrong"))
    assert go_on(lines).startswith("**Go on:** [Exercises of 05 · ")
    assert f"The next problem is *{first.title}*" in go_on(lines)
    assert go_on(verdicts((first.id, "wrong"), (first.id, "wrong"))).endswith("(2 tries so far).")
    assert row(lines, 5) == ["0 of 6", str(UNITS[5].exercises)], "the lecture no longer counts"


def test_after_a_unit_comes_the_next_lecture_that_has_something_open():
    lines = verdicts(*solved(2), *solved(1))
    assert go_on(lines).startswith("**Next:** [03 · ")
    assert row(lines, 1) == ["✔ 6 of 6", "0"]
    assert go_on(verdicts(*solved(max(UNITS)))).startswith("**Next:** [01 · ")


def test_the_end_is_told():
    every = [problem for number in UNITS for problem in solved(number)]
    assert go_on(verdicts(*every)) == "**All problems are solved.**"
    assert "Left: about 0 hours" in start_page.page(verdicts(*every))


@pytest.mark.parametrize("line", [{}, {"problem": ["x"]}, {"problem": "gone.problem", "outcome": "right", "time": 3}])
def test_lines_that_say_nothing_change_nothing(line):
    assert start_page.page([line]) == start_page.page([])


def test_it_is_written_once_and_over_nobodys_own(tmp_path, monkeypatch):
    monkeypatch.setenv("HUNDREDFOLD_STATE", str(tmp_path / "state"))
    assert not start_page.put(tmp_path / "work") and not (tmp_path / "work").exists()
    assert start_page.put(tmp_path) and not start_page.put(tmp_path)
    (tmp_path / start_page.NAME).write_text("my own notes")
    assert not start_page.put(tmp_path)
    assert (tmp_path / start_page.NAME).read_text() == "my own notes"


def test_what_a_learner_writes_into_the_page_stays(tmp_path, monkeypatch):
    monkeypatch.setenv("HUNDREDFOLD_STATE", str(tmp_path / "state"))
    file = tmp_path / start_page.NAME
    lines: list[dict] = []
    monkeypatch.setattr(start_page.progress, "read", lambda: lines)
    assert start_page.put(tmp_path)
    lines += verdicts(*solved(1))
    assert start_page.put(tmp_path), "the page as the lab wrote it is renewed"
    noted = file.read_text().replace("## Beside the units", "Ask about unit 5.\n\n## Beside the units")
    file.write_text(noted)
    lines += verdicts(*solved(2))
    assert not start_page.put(tmp_path) and file.read_text() == noted
    file.unlink()
    assert start_page.put(tmp_path)
