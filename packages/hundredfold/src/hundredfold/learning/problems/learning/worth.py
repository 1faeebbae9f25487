"""``learning.worth``: six jobs with a server's GPU. Which of them are worth it?

Each side gets the least time it could take: the longer of bytes over bandwidth and operations over rate, one launch or
call for each kernel, and what must cross the bus. The figures are a made-up server's, near an A100 PCIe beside 64 cores.
"""

from __future__ import annotations

from ..choices import Job, Machine, Rates, decide

MACHINE = Machine(cpu=Rates(150e9, 2e12, 1e-6), gpu=Rates(2e12, 20e12, 5e-6), link=25e9)

JOBS = {
    "clusters": Job(
        "residency",
        "100 readings of 3.2 GB that lie on the device: {gpu}. The processor would have to fetch them, and "
        "then reads them in {cpu} altogether.",
        MACHINE.times(3.2e9, 24e9, calls=100, fetch=3.2e9),
        "Where is the data, and how often is it read?",
    ),
    "airports": Job(  # 160 kB: a cache has them
        "launch",
        "The data fits in any cache, and 400 kernels take {gpu} to launch, whatever they do; the processor makes "
        "400 calls in some {cpu}.",
        MACHINE.times(0, 25e3, calls=400),
        "What do 400 launches cost that do nothing?",
    ),
    "neighbours": Job(
        "arithmetic",
        "1.28·10¹⁴ operations for 444 MB over the bus: {gpu} on the GPU, {cpu} on the processor. "
        "Where arithmetic grows with the product of the sizes and the data with their sum, a GPU has time to cross the bus.",
        MACHINE.times(512e6, 128e12, link=444e6),
        "How many operations are done for each byte that crosses?",
    ),
    "scale": Job(
        "transfer",
        "8 GB cross the bus, there and back together, in {bus}; the processor moves them in its own memory in {cpu}.",
        MACHINE.times(8e9, 2e9, link=8e9),
        "How long do 8 GB take over the bus, and how long in the host's memory?",
    ),
    "middle": Job(
        "crossing",
        "One step in the middle is left on the host, so 2 GB cross the bus in each of 101 fits: {bus}. "
        "The processor does all of it in {cpu}.",
        MACHINE.times(1e9, 0.5e9, calls=101 * 2, link=101 * 2e9),
        "What crosses the bus, and how many times?",
    ),
    "search": Job(
        "once",
        "10 100 kernels, each of which reads 200 MB that stay on the device: {gpu}, with {bus} for the text to "
        "cross once. The processor: {cpu}.",
        MACHINE.times(200e6, 0.1e9, calls=101 * 100, link=80e6),
        "What crosses once is read 10 100 times.",
    ),
}

WORTH = decide(
    "learning.worth",
    "A GPU, or the processor beside it?",
    JOBS,
    lines=2,
    uniform={
        "cpu": (
            "always-cpu",
            'the processor was chosen for everything. Take "clusters": {clusters} Where else does data stay '
            "on the GPU, or is much computed of little?",
        ),
        "gpu": (
            "always-gpu",
            'the GPU was chosen for everything. Take "scale": {scale} Where else does much cross the bus, '
            "or is little done between launches?",
        ),
    },
    hints=(
        "For each job write two times: the longer of bytes over bandwidth and operations over rate, times the calls; and for "
        "the GPU the launches and the bus beside it.",
        "What crosses the bus once, and what in every fit? What is there already?",
        "8 GB over the bus take 0.32 s, and 8 GB in the processor's memory 0.053 s. 101 × 2 GB take 8.1 s, and 202 readings "
        "of 1 GB 1.35 s. 1.28·10¹⁴ operations take the processor 64 s.",
    ),
)
