"""What the lanes of a warp give each other: shuffles, votes and matches."""

from __future__ import annotations

import numpy as np

U32 = np.uint32


def ballots(chunk, lanes: np.ndarray, predicate) -> np.ndarray:
    """For each warp of a chunk the bits of the given lanes for which the predicate holds; uint32."""
    marked = np.zeros(chunk.warps * 32, bool)
    marked[chunk.slots(lanes)] = predicate
    return np.packbits(marked.reshape(-1, 32), axis=1, bitorder="little").view("<u4").ravel().astype(U32)


def complete(chunk, lanes: np.ndarray, mask, *, alike: bool) -> np.ndarray:
    """Which of these lanes need wait no longer: all that their masks name are here, or have ended.

    What a lane waits for whose mask does not name itself is undefined; here it waits for nobody.

    Parameters
    ----------
    alike : bool
        Whether only those count that are here with the same mask.
    """
    mask = np.broadcast_to(_masks(mask), len(lanes))
    warp = chunk.slots(lanes) >> 5
    alive = ballots(chunk, np.arange(chunk.n), chunk.alive)
    done = ~_own(chunk, lanes, mask)
    for one in np.unique(mask) if alike else (None,):
        mine = np.ones(len(lanes), bool) if one is None else mask == one
        missing = alive & ~ballots(chunk, lanes, mine)
        done |= mine & ((missing[warp] & mask) == 0)
    return done


def _own(chunk, lanes: np.ndarray, mask) -> np.ndarray:
    """Which of these lanes are named in their own masks."""
    return mask >> (chunk.slots(lanes) & 31).astype(U32) & U32(1) != 0


def met(chunk, lanes: np.ndarray, mask) -> tuple[np.ndarray, np.ndarray]:
    """For each of these lanes, which meet at a ``syncwarp``: whether all of its warp do that have not ended, and who does."""
    warp = chunk.slots(lanes) >> 5
    own = _own(chunk, lanes, _masks(mask))
    here = ballots(chunk, lanes, own)[warp] & _masks(mask)
    here = np.where(own, here, 0)
    return here == ballots(chunk, np.arange(chunk.n), chunk.alive)[warp], here


def _masks(mask):
    return (np.asarray(mask).astype(np.int64) & 0xFFFFFFFF).astype(U32)


def exchange(name: str, chunk, lanes: np.ndarray, args: list):
    """What an operation gives to each of these lanes.

    A lane that asks one outside the mask, or one that is not there, gets its own value: nothing is defined for it.
    """
    slots = chunk.slots(lanes)
    warp, lane = slots >> 5, slots & 31
    mask = _masks(args[0])
    here = ballots(chunk, lanes, True)[warp] & mask
    here = np.where(_own(chunk, lanes, mask), here, U32(1) << lane.astype(U32))
    if name.startswith("shfl"):
        return _shuffle(name, chunk, lanes, slots, lane, here, args[1], args[2])
    if name.startswith("match"):
        return _match(name, chunk, warp, lane, here, args[1], len(lanes))
    true = ballots(chunk, lanes, np.asarray(args[1]) != 0)[warp] & here
    if name == "ballot_sync":
        return true.view(np.int32)
    if name == "all_sync":
        return true == here
    if name == "any_sync":
        return true != 0
    return (true == 0) | (true == here)


def invalid_syncs(name: str, chunk, lanes: np.ndarray, args: list) -> list[tuple[str, int, int, int]]:
    """The first of these lanes that do not act together, for each way of not doing so.

    Returns
    -------
    list of (str, int, int, int)
        What is wrong, see :class:`...sanitizer.records.InvalidWarpSync`; the position of a lane; the other lane of the chunk, or -1, and its
        place in the warp.
    """
    slots = chunk.slots(lanes)
    warp, lane = slots >> 5, slots & 31
    mask = np.broadcast_to(_masks(args[0]), len(lanes))
    own = _own(chunk, lanes, mask)
    here = np.where(own, ballots(chunk, lanes, True)[warp] & mask, 0).astype(U32)
    everyone = np.arange(chunk.n)
    living = ballots(chunk, everyone, chunk.alive)[warp]
    gone = np.where(own, ballots(chunk, everyone, ~chunk.alive & ~chunk.early)[warp] & mask, 0).astype(U32)
    table = np.zeros((chunk.warps, 32), U32)
    table[warp, lane] = mask
    first = lanes - lane  # of each one's warp
    found: dict[str, tuple[str, int, int, int]] = {}
    without = np.flatnonzero(~own)
    if len(without):
        found["own"] = ("own", int(without[0]), -1, int(lane[without[0]]))
    for k in range(32):
        apart = np.flatnonzero((here >> U32(k) & U32(1) != 0) & ((table[warp, k] ^ mask) & living != 0))
        if len(apart):
            found.setdefault("masks", ("masks", int(apart[0]), int(first[apart[0]]) + k, k))
        past = np.flatnonzero(gone >> U32(k) & U32(1) != 0)
        if len(past):
            found.setdefault("passed", ("passed", int(past[0]), int(first[past[0]]) + k, k))
    if name.startswith("shfl"):
        source = np.broadcast_to(_source(name, lane, args[2]), lane.shape)
        asked = _bit(source)
        absent = np.flatnonzero(own & (mask & asked != 0) & (here & asked == 0))
        if len(absent):
            found["absent"] = ("absent", int(absent[0]), -1, int(source[absent[0]]))
    return list(found.values())


def outside(name: str, chunk, lanes: np.ndarray, args: list) -> tuple[np.ndarray, np.ndarray]:
    """Positions of those of these lanes that read, by a shuffle, from one that their mask does not name; and from which."""
    lane = chunk.slots(lanes) & 31
    mask = np.broadcast_to(_masks(args[0]), len(lanes))
    source = np.broadcast_to(_source(name, lane, args[2]), lane.shape)
    asked = _bit(source)
    where = np.flatnonzero(_own(chunk, lanes, mask) & (asked != 0) & (mask & asked == 0))
    return where, source[where]


def _bit(lane: np.ndarray) -> np.ndarray:
    """The bit of a lane in a mask; 0 for one that no warp has."""
    return np.where((lane >= 0) & (lane < 32), U32(1) << np.clip(lane, 0, 31).astype(U32), 0).astype(U32)


def _source(name: str, lane: np.ndarray, other) -> np.ndarray:
    """The lane that each asks."""
    other = np.asarray(other).astype(np.int64)
    return {
        "shfl_sync": lambda: other & 31,
        "shfl_up_sync": lambda: lane - other,
        "shfl_down_sync": lambda: lane + other,
        "shfl_xor_sync": lambda: lane ^ other,
    }[name]()


def _shuffle(name, chunk, lanes, slots, lane, here, value, other):
    if type(value) is not np.ndarray:
        return value
    source = np.broadcast_to(_source(name, lane, other), lane.shape)
    inside = (source >= 0) & (source < 32)
    source = np.where(inside, source, lane)
    inside = (here >> source.astype(U32)) & U32(1) != 0
    source = np.where(inside, source, lane)
    position = np.zeros(chunk.warps * 32, np.int64)
    position[slots] = np.arange(len(lanes))
    return value[position[slots - lane + source]]


def _match(name, chunk, warp, lane, here, value, n):
    table = np.zeros((chunk.warps, 32), np.asarray(value).dtype)
    table[warp, lane] = value
    mine = np.broadcast_to(value, n)
    same = np.zeros(n, U32)
    for k in range(32):
        same |= np.where(table[warp, k] == mine, U32(1) << U32(k), U32(0))
    same &= here
    if name == "match_any_sync":
        return same.view(np.int32)
    # All lanes of the mask agree where each sees all of it.
    every = same == here
    return np.where(every, here, U32(0)).view(np.int32), every


def active(g):
    """``activemask()``: the lanes of the warp that are here now."""
    chunk = g.chunk
    return ballots(chunk, g.lanes, True)[chunk.slots(g.lanes) >> 5]


def below(g):
    lane = np.asarray(g.special("laneid")).astype(U32)
    return ((U32(1) << lane) - U32(1))[()]
