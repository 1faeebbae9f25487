"""Which cells of a memory two threads use at once, at least one of them writing, and which accesses those are.

Three rounds over the accesses of a memory find the cells that matter: those that more than one thread touches, that
are written, and not by atomics alone; in a right kernel that is the end of it, or leaves the shared tiles.  Their
accesses are packed into integers, cell first and then epoch, block, interval, warp, syncwarps passed, lane and site, and
sorted.  Then every group of accesses that nothing orders is a run: those of a cell in one epoch by several blocks, of
a block's interval by several warps, of a warp between two syncwarps by several lanes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gpusim.device.indices import indices

from .memory import Memory
from .reading import Log
from .records import ATOMIC, READ, WARP, WRITE

DENSE = 1 << 26
FIELDS = ("cell", "epoch", "block", "interval", "warp", "passed", "lane", "site")
# A level: accesses that agree in all fields up to the first name are not ordered if they differ in the second.
LEVELS = (("passed", "lane"), ("interval", "warp"), ("epoch", "block"))
BLOCKS = len(LEVELS) - 1


@dataclass
class Cells:
    """The cells of a memory that matter, and their numbers among these."""

    memory: Memory
    names: np.ndarray | None  # the cells that occur, ascending; None: they are their own positions
    hot: np.ndarray  # by position: -1, or the number among those that matter
    sites: np.ndarray  # the sites that touch the memory
    most: dict[str, int]  # the largest epoch, interval and warp of a record on it

    def touched(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the records that touch a cell that matters, and its number."""
        where, cell = self.memory.touched(records)
        number = self.hot[position(self.names, cell)]
        keep = number >= 0
        return where[keep], number[keep]


def position(names: np.ndarray | None, cell: np.ndarray) -> np.ndarray:
    """Where a cell stands in tables by cell."""
    return cell if names is None else np.searchsorted(names, cell)


def names_of(log: Log, memory: Memory, count: int) -> tuple[np.ndarray | None, int]:
    """How tables by cell are laid out: one entry for each, or, where few of many are touched, for those that occur."""
    total = memory.cells * memory.copies
    if total <= min(DENSE, max(1 << 16, 8 * count)):
        return None, total
    seen = [np.unique(memory.touched(records)[1]) for _, records in log.pieces()]
    names = np.unique(np.concatenate(seen)) if seen else np.empty(0, np.int64)
    return names, len(names)


def contended(log: Log, memory: Memory, count: int) -> Cells | None:
    """The cells that several threads touch, at least one writing and not all by atomics; None if there are none."""
    names, total = names_of(log, memory, count)
    kinds = log.kinds
    owner = np.zeros(total, np.uint32)
    written, plain, several = (np.zeros(total, bool) for _ in range(3))
    sites, most = np.zeros(len(log.sites), bool), {"epoch": 0, "interval": 0, "warp": 0}
    for _, records in log.pieces():
        where, cell = memory.touched(records)
        at, site = position(names, cell), records["site"][where]
        sites[site] = True
        for name in most:
            most[name] = max(most[name], int(records[name][where].max(initial=0)))
        kind = kinds[site]
        owner[at] = records["thread"][where]
        written[at[kind != READ]] = True
        plain[at[kind != ATOMIC]] = True
    for _, records in log.pieces():
        where, cell = memory.touched(records)
        at = position(names, cell)
        several[at[owner[at] != records["thread"][where]]] = True
    several &= written & plain
    numbers = np.flatnonzero(several)
    if not len(numbers):
        return None
    hot = np.full(total, -1, np.int32)
    hot[numbers] = np.arange(len(numbers), dtype=np.int32)
    return Cells(memory, names, hot, np.flatnonzero(sites), most)


class Sorted:
    """The accesses to the cells that matter, packed and sorted, without repetition.

    Parameters
    ----------
    log : Log
    cells : Cells
    """

    def __init__(self, log: Log, cells: Cells) -> None:
        self.log, self.cells = log, cells
        self.sites = cells.sites
        self._rank = np.zeros(len(log.sites), np.uint64)
        self._rank[self.sites] = np.arange(len(self.sites))
        self._layout = _layout([int(value).bit_length() for value in self._most()])
        keys = [self.pack(records, *cells.touched(records)) for _, records in log.pieces()]
        self.words = [np.concatenate(column) for column in zip(*keys, strict=True)]
        if len(self.words) == 1:
            self.words[0].sort()
        else:
            order = np.lexsort(self.words[::-1])
            self.words = [word[order] for word in self.words]
        keep = self.starts("site", mask=True)
        self.words = [word[keep] for word in self.words]

    def __len__(self) -> int:
        return len(self.words[0])

    def pack(self, records: np.ndarray, where: np.ndarray, number: np.ndarray) -> list[np.ndarray]:
        """The integers that stand for accesses: those of `records` at `where`, to the cells of these numbers."""
        block, warp, lane = self.log.positions(records["thread"][where])
        columns = {
            "cell": lambda: number,
            "epoch": lambda: records["epoch"][where],
            "block": lambda: block,
            "interval": lambda: records["interval"][where],
            "warp": lambda: warp,
            "passed": lambda: records["warp"][where],
            "lane": lambda: lane,
            "site": lambda: self._rank[records["site"][where]],
        }
        count = 1 + max(word for word, _, _ in self._layout.values())
        words = [np.zeros(len(where), np.uint64) for _ in range(count)]
        for name, (word, shift, bits) in self._layout.items():
            if bits:
                words[word] |= columns[name]().astype(np.uint64) << np.uint64(shift)
        return words

    def field(self, name: str, rows: slice | np.ndarray = slice(None), dtype: type = np.int64) -> np.ndarray:
        """One field of some accesses."""
        word, shift, bits = self._layout[name]
        values = self.words[word][rows] >> np.uint64(shift)
        values &= np.uint64((1 << bits) - 1)
        return values.astype(dtype)

    @functools.cached_property
    def site(self) -> np.ndarray:
        """The place of each access's site in `sites`, uint16."""
        return self.field("site", dtype=np.uint16)

    @functools.cached_property
    def kind(self) -> np.ndarray:
        """READ, WRITE or ATOMIC of each access, uint8."""
        return self.log.kinds[self.sites][self.site]

    def prefix(self, upto: str, words: list[np.ndarray] | None = None) -> list[np.ndarray]:
        """The fields up to and including one, as integers that compare like them."""
        word, shift, _ = self._layout[upto]
        words = self.words if words is None else words
        return [*words[:word], words[word] >> np.uint64(shift)]

    def starts(self, upto: str, *, mask: bool = False) -> np.ndarray:
        """Where runs begin whose accesses agree in all fields up to one."""
        new = np.zeros(len(self), bool)
        new[:1] = True
        for column in self.prefix(upto):
            new[1:] |= column[1:] != column[:-1]
        return new if mask else np.flatnonzero(new)

    def conflicts(self, level: int) -> tuple[np.ndarray, np.ndarray]:
        """Where the runs begin and end that hold a conflict between lanes, warps or blocks (levels 0, 1, 2).

        A run with two of them conflicts if one access is a plain write (that and one of another's), or if there are
        atomics and plain reads: of two threads some atomic and some read are by different ones.
        """
        upto, unit = LEVELS[level]
        starts = self.starts(upto)
        ends = np.append(starts[1:], len(self))
        several = np.flatnonzero(self.field(unit, starts) != self.field(unit, ends - 1))
        if not len(several):
            return several, several
        starts, ends = starts[several], ends[several]
        seen = self.reduce(np.bitwise_or, np.uint8(1) << self.kind, starts, ends)
        reads, writes, atomics = (seen & (1 << kind) > 0 for kind in (READ, WRITE, ATOMIC))
        found = writes | (reads & atomics)
        return starts[found], ends[found]

    @staticmethod
    def reduce(ufunc: np.ufunc, values: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """`ufunc` over each run."""
        bounds = np.stack([starts, ends], 1).ravel()
        if len(bounds) and bounds[-1] == len(values):
            bounds = bounds[:-1]
        return ufunc.reduceat(values, indices(bounds))[::2]

    def thread(self, row: int) -> int:
        """The thread, numbered as in records, of an access."""
        block, warp, lane = (int(self.field(name, slice(row, row + 1))[0]) for name in ("block", "warp", "lane"))
        return block * self.log.threads_per_block + warp * WARP + lane

    def _most(self) -> Iterator[int]:
        """The largest value of each field."""
        most, threads = self.cells.most, self.log.threads_per_block
        yield from (int(self.cells.hot.max()), most["epoch"], len(self.log.blocks) - 1, most["interval"])
        yield from ((threads - 1) // WARP, most["warp"], min(threads, WARP) - 1, len(self.sites) - 1)


def _layout(bits: list[int]) -> dict[str, tuple[int, int, int]]:
    """Word, shift and bits of each field: in as few 64-bit words as hold them in order, the first field highest."""
    words: list[list[int]] = [[]]
    for n in bits:
        if sum(words[-1]) + n > 64:
            words.append([])
        words[-1].append(n)
    layout, names = {}, iter(FIELDS)
    for number, widths in enumerate(words):
        left = sum(widths)
        for n in widths:
            left -= n
            layout[next(names)] = (number, left, n)
    return layout
