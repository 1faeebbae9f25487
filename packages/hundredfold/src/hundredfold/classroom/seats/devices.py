"""The places that seats are on: a GPU, a MIG slice, or a simulated GPU; what there is on this machine, as nvidia-smi tells.

A hub's Python asks nvidia-smi and not CUDA: a process sees one MIG slice at most through CUDA, and a hub must not hold a context
on anybody's GPU.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gpusim.hardware import gpus

from .plan import CONTEXT, LEAST, Impossible, Mechanism, plan
from .shared_gpus import GB, Board, UnreadableGpus, _slices, slice_memory

SIMULATED = "simulated"

#: nvidia-smi answers in a second or two; a driver that hangs must not keep the hub from starting.
PATIENCE = 30.0


@dataclass(frozen=True)
class Place:
    """Where learners can sit.

    Attributes
    ----------
    name : str
        What CUDA_VISIBLE_DEVICES is to say: ``GPU-…`` or ``MIG-…``; ``simulated`` for simulated GPUs.
    title : str
        What people call it: ``GPU 2 (H200)``.
    memory : int
        Bytes of device memory for the arrays of each seat, without the context; 0 for simulated ones, where the seat's share of
        main memory decides.
    room : int
        How many seats it has.
    mechanism : str
        How those who sit there are kept apart: one of `plan.Mechanism`.
    """

    name: str
    title: str
    memory: int
    room: int
    mechanism: Mechanism


@dataclass(frozen=True)
class Found:
    """A GPU as nvidia-smi tells of it; `slices` are its MIG instances as (UUID, profile), `next` MIG's mode after a reset."""

    index: int
    name: str
    uuid: str
    memory: int
    mode: str
    mig: bool
    slices: tuple[tuple[str, str], ...] = ()
    next: bool | None = None


def gpus_here(program: str = "nvidia-smi") -> list[Found]:
    """The GPUs of this machine; none where there is no nvidia-smi.

    Raises
    ------
    UnreadableGpus
        If nvidia-smi is there and fails, hangs or says what cannot be read.
    """
    if shutil.which(program) is None:
        return []
    listed = _ask([program, "-L"])
    table = _ask(
        [
            program,
            "--query-gpu=index,name,uuid,memory.total,compute_mode,mig.mode.current,mig.mode.pending",
            "--format=csv,noheader,nounits",
        ]
    )
    slices: dict[str, list[tuple[str, str]]] = {}
    board = ""
    for line in listed.splitlines():
        if match := re.match(r"GPU \d+: .*\(UUID: (GPU-[\w-]+)\)", line):
            board = match[1]
        elif match := re.match(r"\s+MIG (\S+)\s+Device\s+\d+: \(UUID: (MIG-[\w/-]+)\)", line):
            slices.setdefault(board, []).append((match[2], match[1]))
    found = []
    for line in filter(str.strip, table.splitlines()):
        fields = [field.strip() for field in line.split(",")]
        try:
            index, name, uuid, memory, mode, mig, pending = fields
            found.append(
                Found(
                    int(index),
                    name.removeprefix("NVIDIA "),
                    uuid,
                    int(memory) * 2**20,
                    mode,
                    mig == "Enabled",
                    tuple(slices.get(uuid, ())),
                    pending == "Enabled",
                )
            )
        except ValueError:
            raise UnreadableGpus(f"nvidia-smi says of a GPU what cannot be read: {line.strip()!r}.") from None
    return found


def _ask(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise UnreadableGpus(
            f"nvidia-smi does not answer within {PATIENCE:g} s: the driver hangs; restart the machine."
        ) from None
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split()) or f"exit status {done.returncode}"
        raise UnreadableGpus(
            f"nvidia-smi fails ({said}): fix the driver, or seat everybody on simulated GPUs (gpus = 'none')."
        )
    return done.stdout


def mechanism_here(found: Sequence[Found], learners: int) -> Mechanism:
    """How these GPUs are set up to be shared: what an administrator did after `seats plan`, read off the machine."""
    if any(gpu.slices for gpu in found):
        return "MIG"
    if learners <= len(found):
        return "one each"
    return "MPS" if _mps_runs(mps_pipe()) else "time-slicing"


def mps_pipe() -> Path:
    """The folder of MPS's sockets.

    NVIDIA's default, ``/tmp/nvidia-mps``, will not do: seats have a ``/tmp`` of their own, and any user could make that folder first.
    """
    return Path(os.environ.get("CUDA_MPS_PIPE_DIRECTORY") or "/run/nvidia-mps")


def _mps_runs(pipe: Path) -> bool:
    """Whether MPS's daemon has its sockets there, in a folder that nobody but this user, the hub's, can have made."""
    try:
        folder = pipe.lstat()
        return stat.S_ISDIR(folder.st_mode) and folder.st_uid == os.geteuid() and (pipe / "control").exists()
    except OSError:
        return False


def on_gpus(
    found: Sequence[Found], learners: int, mechanism: Mechanism | None = None, memory: int | None = None
) -> list[Place]:
    """The places on GPUs for a class.

    Parameters
    ----------
    found : the GPUs, as `gpus_here` has them.
    learners : how many are expected at the same time.
    mechanism : how the GPUs are shared; None reads it off the machine (`mechanism_here`).
    memory : bytes of device memory for the arrays of each seat, instead of an equal part.

    Raises
    ------
    UnreadableGpus
        If GPUs are set up so that they cannot be shared: MIG on and not cut, on for some only, a compute mode for one process.
    Impossible
        If the mechanism does not seat the class, or `memory` is more than there is, or less than is of use.
    """
    if not found:
        return []
    _refuse_half_done(found)
    mechanism = mechanism or mechanism_here(found, learners)
    if mechanism == "MIG":
        places = [
            Place(uuid, f"{profile} of GPU {gpu.index} ({gpu.name})", slice_memory(profile) - CONTEXT, 1, "MIG")
            for gpu in found
            for uuid, profile in gpu.slices
        ]
        if not places:
            raise UnreadableGpus(
                "No GPU is cut by MIG: `hundredfold seats plan` says what to type, or name another way."
            )
    else:
        boards = [Board(gpu.name, gpu.memory, _capability(gpu.name), _slices(gpu.name, gpu.memory)) for gpu in found]
        # For as many as there is room for, so that those beyond `learners` do not find their neighbours' memory given away.
        made = plan(learners, boards, mechanism)
        shares = made.shares()
        places = [
            Place(
                found[i].uuid,
                f"GPU {found[i].index} ({found[i].name})",
                min(seat.memory for seat in made.seats if seat.board == i),
                shares[i],
                made.mechanism,
            )
            for i in shares
        ]
    if memory is None:
        return places
    sized = [replace(place, memory=memory, room=_room(place, memory)) for place in places]
    _refuse_limit(sized, places, memory)
    return sized


def _room(place: Place, memory: int) -> int:
    """How many seats of this memory a place has: as many as the plan says, fewer where they would not fit."""
    whole = (place.memory + CONTEXT) * place.room
    return min(place.room, whole // (memory + CONTEXT))


def _refuse_limit(sized: Sequence[Place], places: Sequence[Place], memory: int) -> None:
    if memory < LEAST:
        raise Impossible(
            f"{memory / GB:g} GB of device memory for a seat is less than {LEAST / GB:g} GB, with which a unit would end in errors "
            "instead of answers: give more, or leave the number out."
        )
    for after, before in zip(sized, places, strict=True):
        if after.room < before.room:
            whole = (before.memory + CONTEXT) * before.room
            seats = "1 seat" if before.room == 1 else f"{before.room} seats"
            raise Impossible(
                f"{seats} of {memory / GB:.1f} GB and {CONTEXT / GB:g} GB for a context each do not fit {before.title}, which has "
                f"{whole / GB:.1f} GB: at most {before.memory / GB:.1f} GB for a seat, or fewer learners."
            )


def _refuse_half_done(found: Sequence[Found]) -> None:
    for gpu in found:
        if gpu.mode.lower() not in ("default", "[n/a]", "n/a"):
            raise UnreadableGpus(
                f"GPU {gpu.index} ({gpu.name}) lets no more than one process in (compute mode {gpu.mode}): "
                f"`sudo nvidia-smi -i {gpu.index} -c 0` opens it."
            )
        if gpu.next is not None and gpu.next != gpu.mig:
            raise UnreadableGpus(
                f"MIG is to be switched {'on' if gpu.next else 'off'} for GPU {gpu.index} ({gpu.name}) and waits for a reset: end what "
                f"runs on it, then `sudo nvidia-smi -i {gpu.index} --gpu-reset`, or restart the machine."
            )
        if gpu.mig and not gpu.slices:
            raise UnreadableGpus(
                f"MIG is on for GPU {gpu.index} ({gpu.name}), but it is not cut, so nobody can compute on it: "
                f"`hundredfold seats plan --mechanism MIG` says how to cut it, `sudo nvidia-smi -i {gpu.index} -mig 0` switches MIG off."
            )
    if len({gpu.mig for gpu in found}) > 1:
        on = ", ".join(str(gpu.index) for gpu in found if gpu.mig)
        raise UnreadableGpus(
            f"MIG is on for GPU {on} and off for the others: switch it on or off for all (`nvidia-smi -mig 1`, `-mig 0`)."
        )


def _capability(name: str) -> tuple[int, int] | None:
    try:
        return gpus.find(name).cc
    except gpus.UnknownGpuError:
        return None
