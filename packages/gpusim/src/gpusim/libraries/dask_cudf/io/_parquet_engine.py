"""How one partition of Parquet is read by cuDF, and written: what Dask asks of an engine."""

from __future__ import annotations

import functools
from typing import Any
from urllib.parse import unquote

import cudf
import pandas as pd
import pyarrow as pa
from dask.dataframe.io.parquet.arrow import ArrowDatasetEngine
from dask.utils import parse_bytes

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
