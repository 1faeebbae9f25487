"""The tables that the problems are tried with: some of the real flights, and small ones made to be awkward."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

COLUMNS = ("month", "carrier", "origin", "dest", "dep_time", "dep_delay", "arr_delay", "distance")


@functools.cache
def real(month: int) -> Any:
    """The flights of one month of 2013, as an Arrow table of `COLUMNS`."""
    import pyarrow.parquet as pq

    from hundredfold import data

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
