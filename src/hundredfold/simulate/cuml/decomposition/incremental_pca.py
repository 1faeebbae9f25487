"""Principal components of batches."""

from ._classes import IncrementalPCA

__all__ = ["IncrementalPCA"]
