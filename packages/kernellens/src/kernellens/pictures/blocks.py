"""What a block does to each thread and element, as the picture's script has it too: for words, plain text and tests."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gpusim.kernels.sanitizer.log import ATOMIC, READ, WRITE

from .positions import grid
from .steps import Memory, Step, Steps

READS, WRITES, UPDATES, HALO, EARLIER = 1, 2, 4, 8, 16
"""Bits: read; written; updated atomically; read, and written by another block's threads; written in an earlier interval."""
_BIT = {READ: READS, WRITE: WRITES, ATOMIC: UPDATES}


@dataclass(frozen=True)
class Look:
    """A block, or one barrier interval of it.

    Attributes
    ----------
    threads : numpy.ndarray, uint8, shape (threads,)
        What each thread does to memory that others see.
    elements : list of (numpy.ndarray int64, numpy.ndarray uint8)
        By array the elements that are touched, ascending, and what is done to them.
    """

    threads: np.ndarray
    elements: list[tuple[np.ndarray, np.ndarray]]


def look(steps: Steps, block: int, interval: int | None = None) -> Look:
    """Return what a block does, in one interval or in all."""
    own = owned(steps, block)
    around = [_halo(steps, block, k, own.get(m.shape)) for k, m in enumerate(steps.memories)]
    threads = np.zeros(steps.log.threads_per_block, np.uint8)
    touched: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in steps.memories]
    fetched = np.zeros(len(threads), bool)  # whether what a thread read last lies in the halo
    for step in steps.of[block]:
        memory, kind = steps.memories[step.array], steps.kinds[step.site]
        if memory.space == "global" and kind == READ:
            fetched[step.threads] = around[step.array] and ~_among(step.elements, own[memory.shape])
        bits = np.full(len(step.threads), _BIT[kind], np.uint8)
        if memory.space == "global" and kind == READ or memory.space == "shared" and kind == WRITE:
            bits[fetched[step.threads]] |= HALO
        if interval is not None and step.interval != interval:
            if step.interval > interval or kind == READ or memory.space != "shared":
                continue
            bits[:] = EARLIER
        elif memory.space != "local":
            threads[step.threads] |= _BIT[kind]
        touched[step.array].append((step.elements, bits))
    return Look(threads, [_merged(parts) for parts in touched])


def _merged(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.uint8)
    elements, bits = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(elements, kind="stable")
    starts = np.flatnonzero(np.diff(elements[order], prepend=-1))
    return elements[order][starts], np.bitwise_or.reduceat(bits[order], starts)


def _among(elements: np.ndarray, those: np.ndarray) -> np.ndarray:
    """Whether each element is one of those, which are ascending."""
    return those[np.minimum(np.searchsorted(those, elements), len(those) - 1)] == elements


def owned(steps: Steps, block: int) -> dict[tuple[int, ...], np.ndarray]:
    """By shape of an array in global memory: the elements that the block writes, ascending; only shapes of which it does."""
    own: dict[tuple[int, ...], list[np.ndarray]] = {}
    for step in steps.of[block]:
        memory = steps.memories[step.array]
        if memory.space == "global" and steps.kinds[step.site] != READ:
            own.setdefault(memory.shape, []).append(step.elements)
    return {shape: np.unique(np.concatenate(parts)) for shape, parts in own.items()}


def _halo(steps: Steps, block: int, array: int, own: np.ndarray | None) -> bool:
    """Whether what a block reads of an array is its own part and a rim: on no side wider than half of that part."""
    memory = steps.memories[array]
    if own is None or memory.space != "global":
        return False
    read = [s.elements for s in steps.of[block] if s.array == array and steps.kinds[s.site] == READ]
    if not read:
        return False
    arranged = grid(memory.shape if len(memory.shape) > 1 else (1, memory.size))
    box = math.prod(int(np.ptp(axis)) + 1 for axis in arranged.split(own))
    if box > 2 * len(own):  # what it writes lies scattered, and has no rim
        return False
    for mine, seen in zip(arranged.split(own), arranged.split(np.concatenate(read)), strict=True):
        low, high = int(mine.min()), int(mine.max())
        rim = max(1, (high - low + 1) // 2)
        if seen.min() < low - rim or seen.max() > high + rim or seen.min() > high or seen.max() < low:
            return False
    return True


def index_text(memory: Memory, element: int) -> str:
    """An element as the source writes it: ``x[3, 4]``."""
    index = np.unravel_index(element, memory.shape) if memory.shape else ()
    return f"{memory.name}[{', '.join(str(int(i)) for i in index)}]"


def of_thread(steps: Steps, block: int, thread: int) -> list[tuple[Step, int]]:
    """The accesses of one thread in their order: each step with the element that the thread touches in it."""
    found = []
    for step in steps.of[block]:
        at = int(np.searchsorted(step.threads, thread))
        if at < len(step.threads) and step.threads[at] == thread:
            found.append((step, int(step.elements[at])))
    return found
