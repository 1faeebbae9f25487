"""Who uses what, now: each seat with its place, memory, processes and kernels."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from . import devices
from .allocations import Allocations
from .groups import NOTED, Groups
from .hook import folder_name
from .hub_client import Kernel, NoAnswer, Site


@dataclass(frozen=True)
class Row:
    """One seat.

    Attributes
    ----------
    owner, place, since : str
        As in the allocations; `since` in UTC.
    memory, limit : int or None
        Bytes of main memory in use by server, kernels and workers together, and how many there may be.
    device : int or None
        Bytes of device memory that its processes hold, as the driver counts; None where there is no GPU.
    processes : int
    kernels : tuple of Kernel
    silent : str
        Why its server does not say what it runs; empty where it does.
    """

    owner: str
    place: str
    since: str
    memory: int | None = None
    limit: int | None = None
    device: int | None = None
    processes: int = 0
    kernels: tuple[Kernel, ...] = field(default=())
    silent: str = ""


def rows(site: Site, patience: float | None = None) -> list[Row]:
    """All seats in use, in the order of their owners' names. A server that hangs or lies costs its own row, and no other.

    They are all asked at the same time, for so many seconds at most (`hub_client.PATIENCE`).
    """
    seats = Allocations(site.state / "seats.json").seats()
    held = device_memory()
    names = _titles()
    found = []
    for seat, told in zip(seats, site.kernels([seat.owner for seat in seats], patience), strict=True):
        groups = Groups.noted(site.run / folder_name(seat.owner) / NOTED)
        processes = groups.processes()
        silent = str(told) if isinstance(told, NoAnswer) else ""
        found.append(
            Row(
                seat.owner,
                names.get(seat.place, seat.place),
                seat.since,
                groups.memory(),
                groups.limit(),
                None if held is None else sum(held.get(process, 0) for process in processes),
                len(processes),
                () if silent else told,
                silent,
            )
        )
    return found


def as_data(found: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows as JSON has them; a kernel's `idle` in seconds."""
    return [
        {
            **asdict(row),
            "kernels": [
                {"id": each.id, "path": each.path, "state": each.state, "idle": each.idle} for each in row.kernels
            ],
        }
        for row in found
    ]


def device_memory() -> dict[int, int] | None:
    """Bytes of device memory that each process holds; None where there is no nvidia-smi, or it does not say."""
    try:
        told = subprocess.run(
            ["nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"],
            capture_output=True, text=True, timeout=devices.PATIENCE, check=True,
        ).stdout  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    found: dict[int, int] = {}
    for line in told.splitlines():
        process, _, amount = (part.strip() for part in line.partition(","))
        if process.isdecimal() and amount.isdecimal():
            found[int(process)] = found.get(int(process), 0) + int(amount) * 2**20
    return found


def _titles() -> dict[str, str]:
    """What people call the GPUs and slices of this machine."""
    try:
        here = devices.gpus_here()
    except devices.UnreadableGpus:
        return {}
    found = {gpu.uuid: f"GPU {gpu.index} ({gpu.name})" for gpu in here}
    return found | {uuid: f"{profile} of GPU {gpu.index} ({gpu.name})" for gpu in here for uuid, profile in gpu.slices}


def stale(site: Site) -> set[str]:
    """The owners of seats whose servers the hub does not know to run or to start: what a hub that was killed left behind."""
    return {seat.owner for seat in Allocations(site.state / "seats.json").seats()} - site.running()


def pss(process: int, proc: str = "/proc") -> int | None:
    """Bytes of main memory that are a process's share (what it shares with others divided among them); None where it is gone."""
    try:
        for line in Path(proc, str(process), "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return None
