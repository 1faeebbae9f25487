"""Classes of neighbours."""

from ._classes import KNeighborsClassifier

__all__ = ["KNeighborsClassifier"]
