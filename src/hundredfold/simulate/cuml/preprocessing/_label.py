"""Where the real library has it."""

from ._encoders import LabelEncoder

__all__ = ["LabelEncoder"]
