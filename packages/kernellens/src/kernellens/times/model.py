"""From what a launch does to seconds: the least, and about how many.

The bound divides what *must* happen by rates that no card of the kind exceeds, and takes the longest, since all may go on
at once.  The estimate divides what *does* happen, sector by sector, by rates that programs reach.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeVar

from gpusim.hardware.gpus import GPU
from kernellens import target
from kernellens.residency import occupancy

from . import advice
from .memory import LINE
from .result import Bound, Estimate
from .work import Work

Sum = TypeVar("Sum", Bound, Estimate)

SCHEDULERS = 4
"""Of an SM, an instruction of one warp in each cycle each: Volta and later [CUDA C++ Programming Guide, "Compute Capability
7.x" to "10.x", Architecture]."""

FILL = 64
"""Bytes that an SM can take from L2 in a cycle; times the SMs it is the bound's rate for what never leaves L2.  A choice above
what is known: an A100's L2 gives 5120 bytes a cycle, 47 for each SM [NVIDIA, "NVIDIA Ampere Architecture In-Depth"], and an
H200's gave 39 [te42kyfo/gpu-benches@1c36d509ee, gpu-l2-cache/h200.txt: 10.25 TB/s]."""

PRINTED = 1.01
"""Data sheets round: 7.8 TFLOP/s are 80 SMs x 32 x 2 x 1.53 GHz = 7.83.  A bound allows for it."""

INTEGERS = 4
"""Integer operations that a bound allows for where the table of throughputs has one addition: an instruction of three
operands does two (IADD3, IMAD), and the compiler may give half of them to the units of float32 (as IMAD)."""

SHORTEST = 0.5e-6
"""Seconds.  No kernel is shorter: the shortest published for the project's figures took 1.136 µs (numbast issue 71).  A bound
allows for less than the half of that."""

AT_ONCE = 2
"""Requests for one address that L2 does in a cycle at most.  A choice: no source was found that says how many, and no published
time of contended atomics needs as many."""

REACHED = 0.9
"""Share of the printed memory bandwidth that a plain copy reaches: 4.3 of 4.8 TB/s on an H200; 0.92 on a V100 with CuPy's
sum over CUB [the project's performance research, sections 2.7 and 5]."""


class CutShortError(ValueError):
    """No estimate is made from a log that was cut short."""


def cut_short(work: Work) -> str:
    """Why this work has no estimate."""
    return (
        f"The log of {work.name or 'the kernel'} was full before its traced blocks were done, so that an estimate would be "
        "too short: trace fewer blocks with blocks=, or smaller ones that do less (a shorter loop). lens.bound holds."
    )


def rates(gpu: GPU) -> dict[str, float]:
    """Operations per second of each of `work.TYPES` at the data sheet's clock.

    float16 outside of matrix units at twice float32's rate, as on V100, T4, H100 and B200 (A100: four times; Ada: once).
    """
    half = {(8, 0): 4, (8, 9): 1, (8, 6): 1}.get(gpu.cc, 2)
    return {
        "float64": gpu.fp64,
        "float32": gpu.fp32,
        "float16": half * gpu.fp32,
        "int32": gpu.int32,
        "special": gpu.special,
    }


def certain_traffic(work: Work, gpu: GPU) -> float:
    """Bytes that must cross between memory and L2, whatever was there before.

    L2 may hold as many of the bytes read from an earlier launch as fit, and keep as many of those written to itself; so
    that much of each, and no more, may never have moved in the time of this launch.
    """
    return max(0.0, work.read - gpu.l2) + max(0.0, work.written - gpu.l2)


def bound_of(work: Work | Iterable[Work], gpu: str | GPU | None = None) -> Bound:
    """Return the time that no run of this work on a GPU can beat.

    Parameters
    ----------
    work : Work or iterable of Work
        Several run one after the other; their bounds add up.
    gpu : str or GPU, optional
        By default the chosen one (`lens.use_gpu`).

    Raises
    ------
    UnknownGpuError
        A KeyError that names the nearest known GPUs.
    """
    gpu = target.resolve(gpu)
    if not isinstance(work, Work):
        return _together(Bound, [bound_of(each, gpu) for each in work], gpu)
    share = _busy(work, gpu)
    faster = PRINTED * gpu.clock_most / gpu.clock
    crossing = (work.read + work.written) / (FILL * gpu.sms * gpu.clock_most * share)
    parts = {
        "memory": max(certain_traffic(work, gpu) / gpu.bandwidth, crossing),
        "arithmetic": _least_arithmetic(work, gpu) / (faster * share),
        "atomics": work.contended / (AT_ONCE * gpu.clock_most),
        "launch": SHORTEST * work.launches,
    }
    if work.link:
        parts["link"] = work.link / gpu.link_peak
    kernel = max(value for kind, value in parts.items() if kind != "link")
    # A copy may go on beside a kernel, so that the longer counts.
    seconds = max(kernel, parts.get("link", 0.0))
    if not work.launches:
        seconds = parts.get("link", 0.0)
    binds = max(parts, key=parts.__getitem__)
    said = advice.sentence(binds, parts, work, gpu)
    return Bound(seconds, binds, parts, gpu, work, work.name, said)


def estimate_of(work: Work | Iterable[Work], gpu: str | GPU | None = None) -> Estimate:
    """Return about the time of this work on a GPU.

    The parts go on side by side, but hinder each other: the root of their squares' sum counts, and the launch comes on top.
    Bytes pass memory, L2 and L1 on one path, and arithmetic is issued as instructions: of such parts the longest counts.
    Arithmetic, issue, shared memory and L1 belong to an SM each: where blocks do not divide evenly among the SMs, the last to end has more than the
    mean (the tail).  Data that fits into L2 is taken to be there already, as in a loop that measures.

    Parameters
    ----------
    work : Work or iterable of Work
        Several run one after the other; their estimates add up.
    gpu : str or GPU, optional
        By default the chosen one (`lens.use_gpu`).

    Raises
    ------
    UnknownGpuError
        A KeyError that names the nearest known GPUs.
    CutShortError
        A ValueError: the work was counted in a log that was full.
    """
    gpu = target.resolve(gpu)
    if not isinstance(work, Work):
        return _together(Estimate, [estimate_of(each, gpu) for each in work], gpu)
    if work.cut:
        raise CutShortError(cut_short(work))
    share, tail = _busy(work, gpu), _tail(work, gpu)
    cycles = gpu.sms * gpu.clock * share  # of all SMs that have work, in a second
    blocks = resident_blocks(work, gpu)
    parts = {
        "memory": from_memory(work, gpu, blocks)
        / ((SCATTERED if scattered(work, gpu, blocks) else REACHED) * gpu.bandwidth),
        "L2": from_l2(work, gpu, blocks)[0] / (gpu.l2_bandwidth * min(1.0, 2 * share)),
        "L1": work.wavefronts / cycles * tail,
        "shared memory": work.shared / cycles * tail,
        "arithmetic": _arithmetic(work, gpu) / share * tail,
        "issue": work.instructions / (SCHEDULERS * cycles) * tail,
        "latency": _latency(work, gpu),
        "atomics": ADDED * max(work.contended, work.passes) / gpu.clock + work.atomics * 32 / gpu.l2_bandwidth,
        "launch": gpu.launch * work.launches,
    }
    if work.link or work.copies:
        parts["link"] = work.link / gpu.link + work.copies * COPY
    factors = (gpu.calibration or {}).get("factors", {})
    parts = {kind: value * factors.get(kind, 1.0) for kind, value in parts.items()}
    # A unit answers the slower the more it is asked, so that no two of them are used in full at once.
    path = max(parts["memory"], parts["L2"], parts["L1"])
    issued = max(parts["arithmetic"], parts["issue"])
    kernel = math.hypot(path, issued, parts["latency"], parts["shared memory"], parts["atomics"])
    seconds = kernel + parts["launch"] + parts.get("link", 0.0)
    binds = max(parts, key=parts.__getitem__)
    warps = blocks * -(-work.block // 32) if work.block else 0
    return Estimate(
        *(seconds, binds, parts, gpu, work, work.name),
        advice.sentence(binds, parts, work, gpu) + advice.caution(binds, work),
        calibrated=(gpu.calibration or {}).get("source"),
        occupancy=warps * 32 / gpu.threads_per_sm if warps else None,
        waves=work.blocks / (blocks * gpu.sms) if warps else None,
    )


OPENING = 400
"""Cycles between the end of a block and the first instruction of the next in its place, and from its last store to its end.
Kernels with one element for each thread and two blocks on an SM took 377 (A40) to 563 (L40) besides what a load takes
[te42kyfo/gpu-benches@1c36d509ee, gpu-stream, blocks of 64 threads]."""

ADDED = 2.4
"""Cycles that L2 takes for a sector of atomics, and for each further value at one of its addresses (`Work.passes`).  A
histogram of text took 1.6 on an L4 and 2.6 on a T4, one of 64 bins 2.9 and 2.8 on an H200; this is their middle [NVIDIA,
accelerated-computing-hub, notebook 41 of the kernels, 2025 and 2026; recordings/raw/nvidia-h200, stage times]."""

SCATTERED = 0.45
"""Share of the printed memory bandwidth that is reached where each thread goes through a stretch of its own, a sector at a
time: a copy on an L4 [the same, notebook 40]."""

COPY = 1e-5
"""Seconds that starting a transfer takes, about [the project's estimate for `kernellens port`]."""


def resident_blocks(work: Work, gpu: GPU) -> int:
    """Blocks of this launch that one SM holds at once, at least 1, by NVIDIA's rules (`lens.occupancy`)."""
    if not work.block:
        return 1
    found = occupancy(work.registers, work.sharedmem, work.block, gpu, optin=True)
    return max(1, found.blocks_per_sm)


def _busy(work: Work, gpu: GPU) -> float:
    """Share of the GPU that can have work at all: a block stays on one SM, a warp with one of its schedulers."""
    share = 1.0
    if work.blocks:
        share = min(share, work.blocks / gpu.sms)
    if work.warps:
        share = min(share, work.warps / (SCHEDULERS * gpu.sms))
    return share


def _tail(work: Work, gpu: GPU) -> float:
    """What the busiest SM has to do, over the mean: blocks are dealt whole."""
    if work.blocks <= gpu.sms:
        return 1.0
    return -(-work.blocks // gpu.sms) / (work.blocks / gpu.sms)


def _least_arithmetic(work: Work, gpu: GPU) -> float:
    """Seconds of the arithmetic unit that has most to do, at the printed rates: the units work side by side."""
    done = work.operations if work.certain is None else work.certain
    by = rates(gpu)
    by["int32"] *= INTEGERS
    seconds = [count / by[kind] for kind, count in done.items()]
    seconds += [count / _product(kind, gpu) for kind, count in work.products.items()]
    return max(seconds, default=0.0)


def _arithmetic(work: Work, gpu: GPU) -> float:
    """Seconds of the unit that has most to do: an instruction takes the time of a fused multiply-add, whatever it does."""
    by = rates(gpu)
    slots = work.operations if work.slots is None else work.slots
    fused = {"float64": 2, "float32": 2, "float16": 2}
    seconds = [fused.get(kind, 1) * count / by[kind] for kind, count in slots.items()]
    seconds += [
        count / (REACHED * _kept(kind, gpu) * _product(kind, gpu, float32_sums=True))
        for kind, count in work.products.items()
    ]
    return max(seconds, default=0.0)


FEW = 1 / 8
"""Float64 units for each float32 one, below which they cannot bring a card to its power limit."""


def _kept(kind: str, gpu: GPU) -> float:
    """The share of its clock that a GPU keeps while it multiplies matrices, which brings it to its power limit.

    It then runs between the clock that its maker promises there and the one of the peak rates.  The root of their product
    is off by the same factor at most, whichever it is.  [A moderator of NVIDIA's forum, "About GPU peak performance", 2023:
    24 of 65 TFLOP/s on a T4 "due to power capping", "expected behavior for approximately continuous matrix multiply".]
    """
    if kind == "float64" and gpu.gemm64 < FEW * gpu.fp32:
        return 1.0
    return math.sqrt(gpu.clock_base / gpu.clock)


MATRIX = {
    **dict.fromkeys([(7, 0), (7, 5), (8, 6), (8, 7), (8, 9), (12, 0), (12, 1)], 512),
    **{(8, 0): 1024, (9, 0): 2048, (10, 0): 4096, (10, 3): 4096},
}
"""Multiplications and additions of float16 that the matrix units of an SM do in a cycle: 125 TFLOP/s are 80 SMs x 512 x 2 x
1.53 GHz [Volta: 640 units of 64 in 80 SMs, io-tech.fi (2017); Turing: 65 TFLOP/s of a T4, as `_kept` quotes; RTX 50: 419 of an
RTX 5090, lamonoai/gpumap, nvidia/GPU.md; GA10x and Ada are taken to be alike.  A100, H100 and B200: openxla/xla,
xla/stream_executor/cuda/cuda_core_info_table.cc, which quotes NVIDIA's white papers].
TF32 at half of that, from compute capability 8.0 on."""
GEFORCE = 1 / 2
"""Share of these rates that a GeForce card reaches where sums are float32, as CuPy asks for.  The white paper on GA102 has about 70 TFLOP/s for an RTX 3090 and
150 for an RTX A6000, of the same chip [NVIDIA, 'Ampere GA102 GPU Architecture' v2, as issue 3 of apoorvkh/academic-pretraining quotes its pages 15 and 44];
an RTX 4090 has 165 and in TF32 83 [waredb.com].  RTX 20 and 50 are taken to be alike.  A program may ask for sums in float16, so that a bound counts the whole."""


def _product(kind: str, gpu: GPU, *, float32_sums: bool = False) -> float:
    """The rate of a matrix product: float32 ones run outside of the matrix units, unless a program asks for TF32 ("tf32")."""
    if kind == "float64":
        return gpu.gemm64
    matrix = MATRIX.get(gpu.cc, 0) * 2 * gpu.sms * gpu.clock
    if float32_sums and "GeForce" in gpu.full_name:
        matrix *= GEFORCE
    if kind == "float16":
        return max(matrix, rates(gpu)["float16"])
    return max(matrix / 2, gpu.fp32) if kind == "tf32" and gpu.cc >= (8, 0) else gpu.fp32


def _latency(work: Work, gpu: GPU) -> float:
    """Waves of blocks, each as long as one thread of it takes: Little's law with all warps of a wave in flight.

    [J. Little, "A Proof for the Queuing Formula L = λW", 1961; V. Volkov, "Understanding Latency Hiding on GPUs", 2016.]
    """
    if not work.blocks or not (work.rounds or work.cycles):
        return 0.0
    in_l1, in_l2, in_memory = gpu.latency
    blocks = resident_blocks(work, gpu)
    hits = from_l2(work, gpu, blocks)[1]
    # Of the loads that L1 does not answer, so many go on to memory as bytes do.
    nbytes = work.read + work.written
    beyond = min(1.0, from_memory(work, gpu, blocks) / nbytes) if nbytes else 0.0
    away = beyond * in_memory + (1 - beyond) * in_l2
    # Loads that wait together wait for the slowest of them.
    missing = (1 - hits) * max(work.rounds, _loads(work))
    far = min(work.rounds, missing)
    each = (work.rounds - far) * in_l1 + far * away + work.cycles + OPENING
    waves = max(1.0, work.blocks / (blocks * gpu.sms))
    return waves * each / gpu.clock


def _loads(work: Work) -> float:
    """Requests of a warp for what it reads, by the bytes that it asks for and stores."""
    reuse = work.reuse
    if reuse is None or not work.warps or not reuse.by_request:
        return 0.0
    return work.requests / work.warps * reuse.by_request / (reuse.by_request + reuse.stored)


def _together(kind: type[Sum], each: list[Sum], gpu: GPU) -> Sum:
    """Several, one after the other."""
    parts: dict[str, float] = {}
    for one in each:
        for name, seconds in one.parts.items():
            parts[name] = parts.get(name, 0.0) + seconds
    seconds = math.fsum(one.seconds for one in each)
    # What binds longest, not the part that adds up to most: that may never be the longest of a kernel.
    held: dict[str, float] = {}
    for one in each:
        held[one.binds] = held.get(one.binds, 0.0) + one.seconds
    binds = max(held, key=held.__getitem__) if held else "launch"
    longest = max(each, key=lambda one: one.seconds, default=None)
    said = (
        ""
        if longest is None
        else f"{longest.name or 'The longest'} takes {longest.seconds / seconds:.0%} of it. {longest.advice}"
    )
    more: dict[str, Any] = {"calibrated": (gpu.calibration or {}).get("source")} if kind is Estimate else {}
    return kind(seconds, binds, parts, gpu, None, f"{len(each)} kernels", said, **more)


# What the caches of a GPU keep of what a launch reads again.
#
# L1 is shared by the blocks that are on an SM together: where it holds all that they read, each block moves a sector once;
# where it holds what their warps read, each warp does; else each request.  L2 keeps a sector for the next block that reads it
# if the blocks between do not use more than it holds.  Both are an all-or-nothing reading of reuse distance [Mattson et al.,
# "Evaluation Techniques for Storage Hierarchies", 1970], with full associativity.


def _held(work: Work, gpu: GPU, blocks: int) -> str:
    """What L1 holds until it is read again: what each "block" on the SM reads, each "warp", or neither."""
    reuse = work.reuse
    room = gpu.l1 - blocks * work.sharedmem
    warps = -(-work.block // 32) if work.block else 1
    if reuse is None or blocks * min(reuse.block, _begun(work, warps)) <= room:
        return "block"
    return "warp" if blocks * warps * reuse.warp <= room else ""


def _begun(work: Work, warps: int) -> float:
    """Bytes of the cache lines that a block reads at a time: of the loads that its warps wait for together, as far as these are not
    the same for several warps."""
    reuse = work.reuse
    if reuse is None or not work.rounds or not work.requests or not reuse.by_warp:
        return math.inf
    lines = max(1.0, _loads(work) / work.rounds) * work.wavefronts / work.requests
    return lines * LINE * warps * reuse.by_block / reuse.by_warp


def from_l2(work: Work, gpu: GPU, blocks: int) -> tuple[float, float]:
    """Return the bytes between L2 and the SMs, and the share of loaded sectors that L1 gives, with so many blocks on an SM."""
    if work.moved is not None or work.reuse is None:
        return (work.read + work.written if work.moved is None else work.moved), 0.0
    reuse = work.reuse
    loaded = {"block": reuse.by_block, "warp": reuse.by_warp, "": reuse.by_request}[_held(work, gpu, blocks)]
    share = loaded / reuse.by_request if reuse.by_request else 0.0
    return loaded + share * reuse.alone + max(reuse.stored, reuse.store_turns), 1 - share if reuse.by_request else 0.0


def from_memory(work: Work, gpu: GPU, blocks: int) -> float:
    """Return the bytes between memory and L2: none where all fits, since a loop that measures finds it there.

    Parameters
    ----------
    work : Work
    gpu : GPU
    blocks : int
        On an SM at once.
    """
    if work.dram is not None:
        return work.dram
    nbytes = work.read + work.written
    if nbytes <= gpu.l2:
        return 0.0
    if work.reuse and scattered(work, gpu, blocks) and _streams(work, gpu, blocks) > gpu.l2:
        # Neither cache holds a line until its next sector is asked for.  A sector that is written in part is read first.
        return work.reuse.by_request + 2 * work.reuse.stored
    return nbytes + sum(again for between, again in (work.reuse.again if work.reuse else ()) if between > gpu.l2)


def scattered(work: Work, gpu: GPU, blocks: int) -> bool:
    """Whether each thread goes through a stretch of its own, and L1 is too small for all of them.

    Then a warp asks for a line or more for each of its threads, and only it asks for what it reads.
    """
    reuse = work.reuse
    if reuse is None or not work.requests or not reuse.by_request or not work.read:
        return False
    lines = work.wavefronts / work.requests
    alone = reuse.by_warp <= 1.1 * work.read
    return lines >= 16 and alone and reuse.by_request > 1.5 * reuse.by_warp and not _held(work, gpu, blocks)


def _streams(work: Work, gpu: GPU, blocks: int) -> float:
    """Bytes of the cache lines that the threads on the GPU have begun, of what they read and of what they write."""
    resident = min(work.warps, blocks * gpu.sms * -(-work.block // 32))
    kinds = bool(work.read) + bool(work.written)
    return resident * work.wavefronts / work.requests * LINE * kinds
