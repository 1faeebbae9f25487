"""Truncated singular values."""

from ._classes import TruncatedSVD

__all__ = ["TruncatedSVD"]
