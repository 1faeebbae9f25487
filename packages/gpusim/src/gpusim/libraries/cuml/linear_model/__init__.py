"""Linear models."""

from gpusim.importing.names import refuser

from ._classes import (
    ElasticNet,
    Lars,
    Lasso,
    LinearRegression,
    LogisticRegression,
    MBSGDClassifier,
    MBSGDRegressor,
    Ridge,
)

__all__ = [
    "ElasticNet",
    "Lars",
    "Lasso",
    "LinearRegression",
    "LogisticRegression",
    "MBSGDClassifier",
    "MBSGDRegressor",
    "Ridge",
]
__getattr__ = refuser("cuml.linear_model")
