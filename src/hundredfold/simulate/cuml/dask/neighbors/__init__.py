"""As `cuml.neighbors`, over Dask."""

from hundredfold.simulate.names import refuser

from .._classes import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors

__all__ = ["KNeighborsClassifier", "KNeighborsRegressor", "NearestNeighbors"]
__getattr__ = refuser("cuml.dask.neighbors")
