"""The problems and the predictions of the course, read from the notebooks that are shipped: importing the problems' judges takes
seconds, and their names and titles stand in the notebooks."""

from __future__ import annotations

import ast
import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hundredfold import paths

_CHECK = re.compile(r"^check\(\s*[\"']([^\"']+)[\"']", re.MULTILINE)
_HEADING = re.compile(r"^#{2,4}\s+(?:\d+\.\s*)?(.+?)\s*$", re.MULTILINE)
_ASKED = re.compile(r"\*\*Predict\.?\*\*\s*(.+)", re.DOTALL)
#: Names that learners assign their predictions to.
_MINE = re.compile(r"my_\w+")


@dataclass(frozen=True)
class Problem:
    """A problem as its exercise notebook has it; `id` is what `check` is given, ``arrays.port``."""

    id: str
    title: str


@dataclass(frozen=True)
class Unit:
    """A unit with problems; `minutes` are those planned for its exercises."""

    number: int
    slug: str
    title: str
    minutes: int
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class Prediction:
    """A name that learners assign a prediction to: `key` is ``cell id/name``, `given` the value that the notebook comes with."""

    key: str
    unit: str
    name: str
    question: str
    given: Any


@functools.cache
def units() -> tuple[Unit, ...]:
    """The units that have problems, in the course's order."""
    found = []
    for file in _notebooks("exercises"):
        notebook = _read(file)
        about = notebook.get("metadata", {}).get("hundredfold", {})
        problems, heading = {}, ""
        for cell in notebook.get("cells", []):
            text = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                headings = _HEADING.findall(text)
                heading = headings[-1] if headings else heading
            else:
                problems |= {name: Problem(name, heading) for name in _CHECK.findall(text) if name not in problems}
        if problems:
            found.append(
                Unit(about["unit"], about["slug"], about["title"], about["exercises"], tuple(problems.values()))
            )
    return tuple(sorted(found, key=lambda unit: unit.number))


@functools.cache
def problems() -> dict[str, tuple[Unit, Problem]]:
    """All problems by their name, each with its unit."""
    return {problem.id: (unit, problem) for unit in units() for problem in unit.problems}


@functools.cache
def predictions(unit: str | None = None) -> dict[str, Prediction]:
    """The predictions of the lectures by their key, of one unit (its slug) or of all, in the course's order.

    A cell asks for one if all that it does is to assign numbers, words or lists of them to names that begin with ``my_``.
    """
    found = {}
    for file in _notebooks("notebooks", unit):
        notebook = _read(file)
        slug = notebook.get("metadata", {}).get("hundredfold", {}).get("slug", "")
        asked = ""
        for cell in notebook.get("cells", []):
            text = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                asked = text
            elif cell["cell_type"] == "code":
                for name, value in assigned(text).items():
                    key = f"{cell.get('id', '')}/{name}"
                    found[key] = Prediction(key, slug, name, _question(asked), value)
    return found


def assigned(source: str) -> dict[str, Any]:
    """What a cell assigns to names that begin with ``my_``, if it does nothing else; else nothing.

    An expression that is no literal counts as None: a learner may well type ``8 * 5``.
    """
    try:
        statements = ast.parse(source).body
    except (SyntaxError, ValueError):
        return {}
    found: dict[str, Any] = {}
    for statement in statements:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return {}
        target, value = statement.targets[0], statement.value
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        values = value.elts if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) else [value]
        if len(names) != len(values):
            return {}
        for name, each in zip(names, values, strict=True):
            if not (isinstance(name, ast.Name) and _MINE.fullmatch(name.id)):
                return {}
            try:
                found[name.id] = ast.literal_eval(each)
            except ValueError:
                found[name.id] = None
    return found


def _question(markdown: str) -> str:
    """The question of a prediction: what follows **Predict**, without marks, cut to a length for a table."""
    match = _ASKED.search(markdown)
    text = match[1] if match else markdown.strip().split("\n\n")[-1]
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)|[*`$#]", lambda found: found[1] or "", text)
    text = " ".join(text.split())
    return text if len(text) <= 220 else text[:219].rsplit(" ", 1)[0] + " …"


def _notebooks(folder: str, unit: str | None = None) -> list[Path]:
    try:
        return sorted(paths.data_dir(folder).glob("*.ipynb" if unit is None else f"[0-9]*_{unit}.ipynb"))
    except FileNotFoundError:
        return []


def _read(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text(encoding="utf-8"))
