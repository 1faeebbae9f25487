"""The flights that the problems are tried with: some of the real ones, and small tables made to be awkward."""

from __future__ import annotations

import datetime
import functools
from typing import Any

import numpy as np

from hundredfold import data

from ..dataframes.tables import replaced
from ..properties import Drawn, Property, Strategy, other_data, second_call, sizes
from .judging import QueryCase

COLUMNS = ("time_hour", "carrier", "tailnum", "origin", "dest", "dep_delay", "arr_delay", "distance")
_START = datetime.datetime(2013, 1, 1)


@functools.cache
def real(month: int) -> Any:
    """The flights of one month of 2013, as an Arrow table of `COLUMNS`."""
    import pyarrow.parquet as pq

    return pq.read_table(data.path("flights"), columns=list(COLUMNS), filters=[("month", "=", month)])


def table(**columns: Any) -> Any:
    """An Arrow table of `COLUMNS`: numbers as int32, None as a null, hours since the year's beginning as times; a column that is
    not given repeats a plain value."""
    import pyarrow as pa

    plain = {"time_hour": 0, "carrier": "UA", "tailnum": "N1", "origin": "EWR", "dest": "IAH", "dep_delay": 0, "arr_delay": 0, "distance": 1400}  # fmt: skip
    rows = len(next(iter(columns.values())))
    kinds = {name: pa.string() if isinstance(value, str) else pa.int32() for name, value in plain.items()}
    kinds["time_hour"] = pa.timestamp("us")
    given = {name: columns.get(name, [plain[name]] * rows) for name in COLUMNS}
    given["time_hour"] = [_START + datetime.timedelta(hours=int(hours)) for hours in given["time_hour"]]
    return pa.table({name: pa.array(given[name], kinds[name]) for name in COLUMNS})


def made(rows: int, seed: int, carriers: int = 5) -> Any:
    """Flights at random, in no order: some never arrived, the others have delays of both signs."""
    rng = np.random.default_rng(seed)
    delay = rng.integers(-30, 300, rows)
    lost = rng.random(rows) < 0.15
    return table(
        time_hour=rng.integers(0, 24 * 12, rows).tolist(),
        carrier=[f"{'QXZJKVWB'[i % 8]}{i}" for i in rng.integers(0, carriers, rows)],
        tailnum=[f"N{i}" for i in rng.integers(0, 40, rows)],
        origin=[("EWR", "JFK", "LGA")[i] for i in rng.integers(0, 3, rows)],
        dest=[("SEA", "BOS", "ORD", "ATL", "LAX", "DEN", "MIA")[i] for i in rng.integers(0, 7, rows)],
        dep_delay=(delay + rng.integers(-10, 10, rows)).tolist(),
        arr_delay=[None if gone else int(value) for value, gone in zip(delay, lost, strict=True)],
        distance=rng.integers(100, 4000, rows).tolist(),
    )


def drawn(*properties: Property, rows: int = 211, more: Any = lambda rng: ()) -> Drawn:
    """Flights at random, and what `more` draws besides, with a problem's own properties and with those that the text claims."""
    return Drawn(
        lambda rng, count: (made(count, int(rng.integers(1 << 30))), *more(rng)),
        rows,
        other_data(),
        *properties,
        sizes(1, 5003, words="{} flights"),
        second_call(),
        case=QueryCase,
    )


def with_nulls(*never: str, share: float = 0.3, hint: str = "") -> Property:
    """Nulls in each column but these, each in rows of its own."""
    names = [name for name in COLUMNS if name not in never]

    def change(rng: np.random.Generator, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        flights, *others = arguments
        new = {name: [None if rng.random() < share else value for value in flights[name].to_pylist()] for name in names}
        return (replaced(flights, **new), *others)

    return Property((Strategy("nulls in other rows of each column", change=change),), hint)


def at_borders(*values: int, hint: str = "") -> Property:
    """Delays at the borders between classes and one minute to either side, unknown ones among them."""

    def change(rng: np.random.Generator, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        flights, *others = arguments
        near = [None, *(value + step for value in values for step in (-1, 0, 1))]
        picked = [near[i] for i in rng.integers(0, len(near), flights.num_rows)]
        return (replaced(flights, arr_delay=picked), *others)

    return Property((Strategy("delays at the borders", change=change),), hint)
