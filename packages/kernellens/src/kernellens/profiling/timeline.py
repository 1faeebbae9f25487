"""What `timeline` returns: when the host and the device did what, as a figure, as text, as facts, as a file for a viewer."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gpusim.hardware import gpus
from kernellens import target
from kernellens.arrays.events import Event
from kernellens.plot.figure import Figure

from . import chrome, entries, words
from .entries import Entry, Gap, Share
from .order import unordered
from .recording import Item
from .schedule import Schedule


@dataclass(repr=False)
class Timeline:
    """When the host and the device did what.

    Attributes
    ----------
    name : str
        What it is of.
    gpu : str
        The GPU: whose figures the times of the device are estimated with or, in a report of nsys, that it ran on.
    measured : bool
        Whether all of it was measured, by a profiler on a GPU.
    entries : list of Entry
        In the order in which they begin.
    unordered : list of str
        Works of two streams that touch the same array, one of them writing it, and that nothing orders.
    reused : list of str
        Works that write to memory of an array that was freed while another stream might still use it, likewise.
    host : bool
        Whether the host's own work takes time in it.
    notes : list of str
    unjoined : list of str
        Streams whose work neither the host nor another stream waited for: who uses its results uses them too early.
    """

    name: str
    gpu: str
    measured: bool
    entries: list[Entry]
    notes: list[str] = field(default_factory=list)
    unjoined: list[str] = field(default_factory=list)
    unordered: list[str] = field(default_factory=list)
    reused: list[str] = field(default_factory=list)
    host: bool = True
    _seen: tuple[list[Item], list[Event], float] | None = None

    def on(self, gpu: str | gpus.GPU) -> Timeline:
        """The same program with another GPU's figures.

        Raises
        ------
        UnknownGpuError
            A KeyError that names the nearest known ones.
        ValueError
            Where the times were measured.
        """
        if self._seen is None:
            raise ValueError("The times of this timeline were measured: they are those of one GPU.")
        return self._again(target.resolve(gpu))

    def without_host(self) -> Timeline:
        """The same program where the host's own work takes no time: what depends on the program alone, and on no machine."""
        if self._seen is None:
            raise ValueError("The times of this timeline were measured.")
        return self._again(target.resolve(self.gpu), host=False)

    def _again(self, gpu: gpus.GPU, host: bool = True) -> Timeline:
        assert self._seen is not None
        found = made(*self._seen, gpu, self.name, host=host)
        found.notes.extend(self.notes)
        return found

    def between(self, start: float, end: float) -> Timeline:
        """The part between two times, in seconds; what reaches over an end is cut there."""
        kept = [
            replace(entry, start=max(entry.start, start) - start, end=min(entry.end, end) - start)
            for entry in self.entries
            if entry.end >= start and entry.start <= end
        ]
        return replace(self, entries=kept, _seen=None)

    @property
    def seconds(self) -> float:
        """From the beginning to the end of the last thing."""
        return max((entry.end for entry in self.entries), default=0.0)

    @property
    def kernels(self) -> list[Entry]:
        """The kernels."""
        return [entry for entry in self.entries if entry.kind == "kernel"]

    @property
    def copies(self) -> list[Entry]:
        """The copies, those within the device's memory among them."""
        return [entry for entry in self.entries if entry.kind == "copy"]

    @property
    def waits(self) -> list[Entry]:
        """Each time that the host waited for the device."""
        return [entry for entry in self.entries if entry.kind == "wait"]

    @property
    def driver_calls(self) -> list[Entry]:
        """Calls of ``cudaMalloc`` and ``cudaFree``."""
        return [entry for entry in self.entries if entry.kind == "driver"]

    @property
    def ranges(self) -> list[Entry]:
        """NVTX ranges, in the order in which they begin."""
        return [entry for entry in self.entries if entry.kind == "range"]

    @property
    def busy(self) -> float:
        """Seconds in which a kernel runs."""
        return entries.length(entries.joined(self.kernels))

    @property
    def overlap(self) -> float:
        """Seconds in which a copy runs beside a kernel."""
        return entries.common(entries.joined(self.copies), entries.joined(self.kernels))

    @property
    def gaps(self) -> list[Gap]:
        """The times between the device's first and last work in which it does nothing."""
        return entries.gaps(self.entries)

    @functools.cached_property
    def shares(self) -> list[Share]:
        """The kernels by name, what takes longest first."""
        times: dict[str, list[float]] = {}
        for entry in self.kernels:
            times.setdefault(entry.name, []).append(entry.seconds)
        total = sum(map(sum, times.values())) or 1.0
        made = [Share(name, len(each), sum(each), sum(each) / total) for name, each in times.items()]
        return sorted(made, key=lambda share: -round(share.seconds, 12))

    def trace(self) -> dict[str, Any]:
        """The timeline in Chrome's trace-event format, as data."""
        return chrome.trace(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it in Chrome's trace-event format: ``chrome://tracing`` and ui.perfetto.dev open it. Returns the file's path."""
        made = Path(path)
        made.write_text(json.dumps(self.trace()), encoding="utf-8")
        return made

    @functools.cached_property
    def figure(self) -> Figure:
        """The figure."""
        from kernellens.plot.tracks import lanes

        return lanes(
            [(entry.row, entry.kind, entry.name, entry.start, entry.end, entry.depth) for entry in self.entries],
            words.title(self),
            words.note(self),
            below=words.below(self),
            alt=words.alt(self),
            text=words.text(self),
        )

    def __repr__(self) -> str:
        return words.text(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return self.figure._repr_mimebundle_(include, exclude)


def made(
    items: Sequence[Item],
    events: list[Event],
    seconds: float,
    gpu: gpus.GPU,
    name: str = "",
    *,
    host: bool = True,
) -> Timeline:
    """The timeline of what was recorded."""
    schedule = Schedule(items, events, seconds, gpu, host=host)
    found = sorted(schedule.entries, key=lambda entry: entry.start)
    apart, reused = unordered(items, events, schedule.names)
    return Timeline(
        *(name, gpu.name, False, found),
        unjoined=schedule.unjoined,
        unordered=apart,
        reused=reused,
        host=host,
        _seen=(list(items), events, seconds),
    )
