"""Types and extensions."""

from . import extensions, types

__all__ = ["extensions", "types"]
