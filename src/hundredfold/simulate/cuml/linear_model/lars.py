"""Least angle regression."""

from ._classes import Lars

__all__ = ["Lars"]
