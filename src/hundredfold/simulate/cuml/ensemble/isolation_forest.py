"""A forest that isolates outliers."""

from ._classes import IsolationForest

__all__ = ["IsolationForest"]
