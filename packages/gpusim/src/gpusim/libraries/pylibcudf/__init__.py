"""A stand-in for pylibcudf: columns and tables to and from Arrow; the algorithms are refused by name.

What works here is what code at the edges of cuDF uses: `Column`, `Table`, `Scalar`, their ``from_arrow`` and ``to_arrow``, and
`interop`.
"""

from . import interop
from .objects import Column, Scalar, Table

__version__ = "26.10.02+gpusim"
__git_commit__ = ""
__all__ = ["Column", "Scalar", "Table", "interop"]
