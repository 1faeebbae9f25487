"""Barriers that some threads of a block pass by."""

from __future__ import annotations

import ast

from gpusim.kernels.faults import who
from gpusim.kernels.frontend.resolve import Function
from gpusim.kernels.sanitizer.findings import Finding, Thread
from gpusim.kernels.sanitizer.log import Log

_CURE = "Take the barrier out of the branch or loop, so that all threads of the block meet there."


def passed_by(log: Log, function: Function) -> list[Finding]:
    """Return a warning for each barrier at which some threads of a block wait while others have come to the kernel's end.

    A barrier that stands in a branch or in a loop that some threads take no turn of.  Kernels with a ``return`` are left out:
    there the others have left early, as a guard at the top lets them.  CUDA allows a barrier in a conditional only where all
    threads of the block decide alike [CUDA C++ Programming Guide, Synchronization Functions]; since Volta it waits for those
    only that have not ended [the same, Independent Thread Scheduling].
    """
    if any(isinstance(node, ast.Return) for node in ast.walk(function.node)):
        return []
    waiting: dict[tuple[int, int], tuple[int, int]] = {}
    ended: dict[tuple[int, int], int] = {}
    for arrival in log.arrivals:
        place = (arrival.thread // log.threads_per_block, arrival.interval)
        if arrival.sync >= 0:
            waiting.setdefault(place, (arrival.sync, arrival.thread))
        else:
            ended.setdefault(place, arrival.thread)
    found: dict[int, Finding] = {}
    for place in sorted(waiting.keys() & ended.keys()):
        number, there = waiting[place]
        sync, gone = log.syncs[number], ended[place]
        if number in found or sync.function not in ("", function.name):
            continue
        one, other = (Thread(log.thread_of(thread), log.block_of(thread)) for thread in (gone, there))
        sentence = (
            f"{who(*one)} comes to the end of the kernel and passes the barrier in line {sync.line} (`{sync.text.strip()}`) by, at "
            f"which {who(other.thread)} waits. Since Volta a barrier does not wait for threads that have ended; before, and by the "
            "letter of CUDA's guide, what happens is undefined. "
        )
        found[number] = Finding(
            "barrier-divergence", "warning", None, None, sync.line, (one, other), sentence + _CURE, cure=_CURE
        )
    return list(found.values())
