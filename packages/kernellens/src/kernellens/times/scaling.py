"""Traced blocks as samples of a larger grid: of its inside, its edges and its corners.

A block first or last along an axis does other things than one inside: it lacks a neighbour, it is partly filled.  So each
traced block stands for those of its kind: a grid has one first and one last along each axis and the rest between.
"""

from __future__ import annotations

import itertools

import numpy as np

from gpusim.kernels.sanitizer.log import Log

ALIKE = 0.05
"""Blocks of a kind that differ by less in what they calculate are taken to do the same."""

SETTLED = 0.8
"""Where the later half of the traced blocks finds less than this share of what is new on average, the sample has not seen
its fill: a table that all blocks use, scattered reads."""


class Scaling:
    """How much each traced block counts for, in a grid of a given size.

    Parameters
    ----------
    log : Log
    griddim : tuple of int, optional
        The grid that is stood for; the launch's own if left out.

    Attributes
    ----------
    exact : bool
        Whether all blocks of that very grid were traced.
    weights : numpy.ndarray
        Of each traced block: the sum of a quantity over the grid is that of its values times these.
    """

    def __init__(self, log: Log, griddim: tuple[int, int, int] | None = None):
        self.log, self.griddim = log, griddim or log.griddim
        self.total = int(np.prod(self.griddim, dtype=np.int64))
        self.exact = self.griddim == log.griddim and len(log.blocks) == self.total
        x, y, _ = log.griddim
        ids = np.asarray(log.blocks, np.int64)
        self.place = np.stack([ids % x, ids // x % y, ids // (x * y)])
        self.kinds = np.stack([_kind(axis, n) for axis, n in zip(self.place, log.griddim, strict=True)])
        self.groups = self._groups(np.ones(len(ids), bool))
        self.news = self.groups if self.exact else self._groups(self._surrounded())
        self.weights = _weights(self.groups, len(ids))

    def _groups(self, usable: np.ndarray) -> list[tuple[int, np.ndarray]]:
        """For each kind of block how many the grid has, and which traced ones stand for them."""
        if not usable.any():
            usable = np.ones_like(usable)
        found = []
        counts = [_counts(n) for n in self.griddim]
        for kind in itertools.product(range(3), repeat=3):
            count = int(np.prod([counts[axis][k] for axis, k in enumerate(kind)], dtype=np.int64))
            if count:
                # The traced blocks whose kind differs along the fewest axes.
                off = (self.kinds != np.array(kind)[:, None]).sum(axis=0) + 9 * ~usable
                found.append((count, np.flatnonzero(off == off.min())))
        return found

    def _surrounded(self) -> np.ndarray:
        """Which traced blocks have the one before them along each axis traced too, so that what is new to them is known.

        Those across a corner share with these what they share with the block, but for accesses that jump.
        """
        x, y, _ = self.log.griddim
        ids = set(self.log.blocks.tolist())
        out = np.ones(self.place.shape[1], bool)
        for axis in range(3):
            before = self.place.copy()
            before[axis] -= 1
            linear = before[0] + x * (before[1] + y * before[2])
            out &= (before[axis] < 0) | np.array([int(n) in ids for n in linear])
        return out

    def sum(self, values: np.ndarray) -> float:
        """The sum of a quantity over the grid."""
        return float(values.sum() if self.exact else (values * self.weights).sum())

    def least(self, values: np.ndarray) -> float:
        """The same for what must not be overrated: where blocks of a kind differ, the least of them stands for all."""
        if self.exact:
            return float(values.sum())
        total = 0.0
        for count, members in self.groups:
            each = values[members]
            mean = each.mean()
            total += count * (each.min() if mean and np.ptp(each) > ALIKE * mean else mean)
        return float(total)

    def first(self, values: np.ndarray, own: np.ndarray) -> float:
        """The sum of what is new to the grid with each block, not overrated.

        Where later blocks of a kind find less that is new (a table that all use), they stand for the rest; where blocks of
        a kind differ in what they use at all (`own`), the sum is scaled down to the least of them.
        """
        if self.exact:
            return float(values.sum())
        total = 0.0
        for count, members in self.news:
            each, used = values[members], own[members]
            mean = each.mean()
            later = each[len(each) // 2 :].mean()
            if later < SETTLED * mean:
                mean = later
            if used.mean() and np.ptp(used) > ALIKE * used.mean():
                mean *= used.min() / used.mean()
            total += count * mean
        return float(total)


def sample(griddim: tuple[int, int, int], most: int = 125) -> np.ndarray:
    """Blocks to trace of a large grid, so that there are some of each kind with those before them: at most 125.

    Where the log holds fewer (`most`), those in the middle and the ones before them: neighbours along x, then y, then z.

    Along each axis the first three, the last two and neighbours in the middle.  Those inside that have one before them are
    an even number, since where a sector is wider than a block is, every other one finds it new.
    """
    middle = {1: 21, 2: 5}.get(sum(n > 1 for n in griddim), 0)
    picked = []
    for n in griddim:
        start = max(0, n // 2 - middle // 2)
        picked.append(sorted({0, 1, 2, n - 2, n - 1, *range(start, start + middle)} & set(range(n))))
    x, y, _ = griddim
    found = np.array(sorted(a + x * (b + y * c) for a, b, c in itertools.product(*picked)), np.int64)
    if len(found) <= most:
        return found
    middle = [n // 2 for n in griddim]
    near = sorted(itertools.product(*(range(max(0, m - 1), m + 1) for m in middle)), reverse=True)
    near.sort(key=lambda at: sum(m - a for m, a in zip(middle, at, strict=True)))
    return np.array(sorted(a + x * (b + y * c) for a, b, c in near[: max(1, most)]), np.int64)


def _kind(position: np.ndarray, n: int) -> np.ndarray:
    """0 for first along an axis, 2 for last, 1 between."""
    return np.where(position == 0, 0, np.where(position == n - 1, 2, 1))


def _counts(n: int) -> tuple[int, int, int]:
    return (1, max(n - 2, 0), 1 if n > 1 else 0)


def _weights(groups: list[tuple[int, np.ndarray]], blocks: int) -> np.ndarray:
    out = np.zeros(blocks)
    for count, members in groups:
        out[members] += count / len(members)
    return out
