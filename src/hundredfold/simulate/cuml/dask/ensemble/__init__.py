"""As `cuml.ensemble`, over Dask."""

from hundredfold.simulate.names import refuser

from .._classes import RandomForestClassifier, RandomForestRegressor

__all__ = ["RandomForestClassifier", "RandomForestRegressor"]
__getattr__ = refuser("cuml.dask.ensemble")
