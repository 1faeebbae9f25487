"""Clustering."""

from gpusim.importing.names import refuser

from ._classes import DBSCAN, HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from .spectral_clustering import spectral_clustering

__all__ = ["AgglomerativeClustering", "DBSCAN", "HDBSCAN", "KMeans", "SpectralClustering", "spectral_clustering"]
__getattr__ = refuser("cuml.cluster")
