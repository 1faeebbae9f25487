"""DataFrame methods that lead elsewhere: joins, groups, shapes, functions of the user."""

from __future__ import annotations

from typing import Any

from .delegate import no_default
from .guard import guarded_class


@guarded_class
class FrameJoins:
    """Methods that lead elsewhere."""

    def merge(self, right: Any, how: str = "inner", on: Any = None, left_on: Any = None, right_on: Any = None,
              left_index: bool = False, right_index: bool = False, sort: bool = False, suffixes: tuple = ("_x", "_y"),
              indicator: bool = False, validate: Any = None) -> Any:  # fmt: skip
        """Rows of two frames that agree in some columns; their order is not defined unless ``sort``."""
        from .join import merge

        return merge(
            self, right, how, on, left_on, right_on, left_index, right_index, sort, suffixes, indicator, validate
        )

    def join(self, other: Any, on: Any = None, how: str = "left", lsuffix: str = "", rsuffix: str = "", sort: bool = False,
             validate: Any = None) -> Any:  # fmt: skip
        """Rows of two frames that agree in their labels."""
        from .join import join

        return join(self, other, on, how, lsuffix, rsuffix, sort, validate)

    def groupby(self, by: Any = None, axis: Any = 0, level: Any = None, as_index: bool = True, sort: Any = no_default,
                group_keys: Any = no_default, observed: bool = True, dropna: bool = True) -> Any:  # fmt: skip
        """Groups of rows."""
        from .groupby import DataFrameGroupBy, Grouper

        if axis not in (0, "index"):
            raise NotImplementedError("axis parameter is not yet implemented")
        if not observed:
            raise NotImplementedError("observed parameter is not yet implemented")
        if by is None and level is None:
            raise TypeError("groupby() requires either by or level to be specified.")
        if isinstance(by, Grouper) and by.freq:
            return self.resample(by.freq, closed=by.closed, label=by.label, on=by.key, level=by.level)
        return DataFrameGroupBy(self, by, level, sort, as_index, dropna, group_keys)

    def melt(self, **kwargs: Any) -> Any:
        """Columns as rows."""
        from .reshape import melt

        return melt(self, **kwargs)

    def pivot(self, *, columns: Any, index: Any = no_default, values: Any = no_default) -> Any:
        """A table of the values by row and column labels."""
        from .reshape import pivot

        return pivot(self, columns=columns, index=index, values=values)

    def pivot_table(self, values: Any = None, index: Any = None, columns: Any = None, aggfunc: Any = "mean",
                    fill_value: Any = None, margins: bool = False, dropna: Any = None, margins_name: str = "All",
                    observed: bool = False, sort: bool = True) -> Any:  # fmt: skip
        """A table of aggregates by row and column labels."""
        from .reshape import pivot_table

        return pivot_table(
            self, values, index, columns, aggfunc, fill_value, margins, dropna, margins_name, observed, sort
        )

    def stack(self, level: Any = -1, dropna: Any = no_default, future_stack: bool = True) -> Any:
        """Column labels as the innermost row labels."""
        from .reshape import stack

        return stack(self, level, dropna, future_stack)

    def unstack(self, level: Any = -1, fill_value: Any = None, sort: bool = True) -> Any:
        """Row labels as column labels."""
        from .reshape import unstack

        return unstack(self, level, fill_value, sort)

    def apply(self, func: Any, axis: Any = 1, raw: bool = False, result_type: Any = None, args: tuple = (),
              by_row: Any = "compat", engine: str = "python", engine_kwargs: Any = None, **kwargs: Any) -> Any:  # fmt: skip
        """A function of one row, compiled, applied to each row (``axis=1``)."""
        from .udf import apply_frame

        return apply_frame(self, func, axis, raw, result_type, args, by_row, engine, engine_kwargs, kwargs)

    def map(self, func: Any, na_action: Any = None, **kwargs: Any) -> Any:
        """A function of one value, compiled, applied to each value."""
        from .udf import map_frame

        return map_frame(self, func, na_action, kwargs)

    def agg(self, aggs: Any, axis: Any = None) -> Any:
        """Several reductions of the columns at once."""
        from .describe import aggregate

        return aggregate(self, aggs, axis)

    def dot(self, other: Any, reflect: bool = False) -> Any:
        """Product with a vector or a matrix."""
        from .linear import dot

        return dot(self, other, reflect)

    def __matmul__(self, other: Any) -> Any:
        return self.dot(other)

    def __rmatmul__(self, other: Any) -> Any:
        return self.dot(other, reflect=True)

    def corr(self, method: str = "pearson", min_periods: Any = None, numeric_only: bool = False) -> Any:
        """Correlations of the columns."""
        from .linear import frame_correlation

        return frame_correlation(self, method, min_periods, numeric_only)

    def cov(self, min_periods: Any = None, ddof: int = 1, numeric_only: bool = False) -> Any:
        """Covariances of the columns."""
        from .linear import frame_covariance

        return frame_covariance(self, min_periods, ddof, numeric_only)

    def to_csv(self, path_or_buf: Any = None, *args: Any, **kwargs: Any) -> Any:
        """CSV text or file."""
        from ..io.csv import to_csv

        return to_csv(self, path_or_buf, *args, **kwargs)

    def to_parquet(self, path: Any = None, *args: Any, **kwargs: Any) -> Any:
        """A Parquet file."""
        from ..io.parquet import to_parquet

        return to_parquet(self, path, *args, **kwargs)

    def to_json(self, path_or_buf: Any = None, *args: Any, **kwargs: Any) -> Any:
        """JSON text or file."""
        from ..io.json import to_json

        return to_json(self, path_or_buf, *args, **kwargs)

    def to_orc(self, fname: Any, *args: Any, **kwargs: Any) -> Any:
        """An ORC file."""
        from ..io.orc import to_orc

        return to_orc(self, fname, *args, **kwargs)

    def to_feather(self, path: Any, *args: Any, **kwargs: Any) -> Any:
        """A Feather file, through pandas."""
        from ..io.feather import to_feather

        return to_feather(self, path, *args, **kwargs)

    def to_hdf(self, path_or_buf: Any, key: Any, *args: Any, **kwargs: Any) -> Any:
        """An HDF5 file, through pandas."""
        from ..io.hdf import to_hdf

        return to_hdf(path_or_buf, key, self, *args, **kwargs)

    def to_dlpack(self) -> Any:
        """A DLPack capsule."""
        from ..io.dlpack import to_dlpack

        return to_dlpack(self)
