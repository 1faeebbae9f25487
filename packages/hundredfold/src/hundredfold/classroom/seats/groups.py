"""A control group for each seat: main memory, time and processes, held by the kernel. Versions 1 and 2.

The groups are made below one that systemd has delegated (``Delegate=yes``): with version 2 that of a unit for seats alone, else the hub's own.
With version 2 a group has processes in it, or groups with limits below it. So a hub whose own group had seats below it could not be started
again while their servers ran: systemd would put it into that group (EBUSY).
"""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from gpusim.hardware import cgroup

#: Threads and processes of a seat: a kernel, two Dask workers and their nannies have about 150.
MOST_PROCESSES = 1024
#: The files that limit swap, which are not there where the kernel does not count it.
SWAP = ("memory.swap.max", "memory.memsw.limit_in_bytes")
_PERIOD = 100_000
#: The unit for seats alone, beside the hub's, and the group for seats where there is no such unit.
UNIT, _SEATS = "hundredfold-seats.service", "hundredfold-seats"
#: Where the hub notes a seat's groups, in the folder of its sockets.
NOTED = "groups.json"
#: Beside the seats' groups: the unit's own process, or the hub.
_ASIDE = "hundredfold-hub"


class Groups:
    """The groups of one seat.

    Parameters
    ----------
    name : the seat's folder name.
    root : where the file system begins, for tests.
    """

    def __init__(self, name: str, root: str = "/") -> None:
        self.folders: dict[str, tuple[int, Path]] = {}
        for controller in ("memory", "cpu", "pids"):
            with suppress(OSError):
                version, seats = _seats(controller, root)
                self.folders[controller] = (version, seats / name)

    @classmethod
    def noted(cls, file: Path) -> Groups:
        """The groups of a seat as the hub noted them; none where it did not. Others than the hub are in other groups, and find none below theirs."""
        made = cls.__new__(cls)
        try:
            told = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            told = {}
        made.folders = {controller: (version, Path(folder)) for controller, (version, folder) in told.items()}
        return made

    def note(self, file: Path) -> None:
        """Write down where they are, for whoever looks from elsewhere."""
        told = {controller: (version, str(folder)) for controller, (version, folder) in self.folders.items()}
        file.write_text(json.dumps(told), encoding="utf-8")

    def make(self, memory: int | None, cores: float | None) -> list[str]:
        """Make the groups and set their limits (bytes; cores' worth of time); return what cannot be limited here.

        Groups that are there already get the new limits.
        """
        missing = [controller for controller in ("memory", "cpu", "pids") if controller not in self.folders]
        for controller, (version, folder) in list(self.folders.items()):
            try:
                if version == 2:
                    _delegate(folder.parent, controller)
                folder.mkdir(parents=True, exist_ok=True)
                for file, value in _values(controller, version, memory, cores):
                    if file not in SWAP or (folder / file).exists():
                        (folder / file).write_text(value)
            except OSError:
                missing.append(controller)
                del self.folders[controller]
        return missing

    def files(self) -> list[str]:
        """The files into which a process writes 0 to join."""
        return sorted({str(folder / "cgroup.procs") for _, folder in self.folders.values()})

    def processes(self) -> list[int]:
        """The ids of the processes that are in."""
        found: set[int] = set()
        for _, folder in self.folders.values():
            with suppress(OSError):
                found |= {int(word) for word in (folder / "cgroup.procs").read_text().split()}
        return sorted(found)

    def memory(self) -> int | None:
        """Bytes of main memory in use, files that are only cached not among them; None where nobody counts."""
        if "memory" not in self.folders:
            return None
        version, folder = self.folders["memory"]
        name, cached = (
            ("memory.current", "inactive_file") if version == 2 else ("memory.usage_in_bytes", "total_inactive_file")
        )
        used = cgroup.number(folder / name)
        return None if used is None else max(0, used - (cgroup.statistic(folder / "memory.stat", cached) or 0))

    def limit(self) -> int | None:
        """Bytes of main memory that there may be; None where nothing limits it."""
        if "memory" not in self.folders:
            return None
        version, folder = self.folders["memory"]
        found = cgroup.number(folder / ("memory.max" if version == 2 else "memory.limit_in_bytes"))
        return found if found is not None and found < 1 << 60 else None

    def close(self, patience: float = 10.0) -> None:
        """End every process that is left and remove the groups: kernels and workers do not outlive their server."""
        for version, folder in self.folders.values():
            with suppress(OSError):
                if version == 2 and (folder / "cgroup.kill").exists():  # from Linux 5.14 on
                    (folder / "cgroup.kill").write_text("1")
                elif (folder / "pids.max").exists():
                    (folder / "pids.max").write_text("0")  # no new ones come while the others are ended one by one
        until = time.monotonic() + patience
        while (left := self.processes()) and time.monotonic() < until:
            if not any((folder / "cgroup.kill").exists() for _, folder in self.folders.values()):
                for process in left:
                    self._end(process)
            time.sleep(0.02)
        for _, folder in self.folders.values():
            with suppress(OSError):
                folder.rmdir()

    def _end(self, process: int) -> None:
        """End a process that is in. Its number may be another's by now, so it is looked up again once it is held."""
        with suppress(OSError):
            held = os.pidfd_open(process)
            try:
                if process in self.processes():
                    signal.pidfd_send_signal(held, signal.SIGKILL)
            finally:
                os.close(held)


def _seats(controller: str, root: str) -> tuple[int, Path]:
    """The group in which those of the seats are, for a controller; of version 1 if it has it."""
    found = cgroup.folders(controller, root)
    for version, folder in sorted(found, key=lambda each: each[0]):
        if version == 1:
            return version, folder / _SEATS
        seats = below(folder)
        if controller in cgroup.words_of(_delegated(seats) / "cgroup.controllers"):
            return version, seats
    raise FileNotFoundError(controller)


def below(hub: Path) -> Path:
    """Version 2: where the seats' groups are, for a hub in this group."""
    unit = hub.with_name(UNIT)
    return unit if unit.is_dir() else (hub.parent if hub.name == _ASIDE else hub) / _SEATS


def _delegated(seats: Path) -> Path:
    """The group that systemd has delegated."""
    return seats if seats.name == UNIT else seats.parent


def _values(controller: str, version: int, memory: int | None, cores: float | None) -> list[tuple[str, str]]:
    if controller == "pids":
        return [("pids.max", str(MOST_PROCESSES))]
    if controller == "memory":
        if memory is None:
            return []
        # As much of the machine's swap, and no more: without a limit one seat could take all of it. Version 1 counts both together,
        # and refuses a sum below the one.
        if version == 2:
            return [("memory.max", str(memory)), ("memory.swap.max", str(memory))]
        both = "memory.memsw.limit_in_bytes"
        return [(both, "-1"), ("memory.limit_in_bytes", str(memory)), (both, str(2 * memory))]
    if cores is None:
        return []
    quota = str(max(1000, int(cores * _PERIOD)))
    if version == 2:
        return [("cpu.max", f"{quota} {_PERIOD}")]
    return [("cpu.cfs_period_us", str(_PERIOD)), ("cpu.cfs_quota_us", quota)]


def _delegate(seats: Path, controller: str) -> None:
    """Version 2: let the groups of seats have this controller. Then what is above them may hold no processes, so those move aside."""
    first = _delegated(seats)
    for level in dict.fromkeys((first, seats)):
        level.mkdir(exist_ok=True)
        if controller in cgroup.words_of(level / "cgroup.subtree_control"):
            continue
        if level == first:
            (level / _ASIDE).mkdir(exist_ok=True)
            for process in (level / "cgroup.procs").read_text().split():
                with suppress(OSError):
                    (level / _ASIDE / "cgroup.procs").write_text(process)
        (level / "cgroup.subtree_control").write_text(f"+{controller}")
