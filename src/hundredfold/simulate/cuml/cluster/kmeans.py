"""K-means."""

from ._classes import KMeans

__all__ = ["KMeans"]
