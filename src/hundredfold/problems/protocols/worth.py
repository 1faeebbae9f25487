"""``protocols.worth``: five jobs in which arrays change hands. Which of them belong on the GPU?

Each side gets the least time it could take. The figures are those of a good server: a GPU with 2 000 GB/s and 5 µs for a
launch, a bus with 25 GB/s, a processor with 150 GB/s.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..choices import ChoicesJudge, Item, turned
from ..problem import Problem, Wrong

BANDWIDTH, CPU_BANDWIDTH, LINK, LAUNCH, CPU_CALL = 2000e9, 150e9, 25e9, 5e-6, 0.1e-6


@dataclass(frozen=True)
class Job:
    """Bytes and calls on each side.

    Parameters
    ----------
    bytes : float
        What each pass reads and writes.
    calls : int
        Passes, kernels or reads.
    crossings : float
        Bytes over the bus if it is done on the GPU.
    fetch : float
        Bytes over the bus if it is done on the CPU.
    elsewhere : float
        Bytes that the CPU must read and write even if the rest is done on the GPU.
    cached : bool
        Whether the data fits in the caches: then its bytes cost nothing, on either side.
    """

    bytes: float
    calls: int = 1
    crossings: float = 0.0
    fetch: float = 0.0
    elsewhere: float = 0.0
    cached: bool = False

    def cpu(self) -> float:
        """Least seconds on the processor."""
        memory = 0.0 if self.cached else self.bytes / CPU_BANDWIDTH
        return self.calls * (memory + CPU_CALL) + self.elsewhere / CPU_BANDWIDTH + self.fetch / LINK

    def gpu(self) -> float:
        """Least seconds on the GPU, with what the bus and the processor must do for it."""
        memory = 0.0 if self.cached else self.bytes / BANDWIDTH
        return self.calls * max(memory, LAUNCH) + self.elsewhere / CPU_BANDWIDTH + self.crossings / LINK


JOBS = {
    "handoff": Job(bytes=4e9, calls=30, fetch=4e9),
    "scalars": Job(bytes=8, calls=200_000, fetch=1.6e6, cached=True),
    "worker": Job(bytes=8e9, crossings=8e9),
    "pingpong": Job(bytes=4e9, calls=200, crossings=400e9, elsewhere=400e9, fetch=4e9),
    "steps": Job(bytes=400e6, calls=3000, fetch=200e6),
}


def seconds(time: float) -> str:
    """A time for a sentence, in three digits."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if time >= scale:
            return f"{time / scale:.3g} {unit}"
    return f"{time / 1e-9:.3g} ns"


def _explained(key: str) -> str:
    job = JOBS[key]
    cpu, gpu, bus = seconds(job.cpu()), seconds(job.gpu()), seconds(job.crossings / LINK)
    return {
        "handoff": f"From cuDF to CuPy nothing is copied: 30 passes take the GPU {gpu}; the processor needs {cpu}.",
        "scalars": f"Each read is a trip of its own, {gpu} in all. Fetch the 1.6 MB once, and the loop takes the processor {cpu}.",
        "worker": f"A pickle arrives in the worker's host memory: sending it on to the device takes {bus}, one pass on the "
        f"processor {cpu}.",
        "pingpong": f"A hundred crossings take {bus}, and {gpu} it is with the passes and the step on the host. The processor does "
        f"everything in {cpu}, fetching the array once.",
        "steps": f"New arrays or old ones, the bytes are the same: {gpu} on the GPU, {cpu} on the processor. That its arrays "
        "are immutable costs memory, not the race.",
    }[key]


RIGHT = {key: "gpu" if job.gpu() < job.cpu() else "cpu" for key, job in JOBS.items()}
_REASONS = {
    "handoff": "copied",
    "scalars": "launch",
    "worker": "transfer",
    "pingpong": "crossing",
    "steps": "residency",
}


WORTH = Problem(
    id="protocols.worth",
    title="Where should it run?",
    kind="decide",
    answers=("decisions",),
    lines=1,
    judge=ChoicesJudge(
        items={key: Item(RIGHT[key], _explained(key), _REASONS[key]) for key in JOBS},
        labels=("cpu", "gpu"),
        uniform={
            "gpu": ("always-gpu", "the GPU was chosen for everything. Count the trips over the bus, and the launches."),
            "cpu": (
                "always-cpu",
                "the processor was chosen for everything. Where data stays on the device, the GPU is ahead.",
            ),
        },
    ),
    hints=(
        "For each job write two times: all the passes on the processor, with what must be fetched for them; and all the passes on "
        "the GPU, with every crossing of the bus.",
        "Between cuDF, CuPy and Numba nothing is copied. Between a device and the host, or another process, everything is.",
        "200 000 launches are 1 s; 8 GB over the bus are 0.32 s; 400 GB over the bus are 16 s. Now the other side of each.",
    ),
    wrong={
        "always-gpu": Wrong(dict.fromkeys(JOBS, "gpu"), "always-gpu"),
        "always-cpu": Wrong(dict.fromkeys(JOBS, "cpu"), "always-cpu"),
        "copied": Wrong(turned(RIGHT, "handoff"), "copied", hint="What does it cost to hand a cuDF column to CuPy?"),
        "launch": Wrong(
            turned(RIGHT, "scalars"), "launch", hint="What does the device do for one number, and how often?"
        ),
        "transfer": Wrong(
            turned(RIGHT, "worker"), "transfer", hint="Where does what comes out of a pickle lie at first?"
        ),
        "crossing": Wrong(
            turned(RIGHT, "pingpong"), "crossing", hint="How often does the array cross the bus in fifty rounds?"
        ),
        "residency": Wrong(
            turned(RIGHT, "steps"), "residency", hint="Where is the data, and how often is it read and written?"
        ),
        "list": Wrong(["gpu", "cpu", "cpu", "cpu", "gpu"], "type"),
        "labels": Wrong({**RIGHT, "steps": "jax"}, "labels"),
    },
    right={"as reckoned": RIGHT, "in capitals": {key: label.upper() for key, label in RIGHT.items()}},
)
