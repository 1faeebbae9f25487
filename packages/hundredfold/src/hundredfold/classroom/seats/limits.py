"""What a seat may use, and the environment that says so to everything that runs in it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from gpusim.hardware import cpu

from .devices import SIMULATED, Place, mps_pipe
from .plan import CONTEXT

#: A server takes about 0.1 GB, a kernel with CuPy's or cuDF's simulated libraries 0.3 GB, a Dask worker as much again: with less main
#: memory than this, units end in a killed kernel (bytes).
LEAST_MEMORY = 1 << 30
#: How much more main memory may be promised than there is: learners seldom all compute at once.
OVERCOMMIT = 2.0

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


class WrongLimit(ValueError):
    """A limit that no seat can have on this machine; the message says which would do."""


@dataclass(frozen=True)
class Limits:
    """What each seat may use of the machine.

    Attributes
    ----------
    memory : int
        Bytes of main memory for a learner's server, kernels and workers together.
    cores : float
        Cores' worth of time.
    gpus : int
        How many GPUs a simulated seat has.
    """

    memory: int
    cores: float
    gpus: int = 2


def size(text: str | int | float) -> int:
    """Bytes of ``2G``, ``1500M``, ``1.5 GB`` or a number, as JupyterHub reads them (G is 2³⁰).

    Raises
    ------
    WrongLimit
        If it is none.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", str(text), re.IGNORECASE)
    if match is None:
        raise WrongLimit(f"{text!r} is no amount of memory: write a number and a unit, such as 2G or 1500M.")
    return round(float(match[1]) * _UNITS[match[2].lower()])


def checked(limits: Limits, learners: int, root: str = "/") -> Limits:
    """Return the limits if this machine can give them to each of so many learners.

    Raises
    ------
    WrongLimit
        With what would do. `root` is where the file system begins, for tests.
    """
    total, cores = cpu.memory(root).total, cpu.cores(root)
    if not isinstance(learners, int) or isinstance(learners, bool) or learners < 1:
        raise WrongLimit(f"A class has at least one learner; this says {learners!r}.")
    if limits.memory < LEAST_MEMORY:
        raise WrongLimit(
            f"{_gib(limits.memory)} of main memory for a seat is less than {_gib(LEAST_MEMORY)}, with which kernels are killed: give more."
        )
    if limits.memory > total:
        raise WrongLimit(f"A seat of {_gib(limits.memory)} is more than this machine has ({_gib(total)}): give less.")
    if limits.memory * learners > OVERCOMMIT * total:
        most = int(OVERCOMMIT * total // learners)
        raise WrongLimit(
            f"{learners} seats of {_gib(limits.memory)} are {_gib(limits.memory * learners)}, and this machine has {_gib(total)}, of which "
            f"{OVERCOMMIT:g} times as much may be promised: give each {_gib(most)} at most, or seat fewer."
        )
    if not 0 < limits.cores <= cores or not math.isfinite(limits.cores):
        raise WrongLimit(
            f"{limits.cores:g} cores for a seat: this machine has {cores}, so give more than 0 and up to {cores}."
        )
    if not isinstance(limits.gpus, int) or not 1 <= limits.gpus <= 16:
        raise WrongLimit(f"{limits.gpus!r} simulated GPUs for a seat: give 1 to 16; two are enough for all units.")
    return limits


def _gib(amount: float) -> str:
    return f"{amount / 2**30:.1f} GiB"


def environment(place: Place, limits: Limits, machine_has_gpus: bool = False) -> dict[str, str]:
    """The environment of a seat on this place.

    - ``CUPY_GPU_MEMORY_LIMIT`` holds CuPy's pool, ``HUNDREDFOLD_SEAT_MEMORY`` RMM's (`hundredfold.classroom.seats.rmm`, which also
      keeps ``cudf.pandas`` from its pool of 80 % of what is free), CUDA_MPS_PINNED_DEVICE_MEM_LIMIT what the driver gives.
    - A simulated GPU has half of the seat's main memory, shared among its GPUs: the other half is the host's.
    """
    cores = max(1, math.ceil(limits.cores))
    found = {
        # One kernel must not start as many threads as the machine has cores; a seat may use fewer.
        "OMP_NUM_THREADS": str(cores),
        "NUMBA_NUM_THREADS": str(cores),
        "POLARS_MAX_THREADS": str(cores),
        "DASK_DISTRIBUTED__WORKER__PRELOAD": "['hundredfold.classroom.seats.rmm']",
    }
    if place.name == SIMULATED:
        found |= {
            "GPUSIM_GPUS": str(limits.gpus),
            "GPUSIM_GPU_MEMORY": str(limits.memory // 2 // limits.gpus),
        }
        if machine_has_gpus:  # else nobody has to be told. Dask-CUDA takes an empty list of devices for an error
            found |= {"GPUSIM_SIMULATE": "1", "CUDA_VISIBLE_DEVICES": ",".join(map(str, range(limits.gpus)))}
        del found["DASK_DISTRIBUTED__WORKER__PRELOAD"]
        return found
    found |= {
        "CUDA_VISIBLE_DEVICES": place.name,
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "CUPY_GPU_MEMORY_LIMIT": str(place.memory),
        "HUNDREDFOLD_SEAT_MEMORY": str(place.memory),
        # Where nothing of ours runs before it: no pool at all. Its other modes take 80 % of what is free.
        "CUDF_PANDAS_RMM_MODE": "cuda",
    }
    if place.mechanism == "MPS":
        found["CUDA_MPS_PIPE_DIRECTORY"] = str(mps_pipe())
        found["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"] = f"0={(place.memory + CONTEXT) // 2**20}M"
        # Twice an equal part each: not all compute at once (NVIDIA's MPS documentation, Performance Considerations).
        found["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] = str(min(100, math.ceil(200 / place.room)))
    return found
