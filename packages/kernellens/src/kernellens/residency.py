"""Occupancy: how many of a kernel's blocks a multiprocessor holds at once, by NVIDIA's published rules.

The rules are those of ``cuda_occupancy.h`` in CUDA 13.0, the occupancy calculator as code; the figures of each compute
capability are in :mod:`gpusim.hardware.capabilities`, with their sources.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from gpusim.hardware import capabilities, gpus
from gpusim.hardware.capabilities import Capability

from .target import resolve

WARP = 32
_ORDER = ("threads", "registers", "shared memory", "blocks")


@dataclass(frozen=True, repr=False)
class Occupancy:
    """How many blocks of a kernel are on a multiprocessor at once.

    Attributes
    ----------
    blocks_per_sm : int
        0 where not even one fits; `why` says why then.
    warps : int
        Resident on a multiprocessor.
    share : float
        `warps` / the most that a multiprocessor holds, 0 to 1: what NVIDIA's tools call theoretical occupancy.
    binds : str
        Which limit is reached first: ``"threads"`` (with `share` 1, the multiprocessor is full), ``"registers"``,
        ``"shared memory"`` or ``"blocks"``.
    limits : dict of str to int
        The blocks that each limit alone would allow; one that does not apply is left out.
    registers : int
        Of a thread.
    shared : int
        Bytes of a block, static and dynamic, without what the driver keeps.
    threads : int
        Of a block.
    cc : tuple of int
        Compute capability.
    why : str
        Why not one block fits; empty where one does.
    """

    blocks_per_sm: int
    warps: int
    share: float
    binds: str
    limits: dict[str, int] = field(hash=False)
    registers: int
    shared: int
    threads: int
    cc: tuple[int, int]
    why: str = ""

    @property
    def advice(self) -> str:
        """What would put more blocks on a multiprocessor, in a sentence; empty where it is full."""
        return _advice(self)

    def __repr__(self) -> str:
        most = capabilities.of(self.cc).warps_per_sm
        if self.why:
            return f"0 blocks on a multiprocessor of {_cc(self.cc)}: {self.why}"
        text = (
            f"{self.blocks_per_sm} {'block' if self.blocks_per_sm == 1 else 'blocks'} of {self.threads} threads on each "
            f"multiprocessor of {_cc(self.cc)}: {self.warps} of {most} warps ({self.share * 100:.3g} %), bound by {self.binds}."
        )
        return f"{text} {self.advice}" if self.advice else text


def occupancy(
    registers: int,
    shared: int,
    blockdim: int | tuple[int, ...],
    gpu: str | gpus.GPU | tuple[int, int] | None = None,
    *,
    cc: tuple[int, int] | str | None = None,
    optin: bool = False,
) -> Occupancy:
    """Return how many blocks of a kernel fit on a multiprocessor at once.

    Parameters
    ----------
    registers : int
        32-bit registers of a thread, as :func:`~kernellens.compile` finds them.
    shared : int
        Bytes of shared memory of a block, static and dynamic together.
    blockdim : int or tuple of up to 3 int
        Threads of a block.
    gpu : str, GPU or tuple of int, optional
        A GPU of :mod:`gpusim.hardware.gpus` or its name, or a compute capability such as ``(9, 0)``, ``"9.0"`` or
        ``"sm_90"``; the chosen GPU (`use_gpu`) if left out.
    cc : tuple of int or str, optional
        The compute capability, instead of `gpu`.
    optin : bool
        Whether the driver was asked for more than 48 KiB of shared memory for a block; Numba never asks.

    Raises
    ------
    UnknownGpuError, ValueError
        If the GPU or compute capability is not known; if a number is none that a kernel can have.

    Notes
    -----
    A warp is given registers in units, and lives in one of a multiprocessor's partitions; a block is given shared memory in
    units, with what the driver keeps of it [cuda_occupancy.h].  The multiprocessor is taken to give shared memory all that
    it can, as it does by default where a kernel needs it.

    Examples
    --------
    >>> found = occupancy(registers=37, shared=0, blockdim=320, cc=(7, 0))
    >>> found.blocks_per_sm, found.share, found.binds
    (4, 0.625, 'registers')
    """
    capability = _capability(gpu if cc is None else cc)
    threads = _threads(blockdim)
    for name, value in (("registers", registers), ("shared", shared)):
        if value is None or int(value) != value or value < 0:
            raise ValueError(f"{name} must be a whole number from 0 on, not {value!r}.")
    registers, shared = int(registers), int(shared)
    why = _refused(capability, registers, shared, threads, optin)
    limits = {} if why else _limits(capability, registers, shared, threads)
    blocks = min(limits.values()) if limits else 0
    binds = next((name for name in _ORDER if limits.get(name) == blocks), _which(why))
    warps = blocks * -(-threads // WARP)
    return Occupancy(
        blocks_per_sm=blocks,
        warps=warps,
        share=warps / capability.warps_per_sm,
        binds=binds,
        limits=limits,
        registers=registers,
        shared=shared,
        threads=threads,
        cc=capability.cc,
        why=why,
    )


def _limits(capability: Capability, registers: int, shared: int, threads: int) -> dict[str, int]:
    warps = -(-threads // WARP)
    limits = {"threads": capability.warps_per_sm // warps, "blocks": capability.blocks_per_sm}
    if registers:
        # The registers lie in the partitions, and so do the warps: what is left over in one helps no other.
        of_partition = capability.registers_per_sm // capability.partitions
        limits["registers"] = of_partition // _of_warp(capability, registers) * capability.partitions // warps
    allocated = _up(shared + capability.shared_reserved, capability.shared_unit)
    if allocated:
        limits["shared memory"] = capability.shared_per_sm // allocated
    return limits


def _refused(capability: Capability, registers: int, shared: int, threads: int, optin: bool) -> str:
    """Why no block of this kind can be launched at all; empty if one can."""
    if threads > capability.threads_per_block:
        return f"a block of {threads} threads is larger than {capability.threads_per_block}, the most that it may have."
    if registers > capability.registers_per_thread:
        return f"{registers} registers of a thread are more than {capability.registers_per_thread}, the most there are."
    most = capability.shared_optin if optin else capability.shared_per_block
    if shared > most:
        ask = "" if optin or shared > capability.shared_optin else " without asking the driver for more"
        return f"{shared} bytes of shared memory are more than the {most} that a block can have{ask}."
    # The hardware checks as if a block's warps were spread over all partitions.
    checked = _up(-(-threads // WARP), capability.partitions) * _of_warp(capability, registers)
    if checked > capability.registers_per_block:
        fit = capability.registers_per_block // _of_warp(capability, registers) // capability.partitions
        return (
            f"{threads} threads of {registers} registers take {checked}, and a block has {capability.registers_per_block}: "
            f"use at most {fit * capability.partitions * WARP} threads in a block, or "
            f"@cuda.jit(max_registers={_most_registers(capability, threads)})."
        )
    return ""


def _which(why: str) -> str:
    return next((name for name in ("registers", "shared memory") if name in why), "threads")


def _most_registers(capability: Capability, threads: int) -> int:
    """The most registers of a thread with which a block of this size can be launched."""
    warps = _up(-(-threads // WARP), capability.partitions)
    units = capability.registers_per_block // warps // capability.register_unit
    return min(units * capability.register_unit // WARP, capability.registers_per_thread)


def _advice(found: Occupancy) -> str:
    capability = capabilities.of(found.cc)
    if found.why or found.share == 1:
        return ""
    if found.binds == "threads":
        better = [n for n in (64, 128, 256, 512, 1024) if capability.threads_per_sm % n == 0 and n < found.threads]
        return f"Blocks of {better[-1]} threads divide a multiprocessor evenly." if better else ""
    if found.binds == "blocks":
        most = capability.threads_per_sm // capability.blocks_per_sm
        return f"It holds {capability.blocks_per_sm} blocks at most: {most} threads or more in a block would fill it."
    one_more = found.blocks_per_sm + 1
    if found.binds == "registers":
        fewer = _registers_for(capability, found, one_more)
        if fewer < 16:
            return ""
        return f"At {fewer} registers a thread instead of {found.registers}, {one_more} blocks would fit."
    room = capability.shared_per_sm // one_more // capability.shared_unit * capability.shared_unit
    room -= capability.shared_reserved
    if room <= 0:
        return ""
    return f"At {room} bytes of shared memory a block instead of {found.shared}, {one_more} blocks would fit."


def _registers_for(capability: Capability, found: Occupancy, blocks: int) -> int:
    """The most registers of a thread with which that many blocks fit."""
    for registers in range(found.registers - 1, 0, -1):
        if _limits(capability, registers, 0, found.threads)["registers"] >= blocks:
            return registers
    return 0


def _of_warp(capability: Capability, registers: int) -> int:
    return _up(registers * WARP, capability.register_unit)


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def _capability(gpu: Any) -> Capability:
    if isinstance(gpu, str):
        gpu = capabilities.named(gpu) or gpu
    if isinstance(gpu, (tuple, list)):
        return capabilities.of(tuple(gpu))
    if isinstance(gpu, (float, int)):
        raise ValueError(f"A compute capability is a pair or a text, such as (8, 0) or '8.0', not {gpu!r}.")
    return capabilities.of(resolve(gpu).cc)


def _threads(blockdim: Any) -> int:
    dims = tuple(blockdim) if hasattr(blockdim, "__iter__") else (blockdim,)
    if not 1 <= len(dims) <= 3 or any(int(n) != n or n < 1 for n in dims):
        raise ValueError(f"blockdim must be one to three whole numbers from 1 on, not {blockdim!r}.")
    return math.prod(int(n) for n in dims)


def _cc(cc: tuple[int, int]) -> str:
    return f"compute capability {cc[0]}.{cc[1]}"
