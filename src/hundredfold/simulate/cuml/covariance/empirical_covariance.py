"""Where the real library has it."""

from . import EmpiricalCovariance

__all__ = ["EmpiricalCovariance"]
