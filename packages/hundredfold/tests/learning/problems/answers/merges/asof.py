"""``merges.asof``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import numpy as np

from hundredfold.learning.problems.devices import cp
from hundredfold.learning.problems.frames import to_device
from hundredfold.learning.problems.merges.asof import _device, _joined, last_seen
from hundredfold.learning.problems.merges.tables import numbered

from ..edits import Wrong, edit


def _search(flights, weather):
    """One sorted key of both: stations one after the other, in each the times."""
    import cudf

    if not len(weather) or not len(flights):
        return flights.assign(wind=cp.full(len(flights), cp.nan))
    stations = cudf.concat([weather["origin"], flights["origin"]]).astype("category").cat.codes.astype("int64").values
    there, here = stations[: len(weather)], stations[len(weather) :]
    seen, wanted = (table["time"].astype("datetime64[us]").astype("int64").values for table in (weather, flights))
    first = cp.minimum(seen.min(), wanted.min())
    span = cp.maximum(seen.max(), wanted.max()) - first + 1
    keys = there * span + seen - first
    order = cp.argsort(keys)
    place = cp.searchsorted(keys[order], here * span + wanted - first, side="right") - 1
    at = order[cp.maximum(place, 0)]
    good = (place >= 0) & (there[at] == here) & (wanted - seen[at] <= 2 * 3_600_000_000)
    wind = weather["wind"].fillna(np.nan).values[at]
    return flights.assign(wind=cp.where(good, wind, cp.nan))


def _carried(flights, weather):
    """Both tables in one, sorted; the place of the last observation is carried forward within its station."""
    import cudf

    weather = weather.reset_index(drop=True)
    marks = weather[["origin", "time"]].assign(place=cp.arange(len(weather)), seen=weather["time"], row=-1)
    both = cudf.concat([marks, numbered(flights[["origin", "time"]])]).sort_values(["origin", "time", "row"])
    both[["place", "seen"]] = both.groupby("origin")[["place", "seen"]].ffill()
    both = both[(both["row"] >= 0) & (both["time"] - both["seen"] <= np.timedelta64(2, "h"))]
    found = both[["row", "place"]].merge(weather[["wind"]].assign(place=cp.arange(len(weather))), on="place")
    out = numbered(flights).merge(found[["row", "wind"]], on="row", how="left")
    return out.sort_values("row").drop(columns="row").reset_index(drop=True)


def _skips_nulls(flights, weather):
    import cudf

    both = cudf.concat([weather.assign(row=-1, seen=weather["time"]), numbered(flights)])
    both = both.sort_values(["origin", "time", "row"])
    both[["wind", "seen"]] = both.groupby("origin")[["wind", "seen"]].ffill()
    both = both[both["row"] >= 0]
    both["wind"] = both["wind"].where(both["time"] - both["seen"] <= np.timedelta64(2, "h"))
    return both.sort_values("row")[["flight", "origin", "time", "wind"]].reset_index(drop=True)


def _all_pairs(flights, weather):
    flights = numbered(flights)
    pairs = flights.merge(weather.rename(columns={"time": "seen"}), on="origin")
    age = pairs["time"] - pairs["seen"]
    pairs = pairs[(age >= np.timedelta64(0, "h")) & (age <= np.timedelta64(2, "h"))]
    pairs = pairs.sort_values("seen").drop_duplicates("row", keep="last")
    out = flights.merge(pairs[["row", "wind"]], on="row", how="left")
    return out.sort_values("row").drop(columns="row").reset_index(drop=True)


def _station_by_station(flights, weather):
    import cudf

    flights, parts = numbered(flights), []
    for origin in flights["origin"].unique().to_pandas():
        part = _device(flights[flights["origin"] == origin], weather[weather["origin"] == origin])
        parts.append(part)
    if not parts:
        return flights.drop(columns="row").assign(wind=cp.zeros(0))
    return cudf.concat(parts).sort_values("row").drop(columns="row").reset_index(drop=True)


def _there_and_back(flights, weather):
    return to_device(last_seen(flights.to_pandas(), weather.to_pandas()))


def _on_host(flights, weather):
    return last_seen(flights.to_pandas(), weather.to_pandas())


def _forward(flights, weather):
    return to_device(_joined(flights.to_pandas(), weather.to_pandas(), direction="forward"))


def _nearest(flights, weather):
    return to_device(_joined(flights.to_pandas(), weather.to_pandas(), direction="nearest"))


def _found_only(flights, weather):
    out = _device(flights, weather)
    return out[out["wind"].fillna(np.nan).notna()]


def _by_time(flights, weather):
    return _device(flights, weather).sort_values("time")


def _writes(flights, weather):
    flights["wind"] = _device(flights, weather)["wind"]
    return flights


WRONG = {
    "the weather's span": edit(
        _search, ("cp.maximum(seen.max(), wanted.max()) - first + 1", "seen.max() - first + 1"), reason="nulls"
    ),
    "two microseconds more": edit(_search, ("2 * 3_600_000_000", "2 * 3_600_000_001"), reason="nulls"),
    "forward": Wrong(_forward, "direction"),
    "nearest": Wrong(_nearest, "direction"),
    "strict": Wrong(lambda f, w: _device(f, w, side="left"), "border"),
    "two-hours": Wrong(lambda f, w: _device(f, w, whole=False), "border"),
    "stale": Wrong(lambda f, w: _device(f, w, hours=1e6), "stale"),
    "three-hours": Wrong(lambda f, w: _device(f, w, hours=3), "stale"),
    "one-hour": Wrong(lambda f, w: _device(f, w, hours=1), "stale"),
    "any-station": Wrong(lambda f, w: _device(f, w, by=False), "key"),
    "skips-nulls": Wrong(_skips_nulls, "nulls"),
    "found-only": Wrong(_found_only, "lost"),
    "by-time": Wrong(_by_time, "order"),
    "host": Wrong(_on_host, "host"),
    "there-and-back": Wrong(_there_and_back, "transfer"),
    "all-pairs": Wrong(_all_pairs, "materialised"),
    "station-by-station": Wrong(_station_by_station, "launch"),
    "aliasing": Wrong(_writes, "aliasing"),
}
RIGHT = {"search": _search, "carried": _carried}
