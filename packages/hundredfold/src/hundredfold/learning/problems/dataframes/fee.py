"""``dataframes.fee``: a function of the user's that no GPU can compile, written so that one can."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..facts import crossings
from ..frames import FrameCase, FrameJudge
from ..problem import Mistake, Problem
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


def _every(rng: np.random.Generator, drawn: tuple[Any, ...]) -> tuple[Any, ...]:
    """Delays of which one might be taken to stand for an unknown one, and some that are unknown."""
    powers = {sign * (base**k - less) for base in (2, 10) for k in range(32) for less in (0, 1) for sign in (-1, 1)}
    delays = [d for d in sorted({*range(-1100, 1101), *powers}) if -(2**31) <= d < 2**31]
    return (tables.table(arr_delay=[*delays, None, None], distance=[80] * len(delays) + [80, 4000]),)


_UNLISTED = (FrameCase("another table", lambda: (tables.made(700, seed=29),)),)


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
            Property(
                (Strategy("every delay that might stand for an unknown one", change=_every),),
                hint="Any number may be a delay: ask whether it is null, before or beside a `fillna`.",
            ),
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
    advice={
        "exception": "A dict and a `try` are two things that a GPU's compiler does not have.",
        "transfer": "Without `to_pandas()`: the rules are conditions on whole columns.",
    },
    mistakes={
        "null stays null": Mistake(
            "nulls",
            "what passengers of a cancelled flight get is null; they get 100. Arithmetic with a null gives a null.",
            lambda f: _fee(f, lost=None),
            hint="A null is asked for with `is cudf.NA` before anything is compared with it; of a whole column, `isna()`.",
        ),
        "null as zero": Mistake(
            "nulls",
            "passengers of a cancelled flight get nothing; they get 100. A null is not a delay of 0.",
            lambda f: _fee(f, lost=0),
            hint="A null is asked for with `is cudf.NA` before anything is compared with it; of a whole column, `isna()`.",
        ),
        "after 180": Mistake(
            "boundary",
            "a delay of exactly 180 minutes is taken for a shorter one: `>=`.",
            lambda f: _fee(f, long=181),
            hint=_BORDERS,
        ),
        "after 60": Mistake(
            "boundary",
            "a delay of exactly 60 minutes is taken for a shorter one: `>=`.",
            lambda f: _fee(f, short=61),
            hint=_BORDERS,
        ),
        "beyond 1 500": Mistake(
            "boundary",
            "a flight of exactly 1 500 miles is taken for a shorter one: `>=`.",
            lambda f: _fee(f, far=1501),
            hint=_BORDERS,
        ),
        "last wins": Mistake(
            "overwritten",
            "every delay from 60 minutes on ends with 50: a later line writes over what an earlier one had found. The most "
            "special rule comes last.",
            _overwritten,
            hint="One amount after the other, the largest delay last; or conditions that exclude each other.",
        ),
    },
)
