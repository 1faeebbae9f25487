"""Refused."""

from . import ExponentialSmoothing

__all__ = ["ExponentialSmoothing"]
