"""The parts of Numba's core that numba-cuda has under its own name: here they are Numba's."""

from numba.core import config, errors, sigutils

from .._names import refuser

__all__ = ["config", "errors", "sigutils"]
__getattr__ = refuser("numba.cuda.core")
