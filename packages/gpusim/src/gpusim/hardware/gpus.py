"""GPUs whose published figures we know: the machines of the course's comparisons, as data with a source for each figure."""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from . import capabilities


class UnknownGpuError(KeyError):
    """No known GPU has this name. The message says which names come nearest."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the sentence in quotation marks


@dataclass(frozen=True)
class GPU:
    """Published figures of one GPU; where each comes from stands in `sources`.

    Attributes
    ----------
    name, full_name : str
        As the course says it, and as NVIDIA does.
    cc : tuple of int
        Compute capability.
    memory : int
        Bytes.
    bandwidth : float
        Of its memory, bytes per second.
    fp64, fp32 : float
        Vector arithmetic, floating-point operations per second (a fused multiply-add counts as two).
    gemm64 : float
        The same in a float64 matrix product, on matrix units where the GPU has them.
    link : float
        Host to device, bytes per second that a pinned copy reaches in practice.
    launch : float
        Seconds to start an empty kernel, in practice.
    sector : int
        Bytes that memory gives at once.
    sms : int
        Streaming multiprocessors.
    l2 : int
        Bytes of L2 cache: data smaller than this is not bound by `bandwidth`.
    clock, clock_base, clock_most : float
        Cycles per second of the SMs: of the peak rates, that the maker promises at the card's power limit, and the highest
        that the driver allows.
    int32, special : float
        32-bit integer additions, and results of the special function units, per second.
    l1 : int
        Bytes of L1 cache and shared memory together, of one SM.
    l2_bandwidth : float
        Bytes per second from L2 to the SMs, as kernels reach it.
    latency : tuple of int
        Cycles from a load to its value, found in L1, found in L2, from memory.
    link_peak : float
        Bytes per second in one direction that the link could carry at most.
    calibration : dict or None
        Measured factors for the lens's estimate with their origin: ``{"factors": {"memory": 1.1, ...}, "source": "..."}``;
        None where nobody measured them.
    sources : dict of str to str
        For each of these figures, where it comes from and whether it was read there or remembered.
    aliases : tuple of str
        Other names that `find` takes.
    """

    name: str
    full_name: str
    cc: tuple[int, int]
    memory: int
    bandwidth: float
    fp64: float
    fp32: float
    gemm64: float
    link: float
    launch: float
    sector: int
    sms: int
    l2: int
    clock: float
    clock_base: float
    clock_most: float
    int32: float
    special: float
    l1: int
    l2_bandwidth: float
    latency: tuple[int, int, int]
    link_peak: float
    sources: dict[str, str]
    aliases: tuple[str, ...] = ()
    calibration: dict | None = None

    __hash__ = object.__hash__  # one object for each GPU, though some of its figures are dictionaries

    @property
    def threads_per_sm(self) -> int:
        """Threads resident on one SM at most: a figure of its compute capability."""
        return capabilities.of(self.cc).threads_per_sm


@cache
def known() -> tuple[GPU, ...]:
    """Return the known GPUs, oldest architecture first."""
    data = json.loads(Path(__file__).with_name("gpus.json").read_text(encoding="utf-8"))
    return tuple(_gpu(entry, data["sources"]) for entry in data["gpus"])


def names() -> list[str]:
    """Return the names that the course uses."""
    return [gpu.name for gpu in known()]


def find(name: str) -> GPU:
    """Return the known GPU with this name or alias; case, spaces, hyphens and the maker's name do not matter.

    A name must fit whole, never in part: an A100 of 40 GB has other figures than one of 80, so "A100-SXM4-40GB" must not be
    answered with "A100".

    Raises
    ------
    UnknownGpuError
        A KeyError that names the nearest known ones.
    """
    table = {plain(alias): gpu for gpu in known() for alias in (gpu.name, gpu.full_name, *gpu.aliases)}
    if not isinstance(name, str):
        raise UnknownGpuError(
            f"A GPU is named by a string, such as {known()[0].name!r}; this is {type(name).__name__}."
        )
    wanted = plain(name)
    if wanted in table:
        return table[wanted]
    near = [table[match].name for match in difflib.get_close_matches(wanted, table, n=5, cutoff=0.5)]
    if near:
        hint = "The nearest known: " + ", ".join(dict.fromkeys(near)) + "."
    else:
        hint = "Known: " + ", ".join(names()) + "."
    raise UnknownGpuError(f"No GPU called {name!r} is known. {hint}")


def plain(name: str) -> str:
    """Return a name without what differs between a driver's spelling and a person's."""
    return re.sub(r"nvidia|tesla|geforce|[^a-z0-9]", "", name.lower())


def _gpu(entry: dict, sources: dict[str, str]) -> GPU:
    figures = entry["figures"]
    values = {key: figure["value"] for key, figure in figures.items()}
    values["cc"], values["latency"] = tuple(values["cc"]), tuple(values["latency"])
    rates = (
        "bandwidth",
        "fp64",
        "fp32",
        "gemm64",
        "link",
        "launch",
        "clock",
        "clock_base",
        "clock_most",
        "int32",
        "special",
    )
    for rate in (*rates, "l2_bandwidth", "link_peak"):
        values[rate] = float(values[rate])
    return GPU(
        name=entry["name"],
        full_name=entry["full_name"],
        aliases=tuple(entry["aliases"]),
        calibration=entry["calibration"],
        sources={key: sources[figure["source"]] for key, figure in figures.items()},
        **values,
    )
