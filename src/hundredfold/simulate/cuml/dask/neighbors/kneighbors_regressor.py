"""Where the real library has them."""

from .._classes import KNeighborsRegressor

__all__ = ["KNeighborsRegressor"]
