"""``merges.worth``: six joins. Which belong on the GPU, which on the CPU, and which nowhere as they stand?

The CPU's engine and cuDF get the least time that their published rates allow: a join of 10 million rows with 10 million, on
16 virtual cores, took Polars 0.226 s (db-benchmark, October 2025: 88 million rows read a second; the rows written are charged at the
same rate, and at twice the rate no decision would be another); cuDF's side is its memory, at
four times the bytes of a plain pass, and 1 ms a call.
"""

from __future__ import annotations

from ..choices import Job, Machine, Rates, decide, seconds

ROW = 24.0  # bytes of a row
GPU_CALL = 1e-3  # seconds for a join or group of any size
MACHINE = Machine(cpu=Rates(90e6 * ROW, call=50e-6), gpu=Rates(6e9 * ROW, call=GPU_CALL), link=25e9)
"""The CPU's engine reads and writes 90 million rows a second, cuDF 6 000 million where they lie on the device."""
PAIRS = 2e6 * 8_000 * ROW
"""Bytes that come out of the join that no memory holds: the device has 80 GB, the host 128 GB."""


def _times(rows: float, calls: int = 1, *, link: float = 0.0, fetch: float = 0.0) -> dict[str, float]:
    """Least seconds for so many rows a call, and rows that cross the bus for the GPU and for the CPU."""
    return MACHINE.times(rows * ROW, calls=calls, link=link * ROW, fetch=fetch * ROW)


JOBS = {
    "lookup": Job(
        "launch",
        f"10 500 rows read and written: the CPU is done after {{cpu}}, and the GPU's call alone takes {seconds(GPU_CALL)}.",
        _times(10_500),
    ),
    "pipeline": Job(
        "residency",
        "Twelve steps on data that lies there: {gpu} on the GPU, {cpu} on the CPU.",
        _times(60e6, calls=12, fetch=40e6),
    ),
    "once": Job(
        "transfer",
        "Even there and back the GPU needs {gpu}, {bus} of it on the bus; the CPU joins for {cpu}. A join is more work "
        "for each byte than a sum.",
        _times(40e6, link=40e6),
    ),
    "stream": Job(
        "launch",
        f"5 000 small joins: the GPU's calls alone take {seconds(5_000 * GPU_CALL)}, all of it on the CPU {{cpu}}.",
        _times(3_000, calls=5_000, link=5_000 * 3_000),
    ),
    "pairs": Job(
        "materialised",
        f"16 thousand million rows are {PAIRS / 1e9:.0f} GB: no memory here holds them. Group each side by the key "
        "first, then merge what is left.",
        right="neither",
    ),
    "text": Job(
        "residency",
        "Text of 16 characters is read like any other bytes: {gpu} on the GPU, {cpu} on the CPU, which has to fetch it, too.",
        _times(30e6, fetch=20e6),
    ),
}

WORTH = decide(
    "merges.worth",
    "Where should it be joined?",
    JOBS,
    uniform={
        "cpu": (
            "always-cpu",
            "Everything on the CPU? One of these jobs lies on the device already, and has twelve steps.",
        ),
        "gpu": ("always-gpu", "Everything on the GPU? Look at the small ones, and count the rows of each result."),
        "neither": ("value", "Nothing at all? Only one of these results is too large for any memory here."),
    },
    hints=(
        "Work out both sides for each job: rows over rate, plus calls, plus what crosses the bus.",
        "Before that count the rows that come out. What does not fit into any memory needs another question, not another machine.",
        "A call of cuDF costs 1 ms, however few rows it has; in that time the CPU's engine has gone through 90 000.",
    ),
)
