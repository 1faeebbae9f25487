"""Parquet files, a partition for each file, for some row groups of one, or for several small ones.

Dask's own expressions plan the reading, as they do for the real dask_cudf: columns that nobody needs are never read, `len` asks
the files' footers, files are put together until a partition has about `blocksize` bytes. What differs is told by two classes:
``filesystem="fsspec"`` (the default) reads by cuDF and takes filters only where they are given; ``"arrow"`` lets Arrow fetch the
bytes, and a condition on the collection becomes a filter by itself.
"""

from __future__ import annotations

import functools
import math
from typing import Any
from urllib.parse import unquote

import cudf
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
from dask.dataframe.dask_expr import new_collection
from dask.dataframe.dask_expr._expr import Elemwise
from dask.dataframe.dask_expr._util import _convert_to_list
from dask.dataframe.dask_expr.io.io import FusedIO, FusedParquetIO
from dask.dataframe.dask_expr.io.parquet import ReadParquetFSSpec, ReadParquetPyarrowFS
from dask.dataframe.io.parquet.arrow import ArrowDatasetEngine
from dask.tokenize import tokenize
from dask.utils import parse_bytes

_SAMPLED = 3  # files that are asked how large their columns are


class NoOp(Elemwise):
    """Hands a partition on: without something above it, an expression that reads is never tuned."""

    _parameters = ["frame"]
    _is_length_preserving = True
    _projection_passthrough = True
    _filter_passthrough = True
    _preserves_partitioning_information = True

    @staticmethod
    def operation(x: Any) -> Any:
        """Return the same."""
        return x


class _Buckets:
    """Which partitions are read by one task."""

    @functools.cached_property
    def _fusion_buckets(self) -> list:
        expr = self.operand("_expr")  # type: ignore[attr-defined]
        step = min(max(1, int(1 / expr._fusion_compression_factor)), 100)
        return [expr._partitions[at : at + step] for at in range(0, len(expr._partitions), step)]


class CudfFusedIO(_Buckets, FusedIO):
    """Several files or row groups in one partition."""


class CudfFusedParquetIO(_Buckets, FusedParquetIO):
    """Several files in one partition, fetched by Arrow."""

    @staticmethod
    def _load_multiple_files(frag_filters: Any, columns: Any, schema: Any, **options: Any) -> Any:
        read = CudfReadParquetPyarrowFS._fragment_to_table
        tables = [read(fragment, filters, columns, schema) for fragment, filters in frag_filters]
        return CudfReadParquetPyarrowFS._table_to_pandas(
            pa.concat_tables(tables, promote_options="permissive"), **options
        )


def _share(stats: Any, columns: list) -> tuple[float, float]:
    """Bytes of the columns that are read and of all, in a file of average size."""
    read = every = 0.0
    for column in stats["columns"]:
        every += column["total_uncompressed_size"]
        if column["path_in_schema"].partition(".")[0] in columns or column["path_in_schema"] in columns:
            read += column["total_uncompressed_size"]
    return read, every


class CudfReadParquetFSSpec(ReadParquetFSSpec):
    """Reads by cuDF. A condition on the collection is no filter: `filters` has to be given."""

    _known: dict[str, dict] = {}

    def approx_statistics(self) -> dict:
        """How large the columns of a few files are."""
        dataset = self._dataset_info["ds"]
        token = tokenize(dataset.files[:10], self.filters)
        if token not in self._known:
            chosen = pq.filters_to_expression(self.filters) if self.filters else None
            sizes: dict[str, list] = {}
            for at, fragment in enumerate(dataset.get_fragments(chosen)):
                if at == _SAMPLED:
                    break
                of_file: dict[str, int] = {}
                for group in range(fragment.metadata.num_row_groups):
                    group = fragment.metadata.row_group(group)
                    for place in range(group.num_columns):
                        column = group.column(place)
                        of_file[column.path_in_schema] = (
                            of_file.get(column.path_in_schema, 0) + column.total_uncompressed_size
                        )
                for name, size in of_file.items():
                    sizes.setdefault(name, []).append(size)
            self._known[token] = {
                "columns": [
                    {"path_in_schema": name, "total_uncompressed_size": float(np.mean(size))}
                    for name, size in sizes.items()
                ]
            }
        return self._known[token]

    @functools.cached_property
    def _fusion_compression_factor(self) -> float:
        limit = block_bytes(self.blocksize)
        if limit is None or self.split_row_groups not in ("infer", "adaptive"):
            return 1
        read, every = _share(self.approx_statistics(), _convert_to_list(self.operand("columns")) or self.columns)
        if read < 1 or every < 1:
            return 1
        if every > limit:  # such files are split before
            whole = every / limit
        else:
            whole = 1 if self.aggregate_files else every / limit
        return max(whole * (read / every if self.operand("columns") is not None else 1), 0.001)

    def _tune_up(self, parent: Any) -> Any:
        if self._fusion_compression_factor >= 1 or isinstance(parent, FusedIO):
            return None
        return parent.substitute(self, CudfFusedIO(self))


class CudfReadParquetPyarrowFS(ReadParquetPyarrowFS):
    """Arrow fetches the bytes, and cuDF takes over; conditions become filters."""

    _parameters = [*ReadParquetPyarrowFS._parameters[:7], "blocksize", *ReadParquetPyarrowFS._parameters[7:]]
    _defaults = {**ReadParquetPyarrowFS._defaults, "blocksize": "default"}

    @functools.cached_property
    def _dataset_info(self) -> dict:
        info = super()._dataset_info
        if not isinstance(info["base_meta"], cudf.DataFrame):
            info["base_meta"] = on_device(info["base_meta"], info["schema"])
        return info

    def __reduce__(self) -> tuple:
        # What is known of the files stays here: Arrow's descriptions of them cannot be sent to a scheduler, which asks anew.
        rebuild, (kind, *operands, token, cache) = super().__reduce__()
        operands[self._parameters.index("_dataset_info_cache")] = None
        return rebuild, (kind, *operands, token, cache)

    @property
    def _fusion_compression_factor(self) -> float:
        limit = block_bytes(self.blocksize)
        read, _ = _share(self.approx_statistics(), _convert_to_list(self.operand("columns")) or self.columns)
        if limit is None or read < 1:
            return 1
        return max(1 / max(1, math.floor(limit / read)), 0.001)

    @staticmethod
    def _table_to_pandas(table: Any, index_name: Any = None, **options: Any) -> Any:
        from cudf.io.parquet import plain

        columns = {name: plain(table[name]) for name in table.column_names}
        df = cudf.DataFrame.from_arrow(pa.table(columns))
        return df.set_index(index_name) if index_name is not None else df

    def _filtered_task(self, name: Any, index: int) -> Any:
        task = super()._filtered_task(name, index)
        # Dask's names its own class there.
        return type(task)(task.key, self._table_to_pandas, *task.args, **task.kwargs, _data_producer=True)

    def _tune_up(self, parent: Any) -> Any:
        if self._fusion_compression_factor >= 1 or isinstance(parent, FusedIO):
            return None
        return parent.substitute(self, CudfFusedParquetIO(self))


def read_parquet(
    path: Any, columns: Any = None, filters: Any = None, categories: Any = None, index: Any = None,
    storage_options: Any = None, dtype_backend: Any = None, calculate_divisions: bool = False,
    ignore_metadata_file: bool = False, metadata_task_size: Any = None, split_row_groups: Any = "infer",
    blocksize: Any = "default", aggregate_files: Any = None, parquet_file_extension: Any = (".parq", ".parquet", ".pq"),
    filesystem: Any = "fsspec", engine: Any = None, arrow_to_pandas: Any = None, open_file_options: Any = None,
    **kwargs: Any,
) -> Any:  # fmt: skip
    """Read Parquet files to a collection.

    Parameters
    ----------
    filters : list, optional
        Which row groups, and which rows of them, are read.
    split_row_groups : bool, int, "infer" or "adaptive"
        How many row groups a partition has; by default as many as `blocksize` allows.
    blocksize : int, float, str or None
        About how many bytes (uncompressed, in the files) a partition has: larger files are split, smaller ones put together. A
        float below 1 is a share of the device's memory, by default 1/32. None: a partition for each file.
    filesystem : "fsspec", "arrow", or a file system of either
        By whom the bytes are fetched.

    Raises
    ------
    ValueError
        For options that the real one has no longer, or of the other file system.
    """
    if open_file_options is not None:
        raise ValueError("The open_file_options argument is no longer supported by the 'cudf' backend.")
    if engine not in (None, "auto", CudfEngine):
        raise ValueError(f"Unsupported engine: {engine}. The cudf backend has its own.")
    path = path if isinstance(path, (str, list, tuple)) else str(path)
    kwargs["dtype_backend"] = dtype_backend
    by_arrow = isinstance(filesystem, pyarrow.fs.FileSystem) or (
        isinstance(filesystem, str) and filesystem.lower() in ("arrow", "pyarrow")
    )
    common = {
        "columns": _convert_to_list(columns), "filters": filters, "categories": categories, "index": index,
        "storage_options": storage_options, "calculate_divisions": calculate_divisions,
        "ignore_metadata_file": ignore_metadata_file, "filesystem": filesystem, "blocksize": blocksize, "kwargs": kwargs,
    }  # fmt: skip
    if by_arrow:
        refused = {
            "metadata_task_size": metadata_task_size is not None, "split_row_groups": split_row_groups != "infer",
            "aggregate_files": aggregate_files is not None,
            "parquet_file_extension": parquet_file_extension != (".parq", ".parquet", ".pq"),
        }  # fmt: skip
        for name, given in refused.items():
            if given:
                raise NotImplementedError(f"{name} is not supported when using the pyarrow filesystem.")
        expr: Any = CudfReadParquetPyarrowFS(path, pyarrow_strings_enabled=False, **common)
        return _collection(expr, columns)
    import fsspec

    if filesystem not in ("fsspec", None) and not isinstance(filesystem, fsspec.AbstractFileSystem):
        raise ValueError(f"filesystem={filesystem} is not supported by the 'cudf' backend.")
    common["filesystem"] = filesystem or "fsspec"
    expr = CudfReadParquetFSSpec(
        path,
        metadata_task_size=metadata_task_size,
        split_row_groups=split_row_groups,
        aggregate_files=aggregate_files,
        parquet_file_extension=parquet_file_extension,
        engine=CudfEngine,
        **common,
    )
    return _collection(expr, columns)


def _collection(expr: Any, columns: Any) -> Any:
    out = new_collection(NoOp(expr))
    return out[columns] if isinstance(columns, str) else out


# How one partition of Parquet is read by cuDF, and written: what Dask asks of an engine.

SHARE = 1 / 32  # of a device's memory: what a partition's columns take in the files by default


@functools.cache
def _device_bytes() -> int:
    """Bytes of the smallest worker's device, asked once; of this process' where there is no cluster."""
    from dask_cuda.utils import get_device_total_memory

    def ask() -> int:
        import os

        return get_device_total_memory(os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0] or 0) or 8 << 30

    try:
        from distributed import get_client

        sizes = get_client().run(ask).values()
        return min(sizes, default=0) or ask()
    except (ImportError, ValueError):
        return ask()


def block_bytes(blocksize: Any) -> int | None:
    """The bytes that a `blocksize` stands for; a float below 1 is a share of the device, None is none."""
    if blocksize is None:
        return None
    if blocksize == "default":
        blocksize = SHARE
    if isinstance(blocksize, float) and blocksize < 1:
        return max(1, int(_device_bytes() * blocksize))
    return parse_bytes(blocksize)


def on_device(meta: pd.DataFrame, schema: pa.Schema, folders: Any = ()) -> cudf.DataFrame:
    """An empty frame of pandas' as one of cuDF's: with the types that cuDF reads from such files, and categories of folders."""
    from cudf.io.parquet import plain_type

    stored = {field.name: field.type for field in schema if field.name not in folders}
    index = cudf.DataFrame(
        {
            str(at): cudf.Series._from_arrow(pa.array([], plain_type(stored[name])))
            if name in stored
            else cudf.from_pandas(meta.index.get_level_values(at).to_series())
            for at, name in enumerate(meta.index.names)
        }
    )
    out = cudf.DataFrame(index=cudf.RangeIndex(0))
    for name in meta.columns:
        if name in stored:
            out[name] = cudf.Series._from_arrow(pa.array([], plain_type(stored[name])), index=out.index)
        else:
            out[name] = cudf.from_pandas(meta[name].reset_index(drop=True))
    if list(meta.index.names) != [None]:
        out = out.assign(**index).set_index(list(index.columns) if len(index.columns) > 1 else "0")
        out.index.names = meta.index.names
    return out


class CudfEngine(ArrowDatasetEngine):
    """How partitions are read and written where Dask plans with fsspec."""

    @classmethod
    def multi_support(cls) -> bool:
        """Several pieces can make a partition."""
        return True

    @classmethod
    def default_blocksize(cls) -> int:
        """Bytes of a partition by default: a share of the device's memory."""
        size = block_bytes("default")
        assert size is not None
        return size

    @classmethod
    def _create_dd_meta(cls, dataset_info: dict) -> cudf.DataFrame:
        return on_device(super()._create_dd_meta(dataset_info), dataset_info["schema"], dataset_info["partition_names"])

    @classmethod
    def read_partition(
        cls, fs: Any, pieces: Any, columns: Any, index: Any, dtype_backend: Any = None, categories: Any = (),
        partitions: Any = (), filters: Any = None, schema: Any = None, **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Read the files or row groups of one partition, by cuDF."""
        from cudf.io._parquet_filters import normalize_filters, post_filter

        filters = normalize_filters(list(filters) if filters else None)
        wanted = list(columns) + [name for name in index or () if name not in columns]
        keys = {one.name: one.keys for one in partitions or ()}
        needed = wanted + [name for part in filters or () for name, _, _ in part if name not in wanted]
        stored = [name for name in dict.fromkeys(needed) if name not in keys]
        frames = []
        for path, groups, values in [pieces] if not isinstance(pieces, list) else pieces:
            groups = list(groups) if isinstance(groups, (list, tuple)) else [groups]
            frames.append(
                _read(fs, path, None if groups == [None] else groups, stored, _folders(path, values, keys), keys)
            )
        df = cudf.concat(frames) if len(frames) > 1 else frames[0]
        df = post_filter(df, filters)
        names = [name for name in wanted if name in df.columns]
        df = df[names] if names != list(df.columns) else df
        return df.set_index(index[0] if len(index) == 1 else list(index)) if index and index != [None] else df

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


def _folders(path: str, values: Any, keys: dict) -> dict:
    """What a file's folders say: from the plan, or from its path (``carrier=UA/``)."""
    found = dict(values or ())
    for part in [] if values else str(path).split("/")[:-1]:
        name, equals, text = part.partition("=")
        if equals and name in keys:
            text = unquote(text)
            found[name] = next((key for key in keys[name] if str(key) == text), None)
    return found


def _read(fs: Any, path: Any, groups: Any, columns: list, values: dict, keys: dict) -> Any:
    """Read row groups (None: all) of one file, with the columns that its folders stand for."""
    options = {} if _is_local(fs) else {"filesystem": fs}
    df = cudf.read_parquet(
        [path], columns=columns, row_groups=None if groups is None else [groups],
        dataset_kwargs={"format": "parquet", "partitioning": None}, **options,
    )  # fmt: skip
    if any(name is not None for name in df.index.names):
        df = df.reset_index()
    for name, value in values.items():
        known = list(keys.get(name, ()))
        if known:
            codes = pa.array([None if value is None else known.index(value)] * len(df), pa.int32())
            df[name] = cudf.Series._from_arrow(pa.DictionaryArray.from_arrays(codes, pa.array(known)), index=df.index)
        else:
            df[name] = value
    return df


def _is_local(fs: Any) -> bool:
    return fs.protocol in ("file", "local", ("file", "local"))
