"""Means of neighbours."""

from ._classes import KNeighborsRegressor

__all__ = ["KNeighborsRegressor"]
