"""``fast-kernels.worth``: five jobs; the CPU, a library on the GPU, or a kernel of one's own."""

from __future__ import annotations

from ..arrays import v100
from ..choices import Job, decide

CPU_BANDWIDTH, CPU_FLOPS = 50e9, 1e12  # B/s and float32 operations a second of a laptop
CPU_CACHE = 400e9  # B/s, what fits into its cache
GPU_FLOPS = 15e12  # float32 operations a second, a V100
BY_LIBRARY, BY_HAND = 0.8, 0.1  # share of them that the library's product reaches, and a tiled kernel of 20 lines
TWICE = 2.0
"""A kernel of one's own is worth writing where it takes at most half the library's time."""

PRODUCT = 4096
SUM = 1e8
LARGE, SMALL, STEPS, MANY = 8192, 64, 1000, 10_000
MATRIX = 10_000
PASSES = 13
"""Arrays that pass through memory where slices make a step, `v[1:-1, 1:-1] = 0.25 * (u[:-2] + …)`: three additions read two
arrays and write one, the product and the assignment read one and write one."""

_BUS, _LAUNCH, _GPU = v100.LINK, v100.LAUNCH, v100.BANDWIDTH


def _job(reason: str, why: str, hint: str, *, cpu: float, library: float, kernel: float) -> Job:
    """A job by its least seconds in each of three ways, launches and the bus included."""
    best = "kernel" if TWICE * kernel <= library else "library"
    right = "cpu" if cpu < min(library, kernel) else best
    return Job(reason, why, {"cpu": cpu, "library": library, "kernel": kernel}, hint, right)


def _steps(side: int, steps: int, passes: int, launches: int) -> float:
    return steps * (launches * _LAUNCH + passes * 4 * side * side / _GPU)


_flops, _plate, _matrix = 2.0 * PRODUCT**3, 4.0 * LARGE**2, 4.0 * MATRIX**2
JOBS = {
    "product": _job(
        "rewritten",
        "The library's product takes {library}, a tiled kernel of twenty lines {kernel}, the bus and the CPU {cpu}.",
        "What share of the peak does each of the two reach?",
        cpu=3 * 4 * PRODUCT**2 / _BUS + _flops / CPU_FLOPS,
        library=_LAUNCH + _flops / (BY_LIBRARY * GPU_FLOPS),
        kernel=_LAUNCH + _flops / (BY_HAND * GPU_FLOPS),
    ),
    "sum": _job(
        "reached",
        "The library's sum is at the limit of the memory, {library}; your own could come to that, after a week. To fetch the "
        "numbers and add them on the CPU takes {cpu}.",
        "How far is the library's sum from the memory's limit? What is left to win?",
        cpu=4 * SUM / _BUS + 4 * SUM / CPU_BANDWIDTH,
        library=2 * _LAUNCH + 4 * SUM / _GPU,
        kernel=2 * _LAUNCH + 4 * SUM / _GPU,
    ),
    "small": _job(
        "launch",
        "The plate fits into the CPU's cache: {cpu}. Ten thousand launches alone take {kernel}.",
        "How long do 10 000 launches take that do nothing?",
        cpu=MANY * 2 * 4 * SMALL**2 / CPU_CACHE,
        library=_steps(SMALL, MANY, PASSES, 5),
        kernel=_steps(SMALL, MANY, 2, 1),
    ),
    "large": _job(
        "unwritten",
        f"One kernel reads and writes the plate once a step: {{kernel}}. Slices make {PASSES} passes of it: {{library}}. "
        "The CPU needs {cpu}.",
        "How many arrays pass through memory in one step?",
        cpu=2 * _plate / _BUS + STEPS * 2 * _plate / CPU_BANDWIDTH,
        library=_steps(LARGE, STEPS, PASSES, 5),
        kernel=_steps(LARGE, STEPS, 2, 1),
    ),
    "turn": _job(
        "transfer",
        "The CPU needs {cpu}. The matrix crosses the bus twice, whoever turns it in between: {library}.",
        "Time the bus: 400 MB there and 400 MB back.",
        cpu=2 * _matrix / CPU_BANDWIDTH,
        library=2 * _matrix / _BUS + 2 * _matrix / _GPU,
        kernel=2 * _matrix / _BUS + 2 * _matrix / _GPU,
    ),
}

WORTH = decide(
    "fast-kernels.worth",
    "The CPU, a library, or a kernel of your own?",
    JOBS,
    uniform={
        "cpu": ("always-cpu", "the CPU was chosen for everything. Where the data lie and stay, the GPU is faster."),
        "library": (
            "always-gpu",
            "a library on the GPU was chosen for everything. Launches and the bus have their price, and arrays in between, too.",
        ),
        "kernel": (
            "always-kernel",
            "a kernel of one's own was chosen for everything. Somebody has written most of them already, and better.",
        ),
    },
    hints=(
        "For each job write three times: bytes ÷ bandwidth or operations ÷ rate on each side, the launches, and what crosses the bus.",
        "A kernel of your own has to take half the library's time, or it is not worth its bugs. For which of the five does it?",
    ),
)
