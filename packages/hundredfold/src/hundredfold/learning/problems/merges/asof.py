"""``merges.asof``: the last weather before each flight: an as-of join, which cuDF does not have. Open-ended: judged by its
traffic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..devices import cp
from ..frames import FrameCase, RowsJudge, other_index, rows_stay, sentinels
from ..problem import Mistake, Problem
from ..properties import Drawn, Property, Strategy, other_data, second_call, sizes
from .tables import texts
from .thrift import Thrift

TOLERANCE = pd.Timedelta(hours=2)


def _joined(flights: pd.DataFrame, weather: pd.DataFrame, **options: object) -> pd.DataFrame:
    """pandas' as-of join of unsorted tables, the flights' rows in their order."""
    options = {"by": "origin", "tolerance": TOLERANCE, **options}
    if options["by"] is None:
        weather = weather[["time", "wind"]]
    left = flights.assign(row=np.arange(len(flights))).sort_values("time", kind="stable")
    out = pd.merge_asof(left, weather.sort_values("time", kind="stable"), on="time", **options)  # type: ignore[call-overload]
    return out.sort_values("row").drop(columns="row").reset_index(drop=True)


def last_seen(flights: pd.DataFrame, weather: pd.DataFrame) -> pd.DataFrame:
    """The specification: flights (flight, origin, time) in their order, with the `wind` of the latest observation at their origin
    that is not later than their time and at most two hours older; null where there is none, or where that one has none."""
    return _joined(flights, weather)


def _device(flights, weather, side="right", hours=2.0, by=True, drop=False, whole=True):
    """Search in one sorted key: stations one after the other, in each the times."""
    import cudf

    weather = weather.dropna(subset=["wind"]) if drop else weather
    if not len(weather) or not len(flights):
        return flights.assign(wind=cp.full(len(flights), cp.nan))
    weather = weather.sort_values(["origin", "time"]).reset_index(drop=True)
    codes = cudf.concat([weather["origin"], flights["origin"]]).astype("category").cat.codes.astype("int64").values
    there, here = (codes[: len(weather)], codes[len(weather) :]) if by else (0, 0)
    seen, wanted = (table["time"].astype("datetime64[us]").astype("int64").values for table in (weather, flights))
    first = cp.minimum(seen.min(), wanted.min())
    span = cp.maximum(seen.max(), wanted.max()) - first + 1
    keys = there * span + seen - first
    order = cp.argsort(keys)
    place = cp.searchsorted(keys[order], here * span + wanted - first, side=side) - 1
    at = order[cp.maximum(place, 0)]
    age = wanted - seen[at]
    limit = hours * 3_600_000_000
    good = (place >= 0) & ((age <= limit) if whole else (age < limit))
    if by:
        good &= there[at] == here
    wind = weather["wind"].fillna(np.nan).values[at]
    return flights.assign(wind=cp.where(good, wind, cp.nan))


def _table(
    stations: int, observations: int, count: int, seed: int, lonely: bool = True
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Hourly observations at odd minutes, some without a wind and some missing, in no order; flights at any minute."""
    rng = np.random.default_rng(seed)
    names = [f"S{number:02d}" for number in range(stations)]
    start = pd.Timestamp("2013-01-01")
    origin = np.repeat(names, observations)
    minute = np.tile(np.arange(observations) * 60, stations) + rng.integers(0, 50, stations * observations)
    wind = rng.random(len(origin)) * 40
    wind[rng.random(len(origin)) < 0.15] = np.nan
    weather = pd.DataFrame({"origin": texts(origin), "time": _times(start, minute), "wind": wind})
    weather = weather.sample(frac=0.7, random_state=seed).reset_index(drop=True)
    from_ = rng.choice([*names, "PHL"] if lonely else names, count) if count else []
    when = _times(start - pd.Timedelta(hours=3), rng.integers(0, (observations + 6) * 60, count))
    flights = pd.DataFrame({"flight": np.arange(1, count + 1), "origin": texts(from_), "time": when})
    return flights, weather


def _times(start: pd.Timestamp, minutes: np.ndarray) -> pd.Series:
    return pd.Series((start + pd.to_timedelta(minutes, unit="min")).astype("datetime64[us]"))


def _few() -> tuple[pd.DataFrame, pd.DataFrame]:
    """One flight for each rule: at the minute, later, an hour and a half later, two hours later, a minute more, before all, elsewhere, at no station."""
    hours = ["08:00", "08:30", "11:30", "12:00", "12:01", "05:00", "08:10", "09:00"]
    flights = pd.DataFrame(
        {
            "flight": range(8, 0, -1),
            "origin": texts(["JFK"] * 6 + ["LGA", "PHL"]),
            "time": _day(hours),
        }
    )
    weather = pd.DataFrame(
        {
            "origin": texts(["JFK", "LGA", "JFK", "JFK"]),
            "time": _day(["10:00", "07:59", "08:00", "06:30"]),
            "wind": [12.0, 30.0, 5.0, 8.0],
        }
    )
    return flights, weather


def _day(hours: list[str]) -> pd.Series:
    return pd.Series(pd.to_datetime([f"2013-07-04 {hour}" for hour in hours]).astype("datetime64[us]"))


def _borders(rng: np.random.Generator, drawn: tuple[Any, ...]) -> tuple[Any, ...]:
    """Each flight's time is an observation's, or two hours after one, or a microsecond or some seconds beside either."""
    flights, weather = drawn
    weather = weather[::3]  # so that two hours after an observation there is mostly no other one
    within = rng.integers(0, 60_000_000, len(weather)).astype("timedelta64[us]")  # of the minute
    weather = weather.assign(time=weather["time"].to_numpy() + within).drop_duplicates(
        ["origin", "time"], ignore_index=True
    )
    at = rng.integers(0, len(weather), len(flights))
    beside = (
        rng.choice([0, 1, -1, 30_000_000, -30_000_000], len(flights))
        + rng.choice([0, 2, 3], len(flights)) * 3_600_000_000
    )
    time = weather["time"].to_numpy()[at] + beside.astype("timedelta64[us]")
    return flights.assign(origin=weather["origin"].array[at], time=time), weather


def _long(rng: np.random.Generator, drawn: tuple[Any, ...]) -> tuple[Any, ...]:
    """Two stations that report every two hours for fourteen months, and flights mostly near the beginning and the end."""
    days = 430
    minute = np.concatenate([np.arange(days * 12) * 120 + rng.integers(0, 100, days * 12) for _ in range(2)])
    origin = np.repeat(["S00", "S01"], days * 12)
    weather = pd.DataFrame(
        {"origin": texts(origin), "time": _times(pd.Timestamp("2012-01-01"), minute), "wind": rng.random(len(minute))}
    )
    count = 400
    at = rng.choice(np.concatenate([np.arange(30 * 1440), np.arange(days * 1440 - 60 * 1440, days * 1440)]), count)
    when = _times(pd.Timestamp("2012-01-01"), at)
    flights = pd.DataFrame(
        {"flight": np.arange(count), "origin": texts(rng.choice(["S00", "S01"], count)), "time": when}
    )
    return flights, weather.sample(frac=1, random_state=1).reset_index(drop=True)


def _goes_on(rng: np.random.Generator, drawn: tuple[Any, ...]) -> tuple[Any, ...]:
    """Observations that begin long before the first flight and go on long after the last one."""
    _, weather = _table(3, 400, 0, int(rng.integers(1 << 30)))
    flights = drawn[0]
    when = _times(pd.Timestamp("2013-01-08"), rng.integers(0, 24 * 60, len(flights)))
    return flights.assign(time=when), weather


def _afterwards(rng: np.random.Generator, drawn: tuple[Any, ...]) -> tuple[Any, ...]:
    """Flights within two hours after the last observation of all; the stations began at the same time."""
    flights, weather = drawn
    return flights.assign(time=_times(weather["time"].max(), rng.integers(1, 120, len(flights)))), weather


def _repeated(rng: np.random.Generator, drawn: tuple[Any, ...]) -> tuple[Any, ...]:
    """Flight numbers that come several times, and rows that are equal in all columns."""
    flights, weather = drawn
    flights = flights.assign(flight=rng.integers(1, 9, len(flights)))
    return pd.concat([flights, flights[::3]], ignore_index=True), weather


def _calm(rng: np.random.Generator, drawn: tuple[Any, ...]) -> tuple[Any, ...]:
    """Winds of 0 and below."""
    return drawn[0], drawn[1].assign(
        wind=drawn[1]["wind"].mask(rng.random(len(drawn[1])) < 0.5, 0.0) - 3 * (drawn[1]["wind"] > 20)
    )


def _elsewhere(rng: np.random.Generator, drawn: tuple[Any, ...]) -> tuple[Any, ...]:
    """Flights from stations of which there is no weather, before, between and after those of which there is."""
    origin = rng.choice(["AAA", "S00", "S01", "S01x", "ZZZ", "s00"], len(drawn[0]))
    return drawn[0].assign(origin=texts(origin)), drawn[1]


ASOF = Problem(
    id="merges.asof",
    title="The last weather before each flight",
    kind="open",
    answers=("last_seen",),
    specification=last_seen,
    lines=14,
    judge=RowsJudge(
        (
            FrameCase("eight flights", _few),
            FrameCase("97 flights at 3 stations", lambda: _table(3, 20, 97, 1)),
            FrameCase("one station", lambda: _table(1, 30, 41, 2, lonely=False)),
            FrameCase("one flight", lambda: _table(2, 5, 1, 3)),
            FrameCase("no weather", lambda: _table(2, 0, 5, 4)),
            FrameCase("no flights", lambda: _table(2, 5, 0, 5)),
        ),
        drawn=Drawn(
            lambda rng, size: _table(*size, int(rng.integers(1 << 30))),
            (3, 30, 90),
            sizes((1, 1, 1), (29, 3, 211), words="{0[2]} flights at {0[0]} stations"),
            Property((Strategy("times close to every border", change=_borders),), hint="Not later, and at most two hours older, to the last microsecond."),
            Property((Strategy("fourteen months of weather", change=_long), Strategy("flights of one day, and more than two weeks of weather", change=_goes_on), Strategy("flights after all of the weather", change=_afterwards)), hint="If the key has a span for each station: is it longer than all of time that comes?"),
            Property((Strategy("flight numbers that come several times", change=_repeated),), hint="A flight number is no key: number the rows yourself."),
            Property((Strategy("winds of 0 and below", change=_calm), Strategy("stations without weather", change=_elsewhere))),
            sentinels("wind"),
            other_index(hint="The index of a table may be anything: number the rows yourself."),
            other_data(),
            second_call(),
            case=FrameCase,
        ),
        facts=(rows_stay("no rows left the device", hint="`searchsorted`, `argsort` and comparisons all work on the device."),),
        ordered=True,
        after=(
            Thrift(FrameCase("2 000 flights at 3 stations", lambda: _table(3, 400, 2000, 6)), kernels=1200, tables=12),
            Thrift(FrameCase("500 flights at 300 stations", lambda: _table(300, 2, 500, 7)), kernels=300),
        ),
    ),
    hints=(
        "cuDF has no `merge_asof`, but CuPy has `searchsorted`: in the sorted times of one station, "
        "`searchsorted(times, t, side='right') - 1` is the place of the last one that is not later than t.",
        "All stations at once: make one number of both keys, `code * span + time - first`, where `code` counts the stations and "
        "`span` is longer than all of time. Sorted by it, the stations stand one after the other.",
        "Then look at what was found: does it belong to the same station, and is it at most two hours old? "
        "`cp.where(good, wind, cp.nan)`. Codes: `cudf.concat([...]).astype('category').cat.codes`; values of a column that has "
        "nulls: `.fillna(np.nan).values`.",
    ),
    advice={
        "order": "The wind belongs beside the flights as they were given: sort the weather, never the flights, or number them first.",
    },
    mistakes={
        "forward": Mistake(
            "direction",
            "it takes the first observation *after* the flight. Nobody could have known it; models that are fitted to such data "
            "are splendid until they are used.",
            lambda f, w: _joined(f, w, direction="forward"),
        ),
        "nearest": Mistake(
            "direction",
            "it takes the nearest observation, which may lie in the future; asked for: the last before.",
            lambda f, w: _joined(f, w, direction="nearest"),
        ),
        "strict": Mistake(
            "border",
            "an observation of the very minute of the flight was passed over: not later than it includes it (`side='right'`).",
            lambda f, w: _joined(f, w, allow_exact_matches=False),
        ),
        "two-hours": Mistake(
            "border",
            "an observation of exactly two hours before was thrown away: at most two hours includes it.",
            lambda f, w: _joined(f, w, tolerance=pd.Timedelta(hours=2) - pd.Timedelta(microseconds=1)),
        ),
        "stale": Mistake(
            "stale",
            "it takes observations that are more than two hours old. Such a one says nothing: null.",
            lambda f, w: _joined(f, w, tolerance=None),
        ),
        "one-hour": Mistake(
            "stale",
            "it takes no observation that is older than one hour; allowed are two.",
            lambda f, w: _joined(f, w, tolerance=pd.Timedelta(hours=1)),
        ),
        "any-station": Mistake(
            "key",
            "it takes the last observation of any station; asked for: that of the flight's origin.",
            lambda f, w: _joined(f, w, by=None),
        ),
        "skips-nulls": Mistake(
            "nulls",
            "where the last observation has no wind, it takes an older one that has. Asked for: the last one, whatever it says.",
            lambda f, w: _joined(f, w.dropna(subset=["wind"])),
        ),
    },
)  # fmt: skip
