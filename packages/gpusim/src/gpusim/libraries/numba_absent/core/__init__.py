"""Numba's inside, as far as the simulated ``numba.cuda`` uses it."""

from . import config, errors, serialize, sigutils, types

__all__ = ["config", "errors", "serialize", "sigutils", "types"]
