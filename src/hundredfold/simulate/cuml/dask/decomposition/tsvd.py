"""Where the real library has them."""

from .._classes import TruncatedSVD

__all__ = ["TruncatedSVD"]
