"""Labels as columns."""

from ._encoders import LabelBinarizer, label_binarize

__all__ = ["LabelBinarizer", "label_binarize"]
