"""``dataframes.port``: a table by carrier, from a pandas habit to cuDF, with nulls that mean something."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..frames import FrameCase, FrameJudge, rows_stay
from ..problem import Mistake, Problem
from ..properties import Property, Strategy
from . import tables


def punctuality(flights: pd.DataFrame) -> pd.DataFrame:
    """The specification: for each carrier its flights (int64), those that never departed (int64), and the mean arrival delay in minutes of
    those that arrived (float64, null where none did); the largest delay first, unknown ones last."""
    return _table(flights, "size", flights["arr_delay"])


def _table(flights: pd.DataFrame, count: str, delay: pd.Series, how: str = "mean") -> pd.DataFrame:
    frame = flights.assign(delay=delay, cancelled=flights["dep_time"].isna().astype("int64"))
    groups = frame.groupby("carrier")
    counted = groups.size() if count == "size" else groups[count].count()
    out = pd.DataFrame(
        {
            "flights": counted.astype("Int64"),
            "cancelled": groups["cancelled"].sum().astype("Int64"),
            "delay": getattr(groups["delay"], how)().astype("Float64"),
        }
    )
    return out.reset_index().sort_values("delay", ascending=False, na_position="last")


def _ascending(flights: pd.DataFrame) -> pd.DataFrame:
    return punctuality(flights).sort_values("delay", na_position="last")


def _arrived_only(flights: pd.DataFrame) -> pd.DataFrame:
    return punctuality(flights[flights["arr_delay"].notna()])


_NULLS_LAST = {  # and in each column another row is null, so that `count` of none of them is the number of rows
    "carrier": ["UA", "AA", "ZZ", "AA", "ZZ", "UA", "B6"],
    "dep_time": [600, 601, None, None, None, 605, 1],
    "arr_delay": [10, -5, None, None, None, None, 300],
    "month": [None, 1, 1, 1, 1, 1, 1],
    "origin": ["EWR", None, "EWR", "EWR", "EWR", "EWR", "EWR"],
    "dest": ["IAH", "IAH", None, "IAH", "IAH", "IAH", "IAH"],
    "distance": [1400, 1400, 1400, 1400, 1400, 1400, None],
}

_CASES = (
    FrameCase("the flights of February", lambda: (tables.real(2),)),
    FrameCase("a carrier that never arrived", lambda: (tables.table(**_NULLS_LAST),)),
    FrameCase("one flight", lambda: (tables.table(carrier=["HA"], arr_delay=[7]),)),
    FrameCase("997 flights of 8 carriers", lambda: (tables.made(997, seed=3, carriers=8),)),
)
_UNLISTED = (FrameCase("another table", lambda: (tables.made(1500, seed=11, carriers=7),)),)


def _equal(rng: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return (tables.replaced(arguments[0], arr_delay=[7] * arguments[0].num_rows),)


def _huge(rng: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Their sum has no room in 32 bits."""
    return (
        tables.replaced(
            arguments[0], arr_delay=(2_000_000_000 + rng.integers(0, 10**8, arguments[0].num_rows)).tolist()
        ),
    )


def _early(rng: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """All far too early, but for one carrier of which nothing is known."""
    (table,) = arguments
    carriers = table["carrier"].to_pylist()
    early = (-2_000_000_000 - rng.integers(0, 10**8, table.num_rows)).tolist()
    return (
        tables.replaced(
            table, arr_delay=[None if c == carriers[0] else d for c, d in zip(carriers, early, strict=True)]
        ),
    )


PORT = Problem(
    id="dataframes.port",
    title="Who is late?",
    kind="write",
    answers=("punctuality",),
    lines=4,
    judge=FrameJudge(
        cases=_CASES,
        unlisted=_UNLISTED,
        drawn=tables.drawn(
            tables.with_nulls(
                "month",
                "origin",
                "dest",
                "dep_time",
                "dep_delay",
                "arr_delay",
                "distance",
                hint="Any column may have nulls but `carrier`. Which one says that a flight never departed, and what counts rows?",
            ),
            tables.nobody_arrives("carrier", "arr_delay", words="three carriers of which nothing is known"),
            Property((Strategy("the same delay everywhere", change=_equal), Strategy("delays of 2·10⁹", change=_huge))),
            Property(
                (Strategy("delays of -2·10⁹ and an unknown one", change=_early),),
                hint="No number is less than every delay: `sort_values` puts nulls last by itself.",
            ),
            carriers=8,
        ),
        facts=(rows_stay(by="carrier"),),
        keys=("carrier",),
        by="delay",
    ),
    specification=punctuality,
    hints=(
        "One groupby is enough for all three: `.agg(flights=(column, how), …)` names its results.",
        "`count` leaves nulls out, `size` does not. `flights.dep_time.isna()` is a column too: put it into the table first, "
        "with `assign`, and sum it.",
        "The carriers are the index of what a groupby returns, in no order: `sort_values`, then `reset_index`.",
    ),
    advice={
        "host": "Leave the result where it is, without `to_pandas()`.",
        "paired": "Two groupbys need not give their groups in one order: let the index, or a merge, say what belongs together.",
        "transfer": "cuDF has the same methods: leave `to_pandas()` out.",
        "aliasing": "`assign` gives a new table and leaves the old one alone.",
    },
    mistakes={
        "null as zero": Mistake(
            "nulls",
            "the mean delay counts flights that never arrived as punctual: their delay is unknown, not 0.",
            lambda f: _table(f, "size", f["arr_delay"].fillna(0)),
            hint="`mean` leaves nulls out by itself: no `fillna`.",
        ),
        "count": Mistake(
            "count",
            "flights leaves out those that never arrived: `count` counts what is known, `size` counts rows.",
            lambda f: _table(f, "arr_delay", f["arr_delay"]),
            hint="`size`, not `count`.",
        ),
        "departed": Mistake(
            "count",
            "flights leaves out those that never departed: a cancelled flight is a row too, and `size` counts rows.",
            lambda f: _table(f, "dep_time", f["arr_delay"]),
            hint="`size`, not `count`.",
        ),
        **{
            f"count of {name}": Mistake(
                "count",
                f"flights leaves out those whose {name} is null: `count` counts what is known, `size` counts rows.",
                lambda f, name=name: _table(f, name, f["arr_delay"]),
                hint="`size`, not `count`: it does not look into any column.",
            )
            for name in ("month", "origin", "dest", "distance")
        },
        "dropna": Mistake(
            "dropped",
            "flights that did not arrive were thrown away first, and with them all that were cancelled.",
            _arrived_only,
            hint="Drop no rows: each column of the result looks at the nulls for itself.",
        ),
        "ascending": Mistake(
            "order",
            "the smallest delay comes first; the largest was asked for first.",
            _ascending,
            hint="`sort_values(…, ascending=False)`.",
        ),
        "median": Mistake(
            "value",
            "delay is the median; the mean was asked for.",
            lambda f: _table(f, "size", f["arr_delay"], "median"),
        ),
    },
)
