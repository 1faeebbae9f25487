"""Get a Python process ready: decide whether a GPU works here, and put the simulated libraries in place where none does."""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import dataclass

import gpusim
from gpusim import hardware
from gpusim.importing import finder

NEEDED = ("numpy", "scipy", "numba")
"""What no simulated library can do without. Asked for by name, not imported: that takes seconds."""


@dataclass(frozen=True)
class Speaker:
    """In whose name it is said what was found, and what to do about what is wrong.

    `name` begins each line; `needed` are the packages that it cannot do without, and `lacking` what to do where one is not there;
    `too_early` ends the sentence about a library that was imported before; `doctor` is a command that finds out more, or empty.
    `asked` says by what simulation was asked for, where that was not GPUSIM_SIMULATE: then a GPU that works is not looked for.
    """

    name: str = "gpusim"
    needed: tuple[str, ...] = NEEDED
    lacking: str = "install it with `python -m pip install gpusim`, or use another Python."
    too_early: str = "restart Python and call `gpusim.activate()`, or `python -m gpusim`, first."
    doctor: str = ""
    asked: str = ""


_why: str | None = None


class CannotStartError(RuntimeError):
    """This process cannot be got ready; the message is one sentence with what to do."""


def start(speaker: Speaker = Speaker()) -> str:  # noqa: B008 - a constant
    """Get this process ready and return the line that says what was found and what to expect.

    Where a GPU works, nothing is replaced.  Where none does, or where GPUSIM_SIMULATE or the speaker asks for it, the simulated libraries are put
    in place here and in all processes started from here.  No CUDA context is made.

    Raises
    ------
    CannotStartError
        If a package is missing, if a GPU works here but its packages do not fit, if a library was imported too early, or
        if a setting cannot be understood.
    """
    missing = [name for name in speaker.needed if name not in sys.modules and importlib.util.find_spec(name) is None]
    if missing:
        version = ".".join(map(str, sys.version_info[:2]))
        raise CannotStartError(
            f"{speaker.name}: this Python ({version}, {sys.prefix}) lacks {_and(missing)}: {speaker.lacking}"
        )
    asked = os.environ.get("GPUSIM_SIMULATE", "")
    if asked.strip().lower() in ("no", "off", "false", "n", "f"):
        # By the rule it would ask for what whoever set it does not want; on a GPU, that is no small difference.
        raise CannotStartError(
            f"{speaker.name}: GPUSIM_SIMULATE is {asked!r} and counts as set: make it 1 to simulate, and 0 or nothing not to."
        )
    try:
        mode = "simulated" if speaker.asked else hardware.mode()
        line = _gpu(speaker) if mode == "gpu" else _simulated(speaker, asked_for=mode == "simulated")
    except ValueError as error:  # a recorded probe or a GPUSIM_ variable that cannot be read, or an old name of one
        raise CannotStartError(f"{speaker.name}: {error}") from error
    return f"{speaker.name}: {line}"


def _gpu(speaker: Speaker) -> str:
    probe = hardware.probe()
    mismatch = hardware.packages.mismatch(probe)
    if mismatch is not None:
        raise CannotStartError(
            f"{speaker.name}: {probe.usable[0].name} works here, but not with these packages. {mismatch.why} "
            f"Run `{mismatch.fix}` in a terminal and restart Python here (in a notebook: Kernel, Restart Kernel); "
            "to simulate a GPU on purpose, set GPUSIM_SIMULATE=1 before it starts."
        )
    finder.watch_dask()
    gpus = [f"{gpu.name} ({_size(gpu.memory_total)}{_free(gpu.memory_free)})" for gpu in probe.usable]
    names = gpus[0] if len(gpus) == 1 else f"{len(gpus)} GPUs, {_and(gpus)},"
    return f"{names} {'works' if len(gpus) == 1 else 'work'} here. Nothing is replaced; times are those of the GPU."


def _simulated(speaker: Speaker, asked_for: bool) -> str:
    from gpusim.device import device

    # Activating sets the variable for our children; loaded again, the reason stays what it was at first.
    global _why
    _why = _why or (speaker.asked or "GPUSIM_SIMULATE is set" if asked_for else _why_no_gpu(speaker))
    count, memory = device.count(), device.memory()
    try:
        gpusim.activate()
    except gpusim.TooLateError as error:
        raise CannotStartError(
            f"{speaker.name}: the real {_and(error.names)} {'was' if len(error.names) == 1 else 'were'} imported before, too "
            f"early for a simulated library to take its place: {speaker.too_early}"
        ) from error
    cores = hardware.cpu.cores()
    gpus = f"1 GPU of {_size(memory)}" if count == 1 else f"{count} GPUs of {_size(memory)} each"
    # Short on purpose: JupyterLab breaks a long line in the middle of a word.
    return (
        f"{_why}: {cores} core{'s simulate' if cores != 1 else ' simulates'} {gpus}. "
        "Answers are right; times are this CPU's."
    )


def _why_no_gpu(speaker: Speaker) -> str:
    """Return why no GPU works here, the beginning of a sentence; more than a word only where there is a sign of one."""
    probe = hardware.probe()
    if probe.present:
        unusable = [f"{gpu.name}: {gpu.why_not}" for gpu in probe.gpus if gpu.why_not]
        why = unusable[0] if unusable else probe.error or "the driver is too old or shows no GPU"
        more = f"; run `{speaker.doctor}`" if speaker.doctor else ""
        return f"there are signs of an NVIDIA GPU, but none can be used ({why}{more})"
    cupys = hardware.packages.cupys(hardware.packages.installed())
    return f"{cupys[0]} is installed, but no NVIDIA driver is" if cupys else "no GPU here"


def _size(size: int) -> str:
    """Return bytes as text with three significant digits, in the powers of ten that bandwidths are given in."""
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}" if size / factor < 999.5 else f"{size / factor:.0f} {unit}"
    return f"{size} B"


def _free(size: int | None) -> str:
    return "" if size is None else f", {_size(size)} free"


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
