"""Text files, cut into partitions by ranges of bytes."""

from __future__ import annotations

import os
from typing import Any

import cudf
import dask.dataframe as dd
from dask.utils import parse_bytes

from .csv import files_of


def _read(source: tuple[str, Any], **kwargs: Any) -> Any:
    name, byte_range = source
    return cudf.read_text(name, byte_range=byte_range, **kwargs)


def read_text(path: Any, chunksize: Any = "256 MiB", byte_range: Any = None, **kwargs: Any) -> Any:
    """Read text files, split at a delimiter."""
    chunksize = parse_bytes(chunksize) if isinstance(chunksize, str) else chunksize
    names = files_of(path)
    if chunksize and byte_range:
        raise ValueError("Cannot specify both chunksize and byte_range.")
    if chunksize:
        sources = [(name, (start, chunksize)) for name in names for start in range(0, os.path.getsize(name), chunksize)]
    else:
        sources = [(name, byte_range) for name in names]
    return dd.from_map(_read, sources, meta=cudf.Series([], dtype="O"), **kwargs)
