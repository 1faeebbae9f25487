"""``dask-arrays.smooth``: smoothing chunk by chunk leaves seams; what it takes are the neighbours' margins."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import uniform
from ..problem import Problem
from ..properties import Drawn, Property, Strategy, dtypes, huge, nans, sizes
from ..verdict import refuse
from .judging import Lazy, LazyJudge

DEPTH = 2


def five_by_five(tile: Any) -> Any:
    """Means over 5 × 5 elements; the two outermost rows and columns of the tile stay as they are (as the notebook gives it)."""
    out = tile.copy()
    rows = tile[:-4] + tile[1:-3] + tile[2:-2] + tile[3:-1] + tile[4:]
    out[2:-2, 2:-2] = (rows[:, :-4] + rows[:, 1:-3] + rows[:, 2:-2] + rows[:, 3:-1] + rows[:, 4:]) / 25
    return out


def smooth(image: np.ndarray) -> np.ndarray:
    """The specification: for each pixel the mean over the 5 × 5 around it; outside of the image its edge is repeated."""
    return five_by_five(np.pad(image, DEPTH, mode="edge"))[DEPTH:-DEPTH, DEPTH:-DEPTH]


def _places(wrong: np.ndarray, x: Any) -> None:
    """Wrong only beside the seams between chunks, or only at the outer edge."""
    seam = np.zeros(wrong.shape, dtype=bool)
    for axis, pieces in enumerate(x.chunks):
        for edge in np.cumsum(pieces)[:-1]:
            near = [slice(None)] * 2
            near[axis] = slice(max(edge - DEPTH, 0), edge + DEPTH)
            seam[tuple(near)] = True
    edge = np.ones(wrong.shape, dtype=bool)
    edge[DEPTH:-DEPTH, DEPTH:-DEPTH] = False
    many = f"{np.count_nonzero(wrong)} of {wrong.size} pixels are wrong"
    if wrong[~edge].any() and not wrong[~edge & ~seam].any():
        refuse(
            "seams",
            f"{many}, and those inside of the image lie within {DEPTH} pixels of a seam between two chunks: there the "
            "neighbours are in another chunk.",
        )
    if not wrong[~edge].any():
        refuse(
            "border",
            f"{many}, all of them at the outer edge of the image. There the edge's own pixels are to be repeated outwards.",
        )


SMOOTH = Problem(
    id="dask-arrays.smooth",
    title="A smoothed image without seams",
    kind="repair",
    answers=("smooth",),
    lines=1,
    specification=smooth,
    judge=LazyJudge(
        cases=(
            Lazy("40 × 60 pixels in chunks of 20 × 20", lambda: uniform(40, 60), (20, 20)),
            Lazy("27 × 31 in chunks that do not fit evenly", lambda: uniform(27, 31, seed=1), (10, 11)),
            Lazy("a single chunk", lambda: uniform(12, 9, seed=2), (12, 9)),
            Lazy("NumPy's chunks", lambda: uniform(30, 30, seed=3), (11, 30), device=False),
            Lazy("120 × 120 in chunks of 40 × 40", lambda: uniform(120, 120, seed=4), (40, 40), sized=True),
        ),
        unlisted=(
            Lazy("chunks of one row", lambda: uniform(11, 12, seed=5), ((5, 1, 5), (12,))),
            Lazy("an image that is larger at the right", lambda: np.arange(400.0).reshape(20, 20) ** 2, (8, 8)),
        ),
        drawn=Drawn(
            lambda rng, size: (rng.random(size),),
            (23, 29),
            Property(
                (
                    Strategy("chunks of prime sizes", settings={"chunks": (7, 11)}),
                    Strategy("a column of its own in a chunk", settings={"chunks": ((23,), (13, 1, 15))}),
                    Strategy("rows in one chunk", settings={"chunks": (23, 5)}),
                )
            ),
            sizes((5, 37), (3, 3), words="{0[0]} × {0[1]} pixels"),
            nans(),
            huge(rtol=1e-12),
            dtypes("float32", rtol=1e-5),
            case=lambda name, make, chunks=(8, 8), **more: Lazy(name, lambda: make()[0], chunks, **more),
        ),
        places=_places,
        verified="seams and edges as if it were one image, chunk by chunk, nothing computed while it was built",
    ),
    hints=(
        "`map_blocks` hands your function one chunk, and it pads the chunk with the chunk's own edge. What should stand there?",
        "`image.map_overlap(function, depth=…, boundary=…)` gives each chunk a margin of its neighbours' pixels before, and cuts it off after.",
        'How many neighbours does 5 × 5 reach to on each side? And at the outer edge, `boundary="nearest"` repeats the edge\'s pixel.',
    ),
    advice={
        "seams": "`map_overlap` in place of `map_blocks` fetches the margins from the neighbours; 5 × 5 needs two pixels of them.",
        "border": '`boundary="nearest"` repeats the edge.',
        "aliasing": "Take a copy of the tile first, as the given `five_by_five` does.",
        "shape": "The margins have to be cut off again. `map_overlap` does that unless it is told `trim=False`; `trim_internal` has to know the boundary, too.",
        "chunk": "The image as one chunk is what a GPU has no room for. Margins are enough.",
    },
)
