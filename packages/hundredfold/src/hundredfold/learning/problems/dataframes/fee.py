"""``dataframes.fee``: a function of the user's that no GPU can compile, written so that one can."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..edits import edit
from ..facts import crossings
from ..frames import FrameCase, FrameJudge, cudf
from ..problem import Problem, Wrong
from ..properties import Property, Strategy
from . import tables


def fee(flights: pd.DataFrame) -> pd.Series:
    """The specification: what each passenger gets, in dollars (int64), row by row in the order of the table: 100 where the arrival delay
    is null; 600 from 180 minutes on if the flight goes 1 500 miles or more, 400 if less; 50 from 60 minutes on; else 0."""
    return _fee(flights)


def _fee(flights: pd.DataFrame, long: float = 180, short: float = 60, far: float = 1500, lost: Any = 100) -> pd.Series:
    delay = flights["arr_delay"].to_numpy(dtype="float64", na_value=np.nan)
    distance = flights["distance"].to_numpy(dtype="float64")
    with np.errstate(invalid="ignore"):
        out = np.select(
            [np.isnan(delay), delay >= long, delay >= short], [-1, np.where(distance >= far, 600, 400), 50], 0
        )
    series = pd.Series(out).astype("Int64")
    return series.mask(out == -1, pd.NA if lost is None else lost)


def _overwritten(flights: pd.DataFrame) -> pd.Series:
    """Every rule in turn over all rows that it fits, the smallest delay last."""
    right = fee(flights)
    return right.mask((flights["arr_delay"] >= 60).fillna(False).to_numpy(dtype=bool), 50)


_EDGES = {
    "arr_delay": [59, 60, 61, 179, 180, 181, 180, 180, None, None, -20, 2_000_000_000],
    "distance": [1500, 1500, 80, 1500, 1499, 1500, 1500, 1501, 1500, 80, 4000, 1499],
}

_CASES = (
    FrameCase("the flights of February", lambda: (tables.real(2),)),
    FrameCase("delays and distances on each border", lambda: (tables.table(**_EDGES),)),
    FrameCase("one flight that was cancelled", lambda: (tables.table(arr_delay=[None], dep_time=[None]),)),
    FrameCase("1 013 flights", lambda: (tables.made(1013, seed=7),)),
)
_BORDERS = "Look at the other borders as well: from 60, from 180 minutes, from 1 500 miles on."


def _close(rng: np.random.Generator, drawn: tuple[Any, ...]) -> tuple[Any, ...]:
    rows = drawn[0].num_rows
    delays = rng.choice([59, 60, 61, 179, 180, 181], rows).tolist()
    return (tables.table(arr_delay=delays, distance=rng.choice([1499, 1500, 1501], rows).tolist()),)


_UNLISTED = (FrameCase("another table", lambda: (tables.made(700, seed=29),)),)


def _given(flights: Any) -> Any:
    def rule(row):
        dollars = {"far": 600, "near": 400}
        try:
            delay = int(row["arr_delay"])
        except TypeError:
            return 100
        if delay >= 180:
            return dollars["far" if row["distance"] >= 1500 else "near"]
        return 50 if delay >= 60 else 0

    return flights.apply(rule, axis=1)


def _by_rows(flights: Any) -> Any:
    def rule(row):
        delay = row["arr_delay"]
        if delay is _na:
            return 100
        if delay >= 180:
            return 600 if row["distance"] >= 1500 else 400
        return 50 if delay >= 60 else 0

    _na = cudf.NA
    return flights.apply(rule, axis=1)


def _masks(flights: Any) -> Any:
    delay, distance = flights["arr_delay"], flights["distance"]
    out = (delay.fillna(0) * 0).astype("int64").mask((delay >= 60).fillna(False), 50)
    out = out.mask((delay >= 180).fillna(False), 400)
    out = out.mask(((delay >= 180) & (distance >= 1500)).fillna(False), 600)
    return out.mask(delay.isna(), 100)


def _sums(flights: Any) -> Any:
    """By adding up what each step adds."""
    known = flights["arr_delay"].fillna(0)
    steps = 50 * (known >= 60).astype("int64") + 350 * (known >= 180).astype("int64")
    steps = steps + 200 * ((known >= 180) & (flights["distance"] >= 1500)).astype("int64")
    return steps + 100 * flights["arr_delay"].isna().astype("int64")


def _through_pandas(flights: Any) -> Any:
    rows = flights.to_pandas()
    known = rows["arr_delay"]
    out = np.select(
        [known.isna(), (known >= 180) & (rows["distance"] >= 1500), known >= 180, known >= 60], [100, 600, 400, 50], 0
    )
    return cudf.Series(out)


FEE = Problem(
    id="dataframes.fee",
    title="Repair: no GPU can compile this",
    kind="repair",
    answers=("fee",),
    lines=8,
    judge=FrameJudge(
        cases=_CASES,
        unlisted=_UNLISTED,
        drawn=tables.drawn(
            Property((Strategy("delays and distances close to every border", change=_close),), hint=_BORDERS),
            tables.with_nulls("arr_delay", "month", "carrier", "origin", "dest", "dep_time", "dep_delay"),
        ),
        facts=(crossings("the table stayed on the device", to_device=None),),
        result="series",
    ),
    specification=fee,
    hints=(
        "Which lines does a machine need that can allocate nothing and catch nothing? Those have to go.",
        "A null is compared with `is cudf.NA`, before anything is done with it. Two amounts need no dict.",
        "Or without `apply`: start with zeros and let `mask(condition, value)` write one amount after the other, the largest delay last. A "
        "condition on a null is null: `fillna(False)`.",
    ),
    wrong={
        "as given": Wrong(
            _given, "exception", hint="A dict and a `try` are two things that a GPU's compiler does not have."
        ),
        "through pandas": Wrong(
            _through_pandas, "transfer", hint="Without `to_pandas()`: the rules are conditions on whole columns."
        ),
        "host": edit(_masks, (".mask(delay.isna(), 100)", ".mask(delay.isna(), 100).to_pandas()"), reason="host"),
        "null stays null": edit(
            _masks,
            ("delay.isna(), 100", "delay.isna(), None"),
            reason="nulls",
            gives=lambda f: _fee(f, lost=None),
            why="what passengers of a cancelled flight get is null; they get 100. Arithmetic with a null gives a null.",
            hint="A null is asked for with `is cudf.NA` before anything is compared with it; of a whole column, `isna()`.",
        ),
        "null as zero": edit(
            _masks,
            ('flights["arr_delay"]', 'flights["arr_delay"].fillna(0)'),
            reason="nulls",
            gives=lambda f: _fee(f, lost=0),
            why="passengers of a cancelled flight get nothing; they get 100. A null is not a delay of 0.",
            hint="A null is asked for with `is cudf.NA` before anything is compared with it; of a whole column, `isna()`.",
        ),
        "after 180": edit(
            _masks,
            every=("delay >= 180", "delay > 180"),
            reason="boundary",
            gives=lambda f: _fee(f, long=181),
            why="a delay of exactly 180 minutes is taken for a shorter one: `>=`.",
            hint=_BORDERS,
        ),
        "after 60": edit(
            _masks,
            ("delay >= 60", "delay > 60"),
            reason="boundary",
            gives=lambda f: _fee(f, short=61),
            why="a delay of exactly 60 minutes is taken for a shorter one: `>=`.",
            hint=_BORDERS,
        ),
        "beyond 1 500": edit(
            _masks,
            ("distance >= 1500", "distance > 1500"),
            reason="boundary",
            gives=lambda f: _fee(f, far=1501),
            why="a flight of exactly 1 500 miles is taken for a shorter one: `>=`.",
            hint=_BORDERS,
        ),
        "last wins": edit(
            _masks,
            (".mask(delay.isna(), 100)", ".mask(delay.isna(), 100).mask((delay >= 60).fillna(False), 50)"),
            reason="overwritten",
            gives=_overwritten,
            why="every delay from 60 minutes on ends with 50: a later line writes over what an earlier one had found. The most "
            "special rule comes last.",
            hint="One amount after the other, the largest delay last; or conditions that exclude each other.",
        ),
        "float": edit(_masks, ("int64", "float64"), reason="dtype"),
        "frame": edit(_masks, ("isna(), 100)", 'isna(), 100).to_frame("fee")'), reason="type"),
    },
    right={"a function of rows": _by_rows, "masks": _masks, "sums": _sums},
)
