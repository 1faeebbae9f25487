"""The tables that the problems are tried with: some of the real flights, and small ones made to be awkward."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from hundredfold import data

from ..frames import FrameCase, other_index
from ..properties import Drawn, Property, Strategy, other_data, second_call, sizes

COLUMNS = ("month", "carrier", "origin", "dest", "dep_time", "dep_delay", "arr_delay", "distance")


@functools.cache
def real(month: int) -> Any:
    """The flights of one month of 2013, as an Arrow table of `COLUMNS`."""
    import pyarrow.parquet as pq

    return pq.read_table(data.path("flights"), columns=list(COLUMNS), filters=[("month", "=", month)])


def table(**columns: Any) -> Any:
    """An Arrow table of `COLUMNS`: numbers as int32, None as a null; a column that is not given repeats a plain value."""
    import pyarrow as pa

    plain = {"month": 1, "carrier": "UA", "origin": "EWR", "dest": "IAH", "dep_time": 600, "dep_delay": 0, "arr_delay": 0, "distance": 1400}  # fmt: skip
    rows = len(next(iter(columns.values())))
    kinds = {name: pa.string() if isinstance(value, str) else pa.int32() for name, value in plain.items()}
    return pa.table({name: pa.array(columns.get(name, [plain[name]] * rows), kinds[name]) for name in COLUMNS})


def made(rows: int, seed: int, carriers: int = 5) -> Any:
    """Flights at random: some cancelled (no times at all), some that left and never arrived, delays of both signs."""
    rng = np.random.default_rng(seed)
    delay = rng.integers(-30, 400, rows)
    cancelled = rng.random(rows) < 0.1
    lost = cancelled | (rng.random(rows) < 0.05)

    def known(values: Any, null: Any) -> list:
        return [None if gone else int(value) for value, gone in zip(values, null, strict=True)]

    return table(
        month=rng.integers(1, 13, rows).tolist(),
        carrier=[f"{'QXZJKVWB'[i % 8]}{i}" for i in rng.integers(0, carriers, rows)],
        dest=[("SEA", "BOS", "ORD", "ATL", "LAX", "DEN", "MIA")[i] for i in rng.integers(0, 7, rows)],
        dep_time=known(rng.integers(1, 2400, rows), cancelled),
        dep_delay=known(delay + rng.integers(-10, 10, rows), cancelled),
        arr_delay=known(delay, lost),
        distance=rng.integers(100, 4000, rows).tolist(),
    )


def drawn(*properties: Property, rows: int = 211, carriers: int = 5) -> Drawn:
    """Flights at random with a problem's own properties, and with those that the text claims of every table of the unit."""
    return Drawn(
        lambda rng, count: (made(count, int(rng.integers(1 << 30)), carriers),),
        rows,
        other_data(),
        *properties,
        sizes(1, 20_011, words="{} flights"),
        Property(
            (Strategy("150 carriers and 150 destinations", change=_many),),
            "Your function also gets tables of more carriers and more destinations than the one shown.",
        ),
        other_index(
            hint="The index of a table may be anything. What belongs together is told by it, or by a column, not by its place."
        ),
        second_call(),
        case=FrameCase,
    )


def _many(rng: np.random.Generator, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """More groups than the flights that the notebook shows have."""
    names = {
        column: [f"{column[0]}{i % 150}" for i in rng.permutation(arguments[0].num_rows)]
        for column in ("carrier", "dest")
    }
    return (replaced(arguments[0], **names),)


def with_nulls(*names: str, share: float = 0.3, hint: str = "") -> Property:
    """Nulls in each of these columns, each in rows of its own."""

    def change(rng: np.random.Generator, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        return (replaced(arguments[0], **{name: _nulls(arguments[0][name], rng, share) for name in names}),)

    return Property((Strategy("nulls in other rows of each column", change=change),), hint)


def _nulls(column: Any, rng: np.random.Generator, share: float) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    gone = pa.array(rng.random(len(column)) < share)
    return pc.if_else(gone, pa.scalar(None, column.type), column)


def replaced(flights: Any, **columns: Any) -> Any:
    """An Arrow table with other values in some columns, of the same types."""
    import pyarrow as pa

    for name, values in columns.items():
        place = flights.column_names.index(name)
        kind = flights.schema.field(name).type
        made_of = values if isinstance(values, (pa.Array, pa.ChunkedArray)) else pa.array(values, kind)
        flights = flights.set_column(place, name, made_of)
    return flights


def nobody_arrives(column: str, *names: str, words: str, hint: str = "") -> Property:
    """Of the rows that have one of the first three values of a column no time is known: several groups have no mean."""

    def change(rng: np.random.Generator, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        (flights,) = arguments
        gone = set(sorted(set(flights[column].to_pylist()))[:3])
        lost = [value in gone for value in flights[column].to_pylist()]
        return (
            replaced(
                flights,
                **{
                    name: [None if out else value for out, value in zip(lost, flights[name].to_pylist(), strict=True)]
                    for name in names
                },
            ),
        )

    return Property((Strategy(words, change=change),), hint)
