"""Which kernels could be one, and what that would save."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from .events import Allocation, Event, Span
from .flow import Flow, Uses, needed

LEAST = 0.01
"""Share of all bytes that fusing has to save to be told of; of launches, ten times that."""


@dataclass(frozen=True)
class Group:
    """Kernels that follow each other and could be one.

    Attributes
    ----------
    events : tuple of Event
    flow : Flow
        What the one kernel would read and write.
    code : str
        How to write it, where it is one statement; else empty.
    """

    events: tuple[Event, ...]
    flow: Flow
    code: str = ""

    @property
    def moved(self) -> int:
        """Bytes that they read and write as they are."""
        return sum(event.moved for event in self.events)

    @property
    def saved(self) -> int:
        """Bytes that would not be moved."""
        return self.moved - self.flow.moved

    @property
    def ratio(self) -> float:
        """How many times fewer bytes."""
        return self.moved / self.flow.moved if self.flow.moved else float("inf")

    @functools.cached_property
    def kind(self) -> tuple:
        """What is the same of groups that a loop repeats."""
        return (*self.lines, len(self.events), self.moved, self.flow.moved)

    @property
    def lines(self) -> list[int]:
        """The lines they come from."""
        return sorted({event.line for event in self.events if event.line is not None})


def groups(events: list[Event], allocations: list[Allocation]) -> list[Group]:
    """Find runs of elementwise kernels over one shape, each with a reduction of their last result behind it or not.

    `cupy.fuse` makes one kernel of such a function.  Transfers end a run.
    """
    uses = Uses(events, allocations)
    found, run = [], []
    for event in [*events, None]:
        if event is not None and event.fused and _joins(event, run):
            run.append(event)
            continue
        if run:
            if event is not None and _again(event, run[-1]):
                before, run = _turn(run, event)
                if len(before) > 1:
                    found.append(before)
            if event is not None and event.ends and _may_end(event, run, uses):
                run.append(event)
                event = None
            if len(run) > 1:
                found.append(run)
        run = [event] if event is not None and event.fused else []
    made = [Group(tuple(each), needed(each, uses)) for each in found]
    moved = sum(event.moved for event in events if event.on_device)
    launches = sum(event.on_device for event in events)
    alike: dict[tuple, list[Group]] = {}
    for group in made:
        if group.saved > 0:
            alike.setdefault(group.kind, []).append(group)
    # What would save next to nothing is not worth a word: neither bytes nor launches.
    told = {
        kind
        for kind, same in alike.items()
        if sum(group.saved for group in same) >= LEAST * moved
        or sum(len(group.events) - 1 for group in same) >= LEAST * 10 * launches
    }
    return [group for group in made if group.saved > 0 and group.kind in told]


def _turn(run: list[Event], event: Event) -> tuple[list[Event], list[Event]]:
    """Cut a run where the loop begins whose next turn begins with a launch."""
    for at, each in enumerate(run):
        if each.place == event.place:
            return run[:at], run[at:]
    return run[:0], run


def _joins(event: Event, run: list[Event]) -> bool:
    """Whether a launch goes over the same elements as those before, each element by itself.

    One that reads or overwrites its neighbour's element has to wait for the kernel before.
    """
    if run and (event.shape != run[-1].shape or _again(event, run[-1])):
        return False
    return not any(
        _overlap(mine, theirs) and (mine.low, mine.high, mine.nbytes) != (theirs.low, theirs.high, theirs.nbytes)
        for other in run
        for ours, others in ((event.writes, other.reads), (event.reads, other.writes), (event.writes, other.writes))
        for mine in ours
        for theirs in others
    )


def _again(event: Event, before: Event) -> bool:
    """Whether a loop has turned between two launches."""
    (call, at), (other, there) = event.place, before.place
    return call == other and at < there


def _overlap(a: Span, b: Span) -> bool:
    return a.owner == b.owner and a.low < b.high and b.low < a.high


def _may_end(event: Event, run: list[Event], uses: Uses) -> bool:
    """Whether a reduction reads what the last one has written, and all that they have written goes into it alone.

    A fused kernel with a reduction has its result, and no other.
    """
    owners = {span.owner for span in run[-1].writes if span.owner is not None}
    if not any(span.owner in owners for span in event.reads):
        return False
    return not any(uses.after(span.owner, event.index) for each in run for span in each.writes)
