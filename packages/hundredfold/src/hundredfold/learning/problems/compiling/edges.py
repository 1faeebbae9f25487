"""``compiling.edges``: a 3 × 3 mean that reads past the edges of the picture, to be repaired."""

from __future__ import annotations

import numpy as np

from ..cases import Case
from ..problem import Mistake, Problem
from ..properties import Drawn, Property, Strategy, constants, other_data, second_call, sizes
from .judging import CompiledJudge


def smooth(x: np.ndarray) -> np.ndarray:
    """The specification: for each pixel of x (n, m) int8 the mean of those of its 3 × 3 neighbours that exist, itself
    among them, rounded down; (n, m) int8."""
    total, count = _sums(x)
    return (total // np.maximum(count, 1)).astype(np.int8)


def _sums(x: np.ndarray, dtype: type = np.int64) -> tuple[np.ndarray, np.ndarray]:
    """Sum and number of each pixel's neighbours, sums in `dtype`."""
    n, m = x.shape
    wide, ones = (np.zeros((n + 2, m + 2), dtype) for _ in range(2))
    wide[1:-1, 1:-1], ones[1:-1, 1:-1] = x, 1
    parts = [(slice(i, i + n), slice(j, j + m)) for i in range(3) for j in range(3)]
    total, count = np.zeros((n, m), dtype), np.zeros((n, m), dtype)
    for part in parts:
        total += wide[part]
        count += ones[part]
    return total, count


def pixels(*shape: int, seed: int = 0) -> np.ndarray:
    """Random pixels, int8 from -128 to 127."""
    return np.random.default_rng(seed).integers(-128, 128, shape, dtype=np.int8)


def _greys(rng: np.random.Generator, arguments: tuple[np.ndarray]) -> tuple[np.ndarray]:
    """Every grey value in a block of its own: all means that are whole numbers, inside, at edges and in corners."""
    values = rng.permutation(np.arange(-128, 128, dtype=np.int8)).reshape(16, 16)
    return (np.kron(values, np.ones((5, 5), np.int8)),)


def _sequential(x: np.ndarray) -> np.ndarray:
    """What smoothing in place gives: the pixels above and to the left were smoothed already."""
    y = x.astype(np.int64)
    for i, j in np.ndindex(x.shape):
        part = y[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2]
        y[i, j] = part.sum() // part.size
    return y.astype(np.int8)


def _zeros_around(x: np.ndarray) -> np.ndarray:
    out = smooth(x)
    inner = np.zeros(x.shape, bool)
    inner[1:-1, 1:-1] = True
    return np.where(inner, out, 0).astype(np.int8)


def _nine(x: np.ndarray) -> np.ndarray:
    return (_sums(x)[0] // 9).astype(np.int8)


def _toward_zero(x: np.ndarray) -> np.ndarray:
    total, count = _sums(x)
    return np.trunc(total / np.maximum(count, 1)).astype(np.int8)


def _wrapping(x: np.ndarray) -> np.ndarray:
    total, count = _sums(x, np.int8)
    return (total.astype(np.int64) // np.maximum(count, 1)).astype(np.int8)


EDGES = Problem(
    id="compiling.edges",
    title="Repair the edges of a picture",
    kind="repair",
    answers=("smooth",),
    specification=smooth,
    lines=12,
    judge=CompiledJudge(
        cases=(
            Case("6 × 6 pixels", lambda: (pixels(6, 6),)),
            Case("5 × 11 pixels", lambda: (pixels(5, 11, seed=1),)),
            Case("one pixel", lambda: (np.array([[-77]], np.int8),)),
            Case("one row of 7", lambda: (pixels(1, 7, seed=2),)),
            Case("one column of 13", lambda: (pixels(13, 1, seed=3),)),
            Case("the brightest pixels", lambda: (np.full((4, 3), 127, np.int8),)),
            Case("the darkest pixels", lambda: (np.full((3, 4), -128, np.int8),)),
            Case("no rows", lambda: (np.empty((0, 4), np.int8),)),
            Case("every other pixel of a larger picture", lambda: (pixels(14, 9, seed=4),), lambda a: a[::2, ::2]),
        ),
        unlisted=(Case("other 6 × 6 pixels", lambda: (pixels(6, 6, seed=5),)),),
        drawn=Drawn(
            lambda rng, size: (rng.integers(-128, 128, size, dtype=np.int8),),
            (7, 5),
            sizes((2, 2), (2, 1), (1, 3), (31, 3), (3, 31), (0, 0), (4, 0), words="{0[0]} × {0[1]} pixels"),
            Property(
                (Strategy("every grey value in a block of its own", change=_greys),),
                "A mean that is a whole number stays as it is, and no sum may run over.",
            ),
            constants(),
            other_data(),
            second_call(hint="Make a new array in each call: whoever kept the last result still needs it."),
        ),
        steps=Case("300 × 300 pixels", lambda: (pixels(300, 300, seed=6),)),
        fresh=True,
        watched="nothing out of bounds is touched",
        verified="x is unchanged, and no pixel went through the interpreter",
    ),
    hints=(
        "For the pixel at [0, 0] write down the nine indices that are read. Which of them does the picture not have, "
        "and what does Python make of an index of -1?",
        "Ask before you read: `if 0 <= i + di < n and 0 <= j + dj < m`. And count how many you have read.",
        "`total // count` with the count of those that exist: 4 in a corner, 6 at an edge, 9 inside.",
    ),
    advice={
        "bounds": "The pixel at the end of row 0 asks for column m, which does not exist, and for row -1, which is the last one: ask before you read. A picture without pixels has none to read.",
        "wrapped": "Both ends need asking: `0 <= i + di < n`.",
        "dtype": "`np.empty_like(x)` has the picture's own dtype: one byte a pixel.",
        "interpreted": "Leave `@numba.njit` above it.",
    },
    mistakes={
        "border": Mistake(
            "border",
            "inside all is right, and the border is 0, as `@stencil` leaves it. Here the border has a mean too.",
            _zeros_around,
            hint="Let i and j run over all pixels, and ask for each neighbour whether it exists.",
        ),
        "divisor": Mistake(
            "divisor",
            "at the edges the sum was divided by 9, and it has only 4 or 6 numbers in it.",
            _nine,
            hint="Count the neighbours as you add them.",
        ),
        "rounding": Mistake(
            "rounding",
            "negative means were rounded towards 0; asked for: rounded down.",
            _toward_zero,
            hint="`//` rounds down; `int(a / b)` cuts the fraction off, and so does C's `/`.",
        ),
        "overflow": Mistake(
            "overflow",
            "the sum ran over: nine pixels of up to 127 do not fit into an int8, and it went round to the negative "
            "numbers.",
            _wrapping,
            hint="Let the sum begin as `0`: in Numba that is an int64.",
        ),
        "aliasing": Mistake(
            "aliasing",
            "it writes the means into x and goes on reading there: the pixels above and to the left were smoothed "
            "already when they were read.",
            _sequential,
            hint="Read from x, write into an array of its own: `np.empty_like(x)`.",
        ),
    },
)
