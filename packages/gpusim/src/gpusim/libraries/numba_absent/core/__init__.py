"""Numba's inside, as far as the stand-in of ``numba.cuda`` uses it."""

from . import config, errors, serialize, sigutils, types

__all__ = ["config", "errors", "serialize", "sigutils", "types"]
