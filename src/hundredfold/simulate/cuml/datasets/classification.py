"""Where the real library has it."""

from . import make_classification

__all__ = ["make_classification"]
