"""Which work of several streams is ordered, and which touches the same memory without being so.

Each stream, and the host, has a clock for every stream: how much of that one's work is surely done.  Work of a stream learns what
the host knows when it launches it; a wait, an event and CUDA's rule for the default stream hand the knowledge on.
[L. Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System", 1978.]
"""

from __future__ import annotations

from collections.abc import Sequence

from gpusim.device import activity
from kernellens.arrays.events import Event, Span

from .recording import Item

Clock = dict[int, int]
Place = tuple[int | None, int, int]


def unordered(items: Sequence[Item], events: list[Event], names: dict[int, str]) -> list[str]:
    """A sentence for each two of an account's works that touch the same memory on two streams, one of them writing, and are not ordered."""
    used = {item.stream for item in items if item.event is not None}
    if len(used - {activity.LEGACY}) < 2 and not (len(used) == 2 and used & activity.unblocked):
        return []  # the default stream and an ordinary one wait for each other
    order = _Order(names)
    for item in items:
        if item.event is not None:
            order.work(item, events[item.event])
        elif item.note is not None:
            order.note(item)
    return list(dict.fromkeys(order.found))


def _merge(one: Clock, other: Clock) -> None:
    for stream, done in other.items():
        if done > one.get(stream, 0):
            one[stream] = done


class _Order:
    def __init__(self, names: dict[int, str]):
        self.found: list[str] = []
        self._names = names
        self._host: Clock = {}
        self._clocks: dict[int, Clock] = {}
        self._recorded: dict[int, Clock] = {}
        # Where it lies → by stream, the last work that wrote it or read it.
        self._written: dict[Place, dict[int, tuple[int, str]]] = {}
        self._read: dict[Place, dict[int, tuple[int, str]]] = {}

    def _clock(self, stream: int) -> Clock:
        """What a stream's next work knows to be done."""
        own = self._clocks.setdefault(stream, {})
        _merge(own, self._host)
        if stream == activity.LEGACY:
            for other, clock in self._clocks.items():
                if other not in activity.unblocked:
                    _merge(own, clock)
        elif stream not in activity.unblocked:
            _merge(own, self._clocks.get(activity.LEGACY, {}))
        return own

    def work(self, item: Item, event: Event) -> None:
        """A launch or copy."""
        stream, clock = item.stream, self._clock(item.stream)
        for span in event.reads:
            self._meet(span, self._written, stream, clock, event.name, "reads what {} writes")
        for span in event.writes:
            self._meet(span, self._written, stream, clock, event.name, "writes what {} writes")
            self._meet(span, self._read, stream, clock, event.name, "writes what {} reads")
        clock[stream] = clock.get(stream, 0) + 1
        for spans, kept in ((event.reads, self._read), (event.writes, self._written)):
            for span in spans:
                kept.setdefault((span.owner, span.low, span.high), {})[stream] = clock[stream], event.name
        if event.kind in ("h2d", "d2h") and item.waits:
            _merge(self._host, clock)

    def _meet(
        self, span: Span, kept: dict[Place, dict[int, tuple[int, str]]], stream: int, clock: Clock, name: str, how: str
    ) -> None:
        for (owner, low, high), works in kept.items():
            if owner != span.owner or low >= span.high or high <= span.low:
                continue
            for other, (tick, work) in works.items():
                if other != stream and tick > clock.get(other, 0):
                    told = how.format(f"{work} on the {self._names[other]}")
                    self.found.append(
                        f"{name} on the {self._names[stream]} {told}, and nothing orders the two".replace(
                            "the stream", "stream"
                        )
                    )

    def note(self, item: Item) -> None:
        """A wait, or an event."""
        note = item.note
        assert note is not None
        if note.kind == "wait":
            if note.key:
                _merge(self._host, self._recorded.get(note.key, {}))
            elif note.stream == activity.DEVICE:
                for clock in self._clocks.values():
                    _merge(self._host, clock)
            else:
                _merge(self._host, self._clock(note.stream))
        elif note.kind == "free":
            for clock in self._clocks.values():
                _merge(self._host, clock)
        elif note.kind == "record":
            self._recorded[note.key] = dict(self._clock(note.stream))
        elif note.kind == "after":
            _merge(self._clock(note.stream), self._recorded.get(note.key, {}))
