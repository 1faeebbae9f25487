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
from ..kernels.later import later
from ..kernels.shares import shares
from ..problem import Problem, Wrong
from ..properties import Drawn, Property, Strategy, other_data, sizes
from ..verdict import refuse
from .median import touched

cuda = None  # set by `later`
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
    times = sum(each["reads"] + each["writes"] for each in touched(seen, numbers.shape))
    if times > 2.6 * numbers.size:
        refuse(
            "traffic",
            f"the result is right, but each number of the futures is touched {times / numbers.size:.3g} times, where 2 are enough: "
            "`own` is read once, and the lateness before need not be read again by the thread that has just worked it out.",
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


# Written as a learner would.


@later
def _carries(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        before = np.float32(0)
        for i in range(first[c], first[c + 1]):
            if i > first[c]:
                before = max(before - buffer[i], np.float32(0))
            before += own[i, s]
            late[i, s] = before


@later
def _strides(first, buffer, own, late):
    """A grid that is smaller than the futures would do as well."""
    c = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if c >= first.size - 1:
        return
    for s in range(cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x, own.shape[1], cuda.gridsize(2)[0]):
        i = first[c]
        if i < first[c + 1]:
            x = own[i, s]
            late[i, s] = x
            i += 1
            while i < first[c + 1]:
                x = own[i, s] + (x - buffer[i] if x > buffer[i] else np.float32(0))
                late[i, s] = x
                i += 1


@later
def _unguarded(first, buffer, own, late):
    s, c = cuda.grid(2)
    before = np.float32(0)
    for i in range(first[c], first[c + 1]):
        if i > first[c]:
            before = max(before - buffer[i], np.float32(0))
        before += own[i, s]
        late[i, s] = before


@later
def _through_planes(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c == 0 and s < own.shape[1]:
        before = np.float32(0)
        for i in range(own.shape[0]):
            if i > 0:
                before = max(before - buffer[i], np.float32(0))
            before += own[i, s]
            late[i, s] = before


@later
def _negative_too(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        before = np.float32(0)
        for i in range(first[c], first[c + 1]):
            if i > first[c]:
                before -= buffer[i]
            before += own[i, s]
            late[i, s] = before


@later
def _own_before(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        for i in range(first[c], first[c + 1]):
            late[i, s] = own[i, s]
            if i > first[c]:
                late[i, s] += max(own[i - 1, s] - buffer[i], np.float32(0))


@later
def _each_flight(first, buffer, own, late):
    """A thread for each flight: it reads what another thread may not have written yet."""
    s, c = cuda.grid(2)
    if s < own.shape[1] and c < first.size - 1:
        for i in range(c, own.shape[0], first.size - 1):
            fresh = False
            for k in range(first.size - 1):
                fresh = fresh or first[k] == i
            late[i, s] = own[i, s]
            if not fresh and i > 0:
                late[i, s] = own[i, s] + max(late[i - 1, s] - buffer[i], np.float32(0))


@later
def _last_left_out(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        before = np.float32(0)
        for i in range(first[c], first[c + 1] - 1):
            if i > first[c]:
                before = max(before - buffer[i], np.float32(0))
            before += own[i, s]
            late[i, s] = before


@later
def _planes_along_x(first, buffer, own, late):
    c, s = cuda.grid(2)
    while c < first.size - 1:
        k = s
        while k < own.shape[1]:
            before = np.float32(0)
            for i in range(first[c], first[c + 1]):
                if i > first[c]:
                    before = max(before - buffer[i], np.float32(0))
                before += own[i, k]
                late[i, k] = before
            k += cuda.blockDim.y * cuda.gridDim.y
        c += cuda.blockDim.x * cuda.gridDim.x


@later
def _x_for_planes(first, buffer, own, late):
    c, s = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        before = np.float32(0)
        for i in range(first[c], first[c + 1]):
            if i > first[c]:
                before = max(before - buffer[i], np.float32(0))
            before += own[i, s]
            late[i, s] = before


@later
def _reads_again(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        for i in range(first[c], first[c + 1]):
            late[i, s] = own[i, s]
            if i > first[c] and late[i - 1, s] > buffer[i]:
                late[i, s] += late[i - 1, s] - buffer[i]


@later
def _in_place(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        for i in range(first[c], first[c + 1]):
            if i > first[c]:
                own[i, s] += max(own[i - 1, s] - buffer[i], np.float32(0))
            late[i, s] = own[i, s]


@later
def _all_planes(first, buffer, own, late):
    """One thread for each future does all planes; those further down have nothing to do."""
    s, c = cuda.grid(2)
    if c == 0 and s < own.shape[1]:
        for plane in range(first.size - 1):
            before = np.float32(0)
            for i in range(first[plane], first[plane + 1]):
                if i > first[plane]:
                    before = max(before - buffer[i], np.float32(0))
                before += own[i, s]
                late[i, s] = before


@later
def _wrong_buffer(first, buffer, own, late):
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        before = np.float32(0)
        for i in range(first[c], first[c + 1]):
            if i > first[c]:
                before = max(before - buffer[i - 1], np.float32(0))
            before += own[i, s]
            late[i, s] = before


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
    wrong={
        "unguarded": Wrong(_unguarded, "bounds", hint="The grid is larger than planes and futures: guard both."),
        "through-planes": Wrong(
            _through_planes,
            "overlap",
            lambda first, buffer, own: _carried(first, buffer, own, chains=False),
            "a plane's first flight gets the lateness of another plane's last one.",
            "A chain begins at `first[c]` with nothing behind it.",
        ),
        "negative-too": Wrong(
            _negative_too,
            "sign",
            lambda first, buffer, own: _carried(first, buffer, own, clip=False),
            "a plane that has time to spare makes the next flight leave early. Time to spare is lost: nothing is carried, `max(0, …)`.",
        ),
        "own-before": Wrong(
            _own_before,
            "recurrence",
            lambda first, buffer, own: _carried(first, buffer, own, before="own"),
            "only what the flight before was late *by itself* is carried, not what it had been handed on.",
            "Carry on `late` of the flight before, not `own`.",
        ),
        "wrong-buffer": Wrong(
            _wrong_buffer,
            "shifted",
            lambda first, buffer, own: _carried(first, buffer, own, shift=1),
            "the buffer of the flight before is used: `buffer[i]` lies between flight i - 1 and flight i.",
        ),
        "each-flight": Wrong(_each_flight, "race", hint="One thread must go through all flights of a plane."),
        "last-left-out": Wrong(_last_left_out, "remainder", hint="`range(first[c], first[c + 1])` ends before the next plane's first already."),
        "planes-along-x": Wrong(_planes_along_x, "coalescing", hint="The fast thread index belongs to the last axis: the futures."),
        "x-for-planes": Wrong(_x_for_planes, "operands", hint=_ALONG_X),
        "reads-again": Wrong(_reads_again, "traffic", hint="Keep the lateness before in a variable of the thread."),
        "in-place": Wrong(_in_place, "aliasing", hint="`own` is given to be read."),
        "all planes": Wrong(_all_planes, "serial"),
        "host": Wrong(propagate, "callable"),
    },
    right={"in a register": _carries, "striding": _strides},
)  # fmt: skip
