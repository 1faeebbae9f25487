"""``clusters.worth``: seven jobs, and one GPU or eight of them behind a scheduler.

One GPU takes bytes over its bandwidth; where data does not fit its memory, it is sent through again over the bus. Eight take
an eighth of that, but no less than the scheduler needs for the tasks; and what moves between workers moves at the pace of
TCP. The figures are a made-up server's, near a DGX with H100s; the 500 µs for a task are what unit 10 measures.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..choices import ChoicesJudge, Item
from ..memory.desk import seconds
from ..problem import Problem, Wrong

GPUS, MEMORY, BANDWIDTH = 8, 80e9, 3e12
TASK, START, NETWORK = 500e-6, 15.0, 1e9
"""Seconds for a task in the scheduler, seconds until eight workers are there, bytes a second between workers over TCP."""


@dataclass(frozen=True)
class Job:
    """A job.

    Parameters
    ----------
    compute : float
        Seconds on one GPU.
    tasks : int
        Tasks it is cut into for eight.
    moved : float
        Bytes between workers.
    started : bool
        Whether the cluster runs already.
    held : float
        Bytes that must be held at once.
    chain : bool
        Whether each step needs the one before.
    """

    compute: float
    tasks: int
    moved: float = 0.0
    started: bool = True
    held: float = 0.0
    chain: bool = False

    def one(self) -> float:
        """Seconds on one GPU; infinite where it cannot hold what it must."""
        return float("inf") if self.held > MEMORY else self.compute

    def many(self) -> float:
        """Seconds on eight."""
        work = self.compute if self.chain else max(self.compute / GPUS, self.tasks * TASK)
        if self.chain:
            work += self.tasks * TASK
        return work + self.moved / NETWORK + (0.0 if self.started else START)


JOBS = {
    "photos": Job(compute=1800.0, tasks=8000),
    "lookup": Job(compute=4.0, tasks=64, started=False),
    "rows": Job(compute=20.0, tasks=100_000),
    "chain": Job(compute=60.0, tasks=6000, chain=True),
    "transpose": Job(compute=2.0, tasks=512, moved=14e9),
    "table": Job(compute=60.0, tasks=300, held=300e9, moved=30e9),
    "search": Job(compute=900.0, tasks=20_000, moved=0.1e9),
}
RIGHT = {key: "many" if job.many() < job.one() else "one" for key, job in JOBS.items()}


def _explained(key: str) -> str:
    job = JOBS[key]
    one, many = seconds(job.one()) if job.one() < 1e9 else "", seconds(job.many())
    return {
        "photos": f"8 000 tasks that need nothing of each other: {many} on eight, half an hour on one.",
        "lookup": f"Until eight workers are there, {seconds(START)} have passed; one GPU is done after {one}.",
        "rows": f"100 000 tasks take the scheduler {seconds(job.tasks * TASK)}, however many workers there are; one GPU alone "
        f"is done after {one}. (With a hundred times larger tasks it would be worth it.)",
        "chain": f"Each step waits for the one before, so seven of eight have nothing to do, and the scheduler adds "
        f"{seconds(job.tasks * TASK)}: {many} against {one}.",
        "transpose": f"14 GB go from worker to worker over TCP, which takes {seconds(job.moved / NETWORK)}; in one GPU's memory all of "
        f"it takes {one}.",
        "table": f"300 GB must be held at once, and one GPU has 80. Eight have 640, and need {many}.",
        "search": f"20 000 tasks of 45 ms, and little is moved: {many} on eight, {one} on one. That the tasks are not known "
        "beforehand costs nothing: futures follow the results.",
    }[key]


_REASONS = {
    "photos": "independent",
    "lookup": "start",
    "rows": "scheduler",
    "chain": "recurrence",
    "transpose": "moved",
    "table": "memory",
    "search": "dynamic",
}


def _turned(*keys: str) -> dict[str, str]:
    other = {"one": "many", "many": "one"}
    return {key: other[label] if key in keys else label for key, label in RIGHT.items()}


WORTH = Problem(
    id="clusters.worth",
    title="One, or many?",
    kind="decide",
    answers=("decisions",),
    lines=2,
    judge=ChoicesJudge(
        items={key: Item(RIGHT[key], _explained(key), _REASONS[key]) for key in JOBS},
        labels=("one", "many"),
        uniform={
            "many": (
                "always-many",
                "eight were chosen for everything. Look at the scheduler's time, at the start, and at what moves between workers.",
            ),
            "one": (
                "always-one",
                "one was chosen for everything. Where the parts need nothing of each other, or do not fit, eight are worth it.",
            ),
        },
    ),
    hints=(
        "For eight: the longer of an eighth of the work and 500 µs for each task; then what moves, at 1 GB/s, and the start where "
        "there is one. For one GPU: its seconds, if the data fits.",
        "Who can begin before somebody else is done? A chain has one task at a time.",
        "100 000 × 500 µs are 50 s. 14 GB at 1 GB/s are 14 s. 1 800 s / 8 are 225 s.",
    ),
    wrong={
        "always-many": Wrong(dict.fromkeys(JOBS, "many"), "always-many"),
        "always-one": Wrong(dict.fromkeys(JOBS, "one"), "always-one"),
        "independent": Wrong(_turned("photos"), "independent", hint="What does a photo need of the others?"),
        "start": Wrong(_turned("lookup"), "start", hint="Is there a cluster yet?"),
        "scheduler": Wrong(_turned("rows"), "scheduler", hint="What do 100 000 tasks cost that compute nothing?"),
        "chain": Wrong(_turned("chain"), "recurrence", hint="Which of the steps can be done at the same time?"),
        "moved": Wrong(
            _turned("transpose"),
            "moved",
            hint="In each job, set the bytes that move, at 1 GB/s, beside all the seconds of one GPU.",
        ),
        "memory": Wrong(_turned("table"), "memory", hint="What has to be held at once, and where?"),
        "dynamic": Wrong(
            _turned("search"), "dynamic", hint="How long does a task compute, and how long is it scheduled?"
        ),
        "list": Wrong(list(RIGHT.values()), "type"),
        "labels": Wrong({**RIGHT, "rows": "eight"}, "labels"),
    },
    right={"as reckoned": RIGHT, "in capitals": {key: label.upper() for key, label in RIGHT.items()}},
)
