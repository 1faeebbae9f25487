"""The collections Dask makes when a partition is a cuDF object."""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any

import cudf
from dask import config
from dask.dataframe import get_collection_type
from dask.dataframe.dask_expr import DataFrame as DaskDataFrame
from dask.dataframe.dask_expr import FrameBase, new_collection
from dask.dataframe.dask_expr import Index as DaskIndex
from dask.dataframe.dask_expr import Series as DaskSeries
from dask.dataframe.dispatch import get_parallel_type
from dask.typing import no_default


class CudfFrameBase(FrameBase):
    """What differs for all of them."""

    def _prepare_cov_corr(self, min_periods: Any, numeric_only: bool) -> tuple[Any, Any]:
        self._meta.cov(min_periods=min_periods)
        frame = self
        if numeric_only:
            numeric = list(self._meta.select_dtypes("number").columns)
            if len(numeric) != len(self.columns):
                frame = frame[numeric]
        return frame, min_periods

    def var(
        self, axis: Any = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False, split_every: Any = False,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Return the variance."""
        axis = self._validate_axis(axis)
        self._meta.var(axis=axis, skipna=skipna, numeric_only=numeric_only)
        frame = self
        if isinstance(self._meta, cudf.DataFrame) and numeric_only:
            frame = frame[list(self._meta.to_pandas().var(numeric_only=True).index)]
        return new_collection(frame.expr.var(axis, skipna, ddof, numeric_only, split_every=split_every))

    def rename_axis(
        self, mapper: Any = no_default, index: Any = no_default, columns: Any = no_default, axis: Any = 0
    ) -> Any:
        """Name the index; nothing else is supported."""
        from .expr import RenameAxisCudf

        return new_collection(RenameAxisCudf(self, mapper=mapper, index=index, columns=columns, axis=axis))

    def clip(self, lower: Any = None, upper: Any = None, axis: Any = 1) -> Any:
        """Limit the values."""
        if axis not in (None, 1):
            raise NotImplementedError("axis not yet supported in clip.")
        return new_collection(self.expr.clip(lower, upper, 1))


class DataFrame(CudfFrameBase, DaskDataFrame):
    """A Dask dataframe of cuDF partitions."""

    @classmethod
    def from_dict(cls, *args: Any, **kwargs: Any) -> Any:
        """As Dask's, with the cudf backend."""
        with config.set({"dataframe.backend": "cudf"}):
            return DaskDataFrame.from_dict(*args, **kwargs)

    def set_index(self, *args: Any, divisions: Any = None, **kwargs: Any) -> Any:
        """As Dask's."""
        if isinstance(divisions, str) and divisions == "quantile":
            divisions = None
            warnings.warn(
                "Ignoring divisions='quantile'. This option is now deprecated. Please raise an issue on github if this "
                "feature is necessary.",
                FutureWarning,
                stacklevel=2,
            )
        return super().set_index(*args, divisions=divisions, **kwargs)

    def groupby(
        self,
        by: Any,
        group_keys: bool = True,
        sort: Any = None,
        observed: Any = None,
        dropna: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Group by columns."""
        from .groupby import GroupBy

        if isinstance(by, FrameBase) and not isinstance(by, DaskSeries):
            raise ValueError(f"`by` must be a column name or list of columns, got {by}.")
        if "as_index" in kwargs:
            words = "The `as_index` argument is now deprecated. All groupby results will be consistent with `as_index=True`."
            if kwargs.pop("as_index") is not True:
                raise NotImplementedError(f"{words} Please reset the index after aggregating.")
            warnings.warn(words, FutureWarning, stacklevel=2)
        return GroupBy(self, by, group_keys=group_keys, sort=sort, observed=observed, dropna=dropna, **kwargs)

    def to_orc(self, *args: Any, **kwargs: Any) -> Any:
        """Write a file for each partition."""
        from dask_cudf.io.orc import to_orc

        return to_orc(self, *args, **kwargs)

    @staticmethod
    def read_text(*args: Any, **kwargs: Any) -> Any:
        """Read text, split at a delimiter."""
        from dask_cudf.io.text import read_text

        return read_text(*args, **kwargs)


class Series(CudfFrameBase, DaskSeries):
    """A Dask Series of cuDF partitions."""

    def groupby(self, by: Any, **kwargs: Any) -> Any:
        """Group by another Series."""
        from .groupby import SeriesGroupBy

        return SeriesGroupBy(self, by, **kwargs)

    @cached_property
    def list(self) -> Any:
        """Methods of lists."""
        from .accessors import ListMethods

        return ListMethods(self)

    @cached_property
    def struct(self) -> Any:
        """Methods of structs."""
        from .accessors import StructMethods

        return StructMethods(self)


class Index(CudfFrameBase, DaskIndex):
    """A Dask Index of cuDF partitions."""


for _kind, _collection in ((cudf.DataFrame, DataFrame), (cudf.Series, Series), (cudf.Index, Index)):
    get_parallel_type.register(_kind, lambda _, collection=_collection: collection)
    get_collection_type.register(_kind, lambda _, collection=_collection: collection)


def array_collection(expr: Any) -> Any:
    """Return an expression whose partitions are device arrays as a Dask array."""
    import dask.array as da
    import numpy as np
    from dask._task_spec import Alias, Task

    result = expr.optimize()
    layer, name, meta = result.__dask_graph__(), result._name, result._meta
    chunks = ((np.nan,) * (len(result.divisions) - 1), *((length,) for length in meta.shape[1:]))
    if len(chunks) > 1:
        # The keys of an array have an index for each dimension.
        layer = dict(layer)
        for at in range(len(chunks[0])):
            task, key = layer.get((name, at)), (name, at, *(0,) * (len(chunks) - 1))
            layer[key] = Alias(key, task.key) if isinstance(task, Task) else task
    return da.Array(layer, name=name, chunks=chunks, meta=meta)


@get_collection_type.register_lazy("cupy")
def _register_cupy() -> None:
    import cupy

    get_collection_type.register(cupy.ndarray, lambda _: array_collection)
