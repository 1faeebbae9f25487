"""``kernels.histogram``: threads that overwrite each other's counts of pairs, to be repaired with atomic additions."""

from __future__ import annotations

import numpy as np

from .. import devices
from ..cases import Case
from ..differences import explain
from ..functions import Run, recognise
from ..problem import Mistake, Problem
from ..properties import Drawn, Property, Strategy, other_data, sizes
from ..verdict import refuse
from .judging import KernelJudge, Launch
from .shares import shares

LEVELS = 16
GRID: Launch = ((4,), (64,))
"""Fewer threads than values: the kernel needs a loop."""


def follows(v: np.ndarray) -> np.ndarray:
    """The specification: [a, b] is how often value b follows directly upon value a in v (n,) uint8 of 0 to 15; (16, 16) int32.

    The matrix of co-occurrences to the right of R. M. Haralick, K. Shanmugam, I. Dinstein, *Textural Features for Image
    Classification*, IEEE Transactions on Systems, Man, and Cybernetics 3 (6), 1973, of one row, not made symmetric.
    """
    pairs = LEVELS * v[:-1].astype(np.int64) + v[1:]
    return np.bincount(pairs, minlength=LEVELS**2).reshape(LEVELS, LEVELS).astype(np.int32)


def values(n: int, seed: int = 0) -> np.ndarray:
    """Random uint8 from 0 to 15, small ones more often."""
    return (np.random.default_rng(seed).random(n) ** 2 * LEVELS).astype(np.uint8)


_WHICH = (
    "The first pair is (v[0], v[1]), the last one (v[v.size - 2], v[v.size - 1]). Each is to be counted once, by one of the 256 threads: "
    "where does a thread's loop begin, how far does it step, where does it end, and what does it add?"
)


def _compare(run: Run) -> None:
    got = np.asarray(devices.to_host(run.got))
    total, pairs = int(got.sum()), max(run.host[0].size - 1, 0)
    if total < pairs:
        refuse(
            "remainder",
            f"{pairs - total} of {pairs} pairs {'was' if pairs - total == 1 else 'were'} not counted.",
            advice=run.case.hint or _WHICH,
        )
    if total > pairs:
        refuse("overlap", f"{total} were counted and there are {pairs} pairs.", advice=run.case.hint or _WHICH)
    recognise(run, got)
    explain(got, run.expected)


def _diagonal(v: np.ndarray) -> np.ndarray:
    return np.diag(np.bincount(v[:-1], minlength=LEVELS)).astype(np.int32)


def _share(v: np.ndarray) -> tuple[int]:
    """How many values one thread has to read if all share the pairs: two for each of its own; or a few, where there are few."""
    return (max(32, 2 * -(-v.size // (GRID[0][0] * GRID[1][0]))),)


_OWN_LOOP = "Keep the loop that shares the values among all threads."
_EXTREMES = Property(
    (
        Strategy("the values 0 and 15 only", change=lambda rng, args: (15 * (args[0] > 3).astype(np.uint8),)),
        Strategy("each value twice, then the next", change=lambda rng, args: (np.sort(args[0]),)),
    )
)
_MANY = Property(
    (
        Strategy(
            "300 000 times the same value",
            change=lambda rng, args: (np.full(300_000, 9, np.uint8),),
            settings={"traced": False},
        ),
    ),
    hint="How large can a count become? Does the place where it is kept hold so large a number?",
)


HISTOGRAM = Problem(
    id="kernels.histogram",
    title="Repair counts that threads overwrite",
    kind="repair",
    answers=("follows",),
    specification=follows,
    lines=2,
    judge=KernelJudge(
        cases=(
            Case("5000 values", lambda: (values(5000),)),
            Case("1009 values", lambda: (values(1009, seed=1),)),
            Case("two values", lambda: (np.array([15, 0], np.uint8),)),
            Case("a single value", lambda: (np.array([15], np.uint8),)),
            Case("no values", lambda: (np.empty(0, np.uint8),)),
            Case("always the same value", lambda: (np.full(2000, 7, np.uint8),)),
        ),
        drawn=Drawn(
            lambda rng, n: ((rng.random(n) ** 2 * LEVELS).astype(np.uint8),),
            2503,
            sizes(256, 257, 258, words="{} values"),
            _EXTREMES,
            _MANY,
            other_data(),
        ),
        out=lambda v: np.zeros((LEVELS, LEVELS), np.int32),
        starts=True,
        launch=lambda v: GRID,
        compare=_compare,
        facts=(shares("the pairs are shared among all threads", reads=_share, hint=_OWN_LOOP),),
        verified="no two threads touch a count but by atomic additions",
    ),
    hints=(
        "`counts[…] += 1` reads a count, adds 1 and writes it back. What if another thread reads it in between?",
        "`cuda.atomic.add(array, index, value)` does the three as one; the index of a matrix is a tuple.",
        "`cuda.atomic.add(counts, (v[i], v[i + 1]), 1)` in place of the addition, and nothing else.",
    ),
    advice={
        "race": "Three steps stand in that line. What if another thread's fall between them?",
        "typing": "The index of a matrix is a tuple, `(a, b)`.",
        "barrier": "A barrier makes the threads of one block wait. It does not make one step of the three in `+=`.",
        "bounds": "Nothing follows upon the last value: pairs are one fewer.",
        "uninitialised": "Shared memory begins with leftovers: set it to 0, then `syncthreads`.",
        "serial": _OWN_LOOP,
    },
    mistakes={
        "value": Mistake(
            "value",
            "each value was counted with itself. Asked for: with the one that follows.",
            _diagonal,
            hint="The index is a tuple, `(v[i], v[i + 1])`.",
        ),
        "the other way": Mistake(
            "transposed",
            "that counts upon which value `a` follows. Asked for, at [a, b]: how often b follows upon a.",
            lambda v: follows(v).T,
            hint="The value that comes first is the row.",
        ),
    },
)
