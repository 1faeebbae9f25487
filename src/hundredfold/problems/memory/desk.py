"""``memory.worth``: five jobs on a desk with a consumer GPU, whose float64 is slow. Which of them are worth it?

Each side gets the least time it could take, as in ``arrays.worth``. The GPU's figures are those of
`hundredfold.machine.gpus`, written out because the problem's text depends on them; the processor's are reckoned: 16 cores
× 16 (float64; 32 in float32) operations per cycle × 2 units × 4.5 GHz, and two channels of DDR5-5600.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..choices import ChoicesJudge, Item, turned
from ..problem import Problem, Wrong

GPU = "RTX 4090"
BANDWIDTH, FP64, FP32, LINK, LAUNCH = 1008e9, 1.29e12, 82.6e12, 25e9, 5e-6
CPU_BANDWIDTH, CPU_FP64, CPU_FP32, CPU_CALL = 90e9, 2.3e12, 4.6e12, 1e-6


@dataclass(frozen=True)
class Job:
    """A job: bytes and operations of one kernel or call, how many there are, and what must cross the bus.

    Parameters
    ----------
    bytes, flops : float
        Of one call.
    single : bool
        Whether the operations are in float32.
    calls : int
    link : float
        Bytes over the bus if it is done on the GPU.
    fetch : float
        Bytes over the bus if it is done on the CPU.
    cached : bool
        Whether the data fits in the caches: then its bytes cost nothing, on either side.
    """

    bytes: float
    flops: float = 0.0
    single: bool = False
    calls: int = 1
    link: float = 0.0
    fetch: float = 0.0
    cached: bool = False

    def cpu(self) -> float:
        """Least seconds on the processor."""
        memory = 0.0 if self.cached else self.bytes / CPU_BANDWIDTH
        once = max(memory, self.flops / (CPU_FP32 if self.single else CPU_FP64)) + CPU_CALL
        return self.calls * once + self.fetch / LINK

    def gpu(self) -> float:
        """Least seconds on the GPU, the bus included."""
        memory = 0.0 if self.cached else self.bytes / BANDWIDTH
        once = max(memory, self.flops / (FP32 if self.single else FP64)) + LAUNCH
        return self.calls * once + self.link / LINK


JOBS = {
    "matmul64": Job(bytes=2.4e9, flops=2e12, link=2.4e9),
    "matmul32": Job(bytes=1.2e9, flops=2e12, single=True, link=1.2e9),
    "stream": Job(bytes=64e9, flops=8e9, link=64e9),
    "sweeps": Job(bytes=800e6, flops=400e6, single=True, calls=500, fetch=400e6),
    "tiny": Job(bytes=24e3, flops=1e3, calls=400, cached=True),
}


def seconds(time: float) -> str:
    """A time for a sentence, in at most three digits."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if time >= scale * 0.9995:
            return f"{time / scale:.3g} {unit}"
    return f"{time / 1e-9:.3g} ns"


def _explained(key: str) -> str:
    job = JOBS[key]
    cpu, gpu, bus = seconds(job.cpu()), seconds(job.gpu()), seconds(job.link / LINK)
    return {
        "matmul64": f"2·10¹² operations in float64 take the GPU {seconds(2e12 / FP64)}, and the bus {bus}. The processor needs "
        f"{cpu}: this GPU does sixty-four times fewer operations a second in float64 than in float32.",
        "matmul32": f"The same operations in float32: {gpu} on the GPU with its bus, {cpu} on the processor.",
        "stream": f"64 GB cross the bus in {bus}; the processor reads them from its own memory in {cpu}.",
        "sweeps": f"The data is there and stays there, and bytes are all there is: 500 sweeps over 0.8 GB take the GPU {gpu}, "
        f"the processor {cpu} with fetching it.",
        "tiny": f"400 kernels take {gpu} to launch, whatever they do; on the processor 400 calls take some {cpu}, in its cache.",
    }[key]


RIGHT = {key: "gpu" if job.gpu() < job.cpu() else "cpu" for key, job in JOBS.items()}
_REASONS = {
    "matmul64": "arithmetic",
    "matmul32": "item-size",
    "stream": "transfer",
    "sweeps": "residency",
    "tiny": "launch",
}


WORTH = Problem(
    id="memory.worth",
    title="A gaming GPU on the desk",
    kind="decide",
    answers=("decisions",),
    lines=1,
    judge=ChoicesJudge(
        items={key: Item(RIGHT[key], _explained(key), _REASONS[key]) for key in JOBS},
        labels=("cpu", "gpu"),
        uniform={
            "gpu": (
                "always-gpu",
                "the GPU was chosen for everything. Look at its float64, at its bus, and at what a launch costs.",
            ),
            "cpu": (
                "always-cpu",
                "the processor was chosen for everything. In float32, and where data stays on it, this GPU is far ahead.",
            ),
        },
    ),
    hints=(
        "For each job write two times: what the processor needs at least, and what the GPU needs at least with the bus.",
        "Each needs the longer of bytes over bandwidth and operations over rate. There are two rates of arithmetic: which dtype is it?",
        "2·10¹² operations at 1.29 TFLOP/s are 1.55 s; 64 GB at 25 GB/s are 2.56 s; 400 launches of 5 µs are 2 ms. Now the other side of each.",
    ),
    wrong={
        "always-gpu": Wrong(dict.fromkeys(JOBS, "gpu"), "always-gpu"),
        "always-cpu": Wrong(dict.fromkeys(JOBS, "cpu"), "always-cpu"),
        "arithmetic": Wrong(
            turned(RIGHT, "matmul64"), "arithmetic", hint="At which rate does this GPU work in float64?"
        ),
        "item-size": Wrong(turned(RIGHT, "matmul32"), "item-size", hint="At which rate does this GPU work in float32?"),
        "transfer": Wrong(
            turned(RIGHT, "stream"),
            "transfer",
            hint="How long do 64 GB take over the bus, and how long from the host's memory?",
        ),
        "residency": Wrong(turned(RIGHT, "sweeps"), "residency", hint="Where is the data, and how often is it read?"),
        "launch": Wrong(turned(RIGHT, "tiny"), "launch", hint="What do 400 launches cost that do nothing?"),
        "list": Wrong(["cpu", "gpu", "cpu", "gpu", "cpu"], "type"),
        "labels": Wrong({**RIGHT, "tiny": "both"}, "labels"),
        "keys": Wrong({str(number): label for number, label in enumerate(RIGHT.values())}, "labels"),
    },
    right={"as reckoned": RIGHT, "in capitals": {key: label.upper() for key, label in RIGHT.items()}},
)
