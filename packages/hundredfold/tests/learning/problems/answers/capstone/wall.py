"""``capstone.wall``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.devices import cp

from ..edits import Wrong


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


def _another_dtype(wall):
    return wall.map_overlap(_filter, depth=1, boundary="nearest", dtype="float64")


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


def _as_large_as_the_first(wall):
    """Every chunk is taken to be as large as the first."""
    high, wide = wall.chunks[0][0] + 2, wall.chunks[1][0] + 2

    def cleaned(part):
        out = cp.zeros_like(part)
        out[:high, :wide] = _filter(part)[:high, :wide]
        return out

    return wall.map_overlap(cleaned, depth=1, boundary="nearest", dtype=wall.dtype, meta=wall._meta)


def _written_over(wall):
    """The wall is cleaned once more, into the chunks that came."""

    def cleaned(part):
        part[1:-1, 1:-1] = _filter(part)[1:-1, 1:-1]
        return part

    right = _right(wall)
    return right + 0 * wall.map_blocks(cleaned, dtype=wall.dtype, meta=wall._meta)


WRONG = {
    "no-overlap": Wrong(_no_overlap, "seam"),
    "rows-only": Wrong(_rows_only, "seam"),
    "zeros": Wrong(_zeros, "border"),
    "wrapped": Wrong(_wrapped, "wrapped"),
    "one-chunk": Wrong(_one_chunk, "held"),
    "computed": Wrong(_computed, "eager"),
    "persisted": Wrong(_on_the_way, "eager"),
    "host": Wrong(_on_host, "host"),
    "through-the-host": Wrong(_through_host, "transfer"),
    "twice": Wrong(_twice, "twice"),
    "five-wide": Wrong(_five_wide, "reach"),
    "small-chunks": Wrong(_small_chunks, "tasks"),
    "as-large-as-the-first": Wrong(_as_large_as_the_first, "value"),
    "another dtype is said": Wrong(_another_dtype, "dtype"),
    "written-over": Wrong(_written_over, "aliasing"),
}
RIGHT = {"overlap": _right, "reflected": _reflected, "in three steps": _by_hand}
