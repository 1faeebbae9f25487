"""``capstone.wall``: a picture too large for one device, cleaned in chunks without a seam. Open-ended: judged by what each task holds, and by
how many there are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case
from ..devices import cp
from ..graphs import Ran
from ..problem import Problem, Wrong
from ..verdict import refuse
from .lazily import Chunked, LazyJudge
from .median import _ranked, noisy


def clean(wall: np.ndarray) -> np.ndarray:
    """The specification: the median of 3 × 3 of wall (n, m) float32, beyond the border the pixel on the border; for the learner a Dask
    array."""
    return _ranked(wall)


def _filter(part, mode="nearest", size=3):
    from cupyx.scipy import ndimage

    return ndimage.median_filter(part, size=size, mode=mode)


def _right(wall):
    return wall.map_overlap(_filter, depth=1, boundary="nearest", dtype=wall.dtype, meta=wall._meta)


def _reflected(wall):
    """One pixel deep, the reflected border is the nearest."""
    return wall.map_overlap(_filter, depth={0: 1, 1: 1}, boundary="reflect", dtype=wall.dtype, meta=wall._meta)


def _by_hand(wall):
    """The overlap made, filtered, and trimmed, in three steps."""
    import dask.array as da

    wide = da.overlap.overlap(wall, depth=1, boundary="nearest")
    return da.overlap.trim_internal(
        wide.map_blocks(_filter, dtype=wall.dtype, meta=wall._meta), {0: 1, 1: 1}, "nearest"
    )


def _no_overlap(wall):
    return wall.map_blocks(_filter, dtype=wall.dtype, meta=wall._meta)


def _rows_only(wall):
    return wall.map_overlap(_filter, depth={0: 1, 1: 0}, boundary="nearest", dtype=wall.dtype, meta=wall._meta)


def _zeros(wall):
    return wall.map_overlap(_filter, depth=1, boundary=0, dtype=wall.dtype, meta=wall._meta)


def _wrapped(wall):
    return wall.map_overlap(_filter, depth=1, boundary="periodic", dtype=wall.dtype, meta=wall._meta)


def _one_chunk(wall):
    return wall.rechunk(-1).map_blocks(_filter, dtype=wall.dtype, meta=wall._meta)


def _computed(wall):
    return _right(wall).compute()


def _on_the_way(wall):
    return _right(wall.persist())


def _on_host(wall):
    return _right(wall).map_blocks(lambda part: part.get(), meta=np.empty((0, 0), "f4"))


def _through_host(wall):
    down = wall.map_blocks(lambda part: part.get(), meta=np.empty((0, 0), "f4"))
    up = down.map_overlap(lambda part: part.copy(), depth=0, boundary="none", meta=np.empty((0, 0), "f4"))
    return _right(up.map_blocks(lambda part: cp.asarray(part), meta=wall._meta))


def _twice(wall):
    return _right(_right(wall))


def _five_wide(wall):
    def five(part):
        return _filter(part, size=5)

    return wall.map_overlap(five, depth=2, boundary="nearest", dtype=wall.dtype, meta=wall._meta)


def _small_chunks(wall):
    return _right(wall.rechunk(2))


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
        chunk=_allowed,
        tasks=30.0,
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
    wrong={
        "no-overlap": Wrong(_no_overlap, "seam"),
        "rows-only": Wrong(_rows_only, "seam", hint="Columns have neighbours in the next chunk, too: `depth=1` for both axes."),
        "zeros": Wrong(
            _zeros,
            "border",
            lambda wall: _ranked(wall.numbers, mode="constant"),
            "beyond the wall's border there are zeros; asked for is the pixel on the border: `boundary='nearest'`.",
        ),
        "wrapped": Wrong(
            _wrapped,
            "wrapped",
            lambda wall: _ranked(wall.numbers, mode="wrap"),
            "the border looks at the other side of the wall; asked for is the pixel on the border: `boundary='nearest'`.",
        ),
        "one-chunk": Wrong(_one_chunk, "held", hint="A pixel looks one pixel far: the wall need not be in one piece."),
        "computed": Wrong(_computed, "eager"),
        "persisted": Wrong(_on_the_way, "eager"),
        "host": Wrong(_on_host, "host"),
        "through-the-host": Wrong(_through_host, "transfer"),
        "twice": Wrong(
            _twice,
            "twice",
            lambda wall: _ranked(_ranked(wall.numbers)),
            "the median was taken twice, which takes fine lines away as well.",
        ),
        "five-wide": Wrong(
            _five_wide,
            "reach",
            lambda wall: _five(wall.numbers),
            "it looks at 5 × 5 pixels; asked for are 3 × 3.",
        ),
        "small-chunks": Wrong(_small_chunks, "tasks", hint="Leave the chunks as large as they come."),
    },
    right={"overlap": _right, "reflected": _reflected, "in three steps": _by_hand},
)  # fmt: skip


def _five(x: np.ndarray) -> np.ndarray:
    from scipy import ndimage

    return ndimage.median_filter(x, size=5, mode="nearest")
