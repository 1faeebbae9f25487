"""What notebooks take from cuml.dask.common."""

from hundredfold.simulate.names import refuser

from .utils import raise_exception_from_futures, raise_mg_import_exception

__all__ = ["raise_exception_from_futures", "raise_mg_import_exception"]
__getattr__ = refuser("cuml.dask.common")
