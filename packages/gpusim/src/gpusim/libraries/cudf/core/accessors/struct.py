"""``Series.struct``: methods of columns of structs."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from .base_accessor import BaseAccessor


class StructMethods(BaseAccessor):
    """Methods of structs.

    Parameters
    ----------
    parent : cudf.Series or cudf.Index
        Of structs.
    """

    def __init__(self, parent: Any) -> None:
        if not pa.types.is_struct(parent._arrow.type):
            raise AttributeError(
                f"Can only use the '.struct' accessor with 'struct[pyarrow]' dtype, not {parent.dtype}."
            )
        super().__init__(parent)

    def _child(self, at: int) -> pa.Array:
        # The struct's own nulls are the field's.
        return pc.struct_field(self._array, [at])

    def _names(self) -> list[str]:
        return [field.name for field in self._array.type]

    def field(self, key: int | str) -> Any:
        """Return a field, by name or position, under its name."""
        names = self._names()
        if isinstance(key, int):
            if not 0 <= key < len(names):
                raise IndexError(f"Index {key} out of range for {len(names)} children")
        elif isinstance(key, str):
            if key not in names:
                fields = {name: self._array.type.field(name).type for name in names}
                raise KeyError(f"Field {key} not found in {fields.keys()}")
            key = names.index(key)
        else:
            raise ValueError(f"loc must be an integer location or string label, not {key}")
        return self._return_or_inplace(self._child(key), replace_name=names[key])

    def explode(self) -> Any:
        """Return a frame of the fields."""
        import cudf

        columns = {name: self._child(at) for at, name in enumerate(self._names())}
        return cudf.DataFrame._from_columns(columns, index=self._index)
