"""``kernels.fastest``: the lecture's smoothing in any form, with its launch; judged against the limit by what it moves.

No clock: the estimate of the lens would rest on figures that are not calibrated for every GPU. What is compared is the
sectors that the traced launch moves with the fewest that any launch can: each byte of the picture and of the result once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..problem import Problem, Wrong
from ..properties import Drawn, other_data, sizes
from ..verdict import refuse
from .judging import KernelJudge, trace
from .later import later
from .shares import spread
from .smooth import PICTURES, nearest, pixels
from .smooth import _clamped as clamped

cuda = None  # set by `later`
SIDE, LARGE = 256, 65_536
SECTOR = 32
MOST = 24.0
"""How many times the least bytes a launch may move: one thread a pixel with the warp along the rows moves about 13
(nine reads of one or two sectors each for 32 pixels), across the rows more than 100."""


def _probed(kernel: Any, launch: Any, problem: Problem) -> Any:
    """The trace of a launch on 256 × 256 pixels."""
    x = pixels(SIDE, SIDE, seed=11)
    return trace(problem, kernel, *launch(x), x, np.zeros_like(x))


def moved(kernel: Any, launch: Any, problem: Problem) -> float:
    """Bytes that the requests of such a launch move, over the picture's and the result's."""
    return _probed(kernel, launch, problem).moved / (2 * SIDE * SIDE)


def _against_the_limit(problem: Problem, answer: tuple[Any, Any]) -> str:
    """Refuse a launch of few blocks, or one whose requests move far more than the picture and the result have."""
    blocks = math.prod(answer[1](np.broadcast_to(np.int8(0), (LARGE, LARGE)))[0])
    spread(_probed(*answer, problem), blocks, f"{LARGE} × {LARGE} pixels")
    times = moved(*answer, problem)
    if times > MOST:
        refuse(
            "coalescing",
            f"the result is right, but the warps' requests move {times:.0f} times the bytes of picture and result. A warp "
            "should read pixels that lie side by side: 32 bytes that are one sector.",
            case=f"{SIDE} × {SIDE} pixels",
            advice="The thread whose x is one more should have the next column, and a block should be 32 threads wide.",
        )
    return f"Its requests move {times:.1f} times the bytes of picture and result; 1 is the limit."


# Written as a learner would.


def _wide(rows, columns):
    return (max(-(-columns // 128), 1), max(-(-rows // 2), 1)), (128, 2)


def _usual(rows, columns):
    return (max(-(-columns // 32), 1), max(-(-rows // 8), 1)), (32, 8)


def _tall(rows, columns):
    return (max(-(-columns // 1), 1), max(-(-rows // 256), 1)), (1, 256)


def _too_many(rows, columns):
    return (max(-(-columns // 64), 1), max(-(-rows // 32), 1)), (64, 32)


def _rounded_down(rows, columns):
    return (max(columns // 32, 1), max(rows // 8, 1)), (32, 8)


def _only_threads(rows, columns):
    return (32, 8)


def _no_return(rows, columns):
    blocks, threads = (-(-columns // 32), -(-rows // 8)), (32, 8)  # noqa: F841, RUF059


def _for_rows_along_x(rows, columns):
    return (max(-(-rows // 32), 1), max(-(-columns // 8), 1)), (32, 8)


@later
def _down_a_column(x, out):
    """A thread slides down 16 rows and keeps the sums of three pixels of the last two rows."""
    j, i = cuda.grid(2)
    n, m = x.shape
    if j < m and i * 16 < n:
        left, right = max(j - 1, 0), min(j + 1, m - 1)
        row = i * 16
        above = max(row - 1, 0)
        first = x[above, left] + x[above, j] + x[above, right]
        second = x[row, left] + x[row, j] + x[row, right]
        for k in range(row, min(row + 16, n)):
            below = min(k + 1, n - 1)
            third = x[below, left] + x[below, j] + x[below, right]
            out[k, j] = (first + second + third) // 9
            first, second = second, third


def _sixteenth(rows, columns):
    return (max(-(-columns // 64), 1), max(-(-rows // 64), 1)), (64, 4)


@later
def _transposed_threads(x, out):
    i, j = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
        out[i, j] = total // 9


def _one(rows, columns):
    return (1, 1), (32, 8)


@later
def _one_block(x, out):
    n, m = x.shape
    for i in range(cuda.threadIdx.y, n, cuda.blockDim.y):
        for j in range(cuda.threadIdx.x, m, cuda.blockDim.x):
            total = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    total += x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
            out[i, j] = total // 9


@later
def _overlapping_strips(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if j < m and i * 16 < n:
        for k in range(i * 16, min(i * 16 + 17, n)):
            total = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    total += x[min(max(k + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
            out[k, j] = total // 9


@later
def _no_last_row(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if j < m and i * 16 < n:
        left, right = max(j - 1, 0), min(j + 1, m - 1)
        for k in range(i * 16, i * 16 + 16):
            total = 0
            for di in range(-1, 2):
                row = min(max(k + di, 0), n - 1)
                total += x[row, left] + x[row, j] + x[row, right]
            out[k, j] = total // 9


FASTEST = Problem(
    id="kernels.fastest",
    title="As near to the limit as you can",
    kind="open",
    answers=("smooth", "launch"),
    specification=nearest,
    lines=15,
    judge=KernelJudge(
        # Other steps between elements are looked at in kernels.smooth: they take a compilation of their own, twice.
        cases=tuple(case for case in PICTURES if case.name != "no rows" and case.view is None),
        drawn=Drawn(
            lambda rng, size: (rng.integers(-128, 128, size, dtype=np.int8),),
            (67, 131),
            sizes((31, 33), (129, 65), words="{0[0]} × {0[1]} pixels"),
            other_data(),
        ),
        after=(_against_the_limit,),
        verified="nothing out of bounds is touched, no two threads race, and the blocks share the work",
    ),
    hints=(
        "First the right kernel with the right launch: 32 threads side by side read 32 bytes, which is one sector.",
        "Most of the nine reads fetch what the thread above has read, too. What if one thread does several rows, and keeps "
        "the sums of three pixels for the rows to come?",
        "Sum of a row's three pixels: `third`. Write `(first + second + third) // 9`, then `first, second = second, third`.",
    ),
    wrong={
        "coalescing": Wrong((_transposed_threads, _for_rows_along_x), "coalescing"),
        "tall blocks": Wrong((clamped, _tall), "coalescing"),
        "too many": Wrong((clamped, _too_many), "launch-limit", hint="A block has at most 1024 threads."),
        "rounded down": Wrong((clamped, _rounded_down), "remainder", hint="Round up: `-(-columns // 32)`."),
        "race": Wrong(
            (_overlapping_strips, _sixteenth), "race", hint="One thread's rows end where the next one's begin."
        ),
        "bounds": Wrong((_no_last_row, _sixteenth), "bounds", hint="The last strip may be shorter: `min(…, n)`."),
        "only threads": Wrong((clamped, _only_threads), "remainder"),
        "type": Wrong((clamped, _no_return), "type", hint="`return blocks, threads`, each a tuple of two."),
        "one block": Wrong((_one_block, _one), "serial"),
        "callable": Wrong((clamped, ((32, 32), (32, 8))), "callable", hint="`def launch(rows, columns)`."),
    },
    right={
        "one pixel a thread": (clamped, _usual),
        "wide blocks": (clamped, _wide),
        "down a column": (_down_a_column, _sixteenth),
    },
)
