"""Which arrays are one memory, and which of its cells a record touches.

An array may be passed twice, or a slice of it beside it; a record's fields may be touched one by one; dynamic shared
memory may be cut into arrays of several types.  Two accesses meet if they touch the same cell, so the cell is the
largest piece that all of them consist of.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gpusim.device.indices import indices

from .reading import Log


@dataclass
class Memory:
    """Arrays that share bytes, and the cells that they consist of.

    Attributes
    ----------
    arrays : list of int
        Their numbers in the log.
    space : str
    cells : int
        Of one copy: shared memory has one for each block, local memory one for each thread.
    copies : int
    width : int
        Bytes of a cell.
    threads_per_copy : int
    """

    arrays: list[int]
    space: str
    cells: int
    copies: int
    width: int
    threads_per_copy: int
    simple: bool
    _first: np.ndarray
    _step: np.ndarray
    _offset: np.ndarray
    _length: np.ndarray

    def touched(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cells that records touch.

        Returns
        -------
        where : numpy.ndarray, int64
            Positions in `records`; one that touches several cells is there several times.
        cell : numpy.ndarray, int64
            From 0 to ``cells * copies``.
        """
        array = records["array"]
        mine = array == self.arrays[0]
        for other in self.arrays[1:]:
            mine |= array == other
        where = np.flatnonzero(mine)
        cell = records["element"][where].astype(np.int64)
        if not self.simple:
            number, site = array[where], records["site"][where]
            cell = self._first[number] + cell * self._step[number] + self._offset[site]
            length = np.where(self._length[site] > 0, self._length[site], self._step[number])
            if length.max(initial=1) > 1:
                length = indices(length)
                again = np.repeat(np.arange(len(where)), length)
                within = np.arange(len(again)) - np.repeat(np.cumsum(length) - length, length)
                where, cell = where[again], cell[again] + within
        if self.copies > 1:
            cell += (records["thread"][where] // np.uint32(self.threads_per_copy)).astype(np.int64) * self.cells
        return where, cell


def memories(log: Log) -> Iterator[Memory]:
    """The memories of a log."""
    for space in ("global", "shared", "const", "local"):
        numbers = [n for n, a in enumerate(log.arrays) if a.space == space and a.extent > 0]
        places = {n: lowest for n in numbers if (lowest := log.arrays[n].lowest) is not None}
        group: list[int] = []
        end = None
        for n, lowest in sorted(places.items(), key=lambda each: each[1]):
            array = log.arrays[n]
            if end is not None and lowest < end:
                group.append(n)
                end = max(end, lowest + array.extent)
            else:
                if group:
                    yield _memory(log, group, space)
                group, end = [n], lowest + array.extent
        if group:
            yield _memory(log, group, space)
        for n in numbers:
            if log.arrays[n].lowest is None:
                yield _memory(log, [n], space)


def _memory(log: Log, numbers: list[int], space: str) -> Memory:
    arrays = [log.arrays[n] for n in numbers]
    base = min((a.lowest or 0) for a in arrays)
    pieces = [(log.sites[s].offset, log.sites[s].nbytes) for s in _parts(log, numbers)]
    width = math.gcd(*(a.dtype.itemsize for a in arrays), *((a.lowest or 0) - base for a in arrays), *sum(pieces, ()))
    end = max((a.lowest or 0) + a.extent for a in arrays)
    first, step = np.zeros(len(log.arrays), np.int64), np.ones(len(log.arrays), np.int64)
    for n, array in zip(numbers, arrays, strict=True):
        first[n] = ((array.lowest or 0) - base) // width
        step[n] = array.dtype.itemsize // width
    per_copy = {"shared": log.threads_per_block, "local": 1}.get(space, 0)
    return Memory(
        arrays=list(numbers),
        space=space,
        cells=-(-(end - base) // width),
        copies=len(log.blocks) * log.threads_per_block // per_copy if per_copy else 1,
        width=width,
        threads_per_copy=per_copy,
        simple=bool((step[numbers] == 1).all() and not first.any() and not pieces),
        _first=first,
        _step=step,
        _offset=np.array([s.offset // width if pieces else 0 for s in log.sites], np.int64),
        _length=np.array([s.nbytes // width if pieces else 0 for s in log.sites], np.int64),
    )


def _parts(log: Log, numbers: list[int]) -> list[int]:
    """The sites that touch only a part of the items of some arrays."""
    partial = np.array([site.nbytes > 0 for site in log.sites], bool)
    if not partial.any():
        return []
    found = np.zeros(len(log.sites), bool)
    for _, records in log.pieces():
        found[records["site"][np.isin(records["array"], numbers)]] = True
    return [int(site) for site in np.flatnonzero(found & partial)]
