"""Columns, tables and scalars: Arrow's, counted as device memory."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from gpusim.importing.errors import NotSimulatedError


class Column:
    """A column on the device; made by `from_arrow`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotSimulatedError("pylibcudf.Column(…)", "pylibcudf.Column.from_arrow")

    @classmethod
    def from_arrow(cls, obj: Any, dtype: Any = None, stream: Any = None, mr: Any = None) -> Column:
        """Copy what has an Arrow interface to the device."""
        from cudf.core import device

        array = pa.array(obj) if not isinstance(obj, (pa.Array, pa.ChunkedArray)) else obj
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
        out = object.__new__(cls)
        out._array, out._memory = array, device.hold(array.nbytes)
        device.uploaded(array.nbytes, writes=out._memory)
        return out

    def to_arrow(self, metadata: Any = None, stream: Any = None) -> pa.Array:
        """Copy the column to the host."""
        from cudf.core import device

        device.downloaded(self._array.nbytes, reads=self._memory)
        return self._array

    def size(self) -> int:
        """Return the number of rows."""
        return len(self._array)

    def null_count(self) -> int:
        """Return the number of nulls."""
        return self._array.null_count

    def to_scalar(self) -> Scalar:
        """Return the value of a column of one row."""
        if len(self._array) != 1:
            raise ValueError("Only columns of size 1 can be converted to scalars")
        return Scalar._of(self._array[0])

    def __len__(self) -> int:
        return len(self._array)


class Table:
    """Columns of the same length.

    Parameters
    ----------
    columns : list of Column
    """

    def __init__(self, columns: Any) -> None:
        columns = list(columns)
        if not all(isinstance(column, Column) for column in columns):
            raise TypeError("All columns must be pylibcudf Column objects")
        if len({column.size() for column in columns}) > 1:
            raise ValueError("Column size mismatch")
        self._columns = columns

    @classmethod
    def from_arrow(cls, obj: Any, dtype: Any = None, stream: Any = None, mr: Any = None) -> Table:
        """Copy what has an Arrow interface to the device."""
        table = obj if isinstance(obj, pa.Table) else pa.table(obj)
        return cls([Column.from_arrow(column) for column in table.columns])

    def to_arrow(self, metadata: Any = None, stream: Any = None) -> pa.Table:
        """Copy the table to the host; names are what `metadata` says, else empty."""
        names = [getattr(one, "name", one) for one in metadata] if metadata else [""] * len(self._columns)
        return pa.Table.from_arrays([column.to_arrow() for column in self._columns], names=names)

    def columns(self) -> list[Column]:
        """Return the columns."""
        return self._columns

    def num_columns(self) -> int:
        """Return their number."""
        return len(self._columns)

    def num_rows(self) -> int:
        """Return their length."""
        return self._columns[0].size() if self._columns else 0

    def shape(self) -> tuple[int, int]:
        """Return rows and columns."""
        return self.num_rows(), self.num_columns()


class Scalar:
    """A value on the device; made by `from_arrow` or `from_py`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise ValueError("Scalar should be constructed with a factory")

    @classmethod
    def _of(cls, value: pa.Scalar) -> Scalar:
        out = object.__new__(cls)
        out._value = value
        return out

    @classmethod
    def from_arrow(cls, pa_val: Any, dtype: Any = None, stream: Any = None, mr: Any = None) -> Scalar:
        """Copy an Arrow scalar."""
        return cls._of(pa_val)

    @classmethod
    def from_py(cls, py_val: Any, dtype: Any = None, stream: Any = None, mr: Any = None) -> Scalar:
        """Copy a Python value."""
        return cls._of(pa.scalar(py_val))

    def to_arrow(self, stream: Any = None) -> pa.Scalar:
        """Copy the value to the host."""
        return self._value

    def to_py(self, stream: Any = None) -> Any:
        """Copy the value to the host, as Python's."""
        return self._value.as_py()

    def is_valid(self, stream: Any = None) -> bool:
        """Whether it is not null."""
        return self._value.is_valid
