"""Look at all that a piece of code launches, copies and allocates, while it runs.

The engine tells of each launch as it is counted, with views of the memory it touches, and makes allocations of a class of
ours meanwhile.  From the views' addresses follows which launch reads what another wrote.
"""

from __future__ import annotations

import sys
import threading
from bisect import bisect_right, insort
from typing import Any

import numpy as np

from gpusim import own
from gpusim.device import memory, queue, regions
from gpusim.device.counters import Launch

from . import arithmetic, operands
from .events import Allocation, Event, Span


class Recorder:
    """Records what happens inside a ``with`` block.

    Parameters
    ----------
    filename : str or None
        The file, or cell, whose lines are named; None for the nearest line outside of this package and of libraries.
    offset : int
        Added to the line numbers.

    Attributes
    ----------
    events : list of Event
        Launches and transfers, in order.
    allocations : list of Allocation
        Made inside the block, in order.
    before, peak : int
        Bytes that arrays held at the beginning, and at most.
    """

    def __init__(self, filename: str | None = None, offset: int = 0):
        self.filename, self.offset = filename, offset
        self.events: list[Event] = []
        self.allocations: list[Allocation] = []
        self.before = self.peak = 0
        self.peak_line: int | None = None
        self._starts: list[int] = []
        self._at: dict[int, Allocation] = {}
        self._lock = threading.RLock()
        self._open = False

    def __enter__(self) -> Recorder:
        if queue.watcher is not None:
            raise RuntimeError("An account is being taken already: one cannot be taken inside of another.")
        queue.drain()
        self.before = self.peak = memory.in_use()
        memory.block_class = _noting(self)
        queue.watcher = self._launched
        self._open = True
        return self

    def __exit__(self, *exception: object) -> None:
        self._open = False
        queue.watcher = None
        memory.block_class = memory.Block

    def line(self) -> tuple[int | None, tuple[int, int]]:
        """The line of the code that is being carried out, and which call of which function that is, how far it has come."""
        frame = sys._getframe(1)
        while frame is not None:
            name = frame.f_code.co_filename
            if name == self.filename if self.filename is not None else not _is_library(name):
                return frame.f_lineno + self.offset, (id(frame), frame.f_lasti)
            frame = frame.f_back
        return None, (0, 0)

    def made(self, block: memory.Block) -> Allocation | None:
        """Note an allocation."""
        if not self._open:
            return None
        start = block.raw.ctypes.data
        made = Allocation(len(self.allocations), block.size, self.line()[0], len(self.events))
        with self._lock:
            if start not in self._at:
                insort(self._starts, start)
            self._at[start] = made
            self.allocations.append(made)
            now = memory.in_use()
            if now > self.peak:
                self.peak, self.peak_line = now, made.line
        made.start = start
        return made

    def gone(self, made: Allocation) -> None:
        """Note that an allocation was given back."""
        if self._open and made.died is None:
            made.died = len(self.events)
            with self._lock:
                if self._at.get(made.start) is made:
                    del self._at[made.start]
                    self._starts.remove(made.start)

    def _launched(self, entry: Launch, by: Any, args: tuple, reads: operands.Views, writes: operands.Views) -> None:
        owner = getattr(by, "__self__", None)
        if operands.is_kernel(owner):  # one of the engine's launches, by its method that runs it
            by = owner
        found = operands.sides(entry, by, reads, writes)
        spans = ([self._span(view, found.most) for view in side] for side in (found.reads, found.writes))
        read, written = ([span for span in side if span is not None] for side in spans)
        line, place = self.line()
        event = Event(
            *(len(self.events), entry.name, entry.kind, line, found.read, found.written, place, read, written),
            known=found.known,
            fused=arithmetic.is_fusable(entry.name, by),
            ends=arithmetic.may_end(entry.name),
            shape=arithmetic.shape(found.writes, found.reads),
            numba=found.numba,
            **arithmetic.counted(entry.name, by, found, args, reads or ()),
        )
        with self._lock:
            self.events.append(event)
            for span in written:
                if span.owner is not None:
                    owner = self.allocations[span.owner]
                    owner.written = True
                    owner.nbytes = max(owner.nbytes, span.high - span.low)

    def _owner(self, address: int) -> Allocation | None:
        at = bisect_right(self._starts, address) - 1
        if at < 0:
            return None
        owner = self._at[self._starts[at]]
        return owner if address < owner.start + owner.size else None

    def _span(self, view: np.ndarray, most: dict[int, int]) -> Span | None:
        if not view.size:
            return None
        low, high = np.lib.array_utils.byte_bounds(view)
        owner = self._owner(low)
        if owner is None and not any(raw.ctypes.data <= low < raw.ctypes.data + raw.size for raw, _ in regions.alive()):
            return None  # the host's
        distinct = min(arithmetic.distinct(view), most.get(id(view), view.nbytes))
        return Span(None if owner is None else owner.number, low, high, distinct, distinct == high - low)


def _noting(recorder: Recorder) -> type[memory.Block]:
    class Noted(memory.Block):
        """A block whose coming and going is noted."""

        __slots__ = ("_noted",)

        def __init__(self, *args: Any):
            super().__init__(*args)
            self._noted = recorder.made(self)

        def free(self) -> None:
            self._gone()
            super().free()

        def __del__(self):
            self._gone()
            super().__del__()

        def _gone(self) -> None:
            noted = getattr(self, "_noted", None)
            if noted is not None:
                recorder.gone(noted)

    return Noted


def _is_library(filename: str) -> bool:
    return (
        filename.startswith((*own.folders(), "<frozen"))
        or "site-packages" in filename
        or filename.endswith("contextlib.py")
    )
