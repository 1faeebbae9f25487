"""Run an answer that is given a client: on the small cluster, with what its tasks did counted where they did it.

The workers of that cluster are threads of this process, so what a task notes in a `Diary` can be read here, although the
object that carries its number went through pickle as on any cluster.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from .. import devices, guard, pool
from ..problem import Problem
from ..verdict import attempted, refuse

# The first of several tasks looks so often for the second, with so many seconds between: about a second, and longer on a busy machine.
_LOOKS, _PAUSE = 500, 0.002
_NUMBERS = itertools.count()
_DIARIES: dict[int, Diary] = {}


class Diary:
    """What the tasks of one call did, each on which worker; `None` is this process outside of any worker.

    Where several tasks are to come, the one that makes note `held` (0 is the first) waits a moment until another is handed
    out: it may be over before, though both were handed out at once.
    """

    def __init__(self, held: int | None = None) -> None:
        self.held = held
        self.number = next(_NUMBERS)
        self.lock = threading.Lock()
        self.notes: list[tuple[Any, str | None]] = []
        self._events: dict[str, threading.Event] = {}
        self.late: set[str] = set()
        self.found: dict[str, str] = {}
        self.tasks: set[Any] = set()
        _DIARIES[self.number] = self

    def event(self, name: str) -> threading.Event:
        """The event of a name, the same one for every thread that asks."""
        return self._events.setdefault(name, threading.Event())

    def count(self, where: str | None) -> int:
        """How many notes were made there."""
        with self.lock:
            return self.count_unlocked(where)

    def count_unlocked(self, where: str | None) -> int:
        """As `count`, for who holds the lock."""
        return sum(place == where for _, place in self.notes)

    @property
    def local(self) -> int:
        """How many notes were made outside of any worker."""
        return self.count(None)

    def close(self) -> None:
        """Forget it, and let go of whoever still waits."""
        _DIARIES.pop(self.number, None)
        for event in list(self._events.values()):
            event.set()


def note(number: int, what: Any) -> tuple[Diary | None, str | None]:
    """Write into a diary what is done here and now; the diary is None when its call is over."""
    diary = _DIARIES.get(number)
    where, task = _here()
    if diary is not None:
        with diary.lock:
            diary.notes.append((what, where))
            diary.tasks.add(task)
            tasks = len(diary.tasks)
            held = len(diary.notes) - 1 == diary.held and where is not None
        looks = 0
        while held and len(diary.tasks) == tasks and pool.waiting() < 2 and looks < _LOOKS:
            time.sleep(_PAUSE)
            looks += 1
    return diary, where


def wait(diary: Diary, event: str, seconds: float) -> None:
    """Wait for an event of the diary; one that has not come by then is noted as late."""
    if not diary.event(event).wait(seconds):
        diary.late.add(event)


def _here() -> tuple[str | None, Any]:
    """The worker's address and the task's key; None and None outside of any worker."""
    from distributed import get_worker

    try:
        worker = get_worker()
        return worker.address, worker.get_current_task()
    except ValueError:
        return None, None


def run(
    problem: Problem,
    function: Callable[..., Any],
    *arguments: Any,
    first: bool = False,
    during: Callable[[pool.Seen], None] | None = None,
    limit: float | None = None,
) -> tuple[Any, pool.Seen, str]:
    """Call ``function(client, *arguments)`` on the small cluster; `during` runs in a thread beside it.

    Returns
    -------
    value, seen, printed
        What it returned, what the cluster saw, what it printed.

    Raises
    ------
    NotAttempted
        If the first call of all returns nothing and prints nothing.
    Refusal
        If it raises, does not end, or returns what has not been computed yet.
    """
    _guard_exits()
    with pool.watch() as seen:
        beside = threading.Thread(target=during, args=(seen,), daemon=True) if during is not None else None
        if beside is not None:
            beside.start()
        called = guard.call(function, seen.client, *arguments, limit=limit or problem.time_limit)
        attempted(called.value, called.printed, first=first)
        _computed(called.value)
        if beside is not None:
            beside.join(timeout=problem.time_limit)
    return called.value, seen, called.printed


def again(function: Callable[..., Any], *earlier: Any) -> Callable[..., Any]:
    """The function, called with other arguments before, by the same client: what it left there must not be in its way."""

    def twice(client: Any, *arguments: Any) -> Any:
        function(client, *(devices.to_device(each) for each in earlier))
        return function(client, *arguments)

    return twice


def _guard_exits() -> None:
    """What would end a worker's process, and here the notebook's, raises in a task instead; elsewhere it does what it did.

    For good: tasks that an answer has left behind run on after its verdict.
    """
    for name in ("_exit", "abort"):
        before = getattr(os, name)
        if not hasattr(before, "outside"):

            def end(*args: Any, before: Callable[..., Any] = before) -> Any:
                if _here()[0] is not None:
                    raise RuntimeError("a task may not end the process that it runs in")
                return before(*args)

            end.outside = before  # type: ignore[attr-defined]
            setattr(os, name, end)


def _computed(value: Any) -> None:
    """Refuse futures and lazy values, alone or in a list."""
    for each in value if isinstance(value, (list, tuple)) else [value]:
        kind = type(each)
        module = kind.__module__.partition(".")[0]
        if module == "distributed" and "Future" in kind.__name__:
            refuse(
                "type", "it returns futures: promises, not results. `client.gather` waits for them and fetches them."
            )
        if module == "dask" or hasattr(each, "__dask_graph__"):
            refuse("type", f"it returns a {kind.__name__}, which has computed nothing yet: `.compute()` does.")


def on_workers(diary: Diary, seen: pool.Seen, what: str) -> None:
    """Refuse work that was done in the notebook's own process, or one task at a time."""
    if diary.local:
        refuse(
            "local",
            f"the result is right, but {what} was called {diary.local} times in the notebook's own process, while the workers "
            "had nothing to do. `client.submit` and `client.map` call it on a worker.",
        )
    only = {seen.bound.get(task, ()) for task in diary.tasks}
    if len(diary.tasks) > 1 and len(only) == 1 and len(min(only)) == 1 and len(seen.workers) > 1:
        refuse(
            "serial", "the result is right, but each task was told to run on the same worker. Let the scheduler choose."
        )
    if len(diary.notes) > 1 and (seen.most < 2 or len(diary.tasks) < 2):
        refuse(
            "serial",
            "the result is right, but never more than one worker had work: each task was handed out when the one before "
            "had come back, or all of it is in one task. First hand out all that can be handed out, then wait.",
        )
