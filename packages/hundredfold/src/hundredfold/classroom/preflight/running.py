"""One notebook on one seat; many of them at a time, as far as the machine's memory goes."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpusim.hardware import cgroup, cpu
from hundredfold.classroom.seats import certificates
from hundredfold.classroom.seats.groups import Groups

from .jobs import Job

#: How often memory is looked at (seconds).
LOOK = 0.2
#: How long a process and a kernel may take to start, on a busy machine (seconds).
START = 120.0
#: What a seat's own settings are not to be mixed with: the environment of whoever runs this.
FOREIGN = (
    "HUNDREDFOLD_",
    "GPUSIM_",
    "KERNELLENS_",
    "CUPY_",
    "CUDA_",
    "RMM_",
    "CUDF_",
    "DASK_",
    "NBGRADER_",
    "JPY_",
    "JUPYTERHUB_",
)


@dataclass(frozen=True)
class Outcome:
    """How a notebook went on a seat.

    Attributes
    ----------
    seconds, memory : how long it took, and the most main memory that was in use (bytes; None where nobody counts).
    unlimited : what of memory, cpu and pids could not be limited here, so was not tried.
    cell, id, source : of a failure: the cell's number in the notebook from 1, its id, its first line.
    said : of a failure: what happened, in a sentence.
    """

    kind: str
    stem: str
    seat: int
    place: str
    ok: bool
    seconds: float
    memory: int | None
    unlimited: tuple[str, ...] = ()
    cell: int | None = None
    id: str = ""
    source: str = ""
    said: str = ""


class Stopped(Exception):
    """The run was ended before the notebook was done."""


def at_once(jobs: Sequence[Job]) -> int:
    """How many notebooks can run at a time, so that seats keep what they are promised: by memory left, and by cores."""
    if not jobs:
        return 1
    seat = jobs[0].seat
    return max(1, min(int(0.9 * cpu.memory().available // seat.memory), int(cpu.cores() // seat.cores)))


def everything(jobs: Sequence[Job], most: int, seconds: float) -> Iterator[Outcome]:
    """Run the jobs, `most` at a time and never two on one seat, and yield outcomes as they come.

    Whoever stops (Ctrl-C, or closing the iterator) ends what runs.
    """
    waiting, stop = list(jobs), threading.Event()
    with ThreadPoolExecutor(most) as pool:
        running: dict[Any, Job] = {}
        try:
            while waiting or running:
                taken = {job.seat.number for job in running.values()}
                for job in list(waiting):
                    if len(running) == most:
                        break
                    if job.seat.number not in taken:
                        waiting.remove(job)
                        taken.add(job.seat.number)
                        running[pool.submit(run, job, seconds, stop)] = job
                done, _ = wait(running, timeout=1, return_when=FIRST_COMPLETED)
                for each in done:
                    del running[each]
                    yield each.result()
        finally:
            stop.set()


def run(job: Job, seconds: float, stop: threading.Event | None = None) -> Outcome:
    """Run one notebook on its seat.

    Parameters
    ----------
    seconds : how long one cell may take; the whole notebook may take five times as long, and `START`.
    stop : ends it when it is set.

    Raises
    ------
    Stopped
        If it was.
    """
    seat = job.seat
    groups = Groups(f"preflight-{os.getpid()}-{seat.number}-{job.kind[0]}{job.stem[:2]}")
    unlimited = tuple(groups.make(seat.memory, seat.cores))
    with tempfile.TemporaryDirectory(prefix="hundredfold-preflight-", ignore_cleanup_errors=True) as folder:
        what = {"groups": groups.files(), "file": str(job.file), "folder": folder, "seconds": seconds}
        process = subprocess.Popen(
            [sys.executable, "-m", "hundredfold.classroom.preflight.notebook", json.dumps(what)],
            env=environment(job, Path(folder)),
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        said: list[str] = ["", ""]
        readers = [
            threading.Thread(target=lambda n=n, pipe=pipe: said.__setitem__(n, pipe.read()), daemon=True)
            for n, pipe in enumerate((process.stdout, process.stderr))
        ]
        for reader in readers:
            reader.start()
        began, most, late, longest = time.monotonic(), None, False, START + 5 * seconds
        try:
            while process.poll() is None:
                most = max(filter(None, (most, groups.memory())), default=None)
                late = time.monotonic() - began > longest
                if late or (stop is not None and stop.is_set()):
                    break
                with suppress(subprocess.TimeoutExpired):
                    process.wait(LOOK)
            killed = _killed(groups)
        finally:
            _end(process, groups)
            for reader in readers:
                reader.join(10)
    if stop is not None and stop.is_set() and not said[0].strip():
        raise Stopped
    return _outcome(job, said, late, killed, most, unlimited, time.monotonic() - began, longest)


def has_certificates() -> bool:
    """Whether Dask's clusters have certificates, as on a hub, and so answer nobody else. They are made by a package that a hub has."""
    return importlib.util.find_spec("cryptography") is not None


def environment(job: Job, folder: Path) -> dict[str, str]:
    """The environment of a notebook on a seat: this process' without its own settings, and the seat's, with a certificate for Dask.

    A wrong answer ends a run of the solutions; a learner's progress, and a class's, stay as they are.
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith(FOREIGN)}
    for name in ("GPUSIM_CACHE", "GPUSIM_PROBE"):
        if name in os.environ:
            kept[name] = os.environ[name]
    return (
        kept
        | dict(job.seat.environment)
        | (certificates.settings(*certificates.make(f"preflight {job.seat.number}")) if has_certificates() else {})
        | {
            "HUNDREDFOLD_STATE": str(folder / "state"),
            "HUNDREDFOLD_REPORTS": str(folder),
            "HUNDREDFOLD_STRICT": "1" if job.kind == "solutions" else "",
            "TMPDIR": str(folder),
        }
    )


def _outcome(
    job: Job,
    said: list[str],
    late: bool,
    killed: bool,
    most: int | None,
    unlimited: tuple[str, ...],
    passed: float,
    limit: float,
) -> Outcome:
    seat, told = job.seat, None
    for line in reversed(said[0].splitlines()):
        with suppress(ValueError):
            told = json.loads(line)
            break
    short = f"the seat's {seat.memory / 2**30:.1f} GiB of main memory were not enough"
    if told is None:
        if late:
            why = f"the notebook was not done after {limit:g} s"
        elif killed:
            why = short
        else:
            why = (said[1].strip().splitlines() or ["the process ended without a word"])[-1]
        told = {"ok": False, "seconds": round(passed, 1), "said": why, "cell": None}
    elif told.get("what") == "died":
        told["said"] = f"the kernel died: {short}" if killed else "the kernel died"
    fields = {name: told[name] for name in ("cell", "id", "source", "said") if told.get(name) is not None}
    return Outcome(job.kind, job.stem, seat.number, seat.place, told["ok"], told["seconds"], most, unlimited, **fields)


def _killed(groups: Groups) -> bool:
    """Whether the kernel has ended a process of this group because its memory ran out."""
    if "memory" not in groups.folders:
        return False
    version, folder = groups.folders["memory"]
    file = "memory.events" if version == 2 else "memory.oom_control"
    return bool(cgroup.statistic(folder / file, "oom_kill"))


def _end(process: subprocess.Popen, groups: Groups) -> None:
    """End the process and all that it started."""
    with suppress(ProcessLookupError):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    groups.close()
