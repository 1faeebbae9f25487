"""``dataframes.worth``: five jobs on tables; which belong on a GPU, by the least time that each side takes.

The desk's figures are given in the exercise. They are of the size that such machines have; the decisions do not hang on their last digit
(`tests/problems/test_dataframes_answers.py` halves and doubles each).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..choices import ChoicesJudge, Item, turned
from ..problem import Problem, Wrong


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


@dataclass(frozen=True)
class Job:
    """What a job takes on either side, in seconds."""

    cpu: float
    gpu: float
    times: dict[str, float] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", {"cpu": self.cpu, "gpu": self.gpu})

    def best(self) -> str:
        return min(self.times, key=self.times.__getitem__)


def jobs(desk: Desk) -> dict[str, Job]:
    """The exercise's table, in its order."""
    column, table = 80e6, 2e9
    return {
        "mean": Job(desk.call + column / desk.memory, desk.gpu_call + column / desk.bus + column / desk.gpu_memory),
        "session": Job(
            300 * (desk.call + table / desk.memory),
            table / desk.bus + 300 * (desk.gpu_call + table / desk.gpu_memory),
        ),
        "small": Job(
            5000 * (desk.call + 16e3 / desk.memory),
            5000 * (desk.gpu_call + 16e3 / desk.bus + 16e3 / desk.gpu_memory),
        ),
        "parse": Job(8e9 / desk.parsing, 8e9 / desk.bus + 8e9 / desk.gpu_parsing),
        "fallback": Job(
            20 * (desk.call + table / desk.memory),
            table / desk.bus
            + 15 * (desk.gpu_call + table / desk.gpu_memory)
            + 5 * (2 * table / desk.bus + desk.call + table / desk.memory),
        ),
    }


JOBS = jobs(Desk())
RIGHT = {key: job.best() for key, job in JOBS.items()}
_REASONS = {
    "mean": "transfer",
    "session": "residency",
    "small": "launch",
    "parse": "arithmetic",
    "fallback": "crossing",
}


def _said(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds >= 0.1 else f"{seconds * 1e3:.2g} ms"


def _why(key: str) -> str:
    cpu, gpu = _said(JOBS[key].cpu), _said(JOBS[key].gpu)
    return {
        "mean": f"The processor reads the column in {cpu}; only to send it takes the GPU longer: {gpu}.",
        "session": f"The table crosses the bus once and is used 300 times: {gpu}. The processor reads it 300 times in {cpu}.",
        "small": f"5 000 calls cost the GPU {gpu}, whatever is in the tables, and the processor {cpu}.",
        "parse": f"To parse is work, on every byte, and the GPU does more of it at once: {gpu}, the bus included, against {cpu}.",
        "fallback": f"Five steps bring the table to the host and back, and that alone takes {_said(5 * 4e9 / Desk().bus)}: "
        f"{gpu} in all. The processor has done all twenty after {cpu}.",
    }[key]


WORTH = Problem(
    id="dataframes.worth",
    title="Does this table belong on a GPU?",
    kind="decide",
    answers=("decisions",),
    lines=1,
    judge=ChoicesJudge(
        items={key: Item(RIGHT[key], _why(key), _REASONS[key]) for key in JOBS},
        labels=("cpu", "gpu"),
        uniform={
            "gpu": (
                "always-gpu",
                "the GPU was chosen for everything. Some of these tables pay more for the way than for the work.",
            ),
            "cpu": (
                "always-cpu",
                "the processor was chosen for everything. Some of these tables are used often enough.",
            ),
        },
    ),
    hints=(
        "For each job write two sums below each other: calls, bytes over the bus, bytes read on the spot.",
        "How often does each byte cross the bus, and how often is it read once it is there?",
        "`mean`: 0.9 ms against 3.2 ms of bus. `small`: 5 000 times the cost of a call. `fallback`: ten crossings of 2 GB.",
    ),
    wrong={
        "always gpu": Wrong(dict.fromkeys(JOBS, "gpu"), "always-gpu"),
        "always cpu": Wrong(dict.fromkeys(JOBS, "cpu"), "always-cpu"),
        **{
            reason: Wrong(turned(RIGHT, key), reason, hint=hint)
            for (key, reason), hint in zip(
                _REASONS.items(),
                (
                    "Where does the column lie, and how often is it read?",
                    "How often does the table cross the bus, and how often is it read?",
                    "What does a call cost before it has looked at a single row?",
                    "Is this bound by reading bytes, or by what is done with each?",
                    "How much crosses the bus each time that a step falls back?",
                ),
                strict=True,
            )
        },
        "list": Wrong(list(RIGHT.values()), "type"),
        "labels": Wrong({**RIGHT, "parse": "cudf"}, "labels"),
    },
    right={"as reckoned": RIGHT, "in capitals": {key: label.upper() for key, label in RIGHT.items()}},
)
