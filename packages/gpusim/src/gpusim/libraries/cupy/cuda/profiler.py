"""Switches of NVIDIA's profilers, which see nothing of a simulation: accepted and ignored."""

from __future__ import annotations


def start() -> None:
    """Ignored."""


def stop() -> None:
    """Ignored."""
