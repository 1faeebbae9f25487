"""Where the real library has them."""

from .._classes import DBSCAN

__all__ = ["DBSCAN"]
