"""Where the real library has them."""

from .._classes import NearestNeighbors

__all__ = ["NearestNeighbors"]
