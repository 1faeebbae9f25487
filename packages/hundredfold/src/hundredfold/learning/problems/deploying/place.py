"""``deploying.place``: seven jobs; where does each belong: on this machine's CPU, on its GPU, or on the cluster?

The least time that the figures of the table allow, with what it takes to get there: the copy to the cluster, the wait in its queue,
the scheduler's millisecond for each task (Dask's documentation says about 1 ms; unit 10 measures it).
"""

from __future__ import annotations

from ..choices import Job, decide

CPU_MEMORY, GPU_MEMORY, NODE_MEMORY = 64e9, 24e9, 320e9  # bytes
NODES, NODE_GPUS = 10, 4
QUEUE = 20 * 60.0  # seconds until a job on the cluster starts
WIRE = 100e6  # bytes per second from here to the cluster
BUS = 20e9  # bytes per second from host memory to the GPU
TASK = 1e-3  # seconds of the scheduler for each task
_PLACES = {"cpu": "the CPU here", "gpu": "the GPU here", "cluster": "the cluster"}


def clock(seconds: float) -> str:
    """A time for a sentence: seconds up to two minutes, minutes up to two hours, hours, days."""
    for limit, unit, name in ((120, 1, "s"), (7_200, 60, "min"), (172_800, 3_600, "h")):
        if seconds < limit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 86_400:.3g} days"


def _job(
    reason: str,
    why: str,
    *,
    cpu: float,
    faster: float,
    nbytes: float,
    there: bool = False,
    serial: float = 0.02,
    tasks: int = 1_000,
) -> Job:
    """One job, with its least seconds at each place where the data fit.

    Parameters
    ----------
    reason, why
        As in `Job`; the times are said before `why`.
    cpu : float
        Seconds on the CPU of this machine.
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
    times = {}
    if nbytes <= CPU_MEMORY:
        times["cpu"] = cpu
    if nbytes <= GPU_MEMORY:
        times["gpu"] = cpu / faster + nbytes / BUS
    if nbytes <= NODES * NODE_MEMORY:
        work = cpu / faster * (serial + (1 - serial) / (NODES * NODE_GPUS))
        times["cluster"] = QUEUE + (0.0 if there else nbytes / WIRE) + max(work, tasks * TASK)
    said = ", ".join(f"{_PLACES[place]} {clock(time)}" for place, time in times.items())
    unfit = [name for place, name in _PLACES.items() if place not in times]
    beside = f"; it does not fit on {' and '.join(unfit)}" if unfit else ""
    return Job(reason, f"{said[0].upper()}{said[1:]}{beside}. {why}", times)


JOBS = {
    "question": _job(
        "queue", "The queue alone takes longer than any number of such questions.", cpu=8, faster=4, nbytes=30e9
    ),
    "filter": _job(
        "distributed",
        "It fits on one GPU, and is done there before the cluster's queue has moved.",
        cpu=900,
        faster=30,
        nbytes=10e9,
    ),
    "sweep": _job(
        "undistributed",
        "Nothing has to be exchanged, so every GPU helps.",
        cpu=30 * 86_400,
        faster=20,
        nbytes=2e9,
        serial=0.0,
        tasks=4_000,
    ),
    "matrix": _job(
        "unfit",
        "Only the cluster's memory holds it, and it lies there.",
        cpu=7_200,
        faster=10,
        nbytes=2e12,
        there=True,
    ),
    "archive": _job(
        "unfit", "To send it would take ten minutes, and the queue twice that.", cpu=1_500, faster=3, nbytes=60e9
    ),
    "crumbs": _job(
        "crumbs",
        "Three million tasks are 50 minutes of scheduling alone. Make fewer of them, and do them here.",
        cpu=600,
        faster=0.5,
        nbytes=1e9,
        tasks=3_000_000,
    ),
    "overnight": _job(
        "distributed",
        "Its serial 30 % take as long on forty GPUs as on one.",
        cpu=28_800,
        faster=25,
        nbytes=20e9,
        serial=0.3,
    ),
}

PLACE = decide(
    "deploying.place",
    "Distribute it, or not?",
    JOBS,
    answer="places",
    lines=9,
    uniform={
        "cpu": ("always-cpu", 'everything was put on the CPU here. Take "sweep": {sweep}'),
        "gpu": ("always-gpu", 'everything was put on the GPU here. Take "matrix": {matrix}'),
        "cluster": ("distributed", 'everything was put on the cluster. Take "question": {question}'),
    },
    hints=(
        "First look whether it fits: 64 GB, 24 GB, 3 200 GB. Then compute each place's least time.",
        "The cluster's time begins with its queue and the copy: 20 minutes, and 10 s for each GB that is not there yet.",
        "Then comes the work: its serial share as on one GPU, the rest a fortieth of it; but never less than 1 ms for each task.",
    ),
)
