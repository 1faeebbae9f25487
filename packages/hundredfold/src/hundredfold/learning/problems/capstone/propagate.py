"""``capstone.propagate``: how a delay travels with its plane: a kernel with one thread for each plane and future.

The recurrence is Lindley's (D. V. Lindley, *The theory of queues with a single server*, 1952), with the buffer between two flights of a
plane in place of the time between two arrivals.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case
from ..fast_kernels.looking import in_order
from ..functions import Run
from ..kernels.judging import KernelJudge, Launch, cover
from ..kernels.shares import shares
from ..problem import Mistake, Problem
from ..properties import Drawn, Property, Strategy, other_data, sizes
from ..verdict import refuse
from .median import touched

WARP = 32
SECTOR = 32  # bytes


def propagate(first: np.ndarray, buffer: np.ndarray, own: np.ndarray) -> np.ndarray:
    """The specification: the lateness of each flight in each future.

    Parameters
    ----------
    first : (p + 1,) int32
        Flights `first[c]` to `first[c + 1] - 1` are those of plane c, in the order in which it flies them.
    buffer : (n,) float32
        Minutes of lateness of the flight before that are made up until this one is due; may be negative.
    own : (n, m) float32
        What each flight is late by itself, in each of m futures; negative: it left early.

    Returns
    -------
    late : (n, m) float32
        `own[i] + max(0, late[i - 1] - buffer[i])`, and `own[i]` alone for a plane's first flight.
    """
    return _carried(first, buffer, own)


def _carried(
    first: np.ndarray,
    buffer: np.ndarray,
    own: np.ndarray,
    *,
    clip: bool = True,
    before: str = "late",
    chains: bool = True,
    shift: int = 0,
) -> np.ndarray:
    late = own.copy()
    starts = set(first[:-1].tolist()) if chains else {0}
    for i in range(len(own)):
        if i in starts:
            continue
        carried = (late if before == "late" else own)[i - 1] - buffer[i - shift]
        late[i] = own[i] + (np.maximum(carried, np.float32(0)) if clip else carried)
    return late


def _launch(first: np.ndarray, buffer: np.ndarray, own: np.ndarray) -> Launch:
    return cover(own.shape[1], len(first) - 1, (32, 4))


def thrifty(seen: Any, run: Run) -> None:
    """Refuse a kernel that touches the array of futures more often than it must, on whole warps; each number read once, written once."""
    numbers = run.host[2]
    if numbers.shape[1] % WARP or not numbers.size:
        return
    reads, writes = (sum(each[what] for each in touched(seen, numbers.shape)) for what in ("reads", "writes"))
    if reads > numbers.size:
        refuse(
            "traffic",
            f"the result is right, but {reads} numbers of `own` and `late` are read, where {numbers.size} are enough: each of `own` once, and "
            "none of `late`.",
        )
    if writes > numbers.size:
        refuse(
            "traffic",
            f"the result is right, but {writes} numbers of `late` are written, where {numbers.size} are enough: each of them once.",
            advice="Work out the lateness in a variable of the thread, and write it at the end.",
        )
    in_order(seen, run, least=numbers.nbytes / SECTOR)


_SMALL = Property(
    (
        Strategy(
            "parts of a minute",
            change=lambda rng, args: (args[0], *(x * np.float32(2.0**-20) for x in args[1:])),
            settings={"atol": 1e-10},
        ),
    ),
    "Minutes have parts: nothing on the way is a whole number.",
)
_ALONG_X = "x counts futures, y planes: `s, c = cuda.grid(2)`."


def _exchanged(missing: np.ndarray, run: Run) -> None:
    """Refuse a kernel that takes x for the planes: it writes as many futures as there are threads along y, and no others."""
    first, _, own = run.host
    high = np.prod([part[1] for part in _launch(*run.host)])
    if high < own.shape[1] and not missing[:, :high].any() and missing[:, high:].all():
        refuse(
            "operands",
            f"only the first {high} futures are written, and {high} threads lie along y: x and y are exchanged.",
            advice=_ALONG_X,
        )


def table(
    planes: int, futures: int, seed: int, most: int = 6, empty: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Planes with 1 to `most` flights (0 too, if `empty`), buffers from -20 to 60 minutes, and what each flight is late by itself."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0 if empty else 1, most + 1, planes)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    buffer = (rng.integers(-160, 480, first[-1]) / 8).astype(np.float32)
    own = (np.round(8 * rng.gamma(0.6, 30.0, (first[-1], futures))) / 8 - 8.0).astype(np.float32)
    return first, buffer, own


PROPAGATE = Problem(
    id="capstone.propagate",
    title="A delay travels with its plane",
    kind="write",
    track="flights",
    answers=("propagate",),
    specification=propagate,
    lines=8,
    judge=KernelJudge(
        (
            Case("5 planes in 32 futures", lambda: table(5, 32, 1)),
            Case("7 planes in 13 futures", lambda: table(7, 13, 2)),
            Case("3 planes in 64 futures", lambda: table(3, 64, 3, most=9)),
            Case("one plane with one flight", lambda: table(1, 1, 4, most=1)),
            Case("planes that never fly", lambda: table(6, 33, 5, most=2, empty=True)),
            Case("planes with one flight each", lambda: table(4, 5, 6, most=1)),
        ),
        drawn=Drawn(
            lambda rng, size: table(*size, rng.integers(1 << 31)),
            (11, 96),
            sizes((1, 37), (37, 1), (9, 31), words="{0[0]} planes in {0[1]} futures"),
            _SMALL,
            other_data(),
        ),
        rtol=1e-6,
        atol=1e-4,
        out=lambda first, buffer, own: np.empty_like(own),
        launch=_launch,
        looks=(thrifty,),
        facts=(
            shares(
                "each thread has one plane in one future",
                writes=lambda first, buffer, own: (None, None, None, int(np.diff(first).max(initial=0))),
                hint="Planes and futures need nothing of each other: give each pair of them a thread.",
            ),
        ),
        unwritten=_exchanged,
        verified="neighbouring threads touch neighbouring numbers, each of them once to read and once to write",
    ),
    hints=(
        "Within one plane each flight needs the one before: that is a loop in a thread. Planes and futures need nothing of each other: those "
        "are the threads.",
        "`s, c = cuda.grid(2)`: x runs along a row of `own`, so that neighbouring threads touch neighbouring numbers.",
        "Keep the lateness in a variable: `before = max(before - buffer[i], np.float32(0))` from the second flight on, then `before += own[i, s]`, "
        "then write it.",
    ),
    advice={
        "bounds": "The grid is larger than planes and futures: guard both. And a plane's flights end before `first[c + 1]`.",
        "race": "One thread must go through all flights of a plane.",
        "remainder": "Each flight gets a number, whatever its lateness. `first` has one number more than there are planes. Plane c has the flights of `range(first[c], first[c + 1])`, which "
        "leaves out the next plane's first.",
        "coalescing": "The fast thread index belongs to the last axis: the futures.",
        "operands": _ALONG_X,
        "traffic": "Keep what was read, and the lateness before, in variables of the thread.",
        "aliasing": "`own` is given to be read.",
    },
    mistakes={
        "through-planes": Mistake(
            "overlap",
            "a plane's first flight gets the lateness of another plane's last one.",
            lambda first, buffer, own: _carried(first, buffer, own, chains=False),
            hint="A chain begins at `first[c]` with nothing behind it.",
        ),
        "negative-too": Mistake(
            "sign",
            "a plane that has time to spare makes the next flight leave early. Time to spare is lost: nothing is carried, `max(0, …)`.",
            lambda first, buffer, own: _carried(first, buffer, own, clip=False),
        ),
        "own-before": Mistake(
            "recurrence",
            "only what the flight before was late *by itself* is carried, not what it had been handed on.",
            lambda first, buffer, own: _carried(first, buffer, own, before="own"),
            hint="Carry on `late` of the flight before, not `own`.",
        ),
        "wrong-buffer": Mistake(
            "shifted",
            "the buffer of the flight before is used: `buffer[i]` lies between flight i - 1 and flight i.",
            lambda first, buffer, own: _carried(first, buffer, own, shift=1),
        ),
    },
)  # fmt: skip
