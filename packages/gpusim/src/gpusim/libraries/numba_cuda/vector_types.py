"""CUDA's vector types, for kernels."""

from ._device_names import vectors as vector_types

globals().update(vector_types)

__all__ = [*vector_types, "vector_types"]
