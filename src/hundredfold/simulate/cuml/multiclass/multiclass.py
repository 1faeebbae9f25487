"""Where the real library has them."""

from . import OneVsOneClassifier, OneVsRestClassifier

__all__ = ["OneVsOneClassifier", "OneVsRestClassifier"]
