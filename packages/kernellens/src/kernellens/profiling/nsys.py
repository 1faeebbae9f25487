"""Read what NVIDIA's profiler nsys measured on a GPU, from its SQLite export.

``nsys profile -t cuda,nvtx --export=sqlite -o report python program.py`` writes ``report.sqlite``.  The tables are those of the
documentation [NVIDIA Nsight Systems, "SQLite Schema Reference"], and were tried with reports of 2023 and 2024.5.  Tables are made
lazily: one that a report does not have is a kind of thing that did not happen.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from .entries import HOST, RANGES, Entry
from .timeline import Timeline

WAYS = {1: "h2d", 2: "d2h", 8: "d2d"}
"""The `copyKind` of CUPTI's CUpti_ActivityMemcpyKind: host to device, device to host, device to device."""
NAMES = {"h2d": "memcpy HtoD", "d2h": "memcpy DtoH", "d2d": "memcpy DtoD", "": "memcpy"}
PUSH_POP, START_END, MARK = 59, 60, 34
"""The `eventType` of NVTX_EVENTS: NvtxPushPopRange, NvtxStartEndRange, NvtxMark."""
_WAITS = re.compile(r"Synchronize|^cu(da)?Memcpy(?!.*Async)")
_DRIVER = re.compile(r"^cu(da)?(Malloc|Free|MemAlloc|MemFree|Host|MemHost)")


class NotAReportError(ValueError):
    """The file is no SQLite export of nsys, or nothing of CUDA is in it."""


def read(path: str | os.PathLike[str], name: str = "") -> Timeline:
    """Read a report of nsys that was exported as SQLite.

    Parameters
    ----------
    path : path
        ``report.sqlite``.  A ``.nsys-rep`` is exported with ``nsys export --type sqlite report.nsys-rep``.
    name : str
        What it is of; by default the file's name.

    Returns
    -------
    Timeline
        Its times are measured.

    Raises
    ------
    NotAReportError
        A ValueError that says what the file has instead.
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"There is no file {file}.")
    if file.suffix in (".nsys-rep", ".qdrep"):
        raise NotAReportError(f"{file.name} is not exported: run nsys export --type sqlite {file.name}")
    # A path has characters that mean something in an address: "#", "?" and "%".
    with contextlib.closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        try:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        except sqlite3.DatabaseError:
            raise NotAReportError(f"{file.name} is no SQLite file.") from None
        try:
            found = list(_Report(connection, tables).entries())
            gpu = _gpu(connection, tables)
        except sqlite3.DatabaseError as error:
            raise NotAReportError(f"{file.name} has other tables than nsys writes, or is damaged: {error}.") from None
    if not any(entry.kind in ("kernel", "copy") for entry in found):
        raise NotAReportError(
            f"{file.name} has no kernel and no copy. Record it with nsys profile -t cuda,nvtx --export=sqlite."
        )
    first = min(entry.start for entry in found)
    moved = [Entry(**{**vars(entry), "start": entry.start - first, "end": entry.end - first}) for entry in found]
    return Timeline(name or file.stem, gpu, True, sorted(moved, key=lambda entry: entry.start))


class _Report:
    def __init__(self, connection: sqlite3.Connection, tables: set[str]):
        self._ask, self._tables = connection.execute, tables
        self._texts = dict(self._ask("SELECT id, value FROM StringIds")) if "StringIds" in tables else {}

    def entries(self) -> Iterator[Entry]:
        if "CUPTI_ACTIVITY_KIND_KERNEL" in self._tables:
            asked = "SELECT start, end, deviceId, streamId, shortName FROM CUPTI_ACTIVITY_KIND_KERNEL"
            for start, end, device, stream, name in self._ask(asked):
                yield Entry(_row(device, stream), "kernel", self._texts.get(name, "kernel"), start / 1e9, end / 1e9)
        if "CUPTI_ACTIVITY_KIND_MEMCPY" in self._tables:
            asked = "SELECT start, end, deviceId, streamId, copyKind, bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY"
            for start, end, device, stream, kind, nbytes in self._ask(asked):
                way = WAYS.get(kind, "")
                yield Entry(_row(device, stream), "copy", NAMES[way], start / 1e9, end / 1e9, way, nbytes)
        if "CUPTI_ACTIVITY_KIND_RUNTIME" in self._tables:
            yield from self._calls()
        if "NVTX_EVENTS" in self._tables:
            yield from self._ranges()

    def _calls(self) -> Iterator[Entry]:
        seen: set[tuple[int, int]] = set()
        asked = "SELECT start, end, correlationId, nameId, globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY start"
        until: dict[int, int] = {}
        for start, end, correlation, text, thread in self._ask(asked):
            # Both the runtime's call and the driver's inside it may be there: the outer one counts.
            if end <= until.get(thread, -1) or (correlation, thread) in seen and correlation:
                continue
            seen.add((correlation, thread))
            until[thread] = end
            name = re.sub(r"_v\d+$", "", self._texts.get(text, "call"))
            kind = "wait" if _WAITS.search(name) else "driver" if _DRIVER.match(name) else "launch"
            yield Entry(HOST, kind, name, start / 1e9, end / 1e9)

    def _ranges(self) -> Iterator[Entry]:
        open_until: dict[int, list[int]] = {}
        asked = "SELECT start, end, eventType, text, textId, globalTid FROM NVTX_EVENTS ORDER BY start, end DESC"
        for start, end, kind, text, number, thread in self._ask(asked):
            if kind not in (PUSH_POP, START_END, MARK):
                continue  # names of domains, categories and threads
            name = text if text is not None else self._texts.get(number, "range")
            if kind == MARK or end is None:
                yield Entry(RANGES, "mark", name, start / 1e9, start / 1e9)
                continue
            around = open_until.setdefault(thread, [])
            while around and around[-1] <= start:
                around.pop()
            yield Entry(RANGES, "range", name, start / 1e9, end / 1e9, depth=len(around))
            around.append(end)


def _row(device: int, stream: int) -> str:
    return f"stream {stream}" if not device else f"device {device}, stream {stream}"


def _gpu(connection: sqlite3.Connection, tables: set[str]) -> str:
    if "TARGET_INFO_GPU" not in tables:
        return "GPU"
    found = connection.execute("SELECT name FROM TARGET_INFO_GPU ORDER BY id LIMIT 1").fetchone()
    return found[0] if found and found[0] else "GPU"
