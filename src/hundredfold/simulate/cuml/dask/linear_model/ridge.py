"""Where the real library has them."""

from .._classes import Ridge

__all__ = ["Ridge"]
