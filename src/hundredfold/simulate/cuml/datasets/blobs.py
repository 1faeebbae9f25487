"""Where the real library has it."""

from . import make_blobs

__all__ = ["make_blobs"]
