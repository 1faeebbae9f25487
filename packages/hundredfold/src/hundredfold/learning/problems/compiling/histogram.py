"""``compiling.histogram``: threads that write into the same counts, to be repaired without giving the threads up."""

from __future__ import annotations

import numpy as np

from .. import guard
from ..cases import Case
from ..differences import explain, number
from ..functions import Run
from ..problem import Problem
from ..properties import Drawn, constants, other_data, second_call, sizes
from ..verdict import refuse
from .judging import CompiledJudge

BINS = 256
_LONG, _TURNS = 4_000_000, 3
_RAN_OVER = "A count ran over: it needs an int64."
_NARROW = "Which dtype do the counts have on the way? uint8 ends at 255, uint16 at 65 535."


def histogram(v: np.ndarray) -> np.ndarray:
    """The specification: how often each of the values 0 to 255 stands in v (n,) uint8; (256,) int64."""
    return np.bincount(v, minlength=BINS).astype(np.int64)


def values(n: int, seed: int = 0) -> np.ndarray:
    """Random uint8, small ones more often."""
    return (np.random.default_rng(seed).random(n) ** 2 * BINS).astype(np.uint8)


def _alike() -> np.ndarray:
    v = np.full(_LONG, 7, np.uint8)
    v[::1000] = 200
    return v


def _compare(run: Run) -> None:
    got = run.got
    if not isinstance(got, np.ndarray):
        refuse("type", f"the result should be a NumPy array of {BINS} counts; it is {guard.article(got)}.")
    if got.shape != (BINS,):
        refuse(
            "shape", f"the result's shape is {got.shape}; it should be ({BINS},), one count for each value of a byte."
        )
    total, size = got.sum(), run.host[0].size
    if got.dtype != np.int64:
        refuse("dtype", f"the result's dtype is {got.dtype}; it should be int64.")
    if total < size and (size - total) % 256 == 0:
        refuse(
            "overflow",
            f"{number(size - total)} of {size} values are missing, a multiple of 256. {_RAN_OVER}",
            advice=_NARROW,
        )
    for value in (0, BINS - 1):
        if total < size and not got[value] and np.array_equal(np.delete(got, value), np.delete(run.expected, value)):
            refuse(
                "remainder",
                f"{number(size - total)} of {size} values {'was' if size - total == 1 else 'were'} not counted, and {'it is' if size - total == 1 else 'all are'} {value}.",
                advice=f"Are all values from 0 to {BINS - 1} counted, and all elements of `v`?",
            )
    if total < size:
        refuse(
            "remainder",
            f"{number(size - total)} of {size} values {'was' if size - total == 1 else 'were'} not counted. Where the values are cut into equal parts, what "
            "is left over belongs to one of them, and at the end all parts are added up.",
        )
    if total > size:
        refuse(
            "overlap",
            f"{number(total)} were counted and there are {size} values: some were counted twice, or the counts did not begin at 0.",
        )
    explain(got, run.expected)


def _steady(problem: Problem, function: object) -> None:
    """Many values, several times: what a rehearsal cannot follow shows here, if it shows at all."""
    alike = _alike()
    got = guard.call(function, alike, limit=problem.time_limit).value
    if not np.array_equal(got, histogram(alike)):
        refuse(
            "overflow",
            f"of 4 million values, most of them alike, some are not counted. {_RAN_OVER}",
            advice=_NARROW,
        )
    v = values(_LONG, seed=5)
    expected = histogram(v)
    for _ in range(_TURNS):
        got = guard.call(function, v, limit=problem.time_limit).value
        lost = _LONG - int(np.sum(got))
        if not np.array_equal(got, expected):
            refuse(
                "race",
                f"of 4 million values {number(abs(lost))} are {'missing' if lost >= 0 else 'too many'}, and not always "
                "as many: threads overwrite each other's counts.",
            )


HISTOGRAM = Problem(
    id="compiling.histogram",
    title="Repair counts that threads fight over",
    kind="repair",
    answers=("histogram",),
    specification=histogram,
    lines=7,
    judge=CompiledJudge(
        cases=(
            Case("1000 values", lambda: (values(1000),)),
            Case("1009 values", lambda: (values(1009, seed=1),)),
            Case("a single value", lambda: (np.array([255], np.uint8),)),
            Case("no values", lambda: (np.empty(0, np.uint8),)),
            Case("always the same value", lambda: (np.full(500, 7, np.uint8),)),
            Case("a million values", lambda: (values(1_000_000, seed=2),)),
        ),
        drawn=Drawn(
            lambda rng, size: (rng.integers(0, BINS, size, dtype=np.uint8),),
            61,
            sizes(2, 3, 7, 31, 70_001, words="{} values"),
            constants(),
            other_data(),
            second_call(hint="Begin with new counts in each call: those of the last one are still in yours."),
        ),
        compare=_compare,
        threads=Case("16 million values", lambda: (np.tile(_alike(), 4),)),
        after=(_steady,),
        watched="no two iterations touch the same count",
        verified="several threads share the work, and 4 million values came out right three times",
    ),
    hints=(
        "`counts[v[i]] += 1` reads a count, adds 1 and writes it back. What if another thread does the same in between?",
        "Give each thread counts of its own: an array of shape (parts, 256), and a `prange` over the parts instead of "
        "the values.",
        "Part t has the values from `t * v.size // parts` to `(t + 1) * v.size // parts`: these ends fit together, and "
        "nothing is left over. At the end `.sum(axis=0)`.",
    ),
    advice={
        "race": "Give each thread counts of its own, and add them up at the end.",
        "serial": "Keep `parallel=True` and a `prange`: over parts, not over values.",
        "remainder": "Let part t end at `(t + 1) * v.size // parts`, and add up all parts.",
        "overlap": "One part ends where the next begins; `range` leaves its end out. And `np.zeros` begins at 0, as `np.empty` does not.",
        "shape": "Add up the parts: `counts.sum(axis=0)`.",
        "dtype": "`np.zeros((parts, 256), np.int64)`.",
        "bounds": "The last part ends where the values end, and a byte has 256 different values.",
    },
)
