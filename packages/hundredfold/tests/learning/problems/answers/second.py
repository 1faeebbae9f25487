"""A second set of answers for the tests of a unit: written differently from those that its problems know.

A problem lists the answers it knows to be wrong, and could be written to recognise just those. So its tests bring one
more of each kind, which the problem has never seen, and more right ones:

>>> SECOND = Answers("arrays")
>>> @SECOND.wrong("arrays.port", "host")
... def fetched(x):
...     return ((x - x.mean(axis=0)) / x.std(axis=0)).get()
>>> test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()

The last line is written below the last answer. It makes a test for each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from hundredfold.learning.problems import find, ids
from hundredfold.learning.problems.reasons import known

from . import judge, wrong

Answer = TypeVar("Answer")


class Answers:
    """The answers that a test file brings for the problems of one unit.

    Parameters
    ----------
    unit : str
        ``"arrays"``. Where a problem is named without it, it goes before.
    """

    def __init__(self, unit: str):
        self.unit = unit
        self._wrong: list[tuple[str, str, Any]] = []
        self._right: list[tuple[str, Any]] = []
        self._reasons: set[tuple[str, str]] = set()

    def wrong(self, problem: str, reason: str) -> Callable[[Answer], Answer]:
        """Decorate a function that must be refused for this reason."""
        name = self._named(problem)
        self.also(name, reason)

        def keep(answer: Answer) -> Answer:
            self._wrong.append((name, reason, answer))
            return answer

        return keep

    def right(self, problem: str) -> Callable[[Answer], Answer]:
        """Decorate a function that must be accepted."""
        name = self._named(problem)

        def keep(answer: Answer) -> Answer:
            self._right.append((name, answer))
            return answer

        return keep

    def also(self, problem: str, *reasons: str) -> None:
        """Say that the file has answers refused for these reasons in tests of their own: numbers and decisions."""
        self._reasons |= {(self._named(problem), known(reason)) for reason in reasons}

    def tests(self, fixture: str = "device") -> tuple[Callable[..., None], Callable[..., None]]:
        """Return a test of each wrong answer and one of each right answer, with the fixture of this name."""

        @pytest.mark.large
        @pytest.mark.counted("other wrong answers refused")
        @pytest.mark.usefixtures(fixture)
        @pytest.mark.parametrize(("problem", "reason", "answer"), self._wrong, ids=_label)
        def refused(problem: str, reason: str, answer: Any) -> None:
            verdict = judge(problem, answer)
            assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why
            assert verdict.why

        @pytest.mark.large
        @pytest.mark.counted("other right answers accepted")
        @pytest.mark.usefixtures(fixture)
        @pytest.mark.parametrize(("problem", "answer"), self._right, ids=_label)
        def accepted(problem: str, answer: Any) -> None:
            verdict = judge(problem, answer)
            assert verdict.right, verdict.why
            assert verdict.verified

        return refused, accepted

    def absent(self) -> set[tuple[str, str]]:
        """The problems and reasons among the unit's known wrong answers that the file has no second answer for."""
        unit = [find(name) for name in ids() if name.startswith(f"{self.unit}.")]
        return {(problem.id, each.reason) for problem in unit for each in wrong(problem).values()} - self._reasons

    def _named(self, problem: str) -> str:
        return find(problem if "." in problem else f"{self.unit}.{problem}").id


def _label(given: Any) -> str:
    """A problem, a reason, or the name of a function, compiled by Numba or not."""
    return given if isinstance(given, str) else getattr(getattr(given, "py_func", given), "__name__", "answer")
