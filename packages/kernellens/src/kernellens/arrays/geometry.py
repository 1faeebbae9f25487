"""How CuPy launches its elementwise kernels, its own reductions and its scans: blocks, turns of a loop, cache lines.

Read in CuPy's source [cupy/cupy@6b6d9563c4, cupy/_core: _kernel.pyx, _reduction.pyx, _routines_math.pyx,
include/cupy/carray.cuh].  What is returned are keywords for a `times.Work`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from kernellens.times.memory import LINE
from kernellens.traffic import SECTOR

BLOCK = 128
"""Threads of a block in CuPy's elementwise kernels [_kernel.pyx, block_size=128]."""

REDUCING = 512
"""Threads of a block in CuPy's own reductions and scans [_reduction.pyx, _default_block_size; _routines_math.pyx]."""

STEP = 70
"""Cycles of a turn besides its load.  The variance of 10⁸ float64 takes 195 313 turns of one block, and took an H200 72.4 ms
(`y.var()` in recordings/raw/nvidia-h200/kernels.json): 734 cycles a turn, of which 658 are the load's."""

DIVISION = 170
"""Cycles of the division that turns an element's number into two indices (carray.cuh, `CIndexer::set`).  The standard
deviation of a matrix took 89.3 ms (`y2.std()`, likewise): 905 cycles a turn."""

SCANNING = 20 * (30 + 2 * 24)
"""Cycles of a scan of 512 elements in shared memory: 20 barriers, each with a load that waits for a store."""

Shape = tuple[int, ...]
Steps = list[tuple[int, ...]]


def elementwise(reads: Sequence[np.ndarray], writes: Sequence[np.ndarray]) -> dict[str, Any]:
    """A thread for each element of the result, in its order; axes that lie one after the other in all operands are one."""
    shape = writes[0].shape
    n = math.prod(shape)
    try:
        views = [np.broadcast_to(view, shape) for view in (*reads, *writes)]
    except ValueError:  # a kernel that does not go over its result
        return {}
    shape, steps = _collapsed(shape, [view.strides for view in views])
    found = {"threads": n, "block": BLOCK, "blocks": -(-n // BLOCK), "rounds": 1.0 if reads else 0.0}
    found["cycles"] = float(STEP + DIVISION * (len(shape) - 1))
    if len(shape) == 1 and all(step[0] in (0, view.itemsize) for step, view in zip(steps, views, strict=True)):
        return found
    return found | _traffic(n, shape, steps, views, len(reads))


def _collapsed(shape: Shape, steps: Steps) -> tuple[Shape, Steps]:
    """Axes of one element left out, and neighbours put together where they are one line in all operands."""
    kept: list[tuple[int, tuple[int, ...]]] = []
    for axis, length in enumerate(shape):
        here = tuple(step[axis] for step in steps)
        if length == 1:
            continue
        if kept and all(outer == length * inner for outer, inner in zip(kept[-1][1], here, strict=True)):
            kept[-1] = (kept[-1][0] * length, here)
        else:
            kept.append((length, here))
    if not kept:
        kept = [(1, tuple(0 for _ in steps))]
    return tuple(length for length, _ in kept), [tuple(here[k] for _, here in kept) for k in range(len(steps))]


def _traffic(n: int, shape: Shape, steps: Steps, views: Sequence[np.ndarray], reads: int) -> dict[str, Any]:
    """Cache lines that the warps' requests take, and bytes that L2 could move meanwhile."""
    lanes = min(32, shape[-1])
    lines = moved = 0.0
    for number, (step, view) in enumerate(zip(steps, views, strict=True)):
        width = abs(step[-1])
        rows = 32 / lanes if len(step) > 1 and abs(step[-2]) >= LINE else 1
        lines += rows * min(lanes, max(1.0, lanes * width / LINE))
        sectors = rows * min(lanes, max(1.0, lanes * max(width, view.itemsize if width else 0) / SECTOR))
        alone = width >= LINE
        # As `times.memory` has it: a sector alone takes the turn of two, one that is written in part is read first.
        turns = (2 if alone else 1) * (2 if number >= reads and width > view.itemsize else 1)
        moved += turns * sectors * SECTOR
    warps = n / 32
    return {"requests": warps * len(views), "wavefronts": warps * lines, "moved": warps * moved}


def reduction(view: np.ndarray, axes: Sequence[int], second: bool = False) -> dict[str, Any]:
    """CuPy's own kernel of a reduction, where CUB does not take it; empty where CUB does.

    Parameters
    ----------
    view : numpy.ndarray
    axes : sequence of int
        That are reduced.
    second : bool
        Whether there is a second operand that is broadcast along these axes, as the mean of a variance: CUB takes none.
    """
    axes = sorted(axes)
    if not view.size or (not second and _by_cub(view, axes)):
        return {}
    by_step = sorted(range(view.ndim), key=lambda axis: -abs(view.strides[axis]))
    inner, outer = [a for a in by_step if a in axes], [a for a in by_step if a not in axes]
    results = math.prod(view.shape[a] for a in outer)
    together = 1  # results whose elements lie side by side, of the array or of its mean
    for a in reversed(outer):
        if not second and view.strides[a] != together * view.itemsize:
            break
        together *= view.shape[a]
    each = max(1, view.size // results)
    side = max(min(together, 32), REDUCING // each)
    side = 1 << (side.bit_length() - 1)
    blocks = -(-results // side)
    turns = -(-each // (REDUCING // side))
    along = outer[-1] if side > 1 and outer else inner[-1]
    lines = min(32.0, max(1.0, min(side if side > 1 else 32, 32) * abs(view.strides[along]) / LINE))
    warps = view.size / 32
    return {
        "threads": blocks * REDUCING,
        "block": REDUCING,
        "blocks": blocks,
        "rounds": float(turns),
        "cycles": float(turns * (STEP + DIVISION * (len(_collapsed(view.shape, [view.strides])[0]) - 1))),
        "requests": warps,
        "wavefronts": warps * lines,
    }


def _by_cub(view: np.ndarray, axes: list[int]) -> bool:
    """Contiguous memory, over all axes or the innermost ones."""
    n = len(axes)
    if view.flags.c_contiguous:
        return axes == list(range(view.ndim - n, view.ndim))
    return bool(view.flags.f_contiguous) and axes == list(range(n))


def scan(view: np.ndarray, axis: int) -> dict[str, Any]:
    """A copy, a scan of each 512 elements in shared memory, and beyond 512 a kernel that adds what came before: twice or three times all."""
    if view.ndim < 2 or not view.size:
        return {}
    blocks = view.size // view.shape[axis] * -(-view.shape[axis] // REDUCING)
    copied = np.empty((0,), view.dtype)
    step = math.prod(view.shape[axis + 1 :]) * view.itemsize
    passes = 1 if view.shape[axis] <= REDUCING else 2
    shape, steps = (REDUCING,), [(step,), (step,)]
    once = _traffic(view.size, shape, steps, [copied, copied], 1)
    return {
        "threads": blocks * REDUCING,
        "block": REDUCING,
        "blocks": blocks,
        "rounds": float(passes),
        "cycles": float(SCANNING + passes * (STEP + DIVISION)),
        **{name: passes * value for name, value in once.items()},
        "dram": 2.0 * (passes + 1) * view.nbytes,
        "launches": 1 + (3 if passes > 1 else 1),
    }
