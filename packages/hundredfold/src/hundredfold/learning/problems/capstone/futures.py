"""``capstone.futures``: ten thousand futures of a day, on as many devices as there are. Open-ended: judged by what each task holds, and by
how many there are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case
from ..graphs import Ran
from ..problem import Mistake, Problem
from .lazily import Chunked, LazyJudge
from .propagate import _carried, table

LATE = 15.0  # minutes: what the United States' statistics call late


def outlook(first: np.ndarray, buffer: np.ndarray, own: np.ndarray) -> np.ndarray:
    """The specification: for each flight the share of its futures in which it is more than 15 minutes late.

    Parameters
    ----------
    first : (p + 1,) int32
    buffer : (n,) float32
    own : (n, m) float32
        As for `propagate`; for the learner a Dask array.

    Returns
    -------
    (n,) float64
    """
    return (_carried(first, buffer, own) > LATE).mean(axis=1)


def _as_cut_gives(first, buffer, own: Chunked):
    ends = np.cumsum(_rows(own))
    cut = np.unique(np.concatenate([first, ends]))
    return (_carried(cut.astype(np.int32), buffer, own.numbers) > LATE).mean(axis=1)


def _rows(own: Chunked) -> tuple[int, ...]:
    import dask.array as da

    return da.core.normalize_chunks(own.chunks, own.numbers.shape, dtype=own.numbers.dtype)[0]


def _numbers(first, buffer, own, take):
    return take(_carried(first, buffer, own.numbers))


def _allowed(first, buffer, own: Chunked) -> float:
    """All flights of twice as many futures as come in one chunk."""
    import dask.array as da

    chunks = da.core.normalize_chunks(own.chunks, own.numbers.shape, dtype=own.numbers.dtype)
    return 2 * max(chunks[1]) * own.numbers.shape[0] * own.numbers.itemsize + 1


def _case(planes: int, futures: int, seed: int, chunks: tuple) -> tuple:
    first, buffer, own = table(planes, futures, seed)
    return first, buffer, Chunked(own, chunks)


_GRID = "Does your grid grow with the chunk? It has to cover all planes, and all futures of the chunk. And a count needs room for all of them."


def _near(ran: Ran, given: Any) -> str:
    tasks = len(ran.tasks) / given.npartitions
    return f"How near to the limit: {100 / tasks:.2g} % (the limit: one task for each chunk; yours are {tasks:.2g} × as many)."


FUTURES = Problem(
    id="capstone.futures",
    title="Ten thousand futures",
    kind="open",
    track="flights",
    answers=("outlook",),
    specification=outlook,
    lines=8,
    judge=LazyJudge(
        (
            Case("9 planes, 60 futures, chunks that cut planes", lambda: _case(9, 60, 1, (4, 15))),
            Case("5 planes, 37 futures, uneven chunks", lambda: _case(5, 37, 2, (7, 10))),
            Case("4 planes in one chunk", lambda: _case(4, 24, 3, (-1, -1))),
            Case("3 planes, 2 chunks of 2 100 futures", lambda: _case(3, 4200, 5, (-1, 2100)), hint=_GRID),
            Case("310 planes, 2 futures", lambda: _case(310, 2, 6, (-1, -1)), hint=_GRID),
            Case("12 planes, 240 futures", lambda: _case(12, 240, 4, (11, 20))),
        ),
        unlisted=(Case("a first chunk of one flight and one future", lambda: _case(6, 75, 7, ((1, 29), (1, 70, 4))), hint=_GRID),),
        chunk=_allowed,
        given=1.0,
        tasks=3.5,
        rtol=1e-9,
        atol=1e-9,
        near=_near,
        whole=lambda own: Chunked(own.numbers, (-1, own.chunks[1])),
        apart=(
            "a chunk begins in the middle of a plane: `first` counts the flights of the whole, a chunk holds some.",
            "Bring all flights into one chunk before: `rechunk({0: -1})`.",
        ),
        verified="lazy, on the device, no chunk larger than it must be",
    ),
    hints=(
        "A plane's flights need each other, so they must lie in one chunk; futures need nothing of each other.",
        "`own.rechunk({0: -1})` puts all flights together and leaves the futures cut as they are. Then `map_blocks` with a function that "
        "launches your kernel on one chunk.",
        "`late = whole.map_blocks(block, first, buffer, dtype=own.dtype, meta=own._meta)`; then `(late > 15).mean(axis=1)`, and no "
        "`compute`.",
    ),
    advice={
        "held": "All flights, and the futures as they are: `rechunk({0: -1})`. `rechunk(-1)` puts the futures together as well.",
        "tasks": "A chunk for each future is a task for each future.",
    },
    mistakes={
        "as-cut": Mistake(
            "seam",
            "planes whose flights lie in two chunks begin anew in the second: what they were late is forgotten at the seam.",
            _as_cut_gives,
            hint="Put all flights into one chunk before: `rechunk({0: -1})`.",
        ),
        "mean-first": Mistake(
            "averaged",
            "the futures were averaged before the delays travelled: the mean future has no bad days in it.",
            lambda first, buffer, own: (
                _carried(first, buffer, own.numbers.mean(axis=1, keepdims=True))[:, 0] > LATE
            ).astype(float),
            hint="First each future for itself, then the share.",
        ),
        "own-only": Mistake(
            "recurrence",
            "nothing was handed on: this is the share in which a flight is late by itself.",
            lambda first, buffer, own: (own.numbers > LATE).mean(axis=1),
        ),
        "from-fifteen": Mistake(
            "boundary",
            "15 minutes counts as late; asked for is more than 15.",
            lambda first, buffer, own: _numbers(first, buffer, own, lambda late: (late >= LATE).mean(axis=1)),
        ),
        "minutes": Mistake(
            "quantity",
            "these are minutes, the mean lateness; asked for is the share of futures.",
            lambda first, buffer, own: _numbers(first, buffer, own, lambda late: late.mean(axis=1, dtype=np.float64)),
        ),
    },
)  # fmt: skip
