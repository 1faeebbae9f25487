"""Nearest neighbours."""

from ._classes import NearestNeighbors, kneighbors_graph

__all__ = ["NearestNeighbors", "kneighbors_graph"]
