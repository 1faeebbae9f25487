"""Parquet: ``cudf.read_parquet``, ``DataFrame.to_parquet``, and what goes with them.

The files are Arrow's; names, indexes, filters, partitions, refusals and dtypes are cuDF's.  Categories come back as strings and
times without their zone, for that is how libcudf reads them.
"""

from __future__ import annotations

import itertools
import json
import warnings
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from . import _sources as sources
from ._parquet_dataset import ParquetDatasetWriter, ParquetWriter, write_to_dataset
from ._parquet_filters import normalize_filters, post_filter, process_dataset
from ._parquet_write import CODECS, KNOWN, merge_parquet_filemetadata, to_parquet

__all__ = [
    "ParquetDatasetWriter",
    "ParquetWriter",
    "merge_parquet_filemetadata",
    "read_parquet",
    "read_parquet_metadata",
    "to_parquet",
    "write_to_dataset",
]


def _failure(words: str) -> RuntimeError:
    return RuntimeError(f"CUDF failure at: /cpp/src/io/parquet/io_utils/parquet_io_utils.cpp: {words}")


def open_file(source: Any) -> pq.ParquetFile:
    """Open a file, or say in libcudf's words what is wrong with it."""
    try:
        return pq.ParquetFile(source)
    except pa.ArrowInvalid:
        if sources.size(source) <= 12:
            raise _failure("Incorrect data source") from None
        data = sources.read_bytes(source)
        raise _failure("Corrupted header" if data[:4] != b"PAR1" else "Corrupted footer") from None
    except OSError as error:
        if isinstance(error, (FileNotFoundError, PermissionError, IsADirectoryError)):
            raise
        raise _failure("Corrupted footer") from None


def plain(array: pa.Array) -> pa.Array:
    """Return a column as libcudf reads it: categories decoded, zones dropped, days as seconds, bytes as text."""
    from cudf.core.column import in_one

    array = in_one(array)
    if isinstance(array.type, pa.ExtensionType):
        array = array.storage
    types, kind = pa.types, array.type
    if types.is_dictionary(kind):
        array = array.dictionary_decode()
        kind = array.type
    target = plain_type(kind)
    if types.is_date(kind):
        array = array.cast(pa.timestamp("ms"))
    if types.is_time(kind):
        return array.cast(pa.int32() if types.is_time32(kind) else pa.int64()).cast(pa.int64()).cast(target)
    return array if target == kind else array.cast(target)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type that a type of Arrow's is read as."""
    types = pa.types
    if types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if types.is_timestamp(kind) and kind.tz:
        return pa.timestamp(kind.unit)
    if types.is_date(kind):
        return pa.timestamp("s")
    if types.is_time(kind):
        return pa.duration(kind.unit)
    if (
        types.is_large_string(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_string_view(kind)
    ):
        return pa.string()
    if types.is_float16(kind):
        return pa.float32()
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return pa.list_(plain_type(kind.value_type))
    if types.is_map(kind):
        return pa.list_(pa.struct([("key", plain_type(kind.key_type)), ("value", plain_type(kind.item_type))]))
    if types.is_struct(kind):
        return pa.struct([(field.name, plain_type(field.type)) for field in kind])
    return kind


def _pandas(schema: pa.Schema) -> dict | None:
    text = (schema.metadata or {}).get(b"pandas")
    return json.loads(text) if text else None


def _parse_metadata(meta: dict) -> tuple[bool, list | None]:
    index = meta.get("index_columns") or None
    return bool(index and isinstance(index[0], dict) and index[0].get("kind") == "range"), index


def read_parquet_metadata(filepath_or_buffer: Any) -> tuple[int, int, list[str], int, list[dict[str, int]]]:
    """Return rows, row groups, column names, their number, and each row group's rows and bytes."""
    rows, groups, names, details = 0, 0, [], []
    for source in sources.resolve(filepath_or_buffer):
        file = open_file(source)
        meta = _pandas(file.schema_arrow)
        ranged, index = (False, None) if meta is None else _parse_metadata(meta)
        hidden = set() if ranged or index is None else set(index)
        names = [name for name in file.schema_arrow.names if name not in hidden]
        rows, groups = rows + file.metadata.num_rows, groups + file.metadata.num_row_groups
        for at in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(at)
            details.append({"num_rows": group.num_rows, "total_byte_size": group.total_byte_size})
    return rows, groups, names, len(names), details


def read_parquet(
    filepath_or_buffer: Any,
    engine: str = "cudf",
    columns: Any = None,
    storage_options: dict | None = None,
    filesystem: Any = None,
    filters: Any = None,
    row_groups: Any = None,
    use_pandas_metadata: bool = True,
    categorical_partitions: bool = True,
    bytes_per_thread: int | None = None,
    dataset_kwargs: dict | None = None,
    nrows: int | None = None,
    skip_rows: int | None = None,
    allow_mismatched_pq_schemas: bool = False,
    ignore_missing_columns: bool = True,
    case_sensitive_names: bool = True,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Read Parquet files (paths, globs, folders, URLs, buffers) to a DataFrame.

    Parameters
    ----------
    filters : list of tuples, or of lists of them
        ``(column, op, value)``: row groups are left out by their statistics, then rows.

    Raises
    ------
    FileNotFoundError
        If there is no file.
    RuntimeError
        For a file that is none, in libcudf's words.
    """
    import cudf

    if engine not in {"cudf", "pyarrow"}:
        raise ValueError(f"Only supported engines are {{'cudf', 'pyarrow'}}, got engine={engine!r}")
    paths = list(filepath_or_buffer) if sources.is_list_like(filepath_or_buffer) else [filepath_or_buffer]
    if row_groups is not None:
        if not sources.is_list_like(row_groups):
            row_groups = [[row_groups]]
        elif not sources.is_list_like(row_groups[0]):
            row_groups = [list(row_groups)]
    if columns is not None and not sources.is_list_like(columns):
        raise ValueError("Expected list like for columns")
    filters = normalize_filters(filters)
    fs, keys, categories = None, [], {}
    if paths and isinstance(sources.as_path(paths[0]), str):
        fs, paths = sources.filesystem_and_paths(paths, storage_options, filesystem)
        if fs is None or not paths or not fs.exists(paths[0]):
            wanted = filepath_or_buffer if sources.is_list_like(filepath_or_buffer) else [filepath_or_buffer]
            raise FileNotFoundError(f"{[sources.as_path(one) for one in wanted]} could not be resolved to any files")
        folder = len(paths) == 1 and fs.isdir(paths[0])
        if folder or filters is not None or dataset_kwargs or any("=" in path for path in paths):
            paths, row_groups, keys, categories = process_dataset(
                paths, fs, filters, row_groups, categorical_partitions, dataset_kwargs
            )
    found = sources.resolve(paths, storage_options, fs=fs)
    if engine != "cudf":
        warnings.warn(
            "Using CPU via PyArrow to read Parquet dataset. This option is both inefficient and unstable!", stacklevel=2
        )
    else:
        extra = set(kwargs) - {"_chunk_read_limit", "_pass_read_limit", "filters", "prefetch_options"}
        if extra:
            raise ValueError(f"cudf engine doesn't support the following keyword arguments: {list(kwargs)}")
        if args:
            raise ValueError(f"cudf engine doesn't support the following positional arguments: {list(args)}")
    projected = None
    if columns and filters:
        projected = list(columns)
        columns = sorted({predicate[0] for predicate in itertools.chain.from_iterable(filters)} | set(columns))
    if keys and (nrows is not None or skip_rows is not None):
        raise NotImplementedError("nrows/skip_rows is not supported when reading a partitioned parquet dataset")
    options = {"use_pandas_metadata": use_pandas_metadata, "ignore_missing": ignore_missing_columns,
               "case": case_sensitive_names}  # fmt: skip
    if not keys:
        df = _read(found, columns, row_groups, nrows, skip_rows, **options)
    else:
        plan: dict[tuple, tuple[list, list | None]] = {}
        for at, (key, path) in enumerate(zip(keys, found, strict=True)):
            part = plan.setdefault(tuple(key), ([], None if not row_groups else []))
            part[0].append(path)
            if row_groups:
                part[1].append(row_groups[at])
        frames = []
        for key, (files, groups) in plan.items():
            frame = _read(files, columns, groups, None, None, **options)
            for name, value in key:
                frame[name] = _constant(value, len(frame), categories.get(name), frame.index)
            frames.append(frame)
        df = frames[0] if len(frames) == 1 else cudf.concat(frames, ignore_index=frames[-1].index.name is None)
    by_key = {name if case_sensitive_names else name.lower(): name for name in df.columns if isinstance(name, str)}
    if filters and not case_sensitive_names:
        filters = [[(by_key[column.lower()], op, value) for column, op, value in part] for part in filters]
    df = post_filter(df, filters)
    if projected:
        return df[[by_key[name if case_sensitive_names else name.lower()] for name in projected]]
    return df


def _constant(value: Any, length: int, categories: list | None, index: Any) -> Any:
    import cudf

    if categories is None:
        array = pa.array([value] * length) if value is not None else pa.nulls(length, pa.string())
    else:
        known = [one for one in categories if one is not None]
        codes = pa.array([None if value is None else known.index(value)] * length, pa.int32())
        array = pa.DictionaryArray.from_arrays(codes, pa.array(known))
    return cudf.Series._from_arrow(array, index=index)


def _read(
    found: list, columns: Any, row_groups: Any, nrows: int | None, skip_rows: int | None,
    use_pandas_metadata: bool, ignore_missing: bool, case: bool,
) -> Any:  # fmt: skip
    """Read some files to one frame."""
    import cudf
    from cudf.core import device

    if row_groups is not None and len(row_groups) != len(found):
        raise ValueError("Must specify row groups for each source")
    files = [open_file(source) for source in found]
    metas = [_pandas(file.schema_arrow) for file in files]
    schema = files[0].schema_arrow
    wanted = None if columns is None else [str(column) for column in columns]
    if wanted is not None and not case:
        names = {name.lower(): name for name in schema.names}
        wanted = [names.get(name.lower(), name) for name in wanted]
    if wanted is not None and not ignore_missing:
        missing = [name for name in wanted if name.split(".")[0] not in schema.names]
        if missing:
            raise ValueError(f"Encountered non-existent column '{missing[0]}' in the selected path")
    meta = next((one for one in metas if one is not None), None)
    ranged, index = (False, None) if meta is None else _parse_metadata(meta)
    read = wanted
    if wanted is not None and use_pandas_metadata and index and not ranged:
        read = wanted + [name for name in index if name not in wanted]
    device.require_memory(
        sum(_decoded(file.metadata, read, row_groups and row_groups[at]) for at, file in enumerate(files))
    )
    tables, nbytes, spans = [], 0, []
    for at, file in enumerate(files):
        groups = range(file.metadata.num_row_groups) if row_groups is None else row_groups[at]
        if any(not 0 <= group < file.metadata.num_row_groups for group in groups):
            raise ValueError("Invalid rowgroup index")
        starts = np.cumsum([0, *(file.metadata.row_group(g).num_rows for g in range(file.metadata.num_row_groups))])
        spans += [(int(starts[group]), int(starts[group + 1])) for group in groups]
        nbytes += sum(_bytes(file.metadata.row_group(group), read) for group in groups)
        try:
            table = file.read_row_groups(list(groups), columns=read)
        except (OSError, pa.ArrowException) as error:
            raise RuntimeError(f"CUDF failure at: /cpp/src/io/parquet/reader_impl.cpp: {error}") from None
        tables.append(table.replace_schema_metadata(None))
    first = dict(zip(tables[0].schema.names, tables[0].schema.types, strict=True))
    for table in tables[1:]:
        for name in table.schema.names:
            if name in first and plain_type(first[name]) != plain_type(table.schema.field(name).type):
                raise ValueError(
                    f"Encountered mismatching data type or schema across the Parquet sources for column '{name}'"
                )
    table = pa.concat_tables(tables, promote_options="permissive") if len(tables) > 1 else tables[0]
    start = skip_rows or 0
    if start or nrows is not None:
        table = table.slice(start, nrows)
    names = table.schema.names
    if wanted is not None:
        order = [name for name in dict.fromkeys(name.split(".")[0] for name in read) if name in names]
        table = table.select(order)
    values = {name: plain(table.column(name)) for name in table.schema.names}
    columns = list(values.values())
    rows = table.num_rows if table.num_columns else sum(stop - begin for begin, stop in spans)
    spans = spans if row_groups is not None else None
    made = _with_index(cudf, values, rows, meta, len(files), spans, start, nrows)
    sources.counted_read("read_parquet", nbytes, columns, made)
    return made


def _decoded(metadata: pq.FileMetaData, columns: list | None, groups: Any) -> int:
    """How many bytes the pages of some columns have, decompressed."""
    chosen = range(metadata.num_row_groups) if groups is None else groups
    found = 0
    for group in (metadata.row_group(g) for g in chosen if 0 <= g < metadata.num_row_groups):
        for chunk in (group.column(i) for i in range(group.num_columns)):
            if columns is None or chunk.path_in_schema.split(".")[0] in columns:
                found += chunk.total_uncompressed_size
    return found


def _bytes(group: Any, wanted: list | None) -> int:
    return sum(
        group.column(at).total_compressed_size
        for at in range(group.num_columns)
        if wanted is None or group.column(at).path_in_schema.split(".")[0] in wanted
    )


def _with_index(
    cudf: Any, values: dict, rows: int, meta: dict | None, files: int, spans: list | None, start: int, nrows: int | None
) -> Any:
    ranged, index = (False, None) if meta is None else _parse_metadata(meta)
    if not index:
        return cudf.DataFrame._from_columns(values, index=None if values else cudf.RangeIndex(rows))
    if ranged:
        spec = index[0]
        if files > 1:
            new = cudf.RangeIndex(rows)
        elif spans is not None:
            step = spec["step"]
            new = cudf.RangeIndex(spans[0][0], spans[0][1], step) if len(spans) == 1 else None
            if new is None:
                places = np.concatenate([np.arange(*span, step) for span in spans] or [np.arange(0)])
                new = cudf.Index._from_arrow(pa.array(places))
        else:
            first, stop = spec["start"] + start, int(spec["stop"])
            if nrows is not None and nrows > -1:
                stop = min(stop, first + nrows)
            new = cudf.RangeIndex(first, stop, spec["step"], name=spec["name"])
        return cudf.DataFrame._from_columns(values, index=new)
    if not set(index) <= set(values):
        return cudf.DataFrame._from_columns(values)
    names = {one["field_name"]: one["name"] for one in meta["columns"]}
    levels = [values.pop(name) for name in index]
    labels = [names.get(name, name) for name in index]
    if len(levels) == 1:
        new = cudf.Index._from_arrow(levels[0], name=labels[0])
    else:
        frame = cudf.DataFrame._from_columns(dict(enumerate(levels)))
        new = cudf.MultiIndex.from_frame(frame, names=labels)
    return cudf.DataFrame._from_columns(values, index=new)


def is_supported_read_parquet(compression: str) -> bool:
    """Whether files of a codec can be read."""
    if str(compression).upper() not in KNOWN:
        raise ValueError("Unsupported `compression` type")
    return str(compression).upper() in (*CODECS, "GZIP", "BROTLI")


def is_supported_write_parquet(compression: str) -> bool:
    """Whether files of a codec can be written."""
    return is_supported_read_parquet(compression) and str(compression).upper() in CODECS
