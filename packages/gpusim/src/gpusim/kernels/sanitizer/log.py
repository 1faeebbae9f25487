"""The access log of a launch: one record for each element a thread reads, writes or updates atomically.

A backend fills a :class:`Recorder`, by whole arrays (:meth:`Recorder.append`) or through raw buffers that compiled code
writes (:meth:`Recorder.reserve`).  Who looks at it gets a :class:`Log`.  A launch can make 10^7 records: they stay in
the chunks they came in, and are joined only when somebody asks for all of them.

The order of the records is the order in which each block's threads ran; between blocks it means nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..limits import three
from .reading import Log
from .records import (
    ATOMIC,
    ENDED,
    FENCE,
    GUARDED,
    KINDS,
    NEGATIVE,
    NEGATIVE_AXIS,
    NO_ARRAY,
    OTHER,
    OUTSIDE,
    READ,
    RECORD,
    WARP,
    WRITE,
    Array,
    Arrival,
    Chunk,
    InvalidWarpSync,
    Site,
    Sync,
)

__all__ = [
    "ATOMIC",
    "ENDED",
    "FENCE",
    "GUARDED",
    "KINDS",
    "MOST",
    "NEGATIVE",
    "NEGATIVE_AXIS",
    "NO_ARRAY",
    "OTHER",
    "OUTSIDE",
    "READ",
    "RECORD",
    "WARP",
    "WRITE",
    "Array",
    "Arrival",
    "Chunk",
    "Log",
    "Recorder",
    "Site",
    "InvalidWarpSync",
    "Sync",
]

MOST = 30_000_000
"""Records kept of one launch, 600 MB: beyond them the log is truncated, and says so."""


class Recorder:
    """Where a backend writes accesses down.

    Parameters
    ----------
    griddim, blockdim : tuple of int
        One to three numbers.
    blocks : array-like of int, optional
        Linear ids of the blocks that are traced; all if left out.
    maximum : int
        Records to keep at most.
    kernel : str
        Its name.
    function : object
        The resolved kernel, from which more can be said of a race.
    """

    def __init__(
        self, griddim, blockdim, blocks=None, *, maximum: int = MOST, kernel: str = "", function: Any = None
    ) -> None:
        griddim, blockdim = three(griddim), three(blockdim)
        if blocks is None:
            blocks = np.arange(int(np.prod(griddim, dtype=np.int64)))
        self._log = Log(griddim, blockdim, np.asarray(blocks, np.int64), kernel=kernel, function=function)
        self._maximum = maximum
        self._kept = 0
        self._numbers: dict[Any, int] = {}
        self._reserved: Chunk | None = None

    def site(self, *args: Any, **kwargs: Any) -> int:
        """The number of a :class:`Site`, given like its fields; the same site has the same number."""
        return self._number(self._log.sites, Site(*args, **kwargs), 0xFFFF)

    def array(self, *args: Any, **kwargs: Any) -> int:
        """The number of an :class:`Array`, given like its fields; every call makes a new one."""
        array = Array(*args, **kwargs)
        array = array._replace(dtype=np.dtype(array.dtype), shape=tuple(int(n) for n in array.shape))
        if len(self._log.arrays) >= NO_ARRAY:
            raise OverflowError("a kernel that uses more than 65 535 arrays is not traced")
        self._log.arrays.append(array)
        return len(self._log.arrays) - 1

    def argument(self, name: str, array: np.ndarray, space: str = "global") -> int:
        """The number of a NumPy array that a kernel is given."""
        address = array.__array_interface__["data"][0]
        return self.array(name, space, array.dtype, array.shape, array.strides, address)

    def sync(self, *args: Any, **kwargs: Any) -> int:
        """The number of a :class:`Sync`, given like its fields."""
        return self._number(self._log.syncs, Sync(*args, **kwargs), 0xFFFF)

    def append(self, element, thread, site, array, interval=0, warp=0, epoch=0, flags=0, values=None) -> None:
        """Write accesses down: arrays of one length, or numbers where all have the same.

        Parameters
        ----------
        element, thread, site, array, interval, warp, epoch, flags
            See :data:`RECORD`.
        values : array-like, optional
            What the writes and atomics among them stored, in order, any dtype: its low 64 bits are kept.  One value
            for all is enough.

        Raises
        ------
        ValueError
            If there are not as many values as writes and atomics.
        """
        fields = (element, thread, site, array, interval, warp, epoch, flags)
        n = max((np.size(item) for item in fields if np.ndim(item)), default=1)
        records = np.empty(n, RECORD)
        for name, item in zip(RECORD.names or (), fields, strict=True):
            records[name] = item
        self._add(records, _bits(values, self._stored(records)))

    def fence(self, thread, site, interval=0, warp=0, epoch=0) -> None:
        """Note that threads passed a memory fence; `site` is of kind ``"fence"``."""
        self.append(0, thread, site, NO_ARRAY, interval, warp, epoch)

    def reserve(self, records: int, values: int | None = None) -> Chunk:
        """Room for records that compiled code writes; :meth:`commit` says how many it wrote."""
        self._reserved = Chunk(
            np.empty(records, RECORD), np.empty(records if values is None else values, np.uint64), np.zeros(2, np.int64)
        )
        return self._reserved

    def commit(self, records: int | None = None, values: int | None = None, chunk: Chunk | None = None) -> None:
        """Take what was written into a reserved chunk, the last one unless another is given.

        Left out, the numbers are those in the chunk's `counts`.
        """
        chunk = chunk or self._reserved
        if chunk is None:
            raise ValueError("nothing was reserved")
        records = int(chunk.counts[0]) if records is None else int(records)
        values = int(chunk.counts[1]) if values is None else int(values)
        written, stored = chunk.records[:records], chunk.values[:values]
        # A view would keep all of a chunk that is mostly empty.
        self._add(written if 2 * records > len(chunk.records) else written.copy(), _lean(stored, chunk.values))
        if chunk is self._reserved:
            self._reserved = None

    def move_outside(self, chunk: Chunk, records: int, values: int) -> tuple[int, int]:
        """Move what is flagged `OUTSIDE` from a chunk to the log's `outside`; how many records and values are left."""
        written, stored = chunk.records[:records], chunk.values[:values]
        outside = written["flags"] & OUTSIDE > 0
        kept = ~outside[np.isin(self._log.kinds, (WRITE, ATOMIC))[written["site"]]]
        self._log.outside = np.concatenate([self._log.outside, written[outside]])
        left, told = written[~outside], stored[kept]
        chunk.records[: len(left)], chunk.values[: len(told)] = left, told
        return len(left), len(told)

    @property
    def full(self) -> bool:
        """Whether no more records are kept: a backend may stop making them."""
        return self._kept >= self._maximum

    def arrived(self, thread, sync, interval) -> None:
        """Note where threads arrived when their block diverged at a barrier; `sync` -1 for one that had ended."""
        for item in np.broadcast(np.atleast_1d(thread), sync, interval):
            self._log.arrivals.append(Arrival(*map(int, item)))

    def invalid_warp_sync(self, *args: Any) -> None:
        """Note a :class:`InvalidWarpSync`, given like its fields."""
        self._log.invalid_warp_syncs.append(InvalidWarpSync(*args))

    def exchanging(self) -> None:
        """Note that the kernel's threads give each other values other than through memory: shuffles, votes, matches."""
        self._log.exchanges = True

    def log(self) -> Log:
        """The log; more may still be appended to it."""
        return self._log

    def _number(self, entries: list, entry: Any, most: int) -> int:
        number = self._numbers.get(entry)
        if number is None:
            if len(entries) >= most:
                raise OverflowError("a kernel with more than 65 535 accesses in its source is not traced")
            number = self._numbers[entry] = len(entries)
            entries.append(entry)
        return number

    def _stored(self, records: np.ndarray) -> int:
        """How many of some records have a value."""
        return int(np.count_nonzero(np.isin(self._log.kinds, (WRITE, ATOMIC))[records["site"]]))

    def _add(self, records: np.ndarray, values: np.ndarray) -> None:
        room = self._maximum - self._kept
        if len(records) > room:
            self._log.truncated += len(records) - room
            records = records[:room].copy()
            values = values[: self._stored(records)].copy()
        if len(records):
            self._kept += len(records)
            self._log.chunks.append((records, values))


def _bits(values: Any, n: int) -> np.ndarray:
    """The low 64 bits of n values of any type."""
    values = np.ascontiguousarray(np.atleast_1d(() if values is None else values)).ravel()
    if len(values) == 1 and n != 1:
        values = np.repeat(values, n)
    if len(values) != n:
        raise ValueError(f"{len(values)} values for {n} writes and atomics")
    size = values.dtype.itemsize
    if size == 8 and values.dtype.kind in "iufmM":
        return values.view(np.uint64)
    padded = np.zeros((n, 8), np.uint8)
    if n:
        padded[:, : min(size, 8)] = values.view(np.uint8).reshape(n, size)[:, :8]
    return padded.view(np.uint64).ravel()


def _lean(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return part if 2 * len(part) > len(whole) else part.copy()
