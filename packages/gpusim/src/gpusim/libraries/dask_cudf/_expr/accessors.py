"""``Series.list`` and ``Series.struct`` of a collection: partition by partition."""

from __future__ import annotations

from typing import Any


class _Methods:
    def __init__(self, d_series: Any) -> None:
        self.d_series = d_series

    def _map(self, accessor: str, name: str, *args: Any, **kwargs: Any) -> Any:
        from dask.dataframe.dispatch import make_meta, meta_nonempty

        def each(series: Any) -> Any:
            return getattr(getattr(series, accessor), name)(*args, **kwargs)

        meta = make_meta(each(meta_nonempty(self.d_series._meta)))
        return self.d_series.map_partitions(each, meta=meta)


class StructMethods(_Methods):
    """Methods of structs."""

    def field(self, key: Any) -> Any:
        """Return a field."""
        return self._map("struct", "field", key)

    def explode(self) -> Any:
        """Return a frame of the fields."""
        return self._map("struct", "explode")


class ListMethods(_Methods):
    """Methods of lists."""

    def len(self) -> Any:
        """Return the number of items."""
        return self._map("list", "len")

    def contains(self, search_key: Any) -> Any:
        """Return whether a value is in each list."""
        series = self.d_series
        return series.map_partitions(lambda part: part.list.contains(search_key), meta=(series.name, "bool"))

    def get(self, index: int) -> Any:
        """Return the item at a position."""
        return self._map("list", "get", index)

    @property
    def leaves(self) -> Any:
        """All innermost items."""
        series = self.d_series
        return series.map_partitions(lambda part: part.list.leaves, meta=series._meta.list.leaves)

    def take(self, lists_indices: Any) -> Any:
        """Return the items at positions."""
        series = self.d_series
        return series.map_partitions(lambda part: part.list.take(lists_indices), meta=series._meta)

    def unique(self) -> Any:
        """Return each list's distinct items."""
        return self._map("list", "unique")

    def sort_values(
        self, ascending: bool = True, inplace: bool = False, kind: str = "quicksort", na_position: str = "last",
        ignore_index: bool = False,
    ) -> Any:  # fmt: skip
        """Sort each list."""
        return self._map("list", "sort_values", ascending, inplace, kind, na_position, ignore_index)
