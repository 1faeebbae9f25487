"""``compiling.worth``: five jobs; which to leave alone, which to compile, and which to send to a GPU.

Each way gets the least time that it could take, as in ``arrays.worth``; what it costs to compile is in, for compiling is
what makes one job not worth it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import v100
from ..arrays.worth import seconds
from ..choices import ChoicesJudge, Item, but
from ..problem import Problem, Wrong

BANDWIDTH = 50e9  # B/s, a laptop's memory
STEP = 50e-9  # s, one turn of a simple loop in the interpreter
WAITING = 1e-9  # s, one turn of the same loop compiled, where each turn waits for the one before
COMPILE = 0.5  # s, the first call of a compiled function
GPU_WAITING = 20e-9  # s, such a turn in one thread of a GPU: a slower clock, and every step takes more of its cycles
PICTURE = 100e6  # pixels of one byte


@dataclass(frozen=True)
class Job:
    """A job by the least seconds that each way of doing it takes, compiling and the bus included."""

    leave: float
    compile: float
    gpu: float

    def times(self) -> dict[str, float]:
        return {"leave": self.leave, "compile": self.compile, "gpu": self.gpu}

    def best(self) -> str:
        return min(self.times(), key=self.times().__getitem__)


_BUS, _LAUNCH, _GPU = v100.LINK, v100.LAUNCH, v100.BANDWIDTH
_PIXEL = 9 * STEP  # s, one pixel's nine turns in the interpreter
_SMOOTH = 2 * PICTURE / BANDWIDTH  # s, one picture read and written, compiled, on all cores
_TRIP = 2 * PICTURE / _BUS  # s, one picture there and back

JOBS = {
    "settings": Job(
        leave=10_000 * STEP,
        compile=COMPILE + 10_000 * WAITING,
        gpu=COMPILE + _LAUNCH + 10_000 * GPU_WAITING,
    ),
    "sum": Job(
        leave=800e6 / BANDWIDTH,
        compile=COMPILE + 800e6 / BANDWIDTH,
        gpu=800e6 / _BUS + _LAUNCH + 800e6 / _GPU,
    ),
    "recurrence": Job(
        leave=1e8 * STEP,
        compile=COMPILE + 1e8 * WAITING,
        gpu=COMPILE + 1.6e9 / _BUS + 1e8 * GPU_WAITING,
    ),
    "pictures": Job(
        leave=1000 * PICTURE * _PIXEL,
        compile=COMPILE + 1000 * _SMOOTH,
        gpu=COMPILE + 1000 * (_TRIP + _LAUNCH + 2 * PICTURE / _GPU),
    ),
    "steps": Job(
        leave=PICTURE / _BUS + 10_000 * PICTURE * _PIXEL,
        compile=PICTURE / _BUS + COMPILE + 10_000 * _SMOOTH,
        gpu=COMPILE + 10_000 * (_LAUNCH + 2 * PICTURE / _GPU),
    ),
}
"""The exercise's table, in its order."""

RIGHT = {key: job.best() for key, job in JOBS.items()}
_REASONS = {
    "settings": "compiling",
    "sum": "nothing-to-compile",
    "recurrence": "recurrence",
    "pictures": "transfer",
    "steps": "residency",
}


def _why(key: str) -> str:
    job = JOBS[key]
    leave, compiled, gpu = seconds(job.leave), seconds(job.compile), seconds(job.gpu)
    return {
        "settings": f"The loop takes the interpreter {leave}, once. To compile it takes {compiled}.",
        "sum": f"NumPy's sum is compiled already: {leave}. Over the bus alone the data take {seconds(800e6 / _BUS)}, "
        f"and compiling your own sum {seconds(COMPILE)}.",
        "recurrence": f"10⁸ turns take the interpreter {leave}, compiled {compiled}. Each needs the one before, so one "
        f"thread does them all, and one thread of a GPU is slow: {gpu}.",
        "pictures": f"Compiled, on all cores: {compiled} for all of them. Each picture would cross the bus twice for one "
        f"smoothing: {gpu}.",
        "steps": f"The picture is on the device, where each step takes a quarter of a millisecond: {gpu}. On the "
        f"host all steps take {compiled}.",
    }[key]


WORTH = Problem(
    id="compiling.worth",
    title="Leave it, compile it, or the GPU?",
    kind="decide",
    answers=("decisions",),
    lines=1,
    judge=ChoicesJudge(
        items={key: Item(RIGHT[key], _why(key), _REASONS[key]) for key in JOBS},
        labels=("leave", "compile", "gpu"),
        uniform={
            "gpu": ("always-gpu", "the GPU was chosen for everything. It has a price: the way over the bus."),
            "compile": (
                "always-compile",
                "everything was compiled. That has a price, half a second for each function, and what NumPy does in one "
                "call is compiled already.",
            ),
            "leave": (
                "always-leave",
                "everything was left as it is. A hundred million turns in the interpreter are long.",
            ),
        },
    ),
    hints=(
        "For each job write three times below each other: as it stands, compiled (with the half second), and on the GPU "
        "with the way there and back.",
        "Turns × 50 ns in the interpreter. Bytes ÷ 50 GB/s compiled, on all cores. Bytes over the bus ÷ 12 GB/s.",
        "Two questions decide: is the work long enough to pay for compiling? And how often is each byte used once it "
        "has crossed the bus?",
    ),
    wrong={
        "always-gpu": Wrong(dict.fromkeys(JOBS, "gpu"), "always-gpu"),
        "always-compile": Wrong(dict.fromkeys(JOBS, "compile"), "always-compile"),
        "always-leave": Wrong(dict.fromkeys(JOBS, "leave"), "always-leave"),
        "compiling": Wrong(
            but(RIGHT, settings="compile"), "compiling", hint="How long does it take now, and how long to compile?"
        ),
        "nothing to compile": Wrong(
            but(RIGHT, sum="compile"), "nothing-to-compile", hint="In which language is NumPy's `sum` written?"
        ),
        "recurrence": Wrong(
            but(RIGHT, recurrence="gpu"), "recurrence", hint="How many of these turns can run at the same time?"
        ),
        "transfer": Wrong(
            but(RIGHT, pictures="gpu"), "transfer", hint="Time the bus: 100 MB there and 100 MB back, at 12 GB/s."
        ),
        "residency": Wrong(
            but(RIGHT, steps="compile"), "residency", hint="Where is the picture, and how often is it used?"
        ),
        "list": Wrong(list(RIGHT.values()), "type"),
        "labels": Wrong(but(RIGHT, sum="numpy"), "labels"),
    },
    right={"as reckoned": RIGHT, "in capitals": {key: label.upper() for key, label in RIGHT.items()}},
)
