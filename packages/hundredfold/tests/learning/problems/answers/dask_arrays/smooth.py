"""``dask-arrays.smooth``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from typing import Any

import numpy as np

from hundredfold.learning.problems.dask_arrays.smooth import DEPTH, five_by_five
from hundredfold.learning.problems.devices import cp

from ..edits import Wrong, edit


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


def _into_the_tile(tile):
    tile[DEPTH:-DEPTH, DEPTH:-DEPTH] = five_by_five(tile)[DEPTH:-DEPTH, DEPTH:-DEPTH]
    return tile


def _whole(image):
    return image.rechunk(image.shape).map_blocks(smooth_any, dtype=image.dtype)


def _computed(image):
    import dask.array as da

    return da.from_array(smooth_any(image.compute()), chunks=image.chunks)


def _host(image):
    return _overlap(image.map_blocks(cp.asnumpy, dtype=image.dtype) if hasattr(image._meta, "get") else image)


WRONG = {
    "as given": Wrong(_starter, "seams"),
    "a margin of one": edit(_overlap, ("depth=DEPTH", "depth=1"), reason="seams"),
    "the opposite side": edit(_overlap, ("nearest", "periodic"), reason="border"),
    "mirrored": edit(_overlap, ("nearest", "reflect"), reason="border"),
    "nothing at the edge": edit(_overlap, ("nearest", "none"), reason="border"),
    "zeros at the edge": edit(_overlap, ('"nearest"', "0.0"), reason="border"),
    "not trimmed": edit(_overlap, ("boundary=", "trim=False, boundary="), reason="shape"),
    "into the tile": edit(_overlap, ("five_by_five", "_into_the_tile"), reason="aliasing"),
    "one chunk": Wrong(_whole, "chunk"),
    "computed": Wrong(_computed, "eager"),
    "on the host": Wrong(_host, "host"),
    "another dtype is said": edit(_overlap, ("dtype=image.dtype", "dtype=float"), reason="dtype"),
}
RIGHT = {"overlap": _overlap, "margins by hand": _by_hand, "rows, then columns": _in_two_steps}
