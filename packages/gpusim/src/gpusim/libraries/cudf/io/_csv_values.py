"""From the text of a CSV file's fields to columns: what libcudf infers, and what a caller's dtypes make of it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

NA_VALUES = (
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL",
    "NaN", "n/a", "nan", "null",
)  # fmt: skip
TRUE, FALSE = ("True", "TRUE", "true"), ("False", "FALSE", "false")
HEX = {"hex": pa.int64(), "hex64": pa.int64(), "hex32": pa.int32()}


def looks_like_date(text: str) -> bool:
    """Whether libcudf takes a field of a date column for a date: by counting characters."""
    digits = sum(map(str.isdigit, text))
    dots, colons, dashes, slashes = (text.count(char) for char in ".:-/")
    others = len(text) - digits - dots - colons - dashes - slashes - text.count("+")
    others -= sum(text[1:-1].count(char) for char in "eE")
    if others > 10 or dots > 1 or colons > 2:
        return False
    return 0 < dashes < 3 and slashes == 0 or dashes == 0 and 0 < slashes < 3


def dates(array: pa.Array, dayfirst: bool) -> pa.Array:
    """Return a column of dates (nanoseconds), or the text as it is where some field is none."""
    texts = [text for text in array.to_pylist() if text is not None]
    if not texts or not all(map(looks_like_date, texts)):
        return array
    return times(array, pa.timestamp("ns"), dayfirst)


def times(array: pa.Array, type: pa.DataType, dayfirst: bool = False) -> pa.Array:
    """Return texts as times of a type; what is no time is null, and a bare number counts the type's unit."""
    if array.null_count < len(array) and all(
        text is None or re.fullmatch(r"\s*-?\d+\s*", text) for text in array.to_pylist()
    ):
        return pc.utf8_trim_whitespace(array).cast(pa.int64()).cast(type)
    series = pd.Series(array.to_pylist(), dtype=object)
    found = pd.to_datetime(series, format="mixed", dayfirst=dayfirst, errors="coerce", utc=True)
    return pa.array(found.dt.tz_localize(None).dt.as_unit(type.unit)).cast(type)


def durations(array: pa.Array, type: pa.DataType) -> pa.Array:
    """Return texts as durations; a bare number counts the type's unit."""
    if pa.types.is_string(array.type) and not all(
        text is None or re.fullmatch(r"\s*-?\d+\s*", text) for text in array.to_pylist()
    ):
        found = pd.to_timedelta(pd.Series(array.to_pylist(), dtype=object), errors="coerce")
        return pa.array(found.dt.as_unit(type.unit)).cast(type)
    return array.cast(pa.int64()).cast(type)


def numbers(array: pa.Array, type: pa.DataType, options: dict[str, Any]) -> pa.Array:
    """Return texts as numbers; what is no number is null, and an integer wraps to its width as in libcudf."""
    texts, thousands, decimal = pc.utf8_trim_whitespace(array), options["thousands"], options["decimal"]
    if thousands:
        texts = pc.replace_substring(texts, thousands, "")
    if decimal != ".":
        texts = pc.replace_substring(texts, decimal, ".")
    try:
        return texts.cast(type)
    except pa.ArrowInvalid:
        pass
    values, words = [], {**dict.fromkeys(options["true_values"], 1), **dict.fromkeys(options["false_values"], 0)}
    for text in texts.to_pylist():
        try:
            values.append(
                words[text]
                if text in words
                else None
                if text is None
                else float(text)
                if pa.types.is_floating(type)
                else int(float(text))
            )
        except (ValueError, OverflowError):
            values.append(None)
    if pa.types.is_floating(type):
        return pa.array(values, pa.float64()).cast(type)
    nulls = np.array([value is None for value in values], bool)
    wide = np.array([(value or 0) & (2**64 - 1) for value in values], np.uint64)
    return pa.array(wide.astype(type.to_pandas_dtype()), mask=nulls)


def bools(array: pa.Array, true: tuple[str, ...], false: tuple[str, ...]) -> pa.Array:
    """Return texts as bools: the words for them, or numbers."""
    out = []
    for text in array.to_pylist():
        if text is None or text in true or text in false:
            out.append(None if text is None else text in true)
        else:
            try:
                out.append(float(text) != 0)
            except ValueError:
                out.append(None)
    return pa.array(out, pa.bool_())


def converted(array: pa.Array, wanted: Any, options: dict[str, Any]) -> pa.Array:
    """Return a column of texts in the dtype a caller asked for.

    Parameters
    ----------
    array : Array of strings
    wanted : dtype, or "hex", "hex32", "hex64"
    options : dict
        The reader's ``thousands``, ``decimal``, ``dayfirst``, ``true_values``, ``false_values``.
    """
    import cudf
    from cudf.core.column import arrow_type

    if isinstance(wanted, str) and wanted in HEX:
        digits = [None if text is None else int(text, 16) for text in array.to_pylist()]
        nulls = np.array([value is None for value in digits], bool)
        wide = np.array([(value or 0) & (2**64 - 1) for value in digits], np.uint64)
        return pa.array(wide.astype(HEX[wanted].to_pandas_dtype()), mask=nulls)
    dtype = cudf.dtype(wanted)
    if isinstance(dtype, cudf.CategoricalDtype):
        if dtype._categories is None:
            return array
        dtype = dtype.categories.dtype
    type = arrow_type(dtype)
    if pa.types.is_string(type):
        return array
    if pa.types.is_timestamp(type):
        return times(array, type, options["dayfirst"])
    if pa.types.is_duration(type):
        return durations(array, type)
    if pa.types.is_boolean(type):
        return bools(array, options["true_values"], options["false_values"])
    if pa.types.is_decimal(type):
        return pc.utf8_trim_whitespace(array).cast(type)
    return numbers(array, type, options)


def inferred(array: Any, rows: int) -> pa.Array:
    """Return a column that pandas' reader inferred, in the dtype libcudf would have inferred."""
    from cudf.core.column import in_one

    array = getattr(array, "_pa_array", array)
    array = in_one(array) if isinstance(array, (pa.Array, pa.ChunkedArray)) else pa.array(array)
    if rows == 0:
        return array.cast(pa.string())
    if array.null_count == rows:
        return pa.nulls(rows, pa.int8())
    if pa.types.is_large_string(array.type):
        return array.cast(pa.string())
    return array
