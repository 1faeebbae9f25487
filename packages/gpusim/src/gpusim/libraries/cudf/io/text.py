"""Text: ``cudf.read_text``, which splits a file at a delimiter."""

from __future__ import annotations

import gzip
import io
from typing import Any

import pyarrow as pa

from gpusim.importing.errors import NotSimulatedError

from . import _sources as sources


def rows_in(data: bytes, delimiter: bytes, byte_range: Any, strip: bool) -> list[str]:
    """Return the rows of a text (each with the delimiter that ends it) that begin in a range of bytes."""
    parts = data.split(delimiter)
    rows = [part + delimiter for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
    if byte_range is not None:
        offset, size = byte_range
        chosen, position = [], 0
        for row in rows:
            if offset <= position < offset + size:
                chosen.append(row)
            position += len(row)
        rows = chosen
    return [(row.removesuffix(delimiter) if strip else row).decode() for row in rows]


def read_text(
    filepath_or_buffer: Any,
    delimiter: str | None = None,
    byte_range: Any = None,
    strip_delimiters: bool = False,
    compression: str | None = None,
    compression_offsets: Any = None,
    storage_options: dict | None = None,
) -> Any:
    """Read a text to a Series of its rows, which keep their delimiter."""
    import cudf

    if delimiter is None:
        raise ValueError("delimiter needs to be provided")
    source = sources.only(sources.resolve(filepath_or_buffer, storage_options), "read_text")
    data = sources.read_bytes(source)
    size = len(data)
    if compression is not None:
        if compression != "bgzip":
            raise ValueError("Only bgzip compression is supported at the moment")
        if isinstance(source, io.StringIO):
            raise ValueError("bgzip compression requires a file path")
        if compression_offsets is not None:
            if len(compression_offsets) != 2:
                raise ValueError("Compression offsets need to consist of two elements")
            raise NotSimulatedError("read_text(compression_offsets=…)", "read_text(byte_range=…)")
        data = gzip.decompress(data)
    array = pa.array(rows_in(data, delimiter.encode(), byte_range, strip_delimiters), pa.string())
    made = cudf.Series._from_arrow(array)
    sources.counted_read("read_text", size, [array], made)
    return made
