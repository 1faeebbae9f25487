"""Where the real library has it."""

from .._functions import homogeneity_score

cython_homogeneity_score = homogeneity_score
__all__ = ["cython_homogeneity_score", "homogeneity_score"]
