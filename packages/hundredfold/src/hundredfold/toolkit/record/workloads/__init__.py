"""The headline workloads, in the course's order; sizes and definitions are those of `recordings/published-2019.json`."""

from __future__ import annotations

import importlib

from ..workload import Workload

FAMILIES = ("arrays", "elements", "products", "stencils", "tables", "clusters")


def every() -> tuple[Workload, ...]:
    """All of them; nothing is computed, and no array library is imported."""
    return tuple(each for name in FAMILIES for each in importlib.import_module(f"{__name__}.{name}").WORKLOADS)
