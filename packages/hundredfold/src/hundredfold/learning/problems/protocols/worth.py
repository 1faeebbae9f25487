"""``protocols.worth``: five jobs in which arrays change hands. Which of them belong on the GPU?

Each side gets the least time it could take. The figures are those of a good server: a GPU with 2 000 GB/s and 5 µs for a
launch, a bus with 25 GB/s, a processor with 150 GB/s.
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
        "From cuDF to CuPy nothing is copied: 30 passes take the GPU {gpu}; the processor needs {cpu}.",
        _times(4e9, calls=30, fetch=4e9),
        "What does it cost to hand a cuDF column to CuPy?",
    ),
    "scalars": Job(
        "launch",
        "Each read is a trip of its own, {gpu} in all. Fetch the 1.6 MB once, and the loop takes the processor {cpu}.",
        _times(0, calls=200_000, fetch=1.6e6),
        "What does the device do for one number, and how often?",
    ),
    "worker": Job(
        "transfer",
        "A pickle arrives in the worker's host memory: sending it on to the device takes {bus}, one pass on the processor {cpu}.",
        _times(8e9, crossings=8e9),
        "Where does what comes out of a pickle lie at first?",
    ),
    "pingpong": Job(
        "crossing",
        "A hundred crossings take {bus}, and {gpu} it is with the passes and the step on the host. The processor does "
        "everything in {cpu}, fetching the array once.",
        _times(4e9, calls=200, crossings=400e9, elsewhere=400e9, fetch=4e9),
        "How often does the array cross the bus in fifty rounds?",
    ),
    "steps": Job(
        "residency",
        "New arrays or old ones, the bytes are the same: {gpu} on the GPU, {cpu} on the processor. That its arrays "
        "are immutable costs memory, not the race.",
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
            "the processor was chosen for everything. Where data stays on the device, the GPU is ahead.",
        ),
        "gpu": ("always-gpu", "the GPU was chosen for everything. Count the trips over the bus, and the launches."),
    },
    hints=(
        "For each job write two times: all the passes on the processor, with what must be fetched for them; and all the passes on "
        "the GPU, with every crossing of the bus.",
        "Between cuDF, CuPy and Numba nothing is copied. Between a device and the host, or another process, everything is.",
        "200 000 launches are 1 s; 8 GB over the bus are 0.32 s; 400 GB over the bus are 16 s. Now the other side of each.",
    ),
)
