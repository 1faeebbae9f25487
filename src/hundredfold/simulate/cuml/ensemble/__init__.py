"""Forests."""

from hundredfold.simulate.names import refuser

from ._classes import IsolationForest, RandomForestClassifier, RandomForestRegressor

__all__ = ["IsolationForest", "RandomForestClassifier", "RandomForestRegressor"]
__getattr__ = refuser("cuml.ensemble")
