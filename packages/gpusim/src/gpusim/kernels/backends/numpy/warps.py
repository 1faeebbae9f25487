"""What the lanes of a warp give each other: shuffles, votes and matches."""

from __future__ import annotations

import numpy as np

U32 = np.uint32


def ballots(chunk, lanes: np.ndarray, predicate) -> np.ndarray:
    """For each warp of a chunk the bits of the given lanes for which the predicate holds; uint32."""
    marked = np.zeros(chunk.warps * 32, bool)
    marked[chunk.slots(lanes)] = predicate
    return np.packbits(marked.reshape(-1, 32), axis=1, bitorder="little").view("<u4").ravel().astype(U32)


def complete(chunk, lanes: np.ndarray, mask) -> np.ndarray:
    """Which of these lanes need wait no longer: all that their masks name are here, or have ended."""
    warp = chunk.slots(lanes) >> 5
    here = ballots(chunk, lanes, True)
    missing = ballots(chunk, np.arange(chunk.n), chunk.alive) & ~here
    return (missing[warp] & _masks(mask)) == 0


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


def stray(name: str, chunk, lanes: np.ndarray, args: list) -> tuple[str, int, int, int] | None:
    """The first of these lanes that do not act together: what is wrong, two positions (or -1), and the other's lane.

    See :class:`..trace.records.Stray`.
    """
    slots = chunk.slots(lanes)
    warp, lane = slots >> 5, slots & 31
    mask = np.broadcast_to(_masks(args[0]), len(lanes))
    here = ballots(chunk, lanes, True)[warp] & mask
    living = ballots(chunk, np.arange(chunk.n), chunk.alive)[warp]
    table, position = np.zeros((chunk.warps, 32), U32), np.full((chunk.warps, 32), -1)
    table[warp, lane], position[warp, lane] = mask, np.arange(len(lanes))
    for k in range(32):
        apart = np.flatnonzero((here >> U32(k) & U32(1) != 0) & ((table[warp, k] ^ mask) & living != 0))
        if len(apart):
            return "masks", int(apart[0]), int(position[warp[apart[0]], k]), k
    if name.startswith("shfl"):
        source = np.broadcast_to(_source(name, lane, args[2]), lane.shape)
        asked = U32(1) << np.clip(source, 0, 31).astype(U32)
        absent = np.flatnonzero((source >= 0) & (source < 32) & (mask & asked != 0) & (here & asked == 0))
        if len(absent):
            return "absent", int(absent[0]), -1, int(source[absent[0]])
    return None


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
