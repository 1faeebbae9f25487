"""Where the real library has them."""

from .._classes import PCA

__all__ = ["PCA"]
