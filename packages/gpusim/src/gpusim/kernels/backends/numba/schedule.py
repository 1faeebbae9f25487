"""Who goes on when: what a scheduled driver asks between two rounds of resuming a block's threads.

These know nothing of the kernel, only the threads' table, so they are compiled once in a process.

What the threads of a warp give each other (shuffles, votes, matches) they get once all that are meant have come.  A mask
names the lanes that take part (CUDA programming guide, 10.22: Warp Shuffle Functions, 10.19: Warp Vote Functions).  Lanes
that have ended, or that the block does not have, are waited for no longer.
"""

from __future__ import annotations

from numba import carray

from .exchange import LEFT, Row
from .llvm import kept
from .logcall import WORDS, halves, peek, poke
from .worker_state import BarrierDivergence, Cell, Fault, InvalidWarpSyncKind, Yield

READY = -1
"""Code of a thread that can go on."""

_PROGRESS, _STOP = int(Cell.PROGRESS), int(Cell.STOP)
_LOG_BLOCK, _LOG_THREAD = int(Cell.LOG_BLOCK), int(Cell.LOG_THREAD)
_LOG_COUNT, _LOG_CAPACITY, _LOG_RECORDS = int(Cell.LOG_COUNT), int(Cell.LOG_CAPACITY), int(Cell.LOG_RECORDS)
_INTERVAL, _WARP, _EPOCH = int(Cell.INTERVAL), int(Cell.WARP), int(Cell.EPOCH)
_SHARED, _LOCAL, _EXCHANGE, _DYNAMIC = int(Cell.SHARED), int(Cell.LOCAL), int(Cell.EXCHANGE), int(Cell.DYNAMIC)
_FAULT, _SITE, _STUCK = int(Cell.FAULT), int(Cell.FAULT_SITE), int(Cell.STUCK)
_DIVERGENCE, _BLOCKS = int(Cell.BARRIER_DIVERGENCE), int(Cell.BLOCKS)
_THREAD, _BLOCK = int(Cell.FAULT_THREAD), int(Cell.FAULT_BLOCK)
_INDEX, _SIZE = int(Cell.FAULT_INDEX), int(Cell.FAULT_SIZE)
_DEADLOCK, _STOPPED, _AT_GRID = int(Fault.DEADLOCK), int(Fault.STOPPED), int(Fault.GRID)
_GUARDED, _ENDED, _BARRIERS = (
    int(BarrierDivergence.GUARDED),
    int(BarrierDivergence.ENDED),
    int(BarrierDivergence.BARRIERS),
)
_INVALID_WARP_SYNC = int(Cell.INVALID_WARP_SYNC)
_MASKS, _ABSENT, _OWN, _PASSED_BY = (int(InvalidWarpSyncKind[k]) for k in ("MASKS", "ABSENT", "OWN", "PASSED"))
_LEFT = LEFT
_BARRIER, _COUNT, _AND, _OR = (int(Yield[k]) for k in ("BARRIER", "BARRIER_COUNT", "BARRIER_AND", "BARRIER_OR"))
_GRID, _SPIN, _SYNCWARP, _ACTIVEMASK = (int(Yield[k]) for k in ("GRID", "SPIN", "SYNCWARP", "ACTIVEMASK"))
_SHFL, _UP, _DOWN, _XOR = int(Yield.SHFL), int(Yield.SHFL_UP), int(Yield.SHFL_DOWN), int(Yield.SHFL_XOR)
_ALL, _ANY, _EQ, _BALLOT = int(Yield.ALL), int(Yield.ANY), int(Yield.EQ), int(Yield.BALLOT)
_MATCH_ANY = int(Yield.MATCH_ANY)
_CODE, _MASK, _VALUE, _LANE = int(Row.CODE), int(Row.MASK), int(Row.VALUE), int(Row.LANE)
_RESULT, _FLAG, _WARPED = int(Row.RESULT), int(Row.FLAG), int(Row.WARP)
_PASSED, _ROW = int(Row.INTERVAL), int(Row.LENGTH)


@kept
def settle(m, rows, base, n, alike, tracing):
    """Give results to the warps whose lanes have all come.

    Parameters
    ----------
    m : int64
        Address of the machine's cells; there it is noted, if `tracing`, that lanes do not act together.
    rows : int64 array, shape (threads, Row.LENGTH)
    base, n : int
        First thread of the block, and how many it has.
    alike : bool
        Whether only lanes meet that have the same mask.

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
            elif not rows[first + lane, _MASK] >> lane & 1:
                group = 1 << lane  # it does not name itself: undefined, and here it waits for nobody
            else:
                wanted = rows[first + lane, _MASK] & 0xFFFFFFFF & present
                for other in range(lanes):
                    theirs = rows[first + other, _CODE]
                    if wanted >> other & 1 and theirs > 0 and theirs & 255 == kind:
                        if not alike or (rows[first + other, _MASK] ^ rows[first + lane, _MASK]) & 0xFFFFFFFF == 0:
                            group |= 1 << other
                if group != wanted:
                    continue
            if tracing and kind != _ACTIVEMASK:
                _examine(m, rows, first, lanes, lane, group, kind, present)
            if kind == _SYNCWARP:
                _order(m, rows, first, lanes, group, group == present, tracing)
            else:
                _exchange(rows, first, lanes, group, kind)
            done |= group
            for other in range(lanes):
                if group >> other & 1:
                    rows[first + other, _CODE] = READY
            released = True
    return released


@kept
def _all_wait(rows, first, lanes):
    for lane in range(lanes):
        if rows[first + lane, _CODE] == READY:
            return False
    return True


@kept
def _order(m, rows, first, lanes, group, whole, tracing):
    """What lanes did before they met is seen by those that they met: count that, or log it where they are not all of a warp."""
    for lane in range(lanes):
        if group >> lane & 1:
            if whole:
                rows[first + lane, _WARPED] += 1
            elif tracing:
                enter(m, rows, first + lane, group)


@kept
def _examine(m, rows, first, lanes, lane, group, kind, present):
    """Note lanes that do not act together.

    All threads named in a mask that have not ended must execute the same with the same mask, a caller must be named in its
    own, and a lane may read only from one that takes part (CUDA C++ programming guide, Warp Shuffle Functions, Warp Vote
    Functions, ``__syncwarp``).
    """
    mask = rows[first + lane, _MASK]
    if not mask >> lane & 1:
        _note_invalid_sync(m, rows, _OWN, first + lane, -1, -1, lane)
        return
    for other in range(lanes):
        if group >> other & 1 and (rows[first + other, _MASK] ^ mask) & present & 0xFFFFFFFF:
            _note_invalid_sync(m, rows, _MASKS, first + lane, first + other, rows[first + other, _CODE] >> 8, other)
            return
        if mask >> other & 1 and not present >> other & 1 and rows[first + other, _MASK] != _LEFT:
            _note_invalid_sync(m, rows, _PASSED_BY, first + lane, first + other, -1, other)
    if kind < _SHFL or kind > _XOR:
        return
    for reader in range(lanes):
        if group >> reader & 1:
            source = _source(kind, reader, rows[first + reader, _LANE])
            if source < 0 or source > 31 or group >> source & 1:
                continue
            if mask >> source & 1:
                _note_invalid_sync(m, rows, _ABSENT, first + reader, -1, -1, source)
            else:
                enter(m, rows, first + reader, source)


@kept
def _note_invalid_sync(m, rows, what, at, other, other_site, lane):
    cell = _INVALID_WARP_SYNC + 6 * what
    if peek(m, cell) != 0:
        return
    block = peek(m, _LOG_BLOCK)
    poke(m, cell, 1)
    poke(m, cell + 1, block + at)
    poke(m, cell + 2, rows[at, _CODE] >> 8)
    poke(m, cell + 3, block + other if other >= 0 else -1)
    poke(m, cell + 4, other_site)
    poke(m, cell + 5, lane)


@kept
def enter(m, rows, at, what):
    """Enter in the log that a thread was at what it waits at, and a number about that."""
    count = peek(m, _LOG_COUNT)
    poke(m, _LOG_COUNT, count + 1)
    if count >= peek(m, _LOG_CAPACITY):
        return
    record = carray(halves(peek(m, _LOG_RECORDS) + 4 * WORDS * count), WORDS)
    record[0] = what
    record[1] = peek(m, _LOG_BLOCK) + at
    record[2] = rows[at, _CODE] >> 8 | 0xFFFF << 16
    record[3] = (rows[at, _PASSED] & 0xFFFF) | (rows[at, _WARPED] & 0xFFFF) << 16
    record[4] = peek(m, _EPOCH) & 0xFFFF


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


@kept
def start(m, rows, count):
    """All threads of the blocks that run together can go on."""
    for at in range(count):
        rows[at, _CODE] = READY
        rows[at, _MASK] = 0
        rows[at, _PASSED] = 0
        rows[at, _WARPED] = 0
    poke(m, _EPOCH, 0)


@kept
def move(m, blocks, threads, shared_bytes, local_bytes):
    """Set the machine to another of the blocks that run together."""
    poke(m, _SHARED, peek(m, _SHARED) + blocks * shared_bytes)
    poke(m, _DYNAMIC, peek(m, _DYNAMIC) + blocks * shared_bytes)
    poke(m, _LOCAL, peek(m, _LOCAL) + threads * local_bytes)
    poke(m, _EXCHANGE, peek(m, _EXCHANGE) + threads * 8 * _ROW)


@kept
def tell(m, rows, at):
    """Tell the log which thread goes on, and what it has passed."""
    poke(m, _LOG_THREAD, peek(m, _LOG_BLOCK) + at)
    poke(m, _INTERVAL, rows[at, _PASSED])
    poke(m, _WARP, rows[at, _WARPED])


@kept
def simple(m, rows, blocks, n, tracing):
    """After a round of a kernel that knows no other barrier than ``syncthreads``; returns whether any thread is left."""
    alive = 0
    for at in range(blocks * n):
        code = rows[at, _CODE]
        if code != 0:
            alive += 1
    if tracing and alive > 0:
        _compare(m, rows, 0, n)
    if alive > 0:
        for at in range(blocks * n):
            if rows[at, _CODE] != 0:
                rows[at, _CODE] = READY
                rows[at, _PASSED] += 1
    poke(m, _PROGRESS, peek(m, _PROGRESS) + 1)
    if peek(m, _STOP) != 0:
        poke(m, _FAULT, _STOPPED)
    return alive > 0


@kept
def _compare(m, rows, base, n):
    """Note the first time that threads of a block wait at different barriers, or some have ended while others wait."""
    seen = peek(m, _DIVERGENCE)
    if seen == _BARRIERS:
        return
    one = base
    while one < base + n and rows[one, _CODE] <= 0:
        one += 1
    if one == base + n:
        return
    what, other = 0, -1
    for at in range(base, base + n):
        code = rows[at, _CODE]
        if code == rows[one, _CODE]:
            continue
        how = _BARRIERS
        if code == 0:
            how = _GUARDED if rows[at, _MASK] == _LEFT else _ENDED
        if how > what:
            what, other = how, at
    if what > seen:
        first = peek(m, _LOG_BLOCK)
        poke(m, _DIVERGENCE, what)
        poke(m, _DIVERGENCE + 1, first + one)
        poke(m, _DIVERGENCE + 2, rows[one, _CODE] >> 8)
        poke(m, _DIVERGENCE + 3, first + other)
        poke(m, _DIVERGENCE + 4, -1 if rows[other, _CODE] == 0 else rows[other, _CODE] >> 8)
        poke(m, _DIVERGENCE + 5, rows[one, _PASSED])


@kept
def _release(m, rows, base, n, alive, tracing):
    """All threads of a block that are left wait at a barrier: let them pass it."""
    if tracing:
        _compare(m, rows, base, n)
    count = 0
    for at in range(base, base + n):
        code = rows[at, _CODE]
        if code != 0 and code & 255 != _BARRIER and rows[at, _VALUE] != 0:
            count += 1
    for at in range(base, base + n):
        code = rows[at, _CODE]
        if code != 0:
            what = code & 255
            if what == _COUNT:
                rows[at, _RESULT] = count
            elif what == _AND:
                rows[at, _RESULT] = count == alive
            elif what == _OR:
                rows[at, _RESULT] = count > 0
            rows[at, _CODE] = READY
            rows[at, _PASSED] += 1


@kept
def general(m, rows, blocks, n, tracing):
    """After a round of any kernel; returns whether any thread is left.  Sets the fault where none can go on."""
    left = 0
    all_at_grid = True
    moved = spinning = False
    stuck = missing = -1
    for block in range(blocks):
        base = block * n
        alive = waiting = warps = grid = 0
        for at in range(base, base + n):
            code = rows[at, _CODE]
            if code == 0:
                continue
            alive += 1
            what = code & 255
            if what == _SPIN:
                rows[at, _CODE] = READY
                spinning = True
            elif what >= _SYNCWARP:
                warps += 1
                stuck = at
            elif what == _GRID:
                grid += 1
            else:
                waiting += 1
                stuck = at if stuck < 0 else stuck
        left += alive
        if rows[base, _CODE] == 0 and missing < 0:
            missing = block
        if alive == 0:
            continue
        if warps > 0 and settle(m, rows, base, n, True, tracing):
            moved = True
        if waiting == alive:
            _release(m, rows, base, n, alive, tracing)
            moved = True
        if grid != alive:
            all_at_grid = False
            if grid > 0 and stuck < 0:
                stuck = base
    if left > 0 and all_at_grid and missing >= 0:
        _never(m, rows, missing, blocks, n)
        return True
    if left > 0 and all_at_grid:
        for at in range(blocks * n):
            if rows[at, _CODE] != 0:
                rows[at, _CODE] = READY
        poke(m, _EPOCH, peek(m, _EPOCH) + 1)
        moved = True
    if left > 0 and not moved and not spinning:
        for block in range(blocks):
            moved = settle(m, rows, block * n, n, False, tracing) or moved
    if moved or left != peek(m, _STUCK):
        poke(m, _PROGRESS, peek(m, _PROGRESS) + 1)
        poke(m, _STUCK, left)
    if peek(m, _STOP) != 0 and not spinning:
        poke(m, _FAULT, _STOPPED)  # a thread that spins says itself where
    if left > 0 and not moved and not spinning:
        for at in range(blocks * n):  # of all that wait, the one at the first place in the source
            if rows[at, _CODE] > 0 and (stuck < 0 or rows[at, _CODE] >> 8 < rows[stuck, _CODE] >> 8):
                stuck = at
        poke(m, _FAULT, _DEADLOCK)
        poke(m, _SITE, rows[max(stuck, 0), _CODE] >> 8)
        poke(m, _THREAD, max(stuck, 0))  # a number, until `split`
    return left > 0


@kept
def _never(m, rows, missing, blocks, n):
    """A block does not come to the barrier of the grid, at which all others wait."""
    at = 0
    while rows[at, _CODE] <= 0:
        at += 1
    alive = 0
    for other in range(missing * n, missing * n + n):
        alive += rows[other, _CODE] != 0
    poke(m, _FAULT, _AT_GRID)
    poke(m, _SITE, rows[at, _CODE] >> 8)
    poke(m, _THREAD, at)
    poke(m, _INDEX, missing)
    poke(m, _SIZE, alive)


@kept
def split(m, begin, dims):
    """Say where the thread is that a deadlock was found at: so far only its number among those that run together is known."""
    if peek(m, _FAULT) != _DEADLOCK and peek(m, _FAULT) != _AT_GRID:
        return
    width, height, depth, across, down, deep = dims
    number = peek(m, _THREAD)
    n = width * height * depth
    thread, block = number % n, begin + number // n
    poke(m, _THREAD, thread % width)
    poke(m, _THREAD + 1, thread // width % height)
    poke(m, _THREAD + 2, thread // (width * height))
    poke(m, _BLOCK, block % across)
    poke(m, _BLOCK + 1, block // across % down)
    poke(m, _BLOCK + 2, block // (across * down))
    if peek(m, _FAULT) == _AT_GRID:
        missing = begin + peek(m, _INDEX)
        poke(m, _INDEX, missing % across)
        poke(m, _INDEX + 1, missing // across % down)
        poke(m, _INDEX + 2, missing // (across * down))


@kept
def finish(m, begin, blocks, dims):
    """The blocks that ran together have ended."""
    poke(m, _BLOCKS, peek(m, _BLOCKS) + blocks)
    poke(m, _LOG_BLOCK, peek(m, _LOG_BLOCK) + blocks * dims[0] * dims[1] * dims[2])
