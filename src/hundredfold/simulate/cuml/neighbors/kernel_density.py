"""Densities."""

from ._classes import KernelDensity

__all__ = ["KernelDensity"]
