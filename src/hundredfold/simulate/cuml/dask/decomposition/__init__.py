"""As `cuml.decomposition`, over Dask."""

from hundredfold.simulate.names import refuser

from .._classes import PCA, TruncatedSVD

__all__ = ["PCA", "TruncatedSVD"]
__getattr__ = refuser("cuml.dask.decomposition")
