"""What must cross to and from device memory, however the code is cut into kernels."""

from __future__ import annotations

from dataclasses import dataclass

from .events import Allocation, Event, Span


@dataclass(frozen=True)
class Flow:
    """Bytes that must be read, because they were there before or came from the host; and written, because they stay."""

    read: int
    written: int

    @property
    def moved(self) -> int:
        """Both."""
        return self.read + self.written


class Uses:
    """When each allocation is last read, and which stay.

    Parameters
    ----------
    events : list of Event
    allocations : list of Allocation
    """

    def __init__(self, events: list[Event], allocations: list[Allocation]):
        self.stays: set[int | None] = {made.number for made in allocations if made.died is None}
        self.last: dict[int | None, int] = {}
        for event in events:
            for span in event.reads:
                if event.kind == "d2h":  # what is copied to the host has to be in memory first
                    self.stays.add(span.owner)
                else:
                    self.last[span.owner] = event.index

    def after(self, owner: int | None, last: int) -> bool:
        """Whether an allocation is needed behind a launch."""
        return owner is None or owner in self.stays or self.last.get(owner, -1) > last


def flow(events: list[Event], allocations: list[Allocation]) -> Flow:
    """Of a whole account; see `needed`."""
    return needed(events, Uses(events, allocations))


def needed(part: list[Event], uses: Uses) -> Flow:
    """The least that a part of the launches must read and write, were they one kernel.

    It reads, once, what was in memory before it; it writes, once, what is there in the end or what a later launch reads.
    """
    work = [event for event in part if event.on_device]
    last = max((event.index for event in work), default=-1)
    reads, writes = Cover(), Cover()
    for event in work:
        for span in event.reads:
            if not writes.covers(span):
                reads.add(span)
        for span in event.writes:
            writes.add(span)
    return Flow(reads.bytes(), writes.bytes(lambda owner: uses.after(owner, last)))


class Cover:
    """Memory that was touched, by allocation."""

    def __init__(self) -> None:
        self.whole: dict[int | None, list[tuple[int, int]]] = {}
        self.part: dict[int | None, set[Span]] = {}

    @property
    def owners(self) -> set[int | None]:
        return set(self.whole) | set(self.part)

    def add(self, span: Span) -> None:
        if span.whole:
            if not self.covers(span):
                self.whole[span.owner] = _joined([*self.whole.get(span.owner, []), (span.low, span.high)])
        else:
            self.part.setdefault(span.owner, set()).add(span)

    def covers(self, span: Span) -> bool:
        """Whether all of a span was touched."""
        if any(low <= span.low and span.high <= high for low, high in self.whole.get(span.owner, ())):
            return True
        return span in self.part.get(span.owner, ())

    def bytes(self, counts=lambda owner: True) -> int:
        """Distinct bytes, and never more: of views with gaps that overlap, those of the largest."""
        total = 0
        for owner in self.owners:
            if not counts(owner):
                continue
            total += sum(high - low for low, high in self.whole.get(owner, ()))
            groups: list[list[Span]] = []
            for span in sorted(self.part.get(owner, ()), key=lambda s: s.low):
                if any(low < span.high and span.low < high for low, high in self.whole.get(owner, ())):
                    continue  # counted, in part or whole
                if groups and span.low < max(other.high for other in groups[-1]):
                    groups[-1].append(span)
                else:
                    groups.append([span])
            total += sum(max(span.nbytes for span in group) for group in groups)
        return total


def _joined(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for low, high in sorted(pieces):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined
