"""As `cuml.feature_extraction.text`, over Dask."""

from hundredfold.simulate.names import refuser

from ..._classes import TfidfTransformer

__all__ = ["TfidfTransformer"]
__getattr__ = refuser("cuml.dask.feature_extraction.text")
