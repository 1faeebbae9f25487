"""Device memory: blocks of host memory that are counted, limited, and kept for reuse.

Sizes are rounded to 512 bytes and freed blocks are kept, best fit first, as CuPy's own pool does.  That is more than
accounting: the first touch of new memory runs at 8.7 GB/s here and of reused memory at 43 GB/s (page faults), so the
pool is what lets queued expressions keep up with NumPy, which reuses its temporaries in place.

Memory is taken when an operation is *enqueued*, and given back when the last Python reference dies, which may be
before the operation has run.  :mod:`gpusim.device.queue` says why that is safe.
"""

from __future__ import annotations

import gc
import itertools
import os
import threading
import weakref
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable
from typing import Protocol

import numpy as np

from . import activity, device, queue, regions, shapes
from .empty import EmptyBlock as EmptyBlock
from .oom import OutOfMemoryError as OutOfMemoryError

UNIT = 512
"""Allocations are rounded up to this many bytes, and aligned to it (CuPy: ALLOCATION_UNIT_SIZE)."""


class Watcher(Protocol):
    """Who is told of memory, each time before and after: asked of a pool, taken from the device, given back to the pool."""

    def asking(self, device_id: int, size: int) -> None: ...

    def given(self, device_id: int, size: int, block: Block) -> None: ...

    def acquiring(self, device_id: int, size: int) -> None: ...

    def acquired(self, device_id: int, size: int, address: int) -> None: ...

    def freeing(self, block: Block) -> None: ...

    def freed(self, block: Block) -> None: ...


watcher: Watcher | None = None
"""Who is told of memory taken from the device and given back to a pool (CuPy's memory hooks); None for nobody."""

on_free: Callable[[Block], None] | None = None
"""Who else is told of a block that goes back to its pool (the lens's account); None for nobody."""

_PAGE = 4096
_phase = itertools.count()
_numbers = itertools.count()


class _Chunk:
    """A piece of pool memory, linked to its neighbours if it was split from a larger one."""

    __slots__ = ("free", "next", "previous", "raw", "sequence", "size")

    def __init__(self, raw: np.ndarray):
        self.raw = raw
        self.size = raw.size
        self.previous: _Chunk | None = None
        self.next: _Chunk | None = None
        self.free = False
        self.sequence = 0  # nothing older than this operation may still use the memory


class Block:
    """An allocation: counted until the last reference to it dies.

    Attributes
    ----------
    raw : numpy.ndarray
        Its memory, 1-d uint8, at least as long as asked for.
    size : int
        Its rounded length in bytes.
    device_id : int
        The device it lies on.
    stream : int
        The stream that was current at the allocation. The real pools have a free list for each stream; this block goes back to that one's.
    sequence : int
        The newest operation, at the time of allocation, that may still use this memory.
    """

    __slots__ = ("__weakref__", "_chunk", "_pool", "device_id", "raw", "stream")

    def __init__(self, pool: Pool, chunk: _Chunk):
        self._pool = pool
        self._chunk = chunk
        self.device_id = pool.device_id
        self.raw = chunk.raw
        self.stream = activity.current(pool.device_id)

    @property
    def size(self) -> int:
        return self._chunk.size

    @property
    def sequence(self) -> int:
        return self._chunk.sequence

    @property
    def ptr(self) -> int:
        return self.raw.ctypes.data

    def in_flight(self) -> bool:
        """Whether operations of an earlier owner of this memory may still wait."""
        return self.sequence > queue.completed()

    def free(self) -> None:
        """Give the memory back now, while references to it remain: it may have another owner at once."""
        try:
            chunk = self._chunk
            if on_free is not None:
                on_free(self)
            if watcher is not None:
                watcher.freeing(self)
            chunk.sequence = queue._submitted
            self._pool._returned.append(chunk)
            if watcher is not None:
                watcher.freed(self)
            del self._chunk
        except (AttributeError, TypeError):  # freed, half-built, or the interpreter is closing down
            pass

    def __del__(self):
        # The garbage collector may run this in the middle of any pool call of this very thread: take no lock here.
        if watcher is not None or on_free is not None:
            self.free()
            return
        try:
            chunk = self._chunk
            chunk.sequence = queue._submitted
            self._pool._returned.append(chunk)
        except (AttributeError, TypeError):  # freed, half-built, or the interpreter is closing down
            pass

    def __int__(self) -> int:
        return self.ptr


block_class: type[Block] = Block  # the lens's account puts a subclass here that notes what comes and goes


class Pool:
    """The memory pool of one device.

    Parameters
    ----------
    device_id : int
        The device whose memory it takes.
    limit : int
        Most bytes it may hold, 0 for as many as the device has.

    Attributes
    ----------
    gives_back : bool
        Whether what is freed belongs to the device again at once, as after ``cudaFree``; else the pool keeps it.
    nested : bool
        Whether its memory is that of another pool.
    by_stream : bool
        Whether the library's real pool hands out what is freed to the same stream at once, whatever other streams still do
        with it; else freeing waits for the device.
    number : int
        No other pool has it.
    """

    _all: weakref.WeakSet[Pool] = weakref.WeakSet()
    gives_back = False
    nested = False
    by_stream = True

    def __init__(self, device_id: int, limit: int = 0):
        self.device_id = device_id
        self.number = next(_numbers)
        self.limit = limit
        self._lock = threading.RLock()
        self._returned: deque[_Chunk] = deque()  # freed, not yet sorted in
        self._bins: dict[int, list[_Chunk]] = {}  # free chunks by size; the last one was used most recently
        self._sizes: list[int] = []  # the bins that exist, ascending
        self._total = 0
        self._free = 0
        self._free_chunks = 0
        self._empty = EmptyBlock(device_id)
        Pool._all.add(self)

    def malloc(self, nbytes: int) -> Block | EmptyBlock:
        """Allocate device memory.

        Parameters
        ----------
        nbytes : int
            Bytes wanted.

        Returns
        -------
        Block
            At least as large, its content undefined.

        Raises
        ------
        OutOfMemoryError
            If the pool's limit or the device's memory does not allow it, even after freeing what is unused.
        """
        size = (nbytes + (UNIT - 1)) & ~(UNIT - 1)
        if size == 0:
            return self._empty
        try:
            # The block that was freed last, if it fits: the usual case in a chain of operations on equal arrays.  It
            # still counts as used, and taking it off a deque needs no lock.
            chunk = self._returned.pop()
        except IndexError:
            pass
        else:
            if chunk.size == size:
                return block_class(self, chunk)
            self._returned.append(chunk)
        with self._lock:
            if self._returned:
                self._sort_in()
            chunks = self._bins.get(size)
            chunk = self._take(chunks) if chunks else self._split_larger(size)
            if chunk is None:
                chunk = _Chunk(self._new_memory(size))
                self._total += size
            return block_class(self, chunk)

    def used_bytes(self) -> int:
        """Bytes that arrays hold now."""
        with self._lock:
            self._sort_in()
            return self._total - self._free

    def free_bytes(self) -> int:
        """Bytes the pool keeps for reuse."""
        with self._lock:
            self._sort_in()
            return self._free

    def total_bytes(self) -> int:
        """Bytes the pool has taken from the device."""
        with self._lock:
            self._sort_in()
            return self._total

    def n_free_blocks(self) -> int:
        """Number of free blocks the pool keeps."""
        with self._lock:
            self._sort_in()
            return self._free_chunks

    def taken_bytes(self) -> int:
        """Bytes that the device has less."""
        return self.used_bytes() if self.gives_back else self._total

    def free_all_blocks(self) -> None:
        """Give unused blocks back to the device.  Parts of a block that is partly in use stay, as in CuPy.

        Waits for the device first, as ``cudaFree`` does: operations that still wait may use the memory.
        """
        queue.drain()
        freed = []
        with self._lock:
            self._sort_in()
            for size in list(self._sizes):
                for chunk in [c for c in self._bins[size] if c.previous is None and c.next is None]:
                    self._remove(chunk)
                    self._total -= size
                    freed.append(size)
        if not self.nested:
            for size in freed:
                activity.note("free", nbytes=size)

    def check_limit(self, size: int) -> bool:
        """Whether ``size`` more bytes would fit."""
        if self.limit and self._total + size > self.limit:
            return False
        return taken(self.device_id) + size <= device.memory()

    # Everything below is called with the lock held.

    def _sort_in(self) -> None:
        while True:
            try:
                chunk = self._returned.popleft()  # which another thread may have emptied: malloc takes from it unlocked
            except IndexError:
                return
            for neighbour in (chunk.previous, chunk.next):
                if neighbour is not None and neighbour.free:
                    chunk = self._merge(chunk, neighbour)
            self._insert(chunk)

    def _insert(self, chunk: _Chunk) -> None:
        chunk.free = True
        chunks = self._bins.get(chunk.size)
        if chunks is None:
            self._bins[chunk.size] = [chunk]
            insort(self._sizes, chunk.size)
        else:
            chunks.append(chunk)
        self._free += chunk.size
        self._free_chunks += 1

    def _take(self, chunks: list[_Chunk]) -> _Chunk:
        chunk = chunks.pop()
        chunk.free = False
        self._free -= chunk.size
        self._free_chunks -= 1
        if not chunks:
            self._drop_bin(chunk.size)
        return chunk

    def _remove(self, chunk: _Chunk) -> None:
        chunks = self._bins[chunk.size]
        chunks.remove(chunk)
        chunk.free = False
        self._free -= chunk.size
        self._free_chunks -= 1
        if not chunks:
            self._drop_bin(chunk.size)

    def _drop_bin(self, size: int) -> None:
        del self._bins[size]
        del self._sizes[bisect_left(self._sizes, size)]

    def _split_larger(self, size: int) -> _Chunk | None:
        at = bisect_left(self._sizes, size)
        if at == len(self._sizes):
            return None
        whole = self._take(self._bins[self._sizes[at]])
        rest = _Chunk(whole.raw[size:])
        rest.sequence = whole.sequence
        rest.previous, rest.next = whole, whole.next
        if rest.next is not None:
            rest.next.previous = rest
        whole.next = rest
        whole.raw, whole.size = whole.raw[:size], size
        self._insert(rest)
        return whole

    def _merge(self, chunk: _Chunk, neighbour: _Chunk) -> _Chunk:
        """Join a chunk that is being freed with a free neighbour."""
        self._remove(neighbour)
        first, second = (neighbour, chunk) if chunk.previous is neighbour else (chunk, neighbour)
        joined = first.raw.base
        assert joined is not None  # a chunk is a view of the memory that it was cut from
        start = first.raw.ctypes.data - joined.ctypes.data
        first.raw = joined[start : start + first.size + second.size]
        first.size += second.size
        first.sequence = max(first.sequence, second.sequence)
        first.next = second.next
        if first.next is not None:
            first.next.previous = first
        return first

    def _new_memory(self, size: int) -> np.ndarray:
        if self.gives_back:
            self.free_all_blocks()
        fits = self.check_limit(size)
        if not fits and not (self.limit and size > self.limit):
            self.free_all_blocks()
            if not (fits := self.check_limit(size)):
                gc.collect()
                self.free_all_blocks()
                fits = self.check_limit(size)
        if watcher is not None:
            watcher.acquiring(self.device_id, size)
        raw = None
        if fits:
            try:
                raw = shapes.reserve(size + _PAGE) if shapes.on else np.empty(size + _PAGE, np.uint8)
            except MemoryError:
                pass
        if raw is None:
            if watcher is not None:
                watcher.acquired(self.device_id, size, 0)
            raise OutOfMemoryError(size, self._total, self.limit)
        # Large blocks all begin a page.  Reading two arrays that lie at the same place in theirs is 10 % slower (here, and
        # a known weakness of caches), so each block begins somewhere else in its page.
        regions.note(raw, self.device_id)
        if not self.nested:
            activity.note("malloc", nbytes=size)
        start = -raw.ctypes.data % UNIT + UNIT * (next(_phase) % (_PAGE // UNIT - 1))
        if watcher is not None:
            watcher.acquired(self.device_id, size, raw.ctypes.data + start)
        return raw[start : start + size]


def in_use() -> int:
    """Bytes that arrays hold now, on all devices.  Looks only: the pools stay as they are."""
    pools = [pool for pool in list(Pool._all) if not pool.nested]
    return sum(pool._total - pool._free - sum(chunk.size for chunk in list(pool._returned)) for pool in pools)


def taken(device_id: int) -> int:
    """Bytes that all pools together hold of a device."""
    return sum(pool.taken_bytes() for pool in list(Pool._all) if pool.device_id == device_id)


def resident() -> int:
    """Bytes of this process's main memory in which device memory lies, of all devices.

    What a nested pool has not given out counts as never touched.
    """
    return sum(-pool._free if pool.nested else pool._total for pool in list(Pool._all))


def information(device_id: int) -> tuple[int, int]:
    """Free and total bytes of a device, as ``cudaMemGetInfo`` gives them."""
    total = device.memory()
    return max(total - taken(device_id), 0), total


# A thread may stand inside a pool when another forks.  Registered after the queue's, so taken before them: the order in
# which an allocation that waits for the device takes its locks.
_held: list[Pool] = []


def _before_fork() -> None:
    _held[:] = Pool._all
    for pool in _held:
        pool._lock.acquire()


def _after_fork_in_parent() -> None:
    while _held:
        _held.pop()._lock.release()


def _after_fork_in_child() -> None:
    while _held:
        _held.pop()._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
