"""Which of the three variants of the GPU libraries' packages this machine can use, and which it has."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from typing import Literal

from .detect import Gpu, Probe, probe

Extra = Literal["cpu", "cu12", "cu13"]


@dataclass(frozen=True)
class Needs:
    """What a variant asks of the machine.

    `cuda` is the CUDA that the driver must speak, `driver` the first driver series that does, `cc` the oldest compute
    capability, `tested` the oldest driver series that RAPIDS is tested with.
    """

    extra: Extra
    cuda: tuple[int, int]
    driver: int
    cc: tuple[int, int]
    tested: int


# NVIDIA, "CUDA Compatibility" (drivers) and RAPIDS 26.10 "Platform Support" (compute capability, tested drivers).
NEEDS = (Needs("cu13", (13, 0), 580, (7, 5), 580), Needs("cu12", (12, 0), 525, (7, 0), 535))
OLDEST_GLIBC = (2, 28)

# What tells the variants apart.
GPU_PACKAGES = (
    *(
        "cupy-cuda11x",
        "cupy-cuda12x",
        "cupy-cuda13x",
        "cupy",
        "cudf-cu12",
        "cudf-cu13",
        "dask-cudf-cu12",
        "dask-cudf-cu13",
    ),
    *("cuml-cu12", "cuml-cu13", "rmm-cu12", "rmm-cu13", "dask-cuda", "numba-cuda", "cuda-toolkit", "cuda-bindings"),
    *("nvidia-nvjitlink", "nvidia-nvjitlink-cu12", "nvidia-ml-py"),
)


def platform_why_not(system: dict | None = None) -> str | None:
    """Return why no GPU variant installs on this platform, as a sentence; None where one does."""
    system = platform_facts() if system is None else system
    if system["system"] == "Windows":
        return "On Windows the GPU libraries run inside WSL2 only."
    if system["system"] != "Linux" or system["machine"] not in ("x86_64", "aarch64"):
        return f"The GPU libraries are built for Linux on x86_64 and aarch64; this is {system['system']} on {system['machine']}."
    libc = tuple(system["glibc"] or ())
    if not libc:
        return "The GPU libraries need the C library glibc; this system has another."
    if libc < OLDEST_GLIBC:
        return f"The GPU libraries need glibc 2.28 or newer; this system has {libc[0]}.{libc[1]}."
    return None


def platform_facts() -> dict:
    """Return operating system, processor architecture and glibc version (None where there is another C library)."""
    try:
        found = re.match(r"glibc (\d+)\.(\d+)", os.confstr("CS_GNU_LIBC_VERSION") or "")
    except (AttributeError, ValueError, OSError):
        found = None
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    glibc = [int(part) for part in found.groups()] if found else None
    return {"system": platform.system(), "machine": machine, "glibc": glibc}


def driver_allows(asked: Probe) -> tuple[int, int] | None:
    """Return the newest CUDA that the driver allows: as it says itself, else by its version's series; None if unknown."""
    if asked.cuda is not None:
        return asked.cuda
    series = driver_series(asked)
    if series is None:
        return None
    return next((need.cuda for need in NEEDS if series >= need.driver), (11, 0))


def driver_series(asked: Probe) -> int | None:
    """Return the driver's series: 580 for "580.65.06"."""
    text = asked.driver or asked.kernel_driver or ""
    return int(text.split(".")[0]) if text.split(".")[0].isdigit() else None


def extra(asked: Probe | None = None, system: dict | None = None) -> Extra:
    """Return the variant of the packages that fits this machine: "cu13", "cu12", or "cpu" where no GPU works.

    With several GPUs it is the one that suits the weakest usable: a machine with a V100 and an H100 gets "cu12", and both work.
    """
    asked = probe() if asked is None else asked
    if asked.status != "ok" or platform_why_not(system) is not None:
        return "cpu"
    allowed = driver_allows(asked)
    if not asked.usable or allowed is None:
        return "cpu"
    weakest = min(gpu.cc for gpu in asked.usable)
    for need in NEEDS:
        if allowed >= need.cuda and weakest >= need.cc:
            return need.extra
    return "cpu"


def decides(asked: Probe) -> Gpu | None:
    """Return the GPU that decides the variant: the usable one of the lowest compute capability."""
    return min(asked.usable, key=lambda gpu: gpu.cc, default=None)


def installed(names: Iterable[str] = GPU_PACKAGES, path: list[str] | None = None) -> dict[str, str]:
    """Return the versions of those of `names` that are installed, read from their metadata; nothing is imported.

    `path` lists folders to look in instead of this interpreter's own: another environment's site-packages.
    """
    out = {}
    for name in names:
        if path is None:
            try:
                out[name] = metadata.version(name)
            except metadata.PackageNotFoundError:
                continue
        else:
            for found in metadata.distributions(name=name, path=path):
                out[name] = found.version
                break
    return out


def majors(versions: dict[str, str]) -> dict[int, list[str]]:
    """Return the installed packages that are built for one CUDA, by its major version."""
    out: dict[int, list[str]] = {}
    for name, version in versions.items():
        suffix = re.search(r"-cu(?:da)?(11|12|13)x?$", name)
        if suffix and name != "nvidia-nvjitlink-cu12":
            out.setdefault(int(suffix.group(1)), []).append(name)
        elif name in ("cuda-toolkit", "cuda-bindings") and version.split(".")[0].isdigit():
            out.setdefault(int(version.split(".")[0]), []).append(name)
    return out


def cupys(versions: dict[str, str]) -> list[str]:
    """Return the CuPy packages that are installed; more than one overwrite each other's files."""
    return [name for name in versions if name == "cupy" or name.startswith("cupy-cuda")]


def mismatch(
    asked: Probe | None = None, versions: dict[str, str] | None = None, system: dict | None = None
) -> Mismatch | None:
    """Return what is wrong with the installed GPU packages where a GPU works; None where they fit, or where no GPU works."""
    asked = probe() if asked is None else asked
    versions = installed() if versions is None else versions
    fits = extra(asked, system)
    if fits == "cpu":
        return None
    major, found, several = int(fits[2:]), majors(versions), cupys(versions)
    if not several:
        return Mismatch("A GPU works here, but CuPy is not installed.", setup_command(fits), fits)
    if len(several) > 1:
        why = f"{' and '.join(sorted(several))} are both installed, and each overwrites files of the other."
        return Mismatch(why, setup_command(fits, afresh=True), fits)
    if 11 in found:
        why = f"{_are(found[11])} built for CUDA 11, which the course does not support."
        return Mismatch(why, setup_command(fits), fits)
    # Packages for CUDA 12 run on a driver for 13; the other way about they do not.
    if max(found, default=major) > major:
        newest = max(found)
        why = f"{_are(found[newest])} built for CUDA {newest}, but {_because(asked, major)}."
        return Mismatch(why, setup_command(fits), fits)
    if len(found) > 1:
        why = f"Packages for CUDA 12 and for CUDA 13 are mixed: {_are(found[12])} for 12, {_are(found[13])} for 13."
        return Mismatch(why, setup_command(fits, afresh=True), fits)
    return None


def _because(asked: Probe, major: int) -> str:
    allowed, weakest = driver_allows(asked), decides(asked)
    if allowed is not None and weakest is not None and allowed >= (major + 1, 0):
        return f"{weakest.name} has compute capability {weakest.cc[0]}.{weakest.cc[1]}, which only CUDA {major} serves"
    return f"the driver allows CUDA {allowed[0]}.{allowed[1]} at most" if allowed else "the driver's version is unknown"


@dataclass(frozen=True)
class Mismatch:
    """Why the GPU packages do not fit (`why`, a sentence), the one command that fixes it, and the variant that fits."""

    why: str
    fix: str
    extra: Extra


def setup_command(variant: str, afresh: bool = False) -> str:
    """Return the command that installs a variant here: pip's, or what `install_by` named.

    `afresh` is for when packages have overwritten each other's files.
    """
    if _installer is not None:
        return _installer(variant, afresh)
    python = os.path.basename(sys.executable or "python")
    force = " --force-reinstall" if afresh else ""
    what = {
        "cu12": "cupy-cuda12x[ctk]",
        "cu13": "cupy-cuda13x[ctk]",
        "compiler": "kernellens[compiler]",
        "cpu": "gpusim",
    }
    return f'{python} -m pip install{force} "{what[variant]}"'


_installer: Callable[[str, bool], str] | None = None


def install_by(command: Callable[[str, bool], str]) -> None:
    """Have this process name another command than pip's, as a course that is set up by one of its own.

    Parameters
    ----------
    command : callable
        Takes a variant ("cpu", "cu12", "cu13", "compiler") and whether to begin afresh, and returns the command's line.
    """
    global _installer
    _installer = command


def _are(names: list[str]) -> str:
    return ", ".join(sorted(names)) + (" is" if len(names) == 1 else " are")
