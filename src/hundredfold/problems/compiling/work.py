"""Who worked, and how much memory was taken: what the operating system counts of a call, whatever it is made of."""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_TASKS = Path("/proc/self/task")
_TRIES = 3
SHARE = 0.1
"""The share of all processor time from which on a thread counts as one that worked."""


def several(action: Callable[[], Any]) -> bool:
    """Whether two threads or more work in an action, by their time on a processor: a busy machine does not change it."""
    action()  # compiles, and starts threads
    for _ in range(_TRIES):  # a thread that got no turn before the others had finished may get one the next time
        with _ended() as ended:
            before = _times()
            action()
            after = _times()
        spent = [*ended, *(after[task] - before.get(task, 0) for task in after)]
        if sum(time >= SHARE * sum(spent) for time in spent if time > 0) > 1:
            return True
    return False


def _times() -> dict[str, int]:
    """Nanoseconds on a processor of each thread that lives; only this one's where the system does not tell."""
    found = {}
    for task in _TASKS.glob("*/schedstat"):
        with contextlib.suppress(OSError, ValueError, IndexError):  # it may just have ended
            found[task.parent.name] = int(task.read_text().split()[0])
    return found or {"this": time.thread_time_ns()}


@contextlib.contextmanager
def _ended() -> Iterator[list[int]]:
    """Nanoseconds on a processor of each of Python's threads that begins and ends in the block."""
    times: list[int] = []
    original = threading.Thread.run

    def run(self: threading.Thread) -> None:
        try:
            original(self)
        finally:
            times.append(time.thread_time_ns())

    threading.Thread.run = run  # type: ignore[method-assign]
    try:
        yield times
    finally:
        threading.Thread.run = original  # type: ignore[method-assign]


def taken(action: Callable[[], Any]) -> int | None:
    """The most bytes of memory that an action takes at once beyond what was there; None where the system does not tell."""
    try:
        with contextlib.suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)  # what was freed and kept would be taken again unseen
        Path("/proc/self/clear_refs").write_text("5")
        before = _status("VmRSS")
        action()
        return max(_status("VmHWM") - before, 0)
    except OSError:
        return None


def _status(name: str) -> int:
    """Bytes, of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise OSError(f"no {name}")
