"""`bound` and `estimate`: the times of a launch, from its trace."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpusim.hardware.gpus import GPU
from gpusim.kernels import limits
from gpusim.kernels.sanitizer.log import MOST
from kernellens.result import Trace
from kernellens.tracing import TooLargeError, trace

from .account import work_of
from .model import bound_of, estimate_of
from .result import Bound, Estimate
from .scaling import sample
from .work import Work


def bound(
    what: Any,
    *launch: Any,
    gpu: str | GPU | None = None,
    griddim: int | tuple[int, ...] | None = None,
    sharedmem: int = 0,
    blocks: Any = None,
) -> Bound:
    """Return the time that no run of a launch on a GPU can beat.

    What must happen, by rates that no such card exceeds: each sector of memory moved once, however often it is read, less
    what L2 may hold; the arithmetic that no compiler can leave out, at the peak of its type; the atomics that meet at one
    address, one in a cycle; the shortest kernel there is.  Any measured time is longer.

    Parameters
    ----------
    what : Trace, Work or kernel
        A kernel is followed by its grid, its block and its arguments, as in `lens.trace`, and is traced now.
    gpu : str or GPU, optional
        By default the chosen one (`lens.use_gpu`).
    griddim : int or tuple of up to 3 int, optional
        The grid of a larger launch that the traced one stands for.
    sharedmem : int
        Bytes of dynamic shared memory of a block.
    blocks : int or sequence of int, optional
        Trace so many blocks, or these, as in `lens.trace`; by default all, or neighbours of each kind where that is too many.

    Returns
    -------
    Bound
        `.seconds`, what `.binds`, `.parts`, `.advice`.

    Raises
    ------
    UnknownGpuError
        A KeyError that names the nearest known GPUs.
    ValueError
        If the kernel could not be run.
    """
    return bound_of(work_of_launch(what, launch, griddim, sharedmem, blocks, 0), gpu)


def estimate(
    what: Any,
    *launch: Any,
    gpu: str | GPU | None = None,
    griddim: int | tuple[int, ...] | None = None,
    sharedmem: int = 0,
    blocks: Any = None,
    registers: int = 0,
) -> Estimate:
    """Return about the time of a launch on a GPU, as a plain model has it: no measured time.

    Parameters
    ----------
    what, *launch, gpu, griddim, sharedmem, blocks
        As in `bound`.
    registers : int
        Of a thread, as `lens.compile` finds them, for the occupancy; 0 if not known.

    Returns
    -------
    Estimate
        As a `Bound`, and `.calibrated`, `.occupancy`, `.waves`.

    Raises
    ------
    UnknownGpuError, ValueError
        As in `bound`; a ValueError too where the log of the trace was full, since what is missing would make the estimate too short.
    """
    return estimate_of(work_of_launch(what, launch, griddim, sharedmem, blocks, registers), gpu)


def work_of_launch(what: Any, launch: tuple, griddim: Any, sharedmem: int, blocks: Any, registers: int) -> Work:
    """The work of what `bound` and `estimate` are given: Work as it is, a trace's, or that of a kernel that is traced now."""
    if isinstance(what, Work):
        if launch or griddim is not None:
            raise TypeError("Work is of one grid already: it takes no launch and no griddim.")
        return what
    fast = bool((getattr(what, "targetoptions", None) or {}).get("fastmath"))
    if not isinstance(what, Trace):
        if len(launch) < 2:
            raise TypeError("A kernel is followed by its grid, its block and its arguments, as in lens.trace.")
        try:
            what = trace(what, *launch, sharedmem=sharedmem, blocks=blocks)
        except TooLargeError as refused:
            grid = limits.normalize(*launch[:2])[0]
            few = sample(grid, int(0.9 * MOST * np.prod(grid, dtype=np.int64) / refused.accesses))
            what = trace(what, *launch, sharedmem=sharedmem, blocks=few)
    elif launch:
        raise TypeError("A trace has its grid, block and arguments already; griddim= names a larger launch.")
    return work_of(what, griddim, sharedmem=sharedmem, registers=registers, fastmath=fast)
