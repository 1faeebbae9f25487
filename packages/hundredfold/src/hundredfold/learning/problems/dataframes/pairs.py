"""``dataframes.pairs``: two groupbys put side by side by position, in a library whose groups have no order."""

from __future__ import annotations

import pandas as pd

from ..frames import FrameCase, FrameJudge, rows_stay
from ..problem import Mistake, Problem
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
        facts=(rows_stay(by="dest"),),
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
    advice={
        "paired": "What tells whose number it is was thrown away by `reset_index(drop=True)`: keep the index until the end.",
    },
    mistakes={
        "sorted apart": Mistake(
            "paired",
            "the numbers are in alphabetical order of their destinations, the names in another: they stand side by side, and "
            "do not belong together.",
            _paired,
        ),
        "null as zero": Mistake(
            "nulls",
            "flights whose delay is unknown were counted as punctual.",
            _zeros,
            hint="`mean` leaves nulls out by itself: no `fillna`.",
        ),
        "difference of rows": Mistake(
            "rows",
            "that is the mean of the differences, over flights of which both delays are known. Asked for is the difference "
            "of the means: each over all flights of which it is known.",
            _of_rows,
            hint="First two means for each destination, each without its own nulls; then subtract once.",
        ),
    },
)
