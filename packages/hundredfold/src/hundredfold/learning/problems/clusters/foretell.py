"""``clusters.foretell``: what lies on disk, what is read from it, what is computed again, and how long a scheduler takes."""

from __future__ import annotations

from ..numbers import Quantity, mistake, predict

RESULTS, SIZE = 60, 2e9
DEVICE, HOST = 32e9, 64e9
"""A worker's `device_memory_limit` and `memory_limit`, bytes; sixty results of 2 GB."""
CHUNKS, WORKERS = 24, 2
TASKS, EACH, SCHEDULER, GPUS = 200_000, 2e-3, 500e-6, 8
"""Tasks, seconds each of them computes, seconds the scheduler needs for one, workers."""

ON_DEVICE, ON_HOST = int(DEVICE // SIZE), int(HOST // SIZE)
DISK = (RESULTS - ON_DEVICE - ON_HOST) * SIZE
AGAIN = RESULTS
RECOMPUTED = 2 * CHUNKS // WORKERS
FLOOR = max(TASKS * SCHEDULER, TASKS * EACH / GPUS)


FORETELL = predict(
    "clusters.foretell",
    "Where is it, and what does it cost?",
    (
        Quantity(
            "disk",
            DISK,
            "bytes",
            "24 GB: the device holds the 16 results that were used last, main memory the 32 before them, and 12 are on disk",
            0.01,
        ),
        Quantity(
            "again",
            AGAIN,
            "results",
            "all 60. For result 1 to come up, 45 goes down to main memory, and from there 13 to disk. So when the turn comes to "
            "13, it is on disk as well, and so on to the last",
            0.001,
        ),
        Quantity(
            "recomputed",
            RECOMPUTED,
            "tasks",
            "24: the 12 cleaned parts that it held, and for each of them the loading, whose result nobody keeps",
            0.001,
        ),
        Quantity(
            "floor",
            FLOOR,
            "s",
            "100 s: the scheduler hands out the tasks one after the other, and the workers, who need 50 s together, wait for it",
            0.01,
        ),
    ),
    lines=4,
    hints=(
        "A worker fills its device first. When it is full, what was used longest ago goes to main memory; when that is full, from "
        "there to disk.",
        "Write down the order: on disk 1 to 12, in main memory 13 to 44, on the device 45 to 60. Now 1 is read and goes to the "
        "device. Who goes down to main memory for it, and who from there to disk? Do a few more steps of it.",
        "A result that is gone is computed again from what is still there. Are the loaded parts still there? And floor: a "
        "scheduler does one thing at a time; eight workers do eight.",
    ),
    mistakes={
        "no host": mistake(
            "levels", "that sends to disk what does not fit on the device. Main memory comes in between.", disk=88e9
        ),
        "no device": mistake(
            "levels", "that leaves the device out: it holds 32 GB of the results itself.", disk=RESULTS * SIZE - HOST
        ),
        "copies": mistake(
            "levels",
            "that counts the results on the device a second time, in main memory. A result is at one place.",
            disk=RESULTS * SIZE - HOST + 32e9,
        ),
        "in results": mistake("unit", "that is the number of results. Asked for: bytes.", disk=12.0),
        "only those on disk": mistake(
            "evicted",
            "that reads from disk what lies there now. But each result that comes up sends another one down.",
            again=12,
        ),
        "not on the device": mistake(
            "evicted",
            "that leaves out the 16 on the device. They are on their way down when the others come up.",
            again=44,
        ),
        "cleaned alone": mistake(
            "lineage",
            "that is the cleaned parts. What are they cleaned from? The loaded parts were released.",
            recomputed=12,
        ),
        "everything": mistake(
            "survived",
            "that computes everything again. The other worker still has its twelve.",
            recomputed=2 * CHUNKS,
        ),
        "nobody schedules": mistake(
            "scheduler", "that is the workers' time alone. Who hands out 200 000 tasks?", floor=TASKS * EACH / GPUS
        ),
        "one worker": mistake("serial", "that is one worker's time. There are eight.", floor=TASKS * EACH),
        "all eight schedule": mistake(
            "scheduler",
            "that shares the scheduler's work among the workers. There is one scheduler, and it does one thing at a time.",
            floor=TASKS * (SCHEDULER + EACH) / GPUS,
        ),
        "eight schedule": mistake(
            "scheduler",
            "that shares the scheduler's time among the eight workers. There is one scheduler.",
            floor=TASKS * SCHEDULER / GPUS,
        ),
        "one after the other": mistake(
            "overlap",
            "that adds the two. The workers compute while the scheduler hands out the next tasks: the longer of both counts.",
            floor=TASKS * SCHEDULER + TASKS * EACH / GPUS,
        ),
    },
)
