"""What the script of a picture is given: the steps of some blocks as a few numbers each, and the facts around them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .marks import Mark
from .positions import Grid, Window, grid, of_threads, whole, window
from .steps import Step, Steps

ROW = 9
"""Numbers of a step: site, array, interval, threads, base, x, y, z, elements."""
ROOM, LESS = 16_000, 1_500
"""Numbers that a picture holds, at most about, and how many fewer for each array, whose plot takes room too: with three
arrays 61 kB as the notebook has them."""


class Pool:
    """Numbers that are written once and referred to by where they stand."""

    def __init__(self) -> None:
        self.parts: list[np.ndarray] = []
        self.length = 0
        self._known: dict[bytes, int] = {}

    def add(self, numbers: np.ndarray) -> int:
        """Return where these numbers stand."""
        numbers = np.ascontiguousarray(numbers, np.int32)
        key = numbers.tobytes()
        if key not in self._known:
            self._known[key] = self.length
            self.parts.append(numbers)
            self.length += len(numbers)
        return self._known[key]

    def numbers(self) -> np.ndarray:
        """All of them, int32."""
        return np.concatenate(self.parts) if self.parts else np.zeros(1, np.int32)


def pack(steps: Steps) -> tuple[np.ndarray, np.ndarray, list[tuple[int, int]], list[int]]:
    """Pack as many blocks as there is room for.

    Returns
    -------
    rows : numpy.ndarray, int32
        `ROW` numbers a step. `threads` is where a bit for each thread that takes part stands in the pool, -1 for all of
        them; `elements` where their elements stand if there are no factors, else -1.
    pool : numpy.ndarray, int32
    ranges : list of (int, int)
        First step and end of each block.
    blocks : list of int
        Linear ids of those that are there: at least one.
    """
    pool, rows, ranges, blocks = Pool(), [], [], []
    room = max(3_000, ROOM - LESS * len(steps.memories))
    for block in steps.blocks:
        first = len(rows)
        for step in steps.of[block]:
            rows.append(_row(step, pool, steps.log.threads_per_block))
            if blocks and len(rows) * ROW + pool.length > room or len(rows) * ROW > 2 * room:
                break
        else:
            ranges.append((first, len(rows)))
            blocks.append(block)
            continue
        if not blocks:  # one block that does very much: its first steps
            ranges.append((first, len(rows)))
            blocks.append(block)
        else:
            rows = rows[:first]
        break
    return np.array(rows, np.int32).reshape(-1), pool.numbers(), ranges, blocks


def _row(step: Step, pool: Pool, threads: int) -> list[int]:
    mask = -1
    if len(step.threads) < threads:
        bits = np.zeros(-(-threads // 32) * 32, bool)
        bits[step.threads] = True
        mask = pool.add(np.packbits(bits, bitorder="little").view("<i4"))
    if step.affine is not None:
        return [step.site, step.array, step.interval, mask, *step.affine, -1]
    return [step.site, step.array, step.interval, mask, 0, 0, 0, 0, pool.add(step.elements)]


def facts(steps: Steps, errors: list[Mark], ranges: list[tuple[int, int]], blocks: list[int]) -> dict[str, Any]:
    """What else the script has to know, as plain data."""
    log = steps.log
    shown = []
    for block, (first, end) in zip(blocks, ranges, strict=True):
        windows = windows_of(steps, block, errors)
        x, y, _ = log.griddim
        shown.append(
            {
                "place": [block % x, block // x % y, block // (x * y)],
                "first": first,
                "end": end,
                "windows": [None if w is None else [*w[1].facts(), w[0].rows, w[0].columns] for w in windows],
            }
        )
    threads = of_threads(log.blockdim)
    return {
        "blockdim": log.blockdim,
        "griddim": log.griddim,
        "threads": [threads.size, *whole(threads).facts(), threads.rows, threads.columns],
        "memories": [
            {
                "name": m.name,
                "space": m.space,
                "dtype": m.dtype,
                "itemsize": m.itemsize,
                "shape": m.shape,
                "strides": m.strides,
                # Only where it lies within a line matters, and a pointer has more digits than a script's numbers.
                "address": m.address % 4096 if m.space == "global" else m.address,
                "size": m.size,
            }
            for m in steps.memories
        ],
        "sites": [
            {
                "line": s.line,
                "kind": int(k),
                "text": s.text[:120],
                "function": "" if s.function in ("", log.kernel) else s.function,
                "offset": s.offset,
                "nbytes": s.nbytes,
            }
            for s, k in zip(log.sites, steps.kinds, strict=True)
        ],
        "blocks": shown,
        "errors": errors,
    }


def windows_of(steps: Steps, block: int, errors: list[Mark]) -> list[tuple[Grid, Window] | None]:
    """How each array is arranged for a block, and which part of it is shown; None for one that it does not touch."""
    result: list[tuple[Grid, Window] | None] = []
    for number, memory in enumerate(steps.memories):
        touched = [step.elements for step in steps.of[block] if step.array == number]
        beyond = tuple(
            tuple(mark["place"])
            for mark in errors
            if mark["array"] == number and mark["place"] and mark["block"] in (block, -1)
        )
        if memory.space == "local" or not (touched or beyond):
            result.append(None)
            continue
        elements = np.unique(np.concatenate(touched)) if touched else np.empty(0, np.int64)
        result.append(window(grid(memory.shape), elements, beyond))
    return result


def text(data: dict[str, Any]) -> str:
    """Facts as the script reads them."""
    return json.dumps(data, separators=(",", ":"), default=int)
