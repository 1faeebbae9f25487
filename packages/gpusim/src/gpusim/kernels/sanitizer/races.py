"""Races: two threads, one element, at least one write, not both atomic, nothing that orders them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from .benign_races import Conditionals
from .conflicts import BLOCKS, LEVELS, Cells, Sorted, contended
from .fences import Fences
from .memory import Memory
from .reading import Log
from .records import ATOMIC, READ, WRITE
from .warp_syncs import WarpSyncs

_SWAP = re.compile(r"\b(cas|compare_and_swap|(nan)?(max|min)|atomic(CAS|Max|Min))\s*\(")
"""What makes good a plain read before it: a swap fails if it was stale, a maximum or minimum looks again."""
EXAMPLES = 16
"""Runs looked at closely for each set of places in the source that meet in them."""
ROWS = 1 << 14
"""Accesses of a run looked at closely."""
TURNS = 64
"""Times that a thread comes to one place, looked at closely."""


@dataclass
class Access:
    """One side of a race."""

    array: int
    element: int
    site: int
    thread: int
    interval: int


@dataclass
class Race:
    """Two places in the source whose accesses to an array meet unordered.

    Attributes
    ----------
    first, second : Access
        An example: the write first, and the plain one before the atomic.
    level : int
        0 within a warp, 1 within a block, 2 between blocks.
    elements : int
        Of the array in which it was seen.
    same : bool
        All involved write the same value from the same line.
    ordered : bool
        In all examples a fence and an atomic flag order the two.
    again : bool
        The writing thread had been at the other place, further down, since the last barrier: a loop came round.
    changing : bool
        Both threads read the element and write it, each in one line.
    benign : bool
        All that write the element store the same value where a test of it holds, and a thread that reads the old value does
        nothing else for it.
    checked : bool
        The plain read is what the same thread then compares and swaps by an atomic, which fails if it was stale.
    widest : int
        The highest level at which the two places race.
    """

    first: Access
    second: Access
    level: int
    elements: int
    same: bool = False
    ordered: bool = False
    again: bool = False
    changing: bool = False
    checked: bool = False
    benign: bool = False
    widest: int = 0

    @property
    def severity(self) -> str:
        return "warning" if self.same or self.ordered or self.checked or self.benign else "error"


def races(log: Log, memory: Memory, count: int, fences: Fences, warp_syncs: WarpSyncs | None = None) -> list[Race]:
    """The races on a memory, which `count` records touch; for two places in the source at most one."""
    cells = contended(log, memory, count)
    if cells is None:
        return []
    accesses = Sorted(log, cells)
    examples: list[tuple[int, int, int, int, int, bool]] = []
    for level in range(len(LEVELS) if memory.space != "shared" else BLOCKS):
        starts, ends = accesses.conflicts(level)
        if not len(starts):
            continue
        same = _same_value(log, accesses, level, starts, ends)
        bits = (np.uint64(1) << np.arange(len(accesses.sites), dtype=np.uint64) % 64)[accesses.site]
        places = accesses.reduce(np.bitwise_or, bits, starts, ends)
        for alike in (False, True):
            chosen = np.flatnonzero(same == alike)
            for signature in np.unique(places[chosen]):
                runs = chosen[places[chosen] == signature]
                # An element is in many runs: one for each warp, or block, and interval in which it is touched.
                elements = len(np.unique(accesses.field("cell", starts[runs])))
                for run in runs[:EXAMPLES]:
                    for row, other in _pairs(accesses, level, int(starts[run]), int(ends[run])):
                        examples.append(
                            (
                                level,
                                row,
                                other,
                                elements,
                                int(accesses.field("cell", slice(row, row + 1))[0]),
                                alike,
                            )
                        )
    if not examples:
        return []
    details = Details(log, cells, sorted({example[4] for example in examples}))
    return _merge(log, accesses, examples, details, fences, warp_syncs)


def _pairs(accesses: Sorted, level: int, start: int, end: int) -> list[tuple[int, int]]:
    """For each two places in the source that conflict in a run, two accesses that do."""
    rows = np.arange(start, end)
    if len(rows) > ROWS:  # a run is sorted by thread: keep its beginning and its end
        rows = np.r_[rows[: ROWS // 2], rows[-ROWS // 2 :]]
    unit, site, kind = accesses.field(LEVELS[level][1], rows), accesses.site[rows], accesses.kind[rows]
    present = {int(s): np.flatnonzero(site == s) for s in np.unique(site)}
    found = []
    for a, mine in present.items():
        for b, others in present.items():
            kinds = {int(kind[mine[0]]), int(kind[others[0]])}
            if a > b or not (WRITE in kinds or kinds == {READ, ATOMIC}):
                continue
            for i in (mine[0], mine[-1]):
                different = others[unit[others] != unit[i]]
                if len(different):
                    found.append((int(rows[i]), int(rows[different[0]])))
                    break
    return found


def _same_value(log: Log, accesses: Sorted, level: int, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Which runs consist of plain writes of one value from one line."""
    lines = {}
    numbers = [lines.setdefault((log.sites[s].function, log.sites[s].line), len(lines)) for s in accesses.sites]
    line, kind = np.array(numbers, np.uint16)[accesses.site], accesses.kind
    least, most = (accesses.reduce(f, kind, starts, ends) for f in (np.minimum, np.maximum))
    alike = (least == WRITE) & (most == WRITE)
    alike &= accesses.reduce(np.minimum, line, starts, ends) == accesses.reduce(np.maximum, line, starts, ends)
    wide = np.array([array.dtype.itemsize > 8 for array in log.arrays])
    candidates = np.flatnonzero(alike)
    if not len(candidates) or wide[accesses.cells.memory.arrays].any():
        return alike & False
    upto = LEVELS[level][0]
    wanted = accesses.prefix(upto, [word[starts[candidates]] for word in accesses.words])
    value, seen = np.zeros(len(candidates), np.uint64), np.zeros(len(candidates), bool)
    for records, values in log.stored():
        where, number = accesses.cells.touched(records)
        prefix = accesses.prefix(upto, accesses.pack(records, where, number))
        run = _find(wanted, prefix)
        mine = run >= 0
        run, stored = run[mine], values[where[mine]]
        new = ~seen[run]
        value[run[new]], seen[run[new]] = stored[new], True
        alike[candidates[run[stored != value[run]]]] = False
    return alike


def _find(wanted: list[np.ndarray], prefix: list[np.ndarray]) -> np.ndarray:
    """For each of some keys its position among the wanted ones, which are sorted; -1 if it is none."""
    if len(wanted) > 1:  # keys of several words: their ranks among all take their place
        n = len(wanted[0])
        columns = np.stack([np.concatenate(pair) for pair in zip(wanted, prefix, strict=True)], 1)
        _, rank = np.unique(columns, axis=0, return_inverse=True)
        wanted, prefix = [rank.ravel()[:n]], [rank.ravel()[n:]]
    at = np.minimum(np.searchsorted(wanted[0], prefix[0]), len(wanted[0]) - 1)
    return np.where(wanted[0][at] == prefix[0], at, -1)


class Details:
    """All records on a few cells, with where they stand in the log."""

    def __init__(self, log: Log, cells: Cells, wanted: list[int]) -> None:
        self.log = log
        table = np.zeros(int(cells.hot.max()) + 1, bool)
        table[wanted] = True
        records, numbers, places, stored = [], [], [], []
        stores = np.isin(log.kinds, (WRITE, ATOMIC))
        for (first, piece), (_, values) in zip(log.pieces(), log.stored(), strict=True):
            where, number = cells.touched(piece)
            keep = table[number]
            where = where[keep]
            records.append(piece[where])
            numbers.append(number[keep])
            places.append(first + where)
            storing = stores[piece["site"]]
            value = np.zeros(len(where), np.uint64)
            value[storing[where]] = values[(np.cumsum(storing) - 1)[where[storing[where]]]]
            stored.append(value)
        self.number = np.concatenate(numbers)
        order = np.argsort(self.number, kind="stable")
        self.number = self.number[order]
        self.records, self.place, self.value = (np.concatenate(each)[order] for each in (records, places, stored))

    def of(self, cell: int) -> tuple[np.ndarray, np.ndarray]:
        """The records on a cell in order, and their places in the log."""
        rows = self._rows(cell)
        return self.records[rows], self.place[rows]

    def one_value(self, cell: int) -> float | None:
        """What all that store to a cell store, if they do so plainly and from one line, and it is a number."""
        rows = self._rows(cell)
        records, sites = self.records[rows], self.log.sites
        storing = np.isin(self.log.kinds[records["site"]], (WRITE, ATOMIC))
        lines = {(sites[s].kind, sites[s].function, sites[s].line) for s in np.unique(records["site"][storing])}
        values = np.unique(self.value[rows][storing])
        types = {self.log.arrays[a].dtype for a in np.unique(records["array"])}
        kind = types.pop()
        if types or kind.kind not in "biuf" or kind.itemsize > 8 or len(lines) != 1 or len(values) != 1:
            return None
        return values.view(kind)[0].item() if lines.pop()[0] == "write" else None

    def _rows(self, cell: int) -> slice:
        return slice(*np.searchsorted(self.number, [cell, cell + 1]))


class History:
    """All that a few threads did."""

    def __init__(self, log: Log, threads: set[int]) -> None:
        table = np.zeros(len(log.blocks) * log.threads_per_block, bool)
        table[list(threads)] = True
        kept, places = [], []
        for first, records in log.pieces():
            mine = np.flatnonzero(table[records["thread"]])
            kept.append(records[mine])
            places.append(first + mine)
        self.records, self.places = np.concatenate(kept), np.concatenate(places)

    def came_before(self, access: Access, at: int, site: int) -> bool:
        """Whether a thread was at a site since the last barrier before its access at a place in the log."""
        mine = (self.records["thread"] == access.thread) & (self.records["site"] == site) & (self.places < at)
        return bool((self.records["interval"][mine] == access.interval).any())


def _merge(
    log: Log, accesses: Sorted, examples: list, details: Details, fences: Fences, warp_syncs: WarpSyncs | None
) -> list[Race]:
    """One race for each two lines: the gravest, and of these the one within the narrowest circle of threads."""
    found: dict[tuple, list[Race]] = {}
    conditionals = Conditionals(log)
    history = History(log, {accesses.thread(row) for example in examples for row in example[1:3]})
    for level, row, other, elements, cell, same in examples:
        records, places = details.of(cell)
        sides = [_access(accesses, records, places, r) for r in (row, other)]
        sides.sort(key=lambda side: (_order(log.kinds[side[0].site]), side[0].thread))
        (first, at), (second, there) = sides
        if level == 0 and warp_syncs:
            pair = [places[_alike(accesses, records, r)][:TURNS] for r in (row, other)]
            if warp_syncs.order(accesses.thread(row), pair[0], accesses.thread(other), pair[1]):
                continue
        race = Race(first, second, level, elements, same)
        value = details.one_value(cell)
        if value is not None:
            kind = log.kinds[second.site]
            race.same = race.same or kind == WRITE
            race.benign = kind == READ and conditionals.harmless(first.site, second.site, value)
        race.ordered = fences.order(first, at, second, there)
        down = log.sites[second.site].line > log.sites[first.site].line
        race.again = down and history.came_before(first, at, second.site)
        race.checked = log.kinds[second.site] == READ and _swaps(log, records, places, second)
        race.changing = all(_changes(log, records, side) for side in (first, second))
        lines = sorted({_line(log, first), _line(log, second)})
        found.setdefault((log.arrays[first.array].name, *lines), []).append(race)
    merged = []
    for group in found.values():
        race = min(group, key=lambda r: (r.severity != "error", not r.changing, r.level, -r.elements))
        race.widest = max(r.level for r in group)
        merged.append(race)
    return merged


def _access(accesses: Sorted, records: np.ndarray, places: np.ndarray, row: int) -> tuple[Access, int]:
    """One side of an example, and its place in the log."""
    at = int(np.flatnonzero(_alike(accesses, records, row))[0])
    record = records[at]
    numbers = (int(record[name]) for name in ("array", "element", "site", "thread", "interval"))
    return Access(*numbers), int(places[at])


def _alike(accesses: Sorted, records: np.ndarray, row: int) -> np.ndarray:
    """Which of the records on a cell one side of an example stands for: it may have come there several times."""
    rows = slice(row, row + 1)
    thread, site = accesses.thread(row), int(accesses.sites[accesses.field("site", rows)[0]])
    interval, passed, epoch = (int(accesses.field(name, rows)[0]) for name in ("interval", "passed", "epoch"))
    mine = (records["thread"] == thread) & (records["site"] == site) & (records["interval"] == interval)
    return mine & (records["warp"] == passed) & (records["epoch"] == epoch)


def _order(kind: int) -> int:
    return {WRITE: 0, ATOMIC: 1, READ: 2}[int(kind)]


def _line(log: Log, access: Access) -> tuple[str, int]:
    site = log.sites[access.site]
    return site.function, site.line


def _swaps(log: Log, records: np.ndarray, places: np.ndarray, reader: Access) -> bool:
    """Whether threads that read an element there go on to compare and swap it; the records are those on the element.

    Not each of them need: what one read may tell it that there is nothing to swap.
    """
    kinds = [site.kind == "atomic" and bool(_SWAP.search(f"{site.operation}( {site.text}")) for site in log.sites]
    swapping, reading = np.array(kinds)[records["site"]], records["site"] == reader.site
    last = dict(zip(records["thread"][swapping].tolist(), places[swapping].tolist(), strict=True))
    return any(
        last.get(thread, -1) > place
        for thread, place in zip(records["thread"][reading].tolist(), places[reading].tolist(), strict=True)
    )


def _changes(log: Log, records: np.ndarray, side: Access) -> bool:
    """Whether a thread both reads and writes an element in one line; the records are those on the element."""
    mine = records["site"][(records["thread"] == side.thread) & (records["interval"] == side.interval)]
    line = _line(log, side)
    kinds = {log.sites[s].kind for s in np.unique(mine) if (log.sites[s].function, log.sites[s].line) == line}
    return {"read", "write"} <= kinds
