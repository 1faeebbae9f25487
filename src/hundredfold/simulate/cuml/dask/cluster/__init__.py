"""As `cuml.cluster`, over Dask."""

from hundredfold.simulate.names import refuser

from .._classes import DBSCAN, KMeans

__all__ = ["DBSCAN", "KMeans"]
__getattr__ = refuser("cuml.dask.cluster")
