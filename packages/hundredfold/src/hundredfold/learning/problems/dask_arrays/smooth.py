"""``dask-arrays.smooth``: smoothing chunk by chunk leaves seams; what it takes are the neighbours' margins."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import uniform
from ..devices import cp
from ..edits import edit
from ..problem import Problem, Wrong
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


def _starter(image):
    return image.map_blocks(lambda tile: smooth_any(tile), dtype=image.dtype)


def smooth_any(tile: Any) -> Any:
    """A whole image of NumPy's or CuPy's."""
    return five_by_five(np.pad(tile, DEPTH, mode="edge"))[DEPTH:-DEPTH, DEPTH:-DEPTH]


def _overlap(image):
    return image.map_overlap(five_by_five, depth=DEPTH, boundary="nearest", dtype=image.dtype)


def _by_hand(image):
    import dask.array as da

    wide = da.overlap.overlap(image, depth=DEPTH, boundary="nearest")
    return da.overlap.trim_internal(
        wide.map_blocks(five_by_five, dtype=image.dtype), {0: DEPTH, 1: DEPTH}, boundary="nearest"
    )


def _in_two_steps(image):
    def along(axis):
        def mean(tile):
            before = [slice(None)] * 2
            total = 0
            size = tile.shape[axis]
            for step in range(5):
                before[axis] = slice(step, size - 4 + step)
                total = total + tile[tuple(before)]
            out = tile.copy()
            before[axis] = slice(2, -2)
            out[tuple(before)] = total / 5
            return out

        return mean

    for axis in (0, 1):
        depth = {axis: DEPTH, 1 - axis: 0}
        image = image.map_overlap(
            along(axis), depth=depth, boundary={axis: "nearest", 1 - axis: "none"}, dtype=image.dtype
        )
    return image


def _whole(image):
    return image.rechunk(image.shape).map_blocks(smooth_any, dtype=image.dtype)


def _computed(image):
    import dask.array as da

    return da.from_array(smooth_any(image.compute()), chunks=image.chunks)


def _host(image):
    return _overlap(image.map_blocks(cp.asnumpy, dtype=image.dtype) if hasattr(image._meta, "get") else image)


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
    wrong={
        "as given": Wrong(
            _starter,
            "seams",
            hint="`map_overlap` in place of `map_blocks` fetches the margins from the neighbours; 5 × 5 needs two pixels of them.",
        ),
        "a margin of one": edit(_overlap, ("depth=DEPTH", "depth=1"), reason="seams"),
        "the opposite side": edit(
            _overlap, ("nearest", "periodic"), reason="border", hint='`boundary="nearest"` repeats the edge.'
        ),
        "mirrored": edit(_overlap, ("nearest", "reflect"), reason="border"),
        "nothing at the edge": edit(_overlap, ("nearest", "none"), reason="border"),
        "zeros at the edge": edit(_overlap, ('"nearest"', "0.0"), reason="border"),
        "not trimmed": edit(
            _overlap,
            ("boundary=", "trim=False, boundary="),
            reason="shape",
            hint="`map_overlap` cuts the margins off by itself unless told `trim=False`.",
        ),
        "one chunk": Wrong(
            _whole, "chunk", hint="The image as one chunk is what a GPU has no room for. Margins are enough."
        ),
        "computed": Wrong(_computed, "eager"),
        "on the host": Wrong(_host, "host"),
    },
    right={"overlap": _overlap, "margins by hand": _by_hand, "rows, then columns": _in_two_steps},
)
