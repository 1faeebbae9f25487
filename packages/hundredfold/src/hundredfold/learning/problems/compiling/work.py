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
SHARE = 0.3
"""The share of the busiest thread's time from which on another counts as one that worked: to wait for one costs a little, too."""


def several(action: Callable[[], Any]) -> bool:
    """Whether two threads or more work in an action, by their time on a processor: a busy machine does not change it."""
    action()  # compiles, and starts threads
    for _ in range(_TRIES):  # a thread that got no turn before the others had finished may get one the next time
        with _ended() as ended:
            before = _times()
            began = time.thread_time_ns()
            action()
            own = time.thread_time_ns() - began  # without what it takes to look at the others
            after = _times()
        times = {task: after[task] - before.get(task, 0) for task in after}
        # A thread that has just ended may still be among the others: by its number it counts once.
        spent = (times | ended | {threading.get_native_id(): own}).values()
        if sum(each >= SHARE * max(spent) for each in spent if each > 0) > 1:
            return True
    return False


def _times() -> dict[int, int]:
    """Nanoseconds on a processor of each thread that lives, by its number; none where the system does not tell."""
    found = {}
    for task in _TASKS.glob("*/schedstat"):
        with contextlib.suppress(OSError, ValueError, IndexError):  # it may just have ended
            found[int(task.parent.name)] = int(task.read_text().split()[0])
    return found


@contextlib.contextmanager
def _ended() -> Iterator[dict[int, int]]:
    """Nanoseconds on a processor of each of Python's threads that begins and ends in the block."""
    times: dict[int, int] = {}
    original = threading.Thread.run

    def run(self: threading.Thread) -> None:
        try:
            original(self)
        finally:
            times[threading.get_native_id()] = time.thread_time_ns()

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
