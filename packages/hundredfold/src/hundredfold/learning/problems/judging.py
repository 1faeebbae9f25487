"""From an answer to a verdict: what is the same for all problems."""

from __future__ import annotations

import contextlib
from typing import Any

from gpusim.kernels import reported
from hundredfold.toolkit import measurement_log

from . import examples, guard
from .problem import Problem
from .properties import GRADING, Attempt, judging
from .untouched import untouched
from .verdict import RIGHT, UNJUDGED, UNTOUCHED, WRONG, NotAttempted, NotJudged, Refusal, Verdict

_LEFT = 5.0  # seconds for what a refused answer has left in the device's queue


def judge(problem: Problem, answers: tuple[Any, ...], attempt: Attempt = GRADING) -> Verdict:
    """Judge the answers to a problem, as an attempt of a learner or, unless it is said, as grading does.

    Nothing that a learner's code does comes out of here but `KeyboardInterrupt`, and nothing that an answer launched is left
    waiting: the next one, or the next cell, would be blamed for it.
    """
    name = problem.id
    if len(answers) != len(problem.answers):
        return Verdict(name, WRONG, "answers", _wrong_number(problem, len(answers)))
    if all(untouched(answer) for answer in answers):
        return Verdict(name, UNTOUCHED)
    if (before := guard.settle()) is not None:
        return Verdict(name, UNJUDGED, why=_earlier(f"{type(before).__name__}: {str(before).rstrip('.')}"))
    try:
        with measurement_log.silent(), reported.refusing(), judging(attempt):
            verified = problem.judge(problem, answers)
    except NotAttempted as gap:
        return Verdict(name, UNTOUCHED, why=gap.what)
    except NotJudged as unable:
        return Verdict(name, UNJUDGED, why=unable.why)
    except Refusal as refusal:
        guard.settle(_LEFT)
        with measurement_log.silent(), reported.refusing(), judging(attempt):
            return _refused(problem, refusal, answers)
    except Exception as error:
        if not guard.of_theirs(error):
            raise
        return _refused(problem, guard.explained(error), answers)  # of no case, so without an example
    finally:
        guard.settle(_LEFT)
    return Verdict(name, RIGHT, verified=verified.what, near=verified.near)


def _refused(problem: Problem, refusal: Refusal, answers: tuple[Any, ...]) -> Verdict:
    advice, example = refusal.advice or problem.hint_for(refusal.reason), ""
    if not advice and not refusal.diagnosed and refusal.case:
        # These run the learner's code once more: whatever it does then, the verdict stands.
        with contextlib.suppress(Exception):
            refusal = examples.smallest(problem, answers, refusal)
            advice = refusal.advice
            example = examples.code(problem, answers, refusal.case)
    return Verdict(
        problem.id,
        WRONG,
        refusal.reason,
        f"with {refusal.case}: {refusal.why}" if refusal.case else refusal.why,
        printed=refusal.printed,
        advice=advice,
        case=refusal.case,
        example=example,
        diagnosed=refusal.diagnosed,
    )


def _earlier(error: str) -> str:
    return (
        f"work that was launched before this check, and not waited for, failed: {error}. It is gone now: run this cell again, and fix "
        "the one that launched it."
    )


def _wrong_number(problem: Problem, given: int) -> str:
    wanted = len(problem.answers)
    call = ", ".join((f'"{problem.id}"', *problem.answers))
    answers = f"{wanted} answer{'s' if wanted > 1 else ''}"
    return f"it takes {answers}, and {given} {'was' if given == 1 else 'were'} given: check({call})."
