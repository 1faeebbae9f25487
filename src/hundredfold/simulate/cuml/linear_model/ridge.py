"""Ridge regression."""

from ._classes import Ridge

__all__ = ["Ridge"]
