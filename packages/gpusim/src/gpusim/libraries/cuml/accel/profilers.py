"""Profilers, which have nothing to report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .core import SIMULATED


@contextmanager
def profile(quiet: bool = False) -> Iterator[None]:
    """Run a block, and say that there is nothing to profile."""
    yield
    if not quiet:
        print(f"cuml.accel profile\n({SIMULATED})")
