"""``dataframes.worth``: five jobs on tables; which belong on a GPU, by the least time that each side takes.

The desk's figures are given in the exercise. They are of the size that such machines have; the decisions do not hang on their last digit
(`packages/hundredfold/tests/learning/problems/test_dataframes_answers.py` takes a quarter from each and adds a third).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..choices import Job, decide


@dataclass(frozen=True)
class Desk:
    """A processor, a GPU and the bus between them; bytes per second, and seconds for a call of one dataframe operation."""

    memory: float = 90e9
    parsing: float = 3e9  # CSV, all cores
    call: float = 0.1e-3
    gpu_memory: float = 1_000e9
    gpu_parsing: float = 10e9
    gpu_call: float = 0.3e-3
    bus: float = 25e9


def times(desk: Desk) -> dict[str, dict[str, float]]:
    """Seconds of each job of the exercise's table on either side."""
    column, table, small = 80e6, 2e9, 16e3
    return {
        "mean": {
            "cpu": desk.call + column / desk.memory,
            "gpu": desk.gpu_call + column / desk.bus + column / desk.gpu_memory,
        },
        "session": {
            "cpu": 300 * (desk.call + table / desk.memory),
            "gpu": table / desk.bus + 300 * (desk.gpu_call + table / desk.gpu_memory),
        },
        "small": {
            "cpu": 5000 * (desk.call + small / desk.memory),
            "gpu": 5000 * (desk.gpu_call + small / desk.bus + small / desk.gpu_memory),
        },
        "parse": {"cpu": 8e9 / desk.parsing, "gpu": 8e9 / desk.bus + 8e9 / desk.gpu_parsing},
        "fallback": {
            "cpu": 20 * (desk.call + table / desk.memory),
            "gpu": table / desk.bus
            + 15 * (desk.gpu_call + table / desk.gpu_memory)
            + 5 * (2 * table / desk.bus + desk.call + table / desk.memory),
            "back and forth": 5 * 2 * table / desk.bus,
        },
    }


_TIMES = times(Desk())
JOBS = {
    "mean": Job(
        "transfer",
        "The processor reads the column in {cpu}; only to send it takes the GPU longer: {gpu}.",
        _TIMES["mean"],
        "Where does the column lie, and how often is it read?",
    ),
    "session": Job(
        "residency",
        "The table crosses the bus once and is used 300 times: {gpu}. The processor reads it 300 times in {cpu}.",
        _TIMES["session"],
        "How often does the table cross the bus, and how often is it read?",
    ),
    "small": Job(
        "launch",
        "5 000 calls cost the GPU {gpu}, whatever is in the tables, and the processor {cpu}.",
        _TIMES["small"],
        "What does a call cost before it has looked at a single row?",
    ),
    "parse": Job(
        "arithmetic",
        "To parse is work, on every byte, and the GPU does more of it at once: {gpu}, the bus included, against {cpu}.",
        _TIMES["parse"],
        "Is this bound by reading bytes, or by what is done with each?",
    ),
    "fallback": Job(
        "crossing",
        "Five steps bring the table to the host and back, and that alone takes {back and forth}: "
        "{gpu} in all. The processor has done all twenty after {cpu}.",
        _TIMES["fallback"],
        "How much crosses the bus each time that a step falls back?",
    ),
}

WORTH = decide(
    "dataframes.worth",
    "Does this table belong on a GPU?",
    JOBS,
    said=lambda time: f"{time:.2g} s" if time >= 0.1 else f"{time * 1e3:.2g} ms",
    uniform={
        "cpu": (
            "always-cpu",
            "the processor was chosen for everything. Some of these tables are used often enough.",
        ),
        "gpu": (
            "always-gpu",
            "the GPU was chosen for everything. Some of these tables pay more for the way than for the work.",
        ),
    },
    hints=(
        "For each job write two sums below each other: calls, bytes over the bus, bytes read on the spot.",
        "How often does each byte cross the bus, and how often is it read once it is there?",
        "`mean`: 0.9 ms against 3.2 ms of bus. `small`: 5 000 times the cost of a call. `fallback`: ten crossings of 2 GB.",
    ),
)
