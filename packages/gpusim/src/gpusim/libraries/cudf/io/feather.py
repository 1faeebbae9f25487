"""Feather: read and written by Arrow on the host, as in cuDF, which warns about it."""

from __future__ import annotations

import warnings
from typing import Any

from gpusim.device.thread_warnings import ignored

_DEPRECATED = ignored(FutureWarning, message="pyarrow\\.feather\\.(read_table|write_feather) is deprecated")


def read_feather(path: Any, *args: Any, **kwargs: Any) -> Any:
    """Read a Feather file to a DataFrame."""
    import cudf
    from pyarrow import feather

    warnings.warn(
        "Using CPU via PyArrow to read feather dataset, this may be GPU accelerated in the future", stacklevel=2
    )
    with _DEPRECATED:
        table = feather.read_table(path, *args, **kwargs)
    return cudf.DataFrame.from_arrow(table)


def to_feather(df: Any, path: Any, *args: Any, **kwargs: Any) -> None:
    """Write a frame as Feather, without its index."""
    from pyarrow import feather

    warnings.warn(
        "Using CPU via PyArrow to write Feather dataset, this may be GPU accelerated in the future", stacklevel=2
    )
    table = df.to_arrow(preserve_index=False)
    with _DEPRECATED:
        feather.write_feather(table, path, *args, **kwargs)
