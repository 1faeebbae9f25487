"""The flow that all judges of functions share: each case is given to the answer, and what comes back is judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import devices
from .facts import Fact, Seen
from .guard import require_callable
from .problem import Problem
from .properties import Drawn, all_cases
from .verdict import Verified, accept, in_case


@dataclass(frozen=True)
class CaseJudge:
    """Judge a function by cases; a subclass says how one is judged.

    Parameters
    ----------
    cases : sequence of Case
        In the order in which a learner should meet them; the first tells "not attempted" from "tried".
    unlisted : sequence of Case
        Judged after `cases`, and not named in the verdict: against answers that only fit the cases, such as one kept
        for each shape.
    drawn : Drawn, optional
        More cases, by the properties that the problem's text claims; judged after the others.
    facts : sequence of Fact
        What is seen of each call, and said in the verdict.
    after : sequence of callables
        ``after(problem, function) -> str`` or None: judges that run when all cases are right (transfers, traffic,
        time). They refuse, or return what is said of how near the limit is.
    verified : str
        What else was verified, for the verdict.
    """

    cases: Sequence[Any] = ()
    unlisted: Sequence[Any] = ()
    drawn: Drawn | None = None
    facts: Sequence[Fact] = ()
    after: Sequence[Callable[[Problem, Any], str | None]] = ()
    verified: str = ""

    def __call__(self, problem: Problem, answers: tuple[Any, ...]) -> Verified:
        require_callable(answers[0], problem.answers[0])
        self.need()
        function, seen, cases = self.called(answers[0]), Seen(self.facts), all_cases(self)
        for number, case in enumerate(cases):
            with in_case(case.name, case.hint):
                self.judge(problem, function, case, seen, first=number == 0)
        self.rest(problem, function, seen, cases)
        return accept(self, problem, function, self.said(seen))

    def need(self) -> None:
        """Raise `NotJudged` where something is not installed that the judge needs."""
        devices.need_cupy()

    def called(self, function: Any) -> Any:
        """What is called with the arguments of a case: the answer itself, unless it says otherwise."""
        return function

    def arguments(self, case: Any) -> tuple[Any, ...]:
        """What a case gives an answer."""
        return case.device()

    def judge(self, problem: Problem, function: Any, case: Any, seen: Seen, *, first: bool) -> None:
        """Judge one case: refuse, or return."""
        raise NotImplementedError

    def rest(self, problem: Problem, function: Any, seen: Seen, cases: Sequence[Any]) -> None:
        """What is judged when all cases are right."""

    def said(self, seen: Seen) -> str:
        """What was verified besides the cases."""
        return seen.said(self.verified)
