"""``learning.worth``: six jobs with a server's GPU. Which of them are worth it?

Each side gets the least time it could take: the longer of bytes over bandwidth and operations over rate, one launch or
call for each kernel, and what must cross the bus. The figures are a made-up server's, near an A100 PCIe beside 64 cores.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..choices import ChoicesJudge, Item, turned
from ..memory.desk import seconds
from ..problem import Problem, Wrong

BANDWIDTH, RATE, LINK, LAUNCH = 2e12, 20e12, 25e9, 5e-6
CPU_BANDWIDTH, CPU_RATE, CPU_CALL = 150e9, 2e12, 1e-6


@dataclass(frozen=True)
class Job:
    """A job: bytes and operations of each kernel or call, how many there are, and what must cross the bus.

    Parameters
    ----------
    bytes, flops : float
        Of one call.
    calls : int
    link, fetch : float
        Bytes over the bus if it is done on the GPU; if it is done on the CPU.
    cached : bool
        Whether the data fits in the caches: then its bytes cost nothing, on either side.
    """

    bytes: float
    flops: float = 0.0
    calls: int = 1
    link: float = 0.0
    fetch: float = 0.0
    cached: bool = False

    def cpu(self) -> float:
        """Least seconds on the processor."""
        memory = 0.0 if self.cached else self.bytes / CPU_BANDWIDTH
        return self.calls * (max(memory, self.flops / CPU_RATE) + CPU_CALL) + self.fetch / LINK

    def gpu(self) -> float:
        """Least seconds on the GPU, the bus included."""
        memory = 0.0 if self.cached else self.bytes / BANDWIDTH
        return self.calls * (max(memory, self.flops / RATE) + LAUNCH) + self.link / LINK


JOBS = {
    "clusters": Job(bytes=3.2e9, flops=24e9, calls=100, fetch=3.2e9),
    "airports": Job(bytes=160e3, flops=25e3, calls=400, cached=True),
    "neighbours": Job(bytes=512e6, flops=128e12, link=444e6),
    "scale": Job(bytes=8e9, flops=2e9, link=8e9),
    "middle": Job(bytes=1e9, flops=0.5e9, calls=101 * 2, link=101 * 2e9),
    "search": Job(bytes=200e6, flops=0.1e9, calls=101 * 100, link=80e6),
}


def _explained(key: str) -> str:
    job = JOBS[key]
    cpu, gpu, bus = seconds(job.cpu()), seconds(job.gpu()), seconds(job.link / LINK)
    return {
        "clusters": f"100 readings of 3.2 GB that lie on the device: {gpu}. The processor would have to fetch them, and "
        f"then reads them in {cpu} altogether.",
        "airports": f"The data fits in any cache, and 400 kernels take {gpu} to launch, whatever they do; the processor makes "
        f"400 calls in some {cpu}.",
        "neighbours": f"1.28·10¹⁴ operations for 444 MB over the bus: {gpu} on the GPU, {cpu} on the processor. "
        "Where arithmetic grows with the product of the sizes and the data with their sum, a GPU has time to cross the bus.",
        "scale": f"8 GB cross the bus, there and back together, in {bus}; the processor moves them in its own memory in {cpu}.",
        "middle": f"One step in the middle is left on the host, so 2 GB cross the bus in each of 101 fits: {bus}. "
        f"The processor does all of it in {cpu}.",
        "search": f"10 100 kernels, each of which reads 200 MB that stay on the device: {gpu}, with {bus} for the text to "
        f"cross once. The processor: {cpu}.",
    }[key]


RIGHT = {key: "gpu" if job.gpu() < job.cpu() else "cpu" for key, job in JOBS.items()}
_REASONS = {
    "clusters": "residency",
    "airports": "launch",
    "neighbours": "arithmetic",
    "scale": "transfer",
    "middle": "crossing",
    "search": "once",
}


WORTH = Problem(
    id="learning.worth",
    title="A GPU, or the processor beside it?",
    kind="decide",
    answers=("decisions",),
    lines=2,
    judge=ChoicesJudge(
        items={key: Item(RIGHT[key], _explained(key), _REASONS[key]) for key in JOBS},
        labels=("cpu", "gpu"),
        uniform={
            "gpu": (
                "always-gpu",
                f'the GPU was chosen for everything. Take "scale": {_explained("scale")} Where else does much cross the bus, '
                "or is little done between launches?",
            ),
            "cpu": (
                "always-cpu",
                f'the processor was chosen for everything. Take "clusters": {_explained("clusters")} Where else does data stay '
                "on the GPU, or is much computed of little?",
            ),
        },
    ),
    hints=(
        "For each job write two times: the longer of bytes over bandwidth and operations over rate, times the calls; and for "
        "the GPU the launches and the bus beside it.",
        "What crosses the bus once, and what in every fit? What is there already?",
        "8 GB over the bus take 0.32 s, and 8 GB in the processor's memory 0.053 s. 101 × 2 GB take 8.1 s, and 202 readings "
        "of 1 GB 1.35 s. 1.28·10¹⁴ operations take the processor 64 s.",
    ),
    wrong={
        "always-gpu": Wrong(dict.fromkeys(JOBS, "gpu"), "always-gpu"),
        "always-cpu": Wrong(dict.fromkeys(JOBS, "cpu"), "always-cpu"),
        "residency": Wrong(turned(RIGHT, "clusters"), "residency", hint="Where is the data, and how often is it read?"),
        "launch": Wrong(turned(RIGHT, "airports"), "launch", hint="What do 400 launches cost that do nothing?"),
        "arithmetic": Wrong(
            turned(RIGHT, "neighbours"), "arithmetic", hint="How many operations are done for each byte that crosses?"
        ),
        "transfer": Wrong(
            turned(RIGHT, "scale"),
            "transfer",
            hint="How long do 8 GB take over the bus, and how long in the host's memory?",
        ),
        "crossing": Wrong(turned(RIGHT, "middle"), "crossing", hint="What crosses the bus, and how many times?"),
        "once": Wrong(turned(RIGHT, "search"), "once", hint="What crosses once is read 10 100 times."),
        "list": Wrong(["gpu", "cpu", "gpu", "cpu", "cpu", "gpu"], "type"),
        "labels": Wrong({**RIGHT, "airports": "neither"}, "labels"),
    },
    right={"as reckoned": RIGHT, "in capitals": {key: label.upper() for key, label in RIGHT.items()}},
)
