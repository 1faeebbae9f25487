"""``capstone.worth``: the stages of both tracks. Which belong on the processor, which on a GPU, which on a cluster of eight?

Each gets the least time that it could take: the longer of bytes over bandwidth and operations over rate, what its launches cost, and what
must cross a bus; a cluster has eight of everything, and a second to begin with. The figures are a made-up server's, near an A100 PCIe
beside 64 cores.
"""

from __future__ import annotations

from ..choices import Job, Machine, Rates, decide

MACHINE = Machine(cpu=Rates(150e9, 2e12), gpu=Rates(2e12, 20e12), link=25e9)
LAUNCH = 5e-6
GPUS, START = 8, 1.0


def _times(
    nbytes: float, flops: float = 0.0, launches: int = 1, *, link: float = 0.0, fetch: float = 0.0
) -> dict[str, float]:
    """Least seconds in each place, for bytes and operations in all."""
    times = MACHINE.times(nbytes, flops, link=link, fetch=fetch)
    gpu = times["gpu"] + launches * LAUNCH
    return {**times, "gpu": gpu, "cluster": START + gpu / GPUS}


JOBS = {
    "clean": Job(
        "transfer",
        "60 MB go up and 60 MB come back: {bus} on the bus alone, and the processor is done after {cpu}.",
        _times(3 * 60e6, launches=10, link=2 * 60e6),
        "How long does the table cross the bus?",
    ),
    "photo": Job(
        "transfer",
        "One photograph: {bus} on the bus, and {cpu} on the processor.",
        _times(3.2e6, 24e6, link=3.2e6),
        "What does one photograph cost on the bus?",
    ),
    "days": Job(
        "launch",
        "A small matrix in 300 small kernels: {gpu}, nearly all of it launches; the processor needs {cpu}.",
        _times(0.3e6, 20e6, launches=300, link=0.2e6),
        "300 kernels of 5 µs, whatever is in them.",
    ),
    "futures": Job(
        "residency",
        "They are drawn, used and summed up where they are: {gpu} on one GPU, {cpu} on the processor. A cluster has not even "
        "started by then ({cluster}).",
        _times(25.6e9, 160e9, launches=20, link=3e6),
        "Nothing crosses the bus here but the result.",
    ),
    "patches": Job(
        "startup",
        "They lie on the device: {gpu} there. The processor would have to fetch them and takes {cpu}; eight GPUs {cluster}, "
        "nearly all of it to start.",
        _times(3e9, 600e9, launches=100, fetch=1.5e9),
        "What does a cluster take before it does anything?",
    ),
    "archive": Job(
        "unshared",
        "4 TB pass one bus in {gpu}, eight buses in {cluster}; the processor computes for {cpu}.",
        _times(8e12, 240e12, launches=10_000, link=4e12),
        "Eight GPUs have eight buses.",
    ),
    "sweep": Job(
        "unshared",
        "64 runs that need nothing of each other: {gpu} one after the other, {cluster} on eight.",
        _times(64 * 10e12, launches=64 * 20_000),
        "Which run has to wait for another one?",
    ),
}

WORTH = decide(
    "capstone.worth",
    "Where does each stage belong?",
    JOBS,
    lines=2,
    uniform={
        "cpu": ("always-cpu", "Everything on the processor? One of these stages moves 640 TB."),
        "gpu": (
            "always-gpu",
            "Everything on one GPU? Look at what crosses the bus for the small ones, and at what falls into parts.",
        ),
        "cluster": ("always-cluster", "Everything on the cluster? Most of these are over before it has started."),
    },
    hints=(
        "Three times for each stage: on the processor bytes over 150 GB/s or operations over 2 TFLOP/s, whichever is longer; on the GPU the "
        "same with its rates, plus launches, plus the bus.",
        "The cluster: a second, and an eighth of the GPU's time. So it cannot pay below 8/7 of a second on one GPU.",
        "60 MB up and 60 MB down are 4.8 ms on the bus, and 180 MB in the processor's memory 1.2 ms. 300 launches take 1.5 ms. 4 TB over one "
        "bus take 160 s.",
    ),
)
