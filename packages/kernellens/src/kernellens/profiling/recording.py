"""Look at a piece of code while it runs: what `arrays` notes, and beside it when the host did what, on which stream.

The host's time is measured, but not while it stands inside the simulated libraries: there this CPU computes in the GPU's place.
A profile function of Python's says when the program goes in and comes out.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import dataclass
from typing import Any

import gpusim
import kernellens
from gpusim.device import activity, memory
from gpusim.device.activity import Note
from gpusim.device.counters import Launch
from kernellens.arrays.events import Allocation, Event
from kernellens.arrays.recording import Recorder

_LIBRARIES = tuple(
    os.path.join(os.path.dirname(os.path.abspath(str(each.__file__))), "") for each in (gpusim, kernellens)
)
"""What is not the program: the simulated libraries, and what takes notes here."""
_CALLING = os.path.join("cupyx", "profiler.py")
"""The one that calls a program's function to look at it: the host's time there is the program's."""


@dataclass(frozen=True)
class Item:
    """A launch or copy, or another thing that happened.

    Attributes
    ----------
    host : float
        Seconds that the host had worked by itself until then.
    event : int or None
        The number of the launch or copy among the recorder's events.
    note : Note or None
        Else what happened.
    taken, freed : Allocation or None
        Else the memory that a pool gave, or got back.
    stream : int
    waits : bool
        Of a copy: whether the host waits for it.
    pinned : bool
        Of a copy: whether it is to or from pinned memory.
    line : int or None
    """

    host: float
    event: int | None = None
    note: Note | None = None
    taken: Allocation | None = None
    freed: Allocation | None = None
    stream: int = activity.LEGACY
    waits: bool = True
    pinned: bool = False
    line: int | None = None


class Watch(Recorder):
    """Records what happens inside a ``with`` block, and when.

    Attributes
    ----------
    items : list of Item
        In order.
    seconds : float
        That the host worked by itself.
    threads : set of int
        Those that launched something.
    """

    def __init__(self, filename: str | None = None, offset: int = 0):
        super().__init__(filename, offset)
        self.items: list[Item] = []
        self.seconds = 0.0
        self.threads: set[int] = set()
        self._inside: Any = None  # the frame by which the program went into the simulated libraries
        self._profile: Any = None

    def __enter__(self) -> Watch:
        super().__enter__()
        activity.watcher = self._noted
        self._profile = sys.getprofile()
        self._begun = self._since = time.perf_counter()
        self._spent = 0.0
        sys.setprofile(self._called)
        return self

    def __exit__(self, *exception: object) -> None:
        sys.setprofile(self._profile)
        self.seconds = self._clock()
        activity.watcher = None
        super().__exit__(*exception)

    def _called(self, frame: Any, event: str, arg: object) -> None:
        if event == "call":
            if self._inside is None and _is_simulated(frame.f_code.co_filename):
                self._spent += time.perf_counter() - self._since
                self._inside = frame
        elif event == "return" and frame is self._inside:
            self._inside = None
            self._since = time.perf_counter()

    def _clock(self) -> float:
        if self._inside is not None:
            return self._spent
        return self._spent + time.perf_counter() - self._since

    def made(self, block: memory.Block) -> Allocation | None:
        """Note an allocation, and where it goes when it is freed."""
        made = super().made(block)
        if made is not None and not made.inner and block._pool.by_stream:
            made.arena = _arena(block)
            self.items.append(Item(self._clock(), taken=made))
        return made

    def gone(self, block: memory.Block) -> None:
        """Note that a block was given back, also one that was made before."""
        made = self.allocation(block)
        if made is None and block._pool.by_stream:
            made = Allocation(None, block.size, None, 0, start=block.ptr, arena=_arena(block))
        if self._open and made is not None and made.died is None and made.arena is not None:
            self.items.append(Item(self._clock(), freed=made))
        super().gone(block)

    def _noted(self, note: Note) -> None:
        if self._open:
            note = note._replace(stream=_one_name(note.stream))
            self.items.append(Item(self._clock(), note=note, stream=note.stream, line=self.line()[0]))

    def _launched(self, entry: Launch, by: Any, args: tuple, reads: Any, writes: Any) -> None:
        super()._launched(entry, by, args, reads, writes)
        self.threads.add(threading.get_ident())
        last: Event = self.events[-1]
        self.items.append(
            Item(
                *(self._clock(), last.index),
                stream=_one_name(activity.stream()),
                waits=activity.waits(),
                pinned=activity.is_pinned(),
                line=last.line,
            )
        )


def _arena(block: memory.Block) -> tuple[int, int]:
    return block._pool.number, _one_name(block.stream)


def _one_name(stream: int) -> int:
    """The stream's handle; the default stream has two, 0 and `cudaStreamLegacy`, which is 1."""
    return activity.LEGACY if stream == 1 else stream


_known: dict[str, bool] = {}


def _is_simulated(filename: str) -> bool:
    found = _known.get(filename)
    if found is None:
        found = _known[filename] = filename.startswith(_LIBRARIES) and not filename.endswith(_CALLING)
    return found
