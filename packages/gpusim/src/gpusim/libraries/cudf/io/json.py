"""JSON: ``cudf.read_json`` and ``DataFrame.to_json``.

``engine="cudf"`` (what ``lines=True`` means) reads records into flat, list and struct columns by libcudf's rules; otherwise pandas
does the work on the host, as in cuDF, which warns about it.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from typing import Any

import pandas as pd
import pyarrow as pa

from . import _sources as sources
from ._csv_values import times
from ._csv_write import durations
from ._floats import text_of
from .csv import _default_widths, decompressed

COMPRESSIONS = (None, "brotli", "bz2", "gzip", "infer", "lz4", "lzo", "snappy", "xz", "zip", "zlib", "zstd")


def _failure(words: str) -> RuntimeError:
    return RuntimeError(f"CUDF failure at: /cpp/src/io/json/nested_json_gpu.cu: {words}")


def _records(text: str, lines: bool, recover: bool) -> list[dict | None]:
    if not lines:
        try:
            found = json.loads(text)
        except ValueError as error:
            raise _failure(
                f"JSON Parser encountered an invalid format at location {getattr(error, 'pos', 0)}"
            ) from None
        found = found if isinstance(found, list) else [found]
        if found and not isinstance(found[0], dict):
            # An array of arrays: the columns are numbered.
            found = [
                dict(zip(map(str, range(len(row))), row, strict=True)) if isinstance(row, list) else row
                for row in found
            ]
        return found
    out, position = [], 0
    for line in text.split("\n"):
        if line.strip():
            try:
                row = json.loads(line)
                out.append({str(at): one for at, one in enumerate(row)} if isinstance(row, list) else row)
            except ValueError as error:
                if not recover:
                    at = position + getattr(error, "pos", 0)
                    raise _failure(f"JSON Parser encountered an invalid format at location {at}") from None
                out.append(None)
        position += len(line) + 1
    return out


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def column(values: list[Any], keep_quotes: bool, mixed_as_string: bool) -> pa.Array:
    """Return values as a column: what is text anywhere is text everywhere, nulls alone are int8."""
    if all(value is None for value in values):
        return pa.nulls(len(values), pa.int8())
    kinds = {type(value) for value in values if value is not None}
    if kinds == {str}:
        return pa.array(
            [json.dumps(v, ensure_ascii=False) if keep_quotes and v is not None else v for v in values], pa.string()
        )
    if kinds <= {int, float, bool} and len(kinds) > 1:
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    nested = kinds & {list, dict}
    if nested and len(kinds) > 1 and not mixed_as_string:
        # libcudf keeps the nested values and makes nulls of the others.
        kind = next(iter(nested))
        values = [value if isinstance(value, kind) else None for value in values]
        kinds = {kind}
    if len(kinds) == 1:
        try:
            return pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            if kinds == {int} and all(value is None or 0 <= value < 2**64 for value in values):
                return pa.array(values, pa.uint64())
    return pa.array([_text(value) for value in values], pa.string())


def _lines_in(data: bytes, offset: int, size: int) -> bytes:
    """The lines of a part of the file: those that begin in it, and behind its first line end if it begins later."""
    start = data.find(b"\n", offset) + 1 or len(data) if offset else 0
    end = offset + size if size else len(data)
    stop = data.find(b"\n", end - 1) + 1 or len(data)
    return data[start:stop]


def _read_records(sources_: list, lines: bool, compression: Any, byte_range: Any, keep_quotes: bool, mixed: bool,
                  recover: bool, name: Any) -> tuple[dict[str, pa.Array], int, int]:  # fmt: skip
    rows, nbytes = [], 0
    for source in sources_:
        raw = sources.read_bytes(source)
        nbytes += len(raw)
        data = decompressed(raw, compression, source if isinstance(source, str) else name)
        if byte_range is not None:
            data = _lines_in(data, *byte_range)
        if data.strip():
            rows += _records(data.decode("utf-8-sig"), lines, recover)
    names = dict.fromkeys(key for row in rows if row for key in row)
    columns = {
        key: column([None if row is None else row.get(key) for row in rows], keep_quotes, mixed) for key in names
    }
    return columns, nbytes, len(rows)


def read_json(
    path_or_buf: Any,
    engine: str = "auto",
    orient: str | None = None,
    dtype: Any = None,
    lines: bool = False,
    compression: str | None = "infer",
    byte_range: Any = None,
    keep_quotes: bool = False,
    storage_options: dict | None = None,
    mixed_types_as_string: bool = False,
    prune_columns: bool = False,
    on_bad_lines: str = "error",
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Read JSON to a DataFrame."""
    import cudf
    from cudf.core.column import arrow_type

    if dtype is not None and not isinstance(dtype, (Mapping, bool)):
        raise TypeError(
            "'dtype' parameter only supports a dict of column names and types as key-value pairs, or a bool, or None. "
            f"Got {type(dtype)}"
        )
    if engine == "auto":
        engine = "cudf" if lines else "pandas"
    if engine != "cudf" and keep_quotes:
        raise ValueError("keep_quotes='True' is supported only with engine='cudf'")
    if engine == "cudf":
        if args:
            raise ValueError(f"cudf engine doesn't support the following positional arguments: {list(args)}")
        found = sources.resolve(path_or_buf, storage_options, pattern="*.json")
        if compression not in COMPRESSIONS:
            raise ValueError(f"Unsupported compression type: {compression}")
        if on_bad_lines.lower() not in ("error", "recover"):
            raise TypeError(f"Invalid parameter for on_bad_lines={on_bad_lines!r}")
        if dtype is False:
            raise ValueError("False value is unsupported for `dtype`")
        columns, nbytes, rows = _read_records(
            found, lines, compression, byte_range, keep_quotes, mixed_types_as_string, on_bad_lines.lower() == "recover",
            path_or_buf if isinstance(path_or_buf, str) else None,
        )  # fmt: skip
        if isinstance(dtype, Mapping):
            for name, kind in dtype.items():
                name, kind = str(name), cudf.dtype(kind)
                if isinstance(kind, cudf.CategoricalDtype):
                    raise NotImplementedError("CategoricalDtype as dtype is not yet supported in JSON reader")
                if name in columns:
                    columns[name] = _as(columns[name], arrow_type(kind))
                elif prune_columns:
                    columns[name] = pa.nulls(rows, arrow_type(kind))
            if prune_columns:
                columns = {name: values for name, values in columns.items() if name in set(map(str, dtype))}
        made = cudf.DataFrame._from_columns(columns)
        sources.counted_read("read_json", nbytes, columns.values(), made)
        return _default_widths(made, dtype)
    warnings.warn("Using CPU via Pandas to read JSON dataset, this may be GPU accelerated in the future", stacklevel=2)
    source = sources.only(sources.resolve(path_or_buf, storage_options), "read_json (via pandas)")
    value = pd.read_json(source, *args, lines=lines, dtype=dtype, compression=compression, orient=orient, **kwargs)
    if isinstance(value, pd.DataFrame):
        return _default_widths(cudf.DataFrame(value), dtype)
    return cudf.Series(value)


def _as(array: pa.Array, kind: pa.DataType) -> pa.Array:
    if array.null_count == len(array):
        return pa.nulls(len(array), kind)
    if pa.types.is_string(kind) and not pa.types.is_string(array.type):
        return pa.array([_text(value) for value in array.to_pylist()], kind)
    if pa.types.is_string(array.type) and pa.types.is_timestamp(kind):
        return times(array, kind)
    return array.cast(kind, safe=False)


def _value(value: Any, ascii_only: bool) -> str:
    if isinstance(value, float):
        return text_of(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(str(k))}:{_value(v, ascii_only)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_value(one, ascii_only) for one in value) + "]"
    return json.dumps(value, ensure_ascii=ascii_only, default=str)


def _columns_as_json(array: pa.Array, ascii_only: bool, na_rep: str) -> list[str | None]:
    import pyarrow.compute as pc

    if pa.types.is_timestamp(array.type):
        array = pc.strftime(array, format="%Y-%m-%dT%H:%M:%SZ")
    elif pa.types.is_duration(array.type):
        array = pa.array(durations(array), pa.string())
    return [None if value is None else _value(value, ascii_only) for value in array.to_pylist()]


def to_json(
    cudf_val: Any,
    path_or_buf: Any = None,
    compression: str | None = None,
    engine: str = "auto",
    orient: str | None = None,
    storage_options: dict | None = None,
    *args: Any,
    **kwargs: Any,
) -> str | None:
    """Write a frame or a Series as JSON: by pandas, or with ``engine="cudf"`` as records."""
    import cudf

    if engine == "auto":
        engine = "pandas"
    if engine == "pandas":
        warnings.warn("Using CPU via Pandas to write JSON dataset", stacklevel=2)
        if isinstance(cudf_val, cudf.DataFrame):
            value: Any = pd.DataFrame({name: _nullable(series) for name, series in cudf_val.items()})
        else:
            value = _nullable(cudf_val)
        return value.to_json(path_or_buf, *args, orient=orient, storage_options=storage_options, **kwargs)
    if engine != "cudf":
        raise ValueError(f"`engine` only support {{'auto', 'cudf', 'pandas'}}, got: {engine}")
    if orient not in {"records", None}:
        raise ValueError(f"Only the `orient='records'` is supported for JSON writer with `engine='cudf'`, got {orient}")
    if compression not in (None, "gzip", "snappy", "zstd"):
        raise ValueError(f"Unsupported compression type: {compression}")
    lines, nulls = kwargs.pop("lines", False), kwargs.pop("include_nulls", True)
    na_rep, ascii_only = kwargs.pop("na_rep", "null"), kwargs.pop("force_ascii", True)
    frame = cudf_val.to_frame() if isinstance(cudf_val, cudf.Series) else cudf_val
    columns = sources.columns_of(frame)
    texts = {json.dumps(str(name)): _columns_as_json(values, ascii_only, na_rep) for name, values in columns.items()}
    rows = [
        "{"
        + ",".join(
            f"{name}:{na_rep if value is None else value}"
            for name, value in zip(texts, row, strict=True)
            if nulls or value is not None
        )
        + "}"
        for row in zip(*texts.values(), strict=True)
    ]
    out = ("".join(f"{row}\n" for row in rows) or "\n") if lines else "[" + ",".join(rows) + "]"
    sources.counted_write("to_json", columns.values(), len(out), frame)
    if path_or_buf is None:
        return out
    data = out.encode()
    if compression is not None:
        data = pa.compress(data, codec=compression, asbytes=True)
    with sources.sink(path_or_buf, storage_options) as file:
        file.write(data)
    return None


def _nullable(series: Any) -> Any:
    try:
        return series.to_pandas(nullable=True)
    except NotImplementedError:
        return series.to_pandas(nullable=False)
