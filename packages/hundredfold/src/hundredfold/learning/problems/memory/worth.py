"""``memory.worth``: five jobs on a desk with a consumer GPU, whose float64 is slow. Which of them are worth it?

Each side gets the least time it could take, as in ``arrays.worth``. The GPU's figures are those of
`gpusim.hardware.gpus`, written out because the problem's text depends on them; the CPU's are computed: 16 cores
× 16 (float64; 32 in float32) operations per cycle × 2 units × 4.5 GHz, and two channels of DDR5-5600.
"""

from __future__ import annotations

from ..choices import Job, Machine, Rates, decide, seconds

GPU = "RTX 4090"
BANDWIDTH, FP64, FP32, LINK, LAUNCH = 1008e9, 1.29e12, 82.6e12, 25e9, 5e-6
CPU_BANDWIDTH, CPU_FP64, CPU_FP32, CPU_CALL = 90e9, 2.3e12, 4.6e12, 1e-6
IN_FLOAT64 = Machine(Rates(CPU_BANDWIDTH, CPU_FP64, CPU_CALL), Rates(BANDWIDTH, FP64, LAUNCH), LINK)
IN_FLOAT32 = Machine(Rates(CPU_BANDWIDTH, CPU_FP32, CPU_CALL), Rates(BANDWIDTH, FP32, LAUNCH), LINK)

JOBS = {
    "matmul64": Job(
        "arithmetic",
        f"2·10¹² operations in float64 take the GPU {seconds(2e12 / FP64)}, and the bus {{bus}}. The CPU needs "
        "{cpu}: this GPU does sixty-four times fewer operations a second in float64 than in float32.",
        IN_FLOAT64.times(2.4e9, 2e12, link=2.4e9),
        "At which rate does this GPU work in float64?",
    ),
    "matmul32": Job(
        "item-size",
        "The same operations in float32: {gpu} on the GPU with its bus, {cpu} on the CPU.",
        IN_FLOAT32.times(1.2e9, 2e12, link=1.2e9),
        "At which rate does this GPU work in float32?",
    ),
    "stream": Job(
        "transfer",
        "64 GB cross the bus in {bus}; the CPU reads them from its own memory in {cpu}.",
        IN_FLOAT64.times(64e9, 8e9, link=64e9),
        "How long do 64 GB take over the bus, and how long from the host's memory?",
    ),
    "sweeps": Job(
        "residency",
        "The data is there and stays there, and bytes are all there is: 500 sweeps over 0.8 GB take the GPU {gpu}, "
        "the CPU {cpu} with fetching it.",
        IN_FLOAT32.times(800e6, 400e6, calls=500, fetch=400e6),
        "Where is the data, and how often is it read?",
    ),
    "tiny": Job(  # 24 kB: a cache has them
        "launch",
        "400 kernels take {gpu} to launch, whatever they do; on the CPU 400 calls take some {cpu}, in its cache.",
        IN_FLOAT64.times(0, 1e3, calls=400),
        "What do 400 launches cost that do nothing?",
    ),
}

WORTH = decide(
    "memory.worth",
    "A gaming GPU on the desk",
    JOBS,
    uniform={
        "cpu": (
            "always-cpu",
            "the CPU was chosen for everything. In float32, and where data stays on it, this GPU is far ahead.",
        ),
        "gpu": (
            "always-gpu",
            "the GPU was chosen for everything. Look at its float64, at its bus, and at what a launch costs.",
        ),
    },
    hints=(
        "For each job write two times: what the CPU needs at least, and what the GPU needs at least with the bus.",
        "Each needs the longer of bytes over bandwidth and operations over rate. There are two rates of arithmetic: which dtype is it?",
        "2·10¹² operations at 1.29 TFLOP/s are 1.55 s; 64 GB at 25 GB/s are 2.56 s; 400 launches of 5 µs are 2 ms. Now the other side of each.",
    ),
)
