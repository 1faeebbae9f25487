"""What orders the lanes of a warp that meet at a ``syncwarp`` of some of them only.

A ``syncwarp`` orders memory among the lanes that its mask names, and no others [CUDA C++ Programming Guide, Warp
Synchronization].  One of all lanes of a warp is counted in each record, as a barrier of a block is.  One of some of them
is in the log as an event of its own.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from .reading import Log
from .records import WARP


class WarpSyncs:
    """The ``syncwarp`` calls of parts of warps.

    Parameters
    ----------
    log : Log
    """

    def __init__(self, log: Log) -> None:
        self._each = log.threads_per_block
        self._of: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)  # block, warp: place, lanes
        sites = np.array([site.kind == "sync" and site.operation == "syncwarp" for site in log.sites], bool)
        if not sites.any():
            return
        for first, records in log.pieces():
            for at in np.flatnonzero(sites[records["site"]]):
                block, warp, lane = self._place(int(records["thread"][at]))
                mask = int(records["element"][at])
                if mask & -mask == 1 << lane:  # each of the lanes that met is in the log
                    self._of[block, warp].append((first + int(at), mask))

    def __bool__(self) -> bool:
        return bool(self._of)

    def order(self, thread: int, places: np.ndarray, other: int, there: np.ndarray) -> bool:
        """Whether all accesses of two threads of a warp, given by their places in the log, are ordered."""
        return all(self._ordered(thread, int(a), other, int(b)) for a in places for b in there)

    def _ordered(self, thread: int, at: int, other: int, there: int) -> bool:
        if at > there:
            thread, at, other, there = other, there, thread, at
        block, warp, lane = self._place(thread)
        seen = 1 << lane  # the lanes that know what the first thread had done by then
        for place, mask in self._of.get((block, warp), ()):
            if at < place < there and seen & mask:
                seen |= mask
        return bool(seen >> self._place(other)[2] & 1)

    def _place(self, thread: int) -> tuple[int, int, int]:
        """Block, warp and lane of a thread as records number it."""
        block, within = divmod(thread, self._each)
        return block, within // WARP, within % WARP
