"""Which work of several streams is ordered, and which touches the same memory without being so.

Each stream, and the host, has a clock for every stream: how much of that one's work is surely done.  Work of a stream learns what
the host knows when it launches it; a wait, an event and CUDA's rule for the default stream hand the knowledge on.
[L. Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System", 1978.]

The same memory may be two arrays: one that was freed, and one made later.  CuPy's and RMM's pools have free lists for each stream.
What is freed goes back to the list of the stream it was taken on as soon as its last reference dies, and the next array of that
stream may get it while another stream still reads it [cupy/cuda/memory.pyx, `SingleDeviceMemoryPool.free`].  The simulator's pool
has one list for all streams, so `_Arenas` says where each array would lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpusim.device import activity
from kernellens.arrays.events import Allocation, Event, Span

from .recording import Item

Clock = dict[int, int]


class Place(NamedTuple):
    """Memory: of an allocation that was new, or that was there before (None), from one byte to another."""

    base: int | None
    low: int
    high: int


class Work(NamedTuple):
    """The last work of a stream on some memory: its number, its name, and whose memory it was."""

    tick: int
    name: str
    owner: int | None


Uses = dict[Place, dict[int, Work]]


def unordered(items: Sequence[Item], events: list[Event], names: dict[int, str]) -> tuple[list[str], list[str]]:
    """Sentences for each two of an account's works that use the same memory on two streams, one of them writing, and are not ordered:
    those on the same array, and those of which the later writes to memory that was freed."""
    used = {item.stream for item in items if item.event is not None}
    if len(used - {activity.LEGACY}) < 2 and not (len(used) == 2 and used & activity.unblocked):
        return [], []  # the default stream and an ordinary one wait for each other
    order = _Order(names)
    for item in items:
        if item.event is not None:
            order.work(item, events[item.event])
        elif item.note is not None:
            order.note(item)
        elif item.taken is not None:
            order.arenas.take(item.taken)
        elif item.freed is not None:
            order.arenas.free(item.freed)
    return list(dict.fromkeys(order.found)), list(dict.fromkeys(order.reused))


def _merge(one: Clock, other: Clock) -> None:
    for stream, done in other.items():
        if done > one.get(stream, 0):
            one[stream] = done


class _Arenas:
    """Where each array would lie, had the pools had nothing free at the beginning: best fit, a larger block is split, as in CuPy."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[int, int] | None, list[Place]] = {}  # free ones; the last one was freed most recently
        self._places: dict[int | None, tuple[Place, int]] = {}  # by an allocation's number; and its address here

    def take(self, made: Allocation) -> None:
        blocks = self._blocks.setdefault(made.arena, [])
        fitting = [block for block in blocks if block.high - block.low >= made.size]
        best = Place(made.number, 0, made.size)
        if fitting:
            best = min(reversed(fitting), key=lambda block: block.high - block.low)
            blocks.remove(best)
        place = best._replace(high=best.low + made.size)
        if place.high < best.high:
            blocks.append(best._replace(low=place.high))
        self._places[made.number] = place, made.start

    def free(self, made: Allocation) -> None:
        before = Place(None, made.start, made.start + made.size)  # where it lay, if it was there at the beginning
        place, _ = self._places.get(made.number, (before, made.start))
        blocks = self._blocks.setdefault(made.arena, [])
        for block in [block for block in blocks if block.base == place.base]:
            if block.high == place.low or block.low == place.high:
                blocks.remove(block)
                place = Place(place.base, min(block.low, place.low), max(block.high, place.high))
        blocks.append(place)

    def place(self, span: Span) -> Place:
        if span.owner not in self._places:
            return Place(span.owner, span.low, span.high)
        (base, low, _), start = self._places[span.owner]
        return Place(base, low + span.low - start, low + span.high - start)


class _Order:
    def __init__(self, names: dict[int, str]):
        self.found: list[str] = []
        self.reused: list[str] = []
        self.arenas = _Arenas()
        self._names = names
        self._host: Clock = {}
        self._clocks: dict[int, Clock] = {}
        self._recorded: dict[int, Clock] = {}
        self._written: Uses = {}
        self._read: Uses = {}

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
            self._meet(span, self._written, stream, clock, event.name, "reads", "writes")
        for span in event.writes:
            self._meet(span, self._written, stream, clock, event.name, "writes", "writes")
            self._meet(span, self._read, stream, clock, event.name, "writes", "reads")
        clock[stream] = clock.get(stream, 0) + 1
        for spans, kept in ((event.reads, self._read), (event.writes, self._written)):
            for span in spans:
                kept.setdefault(self.arenas.place(span), {})[stream] = Work(clock[stream], event.name, span.owner)
        if event.kind in ("h2d", "d2h") and item.waits:
            _merge(self._host, clock)

    def _meet(self, span: Span, kept: Uses, stream: int, clock: Clock, name: str, does: str, did: str) -> None:
        place = self.arenas.place(span)
        here = _plain(self._names[stream])
        for (base, low, high), works in kept.items():
            if base != place.base or low >= place.high or high <= place.low:
                continue
            for other, work in works.items():
                if other == stream or work.tick <= clock.get(other, 0):
                    continue
                there = f"{work.name} on {_plain(self._names[other])}"
                if work.owner == span.owner:
                    self.found.append(f"{name} on {here} {does} what {there} {did}, and nothing orders the two")
                elif does == "writes":  # who reads a new array has written it, or waited for who did
                    self.reused.append(
                        f"{name} on {here} writes to memory that {there} may still {did.removesuffix('s')}. "
                        "The array in it was freed, and its memory went to a new one"
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


def _plain(name: str) -> str:
    """A stream in a sentence."""
    return name if name.startswith("stream ") else f"the {name}"
