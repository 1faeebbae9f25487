"""``deploying.place``: seven jobs; where does each belong: on this machine's CPU, on its GPU, or on the cluster?

The least time that the figures of the table allow, with what it takes to get there: the copy to the cluster, the wait in its queue,
the scheduler's millisecond for each task (Dask's documentation says about 1 ms; unit 10 measures it).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..choices import ChoicesJudge, Item, but
from ..problem import Problem, Wrong

CPU_MEMORY, GPU_MEMORY, NODE_MEMORY = 64e9, 24e9, 320e9  # bytes
NODES, NODE_GPUS = 10, 4
QUEUE = 20 * 60.0  # seconds until a job on the cluster starts
WIRE = 100e6  # bytes per second from here to the cluster
BUS = 20e9  # bytes per second from host memory to the GPU
TASK = 1e-3  # seconds of the scheduler for each task


@dataclass(frozen=True)
class Job:
    """One job: seconds that it takes on the CPU here, how many times faster one GPU is, and what it needs.

    Parameters
    ----------
    cpu : float
        Seconds on the CPU of this machine, if its memory sufficed.
    faster : float
        One GPU's speedup over it; all GPUs of the cluster are alike.
    nbytes : float
        Bytes that must be in memory at the same time.
    there : bool
        Whether the data are on the cluster already.
    serial : float
        Share that is not divided among workers.
    tasks : int
        Tasks that Dask's scheduler has to hand out on the cluster.
    """

    cpu: float
    faster: float
    nbytes: float
    there: bool = False
    serial: float = 0.02
    tasks: int = 1_000

    def seconds(self) -> dict[str, float]:
        """Least seconds at each place where the data fit."""
        out = {}
        if self.nbytes <= CPU_MEMORY:
            out["cpu"] = self.cpu
        if self.nbytes <= GPU_MEMORY:
            out["gpu"] = self.cpu / self.faster + self.nbytes / BUS
        if self.nbytes <= NODES * NODE_MEMORY:
            gpus = NODES * NODE_GPUS
            work = self.cpu / self.faster * (self.serial + (1 - self.serial) / gpus)
            moved = 0.0 if self.there else self.nbytes / WIRE
            out["cluster"] = QUEUE + moved + max(work, self.tasks * TASK)
        return out

    def right(self) -> str:
        """Where it is done first."""
        seconds = self.seconds()
        return min(seconds, key=seconds.get)


JOBS = {
    "question": Job(cpu=8, faster=4, nbytes=30e9),
    "filter": Job(cpu=900, faster=30, nbytes=10e9),
    "sweep": Job(cpu=30 * 86_400, faster=20, nbytes=2e9, serial=0.0, tasks=4_000),
    "matrix": Job(cpu=7_200, faster=10, nbytes=2e12, there=True),
    "archive": Job(cpu=1_500, faster=3, nbytes=60e9),
    "crumbs": Job(cpu=600, faster=0.5, nbytes=1e9, tasks=3_000_000),
    "overnight": Job(cpu=28_800, faster=25, nbytes=20e9, serial=0.3),
}
RIGHT = {name: job.right() for name, job in JOBS.items()}
_REASONS = {
    "question": "queue",
    "filter": "distributed",
    "sweep": "undistributed",
    "matrix": "unfit",
    "archive": "unfit",
    "crumbs": "crumbs",
    "overnight": "distributed",
}


def clock(seconds: float) -> str:
    """A time for a sentence: seconds up to two minutes, minutes up to two hours, hours, days."""
    for limit, unit, name in ((120, 1, "s"), (7_200, 60, "min"), (172_800, 3_600, "h")):
        if seconds < limit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 86_400:.3g} days"


def _explained(name: str) -> str:
    job = JOBS[name]
    seconds = job.seconds()
    places = {"cpu": "the CPU here", "gpu": "the GPU here", "cluster": "the cluster"}
    times = ", ".join(f"{places[place]} {clock(time)}" for place, time in seconds.items())
    unfit = [places[place] for place in places if place not in seconds]
    more = {
        "question": "The queue alone takes longer than any number of such questions.",
        "filter": "It fits on one GPU, and is done there before the cluster's queue has moved.",
        "sweep": "Nothing has to be exchanged, so every GPU helps.",
        "matrix": "Only the cluster's memory holds it, and it lies there.",
        "archive": "To send it would take ten minutes, and the queue twice that.",
        "crumbs": "Three million tasks are 50 minutes of scheduling alone. Make fewer of them, and do them here.",
        "overnight": "Its serial 30 % take as long on forty GPUs as on one.",
    }[name]
    return f"{times[0].upper()}{times[1:]}{'; it does not fit on ' + ' and '.join(unfit) if unfit else ''}. {more}"


PLACE = Problem(
    id="deploying.place",
    title="Distribute it, or not?",
    kind="decide",
    answers=("places",),
    lines=9,
    judge=ChoicesJudge(
        items={name: Item(RIGHT[name], _explained(name), _REASONS[name]) for name in JOBS},
        labels=("cpu", "gpu", "cluster"),
        uniform={
            "cluster": ("distributed", f'everything was put on the cluster. Take "question": {_explained("question")}'),
            "gpu": ("always-gpu", f'everything was put on the GPU here. Take "matrix": {_explained("matrix")}'),
            "cpu": ("always-cpu", f'everything was put on the CPU here. Take "sweep": {_explained("sweep")}'),
        },
    ),
    hints=(
        "First look whether it fits: 64 GB, 24 GB, 3 200 GB. Then reckon each place's least time.",
        "The cluster's time begins with its queue and the copy: 20 minutes, and 10 s for each GB that is not there yet.",
        "Then comes the work: its serial share as on one GPU, the rest a fortieth of it; but never less than 1 ms for each task.",
    ),
    wrong={
        "question": Wrong(but(RIGHT, question="cluster"), "queue"),
        "filter": Wrong(but(RIGHT, filter="cluster"), "distributed"),
        "overnight": Wrong(but(RIGHT, overnight="cluster"), "distributed"),
        "sweep": Wrong(but(RIGHT, sweep="gpu"), "undistributed"),
        "matrix": Wrong(but(RIGHT, matrix="gpu"), "unfit"),
        "archive": Wrong(but(RIGHT, archive="cluster"), "unfit"),
        "archive-gpu": Wrong(but(RIGHT, archive="gpu"), "unfit"),
        "crumbs": Wrong(but(RIGHT, crumbs="cluster"), "crumbs"),
        "all-cluster": Wrong(dict.fromkeys(JOBS, "cluster"), "distributed"),
        "all-gpu": Wrong(dict.fromkeys(JOBS, "gpu"), "always-gpu"),
        "all-cpu": Wrong(dict.fromkeys(JOBS, "cpu"), "always-cpu"),
        "unknown-label": Wrong(but(RIGHT, matrix="cloud"), "labels"),
        "list": Wrong(list(RIGHT.values()), "type"),
    },
    right={"as a dict": dict(RIGHT), "in capitals": {name: label.upper() for name, label in RIGHT.items()}},
)
