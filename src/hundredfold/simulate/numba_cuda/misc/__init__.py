"""Helpers that numba-cuda has under its own name: here they are Numba's."""

from .._names import refuser
from . import special

__all__ = ["special"]
__getattr__ = refuser("numba.cuda.misc")
