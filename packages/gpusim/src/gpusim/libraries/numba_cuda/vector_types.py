"""CUDA's vector types, for kernels."""

from ._device_names import vectors as vector_types

globals().update(vector_types)
