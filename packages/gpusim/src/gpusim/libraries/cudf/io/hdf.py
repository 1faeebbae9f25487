"""HDF5: read and written by pandas on the host, as in cuDF, which warns about it."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd


def read_hdf(path_or_buf: Any, *args: Any, **kwargs: Any) -> Any:
    """Read a frame or a Series; as pandas, needs PyTables."""
    import cudf

    warnings.warn("Using CPU via Pandas to read HDF dataset, this may be GPU accelerated in the future", stacklevel=2)
    return cudf.from_pandas(pd.read_hdf(path_or_buf, *args, **kwargs))


def to_hdf(path_or_buf: Any, key: str, value: Any, *args: Any, **kwargs: Any) -> None:
    """Write a frame or a Series; as pandas, needs PyTables."""
    warnings.warn("Using CPU via Pandas to write HDF dataset, this may be GPU accelerated in the future", stacklevel=2)
    value.to_pandas().to_hdf(path_or_buf, *args, key=key, **kwargs)
