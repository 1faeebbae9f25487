"""How much memory a piece of code takes."""

from __future__ import annotations

import inspect
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any

import rmm.mr


@dataclass
class Statistics:
    """Bytes and allocations: now, at the most, altogether."""

    current_bytes: int
    current_count: int
    peak_bytes: int
    peak_count: int
    total_bytes: int
    total_count: int


def _top() -> Any:
    resource = rmm.mr.get_current_device_resource()
    return resource if isinstance(resource, rmm.mr.StatisticsResourceAdaptor) else None


def enable_statistics() -> None:
    """Put a StatisticsResourceAdaptor on top of the current resource, if there is none."""
    if _top() is None:
        rmm.mr.set_current_device_resource(rmm.mr.StatisticsResourceAdaptor(rmm.mr.get_current_device_resource()))


def get_statistics() -> Statistics | None:
    """What is counted, None if statistics are off."""
    return None if _top() is None else _top().allocation_counts


def push_statistics() -> Statistics | None:
    """Begin to count anew; what was counted before, None if statistics are off."""
    return None if _top() is None else _top().push_counters()


def pop_statistics() -> Statistics | None:
    """End the newest counting; what it counted, None if statistics are off."""
    return None if _top() is None else _top().pop_counters()


@contextmanager
def statistics() -> Iterator[None]:
    """Count inside a ``with``; ValueError if the resource was changed there."""
    without = None
    if push_statistics() is None:
        without = rmm.mr.get_current_device_resource()
        enable_statistics()
    counting = rmm.mr.get_current_device_resource()
    try:
        yield
    finally:
        if rmm.mr.get_current_device_resource() is not counting:
            raise ValueError("RMM memory source stack was changed while in the statistics context")
        if without is None:
            pop_statistics()
        else:
            rmm.mr.set_current_device_resource(without)


class ProfilerRecords:
    """What profilers found, by name."""

    @dataclass
    class MemoryRecord:
        """Calls of a piece of code, and the bytes it took altogether and at the most."""

        num_calls: int = 0
        memory_total: int = 0
        memory_peak: int = 0

        def add(self, memory_total: int, memory_peak: int) -> None:
            """Count a call."""
            self.num_calls += 1
            self.memory_total += memory_total
            self.memory_peak = max(self.memory_peak, memory_peak)

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._records: dict[str, ProfilerRecords.MemoryRecord] = defaultdict(ProfilerRecords.MemoryRecord)

    def add(self, name: str, data: Statistics) -> None:
        """Count a call of a name."""
        with self._lock:
            self._records[name].add(memory_total=data.total_bytes, memory_peak=data.peak_bytes)

    @property
    def records(self) -> dict[str, MemoryRecord]:
        """The records by name."""
        return dict(self._records)

    def report(self, ordered_by: str = "memory_peak") -> str:
        """A table, the largest first."""
        lines = ["Memory Profiling", "================", ""]
        if not self._records:
            return "\n".join([*lines, "No data, maybe profiling wasn't enabled?"])
        lines += [
            "Legends:",
            "  ncalls       - number of times the function or code block was called",
            "  memory_peak  - peak memory allocated in function or code block (in bytes)",
            "  memory_total - total memory allocated in function or code block (in bytes)",
            "",
            f"Ordered by: {ordered_by}",
            "",
            "ncalls     memory_peak    memory_total  filename:lineno(function)",
        ]
        for name, data in sorted(self.records.items(), key=lambda item: getattr(item[1], ordered_by), reverse=True):
            lines.append(f"{data.num_calls:6,d} {data.memory_peak:15,d} {data.memory_total:15,d}  {name}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.records})"

    def __str__(self) -> str:
        return self.report()


default_profiler_records = ProfilerRecords()


class ProfilerContext:
    """A decorator and a context that records what a piece of code takes, where statistics are on."""

    def __init__(self, records: ProfilerRecords, name: str) -> None:
        self._records = records
        self._name = name

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        code = inspect.unwrap(func)
        name = self._name or f"{inspect.getfile(code)}:{inspect.getsourcelines(code)[1]}({code.__qualname__})"

        @wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            push_statistics()
            try:
                return func(*args, **kwargs)
            finally:
                self._end(name)

        return wrapper

    def __enter__(self) -> ProfilerContext:
        if not self._name:
            raise ValueError("When profiler is used as a context manager, a name must be provided")
        push_statistics()
        return self

    def __exit__(self, *error: object) -> None:
        self._end(self._name)

    def _end(self, name: str) -> None:
        counted = pop_statistics()
        if counted is not None:
            self._records.add(name=name, data=counted)


def profiler(*, records: ProfilerRecords = default_profiler_records, name: str = "") -> ProfilerContext:
    """Profile a function (``@profiler()``) or a block (``with profiler(name=…)``)."""
    return ProfilerContext(records, name)
