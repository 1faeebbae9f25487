"""Where the real library has them."""

from .._classes import ElasticNet

__all__ = ["ElasticNet"]
