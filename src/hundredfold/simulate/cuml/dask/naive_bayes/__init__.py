"""As `cuml.naive_bayes`, over Dask."""

from hundredfold.simulate.names import refuser

from .._classes import MultinomialNB

__all__ = ["MultinomialNB"]
__getattr__ = refuser("cuml.dask.naive_bayes")
