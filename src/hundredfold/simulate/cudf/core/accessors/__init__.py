"""The accessors of a Series or an Index: ``.str``, ``.dt``, ``.cat``, ``.list``, ``.struct``."""

from .categorical import CategoricalAccessor
from .lists import ListMethods
from .string import StringMethods
from .struct import StructMethods

__all__ = ["CategoricalAccessor", "ListMethods", "StringMethods", "StructMethods"]
