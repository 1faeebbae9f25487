"""``polars.report``: a report of which three steps are refused, made one that the GPU engine takes, and that reads four columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from hundredfold import data

from ..problem import Mistake, Problem
from ..properties import Property, Strategy
from . import tables
from .judging import QueryCase, QueryJudge, columns_read, nothing_collected, on_the_gpu, pl, reads_columns

BORDERS = (0, 15, 60)
NAMES = ("early", "short", "long", "very long")
NEEDED = 4
MOST = 6


def report(flights: pd.DataFrame) -> pd.DataFrame:
    """The specification: of the flights that arrived, for each day and class of delay their number, that of different routes, and the
    largest delay; by day, then by class in alphabetical order."""
    return _report(flights)


def _report(
    flights: pd.DataFrame,
    right: bool = True,
    lost: str | None = None,
    by: str = "route",
    day: str = "D",
    worst: str = "max",
    only: bool = True,
) -> pd.DataFrame:
    delay = flights["arr_delay"].to_numpy(dtype="float64", na_value=np.nan)
    place = np.searchsorted(BORDERS, delay, side="left" if right else "right")
    frame = pd.DataFrame(
        {
            "day": pd.to_datetime(flights["time_hour"]).dt.floor(day),
            "class": np.array(NAMES, dtype=object)[np.minimum(place, 3)],
            "route": flights["origin"] + "-" + flights["dest"] if by == "route" else flights[by],
            "delay": delay,
        }
    )
    gone = np.isnan(delay)
    if lost is not None:
        frame.loc[gone, "class"] = lost
    elif only:
        frame = frame[~gone]
    groups = frame.groupby(["day", "class"])
    out = pd.DataFrame(
        {"flights": groups.size(), "routes": groups["route"].nunique(), "worst": getattr(groups["delay"], worst)()}
    )
    return out.reset_index().sort_values(["day", "class"], ignore_index=True)


def _by_class(flights: pd.DataFrame) -> pd.DataFrame:
    return report(flights).sort_values(["class", "day"], ignore_index=True)


_BORDER = {
    "time_hour": [0, 23, 24, 47, 0, 5, 30, 31, 1],
    "arr_delay": [0, 15, 60, 61, 1, 16, None, -5, -1],
    "origin": ["EWR", "JFK", "EWR", "LGA", "EWR", "JFK", "LGA", "LGA", "JFK"],
    "dest": ["IAH", "IAH", "SEA", "SEA", "BOS", "IAH", "BOS", "BOS", "IAH"],
}
_TWICE = {
    "time_hour": [2, 3, 4, 5, 6, 7],
    "arr_delay": [5, 6, 7, 8, 9, 10],
    "origin": ["EWR", "JFK", "EWR", "JFK", "JFK", "LGA"],
    "dest": ["IAH", "IAH", "IAH", "SEA", "LGA", "JFK"],
}


def _one_hour(rng: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """All flights in the last hour of one day and the first of the next."""
    (flights,) = arguments
    made = tables.table(time_hour=rng.integers(47, 49, flights.num_rows).tolist())
    return (flights.set_column(0, "time_hour", made["time_hour"]),)


def _near(problem: Problem, function: Any) -> str:
    """How near the answer's plan comes to the columns that are needed."""
    read = columns_read(function(pl.scan_parquet(data.path("flights"))).explain())
    return f"The plan reads {read} of 19 columns, and {NEEDED} are needed."


REPORT = Problem(
    id="polars.report",
    title="Open: a whole report on the GPU",
    kind="open",
    answers=("report",),
    specification=report,
    judge=QueryJudge(
        cases=(
            QueryCase("delays at the borders", lambda: (tables.table(**_BORDER),)),
            QueryCase("routes that come twice", lambda: (tables.table(**_TWICE),)),
            QueryCase("the flights of February", lambda: (tables.real(2),)),
            QueryCase("997 flights in no order", lambda: (tables.made(997, seed=7),)),
        ),
        unlisted=(QueryCase("another table", lambda: (tables.made(640, seed=29),)),),
        drawn=tables.drawn(
            tables.at_borders(*BORDERS, hint="0 is early, 15 is short, 60 is long."),
            tables.with_nulls(
                "time_hour", "origin", "dest", hint="Flights without `arr_delay` are left out. No other null matters."
            ),
            Property((Strategy("flights around midnight", change=_one_hour),), hint="A day ends at midnight."),
        ),
        facts=(nothing_collected(), on_the_gpu(), reads_columns(MOST)),
        ordered=True,
        by="day",
        after=(_near,),
    ),
    hints=(
        "Ask for the reasons: `report(flights).collect(engine=pl.GPUEngine(raise_on_fail=True))`. The error names the first ones. After each repair ask again.",
        "`cut` is a chain of `pl.when`. A route is `pl.concat_str('origin', 'dest', separator='-')`.",
        "A day is `pl.col('time_hour').dt.truncate('1d')`, and then an ordinary `group_by` has it as a key.",
    ),
    advice={
        "fallback": "Replace one refused step after the other, and ask again. If a reason does not show which step it means, take the expressions out of `agg` one by one.",
        "eager": "Cut nothing in two here: each of the three steps can be said otherwise.",
        "reads": "Which expression takes all columns? Name those that you need.",
        "ties": "Sort by day and then by class.",
    },
    mistakes={
        "left": Mistake(
            "boundary",
            "a delay at a border is in the class above it: 0 is early, 15 is short, and 60 is long.",
            lambda f: _report(f, right=False),
            hint="`<=`.",
        ),
        "lost are late": Mistake(
            "nulls",
            "flights that never arrived are in the class *very long*: their delay is null, and `otherwise` takes it.",
            lambda f: _report(f, lost="very long"),
            hint="Filter before you make classes.",
        ),
        "destinations": Mistake(
            "key",
            "routes counts destinations; a route is an origin with a destination.",
            lambda f: _report(f, by="dest"),
        ),
        "origins": Mistake(
            "key",
            "routes counts origins; a route is an origin with a destination.",
            lambda f: _report(f, by="origin"),
        ),
        "hours": Mistake(
            "unit", "there is a row for each hour; a row for each day was asked for.", lambda f: _report(f, day="h")
        ),
        "least": Mistake("direction", "worst is the smallest delay.", lambda f: _report(f, worst="min")),
        "by class": Mistake("order", "the rows are by class, then by day.", _by_class, hint="`sort('day', 'class')`."),
    },
)
