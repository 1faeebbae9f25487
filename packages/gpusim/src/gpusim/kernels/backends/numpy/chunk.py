"""The blocks that run together, and what is the same for each of their threads throughout."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import limits
from ...ir.graph import Allocation
from .arrays import Arr, Memory, c_strides

STEP = 5040
"""Blocks' shares of dynamic shared memory are multiples of this, and so of every usual item's size."""


class Chunk:
    """Some blocks of the grid; a lane is a thread of one of them, numbered block by block.

    Attributes
    ----------
    blocks : numpy.ndarray, int64
        Their linear ids.
    first : int
        Position of the first of them among all that run, for the access log.
    n : int
        Lanes.
    alive, early : numpy.ndarray, bool
        Lanes that have not ended, and that did by a guard; kept only where somebody may wait for them.
    """

    def __init__(self, run, blocks: np.ndarray, first: int):
        self.run, self.blocks, self.first = run, blocks, first
        self.griddim, self.blockdim = run.griddim, run.blockdim
        self.threads = math.prod(self.blockdim)
        self.n = len(blocks) * self.threads
        self.lanes = np.arange(self.n)
        self.alive = np.ones(self.n, bool)
        self.early = np.zeros(self.n, bool)
        self.living = self.n
        self._special: dict[str, Any] = {}
        self._arrays: dict[tuple, Arr] = {}
        self._static = 0  # bytes of shared arrays of a block
        self._dynamic: Any = None
        per_block = -(-self.threads // 32)
        self.warps = len(blocks) * per_block
        self._padding = per_block * 32 - self.threads
        if run.log is not None:
            self.intervals, self.warped, self.epochs = (np.zeros(self.n, np.int64) for _ in range(3))

    @property
    def block_of(self) -> np.ndarray:
        return self.special("block")

    def slots(self, lanes: np.ndarray) -> np.ndarray:
        """Where lanes would be if every block had whole warps."""
        return lanes + self.block_of[lanes] * self._padding if self._padding else lanes

    def special(self, name: str):
        """A number that each thread has: an array over the lanes, or a scalar where all have the same."""
        value = self._special.get(name)
        if value is None:
            value = self._special[name] = self._make(name)
        return value

    def _make(self, name: str):
        family, _, axis = name.partition(".")
        k = "xyz".index(axis) if axis else 0
        if family == "blockDim":
            return np.int32(self.blockdim[k])
        if family == "gridDim":
            return np.int32(self.griddim[k])
        if family == "gridsize":
            return np.int64(self.griddim[k] * self.blockdim[k])
        if family == "threadIdx":
            if self.blockdim[k] == 1:
                return np.int32(0)
            within = np.arange(self.threads) // math.prod(self.blockdim[:k]) % self.blockdim[k]
            return np.tile(within.astype(np.int32), len(self.blocks))
        if family == "blockIdx":
            at = (self.blocks // math.prod(self.griddim[:k]) % self.griddim[k]).astype(np.int32)
            return at[0] if len(at) == 1 or self.griddim[k] == 1 else np.repeat(at, self.threads)
        if family == "grid":
            block, thread = self.special("blockIdx." + axis), self.special("threadIdx." + axis)
            return block.astype(np.int64) * self.blockdim[k] + thread
        if family == "laneid":
            return np.tile((np.arange(self.threads) % 32).astype(np.int32), len(self.blocks))
        if family == "block":
            return np.repeat(np.arange(len(self.blocks)), self.threads)
        raise KeyError(name)

    def shared(self, info: Allocation) -> Arr:
        """A block's own array, here of all blocks one after the other."""
        made = self._arrays.get(info.key)
        if made is None:
            made = self._arrays[info.key] = self._shared(info)
        return made

    def _shared(self, info: Allocation) -> Arr:
        shape, dtype = info.shape, info.dtype
        if math.prod(shape) == 0:  # dynamic shared memory: one region, however often it is asked for
            each = -(-self.run.sharedmem // STEP) * STEP
            if self._dynamic is None:
                self._dynamic = np.zeros(each * len(self.blocks), np.uint8)
            size = each // dtype.itemsize
            if each % dtype.itemsize:
                raise NotImplementedError(f"dynamic shared memory of items of {dtype.itemsize} bytes")
            flat = self._dynamic[: each * len(self.blocks)].view(dtype)
            shape = (self.run.sharedmem // dtype.itemsize,)
        else:
            size = math.prod(shape)
            self._static += size * dtype.itemsize
            limits.check_static(self._static, kernel=self.run.program.function.name)
            flat = np.zeros(size * len(self.blocks), dtype)
        memory = Memory(info.name, "shared", flat, size=size, shape=shape if math.prod(shape) == size else None)
        return Arr(flat, 0, shape, c_strides(shape), dtype.itemsize, memory)

    def local(self, info: Allocation) -> Arr:
        """A thread's own array; the same item of all threads lies together."""
        made = self._arrays.get(info.key)
        if made is None:
            size = math.prod(info.shape)
            memory = Memory(
                info.name, "local", np.zeros(size * self.n, info.dtype), size=size, lanes=self.n, shape=info.shape
            )
            made = self._arrays[info.key] = Arr(
                memory.flat, 0, info.shape, c_strides(info.shape), info.dtype.itemsize, memory
            )
        return made

    def thread(self, lane: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """``threadIdx`` and ``blockIdx`` of a lane."""
        t, b = lane % self.threads, int(self.blocks[lane // self.threads])
        (x, y, _), (gx, gy, _) = self.blockdim, self.griddim
        return (t % x, t // x % y, t // (x * y)), (b % gx, b // gx % gy, b // (gx * gy))

    def ended(self, lanes: np.ndarray, *, early: bool, looped: bool) -> None:
        """Lanes have ended; `early` if they returned in the middle of the source, `looped` if they did so out of a loop."""
        self.alive[lanes] = False
        if looped and self.run.log is not None:
            self.early[lanes] = self.intervals[lanes] == 0  # before they came to a barrier
        else:
            self.early[lanes] = early
        self.living -= len(lanes)
