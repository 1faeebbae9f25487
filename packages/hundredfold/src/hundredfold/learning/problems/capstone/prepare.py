"""``capstone.prepare``: flights as they were recorded, made into what the rest of track A can build on. A repair: four mistakes, none of
which raises an error."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pandas as pd

from ..cases import Case
from ..frames import FrameCase, RowsJudge
from ..merges.tables import texts
from ..problem import Mistake, Problem
from ..properties import Drawn, Property, Strategy, other_data

OLDEST = pd.Timedelta(hours=2)
FASTEST = 200.0  # miles per hour: no wind at an airport was ever that fast


def _prepared(
    flights: pd.DataFrame,
    weather: pd.DataFrame,
    *,
    cancelled: str = "out",
    plausible: bool = True,
    by: str | None = "origin",
    drop: bool = False,
    **options: object,
) -> pd.DataFrame:
    due = flights["time_hour"] + pd.to_timedelta(flights["minute"], unit="min")
    table = flights.assign(due=due, late=flights["dep_delay"])[["tailnum", "origin", "due", "late"]]
    table = (
        table.fillna({"late": 0.0})
        if cancelled == "zero"
        else table
        if cancelled == "in"
        else table.dropna(subset=["late"])
    )
    table = table.dropna(subset=["tailnum"])
    seen = weather.rename(columns={"time_hour": "due", "wind_speed": "wind"})[["origin", "due", "wind"]]
    if plausible:
        seen = seen.assign(wind=seen["wind"].where(seen["wind"] <= FASTEST))
    seen = seen.dropna(subset=["wind"]) if drop else seen
    options = {"tolerance": OLDEST, "by": by, **options}
    seen = seen if by else seen.drop(columns="origin")
    table = pd.merge_asof(
        table.sort_values("due", kind="stable"), seen.sort_values("due", kind="stable"), on="due", **options
    )  # type: ignore[call-overload]
    return table.sort_values(["tailnum", "due"], kind="stable", ignore_index=True)[
        ["tailnum", "origin", "due", "late", "wind"]
    ]


def prepare(flights: pd.DataFrame, weather: pd.DataFrame) -> pd.DataFrame:
    """The specification: a row for each flight that left and whose plane is known, by plane and then by time.

    Parameters
    ----------
    flights : tailnum, origin, time_hour (the hour in which it was due, UTC), minute, dep_delay (null: it never left)
    weather : origin, time_hour (UTC), wind_speed in miles per hour

    Returns
    -------
    tailnum, origin, due, late, wind
        `wind`: of the latest report at the origin that is not later than `due` and at most two hours older; null where there is
        none, or where it has none, or one above 200 miles per hour.
    """
    return _prepared(flights, weather)


def _tables(
    count: int,
    seed: int,
    hours: int = 30,
    gaps: float = 0.15,
    names: tuple[str, ...] = ("EWR", "JFK", "LGA"),
    silent: tuple[str, ...] = ("ABE", "PHL"),
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Flights at airports that report and at some that never do; reports every hour, some missing, without a wind, or with any up to
    1 048."""
    rng = np.random.default_rng(seed)
    start = pd.Timestamp("2013-03-09 22:00")
    origin = np.repeat(np.array(names, dtype=object), hours)
    wind = rng.random(len(origin)) * 40
    wind[rng.random(len(origin)) < 0.1] = np.nan
    odd = rng.random(len(origin)) < 0.2
    wind[odd] = rng.choice([0.0, 74.5, 120.0, 200.0, 200.5, 350.0, 1_048.0], odd.sum())
    weather = pd.DataFrame(
        {
            "origin": texts(origin),
            "time_hour": _times(start, np.tile(np.arange(hours) * 60, len(names))),
            "wind_speed": wind,
        }
    )
    weather = weather[rng.random(len(weather)) >= gaps].sample(frac=1, random_state=seed).reset_index(drop=True)
    tails = rng.choice(np.array([f"N{number}" for number in range(100, 100 + max(count // 4, 1))], dtype=object), count)
    tails[rng.random(count) < 0.1] = None
    delay = np.round(rng.normal(10, 30, count))
    delay[rng.random(count) < 0.15] = np.nan
    # No plane leaves twice in the same minute.
    when = rng.permutation((hours + 6) * 60)[:count] - 180 if count else np.empty(0, np.int64)
    flights = pd.DataFrame(
        {
            "tailnum": texts(tails),
            "origin": texts(rng.choice([*names, *silent], count)),
            "time_hour": _times(start, when // 60 * 60),
            "minute": (when % 60).astype("int32"),
            "dep_delay": delay,
        }
    )
    return flights, weather


def _times(start: pd.Timestamp, minutes: np.ndarray) -> pd.Series:
    return pd.Series((start + pd.to_timedelta(minutes, unit="min")).astype("datetime64[us]"))


def _later(flights: pd.DataFrame, weather: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables of the same size, with other delays and winds."""
    return flights.assign(dep_delay=flights["dep_delay"] + 7), weather.assign(wind_speed=weather["wind_speed"] + 1)


def _of_a_year(rng: np.random.Generator, tables: tuple) -> tuple:
    """Half of both tables eleven months later: stations one after the other, each by time, is another order than all by time."""
    moved = []
    for table in tables:
        late = rng.random(len(table)) < 0.5 if "tailnum" in table else (table["time_hour"].dt.day != 9).to_numpy()
        times = table["time_hour"].where(~late, table["time_hour"] + pd.Timedelta(days=330))
        moved.append(table.assign(time_hour=times.astype("datetime64[us]")))
    return tuple(moved)


def _filtered(rng: np.random.Generator, tables: tuple) -> tuple:
    """Tables of which some rows were taken, in an order of their own: their index is not 0, 1, 2."""
    return tuple(table.sample(frac=0.8, random_state=int(rng.integers(1000))) for table in tables)


def _twice(rng: np.random.Generator, tables: tuple) -> tuple:
    flights, weather = tables
    return pd.concat([flights, flights.iloc[::3]], ignore_index=True), weather


def _none_left(rng: np.random.Generator, tables: tuple) -> tuple:
    flights, weather = tables
    return flights.assign(dep_delay=np.nan), weather


_PLACES = Property(
    (
        Strategy("reports of one airport only", {"names": ("JFK",), "hours": 9}),
        Strategy("one airport", {"names": ("JFK",), "silent": (), "hours": 9}),
        Strategy("records of a year", change=_of_a_year),
    ),
    "Is the report that was found one of this airport, not later than `due`, and not too old? Each of the three needs a look.",
)
_ROWS = (
    Property(
        (Strategy("rows that were picked from larger tables", change=_filtered),),
        "A table that was filtered keeps the index of its rows: `reset_index(drop=True)`, before columns of two tables meet.",
    ),
    Property((Strategy("no flight that left", change=_none_left),), "A table may become empty on the way."),
    Property((Strategy("rows that are equal", change=_twice),), "Rows may be equal. All of them stay."),
)


def _one_of_each() -> tuple[pd.DataFrame, pd.DataFrame]:
    """A flight for each rule: on the hour, within it, two hours after the report, a minute more, never left, no tail number, before
    all reports, an airport without any, a report without a wind, a wind that cannot be, the highest that can, and one above it."""
    hour = ["12:00", "12:00", "14:00", "14:00", "12:00", "12:00", "08:00", "12:00", "18:00", "19:00", "22:00", "23:00"]
    flights = pd.DataFrame(
        {
            "tailnum": texts(["N1", "N2", "N3", "N4", "N5", None, "N7", "N8", "N9", "N10", "N11", "N12"]),
            "origin": texts(["JFK"] * 7 + ["PHL"] + ["JFK"] * 4),
            "time_hour": pd.Series(pd.to_datetime([f"2013-07-04 {each}" for each in hour]).astype("datetime64[us]")),
            "minute": np.array([0, 40, 0, 1, 5, 5, 0, 0, 10, 20, 59, 0], dtype="int32"),
            "dep_delay": [3.0, -4.0, 50.0, 0.0, np.nan, 7.0, 1.0, 2.0, 9.0, 11.0, 4.0, 5.0],
        }
    )
    hour = ["12:00", "11:00", "17:00", "18:00", "19:00", "13:00", "09:00", "22:00", "23:00"]
    weather = pd.DataFrame(
        {
            "origin": texts(["JFK"] * 5 + ["LGA"] + ["JFK"] * 3),
            "time_hour": pd.Series(pd.to_datetime([f"2013-07-04 {each}" for each in hour]).astype("datetime64[us]")),
            "wind_speed": [10.0, 11.0, 17.0, np.nan, 1_048.0, 33.0, 9.0, 200.0, 201.0],
        }
    )
    return flights, weather


STARTER = {
    "cancelled": (
        {"cancelled": "zero"},
        "nulls",
        "flights that never left are in it, as if they had left on time. Their delay is not 0, it does not exist: leave them out.",
        "Which columns does `dropna` look at, and what has become of the nulls by then?",
    ),
    "implausible": (
        {"plausible": False},
        "implausible",
        "a wind of 1 048 miles per hour is believed. Above 200 it is a slip, and the wind is unknown: null.",
        "`where` keeps the row and makes its wind null, as in the lecture's first stage.",
    ),
    "future": (
        {"direction": "forward", "allow_exact_matches": False, "tolerance": None},
        "direction",
        "it takes the report *after* the flight was due. Nobody could have known it.",
        "`searchsorted(..., side='right')` gives the place *behind* the last report that is not later.",
    ),
    "any-age": (
        {"tolerance": None},
        "stale",
        "a report that is more than two hours old is taken. It says nothing of this flight: null.",
        "How old is the report that was found? `due` minus its time.",
    ),
}
"""The mistakes of the starter: as options of `_prepared`, the reason, what is said, and the hint."""


def _unrepaired() -> dict[str, Mistake]:
    """The starter as it is given, and with some of its mistakes repaired; what is said is of the first that is left."""
    left = {}
    for count in range(1, len(STARTER) + 1):
        for names in itertools.combinations(STARTER, count):
            options = {key: value for name in names for key, value in STARTER[name][0].items()}
            _, reason, why, hint = STARTER[names[0]]
            gives = functools.partial(_prepared, **options)
            left[" + ".join(names)] = Mistake(reason, why, gives, hint=hint)
    return left


PREPARE = Problem(
    id="capstone.prepare",
    title="From records to a table",
    kind="repair",
    track="flights",
    answers=("prepare",),
    specification=prepare,
    lines=18,
    judge=RowsJudge(
        (
            Case("one flight for each rule", _one_of_each),
            Case("83 flights at 4 airports", lambda: _tables(83, 1)),
            Case("400 flights, many reports missing", lambda: _tables(400, 2, gaps=0.6)),
            Case("one flight", lambda: _tables(1, 4)),
            Case("no weather", lambda: _tables(9, 5, gaps=1.1)),
            Case("no flights", lambda: _tables(0, 6)),
        ),
        unlisted=(FrameCase("two calls", lambda: _tables(90, 7), again=lambda: _later(*_tables(90, 7))),),
        drawn=Drawn(
            lambda rng, settings: _tables(90, int(rng.integers(1000)), **settings),
            {},
            _PLACES,
            *_ROWS,
            other_data(),
            case=FrameCase,
        ),
        ordered=True,
        verified="each row stands where its plane and its time put it",
    ),
    hints=(
        "Read it against the list above, line by line: who belongs in the table, and which report is the right one?",
        "A flight that never left has no delay: 0 would say that it left on time. And a wind of 1 048 miles per hour is a slip of the keyboard.",
        "`searchsorted(..., side='right')` gives the place *behind* the last report that is not later. And look at how old the report is that "
        "was found: `due` minus its time.",
    ),
    mistakes={
        **_unrepaired(),
        "nearest": Mistake(
            "direction",
            "it takes the nearest report, which may be one of later; asked for is the last before.",
            lambda f, w: _prepared(f, w, direction="nearest"),
        ),
        "on-the-hour": Mistake(
            "border",
            "a flight that is due on the hour does not get the report of that hour: not later than it includes it.",
            lambda f, w: _prepared(f, w, allow_exact_matches=False),
        ),
        "any-station": Mistake(
            "key", "the report is not of the airport that the flight left from.", lambda f, w: _prepared(f, w, by=None)
        ),
        "older-with-wind": Mistake(
            "stale",
            "where the last report has no wind that can be believed, an older one is taken. Asked for is the last one, whatever it says.",
            lambda f, w: _prepared(f, w, drop=True),
        ),
    },
)  # fmt: skip
