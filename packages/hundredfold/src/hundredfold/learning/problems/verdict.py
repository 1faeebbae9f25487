"""What a check ends in: right, wrong (and why), not attempted, or not judged; and the refusal that a judge raises."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from .reasons import known
from .untouched import missing

RIGHT, WRONG, UNTOUCHED, UNJUDGED = "right", "wrong", "untouched", "unjudged"


@dataclass(frozen=True)
class Verdict:
    """How one answer was judged.

    Parameters
    ----------
    problem : str
        The problem's name, such as ``"arrays.port"``.
    outcome : {"right", "wrong", "untouched", "unjudged"}
    reason : str or None
        For a wrong answer the slug of its reason (`hundredfold.learning.problems.reasons.REASONS`).
    why : str
        The reason as a sentence or two, for the learner.
    verified : str
        For a right answer what was verified. The same on every machine: it stands in stored notebooks.
    near : str
        For a right answer that is judged against a limit, how near it comes; its numbers have the forms that the
        notebook tests sanitise.
    printed : str
        What the learner's function printed on the case that was refused.
    advice : str
        For a wrong answer the hint that belongs to its reason, where there is one.
    case : str
        For a wrong answer the name of the case that refused it, where it was one.
    example : str
        For a wrong answer without a hint of its own, lines that run the answer with the smallest case that fails.
    diagnosed : bool
        For a wrong answer, whether it is known what is wrong, and not only that a value is.
    """

    problem: str
    outcome: str
    reason: str | None = None
    why: str = ""
    verified: str = ""
    near: str = ""
    printed: str = ""
    advice: str = ""
    case: str = ""
    example: str = ""
    diagnosed: bool = True

    @property
    def right(self) -> bool:
        return self.outcome == RIGHT


@dataclass(frozen=True)
class Verified:
    """What a judge returns for a right answer: what it verified and, where judged, how near to the limit it comes."""

    what: str
    near: str = ""


class Refusal(Exception):
    """An answer is wrong: the slug of the reason and the sentence for the learner.

    `diagnosed` is false where the sentence tells a wrong value, and nothing of where it comes from. Advice that is `general` gives
    way to that of the case. `of_case` is false where the hint of the case does not belong to it.
    """

    def __init__(
        self,
        reason: str,
        why: str,
        *,
        case: str = "",
        printed: str = "",
        advice: str = "",
        diagnosed: bool = True,
        general: bool = False,
        of_case: bool = True,
    ):
        super().__init__(why)
        self.reason = known(reason)
        self.why = why
        self.case = case
        self.printed = printed
        self.advice = advice
        self.diagnosed = diagnosed
        self.general = general
        self.of_case = of_case


@contextlib.contextmanager
def in_case(name: str, hint: str = "") -> Iterator[None]:
    """A refusal in the block is one of this case, and gives this hint where it has none of its own."""
    try:
        yield
    except Refusal as refusal:
        refusal.case = refusal.case or name
        if refusal.of_case and (not refusal.advice or (refusal.general and hint)):
            refusal.advice, refusal.general = hint, False
        raise


NO_RESULT = "it returns nothing yet (if you have written it: is a `return` missing?)"
"""What a function that returned nothing is told, if it may not have been begun."""
NONE_HERE = "it returns None here: is a `return` missing on one of its ways out?"
"""What it is told if it has returned something before."""


class NotAttempted(Exception):
    """The answer is as it was given out, whole or in part; `what` says which part, if it is only one."""

    def __init__(self, what: str = ""):
        super().__init__(what)
        self.what = what


def attempted(value: Any, printed: str, *, first: bool) -> None:
    """Look whether a function returned something: before it has in its `first` case, it may not have been begun."""
    if not missing(value):
        return
    if not first:
        refuse("type", NONE_HERE, printed=printed)
    if printed:
        refuse("type", "it prints, but returns nothing. What is to be judged must be returned.", printed=printed)
    raise NotAttempted(NO_RESULT)


@contextlib.contextmanager
def with_printed(printed: str) -> Iterator[None]:
    """A refusal in the block tells what the judged call printed, where it tells nothing that was printed."""
    try:
        yield
    except Refusal as refusal:
        refusal.printed = refusal.printed or printed
        raise


class NotJudged(Exception):
    """The answer cannot be judged here, through no fault of it; `why` says what to do."""

    def __init__(self, why: str):
        super().__init__(why)
        self.why = why


def refuse(reason: str, why: str, **more: Any) -> NoReturn:
    """Refuse the answer: `reason` is a slug of `REASONS`, `why` a sentence for the learner."""
    raise Refusal(reason, why, **more)


def accept(judge: Any, problem: Any, answer: Any, said: str = "") -> Verified:
    """What a judge of cases verified, when all are right and the judges in its `after` refuse nothing.

    Parameters
    ----------
    judge
        With `cases`, which are named, and `after`: functions ``(problem, answer)`` that refuse, or return how near the limit is.
    said : str
        What was verified besides.
    """
    near = [each for look in judge.after if (each := look(problem, answer))]
    what = f"{len(judge.cases)} cases ({'; '.join(case.name for case in judge.cases)})"
    return Verified(f"{what}{said and '; ' + said}.", " ".join(near))
