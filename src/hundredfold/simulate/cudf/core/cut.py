"""``cut``."""

from .encode import cut

__all__ = ["cut"]
