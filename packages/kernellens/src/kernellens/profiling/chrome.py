"""A timeline in Chrome's trace-event format.

[Google, "Trace Event Format", https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU]: complete events
(``"ph": "X"``) with their begin and length in microseconds, instants (``"i"``), and names of processes and threads (``"M"``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .entries import HOST, RANGES

if TYPE_CHECKING:
    from .timeline import Timeline

CPU, GPU = 1, 2


def trace(timeline: Timeline) -> dict[str, Any]:
    """The timeline as data: the host's rows are one process, the device's another."""
    rows = list(dict.fromkeys(entry.row for entry in timeline.entries))
    rows.sort(key=lambda row: (row not in (RANGES, HOST), row != RANGES))
    how = "measured" if timeline.measured else "estimate"
    place = {row: (CPU if row in (RANGES, HOST) else GPU, number) for number, row in enumerate(rows, start=1)}
    found: list[dict[str, Any]] = [
        _name(
            "process_name",
            CPU,
            0,
            "host" if timeline.measured else "host (Python measured on this CPU, calls estimated)",
        ),
        _name("process_name", GPU, 0, f"{timeline.gpu} ({how})"),
    ]
    found += [_name("thread_name", *place[row], row) for row in rows]
    for entry in timeline.entries:
        process, thread = place[entry.row]
        event: dict[str, Any] = {"name": entry.name, "cat": entry.kind, "pid": process, "tid": thread}
        event["ts"] = entry.start * 1e6
        event |= {"ph": "i", "s": "t"} if entry.kind == "mark" else {"ph": "X", "dur": entry.seconds * 1e6}
        more = {"line": entry.line, "bytes": entry.nbytes or None, "how": how}
        event["args"] = {key: value for key, value in more.items() if value is not None}
        found.append(event)
    return {"traceEvents": found, "displayTimeUnit": "ns"}


def _name(kind: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}
