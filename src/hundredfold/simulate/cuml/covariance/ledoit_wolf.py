"""Where the real library has it."""

from . import LedoitWolf

__all__ = ["LedoitWolf"]
