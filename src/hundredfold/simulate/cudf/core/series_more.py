"""More of Series: functions of the user, string forms."""

from __future__ import annotations

from typing import Any

from .column import isnull
from .guard import guarded_class


@guarded_class
class SeriesMore:
    """Methods that lead elsewhere."""

    @property
    def null_count(self) -> int:
        """Number of nulls."""
        return int(isnull(self._storage).sum())

    @property
    def has_nulls(self) -> bool:
        """Whether there are nulls."""
        return self.null_count > 0

    def dot(self, other: Any, reflect: bool = False) -> Any:
        """Product with a vector or a matrix."""
        from .linear import dot

        return dot(self, other, reflect)

    def apply(
        self, func: Any, convert_dtype: bool = True, args: tuple = (), by_row: Any = "compat", **kwargs: Any
    ) -> Any:
        """A function of one value, compiled, applied to each row."""
        from .udf import apply_series

        if convert_dtype is not True:
            raise ValueError("Series.apply only supports convert_dtype=True")
        if by_row != "compat":
            raise NotImplementedError("by_row is currently not supported.")
        return apply_series(self, func, args, kwargs)

    def map(self, arg: Any, na_action: Any = None) -> Any:
        """Each value replaced by what a dict, a Series or a function gives for it."""
        from .replace import map_series

        return map_series(self, arg, na_action)

    def groupby(self, by: Any = None, axis: Any = 0, level: Any = None, as_index: bool = True, sort: Any = None,
                group_keys: Any = None, observed: bool = True, dropna: bool = True) -> Any:  # fmt: skip
        """Groups of rows."""
        from .groupby import SeriesGroupBy

        if axis not in (0, "index"):
            raise NotImplementedError("axis parameter is not yet implemented")
        if not as_index:
            raise TypeError("as_index=False only valid with DataFrame")
        return SeriesGroupBy(self, by, level, sort, as_index, dropna, group_keys)

    def to_string(self, buf: Any = None, *, na_rep: str = "NaN", float_format: Any = None, header: bool = True,
                  index: bool = True, length: bool = False, dtype: bool = False, name: bool = False,
                  max_rows: Any = None, min_rows: Any = None) -> Any:  # fmt: skip
        """The text of the whole column."""
        import pandas as pd

        from . import host

        shown = self.to_pandas()
        if isnull(self._storage).any() and self.dtype.kind in "iub":
            shown = pd.Series(host.printable(self._storage), index=shown.index, name=self.name)
        return shown.to_string(
            buf, na_rep=na_rep, float_format=float_format, header=header, index=index, length=length, dtype=dtype, name=name,
            max_rows=max_rows, min_rows=min_rows,
        )  # fmt: skip

    def to_json(self, path_or_buf: Any = None, *args: Any, **kwargs: Any) -> Any:
        """JSON text or file."""
        from ..io.json import to_json

        return to_json(self, path_or_buf, *args, **kwargs)

    def to_hdf(self, path_or_buf: Any, key: Any, *args: Any, **kwargs: Any) -> Any:
        """An HDF5 file, through pandas."""
        from ..io.hdf import to_hdf

        return to_hdf(path_or_buf, key, self, *args, **kwargs)
