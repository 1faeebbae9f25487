"""``dask-dataframes.worth``: six jobs. One engine on one machine, a cluster of GPUs, or not as it stands?

Each way gets the least time that its rates allow: what it reads from storage, what it works through in memory, and, on the
cluster, what crosses the wires of a shuffle and a millisecond for each task.
"""

from __future__ import annotations

from ..choices import Job, decide

DISK = 3e9  # bytes a second of the one machine's disk, or from the storage to one host
STORAGE = 8 * 3e9  # eight hosts, each with as fast a way to the storage
FETCH = 1.25e9  # bytes a second from the cluster's devices to the one machine
ENGINE = 8e9  # bytes a second that Polars or DuckDB work through, in memory, on all cores
SPILLED = 1e9  # the same where it does not fit and goes through the disk
GPU = 8 * 100e9  # eight GPUs, each eight times over its bytes
WIRES = 8 * 1.25e9  # eight hosts of 10 Gbit/s
TASK, START = 1e-3, 2.0  # seconds of a task; of a cluster's first plan
MEMORY = 256e9  # of the one machine
HELD = 8 * 80e9 + 8 * 256e9  # of the cluster: devices and hosts
MADE = 60e12  # the largest table of "pairs"


def _times(
    read: float, worked: float, *, moved: float = 0.0, tasks: int = 400, asked: int = 1, there: bool = False
) -> dict[str, float]:
    """Least seconds on one machine and on the cluster.

    Bytes that are `read` once, and for each time that it is `asked` bytes `worked` through, `moved` by a shuffle, and tasks;
    `there` is what lies on the cluster's devices already.
    """
    rate = SPILLED if moved and worked > MEMORY else ENGINE
    each = worked / GPU + moved / WIRES + tasks * TASK
    return {
        "one": read / (FETCH if there else DISK) + asked * worked / rate,
        "cluster": START + (0.0 if there else read / STORAGE) + asked * each,
        "planning": asked * tasks * TASK,
    }


JOBS = {
    "month": Job(
        "launch",
        "4 GB fit one machine: {one} there. The cluster is still planning: {cluster}.",
        _times(2e9, 4e9, tasks=100),
    ),
    "scan": Job(
        "tasks",
        "8 000 tasks of a millisecond each are 8 s before any row counts: {cluster}, and {one} on one machine, which streams the files.",
        _times(20e9, 20e9, tasks=8_000),
    ),
    "sessions": Job(
        "spilled",
        "4 TB sorted by user do not fit one machine's memory and go through its disk: {one}. The cluster exchanges them once over its wires: {cluster}.",
        _times(2_000e9, 4_000e9, moved=4_000e9, tasks=60_000),
    ),
    "pipeline": Job(
        "residency",
        "the data lie on the devices: to fetch them takes longer than all twelve steps there. {cluster} against {one}.",
        _times(400e9, 400e9, tasks=800, asked=12, there=True),
    ),
    "lookups": Job(
        "tasks",
        "10 000 small questions, one after the other: 20 tasks each are {planning} of planning; one machine keeps the table in memory and needs {one}.",
        _times(0.0, 1e6, tasks=20, asked=10_000),
    ),
    "pairs": Job(
        "materialised",
        f"{MADE / 1e12:.0f} TB come out: no memory here holds them. Group both sides by the key first, and merge what is left.",
        right="neither",
    ),
}

WORTH = decide(
    "dask-dataframes.worth",
    "One machine, a cluster, or neither?",
    JOBS,
    lines=2,
    said=lambda time: f"{time / 60:.0f} min" if time >= 600 else f"{time:.3g} s",
    uniform={
        "one": (
            "always-local",
            "Everything on one machine? One of these jobs moves 4 TB, and another lies on the GPUs already.",
        ),
        "cluster": ("always-many", "Everything on the cluster? Count the tasks, and look at what fits one machine."),
        "neither": ("value", "Nothing at all? Only one of these results is too large for any memory here."),
    },
    hints=(
        "For each job and side: bytes over the rate at which they are read, plus bytes over the rate at which they are worked through; on the cluster what is moved over the wires, and the tasks.",
        "First ask what has to exist at once. What no memory holds needs another question.",
        "A millisecond for each task sounds like nothing. How many tasks are there, and how often?",
    ),
)
