"""To and from Arrow."""

from __future__ import annotations

import functools
from typing import Any

import pyarrow as pa

from .objects import Column, Scalar, Table


@functools.singledispatch
def from_arrow(pyarrow_object: Any, **kwargs: Any) -> Any:
    """Copy an Arrow table, array or scalar to the device."""
    raise TypeError(f"Unsupported type {type(pyarrow_object)} for conversion from arrow")


from_arrow.register(pa.Table, lambda table, **kwargs: Table.from_arrow(table))
from_arrow.register(pa.Array, lambda array, **kwargs: Column.from_arrow(array))
from_arrow.register(pa.ChunkedArray, lambda array, **kwargs: Column.from_arrow(array))
from_arrow.register(pa.Scalar, lambda scalar, **kwargs: Scalar.from_arrow(scalar))


@functools.singledispatch
def to_arrow(plc_object: Any, metadata: Any = None) -> Any:
    """Copy a table, column or scalar to the host."""
    raise TypeError(f"Unsupported type {type(plc_object)} for conversion to arrow")


to_arrow.register(Table, lambda table, metadata=None: table.to_arrow(metadata))
to_arrow.register(Column, lambda column, metadata=None: column.to_arrow())
to_arrow.register(Scalar, lambda scalar, metadata=None: scalar.to_arrow())
