"""Signs of an NVIDIA driver that can be read from files, without loading it: in under a millisecond, and without risk."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

# Where the loader looks beside its cache; WSL2 and some container runtimes put the driver where only a path variable leads.
_PLACES = (
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/lib64",
    "/usr/lib/wsl/lib",
)


def look(root: str = "/", environ: Mapping[str, str] | None = None) -> dict:
    """Return the signs of a driver under `root`.

    Returns
    -------
    dict
        `libcuda` (a path, "loader cache", or None), `devices` (list of device nodes), `kernel_driver` (version of the loaded
        kernel module or None), `wsl` (bool), `linux_driver_in_wsl` (bool: a driver for plain Linux installed inside WSL2, where
        Windows already brings one), `any` (bool: whether it is worth asking libcuda at all).
    """
    environ = os.environ if environ is None else environ
    base = Path(root)
    wsl = (base / "dev/dxg").exists()
    devices = sorted(str(p.name) for p in _listing(base / "dev") if re.fullmatch(r"nvidia\d+|nvidiactl", p.name))
    libcuda = _libcuda(base, environ)
    signs = {
        "libcuda": libcuda,
        "devices": devices,
        "kernel_driver": kernel_driver(base),
        "wsl": wsl,
        "linux_driver_in_wsl": wsl and _linux_driver(base),
    }
    # Every WSL2 has /dev/dxg, with an NVIDIA GPU or without: only Windows' libcuda beside it is a sign.
    signs["any"] = libcuda is not None or bool(devices) or signs["kernel_driver"] is not None
    return signs


def kernel_driver(base: Path = Path("/")) -> str | None:
    """Return the version of the loaded NVIDIA kernel module, such as "580.65.06"; None where there is none (as in WSL2)."""
    try:
        text = (base / "proc/driver/nvidia/version").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = re.search(r"^NVRM version:.*?\s(\d+\.\d+(?:\.\d+)?)\s", text, re.MULTILINE)
    return found.group(1) if found else None


def _libcuda(base: Path, environ: Mapping[str, str]) -> str | None:
    if not sys.platform.startswith("linux"):
        return None  # the libraries this course teaches run on Linux and in WSL2 only
    for place in filter(None, environ.get("LD_LIBRARY_PATH", "").split(":")):
        if os.path.exists(os.path.join(place, "libcuda.so.1")):
            return os.path.join(place, "libcuda.so.1")
    for place in _PLACES:
        path = base / place.lstrip("/") / "libcuda.so.1"
        if path.exists():
            return str(path)
    try:
        # Reading the cache for the bare name is enough to decide whether asking is worth a child process.
        if b"libcuda.so.1\0" in (base / "etc/ld.so.cache").read_bytes():
            return "loader cache"
    except OSError:
        pass
    return None


def _linux_driver(base: Path) -> bool:
    """A libcuda beside Windows' own, in the folders where Linux packages put theirs, hides the one that works in WSL2."""
    for place in _PLACES[:4]:
        path = base / place.lstrip("/") / "libcuda.so.1"
        if path.exists() and "/usr/lib/wsl/" not in os.path.realpath(path):
            return True
    return False


def _listing(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []
