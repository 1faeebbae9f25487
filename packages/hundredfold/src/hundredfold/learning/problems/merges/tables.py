"""Small tables for the problems of this unit, in pandas, the same at every call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..frames import FrameCase, other_index, sentinels
from ..properties import Drawn, Property, Strategy, other_data, second_call, sizes

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


def drawn(*properties: Property, more: tuple[Any, ...] = ()) -> Drawn:
    """Flights and planes at random, and what a problem takes besides, with a problem's own properties and those of all of them."""

    def arguments(rng: np.random.Generator, size: tuple[int, int]) -> tuple[Any, ...]:
        count, known = size
        seed = int(rng.integers(1 << 30))
        return flights(count, seed, planes=30), planes(known, seed + 1, twice=known // 3, null=True), *more

    return Drawn(
        arguments,
        (97, 30),
        *properties,
        sizes((1, 30), (0, 30), (31, 0), (3_001, 25), words="{0[0]} flights and {0[1]} planes"),
        repeated_flights(),
        several_entries(),
        sentinels("tailnum", "seats"),
        other_index(hint="The index of a table may be anything: number the rows yourself."),
        other_data(),
        second_call(),
        case=FrameCase,
    )


def repeated_flights() -> Property:
    """Each flight number comes several times, and some rows are equal in all columns."""

    def change(rng: np.random.Generator, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        table = arguments[0].assign(flight=rng.integers(1, 9, len(arguments[0])))
        return pd.concat([table, table[::3]], ignore_index=True), *arguments[1:]

    return Property(
        (Strategy("flight numbers that come several times", change=change),),
        hint="A flight number is no key: the same one flies every day. Two rows may even be equal in all columns.",
    )


def several_entries() -> Property:
    """Planes with three entries in no order, the latest of them with fewer seats, or with none that are known."""

    def change(rng: np.random.Generator, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        count = 20
        table = pd.DataFrame(
            {
                "tailnum": texts([f"N{number:03d}" for number in range(count)] * 3),
                "year": np.repeat([1980, 1990, 2013], count) + np.tile(np.arange(count) % 7, 3),
                "seats": np.concatenate([np.full(count, 300.0), np.full(count, 200.0), np.full(count, np.nan)]),
            }
        )
        table.loc[table.index[2 * count :: 2], "seats"] = 100.0
        return arguments[0], table.iloc[rng.permutation(len(table))].reset_index(drop=True), *arguments[2:]

    return Property(
        (Strategy("planes with three entries", change=change),),
        hint="An entry counts whole: the latest year with the seats of that entry, also where it has none.",
    )
