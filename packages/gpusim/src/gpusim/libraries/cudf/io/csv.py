"""CSV: ``cudf.read_csv`` and ``DataFrame.to_csv``.

pandas' parser takes the text apart; which dtypes come out, what is null, and how names are made are libcudf's.
"""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from gpusim.device.thread_warnings import ignored

from . import _sources as sources
from ._csv_values import FALSE, HEX, NA_VALUES, TRUE, converted, dates, inferred
from ._csv_write import to_csv

__all__ = ["read_csv", "to_csv"]

_ALL = ignored()
COMPRESSIONS = ("bz2", "gzip", "infer", "zip", "zstd")
UNREADABLE = (
    (".tar.gz", "tar"), (".tar.bz2", "tar"), (".tar.xz", "tar"), (".tar.zst", "tar"), (".tar", "tar"), (".tgz", "tar"),
    (".xz", "xz"),
)  # fmt: skip
SUFFIXES = {".gz": "gzip", ".bz2": "bz2", ".zip": "zip", ".zst": "zstd"}


def _unsupported(kind: str) -> NotImplementedError:
    return NotImplementedError(
        f"cudf's CSV reader cannot decompress {kind!r} data; libcudf supports bz2, gzip, zip, zstd only"
    )


def _failure(words: str) -> RuntimeError:
    return RuntimeError(f"CUDF failure at: /cpp/src/io/csv/reader_impl.cu: {words}")


def _check_compression(compression: Any, source: Any) -> None:
    if compression is not None and compression not in COMPRESSIONS:
        raise _unsupported(compression)
    source = source[0] if isinstance(source, (list, tuple)) and source else source
    if compression == "infer" and isinstance(source, (str, os.PathLike)):
        name = os.fspath(source).lower()
        for suffix, kind in UNREADABLE:
            if name.endswith(suffix):
                raise _unsupported(kind)


def _compression(compression: str | None, name: Any) -> str | None:
    if compression != "infer":
        return compression
    return next((kind for end, kind in SUFFIXES.items() if str(name).lower().endswith(end)), None)


def decompressed(data: bytes, compression: str | None, name: Any) -> bytes:
    """Return what is in a compressed file."""
    compression = _compression(compression, name)
    if compression is None:
        return data
    if compression == "gzip":
        import gzip

        return gzip.decompress(data)
    if compression == "bz2":
        import bz2

        return bz2.decompress(data)
    if compression == "zip":
        import zipfile

        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.read(archive.namelist()[0])
    if compression == "snappy":
        size, shift, at = 0, 0, 0
        while True:  # the size comes first, seven bits a byte
            size |= (data[at] & 0x7F) << shift
            if data[at] < 0x80:
                break
            at, shift = at + 1, shift + 7
        return pa.decompress(data, size, codec="snappy", asbytes=True)
    return pa.input_stream(io.BytesIO(data), compression="zstd").read()


def _check(
    delimiter: Any, decimal: str, thousands: Any, nrows: Any, skipfooter: int, byte_range: Any, skiprows: int
) -> None:
    if decimal == delimiter:
        raise ValueError("decimal cannot be the same as delimiter")
    if thousands == delimiter:
        raise ValueError("thousands cannot be the same as delimiter")
    if nrows is not None and skipfooter != 0:
        raise ValueError("cannot use both nrows and skipfooter parameters")
    if byte_range is not None and (skipfooter != 0 or skiprows != 0 or nrows is not None):
        raise ValueError("cannot manually limit rows to be read when using the byte range parameter")


def lines_in(data: bytes, offset: int, size: int, terminator: bytes) -> bytes:
    """Return the whole lines that begin in a range of bytes; size 0 is all the rest."""
    if offset > len(data):
        raise ValueError("Invalid byte range offset")
    start = offset
    if offset > 0:
        start = data.find(terminator, offset - 1) + 1
        if start == 0:
            return b""
    if size == 0:
        return data[start:]
    if start >= offset + size:
        return b""
    stop = data.find(terminator, offset + size - 1)
    return data[start:] if stop < 0 else data[start : stop + 1]


def _dtypes(dtype: Any, names: list[str]) -> dict[str, Any]:
    """Return what dtype a caller asked for, by column."""
    if dtype is None:
        return {}
    if isinstance(dtype, Mapping):
        return {str(name): kind for name, kind in dtype.items()}
    if isinstance(dtype, (str, np.dtype, pd.api.extensions.ExtensionDtype, type)):
        return dict.fromkeys(names, dtype)
    if isinstance(dtype, Collection):
        kinds = list(dtype)
        if len(kinds) not in (1, len(names)):
            raise _failure("Specify data types for all columns in file, or use a dictionary/map")
        return dict(zip(names, kinds * len(names) if len(kinds) == 1 else kinds, strict=False))
    raise ValueError("dtype should be a scalar/str/list-like/dict-like")


def read_csv(
    filepath_or_buffer: Any,
    sep: str = ",",
    delimiter: str | None = None,
    header: Any = "infer",
    names: Any = None,
    index_col: Any = None,
    usecols: Any = None,
    prefix: str | None = None,
    mangle_dupe_cols: bool = True,
    dtype: Any = None,
    true_values: Any = None,
    false_values: Any = None,
    skipinitialspace: bool = False,
    skiprows: int = 0,
    skipfooter: int = 0,
    nrows: int | None = None,
    na_values: Any = None,
    keep_default_na: bool = True,
    na_filter: bool = True,
    skip_blank_lines: bool = True,
    parse_dates: Any = None,
    dayfirst: bool = False,
    compression: str | None = "infer",
    thousands: str | None = None,
    decimal: str = ".",
    lineterminator: str = "\n",
    quotechar: str = '"',
    quoting: int = 0,
    doublequote: bool = True,
    comment: str | None = None,
    byte_range: Any = None,
    storage_options: dict | None = None,
    bytes_per_thread: int | None = None,
) -> Any:
    """Read a CSV file to a DataFrame.

    Integers and bools with nulls stay integers and bools, a column of nulls alone is int8, ``header=None`` makes the names
    "0", "1", …, and a path that is not there is a FileNotFoundError.

    Parameters
    ----------
    byte_range : (int, int), optional
        Offset and size in bytes: the lines that begin there.
    """
    import cudf
    from cudf.core.column import dtype_of  # noqa: F401  (fails early if the core is not whole)

    _check_compression(compression, filepath_or_buffer)
    source = sources.only(sources.resolve(filepath_or_buffer, storage_options), "read_csv")
    delimiter = str(sep if delimiter is None else delimiter)
    _check(delimiter, decimal, thousands, nrows, skipfooter, byte_range, skiprows)
    if len(delimiter) != 1:
        raise TypeError(f"ord() expected a character, but string of length {len(delimiter)} found")
    if isinstance(source, str) and os.path.isdir(source):
        raise FileNotFoundError(f"{source} is a folder")
    name = filepath_or_buffer if isinstance(filepath_or_buffer, (str, os.PathLike)) else source
    part = None
    if byte_range is not None and isinstance(source, str) and not _compression(compression, name):
        part = sources.read_lines(source, *byte_range, str(lineterminator).encode())
    raw = sources.read_bytes(source) if part is None else part
    data = decompressed(raw, compression, name if isinstance(source, (str, io.BytesIO)) else None)
    original_header = header
    names = None if names is None else list(names)
    if names is not None and header == "infer":
        header = None
    header = 0 if header == "infer" else header
    if byte_range is not None:
        offset, size = byte_range
        if offset > 0 and header is not None:
            raise _failure("byte_range offset with header not supported")
        data = lines_in(data, offset, size, str(lineterminator).encode()) if part is None else part
    if skipfooter:
        lines = data.rstrip(b"\n").split(b"\n")
        data = b"\n".join(lines[:-skipfooter]) + b"\n" if skipfooter < len(lines) else b""
    if not data.strip():
        return _empty(names, dtype)

    nulls = [] if na_values is None else [na_values] if not sources.is_list_like(na_values) else list(na_values)
    nulls = [str(value) for value in nulls] + (list(NA_VALUES) if keep_default_na else [])
    options = {
        "sep": delimiter, "header": header, "index_col": False, "skipinitialspace": skipinitialspace, "skiprows": skiprows,
        "nrows": nrows, "na_values": nulls, "keep_default_na": False, "na_filter": na_filter,
        "skip_blank_lines": skip_blank_lines, "thousands": thousands, "decimal": decimal, "quotechar": quotechar,
        "quoting": quoting, "doublequote": doublequote, "comment": comment, "compression": None, "low_memory": False,
        "true_values": [str(value) for value in true_values or ()] or None,
        "false_values": [str(value) for value in false_values or ()] or None,
        "lineterminator": None if lineterminator in ("\n", None) else str(lineterminator), "on_bad_lines": "error",
    }  # fmt: skip
    if usecols is not None:
        usecols = list(usecols)
        options["usecols"] = usecols if all(isinstance(one, int) for one in usecols) else [str(one) for one in usecols]
    if names is not None:
        options["names"] = [str(one) for one in names]

    everything = _names(data, {**options, "usecols": None})
    if header is None and names is None:
        everything = [f"{prefix or ''}{at}" for at in range(len(everything))]
        options["names"] = everything
    wanted = _dtypes(dtype, everything)
    by_date = (
        set()
        if parse_dates is None
        else {everything[at] if isinstance(at, int) else str(at) for at in list(parse_dates)}
    )
    texts = {column: "string[pyarrow]" for column in [*wanted, *by_date] if column in everything}
    frame = _parse(data, options, texts)

    values = {
        "thousands": thousands, "decimal": decimal, "dayfirst": dayfirst,
        "true_values": (*TRUE, *(str(value) for value in true_values or ())),
        "false_values": (*FALSE, *(str(value) for value in false_values or ())),
    }  # fmt: skip
    columns: dict[str, pa.Array] = {}
    everything_once = set() if mangle_dupe_cols else _written_names(data, options)
    for at, column in enumerate(frame.columns):
        if not mangle_dupe_cols and column not in everything_once:
            continue
        array = frame.iloc[:, at].array
        if column in wanted:
            columns[column] = converted(inferred(array, len(frame)).cast(pa.string()), wanted[column], values)
        elif column in by_date:
            columns[column] = dates(inferred(array, len(frame)).cast(pa.string()), dayfirst)
        else:
            columns[column] = inferred(array, len(frame))
    result = cudf.DataFrame._from_columns(columns)
    sources.counted_read("read_csv", len(raw), columns.values(), result)
    categories = {
        column: kind
        for column, kind in wanted.items()
        if column in columns and kind not in HEX and isinstance(cudf.dtype(kind), cudf.CategoricalDtype)
    }
    if categories:
        result = result.astype(categories)
    if names and isinstance(names[0], int):
        result.columns = [int(column) for column in result.columns]
    elif names is None and header is None and not prefix and cudf.get_option("mode.pandas_compatible"):
        result.columns = [int(column) for column in result.columns]
    return _default_widths(_with_index(result, index_col, names, original_header), wanted)


def _empty(names: Any, dtype: Any) -> Any:
    """Return a frame without rows."""
    import cudf

    if cudf.get_option("mode.pandas_compatible"):
        raise pd.errors.EmptyDataError("No columns to parse from file")
    names = [str(name) for name in names or ()]
    kinds = _dtypes(dtype, names)
    return cudf.DataFrame({name: cudf.Series([], dtype=kinds.get(name, "str")) for name in names})


def _parse(data: bytes, options: dict[str, Any], texts: dict[str, str]) -> pd.DataFrame:
    with _ALL:
        try:
            return pd.read_csv(io.BytesIO(data), dtype=texts, dtype_backend="pyarrow", **options)
        except pd.errors.EmptyDataError:
            return pd.DataFrame()
        except pd.errors.ParserError as error:
            if "Expected" not in str(error):
                raise _failure(str(error)) from None
        except ValueError as error:
            if "Usecols do not match" in str(error) or "out-of-bounds" in str(error):
                raise _failure("Nonexistent column selected") from None
            raise
        # A line with too many fields: libcudf reads those it has columns for.
        width = len(_names(data, {**options, "usecols": None}))
        options = {key: value for key, value in options.items() if key not in ("low_memory", "on_bad_lines")}
        return pd.read_csv(
            io.BytesIO(data), dtype=texts, dtype_backend="pyarrow", engine="python",
            on_bad_lines=lambda fields: fields[:width], **options,
        )  # fmt: skip


def _written_names(data: bytes, options: dict[str, Any]) -> set[str]:
    """Return the names as the file has them, each once."""
    if options["header"] is None:
        return set(options.get("names") or ())
    head = pd.read_csv(
        io.BytesIO(data), sep=options["sep"], header=None, skiprows=options["header"], nrows=1, dtype=str
    )
    return set(head.iloc[0])


def _names(data: bytes, options: dict[str, Any]) -> list[str]:
    """Return the names of all columns of a file."""
    with _ALL:
        try:
            head = pd.read_csv(io.BytesIO(data), dtype=str, **{**options, "nrows": 1})
        except (pd.errors.EmptyDataError, pd.errors.ParserError):
            return list(options.get("names") or ())
    return [str(name) for name in head.columns]


def _with_index(frame: Any, index_col: Any, names: Any, header: Any) -> Any:
    if index_col is None or index_col is False:
        return frame
    if not isinstance(index_col, int):
        return frame.set_index(index_col)
    label = list(frame.columns)[index_col]
    frame = frame.set_index(label)
    if isinstance(label, str) and names is None and header == "infer":
        if label.startswith("Unnamed:"):
            frame.index.name = None
    elif names is None:
        frame.index.name = index_col
    return frame


def _default_widths(frame: Any, wanted: Any) -> Any:
    """Apply the options ``default_integer_bitwidth`` and ``default_float_bitwidth``."""
    import cudf

    integer, floating = cudf.get_option("default_integer_bitwidth"), cudf.get_option("default_float_bitwidth")
    if not integer and not floating:
        return frame
    kinds, wanted = {}, wanted if isinstance(wanted, Mapping) else {}
    for name in frame.columns:
        kind = frame[name].dtype
        if name in wanted or kind == np.dtype("int8"):
            continue
        if integer and kind.kind in "iu":
            kinds[name] = np.dtype(f"{kind.kind}{integer // 8}")
        elif floating and kind.kind == "f":
            kinds[name] = np.dtype(f"f{floating // 8}")
    return frame.astype(kinds) if kinds else frame
