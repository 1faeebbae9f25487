"""A linear classifier with a margin."""

from ._classes import LinearSVC

__all__ = ["LinearSVC"]
