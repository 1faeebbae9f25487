"""`trace`: run a kernel here, on copies of its arguments, and look at every access."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from gpusim import hardware
from gpusim.kernels import Kernel, limits
from gpusim.kernels.faults import KernelError, TraceError, miscounted, who
from gpusim.kernels.sanitizer import blocks as sample
from gpusim.kernels.sanitizer import findings
from gpusim.kernels.sanitizer.findings import Finding, Thread
from gpusim.kernels.sanitizer.log import ENDED, GUARDED, MOST, RECORD, Log

from .arguments import to_host
from .banks import conflicts
from .branches import branches as ways
from .result import Trace
from .traffic import traffic

WORKING = 6
"""Bytes that looking at a log takes, for each of its own: sorted copies and keys."""
watchers: list[Callable[[Trace], None]] = []
"""Called with each trace that `trace` returns: a page shows them all, whatever its reader's program does with them."""


class TooLargeError(MemoryError):
    """A trace that would not fit into memory.

    Attributes
    ----------
    accesses, nbytes : int
        About how many there would be, and the memory that looking at them takes.
    """

    def __init__(self, accesses: int, nbytes: int, why: str) -> None:
        self.accesses, self.nbytes, self.why = accesses, nbytes, why
        super().__init__(
            f"Tracing all blocks would log about {accesses:.2g} accesses and take {nbytes / 1e9:.3g} GB, {why}: "
            "pass blocks=64 to trace a sample that has every kind of block, or launch it on smaller arrays."
        )

    def __reduce__(self):
        return type(self), (self.accesses, self.nbytes, self.why)


def trace(
    kernel: Any,
    griddim: int | tuple[int, ...],
    blockdim: int | tuple[int, ...],
    *args: Any,
    sharedmem: int = 0,
    blocks: int | Sequence[int] | np.ndarray | None = None,
    raise_on_error: bool = False,
) -> Trace:
    """Run a kernel here with every access looked at.

    Works on any machine, also on one with a GPU: the kernel runs on the CPU, on copies of its arguments.

    Parameters
    ----------
    kernel : function
        Decorated with ``@cuda.jit``, or the plain Python function.
    griddim, blockdim : int or tuple of up to 3 int
        Blocks of the grid and threads of a block.
    *args
        What the kernel is given: arrays of CuPy, Numba or NumPy, and numbers.  They are not changed.
    sharedmem : int
        Bytes of dynamic shared memory of a block.
    blocks : int or sequence of int, optional
        Trace that many blocks, corners and both sides of every edge first, or those of these linear ids; all if left out.
    raise_on_error : bool
        Raise the first error instead of listing it.

    Returns
    -------
    Trace

    Raises
    ------
    TooLargeError
        If all accesses would not fit into memory.
    TraceError or KernelError
        With `raise_on_error`, the first error.
    """
    made = _kernel(_function(kernel))
    try:
        result = _traced(made, griddim, blockdim, args, sharedmem, blocks)
    except KernelError as fault:
        # Refused before a thread ran: it does not compile, or cannot be launched so.
        if raise_on_error:
            raise
        return Trace(made.name, _three(griddim), _three(blockdim), [findings.of_fault(fault)])
    for watch in watchers:
        watch(result)
    worst = next((finding for finding in result.errors if finding.severity == "error"), None)
    if raise_on_error and worst is not None:
        raise TraceError(kernel=made.name, filename=made.function().filename, findings=(worst,))
    return result


def _traced(kernel: Kernel, griddim, blockdim, args: tuple, sharedmem: int, blocks) -> Trace:
    function = kernel.function()
    if len(args) > len(function.params) or len(args) + len(function.defaults) < len(function.params):
        raise TypeError(miscounted(kernel.name, function.params, len(args), len(function.defaults)))
    args = (*args, *function.defaults[len(function.defaults) - (len(function.params) - len(args)) :])
    griddim, blockdim = limits.normalize(griddim, blockdim)
    picked = _picked(griddim, blocks)
    copies = to_host(args)
    if picked is None:
        _check_size(kernel, griddim, blockdim, args, sharedmem)
    log, fault = kernel.trace(griddim, blockdim, copies, sharedmem=sharedmem, blocks=picked)
    found = findings.arrange([*findings.examine(log), *passed_by(log)])
    if fault is not None:
        found = findings.with_fault(fault, found)
    return Trace(
        kernel=kernel.name,
        griddim=griddim,
        blockdim=blockdim,
        errors=found,
        traffic=traffic(log),
        conflicts=conflicts(log),
        branches=None if kernel.compiled(copies) is None else ways(log),
        log=log,
        function=function,
        results=copies,
    )


# The same function is compiled once, however often it is traced.
_kernel = functools.lru_cache(maxsize=64)(functools.partial(Kernel, branches=True, beyond=True))


def _function(kernel: Any) -> FunctionType:
    """The Python function of a kernel, however it is decorated."""
    function = getattr(kernel, "py_func", kernel)
    if not isinstance(function, FunctionType):
        raise TypeError(
            f"trace takes a kernel decorated with @cuda.jit, or its Python function, not {type(kernel).__name__}: "
            "leave the launch configuration out of the brackets, trace(kernel, griddim, blockdim, ...)."
        )
    return function


def _picked(griddim: tuple[int, int, int], blocks: int | Sequence[int] | np.ndarray | None) -> np.ndarray | None:
    total = int(np.prod(griddim, dtype=np.int64))
    if blocks is None:
        return None
    if isinstance(blocks, (int, np.integer)):
        if blocks < 1:
            raise ValueError(f"blocks must be at least 1, not {blocks}.")
        return np.sort(sample.choose(griddim, int(blocks)))
    ids = np.unique(np.asarray(blocks, np.int64))
    if not len(ids) or ids[0] < 0 or ids[-1] >= total:
        raise ValueError(f"blocks must be linear ids from 0 to {total - 1}, at least one.")
    return ids


def _check_size(kernel: Kernel, griddim, blockdim, args: tuple, sharedmem: int) -> None:
    """Refuse what would not fit, judged by a few blocks."""
    total = int(np.prod(griddim, dtype=np.int64))
    few = np.sort(sample.choose(griddim, 8))
    if total <= 64 or "cg.this_grid" in kernel.function().intrinsics:
        return
    for some in (few[:1], few):
        log: Log = kernel.trace(griddim, blockdim, to_host(args), sharedmem=sharedmem, blocks=some)[0]
        accesses = (len(log) + log.truncated) * total // len(some)
        if accesses > 64 * MOST:  # whatever the others do
            break
    nbytes = accesses * RECORD.itemsize * WORKING
    left = hardware.cpu.memory().available
    if accesses > MOST:
        raise TooLargeError(accesses, nbytes, f"more than the {MOST:.0e} that a log keeps")
    if nbytes > left:
        raise TooLargeError(accesses, nbytes, f"and {left / 1e9:.3g} GB are left")


def _three(dim: Any) -> tuple[int, int, int]:
    try:
        numbers = tuple(int(n) for n in dim) if hasattr(dim, "__iter__") else (int(dim),)
    except (TypeError, ValueError):
        return (0, 0, 0)
    x, y, z, *_ = (*numbers, 1, 1, 1)
    return x, y, z


# Barriers that some threads of a block pass by.

_CURE = "Take the barrier out of the branch or loop, so that all threads of the block meet there."


def passed_by(log: Log, *, returned: bool = False) -> list[Finding]:
    """Return a warning for each barrier at which some threads of a block wait while others have come to the kernel's end.

    A barrier that stands in a branch or in a loop that some threads take no turn of.  Threads that returned are left out, unless
    they did so out of a loop with barriers in it, or `returned`: a guard lets them.  CUDA allows a barrier in a conditional only where all
    threads of the block decide alike [CUDA C++ Programming Guide, Synchronization Functions]; since Volta it waits for those
    only that have not ended [the same, Independent Thread Scheduling].
    """
    missed = (ENDED, GUARDED) if returned else (ENDED,)
    waiting: dict[tuple[int, int], tuple[int, int]] = {}
    ended: dict[tuple[int, int], int] = {}
    for arrival in log.arrivals:
        place = (arrival.thread // log.threads_per_block, arrival.interval)
        if arrival.sync >= 0:
            waiting.setdefault(place, (arrival.sync, arrival.thread))
        elif arrival.sync in missed:
            ended.setdefault(place, arrival.thread)
    found: dict[int, Finding] = {}
    for place in sorted(waiting.keys() & ended.keys()):
        number, there = waiting[place]
        sync, gone = log.syncs[number], ended[place]
        if number in found:
            continue
        function = "" if sync.function == log.kernel else sync.function
        inside = f" of {function}" if function else ""
        one, other = (Thread(log.thread_of(thread), log.block_of(thread)) for thread in (gone, there))
        sentence = (
            f"{who(*one)} comes to the end of the kernel and passes the barrier in line {sync.line}{inside} (`{sync.text.strip()}`) "
            f"by, at which {who(other.thread)} waits. Since Volta a barrier does not wait for threads that have ended; before, and "
            "by the letter of CUDA's guide, what happens is undefined. "
        )
        found[number] = Finding(
            *("barrier-divergence", "warning", None, None, sync.line, (one, other), sentence + _CURE),
            function=function,
            cure=_CURE,
        )
    return list(found.values())
