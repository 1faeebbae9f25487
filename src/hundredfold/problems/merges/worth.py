"""``merges.worth``: six joins. Which belong on the GPU, which on the CPU, and which nowhere as they stand?

The CPU's engine and cuDF get the least time that their published rates allow: a join of 10 million rows with 10 million, on
16 virtual cores, took Polars 0.226 s (db-benchmark, October 2025: 88 million rows read a second; the rows written are charged at the
same rate, and at twice the rate no decision would be another); cuDF's side is its memory, at
four times the bytes of a plain pass, and 1 ms a call.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..choices import ChoicesJudge, Item, but
from ..problem import Problem, Wrong

CPU_ROWS = 90e6  # rows read and written a second, by the CPU's engine
GPU_ROWS = 6e9  # the same by cuDF, data on the device
LINK = 25e9  # bytes per second over the bus
CPU_CALL, GPU_CALL = 50e-6, 1e-3  # seconds for a join or group of any size
DEVICE = 80e9  # bytes of the device's memory
HOST = 128e9
ROW = 24.0  # bytes of a row


@dataclass(frozen=True)
class Job:
    """Rows read and written, on each side, with what crosses the bus.

    Parameters
    ----------
    rows : float
        Rows that one join or group reads and writes.
    calls : int
        How many of them, one after the other.
    up, down : float
        Rows that cross the bus if it is done on the GPU.
    fetch : float
        Rows that cross it if it is done on the CPU.
    """

    rows: float
    calls: int = 1
    up: float = 0.0
    down: float = 0.0
    fetch: float = 0.0

    def cpu(self) -> float:
        """Least seconds on the CPU."""
        return self.calls * (self.rows / CPU_ROWS + CPU_CALL) + self.fetch * ROW / LINK

    def gpu(self) -> float:
        """Least seconds on the GPU."""
        return self.calls * (self.rows / GPU_ROWS + GPU_CALL) + (self.up + self.down) * ROW / LINK

    def nbytes(self) -> float:
        """Bytes of one call's rows."""
        return self.rows * ROW

    def right(self) -> str:
        """Where it is done first; nowhere, if no memory holds it."""
        if self.nbytes() > max(DEVICE, HOST):
            return "neither"
        return "gpu" if self.gpu() < self.cpu() else "cpu"


JOBS = {
    "lookup": Job(rows=10_500),
    "pipeline": Job(rows=60e6, calls=12, fetch=40e6),
    "once": Job(rows=40e6, up=20e6, down=20e6),
    "stream": Job(rows=3_000, calls=5_000, up=0.0, down=5_000 * 3_000),
    "pairs": Job(rows=2e6 * 8_000),
    "text": Job(rows=30e6, fetch=20e6),
}


def seconds(time: float) -> str:
    """A time for a sentence, in three digits."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms")):
        if time >= scale:
            return f"{time / scale:.3g} {unit}"
    return f"{time / 1e-6:.3g} µs"


def _explained(key: str) -> str:
    job = JOBS[key]
    cpu, gpu = seconds(job.cpu()), seconds(job.gpu())
    bus = seconds((job.up + job.down) * ROW / LINK)
    return {
        "lookup": f"10 500 rows read and written: the CPU is done after {cpu}, and the GPU's call alone takes {seconds(GPU_CALL)}.",
        "pipeline": f"Twelve steps on data that lies there: {gpu} on the GPU, {cpu} on the CPU.",
        "once": f"Even there and back the GPU needs {gpu}, {bus} of it on the bus; the CPU joins for {cpu}. A join is more work "
        "for each byte than a sum.",
        "stream": f"5 000 small joins: the GPU's calls alone take {seconds(5_000 * GPU_CALL)}, all of it on the CPU {cpu}.",
        "pairs": f"16 thousand million rows are {job.nbytes() / 1e9:.0f} GB: no memory here holds them. Group each side by the key "
        "first, then merge what is left.",
        "text": f"Text of 16 characters is read like any other bytes: {gpu} on the GPU, {cpu} on the CPU, which has to fetch it, too.",
    }[key]


RIGHT = {key: job.right() for key, job in JOBS.items()}
_REASONS = {
    "lookup": "launch",
    "pipeline": "residency",
    "once": "transfer",
    "stream": "launch",
    "pairs": "materialised",
    "text": "residency",
}


WORTH = Problem(
    id="merges.worth",
    title="Where should it be joined?",
    kind="decide",
    answers=("decisions",),
    lines=1,
    judge=ChoicesJudge(
        items={key: Item(RIGHT[key], _explained(key), _REASONS[key]) for key in JOBS},
        labels=("cpu", "gpu", "neither"),
        uniform={
            "gpu": ("always-gpu", "Everything on the GPU? Look at the small ones, and count the rows of each result."),
            "cpu": ("always-cpu", "Everything on the CPU? One of these jobs lies on the device already, and has twelve steps."),
            "neither": ("value", "Nothing at all? Only one of these results is too large for any memory here."),
        },
    ),
    hints=(
        "Work out both sides for each job: rows over rate, plus calls, plus what crosses the bus.",
        "Before that count the rows that come out. What does not fit into any memory needs another question, not another machine.",
        "A call of cuDF costs 1 ms, however few rows it has; in that time the CPU's engine has gone through 90 000.",
    ),
    wrong={
        "lookup": Wrong(but(RIGHT, lookup="gpu"), "launch"),
        "stream": Wrong(but(RIGHT, stream="gpu"), "launch"),
        "pipeline": Wrong(but(RIGHT, pipeline="cpu"), "residency"),
        "text": Wrong(but(RIGHT, text="cpu"), "residency"),
        "once": Wrong(but(RIGHT, once="cpu"), "transfer"),
        "pairs": Wrong(but(RIGHT, pairs="gpu"), "materialised"),
        "pairs-on-cpu": Wrong(but(RIGHT, pairs="cpu"), "materialised"),
        "all-gpu": Wrong(dict.fromkeys(JOBS, "gpu"), "always-gpu"),
        "all-cpu": Wrong(dict.fromkeys(JOBS, "cpu"), "always-cpu"),
        "unknown-label": Wrong(but(RIGHT, once="both"), "labels"),
        "list": Wrong(list(RIGHT.values()), "type"),
    },
    right={"as a dict": dict(RIGHT), "in capitals": {key: label.upper() for key, label in RIGHT.items()}},
)  # fmt: skip
