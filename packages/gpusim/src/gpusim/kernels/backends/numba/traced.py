"""Run some blocks of a compiled kernel with every access logged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.np.numpy_support import as_dtype

from ...frontend.intrinsics import EXCHANGING
from ...frontend.python.resolve import Function
from ...sanitizer import blocks as sample
from ...sanitizer.log import Recorder
from ...sanitizer.records import ENDED, GUARDED, WITHIN
from . import logcall
from .compile import Compiled
from .llvm import KernelFault
from .worker_state import BarrierDivergence, Cell, InvalidWarpSyncKind
from .workers import Worker, fault, supervise, tell_beyond, told

_MUCH = 1 << 24
"""Records to have room for: the first block may make many, and a later one a thousand times as much as that (a fractal's edge and
its inside), and what finds no room is lost.  Pages that nobody writes cost nothing."""
_LEAST = 4
"""Blocks to run at least, however much they do."""
_LOGGED = ("read", "write", "atomic", "fence", "taken", "passed")


def run(
    compiled: Compiled,
    function: Function,
    griddim: tuple[int, int, int],
    blockdim: tuple[int, int, int],
    args: tuple,
    blocks: np.ndarray,
    recorder: Recorder,
    *,
    sharedmem: int = 0,
    cooperative: bool = False,
    order: np.ndarray | None = None,
    budget: int | None = None,
) -> np.ndarray:
    """Run blocks, one after the other, and log what they access.

    Parameters
    ----------
    blocks : numpy.ndarray, int64
        Linear ids of the blocks, ascending; the recorder was made for them.
    recorder : Recorder
        What takes the log.  It has all accesses up to a fault, if there is one.

    budget : int, optional
        Records that are enough: if the first block makes so many that all would make more, fewer are run.

    Returns
    -------
    numpy.ndarray, int64
        The blocks that were run.

    Raises
    ------
    KernelError, KeyboardInterrupt
    """
    threads = blockdim[0] * blockdim[1] * blockdim[2]
    order = np.arange(threads) if order is None else order
    together = len(blocks) if cooperative else 1
    worker = Worker(compiled, threads, sharedmem, together)
    if function.intrinsics & EXCHANGING:
        recorder.exchanging()
    roots, keep = _roots(compiled, function, args, recorder, sharedmem)
    cells = worker.cells
    address, alive = logcall.function()
    cells[Cell.LOG_FUNCTION] = address
    cells[Cell.LOG_ROOTS], cells[Cell.LOG_ROOTS_COUNT] = roots.ctypes.data, len(roots)
    numbers = np.array([_number(recorder, site) for site in compiled.sites], np.uint16)
    dims = (*blockdim, *griddim)

    ran: list[Any] = [0]

    def work() -> None:
        done, most = 0, 0
        chunk = _reserve(recorder, cells, _MUCH)
        positions = np.arange(len(blocks))
        while done < len(positions) and cells[Cell.STOP] == 0:
            if cooperative:
                count = len(positions)
            elif done == 0:
                count = 1
            else:
                if len(chunk.records) - int(cells[Cell.LOG_COUNT]) < 2 * most:
                    _commit(compiled, recorder, chunk, cells, numbers)
                    chunk = _reserve(recorder, cells, max(_MUCH, 4 * most))
                fit = (len(chunk.records) - int(cells[Cell.LOG_COUNT])) // (2 * most) if most else len(positions)
                count = _run_of(blocks, positions, done, max(1, fit))
            before = int(cells[Cell.LOG_COUNT])
            cells[Cell.LOG_BLOCK] = int(positions[done]) * threads
            try:
                first = int(blocks[positions[done]])
                worker.run(compiled, first, first + count, dims, True, order, args)
            finally:
                most = max(most, -(-(int(cells[Cell.LOG_COUNT]) - before) // count))
                if cells[Cell.FAULT]:
                    _commit(compiled, recorder, chunk, cells, numbers)
            if done == 0 and budget is not None and most * len(positions) > budget:
                positions = _fewer(blocks, max(_LEAST, budget // most), griddim)
            done += count
        _commit(compiled, recorder, chunk, cells, numbers)
        ran[0] = positions

    if compiled.loops or compiled.generator or len(blocks) * threads > 1 << 18:
        supervise([(worker, work)], compiled, function, len(blocks), threads)
    else:
        try:
            work()
        except KernelFault:
            raise fault(cells, compiled, function) from None
        except Exception as error:
            raise told(error, cells, compiled, function) from None
    _note_divergence(compiled, cells, recorder)
    tell_beyond([worker], compiled, function)
    del keep, alive
    return blocks[ran[0]]


def _note_divergence(compiled: Compiled, cells: np.ndarray, recorder: Recorder) -> None:
    """Tell the recorder of the first barriers and exchanges at which threads diverged, if they did."""

    def sync(number: int, kind: str) -> int:
        place = compiled.sites[number] if number >= 0 else None
        return recorder.sync(place.line, kind, place.text, place.function) if place else ENDED

    for kind in InvalidWarpSyncKind:
        seen, one, site, other, other_site, lane = cells[Cell.INVALID_WARP_SYNC + 6 * kind :][:6].tolist()
        if seen:
            recorder.invalid_warp_sync(
                kind.name.lower(), one, sync(site, "warp"), other, sync(other_site, "warp"), lane
            )
    divergence, one, site, other, other_site, interval = cells[Cell.BARRIER_DIVERGENCE :][:6].tolist()
    if divergence:
        recorder.arrived(one, sync(site, "syncthreads"), interval)
        there = GUARDED if divergence == BarrierDivergence.GUARDED else sync(other_site, "syncthreads")
        recorder.arrived(other, there, interval)


def _run_of(blocks: np.ndarray, positions: np.ndarray, at: int, most: int) -> int:
    """How many blocks from `at` on follow each other, in the grid and in the list."""
    part = positions[at : at + most]
    steps = np.flatnonzero((np.diff(part) != 1) | (np.diff(blocks[part]) != 1))
    return int(steps[0]) + 1 if len(steps) else len(part)


def _fewer(blocks: np.ndarray, most: int, griddim: tuple[int, int, int]) -> np.ndarray:
    """Positions of the blocks in which mistakes are most likely to show, the first among them, which has run."""
    wanted = np.union1d(sample.choose(griddim, most), blocks[:1])
    return np.flatnonzero(np.isin(blocks, wanted))


def _reserve(recorder: Recorder, cells: np.ndarray, records: int):
    chunk = recorder.reserve(records)
    cells[Cell.LOG_RECORDS], cells[Cell.LOG_VALUES] = chunk.records.ctypes.data, chunk.values.ctypes.data
    cells[Cell.LOG_COUNT] = cells[Cell.LOG_VALUES_COUNT] = 0
    cells[Cell.LOG_CAPACITY] = records
    return chunk


def _commit(compiled: Compiled, recorder: Recorder, chunk, cells: np.ndarray, numbers: np.ndarray) -> None:
    made, room = int(cells[Cell.LOG_COUNT]), len(chunk.records)
    count = min(made, room)
    records = chunk.records[:count]
    records["site"] = numbers[records["site"]]
    _within(recorder, records)
    values = int(cells[Cell.LOG_VALUES_COUNT])
    if compiled.beyond == "log" and cells[Cell.BEYOND]:
        count, values = recorder.move_outside(chunk, count, values)
    recorder.commit(count, values, chunk)
    if made > room:
        recorder.log().truncated += made - room
    cells[Cell.LOG_COUNT] = cells[Cell.LOG_VALUES_COUNT] = cells[Cell.LOG_CAPACITY] = 0


def _within(recorder: Recorder, records: np.ndarray) -> None:
    """Turn bytes into items, for items of arrays that lie in records: each is a part of its record, and so has a site."""
    where = np.flatnonzero(records["flags"] & WITHIN)
    if not len(where):
        return
    log = recorder.log()
    for number in np.unique(records["array"][where]):
        mine = where[records["array"][where] == number]
        dtype = log.arrays[number].dtype
        item, offset = np.divmod(records["element"][mine].astype(np.int64), dtype.itemsize)
        site = records["site"][mine].astype(np.int64)
        pairs, which = np.unique(site * dtype.itemsize + offset, return_inverse=True)
        made = []
        for pair in pairs.tolist():
            old, start = divmod(pair, dtype.itemsize)
            made.append(recorder.site(*log.sites[old]._replace(offset=start, nbytes=_itemsize(dtype, start))))
        records["element"][mine], records["site"][mine] = item, np.array(made, np.uint16)[which]
    records["flags"][where] &= np.uint16(~WITHIN & 0xFFFF)


def _itemsize(dtype: np.dtype, offset: int) -> int:
    """Bytes of the number that lies at an offset in a record, within an array of its own."""
    for kind, start, *_ in (dtype.fields or {}).values():
        if start <= offset < start + kind.itemsize:
            inner = kind.base
            return _itemsize(inner, (offset - start) % inner.itemsize) if inner.fields else inner.itemsize
    return dtype.itemsize


def _number(recorder: Recorder, site) -> int:
    return recorder.site(*site) if site.kind in _LOGGED or (site.kind == "sync" and site.operation) else 0


def _roots(
    compiled: Compiled, function: Function, args: tuple, recorder: Recorder, sharedmem: int
) -> tuple[np.ndarray, list]:
    """The table by which the logging function finds the array that an address lies in."""
    rows, keep = [], []

    def add(name: str, value: object) -> None:
        if isinstance(value, tuple):
            for k, item in enumerate(value):
                add(f"{name}[{k}]", item)
        elif isinstance(value, np.ndarray) and value.size:
            number = recorder.argument(name, value)
            array = recorder.log().arrays[number]
            rows.append(
                (
                    logcall.GLOBAL,
                    array.lowest,
                    array.extent,
                    value.dtype.itemsize,
                    number,
                    value.dtype.fields is not None,
                )
            )
            keep.append(value)

    for name, value in zip(function.params, args, strict=False):
        add(name, value)
    for space, layout, which in (("shared", compiled.shared, logcall.SHARED), ("local", compiled.local, logcall.LOCAL)):
        for site, (offset, nbytes, dtype, shape) in layout.places.items():
            kind = as_dtype(dtype)
            dynamic = nbytes == 0
            if dynamic:
                shape = (sharedmem // kind.itemsize,)
                offset, nbytes = layout.nbytes, max(sharedmem, 1)  # its first byte is known, though it has none
            number = recorder.array(compiled.sites[site].array, space, kind, shape, None, offset)
            rows.append((which, offset, nbytes, kind.itemsize, number, kind.fields is not None))
    return np.array(rows, np.int64).reshape(-1, logcall.ROOT), keep
