"""The smallest case that an answer fails, as code that the learner can run."""

from __future__ import annotations

import copy
import inspect
import math
import time
from dataclasses import replace
from typing import Any

import numpy as np

from . import devices
from .problem import Problem
from .properties import all_cases, by_name, named
from .verdict import NotAttempted, NotJudged, Refusal

_LITERAL = 160  # characters of an argument that is written out
_TRIED = 12  # smaller cases that are tried
_PATIENCE = 5.0  # seconds after which no other is begun


def smallest(problem: Problem, answers: tuple[Any, ...], refusal: Refusal) -> Refusal:
    """A refusal for the same reason by a smaller case, where there is one; else the refusal itself.

    Only cases that were not tried yet are looked at: those before the one that failed were right. The hint of a smaller case is not
    shown: what it is about is not why the answer fails, since it failed without it.
    """
    cases = _cases(problem)
    failed = named(refusal.case, cases)
    if failed is None:
        return refusal
    later = cases[cases.index(failed) + 1 :]
    smaller = sorted((case for case in later if _size(case) < _size(failed)), key=_size)
    end = time.monotonic() + _PATIENCE
    for case in smaller[:_TRIED]:
        if time.monotonic() > end:
            break
        try:
            _alone(problem.judge, _without_hint(case))(problem, answers)
        except Refusal as other:
            if other.reason == refusal.reason and (not other.diagnosed or other.advice):
                return other
        except (NotAttempted, NotJudged):
            continue
    return refusal


def code(problem: Problem, answers: tuple[Any, ...], case_name: str) -> str:
    """Lines by which a learner runs their answer with a case; empty where the judge has no cases."""
    case = named(case_name, _cases(problem))
    if case is None:
        return ""
    given = problem.judge.arguments(case)
    names = _names(problem, given)
    written = [_literal(value) for value in given]
    if case.__dict__.get("view") is None and all(written):
        lines = [f"{name} = {text}" for name, text in zip(names, written, strict=True)]
    else:
        lines = [
            "from hundredfold.learning import problems",
            f'{", ".join(names)}{"," * (len(names) == 1)} = problems.arguments("{problem.id}", "{case.name}")',
        ]
    listed = ", ".join(names)
    calls = getattr(problem.judge, "calls", None)
    return "\n".join([*lines, calls(problem, answers, case, listed) if calls else f"{problem.answers[0]}({listed})"])


def arguments(problem: Problem, case_name: str) -> tuple[Any, ...]:
    """The arguments with which a case calls an answer.

    Raises
    ------
    LookupError
        If the problem has no such case.
    """
    case = by_name(problem.judge, case_name) if hasattr(problem.judge, "arguments") else None
    if case is None:
        raise LookupError(f"{problem.id} has no case of the name {case_name!r}.")
    return problem.judge.arguments(case)


def _cases(problem: Problem) -> list[Any]:
    return all_cases(problem.judge) if hasattr(problem.judge, "arguments") else []


def _alone(judge: Any, case: Any) -> Any:
    """The judge with this case only."""
    other = copy.copy(judge)
    only = {"cases": (case,), "unlisted": (), "drawn": None, "after": (), "steps": None, "threads": None}
    for name, value in only.items():
        if hasattr(judge, name):
            object.__setattr__(other, name, value)
    return other


def _without_hint(case: Any) -> Any:
    return replace(case, hint="") if getattr(case, "hint", "") else case


def _size(case: Any) -> int:
    """How many numbers a case has."""
    made = case.make()
    return sum(_numbers(each) for each in (made if isinstance(made, tuple) else (made,)))


def _numbers(value: Any) -> int:
    shape = getattr(value, "shape", None)
    return math.prod(shape) if shape is not None else 1


def _names(problem: Problem, given: tuple[Any, ...]) -> list[str]:
    """Names for the arguments: those of the specification; what a kernel gets besides is `out`."""
    names = list(inspect.signature(problem.specification).parameters) if problem.specification is not None else []
    names = [*names, "out"][: len(given)]
    return names if len(names) == len(given) else [f"argument{place + 1}" for place in range(len(given))]


def _literal(value: Any) -> str:
    """A number, a text or a small array as it is written in Python; empty for what is too long."""
    if value is None or isinstance(value, (bool, int, float, str)):
        text = _plain(value)
    elif isinstance(value, np.ndarray) or devices.is_device(value):
        host = np.asarray(devices.to_host(value))
        if host.dtype.kind not in "biuf" or host.size > _LITERAL:
            return ""
        library = "np" if isinstance(value, np.ndarray) else "cp"
        if host.size:
            same = np.array(host.tolist()).dtype == host.dtype
            text = f"{library}.array({_plain(host.tolist())}{'' if same else f', dtype={library}.{host.dtype}'})"
        else:
            text = f"{library}.empty({host.shape}{'' if host.dtype == float else f', dtype={library}.{host.dtype}'})"
    else:
        return ""
    return text if len(text) <= _LITERAL else ""


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_plain, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)
