"""Datasets of Parquet: files in folders named by values, and files written in pieces."""

from __future__ import annotations

import io
import math
import warnings
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from . import _sources as sources
from ._parquet_write import UNITS, _footer, _options, codec, merge_parquet_filemetadata, tables, write_file


def _groups(df: Any, partition_cols: list[str], keep_index: bool | None) -> list[tuple[tuple, Any]]:
    """Return the rows of each combination of values, without the columns that hold them."""
    if not set(df.columns) - set(partition_cols):
        warnings.warn("No data left to save outside partition columns", stacklevel=3)
    keys = df[list(partition_cols)].to_pandas()
    parts = keys.groupby(list(partition_cols), dropna=False, observed=True, sort=True).indices
    out = []
    for values, rows in parts.items():
        part = df.iloc[np.sort(rows)].drop(columns=list(partition_cols))
        out.append(
            (values if isinstance(values, tuple) else (values,), part if keep_index else part.reset_index(drop=True))
        )
    return out


def _folder(name: str, value: Any) -> str:
    import pandas as pd

    return f"{name}={'__HIVE_DEFAULT_PARTITION__' if pd.isna(value) else value}"


def _filesystem(path: Any, storage_options: dict | None, fs: Any = None) -> Any:
    import fsspec

    return fs or fsspec.core.get_fs_token_paths(sources.as_path(path), storage_options=storage_options or {})[0]


def write_to_dataset(
    df: Any,
    root_path: Any,
    compression: str | None = "snappy",
    filename: str | None = None,
    partition_cols: Any = None,
    fs: Any = None,
    preserve_index: bool | None = False,
    return_metadata: bool = False,
    statistics: str = "ROWGROUP",
    storage_options: dict | None = None,
    **given: Any,
) -> np.ndarray | None:
    """Write a frame as files in folders named by the values of some columns."""
    fs = _filesystem(root_path, storage_options, fs)
    root = fs._strip_protocol(str(sources.as_path(root_path)))
    fs.mkdirs(root, exist_ok=True)
    filename = filename or uuid4().hex + ".parquet"
    given = {"compression": compression, "statistics": statistics, **given}
    footers = []
    parts = _groups(df, list(partition_cols), preserve_index) if partition_cols else [((), df)]
    for values, part in parts:
        folders = [_folder(name, value) for name, value in zip(partition_cols or (), values, strict=True)]
        fs.mkdirs(fs.sep.join([root, *folders]), exist_ok=True)
        buffer = io.BytesIO()
        data = write_file(part, tables(part, preserve_index), buffer, given)
        fs.pipe_file(fs.sep.join([root, *folders, filename]), data)
        footers.append(_footer(data, fs.sep.join([*folders, filename])))
    return merge_parquet_filemetadata(footers) if return_metadata else None


class ParquetWriter:
    """Write frames to one file, a row group or more for each.

    Parameters
    ----------
    filepath_or_buffer : path or buffer
    index : bool, optional
        Whether a named index is written.
    """

    def __init__(
        self, filepath_or_buffer: Any, index: bool | None = None, compression: str | None = "snappy",
        statistics: str = "ROWGROUP", row_group_size_bytes: int = int(np.iinfo(np.uint64).max),
        row_group_size_rows: int = 1000000, max_page_size_bytes: int = 524288, max_page_size_rows: int = 20000,
        max_dictionary_size: int = 1048576, use_dictionary: bool = True, store_schema: bool = False,
    ) -> None:  # fmt: skip
        self.sink, self.index, self.initialized = filepath_or_buffer, index, False
        self._given = {"compression": compression, "statistics": statistics, "row_group_size_rows": row_group_size_rows,
                       "use_dictionary": use_dictionary, "store_schema": store_schema}  # fmt: skip
        self._pieces: list[pa.Table] = []
        codec(compression)

    def write_table(self, table: Any, partitions_info: Any = None) -> None:
        """Add a frame."""
        named = table.index.nlevels > 1 or table.index.name is not None
        self._pieces.append(tables(table, True if self.index is not False and named else False))
        self.initialized = True

    def close(self, metadata_file_path: Any = None) -> np.ndarray | None:
        """Write the file; with a name for it, return its footer."""
        if not self._pieces:
            return None
        first, buffer = self._pieces[0], io.BytesIO()
        options = _options(first, self._given)
        size = options.pop("row_group_size")
        with pq.ParquetWriter(buffer, first.schema, **options) as writer:
            for piece in self._pieces:
                writer.write_table(piece.replace_schema_metadata(first.schema.metadata), row_group_size=size)
            writer.add_key_value_metadata(first.schema.metadata or {})
        data = buffer.getvalue()
        self._pieces = []
        with sources.sink(self.sink) as file:
            file.write(data)
        return _footer(data, metadata_file_path) if metadata_file_path is not None else None

    def __enter__(self) -> ParquetWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _parse_bytes(text: Any) -> int:
    """Return a number of bytes: ``"5MB"``, ``"1 KiB"``."""
    if isinstance(text, (int, float)):
        return int(text)
    text = text.replace(" ", "")
    if not any(char.isdigit() for char in text):
        text = "1" + text
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    unit = text[len(number) :]
    try:
        value = float(number)
    except ValueError:
        raise ValueError(f"Could not interpret '{number}' as a number") from None
    if unit.lower() not in UNITS:
        raise ValueError(f"Could not interpret '{unit}' as a byte unit")
    return int(value * UNITS[unit.lower()])


class ParquetDatasetWriter:
    """Write frames, one after the other, to folders named by the values of some columns.

    Parameters
    ----------
    path : str
        The outer folder.
    partition_cols : list of str
    max_file_size : int or str, optional
        Bytes (estimated) above which another file is begun; needs `file_name_prefix`.
    """

    def __init__(
        self, path: Any, partition_cols: Any, index: bool | None = None, compression: str | None = "snappy",
        statistics: str = "ROWGROUP", max_file_size: Any = None, file_name_prefix: str | None = None,
        storage_options: dict | None = None,
    ) -> None:  # fmt: skip
        if max_file_size is not None and file_name_prefix is None:
            raise ValueError("file_name_prefix cannot be None if max_file_size is passed")
        codec(compression)
        self.path, self.partition_cols, self.storage_options = path, list(partition_cols), storage_options
        self.common_args = {"index": index, "compression": compression, "statistics": statistics}
        self.filename = file_name_prefix
        self.max_file_size = None if max_file_size is None else _parse_bytes(max_file_size)
        self._writers: dict[str, tuple[ParquetWriter, io.BytesIO]] = {}
        self._sizes: dict[str, float] = {}

    def write_table(self, df: Any) -> None:
        """Add a frame."""
        for values, part in _groups(df, self.partition_cols, self.common_args["index"]):
            folder = "/".join(f"{name}={value}" for name, value in zip(self.partition_cols, values, strict=True))
            if self.max_file_size is None:
                self.filename = self.filename or uuid4().hex + ".parquet"
                self._add(f"{folder}/{self.filename}", part)
                continue
            size = int(part.memory_usage().sum() * 0.6 + 705) + 1000 + 810 * part.shape[1]
            pieces = math.ceil(size / self.max_file_size) if size > self.max_file_size else 1
            step = max(len(part) // pieces, 1)
            cuts = [*range(0, len(part), step)][:pieces] + [len(part)]
            number = 0
            for start, stop in zip(cuts, cuts[1:], strict=False):
                share = size / pieces
                while self._sizes.get(name := f"{folder}/{self.filename}_{number}.parquet", 0) + share > max(
                    self.max_file_size, share
                ):
                    number += 1
                self._sizes[name] = self._sizes.get(name, 0) + share
                self._add(name, part.iloc[start:stop])
                number += 1

    def _add(self, name: str, part: Any) -> None:
        if name not in self._writers:
            buffer = io.BytesIO()
            self._writers[name] = ParquetWriter(buffer, **self.common_args), buffer
        self._writers[name][0].write_table(part)

    def close(self, return_metadata: bool = False) -> np.ndarray | None:
        """Write the files; on request, return their footers as one."""
        fs = _filesystem(self.path, self.storage_options)
        root, footers = fs._strip_protocol(str(sources.as_path(self.path))), []
        for name, (writer, buffer) in self._writers.items():
            footers.append(writer.close(metadata_file_path=name))
            place = fs.sep.join([root, name])
            fs.mkdirs(fs._parent(place), exist_ok=True)
            fs.pipe_file(place, buffer.getvalue())
        self._writers = {}
        return merge_parquet_filemetadata(footers) if return_metadata and footers else None

    def __enter__(self) -> ParquetDatasetWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
