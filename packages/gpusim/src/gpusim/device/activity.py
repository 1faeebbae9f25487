"""What a program does beside launches and copies: ranges, waits, driver calls for memory; and on which stream it works.

Nothing is kept here.  Who wants to know (the lens's timeline) sets `watcher`, and each note reaches it in order.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

LEGACY = 0
"""The default stream.  What waits for it and for what it waits, CUDA's Programming Guide says ("Implicit synchronization")."""
DEVICE = -1
"""In the place of a stream: all streams."""
PLACE = "(simulated on this CPU)"


class SimulatedMilliseconds(float):
    """A time that says where it was measured when it is printed; in arithmetic and with a format a plain float."""

    def __repr__(self) -> str:
        return f"{float(self)!r} {PLACE}"

    def __str__(self) -> str:
        return repr(self)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else repr(self)


class Note(NamedTuple):
    """One thing that happened.

    Attributes
    ----------
    kind : str
        ``"push"``, ``"pop"``, ``"start"``, ``"end"`` and ``"mark"`` of ranges; ``"wait"``, where the host waits for a stream or, with
        a `key`, for an event; ``"record"`` and ``"after"``, where a stream records an event and where it waits for one;
        ``"malloc"`` and ``"free"`` for calls of the driver.
    name : str
        A range's message.
    stream : int
        The stream's handle, or `DEVICE`.
    key : int
        The event's or the range's number.
    nbytes : int
        Of a driver call.
    domain, colour : str
        A range's.
    """

    kind: str
    name: str = ""
    stream: int = DEVICE
    key: int = 0
    nbytes: int = 0
    domain: str = ""
    colour: str = ""


watcher: Callable[[Note], None] | None = None
"""Who is told; None for nobody."""


def _legacy(device_id: int | None = None) -> int:
    return LEGACY


current: Callable[..., int] = _legacy
"""The stream that the thread works on where it says no other, on a device or the current one; CuPy's, once one was chosen."""
unblocked: set[int] = set()
"""Streams that were made with ``non_blocking=True``: the default stream does not wait for them, nor they for it."""

handles = itertools.count(0x10000, 0x100)
"""Handles of streams and events, for all libraries: two things never have the same one."""

_local = threading.local()


def note(kind: str, **facts: object) -> None:
    """Tell the watcher, if there is one."""
    told = watcher  # another thread may end the watch meanwhile
    if told is not None:
        told(Note(kind, **facts))  # type: ignore[arg-type]


def stream() -> int:
    """The stream on which this thread's next launch is put."""
    stack = getattr(_local, "streams", None)
    return stack[-1] if stack else current()


def waits() -> bool:
    """Whether the host waits for the copy that is being entered."""
    return getattr(_local, "waits", True)


def is_pinned() -> bool:
    """Whether the host's side of the copy that is being entered is pinned memory."""
    return getattr(_local, "pinned", False)


_nothing = contextlib.nullcontext()


def on(handle: int | None, *, waits: bool = True, pinned: bool = False) -> contextlib.AbstractContextManager[None]:
    """Work on a stream inside the block.  Where nobody watches it costs next to nothing: this is on the path of each launch.

    Parameters
    ----------
    handle : int or None
        None for the one that the thread works on anyway.
    waits : bool
        Whether the host waits for copies in it, as it does for those to and from ordinary memory.
    pinned : bool
        Whether these copies are to or from pinned memory.
    """
    return _nothing if watcher is None else _on(handle, waits, pinned)


@contextlib.contextmanager
def _on(handle: int | None, waits: bool, pinned: bool) -> Iterator[None]:
    stack = _local.__dict__.setdefault("streams", [])
    before = getattr(_local, "waits", True), getattr(_local, "pinned", False)
    stack.append(stream() if handle is None else handle)
    _local.waits, _local.pinned = waits, pinned
    try:
        yield
    finally:
        stack.pop()
        _local.waits, _local.pinned = before
