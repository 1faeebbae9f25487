"""``dataframes.pairs``: two groupbys put side by side by position, in a library whose groups have no order."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..frames import FrameCase, FrameJudge, cudf, rows_stay
from ..problem import Problem, Wrong
from . import tables


def gained(flights: pd.DataFrame) -> pd.DataFrame:
    """The specification: for each destination the mean departure delay less the mean arrival delay, in minutes (float64, null where one of
    them is unknown), by destination in alphabetical order."""
    groups = flights.groupby("dest")
    return _frame(groups["dep_delay"].mean() - groups["arr_delay"].mean())


def _frame(values: pd.Series) -> pd.DataFrame:
    return pd.DataFrame({"dest": values.index.astype("string"), "gained": values.astype("Float64").array})


def _of_rows(flights: pd.DataFrame) -> pd.DataFrame:
    return _frame((flights["dep_delay"] - flights["arr_delay"]).groupby(flights["dest"]).mean())


def _zeros(flights: pd.DataFrame) -> pd.DataFrame:
    return gained(flights.fillna({"dep_delay": 0, "arr_delay": 0}))


def _paired(flights: pd.DataFrame) -> pd.DataFrame:
    """The names in the order in which they first appear, beside values in the order of the names."""
    right = gained(flights)
    return pd.DataFrame({"dest": flights["dest"].unique(), "gained": right["gained"].array})


_LOST = {
    "dest": ["ORD", "ATL", "BOS", "ORD", "SEA", "BOS", "SEA"],
    "dep_delay": [10, 3, 40, 20, None, None, None],
    "arr_delay": [5, 9, None, None, None, None, None],
}

_CASES = (
    FrameCase("the flights of February", lambda: (tables.real(2),)),
    FrameCase("destinations nobody arrived at", lambda: (tables.table(**_LOST),)),
    FrameCase("one flight", lambda: (tables.table(dest=["HNL"], dep_delay=[3], arr_delay=[-8]),)),
    FrameCase("1 009 flights to 7 places", lambda: (tables.made(1009, seed=5),)),
)
_UNLISTED = (FrameCase("another table", lambda: (tables.made(640, seed=23),)),)


def _difference(flights: Any) -> Any:
    groups = flights.groupby("dest")
    return (groups["dep_delay"].mean() - groups["arr_delay"].mean()).rename("gained")


def _side_by_side(flights: Any) -> Any:
    """As it is given: names, departures and arrivals, each in an order of its own."""
    departed = flights.groupby("dest")["dep_delay"].mean().reset_index(drop=True)
    arrived = flights.groupby("dest")["arr_delay"].mean().reset_index(drop=True)
    return cudf.DataFrame({"dest": flights["dest"].unique().reset_index(drop=True), "gained": departed - arrived})


def _sorted_apart(flights: Any) -> Any:
    values = _difference(flights).sort_index().reset_index(drop=True)
    return cudf.DataFrame({"dest": flights["dest"].unique().reset_index(drop=True), "gained": values})


def _one_table(flights: Any) -> Any:
    means = flights.groupby("dest", as_index=False)[["dep_delay", "arr_delay"]].mean()
    means["gained"] = means["dep_delay"] - means["arr_delay"]
    return means[["dest", "gained"]].sort_values("dest")


def _sorted_groups(flights: Any) -> Any:
    means = flights.groupby("dest", sort=True).agg({"dep_delay": "mean", "arr_delay": "mean"})
    return (means["dep_delay"] - means["arr_delay"]).rename("gained").reset_index()


PAIRS = Problem(
    id="dataframes.pairs",
    title="Repair: whose number is this?",
    kind="repair",
    answers=("gained",),
    lines=4,
    judge=FrameJudge(
        cases=_CASES,
        unlisted=_UNLISTED,
        drawn=tables.drawn(
            tables.with_nulls(
                "dep_delay",
                "arr_delay",
                "dep_time",
                "carrier",
                hint="Each mean leaves out its own nulls, and no others.",
            ),
            tables.nobody_arrives("dest", "arr_delay", words="three places where nobody arrived"),
            tables.nobody_arrives("dest", "dep_delay", words="three places of which no departure is known"),
        ),
        facts=(rows_stay(),),
        keys=("dest",),
        verified="each number stands beside its own destination",
    ),
    specification=gained,
    hints=(
        "Print the three columns before they are put together, with their indexes. Which rows belong together?",
        "A groupby gives its groups in no order, and `unique` in one of its own. What tells you whose number it is "
        "is the index, until `reset_index(drop=True)` throws it away.",
        "Subtract one mean from the other as they are: cuDF aligns by the index. Then `sort_index()`, and the index becomes a column.",
    ),
    wrong={
        "as given": Wrong(
            _side_by_side,
            "paired",
            hint="What tells whose number it is was thrown away by `reset_index(drop=True)`: keep the index until the end.",
        ),
        "sorted apart": Wrong(
            _sorted_apart,
            "paired",
            gives=_paired,
            why="the numbers are in alphabetical order of their destinations, the names in another: they stand side by side, and "
            "do not belong together.",
        ),
        "unsorted": Wrong(lambda f: _difference(f).reset_index(), "order"),
        "index": Wrong(lambda f: _difference(f).sort_index().to_frame(), "labels"),
        "series": Wrong(lambda f: _difference(f).sort_index(), "type"),
        "host": Wrong(lambda f: _difference(f).sort_index().reset_index().to_pandas(), "host"),
        "null as zero": Wrong(
            lambda f: _difference(f.fillna({"dep_delay": 0, "arr_delay": 0})).sort_index().reset_index(),
            "nulls",
            gives=_zeros,
            why="flights whose delay is unknown were counted as punctual.",
            hint="`mean` leaves nulls out by itself: no `fillna`.",
        ),
        "dropna": Wrong(lambda f: _difference(f).dropna().sort_index().reset_index(), "dropped"),
        "difference of rows": Wrong(
            lambda f: (
                (f["dep_delay"] - f["arr_delay"]).groupby(f["dest"]).mean().rename("gained").sort_index().reset_index()
            ),
            "rows",
            gives=_of_rows,
            why="that is the mean of the differences, over flights of which both delays are known. Asked for is the difference "
            "of the means: each over all flights of which it is known.",
            hint="First two means for each destination, each without its own nulls; then subtract once.",
        ),
        "sign": Wrong(lambda f: (-_difference(f)).rename("gained").sort_index().reset_index(), "sign"),
    },
    right={
        "aligned": lambda f: _difference(f).sort_index().reset_index(),
        "one table": _one_table,
        "sorted groups": _sorted_groups,
    },
)
