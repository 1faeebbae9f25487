"""As `cuml.solvers`, over Dask."""

from hundredfold.simulate.names import refuser

from .._classes import CD

__all__ = ["CD"]
__getattr__ = refuser("cuml.dask.solvers")
