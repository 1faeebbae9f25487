"""Principal components."""

from ._classes import PCA

__all__ = ["PCA"]
