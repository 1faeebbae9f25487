"""From an answer to a verdict: what is the same for all problems."""

from __future__ import annotations

from typing import Any

from .problem import Problem
from .untouched import untouched
from .verdict import (
    RIGHT,
    UNJUDGED,
    UNTOUCHED,
    WRONG,
    NotAttempted,
    NotJudged,
    Refusal,
    Verdict,
)


def judge(problem: Problem, answers: tuple[Any, ...]) -> Verdict:
    """Judge the answers to a problem.

    Nothing that a learner's code does comes out of here but `KeyboardInterrupt`.
    """
    name = problem.id
    if len(answers) != len(problem.answers):
        return Verdict(name, WRONG, "answers", _wrong_number(problem, len(answers)))
    if all(untouched(answer) for answer in answers):
        return Verdict(name, UNTOUCHED)
    try:
        verified = problem.judge(problem, answers)
    except NotAttempted as gap:
        return Verdict(name, UNTOUCHED, why=gap.what)
    except NotJudged as unable:
        return Verdict(name, UNJUDGED, why=unable.why)
    except Refusal as refusal:
        why = f"with {refusal.case}: {refusal.why}" if refusal.case else refusal.why
        advice = refusal.advice or problem.advice(refusal.reason)
        return Verdict(name, WRONG, refusal.reason, why, printed=refusal.printed, advice=advice)
    return Verdict(name, RIGHT, verified=verified.what, near=verified.near)


def _wrong_number(problem: Problem, given: int) -> str:
    wanted = len(problem.answers)
    call = ", ".join((f'"{problem.id}"', *problem.answers))
    answers = f"{wanted} answer{'s' if wanted > 1 else ''}"
    return f"it takes {answers}, and {given} {'was' if given == 1 else 'were'} given: check({call})."
