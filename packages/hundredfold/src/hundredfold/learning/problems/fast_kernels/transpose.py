"""``fast-kernels.transpose``: rows become columns, with requests in order on both sides, through a tile in shared memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case, normal
from ..functions import Run
from ..kernels.judging import KernelJudge, Launch, cover
from ..kernels.shares import shares
from ..problem import Mistake, Problem
from ..properties import Drawn, other_data, sizes, tiny
from .looking import all_come, in_order, no_conflicts

TILE, ROWS = 32, 4
"""A tile's side, and how many of its rows each thread takes."""


def transpose(x: np.ndarray) -> np.ndarray:
    """The specification: for x (n, m) float32 its transpose (m, n) float32."""
    return np.ascontiguousarray(x.T)


def _launch(x: np.ndarray) -> Launch:
    return cover(x.shape[1], x.shape[0], (TILE, TILE))[0], (TILE, TILE // ROWS)


def _tiles_only(x: np.ndarray) -> np.ndarray:
    """The tiles change places, and each stays as it is. A ValueError where x has no whole number of tiles."""
    n, m = x.shape
    tiles = x.reshape(n // TILE, TILE, m // TILE, TILE)
    return tiles.transpose(2, 1, 0, 3).reshape(m, n)


def _whole(x: np.ndarray) -> np.ndarray:
    return np.trunc(x.T)


def on_whole_tiles(seen: Any, run: Run) -> None:
    """Requests and banks are looked at where each tile is full, so that a row's ragged end costs nobody anything."""
    if all(side % TILE == 0 for side in run.host[0].shape):
        in_order(seen, run)
        no_conflicts(seen, run)


TRANSPOSE = Problem(
    id="fast-kernels.transpose",
    title="Rows to columns, in order on both sides",
    kind="write",
    answers=("transpose",),
    specification=transpose,
    lines=10,
    judge=KernelJudge(
        cases=(
            Case("64 × 96 numbers", lambda: (normal(64, 96, dtype="float32", std=100),)),
            Case("33 × 70 numbers", lambda: (normal(33, 70, seed=1, dtype="float32", std=100),)),
            Case("one row of 40", lambda: (normal(1, 40, seed=2, dtype="float32", std=100),)),
            Case("one column of 40", lambda: (normal(40, 1, seed=3, dtype="float32", std=100),)),
            Case("a single NaN", lambda: (np.full((1, 1), np.nan, np.float32),)),
            Case("no rows", lambda: (np.empty((0, 7), np.float32),)),
        ),
        drawn=Drawn(
            lambda rng, size: (rng.standard_normal(size).astype(np.float32),),
            (31, 65),
            sizes((32, 32), (65, 31), (9, 0), words="{0[0]} × {0[1]} numbers"),
            tiny(1e-30),
            other_data(),
        ),
        out=lambda x: np.empty(x.shape[::-1], x.dtype),
        launch=_launch,
        races="shared",
        looks=(all_come, on_whole_tiles),
        facts=(
            shares(
                f"each thread takes {ROWS} numbers",
                reads=lambda x: (ROWS,),
                writes=lambda x: (None, ROWS),
                hint="A tile has 32 rows and a block 8 rows of threads: let each of them take every eighth row of the tile.",
            ),
        ),
        verified="on whole tiles each request asks for bytes that lie side by side and no bank is waited for",
    ),
    hints=(
        "A warp has one `threadIdx.y` and 32 values of `threadIdx.x`. On both sides x has to run along a row: in `x[…, left + tx]` "
        "and in `out[…, top + tx]`.",
        "So each thread *writes* another element than it has read. It finds it in the tile: for each of its rows r put `tile[r, tx] = x[…]` "
        "in, wait, and take `tile[tx, r]` out. The block's corner in `out` is (left, top), where in `x` it is (top, left).",
        "In `tile[tx, r]` 32 threads read one column. In a tile 32 wide that is one bank; in a tile 33 wide it is 32 of them.",
    ),
    advice={
        "coalescing": "One side is across, whichever way round. What if a thread wrote another number than the one it has read?",
        "banks": "How many words apart are two numbers of one column of the tile? Which banks are those?",
        "race": "The number that a thread takes out was put in by another. When?",
        "remainder": "A thread may have nothing to read and yet something to write: each side has a guard of its own.",
        "uninitialised": "A block has 8 rows of threads, and its tile 32 rows: which rows does each thread take, going in and coming out?",
        "bounds": "The last tiles are not full, on either side.",
        "barrier": "Which threads come by this barrier? It is meant for all of the block.",
    },
    mistakes={
        "as it stood": Mistake(
            "order",
            "the tiles are in their new places, but within each tile nothing was exchanged.",
            _tiles_only,
            hint="Within a tile, row and column have to change places, too.",
        ),
        "whole numbers": Mistake(
            "integer",
            "on the way through the tile the numbers lose what stands behind the point.",
            _whole,
            hint="Which type has each place that a number passes through?",
        ),
    },
)
