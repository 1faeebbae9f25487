"""``factorize`` and ``unique``."""

from .encode import factorize, unique

__all__ = ["factorize", "unique"]
