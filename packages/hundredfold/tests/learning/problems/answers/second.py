"""A second set of answers for the tests of a unit: written differently from those that its problems know.

A problem lists the answers it knows to be wrong, and could be written to recognise just those. So its tests bring one
more of each kind, which the problem has never seen, and more right ones:

>>> SECOND = Answers("arrays")
>>> @SECOND.wrong("arrays.port", "host")
... def fetched(x):
...     return ((x - x.mean(axis=0)) / x.std(axis=0)).get()
>>> SECOND.each_wrong["ids"]
['arrays.port-host-fetched']

and ``@pytest.mark.parametrize(**SECOND.each_wrong)`` stands above the test that judges them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hundredfold.learning.problems import find, ids
from hundredfold.learning.problems.reasons import known

from . import wrong

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

    @property
    def each_wrong(self) -> dict[str, Any]:
        """Arguments of ``pytest.mark.parametrize``: ``problem``, ``reason``, ``answer``."""
        names = [f"{problem}-{reason}-{_name(answer)}" for problem, reason, answer in self._wrong]
        return {"argnames": ("problem", "reason", "answer"), "argvalues": self._wrong, "ids": names}

    @property
    def each_right(self) -> dict[str, Any]:
        """Arguments of ``pytest.mark.parametrize``: ``problem``, ``answer``."""
        names = [f"{problem}-{_name(answer)}" for problem, answer in self._right]
        return {"argnames": ("problem", "answer"), "argvalues": self._right, "ids": names}

    def absent(self) -> set[tuple[str, str]]:
        """The problems and reasons among the unit's known wrong answers that the file has no second answer for."""
        unit = [find(name) for name in ids() if name.startswith(f"{self.unit}.")]
        return {(problem.id, each.reason) for problem in unit for each in wrong(problem).values()} - self._reasons

    def _named(self, problem: str) -> str:
        return find(problem if "." in problem else f"{self.unit}.{problem}").id


def _name(answer: Any) -> str:
    """The name of a function, compiled by Numba or not."""
    return getattr(getattr(answer, "py_func", answer), "__name__", "answer")
