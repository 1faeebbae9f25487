"""The rubric: what a capstone is judged by, as data; shown in the notebook, and on the page with the levels one gives oneself."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class Criterion:
    """What is judged, and what each level of it means, lowest first."""

    id: str
    title: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Rubric:
    """The criteria, the names of their levels, and a note. A notebook shows it as a table."""

    criteria: tuple[Criterion, ...]
    levels: tuple[str, ...]
    note: str

    def given(self, levels: Mapping[str, int]) -> dict[str, int]:
        """Return levels by criterion, checked.

        Raises
        ------
        ValueError
            If a criterion or a level is none of the rubric's; the message names those there are.
        """
        names = [criterion.id for criterion in self.criteria]
        for name, level in levels.items():
            if name not in names:
                raise ValueError(f"The rubric has no {name!r}: it has {', '.join(names)}.")
            if isinstance(level, bool) or level not in range(len(self.levels)):
                raise ValueError(f"{name}: a level is a whole number from 0 to {len(self.levels) - 1}, not {level!r}.")
        return {name: int(levels[name]) for name in names if name in levels}

    def __repr__(self) -> str:
        lines = []
        for criterion in self.criteria:
            lines += [
                f"{criterion.id}: {criterion.title}",
                *(f"  {n}  {level}" for n, level in enumerate(criterion.levels)),
            ]
        return "\n".join([*lines, self.note])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/plain": repr(self), "text/html": self.html()}

    def html(self) -> str:
        """Return the rubric as a table."""
        left = ' style="text-align: left"'  # a notebook's tables are of numbers otherwise
        head = "".join(f'<th scope="col"{left}>{n}: {html.escape(name)}</th>' for n, name in enumerate(self.levels))
        rows = "".join(
            f'<tr><th scope="row"{left}>{html.escape(criterion.title)} (<code>{criterion.id}</code>)</th>'
            + "".join(f"<td{left}>{_code(level)}</td>" for level in criterion.levels)
            + "</tr>"
            for criterion in self.criteria
        )
        return f"<table><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table><p>{html.escape(self.note)}</p>"


def _code(said: str) -> str:
    parts = html.escape(said).split("`")
    return "".join(f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts))


@cache
def _read() -> Rubric:
    data = json.loads(resources.files(__package__).joinpath("rubric.json").read_text(encoding="utf-8"))
    criteria = tuple(Criterion(each["id"], each["title"], tuple(each["levels"])) for each in data["criteria"])
    return Rubric(criteria, tuple(data["levels"]), data["note"])


def rubric() -> Rubric:
    """Return the rubric of the capstone."""
    return _read()
