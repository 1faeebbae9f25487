"""``fast-kernels.advance``: two steps of the heat equation in one launch, judged by the bytes that its requests move.

No clock, as in ``kernels.fastest``: what is compared is the sectors that the traced launch moves with the fewest that any
launch can, each temperature read once and written once for *both* steps. One block that goes over the plate moves as few, so the
launch has to have a block for each multiprocessor, too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..cases import Case, normal
from ..kernels.judging import KernelJudge, trace
from ..kernels.later import later
from ..kernels.shares import spread
from ..problem import Problem, Wrong
from ..properties import Drawn, infinities, nans, other_data, sizes, tiny
from ..verdict import refuse

cuda = None  # set by `later`
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
    """Refuse a launch of few blocks, which the bytes that it moves do not show, and one that moves more than `MOST` times the least."""
    blocks = math.prod(answer[1](np.broadcast_to(np.float32(0), (LARGE, LARGE)))[0])
    spread(_probed(*answer, problem), blocks, f"{LARGE} × {LARGE} temperatures")
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


# Written as a learner would.


def wide(rows, columns):
    return (max(-(-columns // 32), 1), max(-(-rows // 8), 1)), (32, 8)


def square(rows, columns):
    return (max(-(-columns // 32), 1), max(-(-rows // 32), 1)), (32, 32)


def _rounded_down(rows, columns):
    return (max(columns // 32, 1), max(rows // 8, 1)), (32, 8)


def _no_return(rows, columns):
    blocks, threads = (-(-columns // 32), -(-rows // 8)), (32, 8)  # noqa: F841, RUF059


@later
def tiled(u, out):
    """A block of 32 × 8 fetches 36 × 12, steps 34 × 10 of them, and steps its 32 × 8."""
    before = cuda.shared.array((12, 36), np.float32)
    after = cuda.shared.array((12, 36), np.float32)
    n, m = u.shape
    left, top = cuda.blockIdx.x * 32 - 2, cuda.blockIdx.y * 8 - 2
    t = cuda.threadIdx.y * 32 + cuda.threadIdx.x
    for k in range(t, 12 * 36, 256):
        i, j = top + k // 36, left + k % 36
        before[k // 36, k % 36] = u[i, j] if 0 <= i < n and 0 <= j < m else 0
    cuda.syncthreads()
    for k in range(t, 10 * 34, 256):
        r, c = 1 + k // 34, 1 + k % 34
        i, j = top + r, left + c
        if 0 < i < n - 1 and 0 < j < m - 1:
            total = (before[r - 1, c] + before[r + 1, c]) + (before[r, c - 1] + before[r, c + 1])
            after[r, c] = np.float32(0.25) * total
        else:
            after[r, c] = before[r, c]
    cuda.syncthreads()
    r, c = cuda.threadIdx.y + 2, cuda.threadIdx.x + 2
    i, j = top + r, left + c
    if i < n and j < m:
        if 0 < i < n - 1 and 0 < j < m - 1:
            total = (after[r - 1, c] + after[r + 1, c]) + (after[r, c - 1] + after[r, c + 1])
            out[i, j] = np.float32(0.25) * total
        else:
            out[i, j] = u[i, j]


@later
def tiled_in_squares(u, out):
    """32 × 32 threads; those at the tile's rim fetch the rows and columns around it."""
    tile = cuda.shared.array((36, 36), np.float32)
    once = cuda.shared.array((34, 34), np.float32)
    n, m = u.shape
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32 - 2, cuda.blockIdx.y * 32 - 2
    for r in range(ty, 36, 32):
        for c in range(tx, 36, 32):
            tile[r, c] = u[min(max(top + r, 0), n - 1), min(max(left + c, 0), m - 1)]
    cuda.syncthreads()
    for r in range(ty, 34, 32):
        for c in range(tx, 34, 32):
            value = tile[r + 1, c + 1]
            if 0 < top + r + 1 < n - 1 and 0 < left + c + 1 < m - 1:
                value = np.float32(0.25) * (tile[r, c + 1] + tile[r + 2, c + 1] + tile[r + 1, c] + tile[r + 1, c + 2])
            once[r, c] = value
    cuda.syncthreads()
    i, j = top + 2 + ty, left + 2 + tx
    if i < n and j < m:
        value = once[ty + 1, tx + 1]
        if 0 < i < n - 1 and 0 < j < m - 1:
            value = np.float32(0.25) * (
                once[ty, tx + 1] + once[ty + 2, tx + 1] + once[ty + 1, tx] + once[ty + 1, tx + 2]
            )
        out[i, j] = value


def _one(rows, columns):
    return (1, 1), (32, 8)


@later
def _one_block(u, out):
    """A single block goes over the plate tile by tile."""
    before = cuda.shared.array((12, 36), np.float32)
    after = cuda.shared.array((12, 36), np.float32)
    n, m = u.shape
    t = cuda.threadIdx.y * 32 + cuda.threadIdx.x
    for top in range(-2, n - 2, 8):
        for left in range(-2, m - 2, 32):
            for k in range(t, 12 * 36, 256):
                i, j = top + k // 36, left + k % 36
                before[k // 36, k % 36] = u[i, j] if 0 <= i < n and 0 <= j < m else 0
            cuda.syncthreads()
            for k in range(t, 10 * 34, 256):
                r, c = 1 + k // 34, 1 + k % 34
                i, j = top + r, left + c
                after[r, c] = before[r, c]
                if 0 < i < n - 1 and 0 < j < m - 1:
                    total = (before[r - 1, c] + before[r + 1, c]) + (before[r, c - 1] + before[r, c + 1])
                    after[r, c] = np.float32(0.25) * total
            cuda.syncthreads()
            r, c = cuda.threadIdx.y + 2, cuda.threadIdx.x + 2
            i, j = top + r, left + c
            if i < n and j < m:
                out[i, j] = after[r, c]
                if 0 < i < n - 1 and 0 < j < m - 1:
                    total = (after[r - 1, c] + after[r + 1, c]) + (after[r, c - 1] + after[r, c + 1])
                    out[i, j] = np.float32(0.25) * total
            cuda.syncthreads()


@later
def by_hand(u, out):
    """As the exercise gives it: each thread makes the first step of its four neighbours itself."""
    j, i = cuda.grid(2)
    n, m = u.shape
    if i < n and j < m:
        if 0 < i < n - 1 and 0 < j < m - 1:
            total = np.float32(0)
            for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                k, h = i + di, j + dj
                if 0 < k < n - 1 and 0 < h < m - 1:
                    total += np.float32(0.25) * ((u[k - 1, h] + u[k + 1, h]) + (u[k, h - 1] + u[k, h + 1]))
                else:
                    total += u[k, h]
            out[i, j] = np.float32(0.25) * total
        else:
            out[i, j] = u[i, j]


@later
def _one_step(u, out):
    j, i = cuda.grid(2)
    n, m = u.shape
    if i < n and j < m:
        if 0 < i < n - 1 and 0 < j < m - 1:
            out[i, j] = np.float32(0.25) * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        else:
            out[i, j] = u[i, j]


@later
def _no_second_barrier(u, out):
    before = cuda.shared.array((12, 36), np.float32)
    after = cuda.shared.array((12, 36), np.float32)
    n, m = u.shape
    left, top = cuda.blockIdx.x * 32 - 2, cuda.blockIdx.y * 8 - 2
    t = cuda.threadIdx.y * 32 + cuda.threadIdx.x
    for k in range(t, 12 * 36, 256):
        i, j = top + k // 36, left + k % 36
        before[k // 36, k % 36] = u[i, j] if 0 <= i < n and 0 <= j < m else 0
    cuda.syncthreads()
    for k in range(t, 10 * 34, 256):
        r, c = 1 + k // 34, 1 + k % 34
        i, j = top + r, left + c
        after[r, c] = before[r, c]
        if 0 < i < n - 1 and 0 < j < m - 1:
            after[r, c] = np.float32(0.25) * (before[r - 1, c] + before[r + 1, c] + before[r, c - 1] + before[r, c + 1])
    r, c = cuda.threadIdx.y + 2, cuda.threadIdx.x + 2
    i, j = top + r, left + c
    if i < n and j < m:
        out[i, j] = after[r, c]
        if 0 < i < n - 1 and 0 < j < m - 1:
            out[i, j] = np.float32(0.25) * (after[r - 1, c] + after[r + 1, c] + after[r, c - 1] + after[r, c + 1])


@later
def _rim_of_one(u, out):
    """A rim of one cell, as one step needs it; for the second step its places were never written."""
    before = cuda.shared.array((12, 36), np.float32)
    after = cuda.shared.array((12, 36), np.float32)
    n, m = u.shape
    r, c = cuda.threadIdx.y + 2, cuda.threadIdx.x + 2
    i, j = cuda.blockIdx.y * 8 + cuda.threadIdx.y, cuda.blockIdx.x * 32 + cuda.threadIdx.x
    t = cuda.threadIdx.y * 32 + cuda.threadIdx.x
    for k in range(t, 12 * 36, 256):
        y, x = cuda.blockIdx.y * 8 - 2 + k // 36, cuda.blockIdx.x * 32 - 2 + k % 36
        before[k // 36, k % 36] = u[y, x] if 0 <= y < n and 0 <= x < m else 0
    cuda.syncthreads()
    after[r, c] = before[r, c]
    if 0 < i < n - 1 and 0 < j < m - 1:
        after[r, c] = np.float32(0.25) * (before[r - 1, c] + before[r + 1, c] + before[r, c - 1] + before[r, c + 1])
    cuda.syncthreads()
    if i < n and j < m:
        out[i, j] = after[r, c]
        if 0 < i < n - 1 and 0 < j < m - 1:
            out[i, j] = np.float32(0.25) * (after[r - 1, c] + after[r + 1, c] + after[r, c - 1] + after[r, c + 1])


@later
def _edge_left(u, out):
    j, i = cuda.grid(2)
    n, m = u.shape
    if 0 < i < n - 1 and 0 < j < m - 1:
        total = np.float32(0)
        for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            k, h = i + di, j + dj
            if 0 < k < n - 1 and 0 < h < m - 1:
                total += np.float32(0.25) * (u[k - 1, h] + u[k + 1, h] + u[k, h - 1] + u[k, h + 1])
            else:
                total += u[k, h]
        out[i, j] = np.float32(0.25) * total


@later
def _edge_read_beyond(u, out):
    j, i = cuda.grid(2)
    n, m = u.shape
    if i < n and j < m:
        out[i, j] = u[i, j]
        if 0 < i < n - 1 and 0 < j < m - 1:
            total = np.float32(0)
            for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                k, h = i + di, j + dj
                total += u[k - 1, h] + u[k + 1, h] + u[k, h - 1] + u[k, h + 1]
            out[i, j] = total / np.float32(16)


@later
def _in_place(u, out):
    j, i = cuda.grid(2)
    n, m = u.shape
    for _ in range(2):
        if 0 < i < n - 1 and 0 < j < m - 1:
            u[i, j] = np.float32(0.25) * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    if i < n and j < m:
        out[i, j] = u[i, j]


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
            (33, 65),
            sizes((37, 1), (4, 4), (5, 36), words="{0[0]} × {0[1]} temperatures"),
            nans(hint="Which cells can a cell reach in two steps? Only those may have a part in its mean."),
            infinities(),
            tiny(1e-9, atol=1e-14),
            other_data(),
        ),
        rtol=1e-5,
        atol=1e-4,
        races="shared",
        after=(_against_the_limit,),
        verified="two steps to the last cell, the edge as it was, and the blocks share the work",
    ),
    hints=(
        "For the second step of a cell you need the first step of its four neighbours, and for those the cells around them: two more on "
        "each side of the block's own.",
        "A block of 32 × 8 threads fetches 36 × 12 cells into shared memory, waits, steps 34 × 10 of them into a second tile, waits, and "
        "steps its own 32 × 8 into `out`.",
        "256 threads share 432 cells by `for k in range(t, 432, 256)` with t = 32 * threadIdx.y + threadIdx.x; the cell is row k // 36, "
        "column k % 36. Beyond the plate put 0, and let the plate's edge stay in both steps.",
    ),
    wrong={
        "by hand": Wrong((by_hand, wide), "traffic"),
        "one block": Wrong((_one_block, _one), "serial"),
        "one block of many": Wrong((_one_block, wide), "race"),
        "one step": Wrong(
            (_one_step, wide), "once", gives=step, why="that is one step; two are asked for.", hint="The mean of means."
        ),
        "no second barrier": Wrong(
            (_no_second_barrier, wide),
            "race",
            hint="Who has made the first step of the cells beside mine? Have they finished?",
        ),
        "rim of one": Wrong(
            (_rim_of_one, wide),
            "uninitialised",
            hint="The second step reads the first step of cells beyond the block's own. Who makes that?",
        ),
        "edge left": Wrong(
            (_edge_left, wide), "remainder", hint="Does every cell have a thread that writes it, the edge included?"
        ),
        "beyond the edge": Wrong(
            (_edge_read_beyond, wide),
            "bounds",
            hint="A neighbour may lie at the plate's edge. What is its first step?",
        ),
        "rounded down": Wrong((by_hand, _rounded_down), "remainder"),
        "in place": Wrong((_in_place, wide), "race"),
        "type": Wrong((tiled, _no_return), "type", hint="`return blocks, threads`, each a tuple of two."),
        "callable": Wrong((tiled, ((4, 16), (32, 8))), "callable", hint="`def launch(rows, columns)`."),
    },
    right={"tiled": (tiled, wide), "tiled in squares": (tiled_in_squares, square)},
)
