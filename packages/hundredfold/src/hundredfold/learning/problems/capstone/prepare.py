"""``capstone.prepare``: flights as they were recorded, made into what the rest of track A can build on. A repair: four mistakes, none of
which raises an error."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

from ..cases import Case
from ..devices import cp
from ..frames import FrameCase, RowsJudge
from ..merges.tables import texts
from ..problem import Problem, Wrong
from ..properties import Drawn, Property, Strategy, other_data

OLDEST = pd.Timedelta(hours=2)
FASTEST = 200.0  # miles per hour: no wind at an airport was ever that fast
MINUTE, HOUR = 60_000_000, 3_600_000_000  # microseconds


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


def _device(
    flights,
    weather,
    side="right",
    back=1,
    hours=2.0,
    stations=True,
    fill=False,
    plausible=True,
    drop=False,
    order=True,
    on_text=False,
):
    """The starter with its mistakes as switches."""
    import cudf

    due = flights["time_hour"] + (flights["minute"].astype("int64") * MINUTE).astype("timedelta64[us]")
    left = flights.assign(due=due, late=flights["dep_delay"])
    left = left.fillna({"late": 0.0}) if fill else left.dropna(subset=["late"])
    left = left.dropna(subset=["tailnum"]).reset_index(drop=True)
    wind = weather["wind_speed"]
    if plausible:
        wind = wind.where(wind <= FASTEST)
    seen = weather.assign(wind=wind)
    seen = (seen.dropna(subset=["wind"]) if drop else seen).sort_values(["origin", "time_hour"]).reset_index(drop=True)
    if not len(seen) or not len(left):
        out = left.assign(wind=cp.full(len(left), cp.nan))
    else:
        codes = cudf.concat([seen["origin"], left["origin"]]).astype("category").cat.codes.astype("int64").values
        there, here = codes[: len(seen)], codes[len(seen) :]
        times, wanted = seen["time_hour"].astype("int64").values, left["due"].astype("int64").values
        span = 10**16  # microseconds: longer than all of time
        at = cp.searchsorted(there * span + times, here * span + wanted, side=side) - back
        known = (at >= 0) & (at < len(seen))
        at = cp.clip(at, 0, len(seen) - 1)
        age = wanted - times[at]
        known &= age <= hours * HOUR
        if stations:
            known &= there[at] == here
        out = left.assign(wind=cp.where(known, seen["wind"].fillna(np.nan).values[at], cp.nan))
    out = out[["tailnum", "origin", "due", "late", "wind"]]
    return out.sort_values(["tailnum", "due"]).reset_index(drop=True) if order else out


def _right(flights, weather):
    return _device(flights, weather)


def _by_hours(flights, weather):
    """Reports stand on whole hours: the flight's own hour, then the one before, then (for the full hour) two before."""
    import cudf

    left = flights.dropna(subset=["dep_delay", "tailnum"]).reset_index(drop=True)
    left["due"] = left["time_hour"] + (left["minute"].astype("int64") * MINUTE).astype("timedelta64[us]")
    left["row"] = cp.arange(len(left))
    found = []
    for back in range(3):
        hours = left[["row", "origin", "time_hour", "minute"]]
        hours = hours.assign(time_hour=hours["time_hour"] - np.timedelta64(back, "h"), back=back)
        hours = hours[hours["minute"] == 0] if back == 2 else hours
        found.append(hours.merge(weather[["origin", "time_hour", "wind_speed"]], on=["origin", "time_hour"]))
    found = cudf.concat(found).sort_values(["row", "back"]).drop_duplicates("row", keep="first")
    out = left.merge(found[["row", "wind_speed"]], on="row", how="left")
    out["wind"] = out["wind_speed"].where(out["wind_speed"] <= FASTEST).astype("float64")
    out["late"] = out["dep_delay"]
    return out.sort_values(["tailnum", "due"])[["tailnum", "origin", "due", "late", "wind"]].reset_index(drop=True)


def _on_host(flights, weather):
    return prepare(flights.to_pandas(), weather.to_pandas())


def _keeps_the_rows_it_needs(flights, weather):
    return _device(flights, weather).dropna(subset=["wind"])


def _writes(flights, weather):
    flights["late"] = flights["dep_delay"]
    return _device(flights, weather)


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
_ROWS = Property(
    (
        Strategy("rows that were picked from larger tables", change=_filtered),
        Strategy("no flight that left", change=_none_left),
    ),
    "A table that was filtered keeps the index of its rows: `reset_index(drop=True)`, before columns of two tables meet.",
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


_MISTAKES = {
    "cancelled": (
        {"fill": True},
        {"cancelled": "zero"},
        "nulls",
        "flights that never left are in it, as if they had left on time. Their delay is not 0, it does not exist: leave them out.",
        "Which columns does `dropna` look at, and what has become of the nulls by then?",
    ),
    "implausible": (
        {"plausible": False},
        {"plausible": False},
        "implausible",
        "a wind of 1 048 miles per hour is believed. Above 200 it is a slip, and the wind is unknown: null.",
        "`where` keeps the row and makes its wind null, as in the lecture's first stage.",
    ),
    "future": (
        {"back": 0},
        {"direction": "forward", "allow_exact_matches": False, "tolerance": None},
        "direction",
        "it takes the report *after* the flight was due. Nobody could have known it.",
        "`searchsorted(..., side='right')` gives the place *behind* the last report that is not later.",
    ),
    "any-age": (
        {"hours": 1e9},
        {"tolerance": None},
        "stale",
        "reports of any age are taken. One that is more than two hours old says nothing: null.",
        "How old is the report that was found? `due` minus its time.",
    ),
}
"""The mistakes of the starter: as switches of `_device` and of `_prepared`, the reason, what is said, and the hint."""


def _unrepaired() -> dict[str, Wrong]:
    """The starter as it is given, and with some of its mistakes repaired; what is said is of the first that is left."""
    left = {}
    for count in range(1, len(_MISTAKES) + 1):
        for names in itertools.combinations(_MISTAKES, count):
            on_device = {key: value for name in names for key, value in _MISTAKES[name][0].items()}
            on_host = {key: value for name in names for key, value in _MISTAKES[name][1].items()}
            _, _, reason, why, hint = _MISTAKES[names[0]]
            left[" + ".join(names)] = Wrong(
                lambda f, w, options=on_device: _device(f, w, **options),
                reason,
                lambda f, w, options=on_host: _prepared(f, w, **options),
                why,
                hint,
            )
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
        drawn=Drawn(
            lambda rng, settings: _tables(90, int(rng.integers(1000)), **settings),
            {},
            _PLACES,
            _ROWS,
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
    wrong={
        **_unrepaired(),
        "nearest": Wrong(
            lambda f, w: _to_device(_prepared(f.to_pandas(), w.to_pandas(), direction="nearest")),
            "direction",
            lambda f, w: _prepared(f, w, direction="nearest"),
            "it takes the nearest report, which may be one of later; asked for is the last before.",
        ),
        "on-the-hour": Wrong(
            lambda f, w: _device(f, w, side="left"),
            "border",
            lambda f, w: _prepared(f, w, allow_exact_matches=False),
            "a flight that is due on the hour does not get the report of that hour: not later than it includes it.",
        ),
        "any-station": Wrong(
            lambda f, w: _to_device(_prepared(f.to_pandas(), w.to_pandas(), by=None)),
            "key",
            lambda f, w: _prepared(f, w, by=None),
            "the report is not of the airport that the flight left from.",
        ),
        "older-with-wind": Wrong(
            lambda f, w: _device(f, w, drop=True),
            "stale",
            lambda f, w: _prepared(f, w, drop=True),
            "where the last report has no wind that can be believed, an older one is taken. Asked for is the last one, whatever it says.",
        ),
        "unsorted": Wrong(lambda f, w: _device(f, w, order=False), "order"),
        "only-with-wind": Wrong(_keeps_the_rows_it_needs, "lost"),
        "host": Wrong(_on_host, "host"),
        "aliasing": Wrong(_writes, "aliasing"),
    },
    right={"search": _right, "hour by hour": _by_hours},
)  # fmt: skip


def _to_device(table: pd.DataFrame):
    from ..frames import to_device

    return to_device(table)
