"""``dask-arrays.worth``: five jobs, and who should do them: NumPy alone, Dask on all cores, or eight GPUs.

Each gets the least time that it could take on the desk that the problem describes; `tests` hold that the first is clear of
the second by a factor of 1.5.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..choices import ChoicesJudge, Item
from ..memory.desk import seconds
from ..problem import Problem, Wrong

CORE, CORES, CORE_BANDWIDTH, BANDWIDTH = 1, 16, 10e9, 90e9
GPUS, GPU_BANDWIDTH, BUS = 8, 2e12, 25e9
NORMAL, NORMAL_GPU = 8e-9, 1 / 50e9  # seconds for a random number: one core, one GPU
THREAD_TASK, CLUSTER_TASK = 0.3e-3, 2e-3
WAYS = ("numpy", "threads", "gpus")


@dataclass(frozen=True)
class Job:
    """Bytes that are read, random numbers that are drawn, chunks, whether data lies on the host, and steps that must wait
    for one another (then the work of a step is all that can be shared)."""

    bytes: float = 0.0
    drawn: float = 0.0
    chunks: int = 1
    on_host: bool = True
    steps: int = 1

    def seconds(self, way: str) -> float:
        """Least seconds; each step has its chunks as tasks."""
        tasks = self.chunks * self.steps
        if way == "numpy":
            return max(self.bytes / CORE_BANDWIDTH, self.drawn * NORMAL)
        if way == "threads":
            share = min(CORES, self.chunks)
            work = max(self.bytes / min(BANDWIDTH, share * CORE_BANDWIDTH), self.drawn * NORMAL / share)
            return max(work, tasks * THREAD_TASK)
        share = min(GPUS, self.chunks)
        work = self.bytes / (share * GPU_BANDWIDTH) + self.drawn * NORMAL_GPU / share
        bus = self.bytes / BUS if self.on_host else 0.0
        return max(work + bus, tasks * CLUSTER_TASK)


JOBS = {
    "small": Job(bytes=4e6, chunks=4),
    "stream": Job(bytes=64e9, chunks=640),
    "drawn": Job(bytes=7e12, drawn=2.5e11, chunks=2_500, on_host=False),
    "crumbs": Job(bytes=7e12, drawn=2.5e11, chunks=250_000, on_host=False),
    "steps": Job(bytes=100_000 * 1e6, chunks=1, steps=100_000, on_host=True),
}
RIGHT = {key: min(WAYS, key=job.seconds) for key, job in JOBS.items()}


def _explained(key: str) -> str:
    job = JOBS[key]
    times = ", ".join(f"{way} {seconds(job.seconds(way))}" for way in WAYS)
    return {
        "small": f"4 MB are read before a scheduler has handed out the first task: {times}.",
        "stream": f"64 GB lie on the host, and the bus to the GPUs is slower than the processor's own memory: {times}.",
        "drawn": f"Nothing crosses the bus, and 2 500 tasks of 2 ms are all that the GPUs wait for: {times}.",
        "crumbs": f"The same numbers in 250 000 chunks: the cluster's scheduler needs 2 ms for each, whoever works: {times}.",
        "steps": f"Each step needs the one before: nothing can be done side by side, and 100 000 tasks are handed out: {times}.",
    }[key]


def turned(key: str, to: str) -> dict[str, str]:
    """The right decisions with one other."""
    return {**RIGHT, key: to}


_REASONS = {"small": "small", "stream": "transfer", "drawn": "arithmetic", "crumbs": "scheduler", "steps": "recurrence"}

WORTH = Problem(
    id="dask-arrays.worth",
    title="One core, sixteen, or eight GPUs",
    kind="decide",
    answers=("decisions",),
    lines=1,
    judge=ChoicesJudge(
        items={key: Item(RIGHT[key], _explained(key), _REASONS[key]) for key in JOBS},
        labels=WAYS,
        uniform={
            "numpy": (
                "always-one",
                "one core was chosen for everything. Where there is much to do side by side, it is the slowest.",
            ),
            "threads": (
                "always-threads",
                "all cores were chosen for everything. Count the tasks, and look where the data lies.",
            ),
            "gpus": (
                "always-gpu",
                "the GPUs were chosen for everything. Look at the bus, at 2 ms for each task, and at what waits for what.",
            ),
        },
    ),
    hints=(
        "Three times for each job: the work (bytes or random numbers, shared by who works), the tasks times what one costs, and for the GPUs the bus.",
        "The scheduler hands out one task after the other: 250 000 tasks of 2 ms are 500 s, on any number of GPUs. NumPy has no tasks.",
        "64 GB at 25 GB/s are 2.6 s, at 90 GB/s 0.7 s. 2.5·10¹¹ numbers at 8 ns are 2 000 s, for one core. Now each by what shares it.",
    ),
    wrong={
        "always-numpy": Wrong(dict.fromkeys(JOBS, "numpy"), "always-one"),
        "always-threads": Wrong(dict.fromkeys(JOBS, "threads"), "always-threads"),
        "always-gpus": Wrong(dict.fromkeys(JOBS, "gpus"), "always-gpu"),
        "small": Wrong(
            turned("small", "threads"), "small", hint="What do four tasks cost, and what does reading 4 MB?"
        ),
        "stream": Wrong(turned("stream", "gpus"), "transfer", hint="How long do 64 GB take over the bus?"),
        "drawn": Wrong(turned("drawn", "threads"), "arithmetic", hint="What do 2.5·10¹¹ random numbers cost 16 cores?"),
        "crumbs": Wrong(turned("crumbs", "gpus"), "scheduler", hint="250 000 times 2 ms, and 250 000 times 0.3 ms."),
        "steps": Wrong(turned("steps", "gpus"), "recurrence", hint="How many of these steps can run at the same time?"),
        "list": Wrong(["numpy"] * 5, "type"),
        "labels": Wrong({**RIGHT, "steps": "cluster"}, "labels"),
    },
    right={"as reckoned": RIGHT, "in capitals": {key: label.upper() for key, label in RIGHT.items()}},
)
