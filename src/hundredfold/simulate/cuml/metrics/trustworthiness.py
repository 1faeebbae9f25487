"""Trustworthiness."""

from ._functions import trustworthiness

__all__ = ["trustworthiness"]
