"""``kernels.worth``: five jobs for a kernel of your own; which of them a GPU finishes first, the bus counted."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import v100
from ..arrays.worth import seconds
from ..choices import ChoicesJudge, Item, but
from ..problem import Problem, Wrong

BANDWIDTH = 50e9  # B/s, a laptop's memory
WAITING, GPU_WAITING = 1e-9, 20e-9  # s, a compiled turn that waits for the one before: on the CPU, in one GPU thread
SMALL = 64 * 64
PICTURE, STEPS = 100e6, 1000
VALUES = 1e9


@dataclass(frozen=True)
class Job:
    """A job by the least seconds on each side, the bus and the launch included."""

    cpu: float
    gpu: float

    @property
    def best(self) -> str:
        return "cpu" if self.cpu < self.gpu else "gpu"


_BUS, _LAUNCH, _GPU = v100.LINK, v100.LAUNCH, v100.BANDWIDTH
JOBS = {
    "icon": Job(cpu=2 * SMALL / BANDWIDTH, gpu=_LAUNCH + 2 * SMALL / _BUS),
    "once": Job(cpu=2 * PICTURE / BANDWIDTH, gpu=2 * PICTURE / _BUS + _LAUNCH + 2 * PICTURE / _GPU),
    "steps": Job(cpu=STEPS * 2 * PICTURE / BANDWIDTH, gpu=2 * PICTURE / _BUS + STEPS * (_LAUNCH + 2 * PICTURE / _GPU)),
    "counts": Job(cpu=VALUES / _BUS + VALUES / BANDWIDTH, gpu=_LAUNCH + VALUES / _GPU + 1024 / _BUS),
    "follow": Job(cpu=8e8 / _BUS + 1e8 * WAITING, gpu=_LAUNCH + 1e8 * GPU_WAITING),
}
"""The exercise's table, in its order."""

RIGHT = {key: job.best for key, job in JOBS.items()}
_REASONS = {"icon": "launch", "once": "transfer", "steps": "once", "counts": "residency", "follow": "recurrence"}


def _why(key: str) -> str:
    cpu, gpu = seconds(JOBS[key].cpu), seconds(JOBS[key].gpu)
    return {
        "icon": f"The CPU needs {cpu}; to launch a kernel and cross the bus takes {gpu}.",
        "once": f"The CPU needs {cpu}. The picture crosses the bus twice for one smoothing: {gpu}.",
        "steps": f"The bus is crossed twice for 1000 smoothings: {gpu}, against {cpu} in the CPU's memory.",
        "counts": f"The values are on the device: {gpu}, and 256 counts come back. To fetch them and count here: {cpu}.",
        "follow": f"Each turn needs the one before, so one thread does them all: {gpu} in a GPU's. To fetch the numbers and "
        f"do it on the CPU takes {cpu}.",
    }[key]


WORTH = Problem(
    id="kernels.worth",
    title="Is it a job for a kernel?",
    kind="decide",
    answers=("decisions",),
    lines=1,
    judge=ChoicesJudge(
        items={key: Item(RIGHT[key], _why(key), _REASONS[key]) for key in JOBS},
        labels=("cpu", "gpu"),
        uniform={
            "gpu": ("always-gpu", "the GPU was chosen for everything. It has a price: launches, and the bus."),
            "cpu": ("always-cpu", "the CPU was chosen for everything. Where the data lie or stay, the GPU is faster."),
        },
    ),
    hints=(
        "For each job write two times: bytes ÷ 50 GB/s on the CPU; on the GPU bytes ÷ 900 GB/s, the launches, and what "
        "crosses the bus ÷ 12 GB/s.",
        "How often is each byte used once it has crossed the bus? And how many threads can work at the same time?",
    ),
    wrong={
        "always-gpu": Wrong(dict.fromkeys(JOBS, "gpu"), "always-gpu"),
        "always-cpu": Wrong(dict.fromkeys(JOBS, "cpu"), "always-cpu"),
        "launch": Wrong(but(RIGHT, icon="gpu"), "launch", hint="How long does a launch take that does nothing?"),
        "transfer": Wrong(but(RIGHT, once="gpu"), "transfer", hint="Time the bus: 100 MB there and 100 MB back."),
        "once": Wrong(but(RIGHT, steps="cpu"), "once", hint="The picture crosses the bus twice, not 2000 times."),
        "residency": Wrong(but(RIGHT, counts="cpu"), "residency", hint="Where are the values now?"),
        "recurrence": Wrong(but(RIGHT, follow="gpu"), "recurrence", hint="How many of these turns can run at once?"),
        "list": Wrong(list(RIGHT.values()), "type"),
        "labels": Wrong(but(RIGHT, once="host"), "labels"),
    },
    right={"as reckoned": RIGHT, "in capitals": {key: label.upper() for key, label in RIGHT.items()}},
)
