"""Thrust's algorithms inside kernels: not simulated."""

from __future__ import annotations

from typing import Any

from gpusim.importing.errors import NotSimulatedAttribute


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    raise NotSimulatedAttribute(f"cupyx.jit.thrust.{name}")
