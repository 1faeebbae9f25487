"""What a timeline is made of: entries, each in a row, and the facts that follow from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

HOST = "host"
RANGES = "ranges"
KINDS = ("python", "launch", "driver", "wait", "kernel", "copy", "range", "mark")
"""The host's own work, its calls that launch something, its calls for memory, its waits; the device's kernels and copies; NVTX."""


@dataclass(frozen=True)
class Entry:
    """Something that took time, or a moment.

    Attributes
    ----------
    row : str
        ``"host"``, ``"ranges"``, or the stream's name.
    kind : str
        One of `KINDS`.
    name : str
        The kernel, the copy, the range, or what the host does.
    start, end : float
        Seconds from the beginning.
    way : str
        Of a copy: ``"h2d"``, ``"d2h"`` or ``"d2d"``.
    nbytes : int
        That a copy moves.
    line : int or None
        The line of the program that asked for it.
    depth : int
        Of a range: how many others are around it.
    colour : str
        Of a range, as the program gave it.
    """

    row: str
    kind: str
    name: str
    start: float
    end: float
    way: str = ""
    nbytes: int = 0
    line: int | None = None
    depth: int = 0
    colour: str = ""

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.end - self.start


@dataclass(frozen=True)
class Share:
    """All kernels of one name.

    Attributes
    ----------
    name : str
    count : int
    seconds : float
        Added up.
    share : float
        Of the time of all kernels, 0 to 1.
    """

    name: str
    count: int
    seconds: float
    share: float


@dataclass(frozen=True)
class Gap:
    """A time in which the device does nothing.

    Attributes
    ----------
    start, end : float
    host : str
        What the host does for most of it, by the kinds of `KINDS`.
    """

    start: float
    end: float
    host: str

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.end - self.start


Spans = list[tuple[float, float]]


def joined(entries: Iterable[Entry]) -> Spans:
    """The times in which at least one of them runs, in order, without overlaps."""
    spans: Spans = []
    for start, end in sorted((entry.start, entry.end) for entry in entries if entry.end > entry.start):
        if spans and start <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], end)
        else:
            spans.append((start, end))
    return spans


def common(one: Spans, other: Spans) -> float:
    """Seconds in which both run."""
    total, at = 0.0, 0
    for start, end in one:
        while at < len(other) and other[at][1] <= start:
            at += 1
        for low, high in other[at:]:
            if low >= end:
                break
            total += min(end, high) - max(start, low)
    return total


def length(spans: Spans) -> float:
    """Seconds of them all."""
    return sum(end - start for start, end in spans)


def gaps(entries: list[Entry], least: float = 0.0) -> list[Gap]:
    """The times between the device's first and last work in which it does nothing, those longer than `least`."""
    busy = joined(entry for entry in entries if entry.kind in ("kernel", "copy"))
    host = sorted((entry for entry in entries if entry.row == HOST), key=lambda entry: entry.start)
    found, at = [], 0
    for (_, start), (end, _) in zip(busy, busy[1:], strict=False):
        while at < len(host) and host[at].end <= start:
            at += 1
        if end - start > least:
            found.append(Gap(start, end, _doing(host, at, start, end)))
    return found


def _doing(host: list[Entry], first: int, start: float, end: float) -> str:
    """What the host does for most of the time, by its entries from `first` on, in the order in which they begin."""
    times: dict[str, float] = {}
    for at in range(first, len(host)):
        entry = host[at]
        if entry.start >= end:
            break
        both = min(end, entry.end) - max(start, entry.start)
        if both > 0:
            times[entry.kind] = times.get(entry.kind, 0.0) + both
    return max(times, key=times.__getitem__, default="")
