"""Where the real library has them."""

from .._classes import LogisticRegression

__all__ = ["LogisticRegression"]
