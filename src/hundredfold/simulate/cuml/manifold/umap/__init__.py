"""UMAP."""

from hundredfold.simulate.names import refuser

from .._classes import UMAP, find_ab_params, fuzzy_simplicial_set, simplicial_set_embedding

__all__ = ["UMAP", "find_ab_params", "fuzzy_simplicial_set", "simplicial_set_embedding"]
__getattr__ = refuser("cuml.manifold.umap")
