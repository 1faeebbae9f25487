"""``clusters.scores``: a table that every task needs, shipped with each of them; and results in the order of their arrival."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import devices
from ..devices import cp
from ..differences import pair
from ..guard import article, require_callable
from ..problem import Problem
from ..traffic import spell
from ..verdict import Verified, in_case, refuse
from .running import Diary, note, on_workers, run, wait

ROWS = 50_000
SETTINGS = [0.5, 2.0, -1.0, 0.5, 3.0, 0.0, 1.5, -2.5, 0.25, 4.0, 1.0, -0.75]
_WAIT = 3.0  # seconds that the first task waits for the second, so that it comes back later


def score(table: Any, setting: float) -> float:
    """The mean square of what a line through 0 with this slope leaves over: what a task computes in the exercise."""
    return float(((table[:, 1] - setting * table[:, 0]) ** 2).mean())


class Score:
    """`score`, noted; with `late` the task of the first setting ends after the one of the second."""

    def __init__(self, diary: Diary, late: bool = False):
        self.number, self.late = diary.number, late

    def __call__(self, table: Any, setting: float) -> float:
        diary, _ = note(self.number, float(setting))
        if diary is not None and not devices.is_device(table):
            diary.found["table"] = article(table)
        got = score(table, setting)
        if diary is not None and self.late:
            if setting == 1.0:
                wait(diary, "second", _WAIT)
            else:
                diary.event("second").set()
        return got


def _table(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(ROWS)
    return np.stack([x, 1.5 * x + rng.standard_normal(ROWS)], axis=1)


def specification(table: np.ndarray, settings: list[float]) -> list[float]:
    """The scores, in the order of the settings."""
    return [score(table, setting) for setting in settings]


def judge(problem: Problem, answers: tuple[Any, ...]) -> Verified:
    function = answers[0]
    require_callable(function, problem.answers[0])
    devices.need_cupy()
    _judge(problem, function, "12 settings, some of them equal", SETTINGS, 0, first=True)
    _judge(problem, function, "a first task that takes longer than the second", [1.0, 2.0, 3.0, -1.0], 1, late=True)
    _judge(problem, function, "one setting", [0.25], 2)
    _judge(problem, function, "no setting", [], 3)
    _judge(problem, _refilled(function), "a second call with the same client", [2.0, 1.0], 5, calls=2)
    return Verified(
        "12 settings, some of them equal; a first task that takes longer; one setting; no setting; the table leaves the "
        "notebook once at most for each worker."
    )


def _refilled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, called by the same client before, with the same table, in which other numbers were then."""

    def twice(client: Any, noted: Any, table: Any, settings: list[float]) -> Any:
        numbers = table.copy()
        table[...] = cp.asarray(_table(4))
        function(client, score, table, [1.0, 2.0])
        table[...] = numbers
        return function(client, noted, table, settings)

    return twice


def _judge(
    problem: Problem,
    function: Callable[..., Any],
    name: str,
    settings: list[float],
    seed: int,
    first: bool = False,
    late: bool = False,
    calls: int = 1,
) -> None:
    host = _table(seed)
    diary = Diary(held=0 if len(settings) > 1 else None)
    with in_case(name), contextlib.closing(diary):
        table, given = cp.asarray(host), list(settings)
        got, seen, printed = run(problem, function, Score(diary, late), table, given, first=first)
        if given != settings or not np.array_equal(table.get(), host):
            refuse("aliasing", "the table or the list of settings was changed by the call.")
        _values(got, specification(host, settings), settings, printed)
        if "table" in diary.found:
            refuse(
                "transfer",
                f"the scores are right, but `score` was given {diary.found['table']}. The table lies on the device: hand it on as it is.",
            )
        on_workers(diary, seen, "`score`")
        most = max(seen.sent, seen.shipped) + seen.scattered
        if settings and most > 2.5 * calls * host.nbytes:
            refuse(
                "shipped",
                f"the results are right, but the table of {spell(host.nbytes)} was sent again and again: {spell(most)} went out "
                f"for {len(settings)} settings. What stands in a task's arguments travels with that task. `client.scatter` brings it "
                "to the workers once, and a future in the arguments costs nothing.",
            )


def _values(got: Any, expected: list[float], settings: list[float], printed: str) -> None:
    if not isinstance(got, list):
        refuse("type", f"the result should be a list of numbers; it is {article(got)}.", printed=printed)
    for each in got:
        if isinstance(each, bool) or not isinstance(each, (int, float, np.floating)):
            refuse("type", f"the list should hold numbers; it holds {article(each)}.", printed=printed)
    if len(got) != len(expected):
        more = " Two equal settings want a score each." if len(got) < len(set(settings)) + 1 and len(got) else ""
        refuse("lost", f"there are {len(got)} scores for {len(expected)} settings.{more}", printed=printed)
    right = np.isclose(np.asarray(got, float), expected, rtol=1e-9, atol=0)
    if right.all():
        return
    if np.allclose(sorted(got), sorted(expected), rtol=1e-9, atol=0):
        refuse(
            "order",
            "the scores are right, but not in the order of the settings. Nobody can tell any more which score belongs to which.",
            advice="`client.gather` keeps the order of its futures. `as_completed` gives back first what is ready first.",
        )
    first = int(np.argmin(right))
    a, b = pair(got[first], expected[first])
    refuse("value", f"the score of the setting {settings[first]:g} is {a}; it should be {b}.", diagnosed=False)


SCORES = Problem(
    id="clusters.scores",
    title="A table for every task",
    kind="repair",
    answers=("scores",),
    lines=3,
    judge=judge,
    specification=specification,
    hints=(
        "What travels with `client.submit(score, table, setting)`? Multiply its bytes by the number of tasks.",
        "`there = client.scatter(table, broadcast=True)` sends the table to each worker once and returns a future. A future may "
        "stand among a task's arguments; the worker puts in what it stands for.",
        "`client.gather` takes a list of futures and gives back their results in the order of the list, whichever was ready first.",
    ),
    advice={
        "shipped": "A table travels with each task that has it as an argument, and with each function that uses it. Scatter it once, before the tasks.",
    },
)
