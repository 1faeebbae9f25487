"""What each traced block moves: sectors that are new to the grid, new to the block, new to the warp, and asked for.

A sector is 32 bytes, the least that memory gives.  Counted once for the whole grid, sectors are what must be moved (a
stencil's neighbours cost nothing: they are somebody's own); counted once for each block they are what L1 asks of L2 if it
can hold what a block uses; once for each request, what it asks if it holds nothing.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field, fields

import numpy as np

from gpusim.device.indices import indices
from gpusim.kernels.sanitizer.log import Log
from kernellens.banks import BANKS, WORD, cycles_of
from kernellens.requests import Requests, distinct, pairs, requests
from kernellens.traffic import SECTOR

LINE = 128
"""Bytes of a cache line, four sectors: L1 looks up one in a cycle [NVIDIA, Nsight Compute documentation, "L1/TEX": tag
stage]."""

ADDED = 8
"""Cycles that shared memory takes for each of several values that a warp's atomics add to one word.  A histogram of text took 5.7 on an L4 and 14 on
a T4 [NVIDIA, accelerated-computing-hub, notebook 41 of the kernels, 2025 and 2026]."""


@dataclass
class Traffic:
    """What the traced blocks move; each array has a number for each block.

    Attributes
    ----------
    read, written : numpy.ndarray
        Sectors that no traced block before this one read, or wrote; a sector that is written before it is read needs no
        reading.
    own, own_written : numpy.ndarray
        Sectors that the block reads, and those that it writes, each once.
    by_warp, by_request : numpy.ndarray
        Sectors read, once for each warp, and for each request.
    stored : numpy.ndarray
        Sectors written, for each request; atomics too.
    alone : numpy.ndarray
        Sectors read for each request that are the only ones of their line there.
    store_turns : numpy.ndarray
        Turns that L2 takes for the sectors written (`_turns`).
    again : dict of tuple to numpy.ndarray
        By how far back in the grid, ``(x, y, z)``, the last block was that read them: sectors read before by another.
    requests, lines : numpy.ndarray
        Requests of warps for global memory, and cache lines that they take.
    atomics : numpy.ndarray
        Requests for atomics.
    contended : float
        Requests that meet at the address that gets most.
    passes : float
        Turns of L2 for the atomics on the cache line that gets most (`_passes`).
    senders : int
        Blocks that they come from.
    shared : numpy.ndarray
        Cycles of shared memory.
    extents : dict of str to int
        By name of an array in global memory, its bytes.
    readers, writers : set of str
        Names of the arrays that are read, and written.
    """

    blocks: int
    read: np.ndarray = field(init=False)
    written: np.ndarray = field(init=False)
    own: np.ndarray = field(init=False)
    own_written: np.ndarray = field(init=False)
    by_warp: np.ndarray = field(init=False)
    by_request: np.ndarray = field(init=False)
    stored: np.ndarray = field(init=False)
    alone: np.ndarray = field(init=False)
    store_turns: np.ndarray = field(init=False)
    requests: np.ndarray = field(init=False)
    lines: np.ndarray = field(init=False)
    atomics: np.ndarray = field(init=False)
    shared: np.ndarray = field(init=False)
    again: dict[tuple[int, int, int], np.ndarray] = field(default_factory=dict)
    extents: dict[str, int] = field(default_factory=dict)
    readers: set[str] = field(default_factory=set)
    writers: set[str] = field(default_factory=set)
    contended: float = 0.0
    passes: float = 0.0
    senders: int = 0

    def __post_init__(self) -> None:
        for each in fields(self):
            if not each.init:
                setattr(self, each.name, np.zeros(self.blocks))


SCATTERED = 256
"""Different distances between blocks that share sectors, beyond which they are not told apart."""


def traffic(log: Log, dead: Container[tuple] = frozenset()) -> Traffic:
    """Return what the blocks of a log move.

    Parameters
    ----------
    log : Log
    dead : container of tuple
        ``(function, line, column)`` of loads that a compiler leaves out.
    """
    found = Traffic(len(log.blocks))
    warps = -(-log.threads_per_block // 32)
    # By sector of a request: its number, the block, the warp, whether it is written; in the order of the places.
    parts: list[tuple[np.ndarray, ...]] = []
    addresses: list[tuple[np.ndarray, ...]] = []
    count = 0
    for item in requests(log, "global"):
        site = item.site
        if site.kind == "read" and (site.function, site.line, site.column) in dead:
            continue
        (found.readers if site.kind == "read" else found.writers).update(item.arrays)
        if site.kind == "atomic":
            found.readers.update(item.arrays)
        block, warp = _owners(log, item, warps)
        owner, of_warp = _owner(item.request, block), _owner(item.request, warp)
        found.requests += np.bincount(indices(owner), minlength=found.blocks)
        found.lines += np.bincount(indices(owner[pairs(item.request, item.address // LINE)[0]]), minlength=found.blocks)
        if site.kind == "atomic":
            found.atomics += np.bincount(indices(owner), minlength=found.blocks)
            addresses.append((item.address, item.request + count, block))
        request, sector = _touched(item)
        alone, turns = _turns(item, request, sector)
        if site.kind == "read":
            found.alone += np.bincount(indices(owner[request]), alone, found.blocks)
        else:
            found.store_turns += np.bincount(indices(owner[request]), turns, found.blocks)
        writes = np.full(len(sector), site.kind != "read")
        parts.append((sector, owner[request], of_warp[request], writes))
        if site.kind == "atomic":  # reads as well
            parts.append((*parts[-1][:3], ~writes))
        count += item.count
    if parts:
        _sectors(log, found, [np.concatenate(column) for column in zip(*parts, strict=True)])
    _contention(found, addresses)
    for array in log.arrays:
        if array.space == "global":
            found.extents[array.name] = found.extents.get(array.name, 0) + array.extent
    for item in requests(log, "shared"):
        owner = _owner(item.request, _owners(log, item, warps)[0])
        found.shared += np.bincount(indices(owner), _cycles(item), found.blocks)
    return found


def _owners(log: Log, item: Requests, warps: int) -> tuple[np.ndarray, np.ndarray]:
    """The block (its position among the traced) and the warp, numbered over all, of each access."""
    block, warp, _ = log.positions(item.thread)
    return block, block * warps + warp


def _owner(request: np.ndarray, block: np.ndarray) -> np.ndarray:
    """The block of each request."""
    out = np.zeros(int(request.max(initial=-1)) + 1, np.int64)
    out[request] = block
    return out


def _touched(item: Requests) -> tuple[np.ndarray, np.ndarray]:
    """The sectors of each request, once each: requests and sectors, side by side."""
    first, last = item.address // SECTOR, (item.address + item.nbytes - 1) // SECTOR
    request, sector = item.request, first
    for step in range(1, int((last - first).max(initial=0)) + 1):
        more = first + step <= last
        request = np.concatenate([request, item.request[more]])
        sector = np.concatenate([sector, first[more] + step])
    return pairs(request, sector)


def _turns(item: Requests, request: np.ndarray, sector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the sectors of each request: whether each is the only one of its line, and the turns that L2 takes to store it.

    The path between an SM and L2 is two sectors wide, so that a sector alone takes the turn of two.  A sector that is
    written in part is read, changed and written again, since its check bits are of the whole sector: twice the turns.
    Atomics are counted by `_passes`.
    """
    new = np.ones(len(sector), bool)
    line = sector // (LINE // SECTOR)
    new[1:] = (request[1:] != request[:-1]) | (line[1:] != line[:-1])
    group = np.cumsum(new) - 1
    alone = np.bincount(group)[group] == 1 if len(group) else new
    if item.site.kind == "atomic":
        return alone, np.ones(len(sector))
    places, where = pairs(item.request, item.address)
    new = np.ones(len(where), bool)
    new[1:] = (places[1:] != places[:-1]) | (where[1:] // SECTOR != where[:-1] // SECTOR)
    nbytes = np.diff(np.append(np.flatnonzero(new), len(where))) * item.nbytes
    if len(nbytes) != len(sector):  # elements that lie across two sectors
        nbytes = np.full(len(sector), SECTOR)
    return alone, np.where(alone, 2, 1) * np.where(nbytes < SECTOR, 2, 1)


def _cycles(item: Requests) -> np.ndarray:
    """Cycles of shared memory for each request; atomics on one word come one after the other."""
    if item.site.kind != "atomic":
        return cycles_of(item).sum(axis=1)
    slots, lanes = distinct(item.request * BANKS + item.address // WORD % BANKS)
    cycles = np.zeros(item.count, np.int64)
    np.maximum.at(cycles, slots // BANKS, lanes)
    return np.where(cycles > 1, ADDED * cycles, cycles)


def _sectors(log: Log, found: Traffic, columns: list[np.ndarray]) -> None:
    sector, block, warp, writes = columns
    reads = ~writes
    warps = np.zeros(int(warp.max()) + 1, np.int64)
    warps[warp] = block

    def by_block(owners: np.ndarray) -> np.ndarray:
        return np.bincount(indices(owners), minlength=found.blocks).astype(float)

    found.by_request, found.stored = by_block(block[reads]), by_block(block[writes])
    found.by_warp = by_block(warps[pairs(warp[reads], sector[reads])[0]])
    found.own, found.own_written = (by_block(pairs(block[mine], sector[mine])[0]) for mine in (reads, writes))
    _news(log, found, sector, block, writes)


def _news(log: Log, found: Traffic, sector: np.ndarray, block: np.ndarray, writes: np.ndarray) -> None:
    """Which block comes to a sector first, and from how far back those that come to it later could have it."""
    at, who = pairs(sector[writes], block[writes])
    first = np.ones(len(at), bool)
    first[1:] = at[1:] != at[:-1]
    found.written = np.bincount(indices(who[first]), minlength=found.blocks).astype(float)
    written, writer = at[first], who[first]
    at, who = pairs(sector[~writes], block[~writes])
    first = np.ones(len(at), bool)
    first[1:] = at[1:] != at[:-1]
    # Written by an earlier block, or by this one before it reads: taken from L2, and no reading of memory.
    earlier = np.full(len(at), np.iinfo(np.int64).max)
    if len(written):
        place = np.minimum(np.searchsorted(written, at), len(written) - 1)
        match = written[place] == at
        earlier[match] = writer[place[match]]
    both = earlier == who
    if both.any():
        earlier[both & ~_written_first(log, at, both)] = np.iinfo(np.int64).max
    fresh = first & (earlier > who)
    found.read = np.bincount(indices(who[fresh]), minlength=found.blocks).astype(float)
    seen = np.flatnonzero(~first)
    if len(seen):
        _repeats(log, found, who[seen - 1], who[seen])


def _repeats(log: Log, found: Traffic, before: np.ndarray, after: np.ndarray) -> None:
    """Sectors that a block reads after another, by where the other lies."""
    x, y, _ = log.griddim
    ids = np.asarray(log.blocks, np.int64)
    place = np.stack([ids % x, ids // x % y, ids // (x * y)])
    pairs, times = distinct(before * found.blocks + after)
    before, after = pairs // found.blocks, pairs % found.blocks
    steps = place[:, after] - place[:, before]
    kinds, inverse = np.unique(steps, axis=1, return_inverse=True)
    if kinds.shape[1] > SCATTERED:  # then only how far matters, and the middle one stands for all
        kinds = np.median(steps, axis=1).astype(np.int64)[:, None]
        inverse = np.zeros(len(after), np.int64)
    for number in range(kinds.shape[1]):
        mine = inverse.ravel() == number
        dx, dy, dz = (int(n) for n in kinds[:, number])
        found.again[dx, dy, dz] = np.bincount(indices(after[mine]), times[mine], found.blocks)


def _written_first(log: Log, at: np.ndarray, both: np.ndarray) -> np.ndarray:
    """Whether a block that reads and writes a sector writes it first, by the order of the log."""
    wanted = np.unique(at[both])
    first_write = np.full(len(wanted), np.iinfo(np.int64).max)
    first_read = first_write.copy()
    lowest = np.array([array.lowest or 0 for array in log.arrays] + [0], np.int64)
    sizes = np.array([array.dtype.itemsize for array in log.arrays] + [1], np.int64)
    spaces = np.array([array.space == "global" for array in log.arrays] + [False])
    for start, records in log.pieces():
        which = np.minimum(records["array"], len(log.arrays))
        ours = spaces[which] & (log.kinds[records["site"]] <= 2)
        index = np.flatnonzero(ours)
        sector = (lowest[which[index]] + records["element"][index].astype(np.int64) * sizes[which[index]]) // SECTOR
        place = np.minimum(np.searchsorted(wanted, sector), len(wanted) - 1)
        hit = wanted[place] == sector
        kind = log.kinds[records["site"][index[hit]]]
        for table, mine in ((first_read, kind != 1), (first_write, kind == 1)):
            np.minimum.at(table, place[hit][mine], start + index[hit][mine])
    out = np.zeros(len(at), bool)
    out[both] = (first_write < first_read)[np.searchsorted(wanted, at[both])]
    return out


def _contention(found: Traffic, addresses: list[tuple[np.ndarray, ...]]) -> None:
    if not addresses:
        return
    address, request, block = (np.concatenate(column) for column in zip(*addresses, strict=True))
    found.passes = _passes(request, address)
    places, meeting = distinct(pairs(address, request)[0])
    found.contended = float(meeting.max())
    found.senders = len(np.unique(block[address == places[np.argmax(meeting)]]))


def _passes(request: np.ndarray, address: np.ndarray) -> float:
    """Turns of L2 for the line that gets most: a sector of each request takes as many as values meet at one of its addresses.

    A line lies in one slice of L2, whose unit for atomics does a sector at a time, and of the values for one address one.
    """
    order = np.lexsort((address, request))
    request, address = request[order], address[order]
    new = np.ones(len(address), bool)
    new[1:] = (request[1:] != request[:-1]) | (address[1:] != address[:-1])
    starts = np.flatnonzero(new)
    values = np.diff(np.append(starts, len(address)))
    request, sector = request[starts], address[starts] // SECTOR
    new = np.ones(len(sector), bool)
    new[1:] = (request[1:] != request[:-1]) | (sector[1:] != sector[:-1])
    starts = np.flatnonzero(new)
    _, line = np.unique(sector[starts] // (LINE // SECTOR), return_inverse=True)
    return float(np.bincount(line, np.maximum.reduceat(values, starts)).max())
