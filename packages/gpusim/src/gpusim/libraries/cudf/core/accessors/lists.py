"""``Series.list``: methods of columns of lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from .base_accessor import BaseAccessor, array_of, is_column_like


def _key(value: Any) -> tuple:
    """A key under which values order as libcudf orders them: NaN above all numbers."""
    return (value != value, value)


def plain(value: Any) -> Any:
    """Return a scalar of Arrow's, NumPy's or pandas' as Python's, null as None."""
    if isinstance(value, pa.Scalar):
        return value.as_py()
    if value is pd.NA or value is pd.NaT:
        return None
    return (
        pa.scalar(value).as_py()
        if isinstance(value, (np.datetime64, np.timedelta64))
        else getattr(value, "item", lambda: value)()
    )


class ListMethods(BaseAccessor):
    """Methods of lists.

    Parameters
    ----------
    parent : cudf.Series or cudf.Index
        Of lists.
    """

    def __init__(self, parent: Any) -> None:
        if not pa.types.is_list(parent._arrow.type):
            raise AttributeError(f"Can only use the '.list' accessor with 'list[pyarrow]' dtype, not {parent.dtype}.")
        super().__init__(parent)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self.slice(start=key.start, stop=key.stop, step=key.step)
        return self.get(key)

    def _items(self) -> pa.DataType:
        return self._array.type.value_type

    def _not_nested(self, name: str) -> None:
        if pa.types.is_list(self._items()):
            raise NotImplementedError(f"{name} is not supported for nested lists.")

    def _same_type(self, kind: pa.DataType) -> None:
        """Refuse a key of another kind than the items."""
        items, types = self._items(), pa.types

        def group(one: pa.DataType) -> str:
            number = types.is_integer(one) or types.is_floating(one)
            return "number" if number else "text" if types.is_string(one) or types.is_large_string(one) else str(one.id)

        if not types.is_null(kind) and not types.is_null(items) and group(kind) != group(items):
            raise TypeError("Type/Scale of search key does not match list column element type.")

    def _key(self, value: Any) -> Any:
        if value is None or plain(value) is None:
            return None
        self._same_type(value.type if isinstance(value, pa.Scalar) else pa.scalar(value).type)
        return (
            plain(pa.scalar(plain(value)).cast(self._items(), safe=False))
            if pa.types.is_temporal(self._items())
            else plain(value)
        )

    def get(self, index: Any, default: Any = None) -> Any:
        """Return the item at a position, or `default` where a list is too short; null for a null list."""
        rows, default = self._array.to_pylist(), plain(default)
        places = [index] * len(rows) if isinstance(index, int) else array_of(index).to_pylist()
        out = [
            None if row is None else row[at] if -len(row) <= at < len(row) else default
            for row, at in zip(rows, places, strict=True)
        ]
        return self._return_or_inplace(pa.array(out, self._items()))

    def contains(self, search_key: Any) -> Any:
        """Return whether a value is in each list; null for a null list."""
        search_key = self._key(search_key)
        out = [None if row is None or search_key is None else search_key in row for row in self._array.to_pylist()]
        return self._return_or_inplace(pa.array(out, pa.bool_()))

    def index(self, search_key: Any) -> Any:
        """Return where a value, or a column's row by row, first is (int32), -1 where it is not."""
        rows = self._array.to_pylist()
        if is_column_like(search_key):
            keys = array_of(search_key)
            self._same_type(keys.type)
            keys = keys.to_pylist()
        else:
            keys = [self._key(search_key)] * len(rows)
        if len(keys) != len(rows):
            raise RuntimeError(
                "CUDF failure at: /cpp/src/lists/contains.cu: Number of search keys must match list column size."
            )
        out = [
            None if row is None or key is None else row.index(key) if key in row else -1
            for row, key in zip(rows, keys, strict=True)
        ]
        return self._return_or_inplace(pa.array(out, pa.int32()))

    @property
    def leaves(self) -> Any:
        """All innermost items, one after the other."""
        array = self._array
        while pa.types.is_list(array.type):
            array = pc.list_flatten(array)
        return self._return_or_inplace(array, retain_index=False)

    def len(self) -> Any:
        """Return the number of items (int32)."""
        return self._return_or_inplace(pc.list_value_length(self._array).cast(pa.int32()))

    def take(self, lists_indices: Any) -> Any:
        """Return the items at the positions that another column of lists names; null where there is none."""
        places = array_of(lists_indices)
        if (
            not pa.types.is_list(places.type)
            or len(places) != len(self._array)
            or not (pa.types.is_integer(places.type.value_type) or pa.types.is_null(places.type.value_type))
        ):
            raise ValueError(f"input must be list type with length {len(self._array)} and only integer elements")
        if places.null_count:
            raise ValueError(f"input must be list type with length {len(self._array)} and only integer elements")
        out = [
            None if row is None or at is None else [row[i] if -len(row) <= i < len(row) else None for i in at]
            for row, at in zip(self._array.to_pylist(), places.to_pylist(), strict=True)
        ]
        return self._return_or_inplace(pa.array(out, self._array.type))

    def unique(self) -> Any:
        """Return each list's distinct items; cuDF promises no order of them."""
        self._not_nested("distinct")
        from cudf.core import order

        out = []
        for row in self._array.to_pylist():
            if row is None:
                out.append(None)
                continue
            seen = {
                ("nan" if isinstance(value, float) and value != value else _hashable(value)): value for value in row
            }
            items = list(seen.values())
            out.append([items[at] for at in order.shuffled(len(items))])
        return self._return_or_inplace(pa.array(out, self._array.type))

    def sort_values(
        self,
        ascending: bool = True,
        inplace: bool = False,
        kind: str = "quicksort",
        na_position: str = "last",
        ignore_index: bool = False,
    ) -> Any:
        """Sort each list."""
        if inplace:
            raise NotImplementedError("`inplace` not currently implemented.")
        if kind != "quicksort":
            raise NotImplementedError("`kind` not currently implemented.")
        self._not_nested("sort_lists")
        if na_position not in {"first", "last"}:
            raise ValueError(f"`na_position` must be 'first' or 'last', not {na_position}.")
        out = []
        for row in self._array.to_pylist():
            if row is None:
                out.append(None)
                continue
            there = sorted((value for value in row if value is not None), key=_key, reverse=not ascending)
            nulls = [None] * (len(row) - len(there))
            # libcudf takes "first" for the nulls' place in the ascending order, and turns the whole round.
            out.append(nulls + there if (na_position == "first") == ascending else there + nulls)
        return self._return_or_inplace(pa.array(out, self._array.type), retain_index=not ignore_index)

    def concat(self, dropna: bool = True) -> Any:
        """Join the lists in each list; with ``dropna=False`` one that holds a null list is null."""
        if not pa.types.is_list(self._items()):
            raise ValueError(
                "CUDF failure at: /cpp/src/lists/combine/concatenate_list_elements.cu:258: "
                "Child of the input lists column must also be a lists column"
            )
        out = [
            None
            if row is None or (not dropna and None in row) or (row and all(part is None for part in row))
            else [item for part in row if part is not None for item in part]
            for row in self._array.to_pylist()
        ]
        return self._return_or_inplace(pa.array(out, self._items()))

    def astype(self, dtype: Any) -> Any:
        """Change the type of the innermost items."""
        from cudf.core.column import arrow_type

        type, depth = self._array.type, 0
        while pa.types.is_list(type):
            type, depth = type.value_type, depth + 1
        import cudf

        target = arrow_type(cudf.dtype(dtype))
        for _ in range(depth):
            target = pa.list_(target)
        return self._return_or_inplace(self._array.cast(target))


def _hashable(value: Any) -> Any:
    return repr(value) if isinstance(value, (dict, list, np.ndarray)) else (type(value).__name__ == "bool", value)
