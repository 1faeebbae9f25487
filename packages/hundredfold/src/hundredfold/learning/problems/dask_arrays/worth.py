"""``dask-arrays.worth``: five jobs, and who should do them: NumPy alone, Dask on all cores, or eight GPUs.

Each gets the least time that it could take on the desk that the problem describes; `tests` hold that the first is clear of
the second by a factor of 1.5.
"""

from __future__ import annotations

from ..choices import Job, decide

CORES, CORE_BANDWIDTH, BANDWIDTH = 16, 10e9, 90e9
GPUS, GPU_BANDWIDTH, BUS = 8, 2e12, 25e9
NORMAL, NORMAL_GPU = 8e-9, 1 / 50e9  # seconds for a random number: one core, one GPU
THREAD_TASK, CLUSTER_TASK = 0.3e-3, 2e-3


def _times(nbytes: float, chunks: int, *, drawn: float = 0.0, on_host: bool = True, steps: int = 1) -> dict[str, float]:
    """Least seconds of each way: bytes that are read, random numbers that are `drawn`, and steps that must wait for one
    another, each with its chunks as tasks (then the work of a step is all that can be shared)."""
    tasks = chunks * steps
    cores, gpus = min(CORES, chunks), min(GPUS, chunks)
    on_threads = max(nbytes / min(BANDWIDTH, cores * CORE_BANDWIDTH), drawn * NORMAL / cores)
    on_gpus = nbytes / (gpus * GPU_BANDWIDTH) + drawn * NORMAL_GPU / gpus + (nbytes / BUS if on_host else 0.0)
    return {
        "numpy": max(nbytes / CORE_BANDWIDTH, drawn * NORMAL),
        "threads": max(on_threads, tasks * THREAD_TASK),
        "gpus": max(on_gpus, tasks * CLUSTER_TASK),
    }


_ALL = ": numpy {numpy}, threads {threads}, gpus {gpus}."
JOBS = {
    "small": Job(
        "small",
        "4 MB are read before a scheduler has handed out the first task" + _ALL,
        _times(4e6, 4),
        "What do four tasks cost, and what does reading 4 MB?",
    ),
    "stream": Job(
        "transfer",
        "64 GB lie on the host, and the bus to the GPUs is slower than the processor's own memory" + _ALL,
        _times(64e9, 640),
        "How long do 64 GB take over the bus?",
    ),
    "drawn": Job(
        "arithmetic",
        "Nothing crosses the bus, and 2 500 tasks of 2 ms are all that the GPUs wait for" + _ALL,
        _times(7e12, 2_500, drawn=2.5e11, on_host=False),
        "What do 2.5·10¹¹ random numbers cost 16 cores?",
    ),
    "crumbs": Job(
        "scheduler",
        "The same numbers in 250 000 chunks: the cluster's scheduler needs 2 ms for each, whoever works" + _ALL,
        _times(7e12, 250_000, drawn=2.5e11, on_host=False),
        "250 000 times 2 ms, and 250 000 times 0.3 ms.",
    ),
    "steps": Job(
        "recurrence",
        "Each step needs the one before: nothing can be done side by side, and 100 000 tasks are handed out" + _ALL,
        _times(100_000 * 1e6, 1, steps=100_000),
        "How many of these steps can run at the same time?",
    ),
}

WORTH = decide(
    "dask-arrays.worth",
    "One core, sixteen, or eight GPUs",
    JOBS,
    uniform={
        "numpy": (
            "always-one",
            "one core was chosen for everything. Where there is much to do side by side, it is the slowest.",
        ),
        "threads": (
            "always-threads",
            "all cores were chosen for everything. Count the tasks, and look where the data lies.",
        ),
        "gpus": (
            "always-gpu",
            "the GPUs were chosen for everything. Look at the bus, at 2 ms for each task, and at what waits for what.",
        ),
    },
    hints=(
        "Three times for each job: the work (bytes or random numbers, shared by who works), the tasks times what one costs, and for the GPUs the bus.",
        "The scheduler hands out one task after the other: 250 000 tasks of 2 ms are 500 s, on any number of GPUs. NumPy has no tasks.",
        "64 GB at 25 GB/s are 2.6 s, at 90 GB/s 0.7 s. 2.5·10¹¹ numbers at 8 ns are 2 000 s, for one core. Now each by what shares it.",
    ),
)
