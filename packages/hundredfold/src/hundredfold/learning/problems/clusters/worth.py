"""``clusters.worth``: seven jobs, and one GPU or eight of them behind a scheduler.

One GPU takes bytes over its bandwidth; where data does not fit its memory, it is sent through again over the bus. Eight take
an eighth of that, but no less than the scheduler needs for the tasks; and what moves between workers moves at the pace of
TCP. The figures are a made-up server's, near a DGX with H100s; the 500 µs for a task are what unit 10 measures.
"""

from __future__ import annotations

import math

from ..choices import Job, decide, seconds

GPUS, MEMORY = 8, 80e9
TASK, START, NETWORK = 500e-6, 15.0, 1e9
"""Seconds for a task in the scheduler, seconds until eight workers are there, bytes a second between workers over TCP."""


def _times(
    compute: float, tasks: int, *, moved: float = 0.0, start: float = 0.0, held: float = 0.0, chain: bool = False
) -> dict[str, float]:
    """Seconds on one GPU and on many.

    `compute` are those on one GPU, `tasks` what it is cut into for eight, `moved` bytes between workers, `start` seconds until
    they are there, `held` bytes that must be held at once; in a `chain` each step needs the one before.
    """
    scheduled, sent = tasks * TASK, moved / NETWORK
    work = compute + scheduled if chain else max(compute / GPUS, scheduled)
    return {
        "one": math.inf if held > MEMORY else compute,
        "many": work + sent + start,
        "scheduler": scheduled,
        "network": sent,
    }


JOBS = {
    "photos": Job(
        "independent",
        "8 000 tasks that need nothing of each other: {many} on eight, half an hour on one.",
        _times(1800.0, 8000),
        "What does a photo need of the others?",
    ),
    "lookup": Job(
        "start",
        f"Until eight workers are there, {seconds(START)} have passed; one GPU is done after {{one}}.",
        _times(4.0, 64, start=START),
        "Is there a cluster yet?",
    ),
    "rows": Job(
        "scheduler",
        "100 000 tasks take the scheduler {scheduler}, however many workers there are; one GPU alone "
        "is done after {one}. (With a hundred times larger tasks it would be worth it.)",
        _times(20.0, 100_000),
        "What do 100 000 tasks cost that compute nothing?",
    ),
    "chain": Job(
        "recurrence",
        "Each step waits for the one before, so seven of eight have nothing to do, and the scheduler adds "
        "{scheduler}: {many} against {one}.",
        _times(60.0, 6000, chain=True),
        "Which of the steps can be done at the same time?",
    ),
    "transpose": Job(
        "moved",
        "14 GB go from worker to worker over TCP, which takes {network}; in one GPU's memory all of it takes {one}.",
        _times(2.0, 512, moved=14e9),
        "In each job, set the bytes that move, at 1 GB/s, beside all the seconds of one GPU.",
    ),
    "table": Job(
        "memory",
        "300 GB must be held at once, and one GPU has 80. Eight have 640, and need {many}.",
        _times(60.0, 300, held=300e9, moved=30e9),
        "What has to be held at once, and where?",
    ),
    "search": Job(
        "dynamic",
        "20 000 tasks of 45 ms, and little is moved: {many} on eight, {one} on one. That the tasks are not known "
        "beforehand costs nothing: futures follow the results.",
        _times(900.0, 20_000, moved=0.1e9),
        "How long does a task compute, and how long is it scheduled?",
    ),
}

WORTH = decide(
    "clusters.worth",
    "One, or many?",
    JOBS,
    lines=2,
    uniform={
        "one": (
            "always-one",
            "one was chosen for everything. Where the parts need nothing of each other, or do not fit, eight are worth it.",
        ),
        "many": (
            "always-many",
            "eight were chosen for everything. Look at the scheduler's time, at the start, and at what moves between workers.",
        ),
    },
    hints=(
        "For eight: the longer of an eighth of the work and 500 µs for each task; then what moves, at 1 GB/s, and the start where "
        "there is one. For one GPU: its seconds, if the data fits.",
        "Who can begin before somebody else is done? A chain has one task at a time.",
        "100 000 × 500 µs are 50 s. 14 GB at 1 GB/s are 14 s. 1 800 s / 8 are 225 s.",
    ),
)
