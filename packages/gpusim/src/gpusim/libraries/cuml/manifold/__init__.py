"""Fewer dimensions, by curved maps."""

from gpusim.importing.names import refuser

from ._classes import TSNE, UMAP, SpectralEmbedding, fuzzy_simplicial_set, simplicial_set_embedding
from .spectral_embedding import spectral_embedding

__all__ = [
    "SpectralEmbedding",
    "TSNE",
    "UMAP",
    "fuzzy_simplicial_set",
    "simplicial_set_embedding",
    "spectral_embedding",
]
__getattr__ = refuser("cuml.manifold")
