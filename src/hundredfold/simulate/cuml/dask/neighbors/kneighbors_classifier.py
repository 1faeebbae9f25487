"""Where the real library has them."""

from .._classes import KNeighborsClassifier

__all__ = ["KNeighborsClassifier"]
