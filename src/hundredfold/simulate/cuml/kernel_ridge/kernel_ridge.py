"""Ridge regression with a kernel."""

from ._classes import KernelRidge

__all__ = ["KernelRidge"]
