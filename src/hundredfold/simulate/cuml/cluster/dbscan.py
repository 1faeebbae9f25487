"""DBSCAN."""

from ._classes import DBSCAN

__all__ = ["DBSCAN"]
