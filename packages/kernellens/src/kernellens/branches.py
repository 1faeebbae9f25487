"""Where the threads of a warp diverge: at a conditional, the warp then runs both ways, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpusim.kernels.sanitizer.log import Log

from .requests import together


@dataclass(frozen=True)
class Branch:
    """A conditional, or the condition of a loop.

    Attributes
    ----------
    line : int
    function : str
        The device function it is in; empty for the kernel.
    text : str
    times : int
        How often a warp came to it.
    diverged : int
        How often some of its threads went one way and some the other.
    """

    line: int
    function: str
    text: str
    times: int
    diverged: int


def branches(log: Log) -> list[Branch]:
    """Return the conditionals of a log whose kernel was made to tell which way threads go, in the order of the source."""
    places: dict[tuple, dict[str, int]] = {}
    for number, site in enumerate(log.sites):
        if site.kind in ("taken", "passed"):
            function = "" if site.function in ("", log.kernel) else site.function
            places.setdefault((function, site.line, site.column, site.text), {})[site.kind] = number
    found = []
    for (function, line, _, text), ways in sorted(places.items()):
        times, diverged = _diverged(log, ways.get("taken", -1), ways.get("passed", -1))
        found.append(Branch(line, function, text, times, diverged))
    return found


def _diverged(log: Log, taken: int, passed: int) -> tuple[int, int]:
    """How often a warp came by, and how often it diverged."""
    pieces = [records[np.isin(records["site"], (taken, passed))] for _, records in log.pieces()]
    if not any(map(len, pieces)):
        return 0, 0
    records = np.concatenate(pieces)
    request, _ = together(log, records)
    ways = np.zeros((int(request.max()) + 1, 2), bool)
    ways[request, (records["site"] == taken).astype(int)] = True
    return len(ways), int(ways.all(axis=1).sum())
