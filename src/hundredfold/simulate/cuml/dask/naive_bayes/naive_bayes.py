"""Where the real library has them."""

from .._classes import MultinomialNB

__all__ = ["MultinomialNB"]
