"""Data types and the enumerations that go with them."""

from __future__ import annotations

from typing import Any

from . import _answers
from ._answers import TypeId

Interpolation: Any = _answers._enumerations["Interpolation"]
MaskState: Any = _answers._enumerations["MaskState"]
NanEquality: Any = _answers._enumerations["NanEquality"]
NanPolicy: Any = _answers._enumerations["NanPolicy"]
NullAware: Any = _answers._enumerations["NullAware"]
NullEquality: Any = _answers._enumerations["NullEquality"]
NullOrder: Any = _answers._enumerations["NullOrder"]
NullPolicy: Any = _answers._enumerations["NullPolicy"]
Order: Any = _answers._enumerations["Order"]
OutputNullability: Any = _answers._enumerations["OutputNullability"]
Sorted: Any = _answers._enumerations["Sorted"]


class DataType:
    """A type's id, and for decimals the scale: how many digits the point is moved to the right.

    Parameters
    ----------
    id : TypeId
    scale : int
    """

    def __init__(self, id: Any, scale: int = 0) -> None:
        self._id, self._scale = TypeId(id), scale

    def id(self) -> Any:
        """Return the id."""
        return self._id

    def scale(self) -> int:
        """Return the scale."""
        return self._scale

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DataType) and (self._id, self._scale) == (other._id, other._scale)

    def __hash__(self) -> int:
        return hash((self._id, self._scale))

    def __reduce__(self) -> tuple:
        return DataType, (self._id, self._scale)


SIZE_TYPE = DataType(TypeId.INT32)
SIZE_TYPE_ID = TypeId.INT32


def size_of(t: DataType) -> int:
    """Return the bytes of one element of a fixed-width type."""
    size = _answers.ANSWERS["sizes"].get(_answers.of(t))
    if size is None:
        raise RuntimeError("CUDF failure at: column_factories.cpp: Invalid element type.")
    return size
