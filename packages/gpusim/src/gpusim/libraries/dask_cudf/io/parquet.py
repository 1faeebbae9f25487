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

import cudf
import numpy as np
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
from dask.dataframe.dask_expr import new_collection
from dask.dataframe.dask_expr._expr import Elemwise
from dask.dataframe.dask_expr._util import _convert_to_list
from dask.dataframe.dask_expr.io.io import FusedIO, FusedParquetIO
from dask.dataframe.dask_expr.io.parquet import ReadParquetFSSpec, ReadParquetPyarrowFS
from dask.tokenize import tokenize

from ._parquet_engine import CudfEngine, block_bytes, on_device

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
