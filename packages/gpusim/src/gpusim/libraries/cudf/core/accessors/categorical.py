"""``Series.cat``: the categories of a column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..column import in_one
from .base_accessor import BaseAccessor, array_of


def recoded(array: pa.DictionaryArray, categories: pa.Array, ordered: bool) -> pa.DictionaryArray:
    """Return a column with other categories: values that are none of them are null."""
    old = array.dictionary
    if pa.types.is_null(old.type):
        old = old.cast(categories.type)
    if old.type != categories.type:
        try:
            categories = categories.cast(old.type)
        except pa.ArrowInvalid:
            old = old.cast(categories.type)
    places = pc.index_in(old, value_set=categories)
    return pa.DictionaryArray.from_arrays(places.take(array.indices.cast(pa.int64())), categories, ordered=ordered)


class CategoricalAccessor(BaseAccessor):
    """Categories and codes.

    Parameters
    ----------
    parent : cudf.Series or cudf.Index
        Of categories.
    """

    def __init__(self, parent: Any) -> None:
        if not pa.types.is_dictionary(parent._arrow.type):
            raise AttributeError("Can only use .cat accessor with a 'category' dtype")
        super().__init__(parent)

    @property
    def categories(self) -> Any:
        """The categories, an Index."""
        import cudf

        return cudf.Index._from_arrow(self._array.dictionary)

    @property
    def codes(self) -> Any:
        """The codes, of the smallest signed type that holds them; -1 where there is none."""
        import cudf

        size = len(self._array.dictionary)
        width = next(width for width in (8, 16, 32, 64) if size <= 2 ** (width - 1) - 1)
        codes = pc.fill_null(self._array.indices.cast(pa.int64()), -1).cast(getattr(pa, f"int{width}")())
        return cudf.Series._from_arrow(codes, index=self._index)

    @property
    def ordered(self) -> bool:
        """Whether the categories have an order."""
        return self._array.type.ordered

    def _ordered(self, ordered: bool) -> Any:
        array = self._array
        return self._return_or_inplace(pa.DictionaryArray.from_arrays(array.indices, array.dictionary, ordered=ordered))

    def as_ordered(self) -> Any:
        """Give the categories an order."""
        return self._ordered(True)

    def as_unordered(self) -> Any:
        """Take the categories' order away."""
        return self._ordered(False)

    def _new(self, values: Any, empty_like: bool = False) -> pa.Array:
        array = values._arrow if hasattr(values, "_arrow") else None
        if isinstance(array, pa.DictionaryArray):
            return array.dictionary
        old = self._array.dictionary.type
        if not hasattr(values, "__len__") or isinstance(values, str):
            values = [values] if isinstance(values, str) or np.isscalar(values) else list(values)
        return array_of(values, old if len(values) == 0 and empty_like else None)

    def add_categories(self, new_categories: Any) -> Any:
        """Add categories; as cuDF's, the result has no order."""
        old, new = self._array.dictionary, self._new(new_categories, empty_like=True)
        if pa.types.is_string(old.type) != pa.types.is_string(new.type) and len(old):
            from cudf.core.column import dtype_of

            raise TypeError(
                f"cudf does not support adding categories with existing categories of dtype `{dtype_of(old.type)}` and new "
                f"categories of dtype `{dtype_of(new.type)}`, please type-cast new_categories to the same type as existing "
                "categories."
            )
        common = old.type if old.type == new.type else in_one(pa.concat_tables(
            [pa.table({"c": old}), pa.table({"c": new})], promote_options="permissive"
        )["c"]).type  # fmt: skip
        old, new = old.cast(common), new.cast(common)
        if pc.any(pc.is_in(old, value_set=new)).as_py():
            raise ValueError("new categories must not include old categories")
        if not len(new):
            return self._return_or_inplace(self._array)
        array = pa.DictionaryArray.from_arrays(self._array.indices, old, ordered=False)
        return self._return_or_inplace(recoded(array, pa.concat_arrays([old, new]), False))

    def remove_categories(self, removals: Any) -> Any:
        """Remove categories, their values become null; as cuDF's, the result has no order."""
        old = self._array.dictionary
        gone = self._new(removals, empty_like=True).cast(old.type)
        if not all(pc.is_in(gone, value_set=old).to_pylist()):
            raise ValueError("removals must all be in old categories")
        if not len(gone):
            return self._return_or_inplace(self._array)
        kept = old.filter(pc.invert(pc.is_in(old, value_set=gone)))
        return self._return_or_inplace(recoded(self._array, kept, False))

    def set_categories(self, new_categories: Any, ordered: bool = False, rename: bool = False) -> Any:
        """Take other categories (values that are none of them become null), or with `rename` other names for them."""
        new, array = self._new(new_categories), self._array
        ordered = array.type.ordered if ordered is None else ordered
        if rename:
            if len(new) != len(array.dictionary):
                raise ValueError("new_categories must have the same number of items as old categories")
            return self._return_or_inplace(pa.DictionaryArray.from_arrays(array.indices, new, ordered=ordered))
        if pa.types.is_string(new.type) != pa.types.is_string(array.dictionary.type):
            codes = pa.nulls(len(array), pa.int32())
            return self._return_or_inplace(pa.DictionaryArray.from_arrays(codes, new, ordered=ordered))
        return self._return_or_inplace(recoded(array, pc.unique(new), ordered))

    def reorder_categories(self, new_categories: Any, ordered: bool = False) -> Any:
        """Take the same categories in another order."""
        new, old = self._new(new_categories), self._array.dictionary
        if new.type != old.type or sorted(new.to_pylist(), key=repr) != sorted(old.to_pylist(), key=repr):
            raise ValueError("items in new_categories are not the same as in old categories")
        return self._return_or_inplace(recoded(self._array, new, ordered))
