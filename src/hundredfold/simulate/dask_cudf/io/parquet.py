"""Parquet files, a partition for each file or for some row groups."""

from __future__ import annotations

from typing import Any

import cudf
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from dask import dataframe as dd
from dask.dataframe.io.parquet.arrow import ArrowDatasetEngine
from dask.dataframe.io.utils import DataFrameIOFunction
from dask.utils import natural_sort_key, parse_bytes

BLOCK = "256 MiB"
NAMELESS = "__null_dask_index__"  # what Dask calls an index without a name in a file


class CudfEngine(ArrowDatasetEngine):
    """What Dask writes collections of cuDF partitions with; reading is `read_parquet`'s."""

    @classmethod
    def _pandas_to_arrow_table(cls, df: Any, preserve_index: Any = False, schema: Any = None) -> pa.Table:
        if not hasattr(df, "to_arrow"):
            return super()._pandas_to_arrow_table(df, preserve_index=preserve_index, schema=schema)
        table = df.to_arrow(preserve_index=preserve_index)
        return table.cast(schema) if schema is not None and schema.names == table.schema.names else table

    @classmethod
    def write_partition(
        cls, df: Any, path: Any, fs: Any, filename: str, partition_on: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Write one partition: through Arrow, as for pandas."""
        from cudf.io._parquet_write import codec

        codec(kwargs.get("compression", "snappy"))  # refuses what libcudf's writer has not
        if partition_on and hasattr(df, "to_pandas"):
            df = df.to_pandas()
        return super().write_partition(df, path, fs, filename, partition_on, *args, **kwargs)


class ReadPart(DataFrameIOFunction):
    """Reads one partition; knows which columns are wanted, so that Dask can leave out others."""

    def __init__(self, columns: Any, options: dict, keys: dict[str, list], nameless: bool = False) -> None:
        self._columns, self.options, self.keys, self.nameless = columns, options, keys, nameless

    @property
    def columns(self) -> Any:
        """Names of the columns that are read."""
        return self._columns

    def project_columns(self, columns: list) -> ReadPart:
        """Return the same for fewer columns."""
        return ReadPart(list(columns), self.options, self.keys, self.nameless)

    def __call__(self, part: tuple) -> Any:
        """Read (files, row groups, values of the folders)."""
        files, groups, values = part
        wanted = None if self._columns is None else [name for name in self._columns if name not in self.keys]
        if wanted is not None and self.nameless:
            wanted.append(NAMELESS)
        df = cudf.read_parquet(files, columns=wanted, row_groups=groups, dataset_kwargs={"format": "parquet", "partitioning": None},
                               **{k: v for k, v in self.options.items() if k != "index"})  # fmt: skip
        for name, value in values.items():
            if self._columns is None or name in self._columns:
                codes = pa.array([self.keys[name].index(value)] * len(df), pa.int32())
                column = pa.DictionaryArray.from_arrays(codes, pa.array(self.keys[name]))
                df[name] = cudf.Series._from_arrow(column, index=df.index)
        index = self.options.get("index")
        if NAMELESS in df.columns:
            df = df.set_index(NAMELESS)
        if df.index.name == NAMELESS:
            df.index = df.index.rename(None)
        if isinstance(index, str):
            df = df.reset_index().set_index(index) if df.index.name != index else df
        elif index is False:
            df = df.reset_index(drop=df.index.name is None)
        return df if self._columns is None else df[[name for name in self._columns if name in df.columns]]


def read_parquet(
    path: Any, *args: Any, columns: Any = None, filters: Any = None, index: Any = None, blocksize: Any = "default",
    split_row_groups: Any = "infer", storage_options: Any = None, filesystem: Any = None, open_file_options: Any = None,
    calculate_divisions: bool = False, ignore_metadata_file: bool = False, aggregate_files: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """Read Parquet files to a collection.

    Parameters
    ----------
    split_row_groups : bool, int or "infer"
        How many row groups a partition has; by default a file is one unless it is larger than `blocksize`.
    """
    if open_file_options is not None:
        raise ValueError("The open_file_options argument is no longer supported by the 'cudf' backend.")
    import fsspec

    if filesystem not in ("fsspec", None) and not isinstance(filesystem, fsspec.AbstractFileSystem):
        raise ValueError(f"filesystem={filesystem} is not supported by the 'cudf' backend.")
    fs, _, paths = fsspec.core.get_fs_token_paths(path, mode="rb", storage_options=storage_options)
    dataset = ds.dataset(paths[0] if len(paths) == 1 else paths, filesystem=fs, format="parquet", partitioning="hive")
    fragments = sorted(dataset.get_fragments(filter=None), key=lambda one: natural_sort_key(one.path))
    if not fragments:
        raise FileNotFoundError(f"{path} could not be resolved to any files")
    keys: dict[str, list] = {}
    for fragment in fragments:
        for name, value in ds.get_partition_keys(fragment.partition_expression).items():
            if value not in keys.setdefault(name, []):
                keys[name].append(value)
    keys = {name: sorted(values, key=str) for name, values in keys.items()}
    expression = pq.filters_to_expression(filters) if filters else None
    limit = parse_bytes(BLOCK if blocksize == "default" else blocksize) if blocksize is not None else None
    parts = []
    for fragment in fragments:
        values = ds.get_partition_keys(fragment.partition_expression)
        groups = fragment.row_groups
        if expression is not None:
            pieces = fragment.split_by_row_group(expression, schema=dataset.schema)
            groups = [group for piece in pieces for group in piece.row_groups]
            if not groups:
                continue
        place = fragment.path
        if split_row_groups == "infer":
            size = sum(group.total_byte_size for group in groups)
            step = 1 if limit is not None and size > 2 * limit and len(groups) > 1 else None
        else:
            step = (
                None
                if split_row_groups in (False, "adaptive")
                else 1
                if split_row_groups is True
                else int(split_row_groups)
            )
        if step is None:
            chosen = [group.id for group in groups] if expression is not None else None
            parts.append(([place], None if chosen is None else [chosen], values))
        else:
            for at in range(0, len(groups), step):
                parts.append(([place], [[group.id for group in groups[at : at + step]]], values))
    options = {"index": index, **kwargs}
    if fs.protocol not in ("file", ("file", "local"), "local"):
        options["filesystem"] = fs
    if filters:
        options["filters"] = filters
    wanted = [columns] if isinstance(columns, str) else None if columns is None else list(columns)
    nameless = NAMELESS in dataset.schema.names
    read = ReadPart(wanted, options, keys, nameless)
    first = fragments[0]
    meta_options = {key: value for key, value in options.items() if key != "filters"}
    groups = [[0]] if first.row_groups else None
    meta = ReadPart(wanted, meta_options, keys)(
        ([first.path], groups, ds.get_partition_keys(first.partition_expression))
    )
    meta = meta.head(0)
    if not parts:
        return dd.from_pandas(meta, npartitions=1)
    read._columns = list(meta.columns) if wanted is None else wanted
    out = dd.from_map(read, parts, meta=meta, enforce_metadata=False)
    return out[columns] if isinstance(columns, str) else out
