"""Where the real library has it."""

from . import CD

__all__ = ["CD"]
