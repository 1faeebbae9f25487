"""This machine, as a recording describes it."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from typing import Any

from gpusim import hardware
from gpusim.hardware import cpu, gpus, packages
from hundredfold import paths

LIBRARIES = (
    "numpy",
    "numba",
    "pandas",
    "polars",
    "duckdb",
    "dask",
    "cupy-cuda12x",
    "cupy-cuda13x",
    "numba-cuda",
    "cudf-cu12",
    "cudf-cu13",
)


def describe(name: str) -> dict[str, Any]:
    """The entry of `machines`: cores as this process may use them, memory in bytes, versions, and the GPU where one works."""
    found: dict[str, Any] = {
        "name": name,
        "cpu": cpu.cpu_name(),
        "cores": cpu.cores(),
        "memory": float(cpu.memory().total),
        "versions": {"python": platform.python_version(), **packages.installed(LIBRARIES)},
    }
    if has_gpu():
        probe = hardware.probe()
        found |= {"gpus": len(probe.usable), "gpu": _gpu(probe.usable[0].name)}
        found["versions"]["driver"] = str(probe.driver)
    else:
        found["note"] = "CPU only: no GPU works here."
    return found


def _gpu(name: str) -> str:
    """A GPU's name as the course writes it; the driver's own for one that the course does not know."""
    try:
        return gpus.find(name).name
    except gpus.UnknownGpuError:
        return name


def has_gpu() -> bool:
    """Whether a real GPU works here; a simulated one is never recorded."""
    return hardware.mode() == "gpu"


def source(title: str) -> dict[str, str]:
    """The entry of `sources`: when, and by which commit; HUNDREDFOLD_COMMIT names it where a checkout travelled without its git."""
    root = paths.repository()
    commit = os.environ.get("HUNDREDFOLD_COMMIT") or "an installed package"
    if root is not None and "HUNDREDFOLD_COMMIT" not in os.environ:
        asked = subprocess.run(
            ["git", "-C", str(root), "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
        )
        commit = asked.stdout.strip() or "a checkout without git"
    return {
        "title": title,
        "date": datetime.date.today().isoformat(),
        "method": f"hundredfold record, {commit}; each way in a process of its own; median and interquartile range of at least "
        "seven samples within five seconds, after a first call that is told apart; on a GPU by its own clock.",
    }
