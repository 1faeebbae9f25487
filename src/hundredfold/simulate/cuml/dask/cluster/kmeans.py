"""Where the real library has them."""

from .._classes import KMeans

__all__ = ["KMeans"]
