"""A simulated pylibcudf: columns and tables to and from Arrow, types and requests; the algorithms are refused by name.

What works here is what code at the edges of cuDF uses: `Column`, `Table`, `Scalar`, their ``from_arrow`` and ``to_arrow``, and
`interop`; and what cudf-polars asks while it translates a query: types, traits, which casts, operations, aggregations and regular
expressions there are. The answers are the real library's (``answers.json``).
"""

from . import interop
from ._lazy import submodules
from .objects import Column, Scalar, Table
from .types import DataType, MaskState, TypeId

__version__ = "26.10.02+gpusim"
__git_commit__ = ""
__all__ = ["Column", "DataType", "MaskState", "Scalar", "Table", "TypeId", "interop"]

__getattr__ = submodules(__name__)
