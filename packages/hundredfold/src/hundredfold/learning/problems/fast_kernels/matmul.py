"""``fast-kernels.matmul``: aᵀ b of two matrices of any shape, tile by tile through shared memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case
from ..facts import shared_reads
from ..functions import Run
from ..kernels.judging import KernelJudge, Launch, cover
from ..problem import Mistake, Problem
from ..properties import Drawn, nans, other_data, sizes
from .looking import all_come, in_order, no_conflicts

TILE = 16
WORDS = 2
"""So many words of one bank a request may want. A warp has two rows of a block of 16 × 16, and a tile that is turned and padded by a
column still meets itself once."""


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The specification: a (k, n) transposed, times b (k, m), both float32; (n, m) float32."""
    return (a.T.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)


def _numbers(rng: np.random.Generator, n: int, k: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of 13 binary digits times powers of two: every order of the additions is exact in float32, and neither whole numbers nor
    float16 hold them."""
    a, b = (rng.integers(-8191, 8192, (k, side)) / 256 for side in (n, m))
    if rng.random() < 0.5:
        a = np.sign(a) * 2.0 ** rng.integers(-2, 3, a.shape)
    else:
        b = np.sign(b) * 2.0 ** rng.integers(-2, 3, b.shape)
    return a.astype(np.float32), b.astype(np.float32)


def _pair(n: int, k: int, m: int, seed: int = 0):
    return lambda: _numbers(np.random.default_rng(seed), n, k, m)


def _launch(a: np.ndarray, b: np.ndarray) -> Launch:
    return cover(b.shape[1], a.shape[1], (TILE, TILE))


def _full_tiles(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    k = a.shape[0] // TILE * TILE
    return product(a[:k], b[:k])


def _last_tile(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    start = max(-(-a.shape[0] // TILE) - 1, 0) * TILE
    return product(a[start:], b[start:])


def _as_in_the_lecture(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a b; a ValueError where their shapes have none."""
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)


def _with_stale(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The last tiles, which are not full, still hold the ends of those before, which are added once more. A ValueError
    where there is no tile before."""
    rest = a.shape[0] % TILE
    last = a.shape[0] - rest
    if not rest or not last:
        raise ValueError("no tile is left over")
    stale = slice(last - TILE + rest, last)
    return product(a, b) + product(a[stale], b[stale])


def _share(a: np.ndarray, b: np.ndarray) -> tuple[int, int]:
    """Elements of each matrix that one thread has to read: one for each pair of tiles."""
    tiles = max(-(-a.shape[0] // TILE), 1)
    return tiles, tiles


def on_whole_tiles(seen: Any, run: Run) -> None:
    """Requests and banks are looked at where each tile is full."""
    if all(side % TILE == 0 for x in run.host for side in x.shape):
        in_order(seen, run)
        no_conflicts(seen, run, most=WORDS)


MATMUL = Problem(
    id="fast-kernels.matmul",
    title="A product of any shape",
    kind="write",
    answers=("matmul",),
    specification=product,
    lines=15,
    judge=KernelJudge(
        cases=(
            Case("16 × 16 and 16 × 16", _pair(16, 16, 16, seed=1)),
            Case("40 × 20 and 40 × 18", _pair(20, 40, 18)),
            Case("33 × 1 and 33 × 1", _pair(1, 33, 1, seed=2)),
            Case("1 × 5 and 1 × 7", _pair(5, 1, 7, seed=3)),
            Case("nothing to add: 0 × 3 and 0 × 4", _pair(3, 0, 4)),
        ),
        unlisted=(Case("50 × 17 and 50 × 33", _pair(17, 50, 33, seed=5)),),
        rtol=1e-6,
        out=lambda a, b: np.empty((a.shape[1], b.shape[1]), np.float32),
        launch=_launch,
        drawn=Drawn(
            lambda rng, size: _numbers(rng, *size),
            (19, 23, 29),
            sizes((31, 17, 2), (1, 1, 1), words="{0[1]} × {0[0]} and {0[1]} × {0[2]}"),
            nans(
                hint="NaN spreads along its own row or column only: nothing but the tile's own elements may be multiplied."
            ),
            other_data(),
        ),
        facts=(shared_reads("each fetches one element of each tile, side by side", _share),),
        races="shared",
        looks=(all_come, on_whole_tiles),
        verified="no thread reads a tile that another still fills",
    ),
    hints=(
        "For each `start` in steps of 16: every thread puts one element of a and one of b into the two tiles; all wait; every thread "
        "adds 16 products; all wait again, before the tiles are overwritten.",
        "Where there is no element, put 0 into the tile: it adds nothing. Then no thread has to be left out of the barriers.",
        "`left[ty, tx] = a[start + ty, row]` with `row = cuda.blockIdx.y * 16 + tx`: not the row that this thread writes. So the thread "
        "of row ty multiplies `left[k, ty]`. `right` is filled from `b[start + ty, j]`.",
    ),
    advice={
        "traffic": "Fetch tiles of 16 × 16 into shared memory, and multiply from there.",
        "race": "Who may read a tile before it is full? And who may fill it while others still read?",
        "barrier": "Threads beyond the edge have no result. Yet they have to come to the barriers: what could they do there that harms nobody?",
        "coalescing": "A thread need not fetch what it multiplies: let `threadIdx.x` run along a row of a, and turn the tile when you read it.",
        "banks": "Leave the tile as it was fetched, and turn it when you read it: `left[k, ty]` is one word for all threads of a row.",
        "bounds": "The last tiles are not full: in which directions?",
    },
    mistakes={
        "not cleared": Mistake(
            "uninitialised",
            "where the last tiles have no elements, those of the tiles before still stand, and are added once more.",
            _with_stale,
            hint="What lies in a tile where the matrix has no element? What could lie there that adds nothing?",
        ),
        "rounded down": Mistake(
            "remainder",
            "the last tiles, which are not full, are left out of the sums.",
            _full_tiles,
            hint="How many tiles does it take to cover 40 columns?",
        ),
        "not transposed": Mistake(
            "transposed",
            "that is a @ b, the lecture's product. Asked for is a.T @ b.",
            _as_in_the_lecture,
            hint="Element (i, j) adds up a[k, i] · b[k, j]: which part of a is a tile, and who fetches what of it?",
        ),
        "begun anew": Mistake(
            "once",
            "only the products of the last pair of tiles are in the sum.",
            _last_tile,
            hint="What becomes of the products of one pair of tiles when the next one comes?",
        ),
    },
)
