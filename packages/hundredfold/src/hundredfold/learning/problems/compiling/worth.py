"""``compiling.worth``: five jobs; which to leave alone, which to compile, and which to send to a GPU.

Each way gets the least time that it could take, as in ``arrays.worth``; what it costs to compile is in, for compiling is
what makes one job not worth it.
"""

from __future__ import annotations

from ..arrays import v100
from ..choices import Job, decide, seconds

BANDWIDTH = 50e9  # B/s, a laptop's memory
STEP = 50e-9  # s, one turn of a simple loop in the interpreter
WAITING = 1e-9  # s, one turn of the same loop compiled, where each turn waits for the one before
COMPILE = 0.5  # s, the first call of a compiled function
GPU_WAITING = 20e-9  # s, such a turn in one thread of a GPU: a slower clock, and every step takes more of its cycles
PICTURE = 100e6  # pixels of one byte

_BUS, _LAUNCH, _GPU = v100.LINK, v100.LAUNCH, v100.BANDWIDTH
_PIXEL = 9 * STEP  # s, one pixel's nine turns in the interpreter
_SMOOTH = 2 * PICTURE / BANDWIDTH  # s, one picture read and written, compiled, on all cores
_TRIP = 2 * PICTURE / _BUS  # s, one picture there and back

JOBS = {
    "settings": Job(
        "compiling",
        "The loop takes the interpreter {leave}, once. To compile it takes {compile}.",
        {
            "leave": 10_000 * STEP,
            "compile": COMPILE + 10_000 * WAITING,
            "gpu": COMPILE + _LAUNCH + 10_000 * GPU_WAITING,
        },
        "How long does it take now, and how long to compile?",
    ),
    "sum": Job(
        "nothing-to-compile",
        f"NumPy's sum is compiled already: {{leave}}. Over the bus alone the data take {seconds(800e6 / _BUS)}, "
        f"and compiling your own sum {seconds(COMPILE)}.",
        {
            "leave": 800e6 / BANDWIDTH,
            "compile": COMPILE + 800e6 / BANDWIDTH,
            "gpu": 800e6 / _BUS + _LAUNCH + 800e6 / _GPU,
        },
        "In which language is NumPy's `sum` written?",
    ),
    "recurrence": Job(
        "recurrence",
        "10⁸ turns take the interpreter {leave}, compiled {compile}. Each needs the one before, so one "
        "thread does them all, and one thread of a GPU is slow: {gpu}.",
        {
            "leave": 1e8 * STEP,
            "compile": COMPILE + 1e8 * WAITING,
            "gpu": COMPILE + 1.6e9 / _BUS + 1e8 * GPU_WAITING,
        },
        "How many of these turns can run at the same time?",
    ),
    "pictures": Job(
        "transfer",
        "Compiled, on all cores: {compile} for all of them. Each picture would cross the bus twice for one smoothing: {gpu}.",
        {
            "leave": 1000 * PICTURE * _PIXEL,
            "compile": COMPILE + 1000 * _SMOOTH,
            "gpu": COMPILE + 1000 * (_TRIP + _LAUNCH + 2 * PICTURE / _GPU),
        },
        "Time the bus: 100 MB there and 100 MB back, at 12 GB/s.",
    ),
    "steps": Job(
        "residency",
        "The picture is on the device, where each step takes a quarter of a millisecond: {gpu}. On the "
        "host all steps take {compile}.",
        {
            "leave": PICTURE / _BUS + 10_000 * PICTURE * _PIXEL,
            "compile": PICTURE / _BUS + COMPILE + 10_000 * _SMOOTH,
            "gpu": COMPILE + 10_000 * (_LAUNCH + 2 * PICTURE / _GPU),
        },
        "Where is the picture, and how often is it used?",
    ),
}

WORTH = decide(
    "compiling.worth",
    "Leave it, compile it, or the GPU?",
    JOBS,
    uniform={
        "leave": (
            "always-leave",
            "everything was left as it is. A hundred million turns in the interpreter are long.",
        ),
        "compile": (
            "always-compile",
            "everything was compiled. That has a price, half a second for each function, and what NumPy does in one "
            "call is compiled already.",
        ),
        "gpu": ("always-gpu", "the GPU was chosen for everything. It has a price: the way over the bus."),
    },
    hints=(
        "For each job write three times below each other: as it stands, compiled (with the half second), and on the GPU "
        "with the way there and back.",
        "Turns × 50 ns in the interpreter. Bytes ÷ 50 GB/s compiled, on all cores. Bytes over the bus ÷ 12 GB/s.",
        "Two questions decide: is the work long enough to pay for compiling? And how often is each byte used once it "
        "has crossed the bus?",
    ),
)
