"""What a report says of itself: the machine, the versions, the milestones, the measurements."""

from __future__ import annotations

import datetime
import platform
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gpusim import hardware as machine
from gpusim.hardware import packages
from hundredfold.learning import problems
from hundredfold.learning.problems import progress
from hundredfold.toolkit import measurement_log
from hundredfold.toolkit.result import Measurement
from kernellens.plot import quantities

_PACKAGES = ("hundredfold", "numpy", "pandas", "numba", "dask", "distributed", "scikit-learn", "polars", "duckdb")
_GPU_PACKAGES = ("cupy", "cudf", "cuml", "dask_cuda")


@dataclass(frozen=True)
class Milestone:
    """A problem, and the moment it was first right; None if it never was."""

    id: str
    title: str
    passed: datetime.datetime | None


def milestones(unit: str, track: str | None = None) -> tuple[str, list[Milestone]]:
    """Return the track (the one asked for, else that with the most milestones passed; "" if all of them are done) and its milestones in order.

    Raises
    ------
    ValueError
        If the unit has no problems, or no such track; the message names those there are.
    """
    if unit not in problems.UNITS:
        raise ValueError(f"There is no unit {unit!r} with milestones: {', '.join(problems.UNITS)} have some.")
    ways = problems.ways(unit)
    if track is not None and track not in ways:
        raise ValueError(f"{unit} has no track {track!r}: it has {', '.join(filter(None, ways)) or 'only one way'}.")
    first: dict[str, datetime.datetime] = {}
    for entry in progress.read():
        when = _moment(entry.get("time"))
        if entry.get("outcome") == "right" and isinstance(entry.get("problem"), str) and when is not None:
            first.setdefault(entry["problem"], when)
    listed = {
        name: [Milestone(problem.id, problem.title, first.get(problem.id)) for problem in way]
        for name, way in ways.items()
    }
    if track is None and len(ways) > 1 and all(m.passed for way in listed.values() for m in way):
        everything = {milestone.id: milestone for way in listed.values() for milestone in way}
        return "", list(everything.values())
    chosen = (
        track if track is not None else max(listed, key=lambda name: sum(m.passed is not None for m in listed[name]))
    )
    return chosen, listed[chosen]


def _moment(text: Any) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None


def measurements(asked: Iterable[Any] | None) -> tuple[list[measurement_log.Entry], int]:
    """Return the measurements to show, and how many are not shown since nobody named them.

    Parameters
    ----------
    asked : iterable of str and Measurement, or None
        Names of what was measured in this session, and measurements; None for all of the session's.

    Raises
    ------
    ValueError
        If nothing of a name was measured; the message names what was.
    TypeError
        If something is neither.
    """
    known = {entry.name: entry for entry in measurement_log.entries()}
    if asked is None:
        return list(known.values()), measurement_log.unnamed()
    if isinstance(asked, (str, Measurement)):
        asked = [asked]
    shown = []
    for each in asked:
        if isinstance(each, Measurement):
            shown.append(measurement_log.entry(each))
        elif not isinstance(each, str):
            raise TypeError(f"measurements takes names and what measure(...) returns, not {type(each).__name__}.")
        elif each not in known:
            there = ", ".join(known) or "nothing yet"
            raise ValueError(f"Nothing called {each!r} was measured in this session; measured was: {there}.")
        else:
            shown.append(known[each])
    return shown, 0


def hardware() -> list[tuple[str, str]]:
    """Return what the machine is, as (name, value)."""
    cpu, mode = machine.cpu, machine.mode()
    found = [("Processor", f"{cpu.cpu_name()}, {_count(cpu.cores(), 'core')} for this process")]
    found.append(("Memory", quantities.size(cpu.memory().total)))
    if mode == "gpu":
        boards = machine.probe().usable
        names: dict[str, int] = {}
        for board in boards:
            names[board.name] = names.get(board.name, 0) + 1
        found.append(("GPU", ", ".join(f"{count} × {name}" if count > 1 else name for name, count in names.items())))
        found.append(("Driver", str(machine.probe().driver or "unknown")))
    elif mode == "simulated":
        found.append(("GPU", "none: simulated on this processor. Answers are right; its times say nothing of a GPU"))
    else:
        found.append(("GPU", "none"))
    return [*found, ("System", f"{platform.system()} {platform.release()}")]


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def versions() -> list[tuple[str, str]]:
    """Return the versions of Python and of the packages in use, as (name, version)."""
    found = [("Python", platform.python_version()), *packages.installed(_PACKAGES).items()]
    for name in _GPU_PACKAGES:
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            found.append((name, str(version)))
    return found
