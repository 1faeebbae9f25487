"""``DataFrame.to_csv``: libcudf's text for each dtype, which is not pandas'.

Floats have ten significant digits, times are ISO 8601 with a ``T`` and a ``Z``, only ``\\n``, the separator and quotes are quoted.
"""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from . import _sources as sources
from ._floats import texts_of


def durations(array: pa.Array) -> list[str | None]:
    """Return durations as ``0 days 00:00:01.000000000``."""
    out: list[str | None] = []
    scale = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[array.type.unit]
    for value in array.cast(pa.int64()).to_pylist():
        if value is None:
            out.append(None)
            continue
        days, rest = divmod(value * scale, 86_400 * 10**9)
        seconds, nanoseconds = divmod(rest, 10**9)
        plus = "+" if days < 0 else ""
        out.append(
            f"{days} days {plus}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{nanoseconds:09d}"
        )
    return out


def texts(array: pa.Array, sep: str, lineterminator: str, quoting: int) -> pa.Array:
    """Return a column as the text of its fields, null where it is."""
    kind, types = array.type, pa.types
    if types.is_dictionary(kind):
        array = array.dictionary_decode()
        kind = array.type
    if types.is_string(kind) or types.is_large_string(kind):
        array = array.cast(pa.string())
        if quoting == csv.QUOTE_NONE:
            return array
        special = pc.match_substring_regex(array, '["\n' + ("\\" + sep if sep in "^]\\-" else sep) + "]")
        if not pc.any(special).as_py():
            return array
        quoted = pc.binary_join_element_wise('"', pc.replace_substring(array, '"', '""'), '"', "")
        return pc.if_else(special, quoted, array)
    if types.is_boolean(kind):
        return pc.if_else(array, "True", "False")
    if types.is_floating(kind):
        values = array.fill_null(0).to_numpy(zero_copy_only=False)
        return pa.array(texts_of(values), pa.string(), mask=np.asarray(array.is_null()))
    if types.is_timestamp(kind):
        plain = array.cast(pa.timestamp(kind.unit, "UTC")).cast(pa.timestamp(kind.unit)) if kind.tz else array
        # Arrow's %S carries the unit's fraction, as libcudf's %S.%3f does.
        mark = '"' if sep in "-:" or lineterminator in "-:" else ""
        return pc.strftime(plain, format=f"{mark}%Y-%m-%dT%H:%M:%SZ{mark}")
    if types.is_duration(kind):
        return pa.array(durations(array), pa.string())
    return array.cast(pa.string())


def _header(names: list[Any], sep: str, lineterminator: str) -> str:
    out = []
    for name in names:
        text = '""' if name in (None, "") and len(names) == 1 else "" if name in (None, "") else str(name)
        if text and text[0] != '"':
            text = text.replace('"', '""')
            if any(char in text for char in ('"', sep, lineterminator[:1])):
                text = f'"{text}"'
        out.append(text)
    return sep.join(out) + lineterminator


def _check(sep: Any, encoding: Any, compression: Any, quoting: int) -> None:
    if not isinstance(sep, str):
        raise TypeError(f'"sep" must be string, not {type(sep).__name__}')
    if len(sep) > 1:
        raise TypeError('"sep" must be a 1-character string')
    if encoding and encoding != "utf-8":
        raise NotImplementedError(f"Encoding {encoding} is not supported. Currently, only utf-8 encoding is supported.")
    if compression and compression != "zstd":
        raise NotImplementedError(
            f"Compression {compression} is not supported. Only 'zstd' is supported for CSV compression."
        )
    if quoting not in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE):
        raise NotImplementedError(
            f"quoting={quoting} is not supported. Only csv.QUOTE_MINIMAL (0) and csv.QUOTE_NONE (3) are supported."
        )


def to_csv(
    df: Any,
    path_or_buf: Any = None,
    sep: str = ",",
    na_rep: str = "",
    columns: Any = None,
    header: bool = True,
    index: bool = True,
    encoding: str | None = None,
    compression: str | None = None,
    quoting: int | None = None,
    lineterminator: str = "\n",
    chunksize: int | None = None,
    storage_options: dict | None = None,
) -> str | None:
    """Write a frame as CSV; without `path_or_buf`, return the text."""
    quoting = csv.QUOTE_MINIMAL if quoting is None else quoting
    _check(sep, encoding, compression, quoting)
    if quoting == csv.QUOTE_NONE and header and index and len(df) == 0 and len(df.columns) == 0:
        raise csv.Error("single empty field record must be quoted")
    if path_or_buf is None and compression:
        raise ValueError(
            f"Compression {compression} is not supported when returning the CSV output as a string; "
            "please provide `path_or_buf`."
        )
    if compression and isinstance(path_or_buf, io.TextIOBase) and not hasattr(path_or_buf, "buffer"):
        raise ValueError(
            f"Compression {compression} is not supported for text-mode sinks; please pass a path or a binary file object."
        )
    if columns is not None:
        try:
            df = df[columns]
        except KeyError:
            raise NameError("Dataframe doesn't have the labels provided in columns") from None
    by_name = sources.columns_of(df)
    for array in by_name.values():
        if pa.types.is_nested(array.type) and not pa.types.is_dictionary(array.type):
            from cudf.core.column import dtype_of

            raise NotImplementedError(
                f"Writing to csv format is not yet supported with {dtype_of(array.type)} columns."
            )
    arrays = [*(sources.index_columns(df.index) if index else ()), *by_name.values()]
    names = [
        *(df.index.names if index else ()),
        *(na_rep if name is None or _missing(name) else name for name in by_name),
    ]
    out = _header(names, sep, lineterminator) if header else ""
    if arrays and len(df):
        fields = [texts(array, sep, lineterminator, quoting) for array in arrays]
        lines = (
            pc.binary_join_element_wise(*fields, sep, null_handling="replace", null_replacement=na_rep)
            if len(fields) > 1
            else pc.fill_null(fields[0], na_rep)
        )
        out += lineterminator.join(lines.to_pylist()) + lineterminator
    sources.counted_write("to_csv", arrays, len(out), df)
    if path_or_buf is None:
        return out
    data = out.encode()
    if compression == "zstd":
        buffer = pa.BufferOutputStream()
        with pa.CompressedOutputStream(buffer, "zstd") as stream:
            stream.write(data)
        data = buffer.getvalue().to_pybytes()
    with sources.sink(path_or_buf, storage_options) as file:
        file.write(data)
    return None


def _missing(name: Any) -> bool:
    return not isinstance(name, tuple) and bool(pd.isna(name))
