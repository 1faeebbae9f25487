"""Where the real library has them."""

from .._classes import LabelBinarizer

__all__ = ["LabelBinarizer"]
