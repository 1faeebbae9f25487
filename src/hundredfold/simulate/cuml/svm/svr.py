"""A regression with a kernel."""

from ._classes import SVR

__all__ = ["SVR"]
