"""As `cuml.manifold`, over Dask."""

from hundredfold.simulate.names import refuser

from .._classes import UMAP

__all__ = ["UMAP"]
__getattr__ = refuser("cuml.dask.manifold")
