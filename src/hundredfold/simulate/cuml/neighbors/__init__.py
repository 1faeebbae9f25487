"""Nearest neighbours."""

from hundredfold.simulate.names import refuser

from ._classes import KernelDensity, KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors, kneighbors_graph

__all__ = ["KNeighborsClassifier", "KNeighborsRegressor", "KernelDensity", "NearestNeighbors", "kneighbors_graph"]
__getattr__ = refuser("cuml.neighbors")
