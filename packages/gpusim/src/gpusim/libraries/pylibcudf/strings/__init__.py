"""Strings: the enumerations and which regular expressions there are."""

from pylibcudf._answers import SideType  # pyright: ignore
from pylibcudf._lazy import submodules

__getattr__ = submodules(__name__)
__all__ = ["SideType"]
