"""``capstone.median``: the median of 3 × 3 pixels, which takes single wrong pixels out and leaves edges as they are: a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from ..cases import Case
from ..fast_kernels.looking import in_order
from ..functions import Run
from ..kernels.judging import KernelJudge, Launch, cover
from ..kernels.shares import accesses, shares
from ..kernels.smooth import exchanged
from ..problem import Mistake, Problem
from ..properties import Drawn, Property, Strategy, constants, infinities, other_data, sizes, ties, tiny


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
    advice={
        "bounds": "`min(max(…, 0), n - 1)` for rows, the same for columns.",
        "value": "Print the nine of the first pixel that is wrong, in order: which of them should come out, and which does?",
        "remainder": "Every pixel has a median, those on the border, too.",
        "race": "Write into `out` only: other threads still read x.",
        "traffic": "Read the nine once, into an array of the thread.",
        "coalescing": "`j, i = cuda.grid(2)`: x runs along a row.",
    },
    mistakes={
        "wrapped": Mistake(
            "wrapped",
            "the border looks at the other side of the picture. Beyond it, the pixel on the border counts.",
            lambda x: _ranked(x, mode="wrap"),
        ),
        "zeros": Mistake(
            "border",
            "beyond the border there are zeros; asked for is the pixel on the border.",
            lambda x: _ranked(x, mode="constant"),
        ),
        "sixth": Mistake(
            "shifted",
            "it takes the sixth of nine numbers in order: the median is the fifth, number 4 from zero.",
            lambda x: _ranked(x, rank=5),
        ),
        "mean": Mistake(
            "averaged",
            "it takes the mean, which smears a wrong pixel over its neighbours. The median leaves it out.",
            _mean,
        ),
        "five": Mistake("reach", "it looks at five pixels, a cross; asked for are all nine.", _cross),
    },
)  # fmt: skip
