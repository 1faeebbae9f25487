"""Resources that may change."""

from ._base import CudaAsyncManagedMemoryResource

__all__ = ["CudaAsyncManagedMemoryResource"]
