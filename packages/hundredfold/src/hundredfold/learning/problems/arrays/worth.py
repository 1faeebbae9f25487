"""``arrays.worth``: four jobs; which of them are worth the GPU? At least one is not.

Each side gets the least time it could take: bytes over bandwidth or arithmetic over rate, whichever is longer, plus
what it must move over the bus and what it costs to start. Least times are fair to both: each side's software may be
perfect.
"""

from __future__ import annotations

from ..choices import Job, Machine, Rates, decide, seconds
from . import v100

MACHINE = Machine(
    cpu=Rates(v100.CPU_BANDWIDTH, v100.CPU_FP64, v100.CPU_CALL),
    gpu=Rates(v100.BANDWIDTH, v100.FP64, v100.LAUNCH),
    link=v100.LINK,
)

JOBS = {
    "small_sum": Job(  # of 1 000 float64 that are on the host
        "launch",
        "8 kB are summed on the CPU in about {cpu}, what a call of NumPy costs. To launch one kernel "
        f"takes {seconds(v100.LAUNCH)}, before it has read anything.",
        MACHINE.times(8e3, link=8e3 + 8),
        "What does it cost to launch a kernel that does nothing?",
    ),
    "large_sum": Job(  # of 800 MB that are on the host, once
        "transfer",
        "The CPUs read 800 MB in {cpu}. The bus alone takes {bus}, so the GPU needs {gpu}: the bus is "
        "slower than the host's own memory, and each number is used only once.",
        MACHINE.times(800e6, link=800e6 + 8),
        "Time the bus: 800 MB at 12 GB/s.",
    ),
    "fused_count": Job(  # sin² + cos² == 1 counted in one fused pass over 800 MB that are on the device, a hundred times
        "residency",
        "The data is on the device and stays there: a hundred passes take the GPU {gpu}. The CPUs "
        "would first have to fetch it and then need {cpu} in all.",
        MACHINE.times(800e6, calls=100, link=8, fetch=800e6),
        "Where is the data when the job begins?",
    ),
    "matmul": Job(  # of two 10 000 × 10 000 float64 matrices, from the host and back, once
        "arithmetic",
        "Each number is used 10 000 times: 2·10¹² operations take the CPUs {cpu}. With {bus} on the bus "
        "for the 2.4 GB the GPU needs {gpu}.",
        MACHINE.times(2.4e9, 2e12, link=2.4e9),
        "Count the operations: 2n³, not n².",
    ),
}

WORTH = decide(
    "arrays.worth",
    "Is it worth the GPU?",
    JOBS,
    uniform={
        "cpu": (
            "always-cpu",
            "the CPU was chosen for everything. Where data is used again and again, the GPU earns its way.",
        ),
        "gpu": (
            "always-gpu",
            "the GPU was chosen for everything. It has a price: the launch, and the way over the bus.",
        ),
    },
    hints=(
        "For each job write two times below each other: what the CPUs need, and what the GPU needs with the way there "
        "and back.",
        "Bytes over bandwidth: 153.6 GB/s in the host's memory, 900 GB/s in the device's, 12 GB/s on the bus. A "
        "launch costs about 10 µs. Where is the data when the job begins, and where is it wanted?",
        "How often is each number used once it is on the device? Once does not pay for the bus; a hundred or ten "
        "thousand times does.",
    ),
)
