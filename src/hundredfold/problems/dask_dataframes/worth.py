"""``dask-dataframes.worth``: six jobs. One engine on one machine, a cluster of GPUs, or not as it stands?

Each way gets the least time that its rates allow: what it reads from storage, what it works through in memory, and, on the
cluster, what crosses the wires of a shuffle and a millisecond for each task.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..choices import ChoicesJudge, Item, but
from ..problem import Problem, Wrong

DISK = 3e9  # bytes a second of the one machine's disk, or from the storage to one host
STORAGE = 8 * 3e9  # eight hosts, each with as fast a way to the storage
ENGINE = 8e9  # bytes a second that Polars or DuckDB work through, in memory, on all cores
SPILLED = 1e9  # the same where it does not fit and goes through the disk
GPU = 8 * 100e9  # eight GPUs, each eight times over its bytes
WIRES = 8 * 1.25e9  # eight hosts of 10 Gbit/s
TASK, START = 1e-3, 2.0  # seconds of a task; of a cluster's first plan
MEMORY = 256e9  # of the one machine
HELD = 8 * 80e9 + 8 * 256e9  # of the cluster: devices and hosts


@dataclass(frozen=True)
class Job:
    """Bytes read and worked through, bytes that a shuffle has to move, tasks, and how often it is asked.

    `made` is the largest table that has to exist at once, in bytes; `moved` the bytes of a shuffle for each question.
    """

    read: float
    worked: float
    moved: float = 0.0
    tasks: int = 400
    times: int = 1
    made: float = 0.0
    there: bool = False  # it lies on the cluster's devices already

    def one(self) -> float:
        """Least seconds on one machine."""
        rate = SPILLED if self.moved and self.worked > MEMORY else ENGINE
        read = self.read / (DISK if not self.there else 1.25e9)
        return read + self.times * self.worked / rate

    def many(self) -> float:
        """Least seconds on the cluster."""
        each = self.worked / GPU + self.moved / WIRES + self.tasks * TASK
        return START + (0.0 if self.there else self.read / STORAGE) + self.times * each

    def right(self) -> str:
        """Where it is done first; nowhere, if no memory holds what has to be made."""
        if self.made > HELD:
            return "neither"
        return "one" if self.one() <= self.many() else "cluster"


JOBS = {
    "month": Job(read=2e9, worked=4e9, tasks=100),
    "scan": Job(read=20e9, worked=20e9, tasks=8_000),
    "sessions": Job(read=2_000e9, worked=4_000e9, moved=4_000e9, tasks=60_000),
    "pipeline": Job(read=400e9, worked=400e9, tasks=800, times=12, there=True),
    "lookups": Job(read=0.0, worked=1e6, tasks=20, times=10_000),
    "pairs": Job(read=1e9, worked=1e9, made=60e12),
}


def seconds(time: float) -> str:
    """A time for a sentence."""
    return f"{time / 60:.0f} min" if time >= 600 else f"{time:.3g} s"


def _explained(key: str) -> str:
    job = JOBS[key]
    one, many = seconds(job.one()), seconds(job.many())
    return {
        "month": f"4 GB fit one machine: {one} there. The cluster is still planning: {many}.",
        "scan": f"8 000 tasks of a millisecond each are 8 s before any row counts: {many}, and {one} on one machine, which streams the files.",
        "sessions": f"4 TB sorted by user do not fit one machine's memory and go through its disk: {one}. The cluster exchanges them once over its wires: {many}.",
        "pipeline": f"the data lie on the devices: to fetch them takes longer than all twelve steps there. {many} against {one}.",
        "lookups": f"10 000 small questions, one after the other: 20 tasks each are {seconds(10_000 * 20 * TASK)} of planning; one machine keeps the table in memory and needs {one}.",
        "pairs": f"{JOBS['pairs'].made / 1e12:.0f} TB come out: no memory here holds them. Group both sides by the key first, and merge what is left.",
    }[key]


RIGHT = {key: job.right() for key, job in JOBS.items()}
_REASONS = {
    "month": "launch", "scan": "tasks", "sessions": "spilled", "pipeline": "residency", "lookups": "tasks", "pairs": "materialised",
}  # fmt: skip


WORTH = Problem(
    id="dask-dataframes.worth",
    title="One machine, a cluster, or neither?",
    kind="decide",
    answers=("decisions",),
    lines=2,
    judge=ChoicesJudge(
        items={key: Item(RIGHT[key], _explained(key), _REASONS[key]) for key in JOBS},
        labels=("one", "cluster", "neither"),
        uniform={
            "cluster": ("always-many", "Everything on the cluster? Count the tasks, and look at what fits one machine."),
            "one": ("always-local", "Everything on one machine? One of these jobs moves 4 TB, and another lies on the GPUs already."),
            "neither": ("value", "Nothing at all? Only one of these results is too large for any memory here."),
        },
    ),
    hints=(
        "For each job and side: bytes over the rate at which they are read, plus bytes over the rate at which they are worked through; on the cluster what is moved over the wires, and the tasks.",
        "First ask what has to exist at once. What no memory holds needs another question.",
        "A millisecond for each task sounds like nothing. How many tasks are there, and how often?",
    ),
    wrong={
        "month": Wrong(but(RIGHT, month="cluster"), "launch"),
        "scan": Wrong(but(RIGHT, scan="cluster"), "tasks"),
        "lookups": Wrong(but(RIGHT, lookups="cluster"), "tasks"),
        "sessions": Wrong(but(RIGHT, sessions="one"), "spilled"),
        "pipeline": Wrong(but(RIGHT, pipeline="one"), "residency"),
        "pairs": Wrong(but(RIGHT, pairs="cluster"), "materialised"),
        "pairs-on-one": Wrong(but(RIGHT, pairs="one"), "materialised"),
        "all-cluster": Wrong(dict.fromkeys(JOBS, "cluster"), "always-many"),
        "all-one": Wrong(dict.fromkeys(JOBS, "one"), "always-local"),
        "unknown-label": Wrong(but(RIGHT, scan="polars"), "labels"),
        "list": Wrong(list(RIGHT.values()), "type"),
    },
    right={"as a dict": dict(RIGHT), "in capitals": {key: label.upper() for key, label in RIGHT.items()}},
)  # fmt: skip
