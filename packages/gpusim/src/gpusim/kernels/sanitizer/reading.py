"""A finished log, to be read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpusim.device.indices import indices

from .records import ATOMIC, KINDS, OTHER, READ, RECORD, WARP, WRITE, Array, Arrival, InvalidWarpSync, Site, Sync

PIECE = 1 << 20
"""Records that are looked at together."""

_LATE = 0xFF00  # of 16 bits: a block may have made no access in the very last intervals


@dataclass
class Log:
    """What a launch did to memory.

    Attributes
    ----------
    sites, arrays, syncs : list
        What the records' numbers mean.
    blocks : numpy.ndarray, int64
        Linear ids of the traced blocks.
    griddim, blockdim : tuple of int
        ``(x, y, z)``.
    arrivals : list of Arrival
        At barriers at which the threads of a block diverged.
    invalid_warp_syncs : list of InvalidWarpSync
        Warps that do not act together.
    exchanges : bool
        Whether threads give each other values by shuffles, votes or matches.
    truncated : int
        Records that were not kept.
    outside : numpy.ndarray, RECORD
        Accesses to elements that no array has, where the kernel went on: `element` is where it would lie, as an int32.
    function : object
        The resolved kernel, if the backend gave it.
    """

    griddim: tuple[int, int, int]
    blockdim: tuple[int, int, int]
    blocks: np.ndarray
    sites: list[Site] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    syncs: list[Sync] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    invalid_warp_syncs: list[InvalidWarpSync] = field(default_factory=list)
    exchanges: bool = False
    truncated: int = 0
    outside: np.ndarray = field(default_factory=lambda: np.empty(0, RECORD), repr=False)
    kernel: str = ""
    function: Any = field(default=None, repr=False, compare=False)
    chunks: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list, repr=False)
    _grouped: tuple | None = field(default=None, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return sum(len(records) for records, _ in self.chunks)

    @property
    def nbytes(self) -> int:
        """Bytes that the log holds."""
        return sum(records.nbytes + values.nbytes for records, values in self.chunks)

    @property
    def records(self) -> np.ndarray:
        """All records, in order; they are joined, and stay so."""
        return self._join()[0]

    @property
    def values(self) -> np.ndarray:
        """The values of all writes and atomics, in order."""
        return self._join()[1]

    @property
    def threads_per_block(self) -> int:
        x, y, z = self.blockdim
        return x * y * z

    @property
    def kinds(self) -> np.ndarray:
        """READ, WRITE, ATOMIC, FENCE or, for what is no access, OTHER of each site, uint8."""
        return np.array([KINDS.index(s.kind) if s.kind in KINDS else OTHER for s in self.sites], np.uint8)

    def pieces(self, size: int = PIECE) -> Iterator[tuple[int, np.ndarray]]:
        """The records in order, a piece at a time, each with the number of its first: so that work on them stays small."""
        first = 0
        for records, _ in self._joined(size):
            for start in range(0, len(records), size):
                yield first + start, records[start : start + size]
            first += len(records)

    def stored(self, size: int = PIECE) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The writes and atomics in order, a piece at a time, each with its values."""
        writes = np.isin(self.kinds, (WRITE, ATOMIC))
        for records, values in self._joined(size):
            taken = 0
            for start in range(0, len(records), size):
                piece = records[start : start + size]
                piece = piece[writes[piece["site"]]]
                yield piece, values[taken : taken + len(piece)]
                taken += len(piece)

    def before_wrapping(self) -> Log:
        """The log up to where a block has passed so many barriers that their numbers would begin again.

        Beyond that, accesses that barriers keep apart would seem to be in one interval.
        """
        each, cut = self.threads_per_block, np.full(len(self.blocks), len(self))
        for first, records in self.pieces():
            late = np.flatnonzero(
                (records["interval"] >= _LATE) | (records["warp"] >= _LATE) | (records["epoch"] >= _LATE)
            )
            np.minimum.at(cut, records["thread"][late] // each, first + late)
        if (cut == len(self)).all():
            return self
        writes, first, chunks = np.isin(self.kinds, (WRITE, ATOMIC)), 0, []
        for records, values in self.chunks:
            keep = np.arange(first, first + len(records)) < cut[records["thread"] // each]
            chunks.append((records[keep], values[keep[writes[records["site"]]]]))
            first += len(records)
        return dataclasses.replace(self, chunks=chunks)

    def at_site(self, site: int) -> np.ndarray:
        """The records of one site, in order."""
        found = [
            piece[order[starts[site] : starts[site + 1]]]
            for (_, piece), (order, starts) in zip(self.pieces(), self._by_site(), strict=True)
            if site + 1 < len(starts)
        ]
        return np.concatenate(found) if found else np.empty(0, RECORD)

    def values_at(self) -> np.ndarray:
        """For each of :attr:`records` the position of its value in :attr:`values`; meaningless for reads."""
        writes = np.isin(self.kinds, (WRITE, ATOMIC))
        return np.cumsum(writes[self.records["site"]]) - 1

    def thread_of(self, thread: int) -> tuple[int, int, int]:
        """``threadIdx`` of a record's thread."""
        return _xyz(int(thread) % self.threads_per_block, self.blockdim)

    def block_of(self, thread: int) -> tuple[int, int, int]:
        """``blockIdx`` of a record's thread."""
        return _xyz(int(self.blocks[int(thread) // self.threads_per_block]), self.griddim)

    def positions(self, thread: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The block (its position in `blocks`), the warp within it and the lane of each thread."""
        block, within = np.divmod(thread, np.asarray(self.threads_per_block, thread.dtype))
        return block, within // WARP, within % WARP

    def index_of(self, array: int, element: int) -> tuple[int, ...]:
        """The index, in its array, of a record's element."""
        return self.arrays[array].index_of(element)

    def explain(self) -> dict[str, dict[str, int]]:
        """By array: reads, writes, atomics, and the most of each by one thread.

        Returns
        -------
        dict
            ``{"x": {"reads": 9, "writes": 0, "atomics": 0, "reads_by_one": 3, …}}``; two arrays of one name (an
            argument and the same array under another) are counted together.
        """
        threads = len(self.blocks) * self.threads_per_block
        kinds, total = self.kinds, {}
        for number, array in enumerate(self.arrays):
            counts = np.zeros((3, threads), np.int64)
            for records, _ in self.chunks:
                mine = records["array"] == number
                thread, kind = records["thread"][mine], kinds[records["site"][mine]]
                for k in (READ, WRITE, ATOMIC):
                    counts[k] += np.bincount(indices(thread[kind == k]), minlength=threads)
            here = total.setdefault(array.name, {})
            for k, name in enumerate(("reads", "writes", "atomics")):
                here[name] = here.get(name, 0) + int(counts[k].sum())
                here[f"{name}_by_one"] = max(here.get(f"{name}_by_one", 0), int(counts[k].max(initial=0)))
        return total

    def _by_site(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Of each piece: the positions of its records by site, and where each site's begin; found once, 4 bytes a record.

        A kernel of many places would otherwise be looked through once for each of them.
        """
        self._joined(PIECE)
        # Records are only ever added, or joined, in their order: as many in as many chunks are the same.
        lengths = [len(records) for records, _ in self.chunks]
        if self._grouped is None or self._grouped[0] != lengths:
            found = []
            for _, piece in self.pieces():
                site = piece["site"]
                starts = np.concatenate([[0], np.cumsum(np.bincount(indices(site)))])
                found.append((np.argsort(site, kind="stable").astype(np.uint32), starts))
            self._grouped = lengths, found
        return self._grouped[1]

    def _joined(self, size: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """The chunks, the small ones joined until they are worth a look: a backend may append a few records at a time."""
        if any(len(records) < size // 2 for records, _ in self.chunks[:-1]):
            groups: list[list] = []
            room = 0
            for chunk in self.chunks:
                if len(chunk[0]) > room:
                    groups.append([])
                    room = size
                groups[-1].append(chunk)
                room -= len(chunk[0])
            self.chunks = [
                group[0]
                if len(group) == 1
                else (np.concatenate([r for r, _ in group]), np.concatenate([v for _, v in group]))
                for group in groups
            ]
        return self.chunks

    def _join(self) -> tuple[np.ndarray, np.ndarray]:
        if len(self.chunks) != 1:
            records = [r for r, _ in self.chunks] or [np.empty(0, RECORD)]
            values = [v for _, v in self.chunks] or [np.empty(0, np.uint64)]
            self.chunks = [(np.concatenate(records), np.concatenate(values))]
        return self.chunks[0]


def _xyz(linear: int, dim: tuple[int, int, int]) -> tuple[int, int, int]:
    x, y, _ = dim
    return linear % x, linear // x % y, linear // (x * y)
