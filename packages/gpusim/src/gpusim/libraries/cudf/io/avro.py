"""Avro: ``cudf.read_avro``."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa

from gpusim.importing.errors import NotSimulatedError

from . import _sources as sources

PRIMITIVES = {
    "boolean": pa.bool_(), "int": pa.int32(), "long": pa.int64(), "float": pa.float32(), "double": pa.float64(),
    "string": pa.string(), "bytes": pa.string(), "enum": pa.string(), "null": pa.int8(),
}  # fmt: skip
LOGICAL = {
    "date": pa.timestamp("s"), "timestamp-millis": pa.timestamp("ms"), "timestamp-micros": pa.timestamp("us"),
    "time-millis": pa.duration("ms"), "time-micros": pa.duration("us"),
}  # fmt: skip


def arrow_type(kind: Any) -> pa.DataType | None:
    """Return the type of a field of a schema; None for one that libcudf has not."""
    if isinstance(kind, list):
        some = [one for one in kind if one != "null"]
        return arrow_type(some[0]) if len(some) == 1 else PRIMITIVES["null"] if not some else None
    if isinstance(kind, dict):
        if kind.get("logicalType") in LOGICAL:
            return LOGICAL[kind["logicalType"]]
        if kind["type"] == "array":
            inner = arrow_type(kind["items"])
            return None if inner is None else pa.list_(inner)
        return arrow_type(kind["type"])
    return PRIMITIVES.get(kind)


def _value(value: Any, kind: pa.DataType) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if pa.types.is_duration(kind) and hasattr(value, "hour"):
        import datetime

        return datetime.datetime.combine(datetime.date.min, value) - datetime.datetime.min
    if pa.types.is_timestamp(kind) and hasattr(value, "year"):
        import datetime

        if not isinstance(value, datetime.datetime):
            return datetime.datetime(value.year, value.month, value.day)
        return value.astimezone(datetime.UTC).replace(tzinfo=None) if value.tzinfo else value
    return value


def read_avro(
    filepath_or_buffer: Any,
    columns: Any = None,
    skiprows: int | None = None,
    num_rows: int | None = None,
    storage_options: dict | None = None,
) -> Any:
    """Read an Avro file to a DataFrame: int is int32, long int64, dates are dates, records within records are refused."""
    import cudf
    import fastavro

    source = sources.only(sources.resolve(filepath_or_buffer, storage_options), "read_avro")
    num_rows, skiprows = -1 if num_rows is None else num_rows, 0 if skiprows is None else skiprows
    if not isinstance(num_rows, int) or num_rows < -1:
        raise TypeError("num_rows must be an int >= -1")
    if not isinstance(skiprows, int) or skiprows < 0:
        raise TypeError("skip_rows must be an int >= 0")
    data = sources.read_bytes(source)
    try:
        reader = fastavro.reader(io.BytesIO(data))
        rows = list(reader)
    except Exception as error:
        if isinstance(error, MemoryError):
            raise
        raise RuntimeError("CUDF failure at: /cpp/src/io/avro/reader_impl.cu:122: Cannot parse metadata") from None
    rows = rows[skiprows:] if num_rows == -1 else rows[skiprows : skiprows + num_rows]
    out = {}
    for field in reader.writer_schema["fields"]:
        name = field["name"]
        if columns is not None and len(columns) and name not in columns:
            continue
        kind = arrow_type(field["type"])
        if kind is None:
            raise NotSimulatedError(f"read_avro of a field of type {field['type']!r}", "flat fields and arrays")
        out[name] = pa.array([_value(row[name], kind) for row in rows], kind)
    made = cudf.DataFrame._from_columns(out)
    sources.counted_read("read_avro", len(data), out.values(), made)
    return made
