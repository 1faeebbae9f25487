"""``polars.engine``: five queries. Run it on the GPU as it is, rewrite it, cut it in two, or leave it on the CPU?

Each way gets the least time that the exercise's rates allow. A query that the GPU engine refuses takes the CPU's time.
"""

from __future__ import annotations

import math

from ..choices import Job, decide

CPU, GPU, BUS = 5e9, 100e9, 25e9  # bytes a second: one step on the CPU, one on the GPU, the way up
CPU_CALL, GPU_CALL = 1e-3, 5e-3  # seconds of a query before it looks at a row
COLUMN = 0.8e-3  # seconds for each column that goes up from memory


def cpu(nbytes: float, steps: int, queries: int = 1) -> float:
    """Seconds of all queries on the CPU."""
    return queries * (CPU_CALL + steps * nbytes / CPU)


def gpu(nbytes: float, steps: int, queries: int = 1, columns: int = 10) -> float:
    """Seconds of all queries on the GPU: each sends its columns up first."""
    return queries * (GPU_CALL + columns * COLUMN + nbytes / BUS + steps * nbytes / GPU)


def _times(on_gpu: float, on_cpu: float, rewritten: float = math.inf, split: float = math.inf) -> dict[str, float]:
    return {"gpu": on_gpu, "rewrite": rewritten, "split": split, "cpu": on_cpu}


TABLE, STEPS = 30e9, 4
SIMPLE = gpu(TABLE, STEPS)
ON_CPU = cpu(TABLE, STEPS)

JOBS = {
    "means": Job(
        "arithmetic",
        "The GPU engine takes all four steps: {gpu}, the way up included. The CPU takes {cpu}.",
        _times(SIMPLE, ON_CPU),
        "Each step reads 30 GB. Where is that faster?",
    ),
    "classes": Job(
        "fallback",
        "With `cut` the whole query runs on the CPU: {gpu}. With `when` the GPU does it in {rewrite}.",
        _times(ON_CPU, ON_CPU, rewritten=SIMPLE, split=cpu(TABLE, 1) + gpu(TABLE, STEPS - 1)),
        "Is there an expression that says the same as `cut`?",
    ),
    "asof": Job(
        "fallback",
        "As one query it runs on the CPU: {gpu}. In two, the GPU makes the 1 000 rows and the CPU joins them: {split}.",
        _times(ON_CPU + CPU_CALL, ON_CPU + CPU_CALL, split=SIMPLE + cpu(48e3, 1)),
        "How many rows are left when the refused step begins?",
    ),
    "small": Job(
        "launch",
        "3 000 queries cost the GPU engine {gpu} before anything else. The CPU has done all of them in {cpu}.",
        _times(gpu(1e6, 2, queries=3000), cpu(1e6, 2, queries=3000)),
        "What does a query cost before it has looked at a row?",
    ),
    "wide": Job(
        "crossing",
        "10 000 columns go up one by one: {gpu}. The CPU joins them where they are, in {cpu}.",
        _times(gpu(0.8e9, 1, columns=10_000), cpu(0.8e9, 1)),
        "How many columns cross the bus, and what does each of them cost?",
    ),
}

ENGINE = decide(
    "polars.engine",
    "Which engine, and in which form?",
    JOBS,
    said=lambda time: f"{time:.2g} s",
    uniform={
        "gpu": ("always-gpu", "the GPU was chosen for everything. Two of these queries fall back as they are."),
        "rewrite": (
            "always-rewrite",
            "all were to be rewritten. Only one of them has a step that can be said otherwise.",
        ),
        "split": (
            "always-split",
            "all were to be cut in two. That helps where the refused step comes last, and few rows are left.",
        ),
        "cpu": ("always-cpu", "the CPU was chosen for everything. Three of these read 30 GB four times."),
    },
    hints=(
        "For each query ask first whether the GPU engine takes it. If it does not, all of it takes the CPU's time.",
        "Then write two sums: calls, columns and bytes on the way up, and bytes for each step.",
        "`means`: 24 s against 2.4 s. `small`: 3 000 times the cost of a query. `wide`: 10 000 columns.",
    ),
)
