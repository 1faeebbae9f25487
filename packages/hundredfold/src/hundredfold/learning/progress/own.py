"""A learner's own standing, from the lines of their progress file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from . import catalogue

#: A longer pause between two checks is no work on the later one (seconds).
PAUSE = 30 * 60.0


@dataclass
class Standing:
    """How somebody stands with one problem.

    Attributes
    ----------
    tries : int
        Answers that were judged, up to and with the first right one.
    solved : datetime or None
        When it was first right.
    seconds : float
        Time spent until then: before each of its checks, the time since the check before, of whatever problem, unless that is
        longer than `PAUSE`.
    reasons : list of str
        Why answers were wrong, in order.
    """

    tries: int = 0
    solved: datetime | None = None
    seconds: float = 0.0
    reasons: list[str] | None = None

    def __post_init__(self) -> None:
        self.reasons = self.reasons or []


def standings(lines: Iterable[dict[str, Any]]) -> dict[str, Standing]:
    """By problem, in the order in which they were begun; lines that cannot be read as verdicts are left out."""
    found: dict[str, Standing] = {}
    dated = [(when, line) for line in lines if (when := _when(line.get("time"))) is not None]
    before = None
    for when, line in sorted(dated, key=lambda each: each[0]):
        name, outcome = line.get("problem"), line.get("outcome")
        if not isinstance(name, str) or outcome not in ("right", "wrong", "untouched", "unjudged"):
            continue
        gap = (when - before).total_seconds() if before is not None else 0.0
        before = when
        standing = found.setdefault(name, Standing())
        if standing.solved is not None:
            continue
        standing.seconds += gap if gap <= PAUSE else 0.0
        if outcome in ("right", "wrong"):
            standing.tries += 1
        if outcome == "right":
            standing.solved = when
        elif outcome == "wrong" and isinstance(line.get("reason"), str):
            standing.reasons.append(line["reason"])
    return found


def as_data(mine: dict[str, Standing]) -> dict[str, Any]:
    """The standing by unit and problem, as ``--json`` prints it; problems that the course no longer has come last."""
    units = []
    for unit in catalogue.units():
        rows = [_row(problem.id, problem.title, mine.get(problem.id)) for problem in unit.problems]
        units.append(
            {
                "unit": unit.number,
                "slug": unit.slug,
                "title": unit.title,
                "minutes": unit.minutes,
                "solved": sum(row["state"] == "solved" for row in rows),
                "of": len(rows),
                "problems": rows,
            }
        )
    other = [_row(name, "", each) for name, each in mine.items() if name not in catalogue.problems()]
    return {
        "solved": sum(unit["solved"] for unit in units),
        "of": sum(unit["of"] for unit in units),
        "units": units,
        "other": other,
    }


def _row(name: str, title: str, standing: Standing | None) -> dict[str, Any]:
    if standing is None:
        return {"problem": name, "title": title, "state": "new", "tries": 0, "solved_at": None, "seconds": 0.0}
    state = "solved" if standing.solved else "tried" if standing.tries else "seen"
    return {
        "problem": name,
        "title": title,
        "state": state,
        "tries": standing.tries,
        "solved_at": standing.solved.isoformat() if standing.solved else None,
        "seconds": round(standing.seconds, 1),
    }


def _when(text: Any) -> datetime | None:
    try:
        when = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return when if when.tzinfo is not None else None
