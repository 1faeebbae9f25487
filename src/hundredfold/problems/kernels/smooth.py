"""``kernels.smooth``: the 3 × 3 mean of an int8 picture, right at every border, one thread for each pixel."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case
from ..functions import _FullRun
from ..problem import Problem, Wrong
from ..verdict import refuse
from .judging import KernelJudge, Launch, cover
from .later import later

cuda = None  # set by `later`
READS = 9
"""Of one thread: each of its nine pixels once."""


def smooth(x: np.ndarray) -> np.ndarray:
    """The specification: for each pixel of x (n, m) int8 the sum of the 3 × 3 around it, pixels beyond the border taken
    from the border, divided by 9 and rounded down; (n, m) int8.

    The same as ``ndimage.correlate(x.astype("int16"), ones((3, 3), "int16"), mode="nearest") // 9``.
    """
    return (_sum(x, "edge", np.int64) // 9).astype(np.int8)


def _sum(x: np.ndarray, mode: str, dtype: type) -> np.ndarray:
    n, m = x.shape
    if not x.size:
        return x.astype(dtype)
    wide = np.pad(x, 1, mode=mode).astype(dtype)
    total = np.zeros(x.shape, dtype)
    for i in range(3):
        for j in range(3):
            total += wide[i : i + n, j : j + m]
    return total


def pixels(*shape: int, seed: int = 0) -> np.ndarray:
    """Random pixels, int8 from -128 to 127."""
    return np.random.default_rng(seed).integers(-128, 128, shape, dtype=np.int8)


def _launch(x: np.ndarray) -> Launch:
    return cover(x.shape[1], x.shape[0])


def _exchanged(missing: np.ndarray, run: _FullRun) -> None:
    """Rows or columns beyond the grid's other side were not written: x was taken for the rows."""
    n, m = missing.shape
    (across, down), (wide, high) = _launch(run.host[0])
    beyond = np.ones((n, m), bool)
    beyond[: across * wide, : down * high] = False
    if beyond.any() and np.array_equal(missing, beyond):
        refuse(
            "transposed",
            f"no thread writes the pixel [{', '.join(str(int(i)) for i in np.argwhere(missing)[0])}]: the first number "
            "that `cuda.grid(2)` gives counts along x, which is along a row here, and your kernel takes it for the "
            "number of the row.",
            advice="`j, i = cuda.grid(2)`: x is the column.",
        )


def few_reads(seen: Any, run: _FullRun) -> None:
    """Refuse a kernel whose threads read more than nine pixels, or write more than one."""
    reads, writes = (sum(count.most for count in each.values()) for each in (seen.reads, seen.writes))
    if reads > READS or writes > 1:
        refuse(
            "traffic",
            f"the result is right, but one thread reads {reads} times and writes {writes} time{'s' * (writes != 1)}, "
            f"where {READS} and 1 are enough.",
        )


# Written as a learner would.


@later
def _clamped(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
        out[i, j] = total // 9


@later
def _by_names(x, out):
    column = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    row = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if row >= x.shape[0] or column >= x.shape[1]:
        return
    up, down = max(row - 1, 0), min(row + 1, x.shape[0] - 1)
    left, right = max(column - 1, 0), min(column + 1, x.shape[1] - 1)
    total = x[up, left] + x[up, column] + x[up, right]
    total += x[row, left] + x[row, column] + x[row, right]
    total += x[down, left] + x[down, column] + x[down, right]
    out[row, column] = total // 9


@later
def _unclamped(x, out):
    j, i = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[i + di, j + dj]
        out[i, j] = total // 9


@later
def _upper_only(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[min(i + di, n - 1), min(j + dj, m - 1)]
        out[i, j] = total // 9


@later
def _inner_only(x, out):
    j, i = cuda.grid(2)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[i + di, j + dj]
        out[i, j] = total // 9


@later
def _zeros_beyond(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = 0
        for k in range(max(i - 1, 0), min(i + 2, n)):
            for h in range(max(j - 1, 0), min(j + 2, m)):
                total += x[k, h]
        out[i, j] = total // 9


@later
def _rows_along_x(x, out):
    i, j = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
        out[i, j] = total // 9


@later
def _narrow(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = np.int8(0)
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total = np.int8(total + x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)])
        out[i, j] = total // 9


@later
def _truncated(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
        out[i, j] = int(total / 9)


@later
def _in_place(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
        x[i, j] = total // 9
        out[i, j] = total // 9


@later
def _sum_in_out(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        out[i, j] = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                out[i, j] += x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)] // 9


@later
def _flagship(x, out):
    """One neighbour twice and another never, as in two published tutorials (docs/found.md, 1)."""
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        up, down = max(i - 1, 0), min(i + 1, n - 1)
        left, right = max(j - 1, 0), min(j + 1, m - 1)
        total = x[up, left] + x[up, j] + x[up, right] + x[i, left] + x[i, j] + x[down, j]
        total += x[down, left] + x[down, j] + x[down, right]
        out[i, j] = total // 9


@later
def _reads_twice(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                total += x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
        out[i, j] = (total + x[i, j] - x[i, j]) // 9


def _zero_sums(x: np.ndarray) -> np.ndarray:
    return (_sum(x, "constant", np.int64) // 9).astype(np.int8)


def _wrapping(x: np.ndarray) -> np.ndarray:
    return (_sum(x, "edge", np.int8).astype(np.int64) // 9).astype(np.int8)


def _toward_zero(x: np.ndarray) -> np.ndarray:
    return np.trunc(_sum(x, "edge", np.int64) / 9).astype(np.int8)


def _in_parts(x: np.ndarray) -> np.ndarray:
    """Each pixel divided by 9 before it is added."""
    n, m = x.shape
    wide = np.pad(x, 1, mode="edge").astype(np.int64) // 9
    return sum(wide[i : i + n, j : j + m] for i in range(3) for j in range(3)).astype(np.int8)


def _twice(x: np.ndarray) -> np.ndarray:
    n, m = x.shape
    wide = np.pad(x, 1, mode="edge").astype(np.int64)
    total = _sum(x, "edge", np.int64) - wide[1 : n + 1, 2 : m + 2] + wide[2 : n + 2, 1 : m + 1]
    return (total // 9).astype(np.int8)


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
    lines=8,
    judge=KernelJudge(
        cases=PICTURES,
        unlisted=(Case("other 48 × 80 pixels", lambda: (pixels(48, 80, seed=5),)),),
        launch=_launch,
        looks=(few_reads,),
        unwritten=_exchanged,
        verified="nothing out of bounds is touched, no index is negative where it matters, no thread meets another, and "
        "each reads 9 pixels and writes one",
    ),
    hints=(
        "`j, i = cuda.grid(2)`: x runs along a row, so it is the column. Then the guard, for both.",
        "The pixel beyond the border is the one at the border: which row is it for `i + di = -1`, which for `i + di = n`?",
        "`min(max(i + di, 0), n - 1)` is a row that exists, and the same with j and m. Add up in a variable that "
        "begins as `0`, and write `total // 9` once.",
    ),
    wrong={
        "bounds": Wrong(
            _unclamped,
            "bounds",
            hint="Beyond the border there is no pixel. Which one stands in for it, and what is its index?",
        ),
        "wrapped": Wrong(_upper_only, "wrapped", hint="Which row did you mean by row -1?"),
        "inner": Wrong(_inner_only, "remainder", hint="The border's pixels have a mean too: let their threads in."),
        "zeros": Wrong(
            _zeros_beyond,
            "border",
            _zero_sums,
            "beyond the border zeros were added. Asked for: the pixel at the border once more.",
            "Clamp the index, so that there are always nine pixels.",
        ),
        "transposed": Wrong(_rows_along_x, "transposed"),
        "overflow": Wrong(
            _narrow,
            "overflow",
            _wrapping,
            "the sum ran over: nine pixels do not fit into an int8.",
            "Let the sum begin as `0`: in Numba that is an int64.",
        ),
        "rounding": Wrong(
            _truncated,
            "rounding",
            _toward_zero,
            "negative means were rounded towards 0; asked for: rounded down.",
            "`//` rounds down.",
        ),
        "race": Wrong(_in_place, "race", hint="Write into `out` only: the neighbours still read x."),
        "parts": Wrong(
            _sum_in_out,
            "integer",
            _in_parts,
            "each pixel was divided by 9 before it was added, and each time a fraction was cut off.",
            "Add up first, then divide once.",
        ),
        "twice": Wrong(
            _flagship,
            "value",
            _twice,
            "one neighbour is added twice, the one below, and the one to the right never.",
            "Write the nine as three rows of three, or as two loops.",
        ),
        "traffic": Wrong(_reads_twice, "traffic", hint="Read each pixel once."),
    },
    right={"clamped": _clamped, "by names": _by_names},
)
