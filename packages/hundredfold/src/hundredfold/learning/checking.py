"""Judge an answer against its problem, and say why it is wrong.

>>> from hundredfold import check, hint
>>> check("arrays.port", standardise)                              # doctest: +SKIP
✔ arrays.port: right.
>>> hint("arrays.port")                                            # doctest: +SKIP

A wrong answer shows its reason and the notebook goes on. It raises `CheckFailed` under ``HUNDREDFOLD_STRICT=1`` and
when a course is graded (nbgrader sets ``NBGRADER_EXECUTION``), and then so does an answer that was not attempted.
Nothing is ever written to stderr and nothing is returned: nbgrader takes points off for the one and counts the other
as partial credit.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any

from hundredfold.learning import cards, problems
from hundredfold.learning.cards import Card, Line
from hundredfold.learning.messages import translated
from hundredfold.learning.problems import progress, sharing
from hundredfold.learning.problems.properties import GRADING
from hundredfold.learning.problems.verdict import RIGHT, UNJUDGED, UNTOUCHED, WRONG, Verdict

__all__ = ["CheckFailed", "check", "hint"]

_seen: dict[str, int] = {}  # problem -> how many of its hints were shown in this session
_unsaved_said = False
_full_said = False
_last: str | None = None  # the problem that was checked last: `hint()` is about it


class CheckFailed(AssertionError):
    """An answer is wrong or missing, where that must not pass: graded, or under HUNDREDFOLD_STRICT=1."""


def check(problem_id: str, *answers: Any) -> None:
    """Judge your answer and show the verdict: a card in a notebook, text elsewhere.

    Parameters
    ----------
    problem_id : str
        The problem's name, such as ``"arrays.port"``.
    *answers
        Your answer: a function, a number, a dict; some problems take several.

    Raises
    ------
    CheckFailed
        For a wrong answer when graded (``NBGRADER_EXECUTION``) or under ``HUNDREDFOLD_STRICT=1``; for one that was not
        attempted when graded. Otherwise nothing is raised.
    """
    _check(problem_id, answers, _graded())


def graded(problem_id: str, *answers: Any) -> None:
    """`check` as it is when graded, whatever the environment says: an answer may have changed that."""
    _check(problem_id, answers, True)


def _check(problem_id: str, answers: tuple[Any, ...], grading: bool) -> None:
    try:
        problem = problems.find(problem_id)
    except problems.UnknownProblem as unknown:
        _end(Card(cards.WRONG, str(unknown)), failed=grading or _strict())
        return
    global _last
    _last = problem.id
    # Graded, every answer meets the same cases.
    attempt = GRADING if grading else progress.attempt(problem.id)
    verdict = problems.judge(problem.id, *answers, attempt=attempt)
    card = _card(problem, verdict)
    card = dataclasses.replace(card, lines=[*card.lines, *([] if grading else _record(verdict))])
    failed = (verdict.outcome == WRONG and _strict()) or (verdict.outcome != RIGHT and grading)
    _end(card, failed)


def hint(problem_id: str | None = None) -> None:
    """Print the next hint for a problem, by default the one checked last; each says more than the one before."""
    problem_id = problem_id or _last
    if problem_id is None:
        print(translated('Which problem? Say hint("arrays.port"), for example.'))
        return
    try:
        problem = problems.find(problem_id)
    except problems.UnknownProblem as unknown:
        print(unknown)
        return
    total = len(problem.hints)
    if not total:
        print(translated(f"{problem.id} has no hints."))
        return
    shown = _seen[problem.id] = min(_seen.get(problem.id, 0) + 1, total)
    print(cards.wrap(translated(f"Hint {shown} of {total}: {problem.hints[shown - 1]}"), indent=""))
    if shown == total:
        print(translated("That is the last hint. The solution, with its reasons, is in the folder solutions/."))


def _card(problem: problems.Problem, verdict: Verdict) -> Card:
    """The verdict as it is shown. What stands in a stored notebook (right, not attempted) is the same everywhere."""
    if verdict.outcome == RIGHT:
        first, *rest = verdict.verified.split("\n")
        lines = [Line(f"Verified: {first}"), *map(Line, rest)]
        near = [Line(verdict.near, "measured")] if verdict.near else []
        return Card(cards.RIGHT, translated("right."), problem.id, [*lines, *near])
    if verdict.outcome == UNTOUCHED:
        return Card(cards.OPEN, _untouched(problem.lines, verdict.why), problem.id)
    if verdict.outcome == UNJUDGED:
        return Card(cards.OPEN, f"not judged: {verdict.why}", problem.id)
    lines = []
    if verdict.printed:
        lines += [Line("Your code printed:"), Line("\n".join(verdict.printed.splitlines()[:10]), "code")]
    if verdict.reason in ("answers", "callable"):  # nothing was judged yet
        return Card(cards.WRONG, verdict.why, problem.id, lines)
    lines += _help(problem, verdict)
    hints = problem.hints[_seen.get(problem.id, 0) :]
    more = f'More: hint("{problem.id}")'
    return Card(cards.WRONG, verdict.why, problem.id, lines, hints, len(problem.hints), more)


def _untouched(lines: int | None, why: str) -> str:
    if why:
        return f"not attempted yet: {why}."
    if lines == 1:
        return "not attempted yet. About 1 line."
    return f"not attempted yet. About {lines} lines." if lines else "not attempted yet."


def _help(problem: problems.Problem, verdict: Verdict) -> list[Line]:
    """The hint that belongs to the mistake; where there is none, the smallest case that fails, for the learner to run."""
    if verdict.advice:
        shown = _seen.get(problem.id, 0)
        if verdict.advice in problem.hints[shown : shown + 1]:
            _seen[problem.id] = shown + 1
        return [Line(f"Hint: {verdict.advice}")]
    if verdict.diagnosed:
        return []
    unknown = "The check does not know what causes this."
    if not verdict.example:
        return [Line(unknown)]
    return [Line(f"{unknown} This is the smallest of its cases that fails:"), Line(verdict.example, "code")]


def _record(verdict: Verdict) -> list[Line]:
    """Save the verdict; the first time it cannot be, or the class's folder is full, one sentence about it.

    A grader's run is not the learner's progress.
    """
    global _unsaved_said, _full_said
    if not progress.record(verdict):
        if _unsaved_said:
            return []
        _unsaved_said = True
        return [Line("(Your progress is not being saved: HUNDREDFOLD_STATE can name a folder that can be written to.)")]
    if not sharing.full or _full_said:
        return []
    _full_said = True
    return [
        Line(
            "(Your progress is saved. Your class does not see it yet, because there is no room in the class's folder: tell your instructor. "
            "It is sent when there is room again.)"
        )
    ]


def _end(card: Card, failed: bool) -> None:
    if failed:
        raise CheckFailed(card.text())
    cards.show(card)


def _graded() -> bool:
    return bool(os.environ.get("NBGRADER_EXECUTION"))


def _strict() -> bool:
    return os.environ.get("HUNDREDFOLD_STRICT", "") not in ("", "0") or _graded()
