"""Small tables for the problems of this unit, in pandas, the same at every call."""

from __future__ import annotations

import numpy as np
import pandas as pd

CARRIERS = ("9E", "AA", "B6", "DL", "EV", "UA")


def flights(count: int, seed: int = 0, planes: int = 30, null_share: float = 0.1) -> pd.DataFrame:
    """Flights: flight (int64, from 1), carrier, tailnum (some null), year (int64, 2013)."""
    rng = np.random.default_rng(seed)
    tails = np.array([f"N{number:03d}" for number in range(planes + planes // 3)], dtype=object)
    tailnum = rng.choice(tails, count) if count else np.empty(0, dtype=object)
    tailnum[rng.random(count) < null_share] = None
    return pd.DataFrame(
        {
            "flight": np.arange(1, count + 1),
            "carrier": texts(rng.choice(CARRIERS, count)),
            "tailnum": texts(tailnum),
            "year": np.full(count, 2013),
        }
    )


def planes(count: int, seed: int = 1, twice: int = 0, null: bool = False) -> pd.DataFrame:
    """Planes: tailnum, year in which it was built (int64), seats (float64, a fifth null); in no order.

    `twice` of them stand there a second time, with a later year and other seats; `null` adds two that have no tail number.
    """
    rng = np.random.default_rng(seed)
    tailnum = np.array([f"N{number:03d}" for number in range(count)], dtype=object)
    year = rng.integers(1970, 2000, count)
    again = rng.choice(count, twice, replace=False) if count else np.empty(0, dtype=int)
    tailnum = np.concatenate([tailnum, tailnum[again], np.array([None, None] if null else [], dtype=object)])
    year = np.concatenate([year, year[again] + 5, np.array([1990, 1995] if null else [], dtype=np.int64)])
    seats = rng.integers(1, 80, len(year)) * 5.0
    seats[rng.random(len(year)) < 0.2] = np.nan
    order = rng.permutation(len(year))
    return pd.DataFrame({"tailnum": texts(tailnum), "year": year, "seats": seats}).iloc[order].reset_index(drop=True)


def texts(values: object) -> pd.Series:
    """A column of text, nulls as nulls, and text even where it is empty."""
    return pd.Series(list(values), dtype="str")  # type: ignore[call-overload]


def numbered(frame: object) -> object:
    """A table of pandas or cuDF with the place of each row in a column `row`."""
    return frame.assign(row=range(len(frame)))  # type: ignore[attr-defined,arg-type]
