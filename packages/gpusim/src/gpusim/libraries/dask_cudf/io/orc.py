"""ORC files, a partition for each stripe."""

from __future__ import annotations

from typing import Any

import cudf
from dask import dataframe as dd
from fsspec.core import get_fs_token_paths


def _read_stripe(source: tuple[str, int], fs: Any = None, columns: Any = None, kwargs: Any = None) -> Any:
    path, stripe = source
    with fs.open(path, "rb") as file:
        return cudf.read_orc(file, stripes=[stripe], columns=columns, **(kwargs or {}))


def read_orc(path: Any, columns: Any = None, filters: Any = None, storage_options: Any = None, **kwargs: Any) -> Any:
    """Read ORC files; filters leave out stripes."""
    from pyarrow import orc

    fs, _, paths = get_fs_token_paths(path, mode="rb", storage_options=storage_options or {})
    if len(paths) == 1 and fs.isdir(paths[0]):
        paths = sorted(fs.glob(fs.sep.join([paths[0], "*"])))
    schema, stripes = None, []
    for one in paths:
        with fs.open(one, "rb") as file:
            opened = orc.ORCFile(file)
            if schema is not None and schema != opened.schema:
                raise ValueError("Incompatible schemas while parsing ORC files")
            schema = opened.schema
            stripes.append(opened.nstripes)
    if columns is not None and (extra := set(columns) - set(schema.names)):
        raise ValueError(f"Requested columns ({extra}) not in schema ({set(schema.names)})")
    columns = list(schema.names) if columns is None else columns
    with fs.open(paths[0], "rb") as file:
        meta = cudf.read_orc(file, stripes=[0] if stripes[0] else None, columns=columns, **kwargs).head(0)
    options = {**kwargs, **({"filters": filters} if filters else {})}
    sources = [(one, stripe) for one, n in zip(paths, stripes, strict=True) for stripe in range(n)]
    return dd.from_map(_read_stripe, sources, fs=fs, columns=columns, kwargs=options, meta=meta)


def _write(df: Any, path: str, fs: Any, name: str, compression: Any) -> str:
    place = fs.sep.join([path, name])
    with fs.open(place, mode="wb") as file:
        cudf.io.to_orc(df, file, compression=compression)
    return place


def to_orc(
    df: Any, path: Any, write_index: bool = True, storage_options: Any = None, compression: Any = "snappy",
    compute: bool = True, **kwargs: Any,
) -> Any:  # fmt: skip
    """Write a file for each partition."""
    from dask import compute as run
    from dask import delayed

    fs, _, _ = get_fs_token_paths(path, mode="wb", storage_options=storage_options)
    path = fs._strip_protocol(str(path))
    df = df.reset_index(drop=not write_index)
    fs.mkdirs(path, exist_ok=True)
    write = delayed(_write)
    parts = [write(part, path, fs, f"part.{at}.orc", compression) for at, part in enumerate(df.to_delayed())]
    return run(*parts) if compute else delayed(list)(parts)
