"""``kernels.worth``: five jobs for a kernel of your own; which of them a GPU finishes first, the bus counted."""

from __future__ import annotations

from ..arrays import v100
from ..choices import Job, decide

BANDWIDTH = 50e9  # B/s, a laptop's memory
WAITING, GPU_WAITING = 1e-9, 20e-9  # s, a compiled turn that waits for the one before: on the CPU, in one GPU thread
SMALL = 64 * 64
PICTURE, STEPS = 100e6, 1000
VALUES = 1e9
_BUS, _LAUNCH, _GPU = v100.LINK, v100.LAUNCH, v100.BANDWIDTH

JOBS = {
    "icon": Job(
        "launch",
        "The CPU needs {cpu}; to launch a kernel and cross the bus takes {gpu}.",
        {"cpu": 2 * SMALL / BANDWIDTH, "gpu": _LAUNCH + 2 * SMALL / _BUS},
        "How long does a launch take that does nothing?",
    ),
    "once": Job(
        "transfer",
        "The CPU needs {cpu}. The picture crosses the bus twice for one smoothing: {gpu}.",
        {"cpu": 2 * PICTURE / BANDWIDTH, "gpu": 2 * PICTURE / _BUS + _LAUNCH + 2 * PICTURE / _GPU},
        "Time the bus: 100 MB there and 100 MB back.",
    ),
    "steps": Job(
        "once",
        "The bus is crossed twice for 1000 smoothings: {gpu}, against {cpu} in the CPU's memory.",
        {"cpu": STEPS * 2 * PICTURE / BANDWIDTH, "gpu": 2 * PICTURE / _BUS + STEPS * (_LAUNCH + 2 * PICTURE / _GPU)},
        "The picture crosses the bus twice, not 2000 times.",
    ),
    "counts": Job(
        "residency",
        "The values are on the device: {gpu}, and 256 counts come back. To fetch them and count here: {cpu}.",
        {"cpu": VALUES / _BUS + VALUES / BANDWIDTH, "gpu": _LAUNCH + VALUES / _GPU + 1024 / _BUS},
        "Where are the values now?",
    ),
    "follow": Job(
        "recurrence",
        "Each turn needs the one before, so one thread does them all: {gpu} in a GPU's. To fetch the numbers and "
        "do it on the CPU takes {cpu}.",
        {"cpu": 8e8 / _BUS + 1e8 * WAITING, "gpu": _LAUNCH + 1e8 * GPU_WAITING},
        "How many of these turns can run at once?",
    ),
}

WORTH = decide(
    "kernels.worth",
    "Is it a job for a kernel?",
    JOBS,
    uniform={
        "cpu": ("always-cpu", "the CPU was chosen for everything. Where the data lie or stay, the GPU is faster."),
        "gpu": ("always-gpu", "the GPU was chosen for everything. It has a price: launches, and the bus."),
    },
    hints=(
        "For each job write two times: bytes ÷ 50 GB/s on the CPU; on the GPU bytes ÷ 900 GB/s, the launches, and what "
        "crosses the bus ÷ 12 GB/s.",
        "How often is each byte used once it has crossed the bus? And how many threads can work at the same time?",
    ),
)
