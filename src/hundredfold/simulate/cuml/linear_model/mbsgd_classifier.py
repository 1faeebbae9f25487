"""A linear classifier by gradient descent."""

from ._classes import MBSGDClassifier

__all__ = ["MBSGDClassifier"]
