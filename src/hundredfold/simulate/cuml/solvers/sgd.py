"""Where the real library has it."""

from . import SGD

__all__ = ["SGD"]
