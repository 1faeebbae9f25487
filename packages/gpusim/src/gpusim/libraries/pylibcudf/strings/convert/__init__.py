"""Strings from and to other types."""

from pylibcudf._lazy import submodules

__getattr__ = submodules(__name__)
