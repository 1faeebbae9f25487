"""What the threads of a warp give each other: shuffles, votes, matches, once all that are meant have come.

A mask names the lanes that take part (CUDA programming guide, 10.22: Warp Shuffle Functions, 10.19: Warp Vote Functions).
Lanes that have ended, or that the block does not have, are waited for no longer.
"""

from __future__ import annotations

from .exchange import Row
from .logcall import peek, poke
from .low import kept
from .machine import Cell, Parted, Yield

_CODE, _MASK, _VALUE, _LANE = int(Row.CODE), int(Row.MASK), int(Row.VALUE), int(Row.LANE)
_RESULT, _FLAG, _WARPED = int(Row.RESULT), int(Row.FLAG), int(Row.WARP)
_SYNCWARP, _ACTIVEMASK = int(Yield.SYNCWARP), int(Yield.ACTIVEMASK)
_SHFL, _UP, _DOWN, _XOR = int(Yield.SHFL), int(Yield.SHFL_UP), int(Yield.SHFL_DOWN), int(Yield.SHFL_XOR)
_ALL, _ANY, _EQ, _BALLOT = int(Yield.ALL), int(Yield.ANY), int(Yield.EQ), int(Yield.BALLOT)
_MATCH_ANY = int(Yield.MATCH_ANY)
_READY = -1
_PARTED, _LOG_BLOCK = int(Cell.PARTED), int(Cell.LOG_BLOCK)
_MASKS, _ABSENT = int(Parted.MASKS), int(Parted.ABSENT)


@kept
def settle(m, rows, base, n, tracing):
    """Give results to the warps whose lanes have all come.

    Parameters
    ----------
    m : int64
        Address of the machine's cells; there it is noted, if `tracing`, that lanes do not act together.
    rows : int64 array, shape (threads, Row.LENGTH)
    base, n : int
        First thread of the block, and how many it has.

    Returns
    -------
    bool
        Whether any thread can go on.
    """
    released = False
    for first in range(base, base + n, 32):
        lanes = min(32, base + n - first)
        present = 0
        for lane in range(lanes):
            if rows[first + lane, _CODE] != 0:
                present |= 1 << lane
        done = 0
        for lane in range(lanes):
            code = rows[first + lane, _CODE]
            if done >> lane & 1 or code <= 0 or code & 255 < _SYNCWARP:
                continue
            kind = code & 255
            group = 0
            if kind == _ACTIVEMASK:
                if not _all_wait(rows, first, lanes):
                    continue
                for other in range(lanes):
                    if rows[first + other, _CODE] == code:
                        group |= 1 << other
            else:
                wanted = rows[first + lane, _MASK] & 0xFFFFFFFF & present
                wanted |= 1 << lane
                for other in range(lanes):
                    theirs = rows[first + other, _CODE]
                    if wanted >> other & 1 and theirs > 0 and theirs & 255 == kind:
                        group |= 1 << other
                if group != wanted:
                    continue
            if tracing and kind != _ACTIVEMASK and peek(m, _PARTED) == 0:
                _examine(m, rows, first, lanes, lane, group, kind, present)
            _exchange(rows, first, lanes, group, kind)
            done |= group
            for other in range(lanes):
                if group >> other & 1:
                    rows[first + other, _CODE] = _READY
                    rows[first + other, _WARPED] += 1
            released = True
    return released


@kept
def _all_wait(rows, first, lanes):
    for lane in range(lanes):
        if rows[first + lane, _CODE] == _READY:
            return False
    return True


@kept
def _examine(m, rows, first, lanes, lane, group, kind, present):
    """Note that two lanes that exchange name different lanes, or that one asks another that it names and that is not there.

    All threads named in a mask that have not ended must execute the same with the same mask, and a lane may read only
    from one that takes part (CUDA C++ programming guide, Warp Shuffle Functions).
    """
    mask = rows[first + lane, _MASK]
    for other in range(lanes):
        if group >> other & 1 and (rows[first + other, _MASK] ^ mask) & present & 0xFFFFFFFF:
            _note(m, rows, _MASKS, first + lane, first + other, rows[first + other, _CODE] >> 8, other)
            return
    if kind < _SHFL or kind > _XOR:
        return
    for reader in range(lanes):
        if group >> reader & 1:
            source = _source(kind, reader, rows[first + reader, _LANE])
            if 0 <= source < 32 and not group >> source & 1 and mask >> source & 1:
                _note(m, rows, _ABSENT, first + reader, -1, -1, source)
                return


@kept
def _note(m, rows, what, at, other, other_site, lane):
    block = peek(m, _LOG_BLOCK)
    poke(m, _PARTED, what)
    poke(m, _PARTED + 1, block + at)
    poke(m, _PARTED + 2, rows[at, _CODE] >> 8)
    poke(m, _PARTED + 3, block + other if other >= 0 else -1)
    poke(m, _PARTED + 4, other_site)
    poke(m, _PARTED + 5, lane)


@kept
def _source(kind, lane, given):
    """The lane that a shuffle asks."""
    if kind == _SHFL:
        return given & 31
    if kind == _UP:
        return lane - given
    if kind == _DOWN:
        return lane + given
    return lane ^ given


@kept
def _exchange(rows, first, lanes, group, kind):
    true = 0
    least = -1
    for lane in range(lanes):
        if group >> lane & 1:
            least = lane if least < 0 else least
            if rows[first + lane, _VALUE] != 0:
                true |= 1 << lane
    same = True
    for lane in range(lanes):
        if group >> lane & 1 and rows[first + lane, _VALUE] != rows[first + least, _VALUE]:
            same = False
    for lane in range(lanes):
        if not group >> lane & 1:
            continue
        at = first + lane
        if kind == _ACTIVEMASK:
            rows[at, _RESULT] = group
        elif kind <= _XOR:
            source = _source(kind, lane, rows[at, _LANE])
            # From outside the group a lane gets nothing defined; here its own value, as at the warp's edges.
            inside = 0 <= source < lanes and group >> source & 1
            rows[at, _RESULT] = rows[first + source, _VALUE] if inside else rows[at, _VALUE]
        elif kind == _ALL:
            rows[at, _RESULT] = true == group
        elif kind == _ANY:
            rows[at, _RESULT] = true != 0
        elif kind == _EQ:
            rows[at, _RESULT] = true == group or true == 0
        elif kind == _BALLOT:
            rows[at, _RESULT] = true
        elif kind == _MATCH_ANY:
            mask = 0
            for other in range(lanes):
                if group >> other & 1 and rows[first + other, _VALUE] == rows[at, _VALUE]:
                    mask |= 1 << other
            rows[at, _RESULT] = mask
        else:
            rows[at, _RESULT] = group if same else 0
            rows[at, _FLAG] = same
