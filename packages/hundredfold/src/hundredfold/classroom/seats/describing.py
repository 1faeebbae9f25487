"""A plan in sentences and tables: what to do, what each learner gets, and what that is enough for."""

from __future__ import annotations

import math
from collections import Counter

from . import needs
from .devices import mps_pipe
from .plan import CONTEXT, Plan
from .shared_gpus import GB

WHY = {
    "one each": "Each learner has a GPU of their own; nothing is shared.",
    "MIG": "Each GPU is cut into slices by the hardware: memory, bandwidth and faults of one learner never reach another.",
    "MPS": (
        "The driver lets each learner have so much memory and no more. Faults are shared: a kernel that reads where nothing is ends "
        "the work of all on that GPU (NVIDIA's MPS documentation, Error Containment). Let units 05 and 06 simulate, whose point is such kernels: GPUSIM_SIMULATE=1."
    ),
    "time-slicing": (
        "Learners take turns on the GPU. Nothing keeps them apart but the limits within each process (below): they hold for CuPy and "
        "cuDF, not for who takes memory from the driver directly."
    ),
    "simulated": "Every learner has a simulated GPU: the same cells, right answers, the CPU's times.",
}


def summary(plan: Plan) -> str:
    """One line: how many learners, on what, by which mechanism, with how much memory."""
    kinds = Counter(board.name for board in plan.boards)
    on = ", ".join(f"{count} × {name}" for name, count in kinds.items()) or "no GPU"
    seated = len(plan.seats) - plan.simulated
    text = f"{_learners(len(plan.seats))} on {on}: "
    if not seated:
        return text + "all simulate."
    sizes = {seat.memory for seat in plan.seats if seat.board is not None}
    each = f"{_gb(min(sizes))} each" if len(sizes) == 1 else f"{_gb(min(sizes))} to {_gb(max(sizes))}"
    text += f"{plan.mechanism}, {each}."
    if plan.simulated:
        text += f" {plan.simulated} of them simulate, since memory does not suffice for all."
    return text


def _learners(count: int) -> str:
    return f"{count} learner{'s' if count != 1 else ''}"


def _gb(memory: int) -> str:
    return f"{memory / GB:.1f} GB"


def gpus(plan: Plan) -> list[tuple[str, str, str, str]]:
    """A row for each GPU: its number and name, how many learners, cut into what, memory for each."""
    rows = []
    cuts, shares = plan.cuts(), plan.shares()
    for i, board in enumerate(plan.boards):
        sizes = {seat.memory for seat in plan.seats if seat.board == i}
        cut = f"{board.slices[cuts[i]]} × {cuts[i]}" if i in cuts else "–"
        rows.append((f"{i}: {board.name}", str(shares.get(i, 0)), cut, _gb(min(sizes)) if sizes else "–"))
    return rows


def units(plan: Plan) -> list[tuple[str, str, str]]:
    """A row for each unit: its name, the device memory that its published sizes take, and whether the smallest seat has it."""
    rows = []
    for need in needs.known():
        if not plan.least:
            fits = "at the sizes that the host's memory allows"
        elif need.published <= plan.least:
            fits = "at the published sizes"
        else:
            fits = f"smaller: {100 * plan.least / need.published:.0f} % of them"
        rows.append((f"{need.unit:02d} {need.slug}", _gb(need.published), fits))
    return rows


def settings(plan: Plan) -> dict[str, str]:
    """The environment of the smallest seat's processes.

    ``cudf.pandas`` has to be told: by itself it takes a pool of 80 % of what is free, and so does its mode ``async``
    (cudf 26.10, cudf/pandas/__init__.py).
    """
    if not plan.least:
        return {"GPUSIM_SIMULATE": "1"}
    if plan.mechanism == "one each":
        return {}
    found = {"CUPY_GPU_MEMORY_LIMIT": str(plan.least), "CUDF_PANDAS_RMM_MODE": "cuda"}
    if plan.mechanism == "MPS":
        found["CUDA_MPS_PIPE_DIRECTORY"] = str(mps_pipe())
        most = max(plan.shares().values())
        found["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"] = f"0={(plan.least + CONTEXT) // 2**20}M"
        # Twice an equal part each: not all compute at once (NVIDIA's MPS documentation, Performance Considerations: 100 % / 0.5 n).
        found["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] = str(min(100, math.ceil(200 / most)))
    return found


def commands(plan: Plan) -> list[str]:
    """What an administrator types on the machine, in order."""
    if plan.mechanism == "MIG":
        typed = []
        for i, profile in sorted(plan.cuts().items()):
            cut = ",".join([profile] * plan.boards[i].slices[profile])
            typed += [f"sudo nvidia-smi -i {i} -mig 1", f"sudo nvidia-smi mig -i {i} -cgi {cut} -C"]
        return [*typed, "nvidia-smi -L   # the slices' names, MIG-…, for CUDA_VISIBLE_DEVICES"]
    typed = [f"sudo nvidia-smi -i {i} -mig 0   # MIG is on" for i, board in enumerate(plan.boards) if board.cut]
    if plan.mechanism == "MPS":
        # Without the flag a second user waits until the first one's server has ended.
        return [
            *typed,
            f"sudo CUDA_MPS_PIPE_DIRECTORY={mps_pipe()} nvidia-cuda-mps-control -d -multiuser-server",
            f"echo quit | sudo CUDA_MPS_PIPE_DIRECTORY={mps_pipe()} nvidia-cuda-mps-control   # afterwards",
        ]
    return typed
