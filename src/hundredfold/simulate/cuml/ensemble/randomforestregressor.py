"""A forest of regression trees."""

from ._classes import RandomForestRegressor

__all__ = ["RandomForestRegressor"]
