"""Where elements of an array, and threads of a block, stand in a picture: rows and columns of slices side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

WRAP = 32
"""Elements of a row into which one-dimensional arrays and blocks are broken: a warp is a row."""
WHOLE = 36
"""An array is shown whole up to so many rows and columns; of a larger one what the block touches, and some around it."""
MOST = 64
"""Rows and columns of a picture: where there would be more, a cell stands for several elements."""


@dataclass(frozen=True)
class Grid:
    """Slices, rows and columns that some items are arranged in.

    Attributes
    ----------
    slices, rows, columns : int
    size : int
        Items: the last row of a one-dimensional array may be shorter.
    wrapped : bool
        Whether one dimension was broken into rows.
    """

    slices: int
    rows: int
    columns: int
    size: int
    wrapped: bool

    def split(self, item: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Slice, row and column of items."""
        return item // (self.rows * self.columns), item // self.columns % self.rows, item % self.columns


def grid(shape: tuple[int, ...]) -> Grid:
    """Arrange an array; of more than three dimensions the first ones become one."""
    size = math.prod(shape)
    if len(shape) <= 1:
        return Grid(1, max(1, -(-size // WRAP)), max(1, min(size, WRAP)), size, len(shape) == 1 and size > WRAP)
    return Grid(math.prod(shape[:-2]), shape[-2], shape[-1], size, False)


def of_threads(dims: tuple[int, int, int]) -> Grid:
    """Arrange threads or blocks: x along a row, y down, z in slices."""
    x, y, z = dims
    return grid((x,)) if y == z == 1 else Grid(z, y, x, x * y * z, False)


def whole(arranged: Grid) -> Window:
    """All of a grid."""
    return Window((0, arranged.slices), (0, arranged.rows), (0, arranged.columns))


@dataclass(frozen=True)
class Window:
    """A part of a grid that is shown, ends excluded, `down` × `right` items of a slice in a cell.

    Attributes
    ----------
    slices, rows, columns : tuple of int
        ``(first, end)``.
    down, right : int
        Only `right` where one dimension is broken into rows: a cell then stands for elements that follow each other.
    """

    slices: tuple[int, int]
    rows: tuple[int, int]
    columns: tuple[int, int]
    down: int = 1
    right: int = 1

    @property
    def across(self) -> int:
        """Slices that stand beside each other."""
        count, (height, width) = self.slices[1] - self.slices[0], self.cells
        return max(1, min(count, round(math.sqrt(count * (height + 1) / (width + 1)) + 0.3)))

    @property
    def cells(self) -> tuple[int, int]:
        """Rows and columns of cells of one slice."""
        (top, bottom), (left, right) = self.rows, self.columns
        return -(-(bottom - top) // self.down), -(-(right - left) // self.right)

    @property
    def extent(self) -> tuple[int, int]:
        """Rows and columns of cells in all."""
        count, (height, width) = self.slices[1] - self.slices[0], self.cells
        if count == 1:
            return height, width
        return -(-count // self.across) * (height + 1) - 1, self.across * (width + 1) - 1

    @property
    def single(self) -> bool:
        """Whether each cell is one item, of one slice."""
        return self.down == self.right == 1 and self.slices[1] - self.slices[0] == 1

    def facts(self) -> list[int]:
        """The same as numbers, for the picture's script."""
        return [*self.slices, *self.rows, *self.columns, self.down, self.right, self.across]


def window(arranged: Grid, touched: np.ndarray, beyond: tuple[tuple[int, int, int], ...] = ()) -> tuple[Grid, Window]:
    """Return the part of an array to show for the elements that a block touches, and how it is then arranged.

    Parameters
    ----------
    arranged : Grid
    touched : numpy.ndarray, int64
        Elements.
    beyond : tuple of (int, int, int)
        Places outside of the array, as slice, row and column, that are shown too.
    """
    if arranged.wrapped:
        low, high = (int(touched.min()), int(touched.max())) if len(touched) else (0, 0)
        rows = high // WRAP - low // WRAP + 5
        if rows > MOST:  # longer rows, so that there are no more than fit
            many = -(-rows // MOST)
            arranged = Grid(1, -(-arranged.size // (WRAP * many)), WRAP * many, arranged.size, True)
            top, bottom = max(0, low // arranged.columns), min(arranged.rows, high // arranged.columns + 1)
            return arranged, Window((0, 1), (top, bottom), (0, arranged.columns), 1, many)
    places = arranged.split(touched)
    sides = (arranged.slices, arranged.rows, arranged.columns)
    spans = []
    for axis, (at, side) in enumerate(zip(places, sides, strict=True)):
        low, high = (int(at.min()), int(at.max()) + 1) if len(at) else (0, 1)
        if axis and side <= WHOLE or arranged.wrapped and axis == 2:
            low, high = 0, side
        elif axis:
            low, high = max(0, low - 2), min(side, high + 2)
        for place in beyond:
            if low - 3 <= place[axis] < high + 3:
                low, high = min(low, place[axis]), max(high, place[axis] + 1)
        spans.append((low, high))
    step = max(1, *(-(-(high - low) // MOST) for low, high in spans[1:]))
    if spans[0][1] - spans[0][0] > 16:  # more slices than anybody looks at
        spans[0] = (spans[0][0], spans[0][0] + 16)
    slices, rows, columns = spans
    return arranged, Window(slices, rows, columns, step, step)
