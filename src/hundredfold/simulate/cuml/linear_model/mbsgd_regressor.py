"""A linear model by gradient descent."""

from ._classes import MBSGDRegressor

__all__ = ["MBSGDRegressor"]
