"""Ridge regression with a kernel."""

from hundredfold.simulate.names import refuser

from ._classes import KernelRidge

__all__ = ["KernelRidge"]
__getattr__ = refuser("cuml.kernel_ridge")
