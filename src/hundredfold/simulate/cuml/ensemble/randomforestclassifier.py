"""A forest of decision trees."""

from ._classes import RandomForestClassifier

__all__ = ["RandomForestClassifier"]
