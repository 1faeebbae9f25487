"""Where the real library has them."""

from .._classes import UMAP

__all__ = ["UMAP"]
