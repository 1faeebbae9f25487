"""Reductions of C++, where CuPy has them."""

from __future__ import annotations

from .._c_kernels.reduction import ReductionKernel

__all__ = ["ReductionKernel"]
