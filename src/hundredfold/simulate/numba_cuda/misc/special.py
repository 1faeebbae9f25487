"""Numba's own ``literal_unroll``."""

from numba import literal_unroll

from .._names import refuser

__all__ = ["literal_unroll"]
__getattr__ = refuser("numba.cuda.misc.special")
