"""A classifier with a kernel."""

from ._classes import SVC

__all__ = ["SVC"]
