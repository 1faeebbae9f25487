"""``capstone.wall``: a picture too large for one device, cleaned in chunks without a seam. Open-ended: judged by what each task holds, and by
how many there are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case
from ..graphs import Ran
from ..problem import Mistake, Problem
from ..verdict import refuse
from .lazily import Chunked, LazyJudge
from .median import _ranked, noisy


def clean(wall: np.ndarray) -> np.ndarray:
    """The specification: the median of 3 × 3 of wall (n, m) float32, beyond the border the pixel on the border; for the learner a Dask
    array."""
    return _ranked(wall)


def _edges(own: Chunked) -> tuple[tuple[int, ...], tuple[int, ...]]:
    import dask.array as da

    return da.core.normalize_chunks(own.chunks, own.numbers.shape, dtype=own.numbers.dtype)


def seams(got: np.ndarray, expected: np.ndarray, wall: Chunked) -> None:
    """Refuse a result that is wrong only beside the cuts."""
    near = np.zeros(expected.shape, bool)
    for axis, sizes in enumerate(_edges(wall)):
        for cut in np.cumsum(sizes)[:-1]:
            near[(slice(None),) * axis + (slice(cut - 1, cut + 1),)] = True
    wrong = got != expected
    if near.any() and not (wrong & ~near).any():
        refuse(
            "seam",
            f"{int(wrong.sum())} pixels are wrong, and all of them lie beside a cut between two chunks: a pixel there needs its neighbours "
            "in the next chunk.",
            advice="`map_overlap(…, depth=1, boundary='nearest')` gives each chunk one row and column of its neighbours.",
        )


def _allowed(wall: Chunked) -> float:
    """Twice the largest chunk with its overlap."""
    high, wide = (max(sizes) for sizes in _edges(wall))
    return 2 * (high + 2) * (wide + 2) * wall.numbers.itemsize


_GRID = "Does your grid grow with the chunk? It has to cover all of its rows and columns, and those around it."


def _near(ran: Ran, given: Any) -> str:
    made = sum(task.nbytes for task in ran.tasks)
    return f"How near to the limit: {100 * 2 * given.nbytes / made:.2g} % (the limit: each pixel handed over once and cleaned once)."


WALL = Problem(
    id="capstone.wall",
    title="A wall of pictures",
    kind="open",
    track="pictures",
    answers=("clean",),
    specification=clean,
    lines=6,
    judge=LazyJudge(
        (
            Case("30 × 44 pixels in chunks of 10 × 11", lambda: (Chunked(noisy(30, 44, 1), (10, 11)),)),
            Case("23 × 19 pixels, uneven chunks", lambda: (Chunked(noisy(23, 19, 2), (9, 7)),)),
            Case("negative numbers", lambda: (Chunked(noisy(16, 20, 3) - 3, (8, 10)),)),
            Case("one chunk", lambda: (Chunked(noisy(12, 9, 4), (-1, -1)),)),
            Case("5 × 3 100 pixels in two chunks", lambda: (Chunked(noisy(5, 3100, 6), (-1, 1600)),), hint=_GRID),
            Case("3 100 × 5 pixels in two chunks", lambda: (Chunked(noisy(3100, 5, 7), (1600, -1)),), hint=_GRID),
            Case("a last chunk of one row and one column", lambda: (Chunked(noisy(17, 13, 8), (8, 6)),)),
            Case("numbers of about 1e30", lambda: (Chunked(noisy(12, 14, 9) * np.float32(1e30), (6, 7)),)),
            Case("64 × 64 pixels in chunks of 16", lambda: (Chunked(noisy(64, 64, 5), (16, 16)),)),
        ),
        unlisted=(Case("a first chunk of one row and one column", lambda: (Chunked(noisy(47, 83, 10), ((1, 46), (1, 80, 2))),), hint=_GRID),),
        chunk=_allowed,
        tasks=60.0,
        rtol=0.0,
        atol=0.0,
        seams=seams,
        near=_near,
        dtype=True,
        verified="no seam, lazy, on the device",
    ),
    hints=(
        "A pixel at a cut needs its neighbours in the next chunk. Which method of a Dask array hands each chunk a margin?",
        "`wall.map_overlap(function, depth=1, boundary=…)`: `depth` is how far a pixel looks, `boundary` what lies beyond the whole wall's border.",
        "The function launches your kernel on one chunk and returns a new array. `boundary='nearest'`, `dtype=wall.dtype`, "
        "`meta=wall._meta`, and no `compute`.",
    ),
    advice={
        "seam": "Columns have neighbours in the next chunk, too: `depth=1` for both axes.",
        "held": "A pixel looks one pixel far: the wall need not be in one piece.",
        "tasks": "Leave the chunks as large as they come.",
    },
    mistakes={
        "zeros": Mistake(
            "border",
            "beyond the wall's border there are zeros; asked for is the pixel on the border: `boundary='nearest'`.",
            lambda wall: _ranked(wall.numbers, mode="constant"),
        ),
        "wrapped": Mistake(
            "wrapped",
            "the border looks at the other side of the wall; asked for is the pixel on the border: `boundary='nearest'`.",
            lambda wall: _ranked(wall.numbers, mode="wrap"),
        ),
        "twice": Mistake(
            "twice",
            "the median was taken twice, which takes fine lines away as well.",
            lambda wall: _ranked(_ranked(wall.numbers)),
        ),
        "five-wide": Mistake(
            "reach", "it looks at 5 × 5 pixels; asked for are 3 × 3.", lambda wall: _five(wall.numbers)
        ),
    },
)  # fmt: skip


def _five(x: np.ndarray) -> np.ndarray:
    from scipy import ndimage

    return ndimage.median_filter(x, size=5, mode="nearest")
