"""Run a compiled kernel's blocks on all cores, and stop it when asked, or when a thread does not end."""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from gpusim.device import interrupt

from ... import reported
from ...faults import (
    GRID_BARRIER,
    LAUNCH_SETTING,
    SECONDS_SETTING,
    DeadlockError,
    EndlessError,
    KernelError,
    OutOfBoundsError,
    TooLongError,
    for_block,
    raised,
)
from ...frontend.python.resolve import Function
from ...sanitizer.log import Site
from .compile import Compiled
from .exchange import Row
from .llvm import KernelFault
from .worker_state import SCRATCH_BYTES, Cell, Fault, new

SECONDS = 3.0
"""How long a thread may run without ending or passing a barrier."""
LAUNCH_SECONDS = 1800.0
"""How long a launch may be expected to take."""
_PACE = 3.0
"""Seconds after which the pace of a launch says how long all of it takes."""
_GRAIN = 1 << 15
"""Threads a worker takes at a time, at least: less costs more in handing over than it gains."""
_LOOK = 0.05
_SMALL = 1 << 18
_pool: ThreadPoolExecutor | None = None
_pool_lock = threading.Lock()


class Worker:
    """What one thread of this machine needs to run blocks: the cells, and a block's shared and local memory."""

    def __init__(self, compiled: Compiled, threads: int, sharedmem: int, together: int):
        self.cells = new()
        self.shared_bytes = -(-(compiled.shared.nbytes + sharedmem) // 64) * 64
        self.local_bytes = -(-compiled.local.nbytes // 16) * 16
        # Uninitialised memory of a GPU holds anything; a pattern shows it better than zeros, which hide the mistake.
        self.shared = np.full(self.shared_bytes * together + 64, 0xA5, np.uint8)
        states = threads * together if compiled.generator else 1
        self.local = np.full(self.local_bytes * states + 64 + SCRATCH_BYTES, 0xA5, np.uint8)
        self.rows = np.zeros((threads * together if compiled.generator else 0, Row.LENGTH), np.int64)
        shared = -(-self.shared.ctypes.data // 64) * 64
        self.cells[Cell.SHARED] = shared
        self.cells[Cell.DYNAMIC] = shared + compiled.shared.nbytes
        self.cells[Cell.DYNAMIC_BYTES] = sharedmem
        # In front of local memory, where the log finds no array.
        self.cells[Cell.SCRATCH] = -(-self.local.ctypes.data // 64) * 64
        self.cells[Cell.LOCAL] = self.cells[Cell.SCRATCH] + SCRATCH_BYTES
        self.cells[Cell.LOCAL_STRIDE] = self.local_bytes if compiled.generator else 0
        self.cells[Cell.EXCHANGE] = self.rows.ctypes.data
        self.together = together

    def run(self, compiled: Compiled, first: int, last: int, dims: tuple, tracing: bool, order, args: tuple) -> None:
        """Run the blocks of a range; raises :class:`.low.KernelFault`."""
        address = self.cells.ctypes.data
        if compiled.generator:
            compiled.run(
                *(address, first, last, dims, tracing, self.rows, self.together, order),
                *(self.shared_bytes, self.local_bytes, args),
            )
        else:
            compiled.run(address, first, last, dims, tracing, args)


def run(
    compiled: Compiled,
    function: Function,
    griddim: tuple[int, int, int],
    blockdim: tuple[int, int, int],
    args: tuple,
    *,
    sharedmem: int = 0,
    cooperative: bool = False,
    ranges: list[tuple[int, int]] | None = None,
    order: np.ndarray | None = None,
) -> None:
    """Run a kernel's blocks.

    Parameters
    ----------
    ranges : list of (first, last), optional
        Linear ids of the blocks; all if left out.
    order : numpy.ndarray, int64, optional
        The order in which a block's threads are resumed where they wait for each other.

    Raises
    ------
    KernelError
        What went wrong first.
    KeyboardInterrupt
        If ``Ctrl-C`` stopped it: its output is incomplete.
    """
    threads = blockdim[0] * blockdim[1] * blockdim[2]
    blocks = griddim[0] * griddim[1] * griddim[2]
    ranges = [(0, blocks)] if ranges is None else ranges
    dims = (*blockdim, *griddim)
    order = np.arange(threads) if order is None else order
    together = blocks if cooperative else 1
    total = sum(last - first for first, last in ranges)

    loops = compiled.loops
    if not loops and not compiled.generator and total * threads <= _SMALL:
        worker = Worker(compiled, threads, sharedmem, together)
        for first, last in ranges:
            try:
                worker.run(compiled, first, last, dims, False, order, args)
            except KernelFault:
                raise fault(worker.cells, compiled, function) from None
            except Exception as error:
                raise told(error, worker.cells, compiled, function) from None
        tell_beyond([worker], compiled, function)
        return
    count = 1 if cooperative else max(1, min(_cores(), total * threads // _GRAIN))
    workers = [Worker(compiled, threads, sharedmem, together) for _ in range(count)]
    pieces = _pieces(ranges, 0 if cooperative else max(_GRAIN // threads, total // (count * 16), 1))

    def work(worker: Worker) -> None:
        while worker.cells[Cell.STOP] == 0:
            try:
                first, last = pieces.pop()
            except IndexError:
                return
            worker.run(compiled, first, last, dims, False, order, args)

    jobs = [(worker, lambda worker=worker: work(worker)) for worker in workers]
    supervise(jobs, compiled, function, total, threads)
    tell_beyond(workers, compiled, function)


def supervise(
    jobs: list[tuple[Worker, Callable]], compiled: Compiled, function: Function, blocks: int, threads: int
) -> None:
    """Run jobs on the pool, each with its worker, and watch them: ``Ctrl-C``, faults, threads that do not end.

    Parameters
    ----------
    blocks, threads : int
        How many blocks the jobs run in all, and threads of a block.
    """
    seconds, allowed = _setting(SECONDS_SETTING, SECONDS), _setting(LAUNCH_SETTING, LAUNCH_SECONDS)
    pool = _executor()
    began = time.monotonic()
    futures = {pool.submit(job): worker for worker, job in jobs}
    progress: dict[Any, tuple[int, float]] = dict.fromkeys(futures, (-1, began))
    now = began
    too_long = 0.0
    pending = set(futures)
    ended: list[Worker] = []
    interrupted = False
    while pending:
        try:
            done, pending = wait(pending, _LOOK, FIRST_EXCEPTION)
        except KeyboardInterrupt:
            done, interrupted = set(), True
        failed = [future for future in done if future.exception() is not None]
        ended += [futures[future] for future in failed]
        now = time.monotonic()
        watched = compiled.loops or compiled.generator  # without loops no thread runs for ever
        for future in pending if watched else ():
            count, since = progress[future]
            current = int(futures[future].cells[Cell.PROGRESS])
            if current != count:
                progress[future] = (current, now)
            elif now - since > seconds:
                futures[future].cells[Cell.STOP] = 2
        if now - began > _PACE and pending and not too_long:
            done = sum(int(worker.cells[Cell.BLOCKS]) for worker in futures.values())
            expected = (now - began) / done * blocks if done else 0.0
            too_long = expected if expected > allowed else 0.0
        if failed or interrupted or too_long or interrupt.arrived is not None:
            interrupted = interrupted or interrupt.arrived is not None
            for worker in futures.values():
                if worker.cells[Cell.STOP] == 0:
                    worker.cells[Cell.STOP] = 1
    if interrupted:
        raise KeyboardInterrupt(f"{function.name} was stopped: what it writes is incomplete.")
    if too_long:
        fields = {"kernel": function.name, "filename": function.filename, "blocks": blocks, "threads": threads}
        raise TooLongError(seconds=now - began, expected=too_long, **fields)
    for future, worker in futures.items():
        error = future.exception()
        if error is not None and not isinstance(error, KernelFault):
            raise told(error, worker.cells, compiled, function)
    # Those that stopped because another failed say nothing of their own.
    own = [w for w in ended if w.cells[Cell.FAULT] != Fault.STOPPED or w.cells[Cell.STOP] == 2]
    if own or ended:
        raise fault((own or ended)[0].cells, compiled, function, seconds) from None


def told(error: BaseException, cells: np.ndarray, compiled: Compiled, function: Function) -> BaseException:
    """An exception from a kernel; one of the kernel's own says which thread raised it."""
    if cells[Cell.FAULT] != Fault.RAISED:
        return error
    return raised(error, KernelError("", **_place(cells, compiled, function)[1]))


def fault(cells: np.ndarray, compiled: Compiled, function: Function, seconds: float | None = None) -> KernelError:
    """The exception for what a machine's cells say."""
    what = int(cells[Cell.FAULT])
    if what == Fault.OUT_OF_BOUNDS:
        return out_of_bounds(cells, compiled, function)
    site, fields = _place(cells, compiled, function)
    if what == Fault.GRID:
        return DeadlockError(
            waiting=GRID_BARRIER, reason=for_block(_index(cells, 3), bool(cells[Cell.FAULT_SIZE])), **fields
        )
    if what == Fault.DEADLOCK:
        return DeadlockError(waiting=site.text if site is not None else None, **fields)
    return EndlessError(seconds=seconds if seconds is not None else SECONDS, **fields)


def out_of_bounds(cells: np.ndarray, compiled: Compiled, function: Function) -> OutOfBoundsError:
    """The exception for the element that a machine's cells tell of."""
    site, fields = _place(cells, compiled, function)
    index = _index(cells, int(cells[Cell.FAULT_RANK]))
    axis, size = int(cells[Cell.FAULT_AXIS]), int(cells[Cell.FAULT_SIZE])
    writing = site is not None and site.kind != "read"
    array = site.array if site is not None else None
    return OutOfBoundsError(array=array, index=index, axis=axis, size=size, writing=writing, **fields)


def _index(cells: np.ndarray, rank: int) -> tuple[int, ...]:
    return tuple(int(v) for v in cells[Cell.FAULT_INDEX : Cell.FAULT_INDEX + rank])


def tell_beyond(workers: list[Worker], compiled: Compiled, function: Function) -> None:
    """Report what the kernel did past the ends of its arrays, if it did anything.

    Raises
    ------
    OutOfBoundsError
        For the first such access, of a kernel that logs them: all its blocks have run.
    """
    passed = [worker for worker in workers if worker.cells[Cell.BEYOND]]
    if not passed:
        return
    times = sum(int(worker.cells[Cell.BEYOND]) for worker in passed)
    fault = out_of_bounds(passed[0].cells, compiled, function)
    for worker in passed:
        worker.cells[Cell.BEYOND] = 0
    if compiled.beyond == "log":
        raise fault
    reported.past_the_end(function.name, fault, times)


def _place(cells: np.ndarray, compiled: Compiled, function: Function) -> tuple[Site | None, dict]:
    """The site that a machine's cells name, and the fields of a fault there."""
    site = compiled.sites[int(cells[Cell.FAULT_SITE])] if compiled.sites else None
    fields: dict[str, Any] = {"kernel": function.name, "filename": function.filename}
    if site is not None:
        owner = compiled.functions.get(site.function, function)
        fields |= {
            "line": site.line,
            "file_line": owner.firstlineno + site.line - 1,
            "filename": owner.filename,
            "source_line": owner.line(site.line),
        }
        if owner is not function:
            fields["function"] = owner.name
    fields["thread"] = tuple(int(v) for v in cells[Cell.FAULT_THREAD : Cell.FAULT_THREAD + 3])
    fields["block"] = tuple(int(v) for v in cells[Cell.FAULT_BLOCK : Cell.FAULT_BLOCK + 3])
    return site, fields


def _pieces(ranges: list[tuple[int, int]], grain: int) -> list[tuple[int, int]]:
    """Cut ranges of blocks into pieces, in an order such that `pop` hands out the first one first."""
    if grain == 0:
        return list(reversed(ranges))
    pieces = []
    for first, last in ranges:
        pieces += [(at, min(at + grain, last)) for at in range(first, last, grain)]
    return pieces[::-1]


def _setting(name: str, default: float) -> float:
    text = os.environ.get(name)
    try:
        value = float(text) if text else default
    except ValueError:
        value = 0.0
    if not value > 0:
        raise ValueError(f"{name} must be a number of seconds, not {text!r}.")
    return value


@functools.cache
def _cores() -> int:
    """How many threads run blocks: asked once, since it takes as long as a small launch to read what control groups allow."""
    from gpusim import hardware

    return hardware.cpu.cores()


def _executor() -> ThreadPoolExecutor:
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(max(_cores(), 1), thread_name_prefix="gpusim-kernel")
        return _pool


def _after_fork() -> None:
    global _pool, _pool_lock
    _pool, _pool_lock = None, threading.Lock()
    _cores.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

__all__ = ["Worker", "fault", "out_of_bounds", "run", "supervise", "tell_beyond", "told"]
