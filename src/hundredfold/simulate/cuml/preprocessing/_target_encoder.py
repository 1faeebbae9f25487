"""Where the real library has it."""

from ._encoders import TargetEncoder

__all__ = ["TargetEncoder"]
