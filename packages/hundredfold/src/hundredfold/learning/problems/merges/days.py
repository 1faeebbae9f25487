"""``merges.days``: raw weather reports made ready for a join: text, corrected reports, and days in another time zone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..frames import FrameCase, RowsJudge, other_index, rows_stay
from ..problem import Mistake, Problem
from ..properties import Drawn, Property, Strategy, other_data, second_call, sizes
from .tables import texts

ZONE = "America/New_York"


def _stations(reports):
    return reports["station"].str.strip().str.upper()


def windiest(reports: pd.DataFrame) -> pd.DataFrame:
    """The specification: for each station and each day of New York the greatest wind, of the reports as last corrected.

    reports: station (text, in any case, with blanks around), time (text, "2013-07-04 16:51", UTC), issue (int64: of reports of
    one station and time the greatest counts), wind (float64 with nulls). Result: station (tidy), day (datetime64, midnight
    without a zone), wind (null where none of the day's reports has one); rows in any order.
    """
    table = reports.assign(station=_stations(reports), time=pd.to_datetime(reports["time"]))
    table = table.sort_values("issue").drop_duplicates(["station", "time"], keep="last")
    local = table["time"].dt.tz_localize("UTC").dt.tz_convert(ZONE).dt.tz_localize(None)
    return table.assign(day=local.dt.floor("D")).groupby(["station", "day"])["wind"].max().reset_index()


def _mistaken(
    tidy=True,
    late=False,
    corrected="last",
    hours=None,
    zone=True,
    drop=False,
    zeros=False,
    how="max",
    keys=("station", "day"),
):
    """The specification with something else in one place, in pandas."""

    def gives(reports):
        table = reports.assign(time=pd.to_datetime(reports["time"]))
        if tidy:
            table = table.assign(station=_stations(reports))
        if corrected:
            table = table.sort_values("issue").drop_duplicates(["station", "time"], keep=corrected)
        if late:
            table = table.assign(station=_stations(table))
        if drop:
            table = table.dropna(subset=["wind"])
        if zeros:
            table = table.assign(wind=table["wind"].fillna(0.0))
        local = table["time"] + pd.Timedelta(hours=hours or 0)
        if zone and hours is None:
            local = table["time"].dt.tz_localize("UTC").dt.tz_convert(ZONE).dt.tz_localize(None)
        return table.assign(day=local.dt.floor("D")).groupby(list(keys))["wind"].agg(how).reset_index()

    return gives


_SPELT = ("JFK", "jfk ", " LGA", "EWR", "ewr")


def _reports(
    count: int, seed: int, days: int = 4, start: str = "2013-07-03", again: int = 0, stations: tuple[str, ...] = _SPELT
) -> tuple[pd.DataFrame]:
    rng = np.random.default_rng(seed)
    minutes = rng.choice(days * 24 * 60, count, replace=False)
    station = rng.choice(stations, count)
    time = (pd.Timestamp(start) + pd.to_timedelta(minutes, unit="min")).strftime("%Y-%m-%d %H:%M")
    table = pd.DataFrame({"station": station, "time": time, "issue": 1, "wind": rng.random(count) * 40})
    for issue in (2, 3):
        fixed = table.sample(min(again, count), random_state=seed + issue)
        fixed = fixed.assign(
            issue=issue, wind=rng.random(len(fixed)) * 40, station=fixed["station"].str.strip().str.upper()
        )
        table = pd.concat([table, fixed], ignore_index=True)
        table = table.assign(key=table["station"].str.strip().str.upper())
        table = table.drop_duplicates(["key", "time", "issue"]).drop(columns="key")
    table.loc[rng.random(len(table)) < 0.2, "wind"] = np.nan
    table = table.sample(frac=1, random_state=seed).reset_index(drop=True)
    return (table.assign(station=texts(table["station"]), time=texts(table["time"])),)


def _nothing_measured() -> tuple[pd.DataFrame]:
    (table,) = _reports(40, 8)
    table.loc[table["station"].str.strip().str.upper() == "JFK", "wind"] = np.nan
    return (table,)


def _negative() -> tuple[pd.DataFrame]:
    """Temperatures would do as well: what is below zero shows who filled in zeros."""
    (table,) = _reports(60, 9, again=10)
    return (table.assign(wind=table["wind"] - 100),)


def _drawn(rng: np.random.Generator, size: tuple[int, str]) -> tuple[pd.DataFrame]:
    """Reports that begin at a time and run on for four days, a third of them corrected."""
    count, start = size
    return _reports(count, int(rng.integers(1 << 30)), days=max(4, count // 200), start=start, again=count // 3)


_NIGHTS = ("2007-03-10", "2011-03-12", "2016-11-05", "2019-11-02", "2005-04-01", "2023-12-30")


def _years(rng: np.random.Generator, drawn: tuple[Any, ...]) -> tuple[Any, ...]:
    """A report every half hour in the nights in which the clocks change, of several years, and at New Year."""
    parts = [pd.date_range(night, periods=120, freq="30min") for night in _NIGHTS]
    time = np.concatenate([part.strftime("%Y-%m-%d %H:%M") for part in parts])
    wind = np.round(rng.random(len(time)) * 40, 3)
    return (pd.DataFrame({"station": texts(["BOS"] * len(time)), "time": texts(time), "issue": 1, "wind": wind}),)


def _spelt(rng: np.random.Generator, drawn: tuple[Any, ...]) -> tuple[Any, ...]:
    """Names that differ in a blank inside, a digit or a letter at the end."""
    names = rng.choice(["new york", " NEW YORK", "newyork ", "Ks1 ", "KS1", "ks11", "  a", "A"], len(drawn[0]))
    table = drawn[0].assign(station=texts(names))
    key = table["station"].str.strip().str.upper() + table["time"] + table["issue"].astype("str")
    return (table[~key.duplicated()].reset_index(drop=True),)


def _issues(rng: np.random.Generator, drawn: tuple[Any, ...]) -> tuple[Any, ...]:
    """Numbers of issues with gaps: of two reports the later one may be 9 and 10, 0 and 1 000, -3 and -2."""
    numbers = {1: int(rng.integers(-9, 1)), 2: 9, 3: 10}
    return (drawn[0].assign(issue=drawn[0]["issue"].map(numbers)),)


def _last_without(rng: np.random.Generator, drawn: tuple[Any, ...]) -> tuple[Any, ...]:
    """Each correction takes the wind back."""
    return (drawn[0].assign(wind=drawn[0]["wind"].mask(drawn[0]["issue"] > 1)),)


def _far_below(rng: np.random.Generator, drawn: tuple[Any, ...]) -> tuple[Any, ...]:
    """Winds below zero of all sizes: whatever number stands for a null is greater than many of them."""
    table = drawn[0]
    return (table.assign(wind=table["wind"].where(table["wind"].isna(), -(10 ** rng.uniform(0, 300, len(table))))),)


_TEXT = (
    "Text first: `.str.strip().str.upper()`, and `cudf.to_datetime` for the time. Only then are two reports of one station "
    "and time recognised as such."
)
_LATEST = "Of several rows for one thing the last: sort by `issue`, then `drop_duplicates([...], keep='last')`."
_DAY = (
    "A day is a day of New York: `.dt.tz_localize('UTC').dt.tz_convert('America/New_York').dt.tz_localize(None)`, then "
    "`.dt.floor('D')`. Five hours off is right in winter only."
)
_NULL = "`max` leaves nulls out by itself, and gives null where there is nothing else: no `dropna`, no `fillna`."
_ANY = "`max` leaves nulls out by itself. Any number may be a wind, so none can stand for a null."

DAYS = Problem(
    id="merges.days",
    title="From raw reports to days",
    kind="write",
    answers=("windiest",),
    specification=windiest,
    lines=5,
    judge=RowsJudge(
        (
            FrameCase("60 reports", lambda: _reports(60, 1)),
            FrameCase("corrected reports", lambda: _reports(50, 2, again=20)),
            FrameCase("winter", lambda: _reports(70, 3, start="2013-01-15")),
            FrameCase(
                "the night of 3 November", lambda: _reports(90, 4, days=2, start="2013-11-02 20:00", again=9), hint=_DAY
            ),
            FrameCase("a station without wind", _nothing_measured),
            FrameCase("values below zero", _negative),
            FrameCase("one report", lambda: _reports(1, 5)),
        ),
        drawn=Drawn(
            _drawn,
            (60, "2015-08-01"),
            sizes((1, "2014-02-01"), (1_201, "2012-01-01"), words="{0[0]} reports from {0[1]}"),
            Property((Strategy("the nights in which clocks change, of several years", change=_years),), hint=_DAY),
            Property((Strategy("names with blanks inside, and longer ones", change=_spelt),), hint=_TEXT),
            Property(
                (Strategy("issues with gaps", change=_issues), Strategy("corrections without a wind", change=_last_without)),
                hint=_LATEST,
            ),
            Property((Strategy("winds far below zero, of all sizes", change=_far_below),), hint=_ANY),
            other_index(),
            other_data(),
            second_call(),
            case=FrameCase,
        ),
        facts=(rows_stay(),),
        nan=False,
    ),
    hints=(_TEXT, _LATEST, _DAY),
    mistakes={
        "utc": Mistake(
            "zone",
            "those are days of UTC. In New York a day begins four or five hours later.",
            _mistaken(zone=False),
            hint=_DAY,
        ),
        "standard": Mistake(
            "zone",
            "five hours were taken off all year round. From March to November New York is four hours behind UTC.",
            _mistaken(hours=-5),
        ),
        "summer": Mistake(
            "zone",
            "four hours were taken off all year round. In winter New York is five hours behind UTC.",
            _mistaken(hours=-4),
        ),
        "wrong-way": Mistake("zone", "the five hours were added. New York is behind UTC.", _mistaken(hours=5)),
        "untidy": Mistake(
            "key",
            'stations come several times: "jfk " and "JFK" are one. Blanks and capitals make keys that do not match.',
            _mistaken(tidy=False),
            hint=_TEXT,
        ),
        "tidied-late": Mistake(
            "key",
            "two spellings of one station were not recognised as one report, and both count: tidy first, then drop duplicates.",
            _mistaken(tidy=False, late=True),
            hint=_TEXT,
        ),
        "all-issues": Mistake(
            "duplicates",
            "reports that were corrected later still count: of one station and time only the last issue does.",
            _mistaken(corrected=None),
            hint=_LATEST,
        ),
        "first-issue": Mistake(
            "duplicates", "the first issue of each report was kept; asked for: the last.", _mistaken(corrected="first")
        ),
        "unsorted": Mistake(
            "duplicates",
            "the issue was kept that happens to stand last in the table; asked for: the one with the greatest number.",
            lambda reports: windiest(reports.assign(issue=range(len(reports)))),
        ),
        "dropped": Mistake(
            "lost",
            "days on which no wind was measured are missing. They belong to the result, with a null.",
            _mistaken(drop=True),
            hint=_NULL,
        ),
        "dropped-first": Mistake(
            "lost",
            "reports without a wind were dropped. The latest report counts even if its wind is null, and a day on which none was "
            "measured belongs to the result: drop none.",
            lambda reports: windiest(reports.dropna(subset=["wind"])),
        ),
        "zeros": Mistake(
            "nulls",
            "a missing wind was taken for 0. It is not calm when nobody looks: the greatest of none is null.",
            _mistaken(zeros=True),
            hint=_NULL,
        ),
        "calmest": Mistake(
            "direction",
            "that is the least wind of each day; asked for: the greatest.",
            _mistaken(how="min"),
            hint="`max`.",
        ),
    },
)  # fmt: skip
