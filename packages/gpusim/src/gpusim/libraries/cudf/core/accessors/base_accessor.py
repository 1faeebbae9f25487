"""What all accessors share: their parent, and how a result becomes a Series or an Index again."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ..column import in_one


class BaseAccessor:
    """An accessor's parent and the making of its results.

    Parameters
    ----------
    parent : cudf.Series or cudf.Index
        What the accessor was asked of.
    """

    def __init__(self, parent: Any) -> None:
        self._parent = parent

    @property
    def _array(self) -> pa.Array:
        """The parent's values."""
        return self._parent._arrow

    @property
    def _index(self) -> Any:
        """The parent's index, None where the parent is one itself."""
        from cudf import Index

        return None if isinstance(self._parent, Index) else self._parent.index

    def _return_or_inplace(
        self, array: Any, expand: bool = False, retain_index: bool = True, replace_name: Any = None
    ) -> Any:
        """Return an array, or with `expand` a dict of arrays, as what the parent is: a Series (a frame) or an Index."""
        import cudf
        from cudf.core import device

        def launched(written: int, made: Any) -> None:
            device.count(type(self).__name__, self._array.nbytes, written, reads=self._parent, writes=made)

        of_index = isinstance(self._parent, cudf.Index)
        if expand:
            frame = cudf.DataFrame._from_columns(array, index=None if of_index else self._parent.index)
            launched(sum(column.nbytes for column in array.values()), frame)
            if of_index:
                index = cudf.MultiIndex.from_frame(frame)
                index.names = [None] * len(array)
                return index
            return frame
        name = self._parent.name if replace_name is None else replace_name
        if of_index:
            made = cudf.Index._from_arrow(array, name=name)
        else:
            made = cudf.Series._from_arrow(array, index=self._parent.index if retain_index else None, name=name)
        launched(array.nbytes, made)
        return made

    def __setattr__(self, key: str, value: Any) -> None:
        if key not in ("_parent", "_column"):
            raise AttributeError(f"You cannot add any new attribute '{key}'")
        super().__setattr__(key, value)

    def __iter__(self) -> Any:
        raise TypeError(f"{type(self).__name__} object is not iterable.")


def array_of(values: Any, type: pa.DataType | None = None) -> pa.Array:
    """Return a Series, an Index, a list, a NumPy or CuPy array as an Arrow array."""
    found = getattr(values, "_arrow", None)
    if found is None:
        if hasattr(values, "__cuda_array_interface__"):
            values = values.get()
        if hasattr(values, "array") and hasattr(values, "iloc"):  # a pandas Series
            found = in_one(pa.Array.from_pandas(values))
        elif hasattr(values, "__array__"):
            import numpy as np

            values = np.asarray(values)
            found = pa.array(values.tolist() if values.dtype == object else values)
        else:
            found = in_one(pa.array(values if isinstance(values, (list, tuple)) else list(values)))
    if isinstance(found, pa.DictionaryArray):
        found = found.dictionary_decode()
    return found if type is None or found.type == type else found.cast(type)


def is_column_like(values: Any) -> bool:
    """Whether cuDF would make a column of it."""
    return not isinstance(values, (str, bytes, dict)) and (
        hasattr(values, "_arrow") or hasattr(values, "__array__") or isinstance(values, (list, tuple, range))
    )
