"""Where the real library has them."""

from .._classes import RandomForestClassifier

__all__ = ["RandomForestClassifier"]
