"""``polars.rule``: a Python function for each row, which sends a whole query to the CPU, becomes an expression."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..frames import SENTINELS
from ..problem import Mistake, Problem
from ..properties import Property, Strategy
from . import tables
from .judging import QueryCase, QueryJudge, nothing_collected, on_the_gpu

FAR, HOUR, LONG = 1500, 60, 180


def fees(flights: pd.DataFrame) -> pd.DataFrame:
    """The specification: for each carrier what it pays for late arrivals, in dollars, by carrier in alphabetical order."""
    return _fees(flights)


def _fees(
    flights: pd.DataFrame,
    unknown: int = 100,
    hour: int = HOUR,
    long: int = LONG,
    far: int = FAR,
    turned: bool = False,
    overwritten: bool = False,
) -> pd.DataFrame:
    delay = flights["arr_delay"].to_numpy(dtype="float64", na_value=np.nan)
    distance = flights["distance"].to_numpy(dtype="float64", na_value=np.nan)
    is_far = distance < far if turned else distance >= far
    steps = [delay >= long, delay >= hour]
    values: list[Any] = [np.where(is_far, 600, 400), 50]
    if overwritten:
        steps, values = steps[::-1], values[::-1]
    dollars = np.select([np.isnan(delay), *steps], [unknown, *values], 0)
    out = pd.DataFrame({"carrier": flights["carrier"], "dollars": dollars}).groupby("carrier")["dollars"].sum()
    return out.sort_index().reset_index()


_EACH = {
    "carrier": ["A", "B", "C", "D", "E", "F", "G", "H"],
    "arr_delay": [None, 59, 60, 179, 180, 180, 500, -20],
    "distance": [2000, 2000, 2000, 2000, 1500, 1499, 3000, 100],
}


def _at_fifteen_hundred(rng: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    (flights,) = arguments
    count = flights.num_rows
    return (
        tables.replaced(
            flights,
            distance=rng.integers(1499, 1502, count).tolist(),
            arr_delay=rng.integers(178, 182, count).tolist(),
        ),
    )


def _sentinels(rng: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Delays of which one might be taken to stand for an unknown one, and some that are unknown."""
    delays = [int(delay) for delay in rng.permutation(SENTINELS)]
    return (tables.table(arr_delay=[*delays, None, None], distance=[80] * (len(delays) + 2)),)


RULE = Problem(
    id="polars.rule",
    title="A function that no GPU engine can read",
    kind="repair",
    answers=("fees",),
    specification=fees,
    lines=9,
    judge=QueryJudge(
        cases=(
            QueryCase("a flight of each kind", lambda: (tables.table(**_EACH),)),
            QueryCase("the flights of February", lambda: (tables.real(2),)),
            QueryCase(
                "nobody arrived", lambda: (tables.table(carrier=["UA", "AA", "UA"], arr_delay=[None, None, None]),)
            ),
            QueryCase("997 flights", lambda: (tables.made(997, seed=5),)),
        ),
        unlisted=(QueryCase("another table", lambda: (tables.made(640, seed=23),)),),
        drawn=tables.drawn(
            tables.at_borders(HOUR, LONG, hint="60 and 180 belong to the row of the table that names them."),
            tables.with_nulls(
                "carrier", "distance", hint="An unknown arrival costs 100 dollars. No other null matters."
            ),
            Property(
                (Strategy("distances near 1 500 miles", change=_at_fifteen_hundred),),
                hint="1 500 miles are far.",
            ),
            Property(
                (Strategy("every delay that might stand for an unknown one", change=_sentinels),),
                hint="Any number may be a delay: ask whether it is null.",
            ),
        ),
        facts=(nothing_collected(), on_the_gpu()),
        ordered=True,
        by="carrier",
    ),
    hints=(
        "The GPU engine reads expressions. Python's code is a closed box to it. Which expression says *if … then … otherwise*?",
        "`pl.when(condition).then(value).otherwise(value)`. Several `when … then` follow one another, and the first that is true counts.",
        "Begin with `pl.when(pl.col('arr_delay').is_null()).then(100)`: a comparison with a null is no condition that holds.",
    ),
    advice={
        "fallback": "Write the rule with `pl.when`: it has a translation.",
        "eager": "The caller collects. Leave it a query.",
        "order": "`sort('carrier')` at the end.",
    },
    mistakes={
        "unknown is free": Mistake(
            "nulls",
            "an unknown arrival costs nothing here; it should cost 100 dollars.",
            lambda f: _fees(f, unknown=0),
            hint="A comparison with a null is null, and then the branch of `otherwise` is taken. Ask `is_null()` first.",
        ),
        "after an hour": Mistake(
            "boundary",
            "a delay of exactly 60 minutes costs nothing here; it should cost 50 dollars.",
            lambda f: _fees(f, hour=HOUR + 1),
        ),
        "after three hours": Mistake(
            "boundary",
            "a delay of exactly 180 minutes was taken for a shorter one.",
            lambda f: _fees(f, long=LONG + 1),
        ),
        "farther": Mistake(
            "boundary",
            "a flight of exactly 1 500 miles was taken for a shorter one.",
            lambda f: _fees(f, far=FAR + 1),
        ),
        "turned round": Mistake("operands", "far and near flights were exchanged.", lambda f: _fees(f, turned=True)),
        "overwritten": Mistake(
            "overwritten",
            "a delay of three hours costs 50 dollars here: the first `when` that is true counts.",
            lambda f: _fees(f, overwritten=True),
            hint="The narrower condition comes first.",
        ),
    },
)
