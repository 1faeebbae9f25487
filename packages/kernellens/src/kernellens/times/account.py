"""From a trace to the numbers of `Work`: what the whole launch does, or a larger one that it stands for."""

from __future__ import annotations

import numpy as np

from gpusim.kernels import limits
from gpusim.kernels.sanitizer.log import Log
from kernellens.result import Trace
from kernellens.traffic import SECTOR

from .memory import LINE, Traffic, traffic
from .operations import Operations, operations
from .scaling import Scaling
from .work import Reuse, Work

CYCLES = 2
"""Cycles between two instructions of a warp, were it alone: 4 for dependent ones, on Volta and later [Jia et al. 2018],
of which about every second waits for the one before."""
SHARED_LATENCY = 24
"""Cycles of a load from shared memory [Jia et al. 2018: 19 to 26]."""
BARRIER = 30
"""Cycles of a barrier that nobody is late for: a choice, about that of a load from shared memory.  No measurement was found."""


def work_of(
    trace: Trace,
    griddim: int | tuple[int, ...] | None = None,
    *,
    sharedmem: int = 0,
    registers: int = 0,
    fastmath: bool = False,
) -> Work:
    """Return what a traced launch does, as numbers.

    Parameters
    ----------
    trace : Trace
    griddim : int or tuple of up to 3 int, optional
        The grid of a larger launch that the traced one stands for: blocks inside, at the edges and in the corners of the
        traced grid stand for theirs.  Each block's own work is that of the traced ones.
    sharedmem : int
        Bytes of dynamic shared memory of a block.
    registers : int
        Of a thread; 0 if not known.
    fastmath : bool
        Whether the kernel is compiled so.

    Raises
    ------
    ValueError
        If the trace has no log, or the grid is none.
    """
    log = trace.log
    if log is None or trace.function is None:
        raise ValueError(
            f"{trace.kernel} did not run, so that there is nothing to compute with: see the trace's errors."
        )
    target = None if griddim is None else limits.normalize(griddim, trace.blockdim)[0]
    if target is not None and min(target) < 1:
        raise ValueError(f"A grid has at least one block along each axis, not {griddim!r}.")
    scaling = Scaling(log, target)
    done = operations(log, trace.function, trace.results, fastmath)
    moved = traffic(log, done.dead)
    warps = -(-log.threads_per_block // 32)
    total = scaling.total * warps
    instructions = scaling.sum(done.instructions)
    rounds, inside, barriers = (scaling.sum(n) / total for n in (done.rounds, done.inside, done.barriers))
    contended, passes = _contended(moved, log, scaling)
    return Work(
        name=trace.kernel,
        **_bytes(moved, log, scaling),
        operations={kind: scaling.sum(n) for kind, n in done.done.items()},
        certain={kind: scaling.least(n) for kind, n in done.certain.items()},
        slots={kind: scaling.sum(n) for kind, n in done.slots.items()},
        threads=scaling.total * log.threads_per_block,
        blocks=scaling.total,
        block=log.threads_per_block,
        requests=scaling.sum(moved.requests),
        wavefronts=scaling.sum(np.maximum(moved.lines, moved.requests)),
        shared=scaling.sum(moved.shared),
        instructions=instructions,
        rounds=rounds,
        cycles=CYCLES * instructions / total + SHARED_LATENCY * inside + BARRIER * barriers,
        atomics=scaling.sum(moved.atomics),
        contended=contended,
        passes=passes,
        registers=registers,
        sharedmem=sharedmem + _static_shared(log),
        cut=bool(log.truncated),
        notes=(*done.notes, *_notes(trace, log, scaling)),
    )


def _bytes(moved: Traffic, log: Log, scaling: Scaling) -> dict:
    read, written = scaling.first(moved.read, moved.own), scaling.first(moved.written, moved.own_written)
    if scaling.griddim == log.griddim and not scaling.exact:
        # Of scattered accesses a sample sees little twice: no more is read or written than there is.
        read, written = (
            min(found, sum(moved.extents[name] // SECTOR + 1 for name in names))
            for found, names in ((read, moved.readers), (written, moved.writers))
        )
    blocks = scaling.total
    own = scaling.sum(moved.own)
    x, y, _ = scaling.griddim
    used = (own + scaling.sum(moved.own_written)) / blocks * SECTOR
    again = [((dx + x * (dy + y * dz)) * used, scaling.sum(n) * SECTOR) for (dx, dy, dz), n in moved.again.items()]
    by_warp = scaling.sum(moved.by_warp)
    reuse = Reuse(
        by_block=own * SECTOR,
        by_warp=by_warp * SECTOR,
        by_request=scaling.sum(moved.by_request) * SECTOR,
        stored=scaling.sum(moved.stored) * SECTOR,
        alone=scaling.sum(moved.alone) * SECTOR,
        store_turns=scaling.sum(moved.store_turns) * SECTOR,
        block=own / blocks * SECTOR,
        warp=by_warp / (blocks * -(-log.threads_per_block // 32)) * SECTOR,
        again=tuple(again),
    )
    return {"read": read * SECTOR, "written": written * SECTOR, "reuse": reuse}


def _contended(moved: Traffic, log: Log, scaling: Scaling) -> tuple[float, float]:
    """What meets at one address, in the grid that is stood for: as much more as there are blocks, if most send some."""
    more = scaling.total / len(log.blocks) if moved.senders > len(log.blocks) / 2 else 1.0
    return moved.contended * more, moved.passes * more


def _static_shared(log: Log) -> int:
    """Bytes of shared memory that the kernel's own arrays take, dynamic ones left out (they have no address of their own)."""
    seen = {}
    for array in log.arrays:
        if array.space == "shared":
            seen[array.name, array.address] = array.extent
    return sum(seen.values())


def _notes(trace: Trace, log: Log, scaling: Scaling) -> list[str]:
    notes = []
    if scaling.griddim != log.griddim:
        notes.append(f"{_by(log.griddim)} traced blocks stand for {_by(scaling.griddim)}.")
        for axis, (n, to) in enumerate(zip(log.griddim, scaling.griddim, strict=True)):
            if to > 2 and n == 2:
                notes.append(f"Along {'xyz'[axis]} no block inside was traced, only edges: trace three there at least.")
    elif not scaling.exact:
        notes.append(f"{len(log.blocks)} of {scaling.total} blocks were traced; the others are taken to do as they do.")
    if log.truncated:
        notes.append("The log was full: less is counted than was done.")
    errors = sum(1 for finding in trace.errors if finding.severity == "error")
    if errors:
        notes.append(
            f"The trace found {errors} {'error' if errors == 1 else 'errors'}: the time of a wrong kernel says little."
        )
    return notes


def _by(dims: tuple[int, int, int]) -> str:
    shown = list(dims)
    while len(shown) > 1 and shown[-1] == 1:
        shown.pop()
    return " × ".join(map(str, shown))


__all__ = ["LINE", "Operations", "work_of"]
