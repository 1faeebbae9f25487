"""What this machine is: its GPUs and driver, memory and cores, whether to simulate, and the GPUs we know as data.

Standard library only, at import and in use: the launcher reads it before anything is installed, and a hub's own Python may.
Nothing here makes a CUDA context: the driver is asked in a child process, because a context made in this one would break
`LocalCUDACluster` and fork, and because a broken driver may crash or hang whoever loads it.

>>> from gpusim import hardware
>>> hardware.mode()                                  # doctest: +SKIP
'simulated'
>>> hardware.cpu.cores(), hardware.gpus.find("h200").bandwidth   # doctest: +SKIP
(2, 4800000000000.0)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import capabilities, cpu, gpus, packages, paths, rates
    from .detect import Gpu, Probe, mode, probe, simulating

__all__ = [
    "Gpu",
    "Probe",
    "capabilities",
    "cpu",
    "gpus",
    "mode",
    "packages",
    "paths",
    "probe",
    "rates",
    "simulating",
]

_MODULES = ("capabilities", "cpu", "gpus", "packages", "paths", "rates")
_NAMES = {"Gpu": "detect", "Probe": "detect", "mode": "detect", "probe": "detect", "simulating": "detect"}


def __getattr__(name: str) -> Any:
    # Lazy, so that asking for one path does not pay for all.
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _NAMES:
        return getattr(importlib.import_module(f"{__name__}.{_NAMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
