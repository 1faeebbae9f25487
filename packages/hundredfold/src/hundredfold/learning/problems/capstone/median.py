"""``capstone.median``: the median of 3 × 3 pixels, which takes single wrong pixels out and leaves edges as they are: a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from ..cases import Case
from ..fast_kernels.looking import in_order
from ..functions import Run
from ..kernels.judging import KernelJudge, Launch, cover
from ..kernels.later import later
from ..kernels.shares import accesses, shares
from ..kernels.smooth import exchanged
from ..problem import Problem, Wrong
from ..properties import Drawn, Property, Strategy, constants, infinities, other_data, sizes, ties, tiny

cuda = None  # set by `later`


def median(x: np.ndarray) -> np.ndarray:
    """The specification: for x (n, m) float32 the median of the 3 × 3 around each pixel, pixels beyond the border taken from the border;
    (n, m) float32. The same as ``ndimage.median_filter(x, size=3, mode="nearest")``."""
    return _ranked(x)


def _ranked(x: np.ndarray, rank: int = 4, mode: str = "nearest") -> np.ndarray:
    if not x.size:
        return x.copy()
    return ndimage.rank_filter(x, rank, size=3, mode=mode)


def _mean(x: np.ndarray) -> np.ndarray:
    return ndimage.uniform_filter(x.astype(np.float64), 3, mode="nearest").astype(np.float32) if x.size else x.copy()


def _cross(x: np.ndarray) -> np.ndarray:
    cross = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)
    return ndimage.median_filter(x, footprint=cross, mode="nearest") if x.size else x.copy()


def _launch(x: np.ndarray) -> Launch:
    return cover(x.shape[1], x.shape[0], (32, 4))


def touched(seen: Any, shape: tuple[int, ...]) -> list[dict[str, int]]:
    """How often a kernel touched each array of this shape in device memory; what a thread keeps for itself is not counted."""
    counted = seen.log.explain()
    names = {array.name for array in seen.log.arrays if array.space == "global" and tuple(array.shape) == shape}
    return [counted[name] for name in names]


def _on_whole_warps(x: np.ndarray, *most: int | None) -> tuple[int | None, ...]:
    """Limits that hold where a row is whole warps: there the order of requests is looked at before, which says more."""
    return (None, None) if x.shape[1] % 32 else most


ITS_OWN = (
    shares(
        "",
        reads=lambda x: _on_whole_warps(x, 9, None),
        writes=lambda x: _on_whole_warps(x, None, 1),
        hint="The launch has a thread for each pixel: let each write its own.",
    ),
    accesses(
        "each thread reads nine at most and writes one",
        reads=lambda x: _on_whole_warps(x, 9, 0),
        writes=lambda x: _on_whole_warps(x, None, 1),
    ),
)
_BRIGHT = Property(
    (
        Strategy("numbers of about 1e30", change=lambda rng, args: ((args[0] * 1e30).astype(np.float32),)),
        Strategy("numbers of about -1e30", change=lambda rng, args: ((-1e30 - args[0] * 1e30).astype(np.float32),)),
    ),
    "No number is too large or too small for a pixel: begin with one of the nine, not with a number of your own.",
)


def side_by_side(seen: Any, run: Run) -> None:
    """Neighbouring threads read neighbouring pixels, looked at where a row is whole warps; a 3 × 3 begins beside a sector's first byte."""
    if run.host[0].shape[1] % 32 == 0 and run.host[0].size:
        in_order(seen, run)


# Written as a learner would.


@later
def _insertion(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        k = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                value = x[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
                place = k
                while place > 0 and near[place - 1] > value:
                    near[place] = near[place - 1]
                    place -= 1
                near[place] = value
                k += 1
        out[i, j] = near[4]


@later
def _by_counting(x, out):
    """The median is that one of the nine which at most four are less than, and at most four are more than."""
    j = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    i = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if i >= x.shape[0] or j >= x.shape[1]:
        return
    near = cuda.local.array((3, 3), np.float32)
    for a in range(3):
        for b in range(3):
            near[a, b] = x[min(max(i + a - 1, 0), x.shape[0] - 1), min(max(j + b - 1, 0), x.shape[1] - 1)]
    for a in range(3):
        for b in range(3):
            less = more = 0
            for c in range(3):
                for d in range(3):
                    less += near[c, d] < near[a, b]
                    more += near[c, d] > near[a, b]
            if less <= 4 and more <= 4:
                found = near[a, b]
    out[i, j] = found


@later
def _unguarded_border(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            near[k] = x[i + k // 3 - 1, j + k % 3 - 1]
        for a in range(5):
            for b in range(a + 1, 9):
                if near[b] < near[a]:
                    near[a], near[b] = near[b], near[a]
        out[i, j] = near[4]


@later
def _wrapped(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            near[k] = x[(i + k // 3 - 1 + n) % n, (j + k % 3 - 1 + m) % m]
        for a in range(5):
            for b in range(a + 1, 9):
                if near[b] < near[a]:
                    near[a], near[b] = near[b], near[a]
        out[i, j] = near[4]


@later
def _zeros(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            r, c = i + k // 3 - 1, j + k % 3 - 1
            near[k] = x[r, c] if 0 <= r < n and 0 <= c < m else np.float32(0)
        for a in range(5):
            for b in range(a + 1, 9):
                if near[b] < near[a]:
                    near[a], near[b] = near[b], near[a]
        out[i, j] = near[4]


@later
def _sorted_once(x, out):
    """One pass of neighbours: it puts the largest at the end, and no more."""
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            near[k] = x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)]
        for k in range(8):
            if near[k] > near[k + 1]:
                near[k], near[k + 1] = near[k + 1], near[k]
        out[i, j] = near[4]


@later
def _fifth(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            near[k] = x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)]
        for a in range(8):
            for b in range(a + 1, 9):
                if near[b] < near[a]:
                    near[a], near[b] = near[b], near[a]
        out[i, j] = near[5]


@later
def _average(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        total = np.float32(0)
        for k in range(9):
            total += x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)]
        out[i, j] = total / np.float32(9)


@later
def _five(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(5, np.float32)
        near[0] = x[i, j]
        near[1] = x[max(i - 1, 0), j]
        near[2] = x[min(i + 1, n - 1), j]
        near[3] = x[i, max(j - 1, 0)]
        near[4] = x[i, min(j + 1, m - 1)]
        for a in range(3):
            for b in range(a + 1, 5):
                if near[b] < near[a]:
                    near[a], near[b] = near[b], near[a]
        out[i, j] = near[2]


@later
def _inner(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if 0 < i < n - 1 and 0 < j < m - 1:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            near[k] = x[i + k // 3 - 1, j + k % 3 - 1]
        for a in range(5):
            for b in range(a + 1, 9):
                if near[b] < near[a]:
                    near[a], near[b] = near[b], near[a]
        out[i, j] = near[4]


@later
def _into_itself(x, out):
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            near[k] = x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)]
        for a in range(5):
            for b in range(a + 1, 9):
                if near[b] < near[a]:
                    near[a], near[b] = near[b], near[a]
        x[i, j] = near[4]
        out[i, j] = near[4]


@later
def _looks_again(x, out):
    """No array of its own: each pixel is looked at nine times."""
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        found = x[i, j]
        for k in range(9):
            value = x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)]
            less, more = 0, 0
            for h in range(9):
                other = x[min(max(i + h // 3 - 1, 0), n - 1), min(max(j + h % 3 - 1, 0), m - 1)]
                less += other < value
                more += other > value
            if less <= 4 and more <= 4:
                found = value
        out[i, j] = found


@later
def _columns_along_y(x, out):
    i, j = cuda.grid(2)
    n, m = x.shape
    for r in range(i, n, cuda.blockDim.x * cuda.gridDim.x):
        for c in range(j, m, cuda.blockDim.y * cuda.gridDim.y):
            near = cuda.local.array(9, np.float32)
            for k in range(9):
                near[k] = x[min(max(r + k // 3 - 1, 0), n - 1), min(max(c + k % 3 - 1, 0), m - 1)]
            for a in range(5):
                for b in range(a + 1, 9):
                    if near[b] < near[a]:
                        near[a], near[b] = near[b], near[a]
            out[r, c] = near[4]


@later
def _one_warp(x, out):
    n, m = x.shape
    if cuda.blockIdx.x == 0 and cuda.blockIdx.y == 0 and cuda.threadIdx.y == 0:
        near = cuda.local.array(9, np.float32)
        for i in range(n):
            for j in range(cuda.threadIdx.x, m, 32):
                for k in range(9):
                    near[k] = x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)]
                for a in range(5):
                    for b in range(a + 1, 9):
                        if near[b] < near[a]:
                            near[a], near[b] = near[b], near[a]
                out[i, j] = near[4]


def noisy(n: int, m: int, seed: int = 0, share: float = 0.15) -> np.ndarray:
    """A slope with some pixels black and some white, float32."""
    rng = np.random.default_rng(seed)
    x = (np.add.outer(np.arange(n) * 0.3, np.arange(m)) / (n + m) + rng.random((n, m)) * 0.2).astype(np.float32)
    spots = rng.random((n, m))
    x[spots < share / 2] = 0.0
    x[spots > 1 - share / 2] = 1.0
    return x


MEDIAN = Problem(
    id="capstone.median",
    title="Wrong pixels out, edges kept",
    kind="write",
    track="pictures",
    answers=("median",),
    specification=median,
    lines=12,
    judge=KernelJudge(
        (
            Case("7 × 13 pixels", lambda: (noisy(7, 13),)),
            Case("8 × 64 pixels", lambda: (noisy(8, 64, 1),)),
            Case("negative numbers", lambda: (-noisy(5, 6, 2) - 1,)),
            Case("one row", lambda: (noisy(1, 9, 3),)),
            Case("one column", lambda: (noisy(9, 1, 4),)),
            Case("one pixel", lambda: (noisy(1, 1, 5),)),
        ),
        drawn=Drawn(
            lambda rng, size: (noisy(*size, rng.integers(1 << 31)),),
            (23, 40),
            sizes((33, 67), (2, 2), (4, 32), words="{0[0]} × {0[1]} pixels"),
            constants(),
            ties(),
            tiny(1e-30),
            _BRIGHT,
            infinities(),
            other_data(),
        ),
        out=lambda x: np.empty_like(x),
        launch=_launch,
        looks=(side_by_side,),
        unwritten=exchanged,
        facts=ITS_OWN,
        verified="neighbouring threads read neighbouring pixels",
    ),
    hints=(
        "One thread for each pixel, as in unit 05. It needs a place for nine numbers of its own: `cuda.local.array(9, np.float32)`.",
        "Beyond the border the pixel on the border counts: `x[min(max(i + di, 0), n - 1), …]`.",
        "Put each number in its place as it is read: as long as the one before is larger, move that up by one. The median of nine is the "
        "fifth, `near[4]`.",
    ),
    wrong={
        "unguarded-border": Wrong(_unguarded_border, "bounds", hint="`min(max(…, 0), n - 1)` for rows, the same for columns."),
        "wrapped": Wrong(
            _wrapped,
            "wrapped",
            lambda x: _ranked(x, mode="wrap"),
            "the border looks at the other side of the picture. Beyond it, the pixel on the border counts.",
        ),
        "zeros": Wrong(
            _zeros,
            "border",
            lambda x: _ranked(x, mode="constant"),
            "beyond the border there are zeros; asked for is the pixel on the border.",
        ),
        "sorted-once": Wrong(_sorted_once, "value", hint="Print the nine of the first pixel that is wrong, in order: which of them should come out, and which does?"),
        "sixth": Wrong(
            _fifth,
            "shifted",
            lambda x: _ranked(x, rank=5),
            "it takes the sixth of nine numbers in order: the median is the fifth, number 4 from zero.",
        ),
        "mean": Wrong(
            _average,
            "averaged",
            _mean,
            "it takes the mean, which smears a wrong pixel over its neighbours. The median leaves it out.",
        ),
        "five": Wrong(
            _five,
            "reach",
            _cross,
            "it looks at five pixels, a cross; asked for are all nine.",
        ),
        "inner": Wrong(_inner, "remainder", hint="Every pixel has a median, those on the border, too."),
        "into-itself": Wrong(_into_itself, "race", hint="Write into `out` only: other threads still read x."),
        "looks-again": Wrong(_looks_again, "traffic", hint="Read the nine once, into an array of the thread."),
        "columns-along-y": Wrong(_columns_along_y, "coalescing", hint="`j, i = cuda.grid(2)`: x runs along a row."),
        "one warp": Wrong(_one_warp, "serial"),
        "host": Wrong(median, "callable"),
    },
    right={"put in place": _insertion, "by counting": _by_counting},
)  # fmt: skip
