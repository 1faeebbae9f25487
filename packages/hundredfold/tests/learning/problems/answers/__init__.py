"""The known answers to the problems: wrong ones, each with the reason for which it must be refused, and right ones.

Those of the problem ``UNIT.NAME`` are in ``answers/UNIT/NAME.py``: `WRONG`, from a name to `Wrong`, and `RIGHT`, from a name
to an answer. Of numbers and of decisions most follow from the problem itself, and such a module has only what does not.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from typing import Any

from hundredfold.learning import problems
from hundredfold.learning.problems import Problem, Verdict
from hundredfold.learning.problems.choices import ChoicesJudge
from hundredfold.learning.problems.numbers import NumbersJudge

from .edits import Wrong
from .later import ready

__all__ = ["Wrong", "given", "judge", "right", "wrong"]


def wrong(problem: Problem) -> dict[str, Wrong]:
    """The known wrong answers of a problem."""
    return {**_that_follow(problem)[0], **_written(problem, "WRONG")}


def right(problem: Problem) -> dict[str, Any]:
    """The known right answers of a problem."""
    return {**_that_follow(problem)[1], **_written(problem, "RIGHT")}


def given(problem: Problem, answer: Any) -> tuple[Any, ...]:
    """An answer as `check` gets it: a tuple of all of the problem's, with kernels that can be launched."""
    answers = tuple(answer) if len(problem.answers) > 1 else (answer,)
    return tuple(map(ready, answers))


def judge(name: str, answer: Any) -> Verdict:
    """Judge an answer to the problem of this name."""
    return problems.judge(name, *given(problems.find(name), answer))


def _written(problem: Problem, which: str) -> Mapping[str, Any]:
    name = f"{__name__}.{problem.id.replace('-', '_')}"
    parent = name.rpartition(".")[0]
    found = importlib.util.find_spec(parent) and importlib.util.find_spec(name)
    return getattr(importlib.import_module(name), which, {}) if found else {}


def _that_follow(problem: Problem) -> tuple[dict[str, Wrong], dict[str, Any]]:
    """The wrong and the right answers that follow from what is asked."""
    if isinstance(problem.judge, NumbersJudge):
        return _numbers(problem)
    if isinstance(problem.judge, ChoicesJudge):
        return _decisions(problem.judge)
    return {}, {}


def _numbers(problem: Problem) -> tuple[dict[str, Wrong], dict[str, Any]]:
    """Each mistake that is known, with the other numbers right; and the exact numbers."""
    exact = {quantity.name: quantity.value for quantity in problem.judge.quantities}
    wrong = {
        name: Wrong(tuple({**exact, **mistake.values}.values()), mistake.reason)
        for name, mistake in problem.mistakes.items()
    }
    return wrong, {"exact": tuple(exact.values())}


def _decisions(judge: ChoicesJudge) -> tuple[dict[str, Wrong], dict[str, Any]]:
    """Each label for all jobs, each other label for each job, what is no label, other keys, a list; and the right labels."""
    right = judge.right
    first = next(iter(right))
    others = ((key, label) for key in right for label in judge.labels if label != right[key])
    one_other = {f"{key}: {label}": ({**right, key: label}, judge.items[key].reason) for key, label in others}
    wrong = {
        **{f"all {label}": Wrong(dict.fromkeys(right, label), reason) for label, (reason, _) in judge.uniform.items()},
        **{name: Wrong(*each) for name, each in one_other.items() if len(set(each[0].values())) > 1},
        "unknown label": Wrong({**right, first: "the faster one"}, "labels"),
        "other keys": Wrong(dict(enumerate(right.values())), "labels"),
        "list": Wrong(list(right.values()), "type"),
    }
    return wrong, {"as computed": right, "in capitals": {key: f" {label.upper()}" for key, label in right.items()}}
