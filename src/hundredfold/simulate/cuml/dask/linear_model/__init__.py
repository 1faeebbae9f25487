"""As `cuml.linear_model`, over Dask."""

from hundredfold.simulate.names import refuser

from .._classes import ElasticNet, Lasso, LinearRegression, LogisticRegression, Ridge

__all__ = ["ElasticNet", "Lasso", "LinearRegression", "LogisticRegression", "Ridge"]
__getattr__ = refuser("cuml.dask.linear_model")
