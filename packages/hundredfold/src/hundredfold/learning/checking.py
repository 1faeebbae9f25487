"""Judge an answer against its problem, and say why it is wrong.

>>> from hundredfold import check, hint
>>> check("arrays.port", standardise)                              # doctest: +SKIP
✔ arrays.port: right.
>>> hint("arrays.port")                                            # doctest: +SKIP

A wrong answer prints its reason and the notebook goes on. It raises `CheckFailed` under ``HUNDREDFOLD_STRICT=1`` and
when a course is graded (nbgrader sets ``NBGRADER_EXECUTION``), and then so does an answer that was not attempted.
Nothing is ever written to stderr and nothing is returned: nbgrader takes points off for the one and counts the other
as partial credit.
"""

from __future__ import annotations

import os
import re
import textwrap
from typing import Any

from hundredfold.learning import problems
from hundredfold.learning.problems import progress
from hundredfold.learning.problems.properties import GRADING
from hundredfold.learning.problems.verdict import RIGHT, UNJUDGED, UNTOUCHED, WRONG, Verdict

__all__ = ["CheckFailed", "check", "hint"]

_WIDTH = 96
_seen: dict[str, int] = {}  # problem -> how many of its hints were shown in this session
_unsaved_said = False
_last: str | None = None  # the problem that was checked last: `hint()` is about it


class CheckFailed(AssertionError):
    """An answer is wrong or missing, where that must not pass: graded, or under HUNDREDFOLD_STRICT=1."""


def check(problem_id: str, *answers: Any) -> None:
    """Judge your answer and print the verdict.

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
    try:
        problem = problems.find(problem_id)
    except problems.UnknownProblem as unknown:
        _end(f"✘ {unknown}", failed=_graded() or _strict())
        return
    global _last
    _last = problem.id
    # Graded, every answer meets the same cases.
    attempt = GRADING if _graded() else progress.attempt(problem.id)
    verdict = problems.judge(problem.id, *answers, attempt=attempt)
    unsaved = _record(verdict)
    failed = (verdict.outcome == WRONG and _strict()) or (verdict.outcome != RIGHT and _graded())
    _end("\n".join([_text(problem, verdict), *unsaved]), failed)


def hint(problem_id: str | None = None) -> None:
    """Print the next hint for a problem, by default the one checked last; each says more than the one before."""
    problem_id = problem_id or _last
    if problem_id is None:
        print('Which problem? Say hint("arrays.port"), for example.')
        return
    try:
        problem = problems.find(problem_id)
    except problems.UnknownProblem as unknown:
        print(unknown)
        return
    total = len(problem.hints)
    if not total:
        print(f"{problem.id} has no hints.")
        return
    shown = _seen[problem.id] = min(_seen.get(problem.id, 0) + 1, total)
    print(_wrap(f"Hint {shown} of {total}: {problem.hints[shown - 1]}", indent=""))
    if shown == total:
        print("That is the last hint. The solution, with its reasons, is in the folder solutions/.")


def _text(problem: problems.Problem, verdict: Verdict) -> str:
    """The verdict as it is printed. What stands in a stored notebook (right, not attempted) is the same everywhere."""
    if verdict.outcome == RIGHT:
        first, *rest = verdict.verified.split("\n")
        lines = [f"✔ {problem.id}: right.", _wrap(f"Verified: {first}"), *(_wrap(line) for line in rest)]
        # Measured: on a line of its own, unwrapped, or its length would move the line breaks.
        return "\n".join(lines + ([f"  {verdict.near}"] if verdict.near else []))
    if verdict.outcome == UNTOUCHED:
        size = (
            f" About {problem.lines} line{'s' if problem.lines > 1 else ''}."
            if problem.lines and not verdict.why
            else ""
        )
        return _wrap(f"○ {problem.id}: not attempted yet{': ' + verdict.why if verdict.why else ''}.{size}", indent="")
    if verdict.outcome == UNJUDGED:
        return _wrap(f"○ {problem.id}: not judged: {verdict.why}", indent="")
    lines = [_wrap(f"✘ {problem.id}: {verdict.why}", indent="")]
    if verdict.printed:
        lines += ["  Your code printed:", *(f"    {line}" for line in verdict.printed.splitlines()[:10])]
    if verdict.reason not in ("answers", "callable"):  # nothing was judged yet
        lines += _help(problem, verdict)
    return "\n".join(lines)


def _help(problem: problems.Problem, verdict: Verdict) -> list[str]:
    """The hint that belongs to the mistake; where there is none, the smallest case that fails, for the learner to run."""
    lines = []
    if verdict.advice:
        lines.append(_wrap(f"Hint: {verdict.advice}"))
        shown = _seen.get(problem.id, 0)
        if verdict.advice in problem.hints[shown : shown + 1]:
            _seen[problem.id] = shown + 1
    elif not verdict.diagnosed:
        least = " This is the smallest of its cases that fails:" if verdict.example else ""
        lines.append(f"  The check does not know what causes this.{least}")
        lines += [f"    {line}" for line in verdict.example.splitlines()]
    if _seen.get(problem.id, 0) < len(problem.hints):
        lines.append(f'  More: hint("{problem.id}")')
    return lines


def _wrap(text: str, indent: str = "  ") -> str:
    """Fill to a fixed width (never the terminal's: verdicts are compared), without breaking `code`, "12 GB/s" or "1 009"."""
    text = re.sub(
        r"`[^`]*`|(?<=\d) (?=[a-zA-Zµ×%]|\d{3}(?!\d))",
        lambda glued: glued.group().replace(" ", "\N{NO-BREAK SPACE}"),
        text,
    )
    lines = textwrap.wrap(text, _WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return "\n".join(indent + line if n == 0 else "  " + line for n, line in enumerate(lines)).replace("\xa0", " ")


def _record(verdict: Verdict) -> list[str]:
    """Save the verdict; the first time it cannot be, one sentence about it.

    A grader's run is not the learner's progress.
    """
    global _unsaved_said
    if _graded() or progress.record(verdict) or _unsaved_said:
        return []
    _unsaved_said = True
    return ["  (Your progress is not being saved: HUNDREDFOLD_STATE can name a folder that can be written to.)"]


def _end(text: str, failed: bool) -> None:
    if failed:
        raise CheckFailed(text)
    print(text)


def _graded() -> bool:
    return bool(os.environ.get("NBGRADER_EXECUTION"))


def _strict() -> bool:
    return os.environ.get("HUNDREDFOLD_STRICT", "") not in ("", "0") or _graded()
