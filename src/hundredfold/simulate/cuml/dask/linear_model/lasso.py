"""Where the real library has them."""

from .._classes import Lasso

__all__ = ["Lasso"]
