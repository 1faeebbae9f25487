"""``kernels.smooth``: the 3 × 3 mean of an int8 picture, right at every border, one thread for each pixel.

At the border only pixels that exist count, other than in the lecture, whose kernel would not pass here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case
from ..functions import Run
from ..problem import Mistake, Problem
from ..properties import Drawn, constants, other_data, sizes, ties
from ..verdict import refuse
from .judging import KernelJudge, Launch, beyond, cover
from .shares import accesses, shares

READS = 9
"""Of one thread: each of its nine pixels once."""


def smooth(x: np.ndarray) -> np.ndarray:
    """The specification: for each pixel of x (n, m) int8 the mean of those of the 3 × 3 around it that exist, rounded down;
    (n, m) int8.

    The same as ``ndimage.correlate(x.astype("int16"), ones, mode="constant") // ndimage.correlate(ones_like_x, …)``.
    """
    return (total(x) // existing(x)).astype(np.int8)


def existing(x: np.ndarray) -> np.ndarray:
    """How many of the 3 × 3 around each pixel of x (n, m) exist, 1 to 9; (n, m) int64."""
    return total(np.ones_like(x))


def total(x: np.ndarray, mode: str = "constant", dtype: type = np.int64) -> np.ndarray:
    """The sum of the 3 × 3 around each pixel of x (n, m), beyond the border as `numpy.pad` has it; (n, m) of `dtype`."""
    n, m = x.shape
    if not x.size:
        return x.astype(dtype)
    wide = np.pad(x, 1, mode=mode).astype(dtype)
    return sum((wide[i : i + n, j : j + m] for i in range(3) for j in range(3)), np.zeros(x.shape, dtype))


def pixels(*shape: int, seed: int = 0) -> np.ndarray:
    """Random pixels, int8 from -128 to 127."""
    return np.random.default_rng(seed).integers(-128, 128, shape, dtype=np.int8)


def _launch(x: np.ndarray) -> Launch:
    return cover(x.shape[1], x.shape[0])


def exchanged(missing: np.ndarray, run: Run) -> None:
    """Rows or columns beyond the grid's other side were not written: x was taken for the rows."""
    n, m = missing.shape
    (across, down), (wide, high) = run.problem.judge.launch(*run.host)
    outside = np.ones((n, m), bool)
    outside[: across * wide, : down * high] = False
    if outside.any() and np.array_equal(missing, outside):
        refuse(
            "transposed",
            f"no thread writes the pixel [{', '.join(str(int(i)) for i in np.argwhere(missing)[0])}]: the first number "
            "that `cuda.grid(2)` gives counts along x, which is along a row here, and your kernel takes it for the "
            "number of the row.",
            advice="`j, i = cuda.grid(2)`: x is the column.",
        )


def _without_a_pixel(finding: Any, x: np.ndarray, *_: Any) -> str:
    """The advice for what lies out of bounds if the thread has no pixel, or writes another: the guard is missing."""
    if finding.kind == "race" and finding.array == "out":
        return "Each pixel of `out` needs one thread that writes it, and no other."
    if finding.kind == "out-of-bounds" and (finding.array == "out" or beyond(finding, x.shape, _launch(x)[1])):
        return "The last blocks have more threads than there are pixels left. Which threads have a pixel to write?"
    return ""


ITS_OWN = (
    shares(
        "",
        reads=lambda x: (READS,),
        writes=lambda x: (None, 1),
        hint="The launch has a thread for each pixel: let each write its own.",
    ),
    accesses(
        "each thread reads 9 pixels at most and writes one",
        reads=lambda x: (READS, 0),
        writes=lambda x: (None, 1),
    ),
)
"""One thread reads no more than the 3 × 3 around its pixel, each once, and writes one; or fetches its part of a tile."""


def _zero_sums(x: np.ndarray) -> np.ndarray:
    return (total(x) // 9).astype(np.int8)


def nearest(x: np.ndarray) -> np.ndarray:
    """The lecture's smoothing of x (n, m) int8: the pixel at the border once more, nine in all, rounded down; (n, m) int8.

    The same as ``ndimage.correlate(x.astype("int16"), ones((3, 3), "int16"), mode="nearest") // 9``.
    """
    return (total(x, "edge") // 9).astype(np.int8)


def _wrapping(x: np.ndarray) -> np.ndarray:
    return (total(x, dtype=np.int8).astype(np.int64) // existing(x)).astype(np.int8)


def _toward_zero(x: np.ndarray) -> np.ndarray:
    return np.trunc(total(x) / existing(x)).astype(np.int8)


def _in_parts(x: np.ndarray) -> np.ndarray:
    """Each pixel divided before it is added."""
    n, m = x.shape
    out = np.zeros(x.shape, np.int64)
    for i in range(n):
        for j in range(m):
            part = x[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2].astype(np.int64)
            out[i, j] = (part // part.size).sum()
    return out.astype(np.int8)


def _upper_left(x: np.ndarray) -> np.ndarray:
    n, m = x.shape
    wide, there = (np.pad(each, ((1, 0), (1, 0))) for each in (x.astype(np.int64), np.ones(x.shape, np.int64)))
    four, count = (sum(of[i : i + n, j : j + m] for i in range(2) for j in range(2)) for of in (wide, there))
    return (four // count).astype(np.int8)


PICTURES = (
    Case("48 × 80 pixels", lambda: (pixels(48, 80),)),
    Case("13 × 37 pixels", lambda: (pixels(13, 37, seed=1),)),
    Case("64 × 64 pixels", lambda: (pixels(64, 64, seed=7),)),
    Case("one pixel", lambda: (np.array([[-77]], np.int8),)),
    Case("one row of 40", lambda: (pixels(1, 40, seed=2),)),
    Case("one column of 40", lambda: (pixels(40, 1, seed=3),)),
    Case("the brightest pixels", lambda: (np.full((9, 5), 127, np.int8),)),
    Case("no rows", lambda: (np.empty((0, 4), np.int8),)),
    Case("every other pixel of a larger picture", lambda: (pixels(30, 22, seed=4),), lambda a: a[::2, ::2]),
)

SMOOTH = Problem(
    id="kernels.smooth",
    title="Smooth a picture, to the last pixel",
    kind="write",
    answers=("smooth",),
    specification=smooth,
    lines=9,
    judge=KernelJudge(
        cases=PICTURES,
        drawn=Drawn(
            lambda rng, size: (rng.integers(-128, 128, size, dtype=np.int8),),
            (23, 41),
            sizes((8, 32), (17, 31), (2, 67), (5, 0), words="{0[0]} × {0[1]} pixels"),
            constants(),
            ties(),
            other_data(),
        ),
        launch=_launch,
        facts=ITS_OWN,
        unwritten=exchanged,
        advise=_without_a_pixel,
        verified="nothing out of bounds is touched, no negative index wraps round, no two threads race",
    ),
    hints=(
        "`j, i = cuda.grid(2)`: x runs along a row, so it is the column. Then the guard, for both.",
        "Which rows of the three exist for `i = 0`, and which for `i = n - 1`? Let the loops go through those only, and count.",
        "`range(max(i - 1, 0), min(i + 2, n))` are the rows that exist, and the same with j and m. Add up in a variable that "
        "begins as `0`, and write `total // count` once.",
    ),
    advice={
        "bounds": "Beyond the border there is no pixel. Which rows and columns of the 3 × 3 exist?",
        "wrapped": "Which row did you mean by row -1?",
        "remainder": "Every pixel has a mean, those of the border, too: let their threads in.",
        "race": "Write into `out` only: the neighbours still read x.",
        "traffic": "Read each pixel once.",
    },
    mistakes={
        "by nine": Mistake(
            "border",
            "it divides by 9 at the border, too, where fewer pixels exist.",
            _zero_sums,
            hint="Count the pixels that you add, and divide by their number.",
        ),
        "clamped": Mistake(
            "border",
            "pixels at the border count more than once, as in the lecture. Asked for: only pixels that exist, each once.",
            nearest,
            hint="Let the loops begin and end at the border, in place of clamping the index.",
        ),
        "overflow": Mistake(
            "overflow",
            "the sum ran over: nine pixels do not fit into an int8.",
            _wrapping,
            hint="Let the sum begin as `0`: in Numba that is an int64.",
        ),
        "rounding": Mistake(
            "rounding",
            "negative means were rounded towards 0; asked for: rounded down.",
            _toward_zero,
            hint="`//` rounds down.",
        ),
        "parts": Mistake(
            "integer",
            "each pixel was divided by 9 before it was added, and each time a fraction was cut off.",
            _in_parts,
            hint="Add up first, then divide once.",
        ),
        "ends early": Mistake(
            "value",
            "the row below and the column to the right are left out.",
            _upper_left,
            hint="`range(a, b)` ends before b.",
        ),
    },
)
