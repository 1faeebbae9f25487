"""JSON files."""

from __future__ import annotations

from functools import partial
from typing import Any

import cudf
import dask.dataframe as dd
from dask_cudf.backends import _default_backend


def read_json(
    url_path: Any, engine: Any = "auto", blocksize: Any = None, orient: str = "records", lines: bool | None = None,
    compression: str | None = "infer", aggregate_files: Any = True, **kwargs: Any,
) -> Any:  # fmt: skip
    """Read JSON files; records are taken to be lines."""
    lines = orient == "records" if lines is None else lines
    if orient != "records" and lines:
        raise ValueError('Line-delimited JSON is only available with orient="records".')
    if blocksize and (orient != "records" or not lines):
        raise ValueError("JSON file chunking only allowed for JSON-linesinput (orient='records', lines=True).")
    read = partial(cudf.read_json, engine=engine) if isinstance(engine, str) else engine
    return _default_backend(
        dd.read_json, url_path, engine=read, blocksize=blocksize, orient=orient, lines=lines, compression=compression,
        **kwargs,
    )  # fmt: skip
