"""Hand-made logs: kernels written as plain Python generators that say themselves which elements they touch."""

from __future__ import annotations

import inspect
import itertools

import numpy as np
import pytest

from gpusim.kernels.sanitizer import findings
from gpusim.kernels.sanitizer.log import Recorder

GRID = "grid"


class Thread:
    """What a hand-made kernel is given: its place, and ways to touch elements."""

    def __init__(self, hand: Hand, block: int, linear: int) -> None:
        self.hand, self.block, self.linear = hand, block, linear
        self.i = block * hand.threads + linear
        self.interval = self.warp = self.epoch = 0

    def read(self, array, index, line=1, **more):
        self._touch(array, index, line, "read", None, more)

    def write(self, array, index, line=1, value=None, **more):
        self._touch(array, index, line, "write", self.i if value is None else value, more)

    def atomic(self, array, index, line=1, value=1, **more):
        self._touch(array, index, line, "atomic", value, more)

    def fence(self, line=1, operation="threadfence"):
        site = self.hand.recorder.site(line, kind="fence", function="kernel", operation=operation)
        thread = self.hand.position(self.block) * self.hand.threads + self.linear
        self.hand.recorder.fence(thread, site, self.interval, self.warp, self.epoch)

    def syncwarp(self):
        self.warp += 1

    def _touch(self, array, index, line, kind, value, more):
        recorder = self.hand.recorder
        flags = more.pop("flags", 0)
        more.setdefault("text", self.hand.lines.get(line, ""))
        name = recorder.log().arrays[array].name
        site = recorder.site(line, array=name, kind=kind, function=more.pop("function", "kernel"), **more)
        shape = recorder.log().arrays[array].shape
        element = index if isinstance(index, int) else int(np.ravel_multi_index(index, shape))
        thread = self.hand.position(self.block) * self.hand.threads + self.linear
        values = None if kind == "read" else [value]
        recorder.append(element, thread, site, array, self.interval, self.warp, self.epoch, flags, values)


class Hand:
    """A launch of a hand-made kernel."""

    def __init__(self, griddim=(1,), blockdim=(64,), blocks=None, lines=None, **options) -> None:
        self.recorder = Recorder(griddim, blockdim, blocks, kernel="kernel", **options)
        self.log = self.recorder.log()
        self.threads = self.log.threads_per_block
        self.lines = lines or {}
        self._positions = {int(b): k for k, b in enumerate(self.log.blocks)}

    def position(self, block: int) -> int:
        return self._positions[block]

    def array(self, name="x", shape=(256,), dtype="f4", space="global", **more) -> int:
        shape = shape if isinstance(shape, tuple) else (shape,)
        return self.recorder.array(name, space, np.dtype(dtype), shape, **more)

    def run(self, kernel, *args) -> Hand:
        """Run it block by block; a ``yield`` is a barrier, ``yield GRID`` a grid sync, a plain function has none."""
        blocks = [[Thread(self, block, k) for k in range(self.threads)] for block in self._positions]
        if not inspect.isgeneratorfunction(kernel):
            for thread in itertools.chain(*blocks):
                kernel(thread, *args)
            return self
        alive = [[(thread, kernel(thread, *args)) for thread in block] for block in blocks]
        while any(alive):
            alive = [self._epoch(block) for block in alive]
            for thread, _ in itertools.chain(*alive):
                thread.epoch += 1
        return self

    def _epoch(self, block):
        """Run a block up to its next grid sync; returns the threads that have not ended."""
        at_grid = False
        while block and not at_grid:
            left = []
            for thread, steps in block:
                try:
                    at_grid |= next(steps) == GRID
                except StopIteration:
                    continue
                thread.interval += 1
                left.append((thread, steps))
            block = left
        return block

    def examine(self):
        return findings.examine(self.log)


@pytest.fixture
def hand():
    return Hand
