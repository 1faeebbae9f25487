"""Refused."""

from . import AutoARIMA

__all__ = ["AutoARIMA"]
