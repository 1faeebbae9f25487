"""The lab's start page: `start.md` among the learner's copies, which the lab opens first.

It says where to go on, what is solved and how many minutes are left. The server has it written when it starts and whenever the lab
shows it (`server.py`), by a process of its own: what is imported here would stay in the memory of each learner's server.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from hundredfold import paths
from hundredfold.classroom import syllabi
from hundredfold.learning.problems import progress
from hundredfold.learning.progress import catalogue, own
from hundredfold.notebook import workspace

NAME = "start.md"
#: The page's last line begins so; a digest of all above it follows. Where it does not fit, the learner has changed the page.
_MARK = "<!-- The lab writes this page anew each time that you look at it. If you change it, it stays; delete it to have it back. "


def page(lines: list[dict[str, Any]]) -> str:
    """The page as Markdown, from the lines of the progress file."""
    units = list(syllabi.units().values())
    mine = own.as_data(own.standings(lines))
    exercises = {each["unit"]: each for each in mine["units"]}
    left = {unit.number: _left(unit, exercises[unit.number]) for unit in units}
    hours = sum(left.values()) / 60
    told = [
        "# Hundredfold",
        "",
        _go_on(lines, units, exercises),
        "",
        f"Solved: {mine['solved']} of {mine['of']} problems. Left: about {hours:.0f} hours.",
        "",
        "| lecture | exercises | solved | minutes left | solutions |",
        "|:--|:--|--:|--:|:--|",
    ]
    for subject, numbers in syllabi.SUBJECTS.items():
        told.append(f"| **{subject}** | | | | |")
        told += [_row(unit, exercises[unit.number], left[unit.number]) for unit in units if unit.number in numbers]
    plans = ", ".join(f"[{each.title}](syllabi/{each.name}.md)" for each in syllabi.every().values())
    told += [
        "",
        "## Beside the units",
        "",
        f"- Plans for a class: {plans}.",
        "- [Dask dashboard](#dask-dashboard): the panel with plots of your clusters, for units 10 to 14.",
        "- [Glossary](docs/glossary.md): the terms of the course.",
        "",
        "Minutes left are the planned ones. The exercises count by the share of problems that you have not solved. "
        "A lecture counts until you check a first answer of its unit.",
        "",
        "",
    ]
    return _closed("\n".join(told))


def _closed(text: str) -> str:
    """A page with its last line."""
    return f"{text}{_MARK}{hashlib.sha256(text.encode()).hexdigest()[:16]} -->\n"


def _left(unit: syllabi.Unit, told: dict[str, Any]) -> int:
    """The minutes of a unit that are before the learner."""
    begun = any(row["state"] != "new" for row in told["problems"])
    return round(unit.exercises * (1 - told["solved"] / told["of"])) + (0 if begun else unit.teaching)


def _go_on(lines: list[dict[str, Any]], units: list[syllabi.Unit], exercises: dict[int, dict[str, Any]]) -> str:
    """Where the learner goes on: in the unit of the last check while problems of it are open, then in the next that has some."""
    known = catalogue.problems()
    last = next((known[name][0].number for line in reversed(lines) if (name := str(line.get("problem"))) in known), 0)
    still = [unit for unit in units if exercises[unit.number]["solved"] < exercises[unit.number]["of"]]
    if not still:
        return "**All problems are solved.**"
    unit = next((each for each in still if each.number >= last), still[0])
    row = next(row for row in exercises[unit.number]["problems"] if row["state"] != "solved")
    if all(row["state"] == "new" for row in exercises[unit.number]["problems"]):
        begin = "Next" if last else "Begin here"
        return f"**{begin}:** [{_title(unit)}](notebooks/{unit.stem}.ipynb), {unit.teaching} minutes."
    tries = f" ({row['tries']} {'try' if row['tries'] == 1 else 'tries'} so far)" if row["tries"] else ""
    return f"**Go on:** [Exercises of {_title(unit)}](exercises/{unit.stem}.ipynb). The next problem is *{row['title']}*{tries}."


def _title(unit: syllabi.Unit) -> str:
    return f"{unit.number:02d} · {unit.title}"


def _row(unit: syllabi.Unit, told: dict[str, Any], left: int) -> str:
    solved = f"{'✔ ' if told['solved'] == told['of'] else ''}{told['solved']} of {told['of']}"
    return (
        f"| [{_title(unit)}](notebooks/{unit.stem}.ipynb) | [exercises](exercises/{unit.stem}.ipynb) "
        f"| {solved} | {left} | [solutions](solutions/{unit.stem}.ipynb) |"
    )


def put(folder: Path) -> bool:
    """Write the page into the learner's copies; whether it changed. Nothing is written where there are no copies, nor over a page that
    the learner wrote or changed.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    file, text = folder / NAME, page(progress.read())
    there = file.read_text(encoding="utf-8", errors="replace") if file.exists() else _closed("")
    if not folder.is_dir() or there == text or there != _closed(there.rpartition(_MARK)[0]):
        return False
    paths.write_whole(file, text.encode())
    return True


if __name__ == "__main__":
    print("changed" if put(workspace.folder()) else "as it was")
