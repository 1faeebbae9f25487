"""``compiling.steps``: the mean step of a long series, read once. Open-ended: judged beside the time to read it."""

from __future__ import annotations

import contextlib
import io
import time
import tracemalloc
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import njit, prange

from .. import guard
from ..cases import Case, normal
from ..differences import explain, number, pair, same
from ..functions import Run, is_float, recognise
from ..problem import Mistake, Problem
from ..properties import Drawn, constants, huge, other_data, second_call, sizes, tiny
from ..verdict import refuse
from .judging import CompiledJudge
from .rehearsal import rehearse
from .work import taken

SIZE = 12_000_000  # 96 MB: more than any cache of a desk keeps
SLOW = 30.0
"""How many times as long as reading x once an answer may take; right ones come to one to five."""
_ROUNDS, _TRIES = 5, 6
TEMPORARY = 0.1  # of x's bytes
_REHEARSED = 40_000


def steps(x: np.ndarray) -> float:
    """The specification: the mean of |x[i+1] - x[i]| over x (n,) float64; 0.0 where there are fewer than two."""
    return float(np.abs(np.diff(x)).mean()) if x.size > 1 else 0.0


def _compare(run: Run) -> None:
    is_float(run.got)
    atol = 1e-14 if run.case.atol is None else run.case.atol
    if same(run.got, run.expected, 1e-9, atol):
        return
    recognise(run, run.got, rtol=1e-9, atol=atol)
    x = run.host[0]
    if x.size > 100 and np.isfinite(run.expected) and run.expected:
        off = abs(run.got - run.expected) / run.expected
        if 1e-9 < off < 1e-5:
            refuse(
                "dtype",
                f"it is {number(run.got)}, right in the first {int(-np.log10(off))} digits only: somewhere a float32 "
                "is in it.",
            )
    explain(np.asarray(run.got), np.asarray(run.expected), rtol=1e-9, atol=atol)


def _no_temporaries(problem: Problem, function: Any) -> None:
    x, case = _long(), "12 million numbers"
    tracemalloc.start()
    try:
        got = guard.call(function, x, limit=problem.time_limit).value
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    if not same(got, _expected(), 1e-8, 0.0):
        refuse("value", "it is {}; expected was {}.".format(*pair(got, _expected())), case=case)
    # What compiled code takes, no tracer of Python's sees; the operating system does.
    seen = taken(lambda: guard.call(function, x, limit=problem.time_limit))
    peak = max(peak, seen or 0)
    if peak > TEMPORARY * x.nbytes:
        refuse(
            "temporaries",
            f"the result is right, but on the way arrays of {peak / 1e6:.0f} MB are made, for an x of "
            f"{x.nbytes / 1e6:.0f} MB: each is written to memory and read again. x itself need be read only once.",
            case=case,
        )
    if seen is not None:
        return
    found = rehearse(function, (normal(_REHEARSED, seed=7),))
    if found is not None and found.compiled and found.made >= _REHEARSED - 1:
        refuse(
            "temporaries",
            f"the result is right, but for {_REHEARSED} numbers the compiled code makes an array of {found.made} on the way: "
            "it is written to memory and read again. x itself need be read only once.",
            case=f"{_REHEARSED} numbers",
        )


def _near(problem: Problem, function: Any) -> str:
    """Beside the time to read x: of a compiled loop that only does that, over all cores, timed in turn with it, or what this
    machine's memory gives at its best, whichever is less. A loop that was kept waiting is no limit."""
    x = _long()
    rate = _at_best(x.nbytes)
    best = answer = reading = np.inf
    for tried in range(_TRIES):  # what a busy machine does to one try it seldom does to all
        theirs, ours = _timed(lambda: guard.call(function, x, limit=problem.time_limit), lambda: read(x))
        best, answer, reading = min(best, theirs / ours), min(answer, theirs), min(reading, ours)
        if best < SLOW / 2 and (reading < 1.5 * rate or tried >= _TRIES // 2):
            break
    if best > SLOW:
        refuse(
            "slow",
            f"the result is right, but it takes {best:.0f} times as long as to read x once; at most {SLOW:.0f} times are "
            "allowed.",
            case="12 million numbers",
        )
    share = _share(answer, min(reading, rate))
    return f"How near to the limit: {share:.0f} % (the limit: x read once, by all cores)."


def _share(answer: float, least: float) -> float:
    return 100 * min(least / answer, 1.0)


def _at_best(nbytes: int) -> float:
    """The least seconds for so many bytes at the rate that is kept of this CPU (measured now, if there is none yet)."""
    from hundredfold.toolkit import limit

    with contextlib.redirect_stderr(io.StringIO()):  # a grader takes points off for what is written there
        return limit(bytes=nbytes, machine="cpu").seconds


def _timed(theirs: Callable[[], object], ours: Callable[[], object]) -> tuple[float, float]:
    """The best time of each, taken in turn."""
    theirs(), ours()
    took: tuple[list[float], list[float]] = [], []
    for _ in range(_ROUNDS):
        for action, times in zip((theirs, ours), took, strict=True):
            start = time.perf_counter()
            action()
            times.append(time.perf_counter() - start)
    return min(took[0]), min(took[1])


@cache
def _long() -> np.ndarray:
    x = np.random.default_rng(6).random(SIZE)
    x.setflags(write=False)
    return x


@cache
def _expected() -> float:
    x = _long()
    return float(sum(np.abs(np.diff(x[i : i + 2**20 + 1])).sum() for i in range(0, SIZE, 2**20)) / (SIZE - 1))


@njit(parallel=True, fastmath={"reassoc", "nsz", "contract"})
def read(x):
    """The sum of x: nothing but reading, which is the limit."""
    total = 0.0
    for i in prange(x.size):
        total += x[i]
    return total


STEPS = Problem(
    id="compiling.steps",
    title="The mean step, read once",
    kind="open",
    answers=("steps",),
    specification=steps,
    lines=6,
    judge=CompiledJudge(
        cases=(
            Case("1009 numbers", lambda: (normal(1009, seed=1),)),
            Case("two numbers", lambda: (np.array([1.0, -2.0]),)),
            Case("a single number", lambda: (np.array([7.0]),)),
            Case("no numbers", lambda: (np.empty(0),)),
            Case("always the same number", lambda: (np.full(50, 3.5),)),
            Case("NaN among them", lambda: (np.array([1.0, np.nan, 3.0]),)),
            Case("every third of a longer array", lambda: (normal(300, seed=2),), lambda a: a[::3]),
            Case("100 000 numbers", lambda: (normal(100_000, seed=3, mean=1e3),)),
        ),
        unlisted=(Case("other two numbers", lambda: (np.array([5.0, 0.5]),)),),
        drawn=Drawn(
            lambda rng, size: (rng.standard_normal(size),),
            1009,
            sizes(3, 31, 257, 70_001, words="{} numbers"),
            constants(),
            tiny(atol=0.0),
            huge(),
            other_data(),
            second_call(),
        ),
        compare=_compare,
        steps=Case("100 000 numbers", lambda: (normal(100_000, seed=4),)),
        after=(_no_temporaries, _near),
        watched="nothing out of bounds is touched",
        verified="a Python float, no large array on the way, and no element through the interpreter",
    ),
    hints=(
        "How often does `np.abs(np.diff(x)).mean()` go through memory? Three calls: count what each reads and writes.",
        "One compiled loop from 1 to x.size adds up `abs(x[i] - x[i - 1])`, and x is read once.",
        "Each addition of a float waits for the one before, unless you allow another order: `fastmath=True`. And a "
        "`prange` over a plain variable (`total += …`) is safe: Numba gives each thread its own and adds them up.",
    ),
    advice={
        "temporaries": "One loop instead of three calls: compile it.",
        "interpreted": "Put `@numba.njit` on the line above `def`.",
        "wrapped": "The first element has none before it: begin at 1.",
        "bounds": "n numbers have n - 1 steps: `range(x.size - 1)`.",
        "race": "Add to a plain variable: `total = 0.0`, then `total += …`.",
        "dtype": "Leave x and the sum in float64.",
        "type": "Return the number itself.",
        "exception": "A single number has no step: ask `x.size` before you divide.",
    },
    mistakes={
        "sign": Mistake(
            "sign",
            "steps up and down cancel: what is left is the last number minus the first. Asked for: how long the steps "
            "are.",
            lambda x: (x[-1] - x[0]) / (x.size - 1) if x.size > 1 else 0.0,
            hint="`abs(…)` of each step.",
        ),
        "sign-of-the-sum": Mistake(
            "sign",
            "steps up and down cancel: what is left is how far the last number is from the first. Asked for: how long the steps are.",
            lambda x: abs(x[-1] - x[0]) / (x.size - 1) if x.size > 1 else 0.0,
            hint="`abs(…)` of each step.",
        ),
        "divisor": Mistake(
            "divisor",
            "the sum was divided by n; n numbers have n - 1 steps.",
            lambda x: steps(x) * (x.size - 1) / x.size if x.size else 0.0,
        ),
        "squared": Mistake(
            "squared",
            "that is the root of the mean square; the mean of the absolute steps was asked for.",
            lambda x: np.sqrt(np.square(np.diff(x)).mean()) if x.size > 1 else 0.0,
        ),
    },
)
