"""The exercises' problems: a package per unit, each problem with its specification, cases, hints and known mistakes.

>>> from hundredfold.learning import problems
>>> problems.find("arrays.port").title
'Standardise the columns of a matrix'

How a problem is written is told in ``docs/contributing/problems.md``; its known answers, wrong and right, are among the tests.  To add a unit: write a package with a tuple `PROBLEMS`, and name its slug in `UNITS`.  A module's
name has no dash: the problems of ``fast-kernels`` are in ``problems/fast_kernels``, and are called ``fast-kernels.banks``.
"""

from __future__ import annotations

import difflib
import importlib
from typing import Any

from . import examples
from .judging import judge as _judge
from .problem import Mistake, Problem
from .properties import GRADING, Attempt
from .verdict import Verdict

__all__ = ["UNITS", "Mistake", "Problem", "UnknownProblem", "Verdict", "arguments", "find", "ids", "judge", "ways"]

UNITS = (
    "arrays",
    "memory",
    "protocols",
    "compiling",
    "kernels",
    "fast-kernels",
    "dataframes",
    "merges",
    "learning",
    "dask-arrays",
    "clusters",
    "svd",
    "dask-dataframes",
    "deploying",
    "capstone",
    "profiling",
    "polars",
)
"""The units that have problems, in the course's order."""


class UnknownProblem(LookupError):
    """There is no problem of this name; the message names the nearest."""


def _of_unit(unit: str) -> tuple[Problem, ...]:
    return importlib.import_module(f"{__name__}.{unit.replace('-', '_')}").PROBLEMS


def ids() -> list[str]:
    """The names of all problems, in the course's order."""
    return [problem.id for unit in UNITS for problem in _of_unit(unit)]


def ways(unit: str) -> dict[str, tuple[Problem, ...]]:
    """The ways through a unit, in order: one, called "", with all its problems; in the capstone one for each track, with those of
    all tracks in their places."""
    of_unit = _of_unit(unit)
    tracks = dict.fromkeys(problem.track for problem in of_unit if problem.track) or {"": None}
    return {track: tuple(problem for problem in of_unit if problem.track in ("", track)) for track in tracks}


def find(name: str) -> Problem:
    """Return the problem of this name.

    Raises
    ------
    UnknownProblem
        Naming those that come nearest.
    """
    unit = name.partition(".")[0] if isinstance(name, str) else None
    if unit in UNITS:
        for problem in _of_unit(unit):
            if problem.id == name:
                return problem
    raise UnknownProblem(_unknown(name))


def _unknown(name: Any) -> str:
    everything = ids()
    if not isinstance(name, str):
        return f'The first argument is the name of a problem, such as "{everything[0]}", then come your answers.'
    # A learner may give the bare name, or mistype either half.
    bare = {each.partition(".")[2]: each for each in everything}
    near = difflib.get_close_matches(name, everything, n=3, cutoff=0.5)
    near = near or [bare[each] for each in difflib.get_close_matches(name, bare, n=3, cutoff=0.5)]
    near = near or [each for each in everything if each.startswith(name.partition(".")[0] + ".")]
    names = " or ".join(f'"{each}"' for each in near or everything)
    return f'There is no problem "{name}". Did you mean {names}?'


def arguments(name: str, case: str) -> tuple[Any, ...]:
    """The arguments with which a check calls an answer in the case of this name, which a verdict tells.

    Raises
    ------
    LookupError
        If there is no such problem, or no such case.
    """
    return examples.arguments(find(name), case)


def judge(name: str, *answers: Any, attempt: Attempt = GRADING) -> Verdict:
    """Judge answers to the problem of this name, and print nothing."""
    return _judge(find(name), answers, attempt)
