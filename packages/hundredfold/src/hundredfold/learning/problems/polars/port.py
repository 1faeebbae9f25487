"""``polars.port``: a table by destination, from steps in pandas to one query that the GPU engine takes."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..problem import Mistake, Problem
from ..properties import Property, Strategy
from . import tables
from .judging import QueryCase, QueryJudge, nothing_collected, on_the_gpu


def worst(flights: pd.DataFrame, at_least: int) -> pd.DataFrame:
    """The specification: for each destination with at least so many rows these rows (flights), those that arrived more than an hour
    late, and the mean arrival delay in minutes of those that arrived (null where none did); the largest delay first, unknown ones
    last, equal ones by dest."""
    return _table(flights, at_least)


def _table(
    flights: pd.DataFrame,
    at_least: int,
    count: str = "size",
    unknown: float | None = None,
    late: int = 60,
    first: bool = False,
    whole: bool = False,
    lost_are_late: bool = False,
) -> pd.DataFrame:
    delay = flights["arr_delay"]
    delay = delay if unknown is None else delay.fillna(unknown)
    frame = pd.DataFrame(
        {"dest": flights["dest"], "delay": delay, "late": (delay > late).fillna(lost_are_late).astype("int64")}
    )
    groups = frame.groupby("dest", dropna=False)
    counted = groups.size() if count == "size" else groups["delay"].count()
    out = pd.DataFrame({"flights": counted, "late": groups["late"].sum(), "delay": groups["delay"].mean()})
    out = out.reset_index()
    enough = out["flights"] > at_least if whole else out["flights"] >= at_least
    place = "first" if first else "last"
    out = out[enough].sort_values("dest", kind="stable")
    return out.sort_values("delay", ascending=False, na_position=place, kind="stable").reset_index(drop=True)


def _ascending(flights: pd.DataFrame, at_least: int) -> pd.DataFrame:
    return worst(flights, at_least).sort_values(["delay", "dest"], na_position="last")


_LOST = {
    "dest": ["ORD", "ATL", "ORD", "SEA", "ATL", "SEA", "BOS", "ORD"],
    "arr_delay": [61, 60, None, None, 200, None, -5, 0],
}
_EQUAL = {"dest": ["LAX", "BOS", "SEA", "ATL", "BOS", "LAX"], "arr_delay": [10, 10, 10, None, 10, 10]}


def _tied(rng: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    flights, *others = arguments
    return (tables.replaced(flights, arr_delay=[15] * flights.num_rows), *others)


def _unknown(rng: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Of three destinations no delay is known, and the others are all far too early: no number is less than every delay."""
    flights, *others = arguments
    names = flights["dest"].to_pylist()
    gone = sorted(set(names))[:3]
    early = [None if name in gone else -2_000_000_000 - int(rng.integers(1, 10**8)) for name in names]
    return (tables.replaced(flights, arr_delay=early), *others)


def _near_the_number(rng: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Destinations with one row fewer than asked for, as many, and one more."""
    flights, at_least = arguments
    at_least = max(2, at_least)
    names = [name for name, more in (("ORD", -1), ("ATL", 0), ("SEA", 1)) for _ in range(at_least + more)]
    return (flights.slice(0, len(names)).set_column(4, "dest", [names]), at_least)


PORT = Problem(
    id="polars.port",
    title="From steps to a query",
    kind="write",
    answers=("worst",),
    specification=worst,
    lines=7,
    judge=QueryJudge(
        cases=(
            QueryCase("the flights of February, 100 rows or more", lambda: (tables.real(2), 100)),
            QueryCase("destinations nobody arrived at", lambda: (tables.table(**_LOST), 2)),
            QueryCase("equal delays", lambda: (tables.table(**_EQUAL), 1)),
            QueryCase("no destination with so many", lambda: (tables.table(dest=["HNL"], arr_delay=[7]), 2)),
        ),
        unlisted=(QueryCase("997 other flights", lambda: (tables.made(997, seed=3), 140)),),
        drawn=tables.drawn(
            tables.with_nulls(
                "dest",
                hint="Any column may have nulls but `dest`. What counts rows, and what counts known values?",
            ),
            tables.at_borders(60, hint="Late is *more than* an hour. A null is not late."),
            Property(
                (
                    Strategy("the same delay everywhere", change=_tied),
                    Strategy("three destinations of which nothing is known", change=_unknown),
                ),
                hint="`sort` takes a list of columns, `descending=[…]` for each of them, and `nulls_last=True`.",
            ),
            Property((Strategy("nearly as many rows as asked for", change=_near_the_number),)),
            more=lambda rng: (int(rng.integers(20, 35)),),
        ),
        facts=(nothing_collected(), on_the_gpu()),
        ordered=True,
        by="delay",
    ),
    hints=(
        "`group_by(…).agg(…)` takes as many expressions as you like; `.alias(…)` names each.",
        "`pl.len()` counts rows. `(pl.col('arr_delay') > 60).sum()` counts where it is true. What belongs behind the groups is a `filter`.",
        "`sort('delay', 'dest', descending=[True, False], nulls_last=True)`: without the last argument nulls come first.",
    ),
    advice={
        "fallback": "Ask for the reason: `worst(flights, 100).collect(engine=pl.GPUEngine(raise_on_fail=True))`. Neither `filter` within `agg` nor a function of Python has a translation; a sum of a comparison has.",
        "eager": "Leave `collect` to the caller, and begin with the lazy frame that is given.",
        "ties": "Name both columns to one `sort`.",
        "labels": "`alias` names a column, and `rename` renames one.",
    },
    mistakes={
        "nulls first": Mistake(
            "nulls",
            "destinations of which no delay is known come first; they should come last.",
            lambda f, n: _table(f, n, first=True),
            hint="`sort(…, nulls_last=True)`.",
        ),
        "known only": Mistake(
            "count",
            "flights leaves out those whose delay is unknown. A flight is a row, whatever is null in it.",
            lambda f, n: _table(f, n, count="count"),
            hint="`pl.len()` counts rows, and `count` known values. Drop no rows before.",
        ),
        "zeros": Mistake(
            "nulls",
            "the mean counts flights that never arrived as punctual.",
            lambda f, n: _table(f, n, unknown=0),
            hint="`mean` leaves nulls out by itself: no `fill_null`.",
        ),
        "unknown is late": Mistake(
            "nulls",
            "a flight whose delay is unknown was counted as late.",
            lambda f, n: _table(f, n, lost_are_late=True),
            hint="A comparison with a null is null, and `sum` leaves it out: no `otherwise`, and no subtraction from all rows.",
        ),
        "more than": Mistake(
            "boundary",
            "a destination with exactly so many rows is left out; it should be there.",
            lambda f, n: _table(f, n, whole=True),
            hint="`>=`.",
        ),
        "an hour": Mistake(
            "boundary",
            "a flight that is exactly 60 minutes late was counted as late.",
            lambda f, n: _table(f, n, late=59),
            hint="`>`.",
        ),
        "ascending": Mistake(
            "order",
            "the smallest delay comes first; the largest was asked for first.",
            _ascending,
            hint="`descending=[True, False]`.",
        ),
    },
)
