"""The syllabi: what a class of ninety minutes, half a day or two days takes from the units, as data.

`syllabi.json`  which parts, in which order, with breaks
`page`          a syllabus as a page with links, which lies with the learner's copies
`layout`        a syllabus as a workspace of JupyterLab
`command`       ``hundredfold syllabus``

Minutes are those of the units' sources, which the notebooks carry in their metadata; they are written nowhere twice.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from hundredfold import paths

#: The course's subjects, each with the numbers of its units.
SUBJECTS = {
    "Arrays on one GPU": range(1, 5),
    "Kernels": range(5, 7),
    "Tables and machine learning": range(7, 10),
    "Many GPUs": range(10, 14),
    "At work": range(14, 16),
    "Electives": range(16, 18),
}


@dataclass(frozen=True)
class Unit:
    """A unit of the course, as its lecture's metadata has it; minutes of the lecture and of the exercises."""

    number: int
    slug: str
    title: str
    teaching: int
    exercises: int

    @property
    def stem(self) -> str:
        """The name of its notebooks, without the ending."""
        return f"{self.number:02d}_{self.slug}"


@dataclass(frozen=True)
class Part:
    """A unit's lecture, its exercises or both; or a break, without a unit. `minutes` is the sum."""

    unit: Unit | None
    lecture: bool
    exercises: bool
    minutes: int


@dataclass(frozen=True)
class Syllabus:
    """What a class does, day by day; `limit` is the most minutes that it may take, breaks included."""

    name: str
    title: str
    audience: str
    after: str
    limit: int
    days: tuple[tuple[Part, ...], ...]

    @property
    def minutes(self) -> int:
        return sum(part.minutes for day in self.days for part in day)

    @property
    def first(self) -> Unit:
        return next(part.unit for part in self.days[0] if part.unit is not None)


class UnknownSyllabusError(LookupError):
    """There is no syllabus of that name; the message names those there are."""


def units(folder: Path | None = None) -> dict[str, Unit]:
    """The units by slug, in the course's order, read from the lectures in `folder` (the course's own)."""
    found = []
    for file in sorted((folder or paths.data_dir("notebooks")).glob("*.ipynb")):
        about = json.loads(file.read_text(encoding="utf-8"))["metadata"].get("hundredfold", {})
        if about.get("product") == "lecture":
            found.append(Unit(about["unit"], about["slug"], about["title"], about["teaching"], about["exercises"]))
    return {unit.slug: unit for unit in sorted(found, key=lambda unit: unit.number)}


@functools.cache
def every() -> dict[str, Syllabus]:
    """The syllabi by name, the shortest first."""
    course = units()
    told = json.loads(resources.files(__name__).joinpath("syllabi.json").read_text(encoding="utf-8"))["syllabi"]
    return {
        each["name"]: Syllabus(
            each["name"],
            each["title"],
            each["for"],
            each["after"],
            each["minutes"],
            tuple(tuple(_part(part, course) for part in day) for day in each["days"]),
        )
        for each in told
    }


def find(name: str) -> Syllabus:
    """Return the syllabus of this name.

    Raises
    ------
    UnknownSyllabusError
        Naming those there are.
    """
    if name not in every():
        raise UnknownSyllabusError(f"There is no syllabus {name!r}. There are: {', '.join(every())}.")
    return every()[name]


def _part(told: dict, course: dict[str, Unit]) -> Part:
    if "break" in told:
        return Part(None, False, False, told["break"])
    unit = course[told["unit"]]
    minutes = unit.teaching * told["lecture"] + unit.exercises * told["exercises"]
    return Part(unit, told["lecture"], told["exercises"], minutes)
