"""Where the real library has them."""

from .._classes import RandomForestRegressor

__all__ = ["RandomForestRegressor"]
