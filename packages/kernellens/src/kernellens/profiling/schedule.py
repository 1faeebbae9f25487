"""From what happened to a timeline on a GPU that is not there: when each thing would begin and end.

A plain model of CUDA's rules.  Work of a stream runs in order.  The default stream waits for all others that are not
"non-blocking", and they for it.  Kernels of all streams share the processors, one after the other; copies to the device have an
engine, and copies to the host another, so that both may go on beside a kernel.  The host launches and goes on; it waits where the
program waits, at a copy to or from ordinary memory, and at ``cudaFree``.  Such a copy goes through a pinned buffer, and is drawn
as one transfer at the lower rate, `ORDINARY`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gpusim.device import activity
from gpusim.hardware.gpus import GPU
from kernellens.arrays.account import from_memory, work_of
from kernellens.arrays.events import Event
from kernellens.times import estimate_of
from kernellens.times.model import COPY, SHORTEST

from .entries import HOST, RANGES, Entry
from .recording import Item

LARGE, SMALL = 2.2e-4, 3e-6
"""Seconds of ``cudaMalloc`` and ``cudaFree``, of a mebibyte or more and of less: about the medians of the long ones (216 and 247 µs)
and of the short ones (2.9 and 3.7 µs) on an A100, in a published report of nsys 2024.5; their sizes are not in it [CloverLeaf on Perlmutter; hpcgroup/pipit@ad30bc8498bd, pipit/tests/data/cloverleaf-nsys]."""
_MEBIBYTE = 1 << 20
ORDINARY = 1e10
"""Bytes per second of a copy to or from ordinary (pageable) memory, which the processor copies into a pinned buffer or out of one; at most the link's rate.
About the median of six copies of 1 to 256 MiB on the host of an H200: 12.4, 9.5 and 6.8 GB/s to the device, 10.0, 16.2 and 11.2 from it, where pinned memory
reached 32 to 55 [recordings/raw/nvidia-h200, stage probe, part transfers].  Taken for all hosts."""


@dataclass
class _Device:
    """When each stream and engine has done what it was given."""

    streams: dict[int, float] = field(default_factory=dict)
    engines: dict[str, float] = field(default_factory=dict)
    events: dict[int, float] = field(default_factory=dict)

    def ready(self, stream: int) -> float:
        """When work of a stream may begin."""
        own = self.streams.get(stream, 0.0)
        if stream == activity.LEGACY:
            others = (end for each, end in self.streams.items() if each not in activity.unblocked)
            return max(own, *others, 0.0)
        if stream in activity.unblocked:
            return own
        return max(own, self.streams.get(activity.LEGACY, 0.0))

    def run(self, stream: int, engine: str, since: float, seconds: float) -> tuple[float, float]:
        """Give a stream work; returns when it begins and ends."""
        start = max(since, self.ready(stream), self.engines.get(engine, 0.0))
        end = start + seconds
        self.streams[stream] = self.engines[engine] = end
        return start, end

    def all_done(self) -> float:
        return max(self.streams.values(), default=0.0)


class Schedule:
    """Works through what happened.

    Parameters
    ----------
    items : sequence of Item
    events : list of Event
        The launches and copies that the items name.
    seconds : float
        That the host worked by itself until the end.
    gpu : GPU
    host : bool
        Whether the host's own time counts; without it the timeline is the same on every machine.
    """

    def __init__(self, items: Sequence[Item], events: list[Event], seconds: float, gpu: GPU, *, host: bool = True):
        self.entries: list[Entry] = []
        self._gpu, self._events, self._host = gpu, events, host
        self._dram = from_memory(events, gpu.l2)
        self._device = _Device()
        self.names = _names(items)
        self._now = self._before = 0.0
        self._open: list[tuple[str, Entry]] = []
        self._others: dict[tuple[str, int], Entry] = {}
        self._copied = False  # whether the last thing was a copy that the host waited for
        self._apart: dict[int, int] = {}  # streams that nothing is ordered behind yet, and how much they were given
        self._recorded: dict[int, tuple[int, int]] = {}
        for item in items:
            if item.taken is not None or item.freed is not None:
                continue
            self._work(item.host)
            if item.event is not None:
                self._launch(item, events[item.event])
            elif item.note is not None:
                self._note(item)
        self._work(seconds)
        for _, entry in self._open:
            self._end(entry)
        self.unjoined = [self.names[stream] for stream in self._apart]

    def _add(self, kind: str, name: str, end: float, line: int | None = None) -> None:
        self.entries.append(Entry(HOST, kind, name, self._now, end, line=line))
        self._now = end

    def _work(self, until: float) -> None:
        own, self._before = until - self._before, until
        if self._host and own > 0:
            self._add("python", "Python", self._now + own)

    def _launch(self, item: Item, event: Event) -> None:
        row = self.names[item.stream]
        if item.stream in activity.unblocked:
            self._apart[item.stream] = self._apart.get(item.stream, 0) + 1
        work = work_of(event, self._dram[event.index])
        if event.on_device and event.kind == "kernel":
            self._add("launch", f"launch {event.name}", self._now + self._gpu.launch, item.line)
            found = estimate_of(work, self._gpu)
            seconds = max(SHORTEST, found.seconds - found.parts["launch"])
            start, end = self._device.run(item.stream, "kernels", self._now, seconds)
            self.entries.append(Entry(row, "kernel", event.name, start, end, line=item.line))
            return
        nbytes = max(event.read, event.written)
        self._add("launch", f"start {event.name}", self._now + COPY, item.line)
        if event.kind == "d2d":
            seconds = max(SHORTEST, estimate_of(work, self._gpu).parts["memory"])
        else:
            rate = self._gpu.link if item.pinned else min(ORDINARY, self._gpu.link)
            seconds = max(SHORTEST, nbytes / rate)
        engine = "kernels" if event.kind == "d2d" else event.kind
        start, end = self._device.run(item.stream, engine, self._now, seconds)
        self.entries.append(Entry(row, "copy", event.name, start, end, event.kind, nbytes, item.line))
        if event.kind != "d2d" and item.waits:
            self._add("wait", f"wait for {event.name}", max(self._now, end), item.line)
            self._apart.pop(item.stream, None)
            self._copied = event.kind == "d2h"

    def _note(self, item: Item) -> None:
        note, device = item.note, self._device
        assert note is not None
        if note.kind == "wait":
            if note.key:
                until, what = device.events.get(note.key, 0.0), "an event"
                self._joined(note.key)
            elif note.stream == activity.DEVICE:
                until, what = device.all_done(), "the device"
                self._apart.clear()
            else:
                self._apart.pop(note.stream, None)
                until, what = device.streams.get(note.stream, 0.0), "the stream"
                until = max(until, device.ready(note.stream)) if note.stream == activity.LEGACY else until
            if self._copied and until <= self._now:  # the copy's own
                self._copied = False
                return
            self._add("wait", f"wait for {what}", max(self._now, until), item.line)
        elif note.kind == "record":
            device.events[note.key] = device.ready(note.stream)
            self._recorded[note.key] = note.stream, self._apart.get(note.stream, 0)
        elif note.kind == "after":
            before = device.streams.get(note.stream, 0.0)
            device.streams[note.stream] = max(before, device.events.get(note.key, 0.0))
            self._joined(note.key)
            if note.stream in activity.unblocked:
                self._apart[note.stream] = self._apart.get(note.stream, 0) + 1
        elif note.kind == "malloc":
            self._add("driver", "cudaMalloc", self._now + _driver(note.nbytes), item.line)
        elif note.kind == "free":
            done = device.all_done()
            if done > self._now:
                self._add("wait", "wait before cudaFree", done, item.line)
            self._add("driver", "cudaFree", self._now + _driver(note.nbytes), item.line)
        else:
            self._range(item)
        self._copied = False

    def _joined(self, event: int) -> None:
        """What a stream had been given before an event is not apart any more."""
        stream, given = self._recorded.get(event, (0, 0))
        if self._apart.get(stream) == given:
            self._apart.pop(stream, None)

    def _range(self, item: Item) -> None:
        note = item.note
        assert note is not None
        entry = Entry(RANGES, "range", note.name, self._now, self._now, line=item.line, colour=note.colour)
        if note.kind == "push":
            self._open.append((note.domain, replace(entry, depth=len(self._open) + len(self._others))))
        elif note.kind == "pop":
            for at in range(len(self._open) - 1, -1, -1):
                if self._open[at][0] == note.domain:
                    self._end(self._open.pop(at)[1])
                    break
        elif note.kind == "start":
            depth = len(self._open) + len(self._others)
            self._others[note.domain, note.key] = replace(entry, depth=depth)
        elif note.kind == "end":
            begun = self._others.pop((note.domain, note.key), None)
            if begun is not None:
                self._end(begun)
        else:
            self.entries.append(replace(entry, kind="mark"))

    def _end(self, entry: Entry) -> None:
        self.entries.append(replace(entry, end=self._now))


def _driver(nbytes: int) -> float:
    return LARGE if nbytes >= _MEBIBYTE else SMALL


def _names(items: Sequence[Item]) -> dict[int, str]:
    """A name for each stream, in the order in which they are used."""
    handles = dict.fromkeys(item.stream for item in items if item.event is not None)
    names = {activity.LEGACY: "default stream", 2: "thread's default stream"}
    made = [handle for handle in handles if handle not in names]
    return names | {handle: f"stream {number}" for number, handle in enumerate(made, start=1)}
