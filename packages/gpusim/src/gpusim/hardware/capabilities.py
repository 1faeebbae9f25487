"""What a multiprocessor of each compute capability holds: the figures of NVIDIA's occupancy calculator, as data with sources."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Capability:
    """What NVIDIA publishes for one compute capability; where each figure comes from stands in :func:`sources`.

    Attributes
    ----------
    cc : tuple of int
    chips : str
        The architecture and GPUs that have it.
    threads_per_block, threads_per_sm, blocks_per_sm : int
        At most, of a block and resident on a multiprocessor.
    registers_per_sm, registers_per_block, registers_per_thread : int
        32-bit registers.
    register_unit : int
        A warp is given registers in multiples of this.
    partitions : int
        Parts of a multiprocessor, each with its share of the registers; a warp lives in one.
    shared_per_sm, shared_per_block, shared_optin : int
        Bytes of shared memory: of a multiprocessor, of a block, and of a block where the driver is asked for more.
    shared_reserved : int
        Bytes of each block that the driver keeps.
    shared_unit : int
        A block is given shared memory in multiples of this many bytes.
    carveouts : tuple of int
        Bytes of shared memory that a multiprocessor can be set to, ascending; what is left is L1 cache.
    """

    cc: tuple[int, int]
    chips: str
    threads_per_block: int
    threads_per_sm: int
    blocks_per_sm: int
    registers_per_sm: int
    registers_per_block: int
    registers_per_thread: int
    register_unit: int
    partitions: int
    shared_per_sm: int
    shared_per_block: int
    shared_optin: int
    shared_reserved: int
    shared_unit: int
    carveouts: tuple[int, ...]

    @property
    def warps_per_sm(self) -> int:
        """Warps resident on a multiprocessor, at most."""
        return self.threads_per_sm // 32


@cache
def known() -> tuple[Capability, ...]:
    """Return the known compute capabilities, ascending."""
    return tuple(
        Capability(**entry | {"cc": tuple(entry["cc"]), "carveouts": tuple(entry["carveouts"])})
        for entry in _data()["capabilities"]
    )


def of(cc: tuple[int, int]) -> Capability:
    """Return the figures of a compute capability.

    Parameters
    ----------
    cc : tuple of int
        ``(9, 0)`` for 9.0.

    Raises
    ------
    ValueError
        If it is none that is known, with those that are.
    """
    for capability in known():
        if capability.cc == tuple(cc):
            return capability
    there = ", ".join(f"{each.cc[0]}.{each.cc[1]}" for each in known())
    raise ValueError(f"Compute capability {'.'.join(map(str, cc))} is not known. Known: {there}.")


def named(text: str) -> tuple[int, int] | None:
    """Return the compute capability that a text names: "8.0", "cc 8.0", "sm_80", "compute_90a"; None if it is none.

    Whether it is known, `of` says.
    """
    found = re.fullmatch(
        r"(?:cc|sm|compute(?: capability)?)?[ _]*(\d+)\.(\d)|(?:sm|compute)_(\d+)(\d)[af]?", text.strip().lower()
    )
    if found is None:
        return None
    major, minor = found.group(1, 2) if found[1] else found.group(3, 4)
    return int(major), int(minor)


def sources() -> dict[str, str]:
    """Return, for each figure, where it comes from."""
    data = _data()
    return {name: data["sources"][source] for name, source in data["of"].items()}


@cache
def _data() -> dict:
    return json.loads(Path(__file__).with_name("capabilities.json").read_text(encoding="utf-8"))
