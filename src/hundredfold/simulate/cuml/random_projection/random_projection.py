"""Where the real library has them."""

from . import GaussianRandomProjection, SparseRandomProjection, johnson_lindenstrauss_min_dim

__all__ = ["GaussianRandomProjection", "SparseRandomProjection", "johnson_lindenstrauss_min_dim"]
