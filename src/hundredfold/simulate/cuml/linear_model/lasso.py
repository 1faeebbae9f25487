"""The lasso."""

from ._classes import Lasso

__all__ = ["Lasso"]
