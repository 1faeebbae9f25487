"""Elementwise kernels of C++, where CuPy has them."""

from __future__ import annotations

from .._c_kernels.elementwise import ElementwiseKernel
from .kernel import ufunc

__all__ = ["ElementwiseKernel", "ufunc"]
