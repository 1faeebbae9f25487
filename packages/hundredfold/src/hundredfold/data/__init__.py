"""The real data that the course ships: where each table's file is, for a reader to open as any other file.

    import cudf
    from hundredfold import data

    flights = cudf.read_parquet(data.path("flights"))

`hundredfold.data.storage` serves files as a bucket of object storage would, on this machine, and says what it was asked for.
What the tables are, whose they are and how they were made stands in the README.md beside them.
"""

from __future__ import annotations

from pathlib import Path

from hundredfold.paths import data_dir


def names() -> list[str]:
    """Return the names of the shipped tables, in alphabetical order."""
    return sorted(path.stem for path in data_dir("data").glob("*.parquet"))


def path(name: str) -> Path:
    """Return the Parquet file of a shipped table, such as "flights": in a checkout and in an installed wheel alike.

    Raises
    ------
    ValueError
        If no table of that name is shipped; the message names those that are.
    FileNotFoundError
        If this installation has no data at all.
    """
    if name not in names():
        raise ValueError(f"Hundredfold ships no table {name!r}: it has {', '.join(names())}.")
    return data_dir("data") / f"{name}.parquet"


def report(name: str) -> Path:
    """Return the SQLite file of a shipped report of NVIDIA's profiler nsys, such as "cloverleaf-a100".

    Raises
    ------
    ValueError
        If no report of that name is shipped; the message names those that are.
    """
    known = sorted(file.stem for file in data_dir("data").glob("*.sqlite"))
    if name not in known:
        raise ValueError(f"Hundredfold ships no report {name!r}: it has {', '.join(known)}.")
    return data_dir("data") / f"{name}.sqlite"
