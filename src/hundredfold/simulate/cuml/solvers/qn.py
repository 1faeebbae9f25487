"""Where the real library has it."""

from . import QN

__all__ = ["QN"]
