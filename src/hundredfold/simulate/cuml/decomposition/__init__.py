"""Fewer dimensions, by linear maps."""

from hundredfold.simulate.names import refuser

from ._classes import PCA, IncrementalPCA, TruncatedSVD

__all__ = ["IncrementalPCA", "PCA", "TruncatedSVD"]
__getattr__ = refuser("cuml.decomposition")
