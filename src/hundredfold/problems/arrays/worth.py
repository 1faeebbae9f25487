"""``arrays.worth``: four jobs; which of them are worth the GPU? At least one is not.

Each side gets the least time it could take: bytes over bandwidth or arithmetic over rate, whichever is longer, plus
what it must move over the bus and what it costs to start. Least times are fair to both: each side's software may be
perfect.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..choices import ChoicesJudge, Item, turned
from ..problem import Problem, Wrong
from . import v100


@dataclass(frozen=True)
class Job:
    """A job: what it moves and reckons in one go, where its data is, and how often it is done.

    Parameters
    ----------
    bytes, flops : float
        Of one go: memory read and written once; floating point operations.
    up, down : float
        Bytes to move to the device first, and back to the host at the end, if it is done on the GPU.
    fetch : float
        Bytes to move to the host first if it is done on the CPU.
    times : int
    """

    bytes: float
    flops: float = 0.0
    up: float = 0.0
    down: float = 0.0
    fetch: float = 0.0
    times: int = 1

    def cpu(self) -> float:
        """Least seconds on the host's two CPUs."""
        once = max(self.bytes / v100.CPU_BANDWIDTH, self.flops / v100.CPU_FP64) + v100.CPU_CALL
        return self.times * once + self.fetch / v100.LINK

    def gpu(self) -> float:
        """Least seconds on the V100, what goes over the bus included."""
        once = max(self.bytes / v100.BANDWIDTH, self.flops / v100.FP64) + v100.LAUNCH
        return self.times * once + self.bus()

    def bus(self) -> float:
        return (self.up + self.down) / v100.LINK


JOBS = {
    "small_sum": Job(bytes=8e3, up=8e3, down=8),
    "large_sum": Job(bytes=800e6, up=800e6, down=8),
    "fused_count": Job(bytes=800e6, down=8, fetch=800e6, times=100),
    "matmul": Job(bytes=2.4e9, flops=2e12, up=1.6e9, down=0.8e9),
}
"""(a) the sum of 1 000 float64 that are on the host; (b) the sum of 800 MB that are on the host, once; (c) sin² + cos²
== 1 counted in one fused pass over 800 MB that are on the device, a hundred times; (d) the product of two 10 000 × 10
000 float64 matrices, from the host and back, once."""


def seconds(time: float) -> str:
    """A time for a sentence, in at most three digits."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if time >= scale * 0.9995:
            return f"{time / scale:.3g} {unit}"
    return f"{time / 1e-9:.3g} ns"


def _best(job: Job) -> str:
    return "gpu" if job.gpu() < job.cpu() else "cpu"


def _explained(key: str) -> str:
    job = JOBS[key]
    cpu, gpu, bus = seconds(job.cpu()), seconds(job.gpu()), seconds(job.bus())
    return {
        "small_sum": f"8 kB are summed on the CPU in about {cpu}, what a call of NumPy costs. To launch one kernel "
        f"takes {seconds(v100.LAUNCH)}, before it has read anything.",
        "large_sum": f"The CPUs read 800 MB in {cpu}. The bus alone takes {bus}, so the GPU needs {gpu}: the bus is "
        "slower than the host's own memory, and each number is used only once.",
        "fused_count": f"The data is on the device and stays there: a hundred passes take the GPU {gpu}. The CPUs "
        f"would first have to fetch it and then need {cpu} in all.",
        "matmul": f"Each number is used 10 000 times: 2·10¹² operations take the CPUs {cpu}. With {bus} on the bus "
        f"for the 2.4 GB the GPU needs {gpu}.",
    }[key]


_REASONS = {"small_sum": "launch", "large_sum": "transfer", "fused_count": "residency", "matmul": "arithmetic"}
RIGHT = {key: _best(job) for key, job in JOBS.items()}


WORTH = Problem(
    id="arrays.worth",
    title="Is it worth the GPU?",
    kind="decide",
    answers=("decisions",),
    lines=1,
    judge=ChoicesJudge(
        items={key: Item(RIGHT[key], _explained(key), _REASONS[key]) for key in JOBS},
        labels=("cpu", "gpu"),
        uniform={
            "gpu": (
                "always-gpu",
                "the GPU was chosen for everything. It has a price: the launch, and the way over the bus.",
            ),
            "cpu": (
                "always-cpu",
                "the CPU was chosen for everything. Where data is used again and again, the GPU earns its way.",
            ),
        },
    ),
    hints=(
        "For each job write two times below each other: what the CPUs need, and what the GPU needs with the way there "
        "and back.",
        "Bytes over bandwidth: 153.6 GB/s in the host's memory, 900 GB/s in the device's, 12 GB/s on the bus. A "
        "launch costs about 10 µs. Where is the data when the job begins, and where is it wanted?",
        "How often is each number used once it is on the device? Once does not pay for the bus; a hundred or ten "
        "thousand times does.",
    ),
    wrong={
        "always-gpu": Wrong(dict.fromkeys(JOBS, "gpu"), "always-gpu"),
        "always-cpu": Wrong(dict.fromkeys(JOBS, "cpu"), "always-cpu"),
        "transfer": Wrong(turned(RIGHT, "large_sum"), "transfer", hint="Time the bus: 800 MB at 12 GB/s."),
        "launch": Wrong(
            turned(RIGHT, "small_sum"), "launch", hint="What does it cost to launch a kernel that does nothing?"
        ),
        "residency": Wrong(turned(RIGHT, "fused_count"), "residency", hint="Where is the data when the job begins?"),
        "arithmetic": Wrong(turned(RIGHT, "matmul"), "arithmetic", hint="Count the operations: 2n³, not n²."),
        "list": Wrong(["cpu", "cpu", "gpu", "gpu"], "type"),
        "labels": Wrong({**RIGHT, "matmul": "both"}, "labels"),
        "keys": Wrong({"a": "cpu", "b": "cpu", "c": "gpu", "d": "gpu"}, "labels"),
    },
    right={"as reckoned": RIGHT, "in capitals": {key: label.upper() for key, label in RIGHT.items()}},
)
