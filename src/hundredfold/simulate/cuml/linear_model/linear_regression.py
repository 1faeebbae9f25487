"""Least squares."""

from ._classes import LinearRegression

__all__ = ["LinearRegression"]
