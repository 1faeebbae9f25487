"""Where the real library has them."""

from .._classes import CD

__all__ = ["CD"]
