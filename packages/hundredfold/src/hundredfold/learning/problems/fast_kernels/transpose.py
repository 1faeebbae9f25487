"""``fast-kernels.transpose``: rows become columns, with requests in order on both sides, through a tile in shared memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cases import Case, normal
from ..functions import Run
from ..kernels.judging import KernelJudge, Launch, cover
from ..kernels.later import later
from ..kernels.shares import shares
from ..problem import Problem, Wrong
from ..properties import Drawn, other_data, sizes, tiny
from .looking import in_order, no_conflicts

cuda = None  # set by `later`
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


# Written as a learner would.


@later
def _padded(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        if left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[tx, r]


@later
def _skewed(x, out):
    """No column more: each row of the tile begins one bank further."""
    tile = cuda.shared.array((32, 32), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for k in range(4):
        r = ty + 8 * k
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, (tx + r) % 32] = x[top + r, left + tx]
    cuda.syncthreads()
    for k in range(4):
        r = ty + 8 * k
        if left + r < x.shape[1] and top + tx < x.shape[0]:
            out[left + r, top + tx] = tile[tx, (tx + r) % 32]


@later
def _direct(x, out):
    j, top = cuda.grid(1), cuda.blockIdx.y * 32
    for i in range(top + cuda.threadIdx.y, min(top + 32, x.shape[0]), 8):
        if j < x.shape[1]:
            out[j, i] = x[i, j]


@later
def _not_padded(x, out):
    tile = cuda.shared.array((32, 32), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        if left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[tx, r]


@later
def _no_barrier(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
    for r in range(ty, 32, 8):
        if left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[tx, r]


@later
def _as_it_stood(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        if left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[r, tx]


@later
def _one_guard(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        inside = top + r < x.shape[0] and left + tx < x.shape[1]
        if inside and left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[tx, r]


@later
def _no_guard(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        tile[r, tx] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        out[left + r, top + tx] = tile[tx, r]


@later
def _one_row_each(x, out):
    """The lecture's kernel, which has a thread for each row of a tile."""
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    if top + ty < x.shape[0] and left + tx < x.shape[1]:
        tile[ty, tx] = x[top + ty, left + tx]
    cuda.syncthreads()
    if left + ty < out.shape[0] and top + tx < out.shape[1]:
        out[left + ty, top + tx] = tile[tx, ty]


@later
def _one_warp(x, out):
    """One warp of eight takes the whole tile."""
    tile = cuda.shared.array((32, 33), np.float32)
    tx = cuda.threadIdx.x
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    if cuda.threadIdx.y == 0:
        for r in range(32):
            if top + r < x.shape[0] and left + tx < x.shape[1]:
                tile[r, tx] = x[top + r, left + tx]
        cuda.syncwarp()
        for r in range(32):
            if left + r < out.shape[0] and top + tx < out.shape[1]:
                out[left + r, top + tx] = tile[tx, r]


@later
def _barrier_inside(x, out):
    tile = cuda.shared.array((32, 33), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
            cuda.syncthreads()
    for r in range(ty, 32, 8):
        if left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[tx, r]


@later
def _whole_numbers(x, out):
    tile = cuda.shared.array((32, 33), np.int32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for r in range(ty, 32, 8):
        if top + r < x.shape[0] and left + tx < x.shape[1]:
            tile[r, tx] = x[top + r, left + tx]
    cuda.syncthreads()
    for r in range(ty, 32, 8):
        if left + r < out.shape[0] and top + tx < out.shape[1]:
            out[left + r, top + tx] = tile[tx, r]


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
        looks=(on_whole_tiles,),
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
    wrong={
        "direct": Wrong(
            _direct,
            "coalescing",
            hint="One side is across, whichever way round. What if a thread wrote another number than the one it has read?",
        ),
        "not padded": Wrong(
            _not_padded,
            "banks",
            hint="How many words apart are two numbers of one column of the tile? Which banks are those?",
        ),
        "no barrier": Wrong(
            _no_barrier, "race", hint="The number that a thread takes out was put in by another. When?"
        ),
        "as it stood": Wrong(
            _as_it_stood,
            "order",
            gives=_tiles_only,
            why="the tiles are in their new places, but within each tile nothing was exchanged.",
            hint="Within a tile, row and column have to change places, too.",
        ),
        "one guard": Wrong(
            _one_guard,
            "remainder",
            hint="A thread may have nothing to read and yet something to write: each side has a guard of its own.",
        ),
        "one row each": Wrong(
            _one_row_each,
            "uninitialised",
            hint="A block has 8 rows of threads, and its tile 32 rows: which rows does each thread take, going in and coming out?",
        ),
        "one warp": Wrong(_one_warp, "serial"),
        "no guard": Wrong(_no_guard, "bounds", hint="The last tiles are not full, on either side."),
        "barrier inside": Wrong(
            _barrier_inside, "barrier", hint="Which threads come by this barrier? It is meant for all of the block."
        ),
        "whole numbers": Wrong(
            _whole_numbers,
            "integer",
            gives=_whole,
            why="on the way through the tile the numbers lose what stands behind the point.",
            hint="Which type has each place that a number passes through?",
        ),
    },
    right={"padded": _padded, "skewed": _skewed},
)
