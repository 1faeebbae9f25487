"""``dataframes.storage``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from hundredfold.learning.problems.frames import cudf

from ..edits import Wrong, edit
from ..kept import kept


def _arrow(filesystem: Any, path: str, month: int, columns: Any = ("carrier", "arr_delay")) -> Any:
    import pyarrow.parquet as pq

    return pq.read_table(
        path, filesystem=filesystem, columns=columns and list(columns), filters=[("month", "==", month)]
    )


def _means(flights: Any, sort: bool = True) -> Any:
    means = flights.groupby("carrier")["arr_delay"].mean().rename("delay")
    return (means.sort_index() if sort else means).reset_index()


def _pruned(filesystem: Any, path: str, month: int) -> Any:
    return _means(cudf.DataFrame.from_arrow(_arrow(filesystem, path, month)))


def _as_given(filesystem: Any, path: str, month: int) -> Any:
    from fsspec.implementations.arrow import ArrowFSWrapper

    flights = cudf.read_parquet(path, filesystem=ArrowFSWrapper(filesystem))
    return _means(flights[flights["month"] == month])


def _columns_only(filesystem: Any, path: str, month: int) -> Any:
    import pyarrow.parquet as pq

    table = pq.read_table(path, filesystem=filesystem, columns=["month", "carrier", "arr_delay"])
    flights = cudf.DataFrame.from_arrow(table)
    return _means(flights[flights["month"] == month])


def _group_by_number(filesystem: Any, path: str, month: int) -> Any:
    import pyarrow.parquet as pq

    with filesystem.open_input_file(path) as file:
        group = pq.ParquetFile(file, pre_buffer=True)
        table = group.read_row_group(min(month, group.num_row_groups) - 1, columns=["carrier", "arr_delay"])
    return _means(cudf.DataFrame.from_arrow(table))


def _by_statistics(filesystem: Any, path: str, month: int) -> Any:
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    names = ["carrier", "arr_delay", "month"]
    with filesystem.open_input_file(path) as opened:
        file = pq.ParquetFile(opened, pre_buffer=True)
        found = [file.schema_arrow.empty_table().select(names)]
        for place in range(file.num_row_groups):
            group = file.metadata.row_group(place)
            held = next(
                c for c in map(group.column, range(group.num_columns)) if c.path_in_schema == "month"
            ).statistics
            if held.min <= month <= held.max:
                found.append(file.read_row_group(place, columns=names).select(names))
    table = pa.concat_tables(found)
    return _means(cudf.DataFrame.from_arrow(table.filter(pc.equal(table["month"], month))))


def _dataset(filesystem: Any, path: str, month: int) -> Any:
    import pyarrow.dataset as ds

    scan = ds.dataset(path, filesystem=filesystem, format="parquet")
    table = scan.to_table(columns=["carrier", "arr_delay"], filter=ds.field("month") == month)
    return _means(cudf.DataFrame.from_arrow(table))


def _year(filesystem: Any, path: str) -> Any:
    import pyarrow.parquet as pq

    return pq.read_table(path, filesystem=filesystem, columns=["carrier", "arr_delay"])


WRONG = {
    "as given": Wrong(_as_given, "asked"),
    "columns only": Wrong(_columns_only, "asked"),
    "rows only": Wrong(
        lambda fs, path, month: _means(cudf.DataFrame.from_arrow(_arrow(fs, path, month, columns=None))), "asked"
    ),
    "group by number": Wrong(_group_by_number, "rows"),
    "whole year": Wrong(lambda fs, path, month: _means(cudf.DataFrame.from_arrow(_year(fs, path))), "rows"),
    "kept by month": Wrong(kept(_pruned, lambda filesystem, path, month: month), "shape"),
    "by name": Wrong(lambda fs, path, month: _pruned(fs, "lake/flights.parquet", month), "exception"),
    "until a later month": edit(
        _by_statistics,
        (
            "            if held.min <= month",
            "            if held.min > month:\n                break\n            if held.min <= month",
        ),
        reason="shape",
    ),
    "one run": edit(
        _by_statistics,
        (
            "columns=names).select(names))",
            "columns=names).select(names))\n            elif len(found) > 1:\n                break",
        ),
        reason="value",
    ),
    "dropna": Wrong(
        lambda fs, path, month: _means(cudf.DataFrame.from_arrow(_arrow(fs, path, month)).dropna()), "dropped"
    ),
    "host": Wrong(lambda fs, path, month: _pruned(fs, path, month).to_pandas(), "host"),
    "unsorted": Wrong(
        lambda fs, path, month: _means(cudf.DataFrame.from_arrow(_arrow(fs, path, month)), sort=False), "order"
    ),
    "index": Wrong(
        lambda fs, path, month: (
            cudf.DataFrame.from_arrow(_arrow(fs, path, month))
            .groupby("carrier", sort=True)
            .agg(delay=("arr_delay", "mean"))
        ),
        "labels",
    ),
    "null as zero": Wrong(
        lambda fs, path, month: _means(cudf.DataFrame.from_arrow(_arrow(fs, path, month)).fillna({"arr_delay": 0})),
        "nulls",
    ),
}
RIGHT = {"pruned": _pruned, "by statistics": _by_statistics, "dataset": _dataset}
