"""The course's folder as nbgrader expects it: ``nbgrader_config.py`` and ``source/SLUG/NN_slug.ipynb``."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from hundredfold import paths
from hundredfold.notebook.workspace import digest

_HIDDEN = (
    "### BEGIN HIDDEN TESTS\n"
    "from hundredfold.learning.checking import graded as check  # an answer may have bound the name, or changed the environment\n"
    "### END HIDDEN TESTS\n"
)


@dataclass
class Written:
    """What was done, as paths; `kept` are files that an instructor changed."""

    written: list[Path] = field(default_factory=list)
    same: list[Path] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)


def stems() -> list[str]:
    """The units that have exercises, ``01_arrays`` and so on."""
    try:
        return sorted(file.stem for file in paths.data_dir("exercises").glob("[0-9]*_*.ipynb"))
    except FileNotFoundError:
        return []


def instructors(stem: str) -> dict[str, Any]:
    """The instructor's version of a unit's exercises: the exercise with the solutions in it, without outputs."""
    exercise = _read("exercises", stem)
    answers = {_grade_id(cell): _source(cell) for cell in _read("solutions", stem)["cells"] if _is(cell, "solution")}
    made = copy.deepcopy(exercise)
    for cell in made["cells"]:
        text = _source(cell)
        if _is(cell, "solution"):
            cell["source"] = f"### BEGIN SOLUTION\n{answers[_grade_id(cell)]}\n### END SOLUTION"
            cell["metadata"]["hundredfold"] = {"given": text}
        elif _is(cell, "grade"):
            cell["source"] = _HIDDEN + text
    made["metadata"]["hundredfold"]["product"] = "assignment"
    return made


def write(folder: Path, units: tuple[str, ...] = (), replace: bool = False) -> Written:
    """Write the assignments of these units into a course's folder, and its settings.

    A file that an instructor changed stays, unless `replace`; one that they did not change is brought up to date.

    Raises
    ------
    UnknownUnit
        Before anything is written.
    OSError
        If the folder cannot be written to.
    """
    done = Written()
    these = [(stem, instructors(stem)) for stem in paths.units(units, stems())]
    settings = resources.files(__package__).joinpath("nbgrader_config.txt").read_text(encoding="utf-8")
    if not folder.exists():
        folder.mkdir(
            mode=0o700, parents=True
        )  # learners' work and the gradebook will be in it, and nbgrader lets everybody read them
    _put(folder / "nbgrader_config.py", settings.encode(), done, replace, None)
    for stem, notebook in these:
        file = folder / "source" / stem[3:] / f"{stem}.ipynb"
        ours = digest(file.name, json.dumps(notebook).encode())
        notebook["metadata"]["hundredfold"]["delivered"] = ours
        text = json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        _put(file, text.encode(), done, replace, _delivered(file))
    return done


def _put(file: Path, content: bytes, done: Written, replace: bool, untouched: bool | None) -> None:
    """Write a file that is not there, that nobody changed (`untouched`), or that is to be replaced."""
    if file.exists():
        if file.read_bytes() == content:
            done.same.append(file)
            return
        if not (replace or untouched):
            done.kept.append(file)
            return
    paths.write_whole(file, content, 0o644)
    done.written.append(file)


def _delivered(file: Path) -> bool:
    """Whether a notebook's cells are still those that were written here."""
    try:
        content = file.read_bytes()
        return json.loads(content)["metadata"]["hundredfold"]["delivered"] == digest(file.name, content)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def _read(folder: str, stem: str) -> dict[str, Any]:
    return json.loads((paths.data_dir(folder) / f"{stem}.ipynb").read_text(encoding="utf-8"))


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def _grade_id(cell: dict[str, Any]) -> str:
    return cell["metadata"]["nbgrader"]["grade_id"]


def _is(cell: dict[str, Any], what: str) -> bool:
    return bool(cell["metadata"].get("nbgrader", {}).get(what))
