"""Spectral clustering."""

from ._classes import SpectralClustering, spectral_clustering

__all__ = ["SpectralClustering", "spectral_clustering"]
