"""Writing Parquet: files, datasets in folders, in pieces, and the footers of several as one."""

from __future__ import annotations

import io
import itertools
import json
import warnings
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from . import _sources as sources

CODECS = {"SNAPPY": "snappy", "ZSTD": "zstd", "LZ4": "lz4", "NONE": "none", "AUTO": "snappy"}
# Names of libcudf's enumeration: what is none of them is a ValueError, what its writer lacks a RuntimeError.
KNOWN = (*CODECS, "GZIP", "BROTLI", "ZLIB", "BZIP2", "ZIP", "XZ", "LZO")
UNITS = {"kb": 1000, "mb": 10**6, "gb": 10**9, "kib": 1024, "mib": 2**20, "gib": 2**30, "b": 1, "": 1, "k": 1000, "m": 10**6,
         "g": 10**9, "tb": 10**12, "tib": 2**40, "ki": 1024, "mi": 2**20, "gi": 2**30}  # fmt: skip
ENCODINGS = ("PLAIN", "DICTIONARY", "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY",
             "BYTE_STREAM_SPLIT", "USE_DEFAULT")  # fmt: skip


def codec(compression: str | None) -> str:
    """Return Arrow's name of a codec."""
    name = "NONE" if compression is None else str(compression).upper()
    if name not in KNOWN:
        raise ValueError("Unsupported `compression` type")
    if name not in CODECS:
        raise RuntimeError("CUDF failure at: /cpp/src/io/parquet/writer_impl.cu:72: Unsupported compression type")
    return CODECS[name]


def _kind(array: pa.Array) -> tuple[str, str]:
    """Return pandas' two names for a column's type."""
    from pyarrow.pandas_compat import get_logical_type

    types, kind = pa.types, array.type
    logical = get_logical_type(kind)
    if types.is_string(kind):
        return logical, "object"
    if types.is_timestamp(kind):
        return logical, f"datetime64[{kind.unit}]"
    if types.is_duration(kind):
        return logical, f"timedelta64[{kind.unit}]"
    if types.is_nested(kind) or types.is_decimal(kind) or types.is_null(kind):
        return logical, "object"
    name = str(np.dtype(kind.to_pandas_dtype()))
    if array.null_count:
        name = {"bool": "boolean"}.get(name, name.replace("uint", "UInt").replace("int", "Int") if "u" not in name else
                                       name.replace("uint", "UInt")).replace("float", "Float")  # fmt: skip
    return logical, name


def tables(df: Any, index: bool | None) -> pa.Table:
    """Return a frame as the table that is written, its index (if it is) behind its columns, with pandas' metadata."""
    import cudf

    columns = sources.columns_of(df)
    for name in columns:
        if not isinstance(name, str):
            raise ValueError("Writing a Parquet file requires string column names")
    described, descriptors = list(columns.items()), []
    ranged = isinstance(df.index, cudf.RangeIndex)
    front: dict[str, pa.Array] = {}
    labels: dict[str, Any] = {}
    if index is True or (index is None and not ranged):
        for level, (label, array) in enumerate(zip(df.index.names, sources.index_columns(df.index), strict=True)):
            name = label if label is not None and label not in columns else f"__index_level_{level}__"
            if not isinstance(name, str):
                raise ValueError(f"Index name must be a string, got {type(name)}")
            front[name], labels[name] = array, label
            descriptors.append(name)
    elif index is None:
        span = df.index
        descriptors = [
            {
                "kind": "range",
                "name": span.name,
                "start": int(span.start),
                "stop": int(span.stop),
                "step": int(span.step),
            }
        ]
    metadata = {
        "index_columns": descriptors,
        "column_indexes": [
            {"name": None, "field_name": None, "pandas_type": "unicode", "numpy_type": "object",
             "metadata": {"encoding": "UTF-8"}}
        ],
        "columns": [
            {"name": labels.get(name, name) if name in front else name, "field_name": name, "pandas_type": _kind(array)[0],
             "numpy_type": _kind(array)[1],
             "metadata": {"precision": array.type.precision, "scale": array.type.scale}
             if pa.types.is_decimal(array.type) else None}
            for name, array in [*described, *front.items()]
        ],
        "creator": {"library": "pyarrow", "version": pa.__version__},
        "pandas_version": __import__("pandas").__version__,
    }  # fmt: skip
    table = pa.table({**front, **columns}) if front or columns else pa.table({})
    return table.replace_schema_metadata({"pandas": json.dumps(metadata)})


def _plain(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write times without a zone (the writer knows none) and no categories."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return array.cast(kind.value_type)
    if pa.types.is_timestamp(kind) and kind.tz:
        return array.cast(pa.timestamp(kind.unit, "UTC")).cast(pa.timestamp(kind.unit))
    return array


def _options(table: pa.Table, given: dict[str, Any]) -> dict[str, Any]:
    options: dict[str, Any] = {"compression": codec(given.get("compression", "snappy"))}
    statistics = str(given.get("statistics") or "ROWGROUP").upper()
    if statistics not in ("ROWGROUP", "PAGE", "COLUMN", "NONE"):
        raise ValueError("Unsupported `statistics_freq` type")
    options["write_statistics"] = statistics != "NONE"
    if given.get("header_version", "1.0") not in ("1.0", "2.0"):
        raise ValueError(f"Invalid parquet header version: {given['header_version']}. Valid values are '1.0' and '2.0'")
    options["data_page_version"] = given.get("header_version", "1.0")
    options["use_dictionary"] = bool(given.get("use_dictionary", True))
    options["use_deprecated_int96_timestamps"] = bool(given.get("int96_timestamps", False))
    options["row_group_size"] = min(given.get("row_group_size_rows") or 1_000_000, 2**31 - 1)
    limit = given.get("row_group_size_bytes")
    if limit is not None and limit < 2**62 and table.num_rows:
        options["row_group_size"] = max(
            min(options["row_group_size"], int(limit * table.num_rows / max(table.nbytes, 1))), 1
        )
    if given.get("max_page_size_bytes") is not None:
        options["data_page_size"] = int(given["max_page_size_bytes"])
    if given.get("skip_compression") and not any(pa.types.is_nested(kind) for kind in table.schema.types):
        skipped = set(given["skip_compression"])
        options["compression"] = {
            name: "none" if name in skipped else options["compression"] for name in table.schema.names
        }
    for encoding in (given.get("column_encoding") or {}).values():
        if encoding is not None and str(encoding).upper() not in ENCODINGS:
            raise ValueError("Unsupported `column_encoding` type")
    # Durations are a type of Arrow's schema alone.
    durations = any(pa.types.is_duration(kind) for kind in table.schema.types)
    if not given.get("store_schema") and not given.get("write_arrow_schema") and not durations:
        options["store_schema"] = False
    return options


def _footer(data: bytes, path: str | None) -> np.ndarray:
    """Return a file's footer as a file of its own, which says where the data is."""
    meta = pq.read_metadata(io.BytesIO(data))
    if path is not None:
        meta.set_file_path(str(path))
    out = io.BytesIO()
    meta.write_metadata_file(out)
    return np.frombuffer(out.getvalue(), np.uint8)


def write_file(
    frame: Any, table: pa.Table, path: Any, given: dict[str, Any], storage_options: dict | None = None
) -> bytes:
    """Write a frame's table; return the file's bytes."""
    plain = pa.table(
        {name: _plain(column) for name, column in zip(table.schema.names, table.columns, strict=True)}
    ).replace_schema_metadata(table.schema.metadata)
    options = _options(plain, given)
    out = io.BytesIO()
    rows = options.pop("row_group_size")
    with pq.ParquetWriter(out, plain.schema, **options) as writer:
        writer.write_table(plain, row_group_size=rows)
        writer.add_key_value_metadata(plain.schema.metadata or {})
    data = out.getvalue()
    sources.counted_write("to_parquet", plain.columns, len(data), frame)
    with sources.sink(path, storage_options) as file:
        file.write(data)
    return data


def to_parquet(
    df: Any,
    path: Any,
    engine: str = "cudf",
    compression: str | None = "snappy",
    index: bool | None = None,
    partition_cols: Any = None,
    partition_file_name: str | None = None,
    partition_offsets: Any = None,
    statistics: str = "ROWGROUP",
    metadata_file_path: Any = None,
    int96_timestamps: bool = False,
    row_group_size_bytes: int | None = None,
    row_group_size_rows: int | None = None,
    max_page_size_bytes: int | None = None,
    max_page_size_rows: int | None = None,
    max_dictionary_size: int | None = None,
    storage_options: dict | None = None,
    return_metadata: bool = False,
    force_nullable_schema: bool = False,
    header_version: str = "1.0",
    use_dictionary: bool = True,
    skip_compression: Any = None,
    column_encoding: Any = None,
    column_type_length: Any = None,
    output_as_binary: Any = None,
    store_schema: bool = False,
    page_level_compression: bool = False,
    *args: Any,
    **kwargs: Any,
) -> np.ndarray | None:
    """Write a frame as Parquet.

    Raises
    ------
    ValueError
        For columns of categories, which libcudf's writer has not, and for names that are no strings.
    RuntimeError
        For the codecs that libcudf reads and does not write.
    """
    if engine != "cudf":
        if partition_offsets is not None:
            warnings.warn("partition_offsets will be ignored when engine is not cudf", stacklevel=2)
        return df.to_pandas().to_parquet(path, engine, compression, index, partition_cols, **kwargs)
    if kwargs:
        raise ValueError(f"cudf engine doesn't support the following keyword arguments: {list(kwargs)}")
    if args:
        raise ValueError(f"cudf engine doesn't support the following positional arguments: {list(args)}")
    for name, array in sources.columns_of(df).items():
        if (partition_cols is None or name not in partition_cols) and pa.types.is_dictionary(array.type):
            raise ValueError(
                "'category' column dtypes are currently not supported by the gpu accelerated parquet writer"
            )
    given = {
        "compression": compression, "statistics": statistics, "int96_timestamps": int96_timestamps,
        "row_group_size_bytes": row_group_size_bytes, "row_group_size_rows": row_group_size_rows,
        "max_page_size_bytes": max_page_size_bytes, "header_version": header_version, "use_dictionary": use_dictionary,
        "skip_compression": skip_compression, "column_encoding": column_encoding, "store_schema": store_schema,
    }  # fmt: skip
    if partition_cols:
        if metadata_file_path is not None:
            warnings.warn(
                "metadata_file_path will be ignored/overwritten when partition_cols are provided. To request returning the "
                "metadata binary blob, pass `return_metadata=True`",
                stacklevel=2,
            )
        from ._parquet_dataset import write_to_dataset

        return write_to_dataset(
            df, path, filename=partition_file_name, partition_cols=partition_cols, preserve_index=index,
            storage_options=storage_options, return_metadata=return_metadata, **given,
        )  # fmt: skip
    paths = list(path) if sources.is_list_like(path) else [path]
    if len(paths) > 1 and partition_offsets is None:
        raise ValueError("partition info is required for multiple paths")
    table = tables(df, index)
    cuts = [0, table.num_rows] if partition_offsets is None else [int(one) for one in partition_offsets]
    if len(cuts) - 1 != len(paths):
        raise ValueError("partitions_info and paths must be of same size")
    names = list(metadata_file_path) if sources.is_list_like(metadata_file_path) else [metadata_file_path] * len(paths)
    footers = []
    for place, (start, stop), name in zip(paths, itertools.pairwise(cuts), names, strict=True):
        data = write_file(df, table.slice(start, stop - start), place, given, storage_options)
        if metadata_file_path is not None:
            footers.append(_footer(data, name))
    return merge_parquet_filemetadata(footers) if footers else None


def merge_parquet_filemetadata(filemetadata_list: list) -> np.ndarray:
    """Return several footers as one (uint8)."""
    metas = [pq.read_metadata(io.BytesIO(np.asarray(blob, np.uint8).tobytes())) for blob in filemetadata_list]
    for other in metas[1:]:
        metas[0].append_row_groups(other)
    out = io.BytesIO()
    metas[0].write_metadata_file(out)
    return np.frombuffer(out.getvalue(), np.uint8)
