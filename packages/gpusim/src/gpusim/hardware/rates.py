"""How fast this machine is, measured once and kept: the rates that `limit` divides by."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from . import cpu, detect, paths

# Raised when a rate comes to mean something else, so that no old file is read as the new thing.
FORMAT = 1


@dataclass(frozen=True)
class Rates:
    """Measured rates of one device.

    Parameters
    ----------
    device : str
        Name of the CPU or GPU.
    bandwidth : float
        Memory bandwidth in bytes per second, read plus written.
    fp64, fp32 : float or None
        Arithmetic rate in floating-point operations per second (a fused multiply-add counts as two); None where not measured.
    gemm64 : float or None
        The same for a large float64 matrix product.
    link : float or None
        Host to device in bytes per second; None on a CPU.
    launch : float or None
        Seconds that an empty kernel costs; None on a CPU.
    measured_at : str
        Date and time, ISO 8601 with its zone.
    method : str
        How they were measured, in a sentence that a figure can carry.
    versions : dict of str to str
        The libraries that measured.
    """

    device: str
    bandwidth: float
    fp64: float | None = None
    fp32: float | None = None
    gemm64: float | None = None
    link: float | None = None
    launch: float | None = None
    measured_at: str = ""
    method: str = ""
    versions: dict[str, str] = field(default_factory=dict)


def key() -> str:
    """Return the key of the device that results come from here: the GPU's name and size, else the CPU with its core count.

    Rates of two cores are not those of four, so a limit set by a hub or by affinity is part of the key.
    """
    if detect.mode() == "gpu":
        gpu = detect.probe().usable[0]
        return f"gpu {gpu.name} {gpu.memory_total}"
    return cpu_key()


def cpu_key() -> str:
    """Return the key of this CPU as this process may use it."""
    return f"cpu {cpu.cpu_name()} x{cpu.cores()}"


def load(key: str) -> Rates | None:
    """Return the rates kept under `key`; None where there are none, or none that can be read."""
    try:
        data = json.loads(_file(key).read_text(encoding="utf-8"))
        rates = Rates(**data["rates"])
        if data["format"] != FORMAT or data["key"] != key or not _sound(rates):
            return None
        return rates
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None  # missing, cut short, or of another version: measured anew


def _sound(rates: Rates) -> bool:
    """Whether each rate is a positive, finite number, or is not known where it may be unknown."""
    optional = (rates.fp64, rates.fp32, rates.gemm64, rates.link, rates.launch)
    known = [rates.bandwidth, *(rate for rate in optional if rate is not None)]
    return all(type(rate) in (int, float) and 0 < rate < math.inf for rate in known)


def save(key: str, rates: Rates) -> bool:
    """Keep `rates` under `key`; return whether that was possible. A full disk costs a measurement, not the lesson."""
    text = json.dumps({"format": FORMAT, "key": key, "rates": dataclasses.asdict(rates)}, indent=1)
    temporary = None
    try:
        file = _file(key)
        file.parent.mkdir(parents=True, exist_ok=True)
        # Several kernels may write at once: each writes a file of its own and puts it in place in one step.
        handle, temporary = tempfile.mkstemp(dir=file.parent, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        os.replace(temporary, file)
        return True
    except OSError:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        return False


def _file(key: str) -> Path:
    name = re.sub(r"[^a-z0-9]+", "-", key.lower()).strip("-")[:60]
    return paths.cache_dir() / "rates" / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:8]}.json"
