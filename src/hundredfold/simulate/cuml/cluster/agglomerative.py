"""Agglomerative clustering."""

from ._classes import AgglomerativeClustering

__all__ = ["AgglomerativeClustering"]
