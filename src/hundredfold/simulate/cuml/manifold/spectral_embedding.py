"""Spectral embedding."""

from ._classes import SpectralEmbedding, spectral_embedding

__all__ = ["SpectralEmbedding", "spectral_embedding"]
