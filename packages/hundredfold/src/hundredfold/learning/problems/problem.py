"""What a problem is: its specification, how it is judged, its hints, and the mistakes that it recognises."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .reasons import known
from .verdict import Verified, refuse

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*\.[a-z][a-z0-9_]*")
KINDS = ("write", "repair", "predict", "decide", "open")


def quietly(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function gives, without what it or NumPy warns of: a case may be made of zeros and NaN."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*arguments)


@dataclass(frozen=True)
class Mistake:
    """A mistake that is recognised by what comes out of it.

    Parameters
    ----------
    reason : str
        The reason for which the answer is refused.
    why : str
        What is said when it is recognised, instead of "the first wrong value is …".
    gives : callable, optional
        What this mistake computes, from a case's host arguments, in NumPy. An answer that gives the same where that is
        not the specification is known to be this mistake, however it is written.
    values : mapping
        Of predicted numbers: the name of each that becomes another by this mistake, and what it becomes.
    hint : str
        The advice that belongs to this mistake; shown in place of the problem's first hint.
    """

    reason: str
    why: str
    gives: Callable[..., Any] | None = None
    values: Mapping[str, float] = field(default_factory=dict, hash=False)
    hint: str = ""

    def __post_init__(self) -> None:
        known(self.reason)

    def computes(self, *arguments: Any) -> Any:
        """What this mistake gives for a case's host arguments; None where nobody wrote that down, or where it fails on them.

        A case may be one that its author did not think of: no rows, one row, all equal.
        """
        if self.gives is None:
            return None
        try:
            return quietly(self.gives, *arguments)
        except Exception:
            return None


@dataclass(frozen=True)
class Problem:
    """One problem of an exercise set.

    Parameters
    ----------
    id : str
        ``unit.name``, such as ``"arrays.port"``; the part before the dot is the unit's slug.
    title : str
    kind : {"write", "repair", "predict", "decide", "open"}
    answers : tuple of str
        What `check` is given after the name, as the learner knows it: ``("standardise",)``.
    judge : callable
        ``judge(problem, answers) -> Verified``; raises `Refusal` for a wrong answer and `NotAttempted` for an
        untouched one. `FunctionJudge`, `NumbersJudge` and `ChoicesJudge` are ready-made.
    specification : callable or None
        The right answer in NumPy or pandas, on the host: the definition of right.
    hints : tuple of str
        They unfold one at a time, each saying more than the one before.
    lines : int or None
        About how many lines the solution takes.
    advice : mapping
        The hint for each reason, where an answer that is refused for it brings none of its own.
    mistakes : mapping
        Name to `Mistake`: what is recognised by its values.
    time_limit : float
        Seconds that one call of the learner's function may take.
    track : str
        Where a unit has several ways to choose from (the capstone): the one that the problem is a milestone of; empty where it
        is one of all of them.
    """

    id: str
    title: str
    kind: str
    answers: tuple[str, ...]
    judge: Callable[[Problem, tuple[Any, ...]], Verified]
    specification: Callable[..., Any] | None = None
    hints: tuple[str, ...] = ()
    lines: int | None = None
    advice: Mapping[str, str] = field(default_factory=dict)
    mistakes: Mapping[str, Mistake] = field(default_factory=dict)
    time_limit: float = 30.0
    track: str = ""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.id):
            raise ValueError(f"a problem is named unit.name in lower case, not {self.id!r}")
        for reason in self.advice:
            known(reason)
        if self.kind not in KINDS:
            raise ValueError(f"{self.id}: a problem's kind is one of {', '.join(KINDS)}, not {self.kind!r}")

    @property
    def unit(self) -> str:
        return self.id.partition(".")[0]

    def expected(self, *arguments: Any) -> Any:
        """What the specification gives for arguments on the host; None where there is none."""
        return None if self.specification is None else quietly(self.specification, *arguments)

    def recognise(self, computes: Callable[[Mistake], Any], is_theirs: Callable[[Any], bool]) -> None:
        """Refuse a result that is the one of a known mistake, with that mistake's reason.

        Parameters
        ----------
        computes : callable
            What a mistake gives for the case; None where that is not known.
        is_theirs : callable
            Whether the result is what a mistake gives, and the right one is not.
        """
        for mistake in self.mistakes.values():
            theirs = computes(mistake)
            if theirs is not None and is_theirs(theirs):
                refuse(mistake.reason, mistake.why, advice=mistake.hint)

    def hint_for(self, reason: str) -> str:
        """The hint that belongs to a reason; empty where there is none.

        A mistake gives its hint only where it is recognised: whoever hears this one has made another.
        """
        return self.advice.get(reason, "")
