"""Where the real library has it."""

from . import make_regression

__all__ = ["make_regression"]
