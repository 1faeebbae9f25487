"""Kernels of C++ source, where CuPy has them."""

from __future__ import annotations

from .._c_kernels.raw import RawKernel, RawModule

__all__ = ["RawKernel", "RawModule"]
