"""The collections, and how one is made of a frame."""

from __future__ import annotations

from typing import Any

import cudf
import dask.dataframe as dd

from ._expr.collection import DataFrame, Index, Series

__all__ = ["DataFrame", "Index", "Series", "concat", "from_cudf"]
concat = dd.concat


def from_cudf(
    data: Any, npartitions: int | None = None, chunksize: int | None = None, sort: bool = True, name: str | None = None
) -> Any:
    """Cut a cuDF object into partitions.

    Raises
    ------
    NotImplementedError
        For a MultiIndex.
    """
    if isinstance(getattr(data, "index", None), cudf.MultiIndex):
        raise NotImplementedError("dask_cudf does not support MultiIndex Dataframes.")
    return dd.from_pandas(data, npartitions=npartitions, chunksize=chunksize, sort=sort)
