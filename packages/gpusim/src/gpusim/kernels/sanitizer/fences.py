"""Whether a memory fence and an atomic flag order two accesses.

The pattern: a thread writes, passes a fence, and it or, after a barrier, a thread of its block updates a flag
atomically; another thread, or one of its block, updates the same flag, and then reads.  That is how the last block to
finish sums what the others left, and how a lock works.  Whether the flag's value is really looked at, the log cannot
tell; so this makes a warning of an error, and not nothing of it.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from .reading import Log
from .records import ATOMIC, FENCE

FLAGS = 4096
"""Elements that are taken for flags at most: with more, they are data."""


class Fences:
    """The fences and the flags of a launch.

    Parameters
    ----------
    log : Log
    """

    def __init__(self, log: Log) -> None:
        self.log = log
        self.of: dict[int, list[tuple[int, int, bool]]] = defaultdict(
            list
        )  # thread: place, interval, reaches other blocks
        self.flags: dict[tuple[int, int], np.ndarray] = {}  # array, element: records with their places
        kinds = log.kinds
        if not (kinds == FENCE).any() or not (kinds == ATOMIC).any():
            return
        updates, places = [], []
        for first, records in log.pieces():
            kind = kinds[records["site"]]
            for at in np.flatnonzero(kind == FENCE):
                record = records[at]
                wide = log.sites[record["site"]].operation != "threadfence_block"
                self.of[int(record["thread"])].append((first + int(at), int(record["interval"]), wide))
            mine = np.flatnonzero(kind == ATOMIC)
            updates.append(records[mine])
            places.append(first + mine)
        self._collect(np.concatenate(updates), np.concatenate(places))

    def order(self, first, at: int, second, there: int) -> bool:
        """Whether two accesses, each given with its place in the log, are ordered one way or the other."""
        if not self.of:
            return False
        return self._ordered(first, at, second, there) or self._ordered(second, there, first, at)

    def _collect(self, updates: np.ndarray, places: np.ndarray) -> None:
        name = updates["array"].astype(np.int64) << 32 | updates["element"]
        flags, number = np.unique(name, return_inverse=True)
        if len(flags) > FLAGS:
            return
        for k, flag in enumerate(flags):
            mine = number == k
            records = updates[mine]
            table = np.stack([places[mine], records["thread"], records["interval"]], 1).astype(np.int64)
            self.flags[int(flag) >> 32, int(flag) & 0xFFFFFFFF] = table

    def _ordered(self, before, at: int, after, there: int) -> bool:
        each = self.log.threads_per_block
        home, away = before.thread // each, after.thread // each
        fences = [f for f in self.of.get(before.thread, ()) if f[0] > at and (f[2] or home == away)]
        if not fences:
            return False
        fence = fences[0]
        for flag, table in self.flags.items():
            if flag == (before.array, before.element):
                continue
            place, thread, interval = table.T
            block = thread // each
            own = thread == before.thread
            other = thread == after.thread
            if home != away:  # within a block, a barrier in between would have ordered them anyway
                own |= (block == home) & (interval > fence[1])
                other |= (block == away) & (interval < after.interval)
            if (own & (place > fence[0])).any() and (other & (place < there)).any():
                return True
        return False
