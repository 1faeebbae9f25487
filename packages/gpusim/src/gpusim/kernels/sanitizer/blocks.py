"""Which blocks the first launch of a kernel traces."""

from __future__ import annotations

import itertools

import numpy as np

from ..limits import three

MOST = 64


def choose(griddim: int | tuple[int, ...], limit: int = MOST) -> np.ndarray:
    """Choose the blocks in which mistakes are most likely to show.

    All, if there are at most `limit`.  Otherwise the corners of the grid with the block next to each along every axis,
    then those on both sides of each edge half-way along it, then a pair of neighbours in the middle; the rest spread
    evenly over the grid.  Neighbours, because races over a halo are between them; the last blocks along each axis,
    because those are the ones that are only partly filled.

    Parameters
    ----------
    griddim : int or tuple of one to three int
    limit : int
        Blocks to choose at most.

    Returns
    -------
    numpy.ndarray, int64
        Linear ids (x fastest), ascending, without repetition.
    """
    dims = three(griddim)
    total = dims[0] * dims[1] * dims[2]
    if total <= limit:
        return np.arange(total)
    chosen: dict[int, None] = {}
    for place in _notable(dims):
        x, y, z = place
        chosen.setdefault(x + dims[0] * (y + dims[1] * z))
    ids = list(chosen)[:limit]
    spread = np.linspace(0, total - 1, limit, dtype=np.int64)
    # Nearest to the middle of what is missing first: where the limit cuts, the spread stays even.
    taken = set(ids)
    rest = [int(i) for i in spread if int(i) not in taken]
    missing = limit - len(ids)
    picked = [rest[i] for i in np.linspace(0, len(rest) - 1, min(missing, len(rest)), dtype=int)] if rest else []
    return np.array(sorted({*ids, *picked}), np.int64)


def _notable(dims: tuple[int, int, int]) -> list[tuple[int, ...]]:
    """Places worth a look, the most important first."""
    ends = [sorted({0, n - 1}) for n in dims]
    inner = [sorted({min(1, n - 1), max(n - 2, 0)}) for n in dims]
    middle = [n // 2 for n in dims]
    corners = list(itertools.product(*ends))
    beside = [(*c[:axis], i, *c[axis + 1 :]) for c in corners for axis in range(3) for i in inner[axis]]
    # Both sides of an edge, half-way along: the other coordinates at an end, or one inside of it.
    edges = []
    for along in range(3):
        if dims[along] > 2:
            across = [sorted({*ends[a], *inner[a]}) if a != along else [middle[along]] for a in range(3)]
            edges += itertools.product(*across)
    centre = tuple(middle)
    neighbours = [(*centre[:a], max(centre[a] - 1, 0), *centre[a + 1 :]) for a in range(3)]
    nearest = [b for b in beside if _touches(b, corners)]
    return [*corners, *nearest, *sorted(edges, key=lambda e: _depth(e, dims)), centre, *neighbours]


def _touches(place: tuple[int, ...], corners: list[tuple[int, ...]]) -> bool:
    return any(sum(abs(a - b) for a, b in zip(place, corner, strict=True)) == 1 for corner in corners)


def _depth(place: tuple[int, ...], dims: tuple[int, ...]) -> int:
    """How many coordinates are not at an end: blocks on the rim come before those behind it."""
    return sum(a not in (0, n - 1) for a, n in zip(place, dims, strict=True))
