"""Kernels that numba.cuda brings along."""

from .._names import refuser
from . import reduction, transpose

__all__ = ["reduction", "transpose"]
__getattr__ = refuser("numba.cuda.kernels")
