"""Results measured elsewhere: figures that others published, and our own recordings on real machines.

They are data, in `recordings/*.json`: `published-2019.json` and `published-2026.json` for what others published, and one file per machine; `recordings/schema.json` says
how they look. Every figure has its source, its machine and a verdict.
"""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal


class UnknownWorkloadError(KeyError):
    """No workload has this name. The message says which names come nearest."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the sentence in quotation marks


@dataclass(frozen=True)
class Time:
    """One time of one way to do a workload.

    `seconds`, `spread` (seconds or None), `way` ("CuPy"), `device` ("cpu" or "gpu"), `machine` (its name), `gpu` (a name that
    `machine.gpus.find` knows, or None), `year`, `verdict`, `remark`, `source` (a dict with title, author, date, address, licence), `limit` (seconds, the
    least that it could have taken by rates measured on that machine, or None).
    """

    way: str
    device: Literal["cpu", "gpu"]
    seconds: float
    spread: float | None
    workers: int | None
    machine: str
    gpu: str | None
    year: str
    verdict: Literal["possible", "doubtful", "impossible"]
    remark: str
    source: dict[str, str]
    limit: float | None = None


@dataclass(frozen=True)
class Row:
    """What one file says of one workload; `kind` is "published" or "recorded". See recordings/schema.json for the rest."""

    id: str
    kind: Literal["published", "recorded"]
    what: str
    times: tuple[Time, ...]
    n: int | None = None
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    bytes: float | None = None
    least_bytes: float | None = None
    flops: float | None = None
    kernels: int | None = None
    claim: str | None = None
    remark: str = ""


def rows(workload: str | None = None) -> list[Row]:
    """Return what is known of a workload, published figures first; of all workloads where none is named.

    Parameters
    ----------
    workload : str, optional
        Such as "arrays.sincos", or a family of them such as "memory.sum".

    Raises
    ------
    UnknownWorkloadError
        A KeyError that names the nearest known ones.
    """
    everything = _all()
    if workload is None:
        return list(everything)
    found = [row for row in everything if row.id == workload]
    found = found or [row for row in everything if row.id.startswith(f"{workload}.")]
    if not found:
        known = list(dict.fromkeys(row.id for row in everything))
        near = difflib.get_close_matches(str(workload), known, n=3, cutoff=0.4) or known[:3]
        raise UnknownWorkloadError(f"No figures are kept for {workload!r}. The nearest: {', '.join(near)}.")
    return found


def published(workload: str) -> Row:
    """Return the earliest published figures of one workload. Raises UnknownWorkloadError where there are none."""
    found = [row for row in rows(workload) if row.kind == "published"]
    if not found:
        raise UnknownWorkloadError(f"Nothing was published on {workload!r}; it was only recorded.")
    return found[0]


@cache
def _all() -> tuple[Row, ...]:
    from hundredfold import paths

    files = sorted(paths.data_dir("recordings").glob("*.json"))
    read = [row for file in files if file.name != "schema.json" for row in _read(file)]
    return tuple(sorted(read, key=lambda row: row.kind))  # stable: "published" stands before "recorded"


def _read(file: Path) -> list[Row]:
    data = json.loads(file.read_text(encoding="utf-8"))
    return [_row(entry, data) for entry in data["rows"]]


def _row(entry: dict[str, Any], data: dict[str, Any]) -> Row:
    def time(each: dict[str, Any]) -> Time:
        source = data["sources"][each.get("source", entry["source"])]
        machine = data["machines"][each.get("machine", entry["machine"])]
        return Time(
            way=each["way"],
            device=each["device"],
            seconds=each["seconds"],
            spread=each.get("spread"),
            workers=each.get("workers"),
            machine=machine["name"],
            gpu=machine.get("gpu"),
            year=source["date"][:4],
            verdict=each["verdict"],
            remark=each.get("remark", ""),
            source=source,
            limit=each.get("limit"),
        )

    plain = {key: entry[key] for key in Row.__dataclass_fields__ if key in entry and key not in ("times", "shape")}
    shape = tuple(entry["shape"]) if "shape" in entry else None
    return Row(kind=data["kind"], shape=shape, times=tuple(map(time, entry["times"])), **plain)
