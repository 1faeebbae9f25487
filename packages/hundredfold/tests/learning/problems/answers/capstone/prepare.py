"""``capstone.prepare``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import functools

import numpy as np

from hundredfold.learning.problems.capstone.prepare import FASTEST, PREPARE, STARTER, _prepared, prepare
from hundredfold.learning.problems.devices import cp
from hundredfold.learning.problems.frames import to_device

from ..edits import Wrong

MINUTE, HOUR = 60_000_000, 3_600_000_000  # microseconds


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


def _each_once(flights, weather):
    return _device(flights.drop_duplicates(["tailnum", "time_hour", "minute"]), weather)


def _writes(flights, weather):
    flights["late"] = flights["dep_delay"]
    return _device(flights, weather)


_SWITCHES = {
    "cancelled": {"fill": True},
    "implausible": {"plausible": False},
    "future": {"back": 0},
    "any-age": {"hours": 1e9},
}
"""The mistakes of the starter, as options of `_device`."""


def _as_given(names: str) -> dict[str, object]:
    """The options for mistakes that are named with " + " between them."""
    return {key: value for name in names.split(" + ") for key, value in _SWITCHES[name].items()}


WRONG = {
    **{
        name: Wrong(functools.partial(_device, **_as_given(name)), mistake.reason)
        for name, mistake in PREPARE.mistakes.items()
        if set(name.split(" + ")) <= set(STARTER)
    },
    "nearest": Wrong(lambda f, w: to_device(_prepared(f.to_pandas(), w.to_pandas(), direction="nearest")), "direction"),
    "on-the-hour": Wrong(lambda f, w: _device(f, w, side="left"), "border"),
    "any-station": Wrong(lambda f, w: to_device(_prepared(f.to_pandas(), w.to_pandas(), by=None)), "key"),
    "older-with-wind": Wrong(lambda f, w: _device(f, w, drop=True), "stale"),
    "unsorted": Wrong(lambda f, w: _device(f, w, order=False), "order"),
    "only-with-wind": Wrong(_keeps_the_rows_it_needs, "lost"),
    "each-once": Wrong(_each_once, "lost"),
    "host": Wrong(_on_host, "host"),
    "aliasing": Wrong(_writes, "aliasing"),
}
RIGHT = {"search": _right, "hour by hour": _by_hours}
