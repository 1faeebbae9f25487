"""Where the real library has them."""

from .._classes import LinearRegression

__all__ = ["LinearRegression"]
