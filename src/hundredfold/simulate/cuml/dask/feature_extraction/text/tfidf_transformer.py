"""Where the real library has them."""

from ..._classes import TfidfTransformer

__all__ = ["TfidfTransformer"]
