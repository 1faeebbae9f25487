"""The command `dask cuda`, as Dask's command line finds it: by an entry point of a distribution named dask-cuda.

Only a simulating process sees it.  In the package's own metadata it would stand beside the real one's on a GPU machine, and
Dask warns of two commands of one name.
"""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from importlib.metadata import Distribution, DistributionFinder, MetadataPathFinder
from pathlib import Path
from typing import Any

NAME = "dask-cuda"
LIBRARIES = Path(__file__).parents[1] / "libraries"
ENTRY_POINTS = "[dask_cli]\ncuda = dask_cuda.cli:cuda\n"


class SimulatedDistribution(Distribution):
    """What `importlib.metadata` is to know of the simulated Dask-CUDA."""

    def read_text(self, filename: str) -> str | None:
        """The text of METADATA and entry_points.txt; None for all else."""
        if filename == "METADATA":
            version = runpy.run_path(str(LIBRARIES / "dask_cuda" / "_version.py"))["__version__"]
            return f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version}\n"
        return ENTRY_POINTS if filename == "entry_points.txt" else None

    def locate_file(self, path: Any) -> Path:
        """Where a file of it lies."""
        return LIBRARIES / path


def distributions(context: DistributionFinder.Context) -> Iterator[Distribution]:
    """The simulated library's distribution, where it is asked for and the real one is not installed."""
    if context.name is not None and context.name.replace("_", "-").lower() != NAME:
        return
    real = MetadataPathFinder.find_distributions(DistributionFinder.Context(name=NAME))
    if next(iter(real), None) is None:
        yield SimulatedDistribution()
