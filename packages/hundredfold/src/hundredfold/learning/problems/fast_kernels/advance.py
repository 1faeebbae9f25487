"""``fast-kernels.advance``: two steps of the heat equation in one launch, judged by the bytes that its requests move.

No clock, as in ``kernels.fastest``: what is compared is the sectors that the traced launch moves with the fewest that any
launch can, each temperature read once and written once for *both* steps. One block that goes over the plate moves as few, so the
launch has to have a block for each multiprocessor, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case, normal
from ..kernels.judging import KernelJudge, trace
from ..kernels.shares import spread
from ..problem import Mistake, Problem
from ..properties import Drawn, infinities, nans, other_data, sizes, tiny
from ..verdict import refuse
from .looking import all_come

SIDE, LARGE = 128, 8192
MOST = 3.0
"""How many times the least bytes a launch may move. Thirteen reads a thread move about 8 times as many; a tile of 32 × 8 with
two cells around it about 1.8, one of 32 × 32 about 1.4."""


def step(u: np.ndarray) -> np.ndarray:
    """One step for temperatures u (n, m): inside the mean of the four neighbours, the edge stays; the dtype of u."""
    out = u.copy()
    if min(u.shape) > 2:
        quarter = u.dtype.type(0.25)
        out[1:-1, 1:-1] = quarter * ((u[:-2, 1:-1] + u[2:, 1:-1]) + (u[1:-1, :-2] + u[1:-1, 2:]))
    return out


def two_steps(u: np.ndarray) -> np.ndarray:
    """The specification: two such steps, for u (n, m) float32; (n, m) float32."""
    return step(step(u))


def _probed(kernel: Any, launch: Any, problem: Problem) -> Any:
    """The trace of a launch on 128 × 128 temperatures."""
    u = normal(SIDE, SIDE, seed=11, dtype="float32")
    return trace(problem, kernel, *launch(u), u, np.empty_like(u))


def moved(kernel: Any, launch: Any, problem: Problem) -> float:
    """Bytes that the requests of such a launch move, over those of reading and writing each temperature once."""
    return _probed(kernel, launch, problem).moved / (2 * SIDE * SIDE * 4)


def _against_the_limit(problem: Problem, answer: tuple[Any, Any]) -> str:
    """Refuse a launch that no GPU takes or of few blocks, which the bytes that it moves do not show, and one that moves more than `MOST` times the least."""
    launch = answer[1](np.broadcast_to(np.float32(0), (LARGE, LARGE)))
    spread(_probed(*answer, problem), launch, f"{LARGE} × {LARGE} temperatures")
    times = moved(*answer, problem)
    if times > MOST:
        refuse(
            "traffic",
            f"the result is right, but its requests move {times:.1f} times the bytes of reading and writing each temperature "
            f"once; at most {MOST:.0f} times is asked for.",
            case=f"{SIDE} × {SIDE} temperatures",
            advice="How often is one cell fetched by the threads of a block? Shared memory holds what they all need.",
        )
    return (
        f"For two steps its requests move {times:.2f} times the bytes of reading and writing each temperature once; 1 is the limit, "
        "and two launches of one step each cannot get below 2."
    )


ADVANCE = Problem(
    id="fast-kernels.advance",
    title="Two steps at the price of one",
    kind="open",
    answers=("advance", "launch"),
    specification=two_steps,
    lines=25,
    judge=KernelJudge(
        cases=(
            Case("40 × 70 temperatures", lambda: (normal(40, 70, dtype="float32", mean=50, std=20),)),
            Case("17 × 5 temperatures", lambda: (normal(17, 5, seed=1, dtype="float32", mean=50, std=20),)),
            Case("3 × 3 temperatures", lambda: (normal(3, 3, seed=2, dtype="float32"),)),
            Case("2 × 40 temperatures, all edge", lambda: (normal(2, 40, seed=3, dtype="float32"),)),
            Case("a single temperature", lambda: (np.full((1, 1), 20, np.float32),)),
        ),
        drawn=Drawn(
            lambda rng, size: ((50 + 20 * rng.standard_normal(size)).astype(np.float32),),
            (19, 37),
            sizes((37, 1), (4, 4), (5, 36), (33, 33), words="{0[0]} × {0[1]} temperatures"),
            sizes(
                (3, 4100),
                (4100, 3),
                words="{0[0]} × {0[1]} temperatures",
                traced=False,
                hint="Does `launch` cover a plate of any width and height?",
            ),
            nans(hint="Which cells can a cell reach in two steps? Only those may have a part in its mean."),
            infinities(),
            tiny(1e-9, atol=1e-14),
            other_data(),
        ),
        rtol=1e-5,
        atol=1e-4,
        races="shared",
        looks=(all_come,),
        after=(_against_the_limit,),
        verified="two steps to the last cell, the edge as it was, each barrier is passed by all, and the blocks share the work",
    ),
    hints=(
        "For the second step of a cell you need the first step of its four neighbours, and for those the cells around them: two more on "
        "each side of the block's own.",
        "A block of 32 × 8 threads fetches 36 × 12 cells into shared memory, waits, steps 34 × 10 of them into a second tile, waits, and "
        "steps its own 32 × 8 into `out`.",
        "256 threads share 432 cells by `for k in range(t, 432, 256)` with t = 32 * threadIdx.y + threadIdx.x; the cell is row k // 36, "
        "column k % 36. Beyond the plate put 0, and let the plate's edge stay in both steps.",
    ),
    advice={
        "barrier": "A thread without a cell has to come to the barriers, too.",
        "race": "Who has made the first step of the cells beside mine? Have they finished?",
        "uninitialised": "The second step reads the first step of cells beyond the block's own. Who makes that?",
        "remainder": "Does every cell have a thread that writes it, the edge included?",
        "bounds": "A neighbour may lie at the plate's edge. What is its first step?",
        "launch-limit": "A block has at most 1024 threads, and a grid at most 65 535 blocks along y.",
        "type": "`return blocks, threads`, each a tuple of two.",
        "callable": "`def launch(rows, columns)`.",
    },
    mistakes={
        "one step": Mistake("once", "that is one step; two are asked for.", step, hint="The mean of means."),
    },
)
