"""ORC: ``cudf.read_orc``, ``DataFrame.to_orc``, and a file's stripes.

The files are Arrow's.  An index is written as columns ``__index_level_0__`` and so on and becomes the index again; its name is
lost on the way, for Arrow's writer has no place for it.
"""

from __future__ import annotations

import io
import re
import warnings
from typing import Any

import pyarrow as pa

from . import _sources as sources
from .parquet import plain

COMPRESSIONS = {"SNAPPY": "snappy", "ZLIB": "zlib", "ZSTD": "zstd", "LZ4": "lz4", "NONE": "uncompressed"}


def _open(source: Any) -> Any:
    from pyarrow import orc

    try:
        return orc.ORCFile(source)
    except (OSError, pa.ArrowInvalid) as error:
        if isinstance(error, (FileNotFoundError, PermissionError)):
            raise
        raise RuntimeError("CUDF failure at: /cpp/src/io/orc/orc.cpp: Invalid/unsupported footer size") from None


def read_orc_metadata(path: Any) -> tuple[int, int, list[str]]:
    """Return rows, stripes and column names."""
    file = _open(sources.as_path(path))
    return file.nrows, file.nstripes, file.schema.names


def codec(compression: Any) -> str:
    """Return Arrow's name of a codec."""
    if compression in (None, False):
        return "uncompressed"
    name = compression.upper()
    if name not in COMPRESSIONS:
        raise ValueError(f"Unsupported `compression` type {compression}")
    return COMPRESSIONS[name]


def _may_hold(table: pa.Table, filters: Any) -> bool:
    """Whether a stripe's smallest and greatest values leave room for what filters ask."""
    import pyarrow.compute as pc

    filters = [filters] if isinstance(filters[0][0], str) else filters

    def fits(name: str, op: str, value: Any) -> bool:
        if op not in {"=", "==", "!=", "<", "<=", ">", ">=", "in", "not in"}:
            raise ValueError(f"'{op}' is not a valid operator in predicates.")
        span = pc.min_max(table.column(name)).as_py()
        low, high = span["min"], span["max"]
        if low is None:
            return True
        if op in ("=", "=="):
            return low <= value <= high
        if op == "in":
            return any(low <= one <= high for one in value)
        if op == "!=":
            return not low == high == value
        if op == "not in":
            return not (low == high and low in value)
        return {"<": low < value, "<=": low <= value, ">": high > value, ">=": high >= value}[op]

    return any(all(fits(*predicate) for predicate in conjunction) for conjunction in filters)


def read_orc(
    filepath_or_buffer: Any,
    engine: str = "cudf",
    columns: Any = None,
    filters: Any = None,
    stripes: Any = None,
    skiprows: int | None = None,
    num_rows: int | None = None,
    use_index: bool = True,
    timestamp_type: Any = None,
    storage_options: dict | None = None,
    bytes_per_thread: int | None = None,
) -> Any:
    """Read ORC files to a DataFrame; filters leave out whole stripes, never rows."""
    import cudf
    from cudf.core.column import arrow_type

    if skiprows is not None:
        warnings.warn("skiprows is deprecated and will be removed.", FutureWarning, stacklevel=2)
    if num_rows is not None:
        warnings.warn("num_rows is deprecated and will be removed.", FutureWarning, stacklevel=2)
    several = list(filepath_or_buffer) if sources.is_list_like(filepath_or_buffer) else [filepath_or_buffer]
    if stripes is not None:
        stripes = [stripes] if any(not isinstance(one, list) for one in stripes) else stripes
        if len(stripes) != len(several):
            raise ValueError("A list of stripes must be provided for each input source")
    found = sources.resolve(several, storage_options, pattern="*.orc")
    if engine != "cudf":
        warnings.warn("Using CPU via PyArrow to read ORC dataset.", stacklevel=2)
        if len(found) > 1:
            raise NotImplementedError("Using CPU via PyArrow only supports a single a single input source")
    for value, name in ((skiprows, "skiprows must be an int >= 0"), (num_rows, "num_rows must be an int >= -1")):
        if value is not None and (not isinstance(value, int) or value < (0 if "skip" in name else -1)):
            raise TypeError(name)
    wanted = None if columns is None else [str(name) for name in columns]
    tables, nbytes = [], 0
    for at, source in enumerate(found):
        file = _open(source)
        nbytes += sources.size(source)
        hidden = [name for name in file.schema.names if re.fullmatch(r"__index_level_\d+__", name)]
        read = None if wanted is None else [name for name in file.schema.names if name in wanted or name in hidden]
        if wanted is not None and (missing := set(wanted) - set(file.schema.names)):
            raise RuntimeError(
                f"CUDF failure at: /cpp/src/io/orc/aggregate_orc_metadata.cpp: Unknown column name: {sorted(missing)[0]}"
            )
        chosen = range(file.nstripes) if stripes is None else stripes[at]
        try:
            pieces = [pa.Table.from_batches([file.read_stripe(number, columns=read)]) for number in chosen]
        except (OSError, pa.ArrowException) as error:
            raise RuntimeError(f"CUDF failure at: /cpp/src/io/orc/reader_impl_decode.cu: {error}") from None
        if filters is not None:
            full = (pa.Table.from_batches([file.read_stripe(number)]) for number in chosen)
            pieces = [piece for piece, whole in zip(pieces, full, strict=True) if _may_hold(whole, filters)]
        empty = file.schema.empty_table() if read is None else file.schema.empty_table().select(read)
        tables.append(pa.concat_tables(pieces) if pieces else empty)
    table = pa.concat_tables(tables)
    if skiprows or (num_rows is not None and num_rows >= 0):
        table = table.slice(skiprows or 0, None if num_rows in (None, -1) else num_rows)
    if wanted is not None:
        table = table.select([name for name in table.schema.names if name not in wanted] + wanted)
    values = {name: _dated(table.column(name)) for name in table.schema.names}
    if timestamp_type is not None:
        target = arrow_type(cudf.dtype(timestamp_type))
        values = {
            name: array.cast(target, safe=False) if pa.types.is_timestamp(array.type) else array
            for name, array in values.items()
        }
    columns = list(values.values())
    levels = [values.pop(name) for name in list(values) if re.fullmatch(r"__index_level_\d+__", name)]
    index = None
    if len(levels) == 1:
        index = cudf.Index._from_arrow(levels[0])
    elif levels:
        index = cudf.MultiIndex.from_frame(
            cudf.DataFrame._from_columns(dict(enumerate(levels))), names=[None] * len(levels)
        )
    made = cudf.DataFrame._from_columns(values, index=index)
    sources.counted_read("read_orc", nbytes, columns, made)
    return made


def _dated(column: pa.ChunkedArray) -> pa.Array:
    """Days are read as milliseconds."""
    return plain(column.cast(pa.timestamp("ms")) if pa.types.is_date(column.type) else column)


def _signed(array: pa.Array) -> pa.Array:
    """ORC has no unsigned integers, and decimals of one width."""
    kind = array.type
    if pa.types.is_decimal(kind) and kind.bit_width < 128:
        return array.cast(pa.decimal128(kind.precision, kind.scale))
    if pa.types.is_unsigned_integer(kind):
        return array.cast(getattr(pa, f"int{kind.bit_width}")(), safe=False)
    return array


def to_orc(
    df: Any,
    fname: Any,
    compression: Any = "SNAPPY",
    statistics: str = "ROWGROUP",
    stripe_size_bytes: int | None = None,
    stripe_size_rows: int | None = None,
    row_index_stride: int | None = None,
    cols_as_map_type: Any = None,
    storage_options: dict | None = None,
    index: bool | None = None,
) -> None:
    """Write a frame as ORC."""
    import cudf
    from pyarrow import orc

    columns = sources.columns_of(df)
    if any(pa.types.is_dictionary(array.type) for array in columns.values()) or isinstance(
        df.index, cudf.CategoricalIndex
    ):
        raise NotImplementedError("Writing to ORC format is not yet supported with Categorical columns.")
    if cols_as_map_type is not None and not isinstance(cols_as_map_type, list):
        raise TypeError("cols_as_map_type must be a list of column names.")
    if statistics.upper() not in ("NONE", "STRIPE", "ROWGROUP"):
        raise ValueError(f"Unsupported `statistics_freq` type {statistics}")
    front = {}
    if index is True or (index is None and not isinstance(df.index, cudf.RangeIndex)):
        front = {f"__index_level_{at}__": array for at, array in enumerate(sources.index_columns(df.index))}
    table = pa.table({str(name): _signed(array) for name, array in {**front, **columns}.items()})
    out = io.BytesIO()
    options: dict[str, Any] = {"compression": codec(compression)}
    if stripe_size_bytes is not None:
        options["stripe_size"] = int(stripe_size_bytes)
    if row_index_stride is not None:
        options["row_index_stride"] = int(row_index_stride)
    orc.write_table(table, out, **options)
    sources.counted_write("to_orc", columns.values(), out.getbuffer().nbytes, df)
    with sources.sink(fname, storage_options) as file:
        file.write(out.getvalue())


class ORCWriter:
    """Write frames to one file.

    Parameters
    ----------
    path : path or buffer
    index : bool, optional
        Whether a named index is written.
    """

    def __init__(
        self, path: Any, index: bool | None = None, compression: Any = "SNAPPY", statistics: str = "ROWGROUP",
        cols_as_map_type: Any = None, stripe_size_bytes: int | None = None, stripe_size_rows: int | None = None,
        row_index_stride: int | None = None,
    ) -> None:  # fmt: skip
        self.sink, self.index, self.compression, self.initialized = path, index, compression, False
        self._frames: list[Any] = []
        codec(compression)

    def write_table(self, table: Any) -> None:
        """Add a frame."""
        self._frames.append(table)
        self.initialized = True

    def close(self) -> None:
        """Write the file."""
        import cudf

        if self._frames:
            named = self._frames[0].index.name is not None
            whole = cudf.concat(self._frames) if len(self._frames) > 1 else self._frames[0]
            to_orc(whole, self.sink, self.compression, index=self.index is not False and named)
        self._frames = []

    def __enter__(self) -> ORCWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def is_supported_read_orc(compression: str) -> bool:
    """Whether a codec can be read."""
    return bool(codec(compression))


is_supported_write_orc = is_supported_read_orc
