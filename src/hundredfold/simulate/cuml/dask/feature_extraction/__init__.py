"""Features of texts."""

from . import text

__all__ = ["text"]
