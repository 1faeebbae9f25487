"""CSV files, cut into partitions by ranges of bytes."""

from __future__ import annotations

import os
import warnings
from glob import glob
from typing import Any

import cudf
from dask import dataframe as dd
from dask.dataframe.io.csv import make_reader
from dask.utils import parse_bytes
from fsspec.utils import infer_compression


def files_of(path: Any) -> list[str]:
    """Return the files a path, a glob or a list means."""
    if isinstance(path, list):
        found = path
    elif isinstance(path, str) or hasattr(path, "__fspath__"):
        found = sorted(glob(os.fspath(path)))
    else:
        raise TypeError(f"Path type not understood:{type(path)}")
    if not found:
        raise FileNotFoundError(f"A file in: {found} does not exist.")
    return found


def _read(source: tuple[str, dict]) -> Any:
    name, options = source
    return cudf.read_csv(name, **options)


def read_csv(path: Any, blocksize: Any = "default", **kwargs: Any) -> Any:
    """Read CSV files; `blocksize` (bytes, or text such as "256 MiB") cuts them into partitions."""
    if blocksize == "default":
        limited = kwargs.get("skipfooter", 0) or kwargs.get("skiprows", 0) or kwargs.get("nrows") is not None
        blocksize = None if limited else "256 MiB"
    if "://" in str(path):
        return make_reader(cudf.read_csv, "read_csv", "CSV")(path, blocksize=blocksize, **kwargs)
    blocksize = parse_bytes(blocksize) if isinstance(blocksize, str) else blocksize
    names = files_of(path)
    compression = kwargs.get("compression", "infer")
    if compression == "infer":
        compression = infer_compression(names[0])
    if compression and blocksize:
        kwargs.pop("byte_range", None)
        warnings.warn(
            f"Warning {compression} compression does not support breaking apart files\nPlease ensure that each individual "
            "file can fit in memory and\nuse the keyword ``blocksize=None to remove this message``\n"
            "Setting ``blocksize=(size of file)``",
            stacklevel=2,
        )
        blocksize = None
    head = {key: value for key, value in kwargs.items() if key not in ("skipfooter", "nrows", "byte_range")}
    if blocksize is None:
        meta = cudf.read_csv(names[0], nrows=5, **head).iloc[:0]
        return dd.from_map(_read, [(name, kwargs) for name in names], meta=meta)
    # The first rows tell the dtypes of all partitions, as Dask's sample does.
    meta = cudf.read_csv(names[0], nrows=1000, **head).iloc[:0]
    every = cudf.read_csv(
        names[0], nrows=1, **{k: v for k, v in head.items() if k not in ("usecols", "dtype", "index_col")}
    )
    sources = []
    for name in names:
        for start in range(0, os.path.getsize(name), blocksize):
            options = {**kwargs, "byte_range": (start, blocksize)}
            if start:
                options |= {"names": list(every.columns), "header": None}
            sources.append((name, options))
    return dd.from_map(_read, sources, meta=meta)
