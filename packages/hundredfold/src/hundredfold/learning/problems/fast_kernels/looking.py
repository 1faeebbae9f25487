"""Looks that a kernel's judge takes at a trace that is right: what its warps ask for, and what they wait for."""

from __future__ import annotations

from typing import Any

from kernellens.tracing import passed_by

from ..functions import Run
from ..verdict import refuse


def all_come(seen: Any, run: Run) -> None:
    """Refuse a kernel in which some threads of a block wait at a barrier when others have returned already.

    The lens lets that pass: since Volta a barrier does not wait for those. By CUDA's guide it is undefined.
    """
    for finding in passed_by(seen.log, returned=True):
        refuse(
            "barrier", f"the result is right here, but the lens: {finding.sentence.removesuffix(finding.cure).strip()}"
        )


def in_order(seen: Any, run: Run, least: float = 0.0) -> None:
    """Refuse a line of the kernel whose requests move more than twice the sectors that its bytes fill.

    Twice, since a row that does not begin at a sector's first byte takes one sector more. `least` is a number of sectors that no line is
    held below: where the threads of a warp take two branches, each asks for parts of the same sectors, and that is not disorder.
    """
    for place in seen.traffic:
        if place.sectors > 2 * max(place.fewest, least):
            refuse(
                "coalescing",
                f"the result is right, but `{place.text.strip()}` moves {place.sectors} sectors of 32 bytes where {place.fewest} "
                "hold what it asks for: the threads of a warp touch elements that do not lie side by side.",
            )


def no_conflicts(seen: Any, run: Run, most: int = 1) -> None:
    """Refuse a kernel whose warps wait for banks of shared memory: more than `most` words of one bank in a request."""
    waiting = [place for place in seen.conflicts if place.worst > most]
    if waiting:
        worst = max(waiting, key=lambda place: place.extra)
        refuse(
            "banks",
            f"the result is right, but at `{worst.text.strip()}` up to {worst.worst} threads of a warp want different words of "
            f"the same bank: {worst.cycles} cycles for {worst.requests} requests.",
        )


def accesses(seen: Any) -> dict[str, dict[str, int]]:
    """For each array, shared ones too: reads, writes and atomics in all, and ``…_by_one`` thread at most."""
    return seen.log.explain()
