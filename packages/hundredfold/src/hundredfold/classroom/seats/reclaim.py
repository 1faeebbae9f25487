"""Freeing the memory of kernels that nobody uses: first the learner is told, then they have time, then the kernel ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .hub_client import Kernel, NoAnswer, Site, StillUsed
from .status import Row, rows

#: Shorter than this is no warning (seconds).
LEAST_GRACE = 30.0


@dataclass(frozen=True)
class Freed:
    """What became of one kernel: `how` is ``ended``, ``used again``, ``gone`` or ``unreachable``."""

    owner: str
    path: str
    how: str


def idle(found: Iterable[Row], seconds: float, owners: Iterable[str] = ()) -> list[tuple[str, Kernel]]:
    """The kernels that have done nothing for so long; of these owners alone, where some are named.

    A kernel that computes is not idle, however long it has been doing that: `last_activity` is of the last message, so what counts
    is that it says it is idle.
    """
    wanted = set(owners)
    return [
        (row.owner, kernel)
        for row in found
        if not wanted or row.owner in wanted
        for kernel in row.kernels
        if kernel.state == "idle" and kernel.idle >= seconds
    ]


def warn(site: Site, these: Iterable[tuple[str, Kernel]], seconds: float) -> set[str]:
    """Tell the owners in their labs, once each, which kernels end when; return whose server did not take it."""
    mine: dict[str, list[Kernel]] = {}
    for owner, kernel in these:
        mine.setdefault(owner, []).append(kernel)
    messages = {}
    for owner, kernels in mine.items():
        names = ", ".join(sorted(kernel.path for kernel in kernels))
        messages[owner] = (
            f"Others are waiting for memory. Unused for {_minutes(min(kernel.idle for kernel in kernels))}: {names}. "
            f"In {_minutes(seconds)} what runs there is shut down and its variables are gone; the notebook stays. Run a cell to keep it."
        )
    return set(site.tell(messages))


def end(site: Site, these: Sequence[tuple[str, Kernel]], since: float) -> list[Freed]:
    """End those that are still idle and have been used by nobody for the last `since` seconds. Each server looks at that moment."""
    now = {row.owner: row for row in rows(site)}
    there = {(owner, kernel.id) for owner, row in now.items() for kernel in row.kernels}
    asked = [(owner, kernel.id) for owner, kernel in these if (owner, kernel.id) in there]
    said = dict(zip(asked, site.end(asked, since), strict=True))
    done = []
    for owner, kernel in these:
        if (owner, kernel.id) not in said:
            how = "unreachable" if owner in now and now[owner].silent else "gone"
        else:
            answer = said[owner, kernel.id]
            how = (
                "used again"
                if isinstance(answer, StillUsed)
                else "unreachable"
                if isinstance(answer, NoAnswer)
                else "ended"
            )
        done.append(Freed(owner, kernel.path, how))
    return done


def reclaim(
    site: Site,
    seconds: float,
    grace: float,
    owners: Iterable[str] = (),
    say: Callable[[str], None] = lambda line: None,
    wait: Callable[[float], None] = time.sleep,
) -> list[Freed]:
    """Warn the owners of kernels that have been idle for `seconds`, wait `grace` seconds, and end those that still are.

    Whose server did not take the warning is not ended: nobody loses work unwarned.
    """
    if grace < LEAST_GRACE:
        raise ValueError(f"{grace:g} s are no time to react in: give at least {LEAST_GRACE:g}.")
    these = idle(rows(site), seconds, owners)
    if not these:
        return []
    unreached = warn(site, these, grace)
    for owner, kernel in these:
        say(
            f"{'cannot warn' if owner in unreached else 'warned'} {owner}: {kernel.path}, idle for {_minutes(kernel.idle)}"
        )
    wait(grace)
    kept = [each for each in these if each[0] not in unreached]
    return [
        *end(site, kept, grace),
        *(Freed(owner, kernel.path, "unreachable") for owner, kernel in these if owner in unreached),
    ]


def _minutes(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes"
