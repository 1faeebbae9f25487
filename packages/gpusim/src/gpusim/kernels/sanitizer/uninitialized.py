"""Reads of shared memory that no thread of the block had written, and of local memory that the thread had not: they hold
whatever was left there."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from .conflicts import names_of, position
from .memory import Memory
from .reading import Log
from .records import ATOMIC, COPIED, READ, UNREAD, WARP, WRITE

_CONSTANT = re.compile(r"[^=]=\s*(\w+(\.\w+)*\()?\s*[-+]?[\d.]+([eEjJ][-+]?\d*)?\s*\)?\s*$")
_SETS = ("exch",)


@dataclass
class Stale:
    """A read of memory before it was written: an example of one place in the source."""

    array: int
    element: int
    site: int
    thread: int
    elements: int
    never: bool


def stale(log: Log, memory: Memory, count: int) -> list[Stale]:
    """Reads of elements that nobody had written, by threads that may have used what they read.

    A thread that stores nothing afterwards, or only what it loads from elsewhere, has not used it: threads beyond the
    edge of the data read such elements all the time.  Nor has a copy of a whole record used its members.  A read that races with the first write is left to the race.
    """
    names, total = names_of(log, memory, count)
    kinds = log.kinds
    never = np.int64(len(log))
    sets = np.array([s.kind == "write" or s.operation in _SETS for s in log.sites])
    copied = np.array([s.operation in (COPIED, UNREAD) for s in log.sites])
    initial = np.full(total, never)  # the place of the first access that sets a cell, whatever it held
    for first, records in _backwards(log):
        where, cell = memory.touched(records)
        setting = sets[records["site"][where]]
        where, at = where[setting][::-1], position(names, cell[setting])[::-1]
        initial[at] = first + where  # the earliest comes last, and stays
    reads = (kinds == READ) & ~copied | (kinds == ATOMIC) & ~sets
    early, places, spots = [], [], []
    for first, records in log.pieces():
        where, cell = memory.touched(records)
        at = position(names, cell)
        found = reads[records["site"][where]] & (first + where < initial[at])
        early.append(records[where[found]])
        places.append(first + where[found])
        spots.append(at[found])
    early, places, spots = (np.concatenate(parts) for parts in (early, places, spots))
    if not len(early):
        return []
    keep = _used(log, early, places) & ~_racing(log, early, initial[spots])
    early, places, spots = early[keep], places[keep], spots[keep]
    found, lines = [], {}
    for site in np.unique(early["site"]):  # a line that reads two elements is told once
        place = log.sites[site]
        lines.setdefault((place.function, place.line), []).append(site)
    for sites in lines.values():
        mine = np.flatnonzero(np.isin(early["site"], sites))
        record = early[mine[0]]
        found.append(
            Stale(
                array=int(record["array"]),
                element=int(record["element"]),
                site=int(record["site"]),
                thread=int(record["thread"]),
                elements=len(np.unique(spots[mine])),
                never=bool((initial[spots[mine]] == never).all()),
            )
        )
    return found


def _backwards(log: Log):
    pieces = list(log.pieces())
    return reversed(pieces)


def _used(log: Log, early: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Whether the thread stores anything afterwards that may depend on what it read."""
    kinds = log.kinds
    carries = np.isin(kinds, (WRITE, ATOMIC))
    loads = {(s.line, s.function) for s, name in _sites_with_space(log) if s.kind == "read" and name == "global"}
    for k, (site, space) in enumerate(_sites_with_space(log)):
        if space == "shared" and site.kind == "write":
            carries[k] &= (site.line, site.function) not in loads and not _CONSTANT.search(site.text)
        if space == "local":
            carries[k] = False
    last = np.full(len(log.blocks) * log.threads_per_block, -1, np.int64)
    for first, records in log.pieces():
        mine = np.flatnonzero(carries[records["site"]])
        last[records["thread"][mine]] = first + mine
    if log.exchanges:  # a lane may give what it read to another of its warp, which stores it
        each = log.threads_per_block
        warp = last[: len(last) // each * each].reshape(-1, each)
        padded = np.full((len(warp), -(-each // WARP) * WARP), -1, np.int64)
        padded[:, :each] = warp
        most = padded.reshape(len(warp), -1, WARP).max(2)
        block, within = np.divmod(early["thread"].astype(np.int64), each)
        return most[block, within // WARP] >= places
    return last[early["thread"]] >= places


def _sites_with_space(log: Log):
    """Each site with the space of the array it touches: the first record of it says which."""
    space = [""] * len(log.sites)
    for _, records in log.pieces():
        sites, first = np.unique(records["site"], return_index=True)
        for site, at in zip(sites, first, strict=True):
            array = int(records["array"][at])
            if not space[site] and array < len(log.arrays):
                space[site] = log.arrays[array].space
    return list(zip(log.sites, space, strict=True))


def _racing(log: Log, early: np.ndarray, initial: np.ndarray) -> np.ndarray:
    """Whether the first write is another thread's, and nothing orders it after the read."""
    racing = np.zeros(len(early), bool)
    known = np.flatnonzero(initial < len(log))
    for first, records in log.pieces():
        here = known[(initial[known] >= first) & (initial[known] < first + len(records))]
        if len(here):
            writer, reader = records[initial[here] - first], early[here]
            together = (writer["interval"] == reader["interval"]) & (writer["epoch"] == reader["epoch"])
            each = log.threads_per_block
            warps = [r["thread"] // each * each + r["thread"] % each // WARP for r in (writer, reader)]
            ordered = (warps[0] == warps[1]) & (writer["warp"] != reader["warp"])
            racing[here] = together & (writer["thread"] != reader["thread"]) & ~ordered
    return racing
