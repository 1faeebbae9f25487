"""Tables of 10⁷ rows: mean, groupby and merge, in pandas, Polars, DuckDB and cuDF."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..workload import Way, Workload

ROWS = 10_000_000


def _columns() -> dict[str, Any]:
    import numpy as np

    rng = np.random.default_rng(7)
    return {"id": rng.integers(0, ROWS, ROWS), "x": rng.random(ROWS)}


def _frame(module: str, work: Callable[[Any], Any]) -> Callable[[], Callable[[], Any]]:
    def prepare() -> Callable[[], Any]:
        import importlib

        frame = importlib.import_module(module).DataFrame(_columns())
        return lambda: work(frame)

    return prepare


def _duckdb(query: str) -> Callable[[], Callable[[], Any]]:
    def prepare() -> Callable[[], Any]:
        import duckdb
        import pandas

        frame = pandas.DataFrame(_columns())
        connection = duckdb.connect()
        connection.register("given", frame)
        connection.execute("create table t as select * from given")
        return lambda: connection.execute(query).to_arrow_table()

    return prepare


def _ways(
    pandas: Callable, polars: Callable, query: str, answers: tuple[Callable, Callable, Callable]
) -> tuple[Way, ...]:
    return (
        Way("pandas", "cpu", _frame("pandas", pandas), ("pandas",), answers[0]),
        Way("Polars", "cpu", _frame("polars", polars), ("polars",), answers[1]),
        Way("DuckDB", "cpu", _duckdb(query), ("duckdb", "pyarrow"), answers[2]),
        Way("cuDF", "gpu", _frame("cudf", pandas), ("cudf",), answers[0]),
    )


def _length(table: Any) -> float:
    return float(len(table))


def _scalar(table: Any) -> float:
    return float(table.column(0)[0].as_py())


def _grouped(frame: Any) -> Any:
    return frame.groupby("id").x.mean()


def _polars_grouped(frame: Any) -> Any:
    import polars

    return frame.group_by("id").agg(polars.col("x").mean())


def _merged(frame: Any) -> Any:
    return frame.merge(frame, on="id")


WORKLOADS = (
    Workload(
        "dataframes.mean",
        "mean of a column of 10 M float64",
        _ways(lambda f: f.x.mean(), lambda f: f["x"].mean(), "select avg(x) from t", (float, float, _scalar)),
        n=ROWS, memory=3 * 16 * ROWS, bytes=8 * ROWS, least_bytes=8 * ROWS,
    ),
    Workload(
        "dataframes.groupby",
        "groupby('id').x.mean() of 10 M rows with 10 M keys",
        _ways(_grouped, _polars_grouped, "select id, avg(x) as x from t group by id", (_length, _length, _length)),
        n=ROWS, memory=10 * 16 * ROWS, bytes=2.61e8, least_bytes=2.61e8,
    ),
    Workload(
        "merges.merge",
        "merge of 10 M rows with themselves on a key of 10 M values",
        _ways(
            _merged, lambda f: f.join(f, on="id"), "select a.id, a.x, b.x as y from t a join t b using (id)", (_length, _length, _length)
        ),
        n=ROWS, memory=20 * 16 * ROWS, bytes=8e8, least_bytes=8e8,
    ),
)  # fmt: skip
