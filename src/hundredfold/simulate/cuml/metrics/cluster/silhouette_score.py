"""Where the real library has it."""

from .._functions import silhouette_samples, silhouette_score

cython_silhouette_samples = silhouette_samples
cython_silhouette_score = silhouette_score
__all__ = ["cython_silhouette_samples", "cython_silhouette_score", "silhouette_samples", "silhouette_score"]
