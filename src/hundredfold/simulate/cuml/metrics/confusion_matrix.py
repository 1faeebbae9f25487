"""The confusion matrix."""

from ._functions import confusion_matrix

__all__ = ["confusion_matrix"]
