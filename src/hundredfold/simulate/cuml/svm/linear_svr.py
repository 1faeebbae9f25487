"""A linear regression with a margin."""

from ._classes import LinearSVR

__all__ = ["LinearSVR"]
