"""The GPUs that are to be shared: as an instructor names them, or as the machine has them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from gpusim.hardware import gpus
from gpusim.hardware.detect import Probe

GB = 10**9


class UnreadableGpus(ValueError):
    """GPUs that cannot be shared as they were named, or as they are set up; the message says what to do."""


@dataclass(frozen=True)
class Board:
    """One GPU.

    Attributes
    ----------
    name : str
    memory : int
        Bytes.
    cc : tuple of int or None
        Compute capability; None where it is not known.
    slices : dict of str to int
        MIG profiles, and how many of each it holds when it is cut into equal ones; empty where it has no MIG.
    wsl : bool
        Whether Windows owns it: then there is neither MPS nor MIG.
    cut : bool
        Whether MIG is on for it now.
    """

    name: str
    memory: int
    cc: tuple[int, int] | None = None
    slices: dict[str, int] = field(default_factory=dict, hash=False)
    wsl: bool = False
    cut: bool = False


@cache
def _families() -> list[dict]:
    """MIG's tables (mig.json), each with its source."""
    return json.loads(Path(__file__).with_name("mig.json").read_text(encoding="utf-8"))["families"]


def slice_memory(profile: str) -> int:
    """Bytes of memory of a MIG profile, as its name says: 18·10⁹ for ``1g.18gb``."""
    return int(profile.split(".")[1].removesuffix("gb")) * GB


def _slices(name: str, memory: int) -> dict[str, int]:
    """The MIG profiles of a GPU: the family whose name begins its name, and whose memory is nearest within a tenth."""
    plain = gpus.plain(name)
    near = [
        family
        for family in _families()
        if plain.startswith(gpus.plain(family["name"].split()[0]))
        and abs(family["memory"] * GB - memory) < 0.11 * memory
    ]
    if not near:
        return {}
    return dict(min(near, key=lambda family: abs(family["memory"] * GB - memory))["profiles"])


def named(text: str) -> list[Board]:
    """Read GPUs as people write them: ``4xH200``, ``2 x A100, 1 x L4``, ``8xL40S:48GB``.

    Raises
    ------
    UnreadableGpus
        If it cannot be read, or a GPU is not known and its memory is not given.
    """
    boards: list[Board] = []
    for part in filter(None, (each.strip() for each in text.split(","))):
        match = re.fullmatch(r"(?:(\d+)\s*[x×*]\s*)?(.+?)(?::\s*(\d+(?:\.\d+)?)\s*gi?b)?", part, re.IGNORECASE)
        if match is None or match[1] == "0":
            raise UnreadableGpus(f"{part!r} names no GPUs: write a number and a name, such as 4xH200.")
        count, name, size = int(match[1] or 1), match[2].strip(), match[3]
        if count > 1000:
            raise UnreadableGpus(
                f"{count} GPUs are more than any class has: write a number and a name, such as 4xH200."
            )
        boards += [_known(name, round(float(size) * GB) if size else None)] * count
    if not boards:
        raise UnreadableGpus("No GPUs are named: write a number and a name, such as 4xH200.")
    return boards


def _known(name: str, memory: int | None) -> Board:
    try:
        gpu = gpus.find(name)
    except gpus.UnknownGpuError as error:
        family = next((each for each in _families() if gpus.plain(each["name"]) == gpus.plain(name)), None)
        if memory is None and family is None:
            raise UnreadableGpus(f"{error} For any other, give its memory: {name}:48GB.") from None
        memory = memory or family["memory"] * GB
        return Board(name, memory, slices=_slices(name, memory))
    memory = memory or gpu.memory
    return Board(gpu.name, memory, gpu.cc, _slices(gpu.name, memory))


def found(probe: Probe) -> list[Board]:
    """The GPUs of this machine that can be used.

    Raises
    ------
    UnreadableGpus
        If some are cut by MIG and others are not, or one is closed to more than one process.
    """
    usable = probe.usable
    if len({bool(gpu.mig) for gpu in usable}) > 1:
        half = ", ".join(str(gpu.index) for gpu in usable if gpu.mig)
        raise UnreadableGpus(
            f"MIG is on for GPU {half} and off for the others: switch it on or off for all (`nvidia-smi -mig 1`, `-mig 0`), then plan."
        )
    for gpu in usable:
        if gpu.compute_mode != "default":
            raise UnreadableGpus(
                f"GPU {gpu.index} ({gpu.name}) lets no more than one process in (compute mode {gpu.compute_mode}): "
                f"`sudo nvidia-smi -i {gpu.index} -c 0` opens it."
            )
    return [
        Board(
            gpu.name.removeprefix("NVIDIA "),
            gpu.memory_total,
            gpu.cc,
            {} if probe.wsl else _slices(gpu.name, gpu.memory_total),
            probe.wsl,
            bool(gpu.mig),
        )
        for gpu in usable
    ]
