"""Predictions: numbers that the learner works out before anything runs. `predict` builds such a problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from .differences import FACTORS, number
from .guard import article
from .problem import Mistake, Problem
from .untouched import missing
from .verdict import NotAttempted, Refusal, Verified, refuse

_MEANT = {"s": ("seconds were meant?",), "bytes": ("bytes were meant?", "GB was meant?", "10⁹ was meant?")}
"""How what is said of a factor ends, for the units that it can be true of: rows were never meant in GB."""
# Within one percent of what a known mistake gives it is that mistake, or within the number's own tolerance if that is less.
_ALIKE = 0.01
# The factors of units near 1 are between 0.93 and 1.08: a wrong count of row groups or columns may be within two percent of them.
_FACTOR, _FACTOR_NEAR_ONE = 0.02, 0.005


@dataclass(frozen=True)
class Quantity:
    """A number that is asked for.

    Parameters
    ----------
    name : str
        The learner's variable.
    value : float
        What is right, in `unit`.
    unit : str
        ``"bytes"``, ``"s"``.
    explained : str
        How it comes about; shown when it is right.
    rtol : float
        It is right within this share.
    """

    name: str
    value: float
    unit: str
    explained: str
    rtol: float = 0.05


@dataclass(frozen=True)
class NumbersJudge:
    """Judge some numbers, in order; a gap (``...``) is not attempted, but the others are judged already.

    An answer within a hundredth of what a known mistake makes of the number, or within the number's own tolerance if that is
    less, is that mistake; of two, the nearer one.
    """

    quantities: tuple[Quantity, ...]

    def __call__(self, problem: Problem, answers: tuple[Any, ...]) -> Verified:
        given = [(index, q) for index, q in enumerate(self.quantities) if not missing(answers[index])]
        for index, quantity in given:
            try:
                self._judge(problem, quantity, answers[index])
            except Refusal as refusal:
                refusal.advice = refusal.advice or _advice(problem, quantity)
                raise
        gaps = [q.name for index, q in enumerate(self.quantities) if missing(answers[index])]
        if gaps:
            done = " and ".join(quantity.name for _, quantity in given)
            be = "is" if len(given) == 1 else "are"
            raise NotAttempted(f"{', '.join(gaps)} ({done} {be} right)" if done else "")
        return Verified("\n".join(f"{q.name}: {q.explained}." for q in self.quantities))

    def _judge(self, problem: Problem, quantity: Quantity, answer: Any) -> None:
        value = _as_number(quantity, answer)
        if np.isclose(value, quantity.value, rtol=quantity.rtol, atol=0):
            return
        got = f"{quantity.name} is {_said(quantity, value)}"
        alike = []
        for mistake in problem.mistakes.values():
            theirs = mistake.values.get(quantity.name, quantity.value)
            differs = not np.isclose(theirs, quantity.value, rtol=quantity.rtol, atol=0)
            if differs and np.isclose(value, theirs, rtol=min(_ALIKE, quantity.rtol), atol=0):
                alike.append((abs(value - theirs), mistake))
        if alike:
            _, mistake = min(alike, key=lambda each: each[0])
            refuse(mistake.reason, f"{got}: {mistake.why}", advice=mistake.hint)
        for factor, meaning in FACTORS.items():
            of_this_unit = meaning.endswith(_MEANT.get(quantity.unit, ()))
            if of_this_unit and np.isclose(value / quantity.value, factor, rtol=_within(factor), atol=0):
                refuse("unit", f"{got}, {meaning} Asked for: {_unit(quantity)}.")
        size = "large" if value > quantity.value else "small"
        much = " by far" if not 0.1 < value / quantity.value < 10 else ""
        refuse("value", f"{got}, which is too {size}{much}. Asked for: {_unit(quantity)}.", diagnosed=False)


def predict(
    id: str,
    title: str,
    quantities: tuple[Quantity, ...],
    *,
    hints: tuple[str, ...],
    mistakes: Mapping[str, Mistake],
    lines: int,
    track: str = "",
) -> Problem:
    """Build the problem of predicting some numbers, in the order in which they are asked for; the others as in `Problem`."""
    return Problem(
        id=id,
        title=title,
        kind="predict",
        answers=tuple(quantity.name for quantity in quantities),
        lines=lines,
        judge=NumbersJudge(quantities),
        hints=hints,
        mistakes=mistakes,
        track=track,
    )


def mistake(reason: str, why: str, hint: str = "", **values: float) -> Mistake:
    """A `Mistake` by which these numbers become others: ``mistake("unit", "that is in MB.", nbytes=400)``."""
    return Mistake(reason, why, values=values, hint=hint)


def _advice(problem: Problem, quantity: Quantity) -> str:
    """The hint that begins with the quantity's name, if one does: a hint about another number leads away from the mistake."""
    return next((hint for hint in problem.hints if hint.startswith(f"`{quantity.name}`")), "")


def _within(factor: float) -> float:
    return _FACTOR_NEAR_ONE if 0.5 < factor < 2 else _FACTOR


def _unit(quantity: Quantity) -> str:
    return {"s": "seconds", "bytes": "bytes"}.get(quantity.unit, quantity.unit)


def _said(quantity: Quantity, value: float) -> str:
    """The learner's number as the right ones are written: "40 MB", "230 400 000", 0.0159."""
    if quantity.unit == "bytes":
        for scale, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
            if value >= scale:
                return f"{value / scale:.6g} {unit}"
    if 1e6 <= value < 1e15 or (1e4 <= value < 1e6 and value.is_integer()):
        return f"{value:,.0f}".replace(",", " ")
    return number(value)


def _as_number(quantity: Quantity, answer: Any) -> float:
    scalar = np.asarray(answer) if isinstance(answer, (np.ndarray, np.generic)) else None
    if scalar is not None and scalar.size == 1 and scalar.dtype.kind in "iuf":
        answer = scalar.item()
    if isinstance(answer, (Fraction, Decimal)):
        answer = float(answer)
    if isinstance(answer, bool) or not isinstance(answer, (int, float)):
        refuse("type", f"{quantity.name} should be a number, in {_unit(quantity)}; {article(answer)} was given.")
    try:
        value = float(answer)
    except OverflowError:  # an int beyond any float
        value = np.inf
    if not np.isfinite(value) or value <= 0:
        refuse("value", f"{quantity.name} is {number(value)}: it should be a positive number, in {_unit(quantity)}.")
    return value
