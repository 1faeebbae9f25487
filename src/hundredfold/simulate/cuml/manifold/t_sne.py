"""t-SNE."""

from ._classes import TSNE

__all__ = ["TSNE"]
