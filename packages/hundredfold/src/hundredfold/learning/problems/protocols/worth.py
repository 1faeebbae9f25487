"""``protocols.worth``: five jobs in which arrays change hands. Which of them belong on the GPU?

Each side gets the least time it could take. The figures are those of a good server: a GPU with 2 000 GB/s and 5 µs for a
launch, a bus with 25 GB/s, a CPU with 150 GB/s.
"""

from __future__ import annotations

from ..choices import Job, decide

BANDWIDTH, CPU_BANDWIDTH, LINK, LAUNCH, CPU_CALL = 2000e9, 150e9, 25e9, 5e-6, 0.1e-6


def _times(
    nbytes: float, calls: int = 1, crossings: float = 0.0, fetch: float = 0.0, elsewhere: float = 0.0
) -> dict[str, float]:
    """Least seconds on each side: `nbytes` for each of the calls (0 in a cache), `elsewhere` what the CPU must move anyway."""
    there, bus = elsewhere / CPU_BANDWIDTH, crossings / LINK
    return {
        "cpu": calls * (nbytes / CPU_BANDWIDTH + CPU_CALL) + there + fetch / LINK,
        "gpu": calls * max(nbytes / BANDWIDTH, LAUNCH) + there + bus,
        "bus": bus,
    }


JOBS = {
    "handoff": Job(
        "copied",
        "From cuDF to CuPy nothing is copied: 30 passes take the GPU {gpu}, and the CPU {cpu}.",
        _times(4e9, calls=30, fetch=4e9),
        "What does it cost to hand a cuDF column to CuPy?",
    ),
    "scalars": Job(
        "launch",
        "Each read is a trip of its own: together {gpu}. Fetch the 1.6 MB once, and the loop takes the CPU {cpu}.",
        _times(0, calls=200_000, fetch=1.6e6),
        "What does the device do for one number, and how often?",
    ),
    "worker": Job(
        "transfer",
        "A pickle arrives in the worker's host memory: sending it on to the device takes {bus}, one pass on the CPU {cpu}.",
        _times(8e9, crossings=8e9),
        "Where are the numbers before they can go to the device?",
    ),
    "pingpong": Job(
        "crossing",
        "A hundred crossings take {bus}; with the passes and the step on the host it is {gpu}. The CPU fetches the array "
        "once, and needs {cpu} for everything.",
        _times(4e9, calls=200, crossings=400e9, elsewhere=400e9, fetch=4e9),
        "How often does the array cross the bus in fifty rounds?",
    ),
    "steps": Job(
        "residency",
        "New arrays or old ones, the bytes are the same: {gpu} on the GPU, {cpu} on the CPU. Immutable arrays cost "
        "memory, not time.",
        _times(400e6, calls=3000, fetch=200e6),
        "Where is the data, and how often is it read and written?",
    ),
}

WORTH = decide(
    "protocols.worth",
    "Where should it run?",
    JOBS,
    uniform={
        "cpu": (
            "always-cpu",
            "the CPU was chosen for everything. Where data stays on the device, the GPU is ahead.",
        ),
        "gpu": ("always-gpu", "the GPU was chosen for everything. Count the trips over the bus, and the launches."),
    },
    hints=(
        "For each job write two times: all the passes on the CPU, with what must be fetched for them; and all the passes on "
        "the GPU, with every crossing of the bus.",
        "Between cuDF, CuPy and Numba nothing is copied. Between a device and the host, or another process, everything is.",
        "200 000 launches are 1 s; 8 GB over the bus are 0.32 s; 400 GB over the bus are 16 s. Now the other side of each.",
    ),
)
