"""``capstone.worth``: the stages of both tracks. Which belong on the processor, which on a GPU, which on a cluster of eight?

Each gets the least time that it could take: the longer of bytes over bandwidth and operations over rate, what its launches cost, and what
must cross a bus; a cluster has eight of everything, and a second to begin with. The figures are a made-up server's, near an A100 PCIe
beside 64 cores.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..choices import ChoicesJudge, Item, but
from ..memory.desk import seconds
from ..problem import Problem, Wrong

BANDWIDTH, RATE, LINK, LAUNCH = 2e12, 20e12, 25e9, 5e-6
CPU_BANDWIDTH, CPU_RATE = 150e9, 2e12
GPUS, START = 8, 1.0
LABELS = ("cpu", "gpu", "cluster")


@dataclass(frozen=True)
class Stage:
    """A stage: what it moves and computes, how many kernels it launches, and what crosses a bus on which machine.

    Parameters
    ----------
    bytes, flops : float
        In all.
    launches : int
        Kernels, one after the other.
    link : float
        Bytes over the bus if it is done on a GPU, up and down.
    fetch : float
        Bytes over the bus if it is done on the processor, since the data lies on the GPU.
    """

    bytes: float
    flops: float = 0.0
    launches: int = 1
    link: float = 0.0
    fetch: float = 0.0

    def times(self) -> dict[str, float]:
        """Least seconds on each."""
        on_gpu = max(self.bytes / BANDWIDTH, self.flops / RATE) + self.link / LINK
        return {
            "cpu": max(self.bytes / CPU_BANDWIDTH, self.flops / CPU_RATE) + self.fetch / LINK,
            "gpu": on_gpu + self.launches * LAUNCH,
            "cluster": START + on_gpu / GPUS + self.launches / GPUS * LAUNCH,
        }

    def right(self) -> str:
        """Where it is done first."""
        times = self.times()
        return min(times, key=lambda place: times[place])


STAGES = {
    "clean": Stage(bytes=3 * 60e6, launches=10, link=2 * 60e6),
    "photo": Stage(bytes=3.2e6, flops=24e6, link=3.2e6),
    "days": Stage(bytes=0.3e6, flops=20e6, launches=300, link=0.2e6),
    "futures": Stage(bytes=25.6e9, flops=160e9, launches=20, link=3e6),
    "patches": Stage(bytes=3e9, flops=600e9, launches=100, fetch=1.5e9),
    "archive": Stage(bytes=8e12, flops=240e12, launches=10_000, link=4e12),
    "sweep": Stage(bytes=64 * 10e12, launches=64 * 20_000),
}


def _explained(key: str) -> str:
    times = STAGES[key].times()
    cpu, gpu, cluster = (seconds(times[place]) for place in LABELS)
    link = seconds(STAGES[key].link / LINK)
    return {
        "clean": f"60 MB go up and 60 MB come back: {link} on the bus alone, and the processor is done after {cpu}.",
        "photo": f"One photograph: {link} on the bus, and {cpu} on the processor.",
        "days": f"A small matrix in 300 small kernels: {gpu}, nearly all of it launches; the processor needs {cpu}.",
        "futures": f"They are drawn, used and summed up where they are: {gpu} on one GPU, {cpu} on the processor. A cluster has not even "
        f"started by then ({cluster}).",
        "patches": f"They lie on the device: {gpu} there. The processor would have to fetch them and takes {cpu}; eight GPUs {cluster}, "
        "nearly all of it to start.",
        "archive": f"4 TB pass one bus in {gpu}, eight buses in {cluster}; the processor computes for {cpu}.",
        "sweep": f"64 runs that need nothing of each other: {gpu} one after the other, {cluster} on eight.",
    }[key]


RIGHT = {key: stage.right() for key, stage in STAGES.items()}
_REASONS = {
    "clean": "transfer",
    "photo": "transfer",
    "days": "launch",
    "futures": "residency",
    "patches": "startup",
    "archive": "unshared",
    "sweep": "unshared",
}


WORTH = Problem(
    id="capstone.worth",
    title="Where does each stage belong?",
    kind="decide",
    answers=("decisions",),
    lines=2,
    judge=ChoicesJudge(
        items={key: Item(RIGHT[key], _explained(key), _REASONS[key]) for key in STAGES},
        labels=LABELS,
        uniform={
            "cpu": ("always-cpu", "Everything on the processor? One of these stages moves 640 TB."),
            "gpu": ("always-gpu", "Everything on one GPU? Look at what crosses the bus for the small ones, and at what falls into parts."),
            "cluster": ("always-cluster", "Everything on the cluster? Most of these are over before it has started."),
        },
    ),
    hints=(
        "Three times for each stage: on the processor bytes over 150 GB/s or operations over 2 TFLOP/s, whichever is longer; on the GPU the "
        "same with its rates, plus launches, plus the bus.",
        "The cluster: a second, and an eighth of the GPU's time. So it cannot pay below 8/7 of a second on one GPU.",
        "60 MB up and 60 MB down are 4.8 ms on the bus, and 180 MB in the processor's memory 1.2 ms. 300 launches take 1.5 ms. 4 TB over one "
        "bus take 160 s.",
    ),
    wrong={
        "clean": Wrong(but(RIGHT, clean="gpu"), "transfer", hint="How long does the table cross the bus?"),
        "photo": Wrong(but(RIGHT, photo="gpu"), "transfer", hint="What does one photograph cost on the bus?"),
        "days": Wrong(but(RIGHT, days="gpu"), "launch", hint="300 kernels of 5 µs, whatever is in them."),
        "futures": Wrong(but(RIGHT, futures="cpu"), "residency", hint="Nothing crosses the bus here but the result."),
        "patches": Wrong(but(RIGHT, patches="cluster"), "startup", hint="What does a cluster take before it does anything?"),
        "archive": Wrong(but(RIGHT, archive="gpu"), "unshared", hint="Eight GPUs have eight buses."),
        "sweep": Wrong(but(RIGHT, sweep="gpu"), "unshared", hint="Which run has to wait for another one?"),
        "all-cpu": Wrong(dict.fromkeys(STAGES, "cpu"), "always-cpu"),
        "all-gpu": Wrong(dict.fromkeys(STAGES, "gpu"), "always-gpu"),
        "all-cluster": Wrong(dict.fromkeys(STAGES, "cluster"), "always-cluster"),
        "label": Wrong(but(RIGHT, clean="dask"), "labels"),
        "list": Wrong(list(RIGHT.values()), "type"),
    },
    right={"as reckoned": RIGHT, "in capitals": {key: label.upper() for key, label in RIGHT.items()}},
)  # fmt: skip
