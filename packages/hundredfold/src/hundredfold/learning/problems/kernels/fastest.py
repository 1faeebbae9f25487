"""``kernels.fastest``: the lecture's smoothing in any form, with its launch; judged against the limit by what it moves.

No clock: the estimate of the lens would rest on figures that are not calibrated for every GPU. What is compared is the
sectors that the traced launch moves with the fewest that any launch can: each byte of the picture and of the result once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problem import Problem
from ..properties import Drawn, other_data, sizes
from ..verdict import refuse
from .judging import KernelJudge, trace
from .shares import spread
from .smooth import PICTURES, nearest, pixels

SIDE, LARGE = 256, 65_536
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
    """Refuse a launch that no GPU takes or of few blocks, or one whose requests move far more than the picture and the result have."""
    launch = answer[1](np.broadcast_to(np.int8(0), (LARGE, LARGE)))
    spread(_probed(*answer, problem), launch, f"{LARGE} × {LARGE} pixels")
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
            sizes(
                (1, 4100),
                (4100, 1),
                words="{0[0]} × {0[1]} pixels",
                traced=False,
                hint="Does `launch` cover a picture of any width and height?",
            ),
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
    advice={
        "launch-limit": "A block has at most 1024 threads, and a grid at most 65 535 blocks along y.",
        "remainder": "Round up: `-(-columns // 32)`.",
        "race": "One thread's rows end where the next one's begin.",
        "bounds": "The last strip may be shorter: `min(…, n)`.",
        "type": "`return blocks, threads`, each a tuple of two.",
        "callable": "`def launch(rows, columns)`.",
    },
)
