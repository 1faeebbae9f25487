"""``dataframes.port``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from typing import Any

from hundredfold.learning.problems.dataframes.port import _table
from hundredfold.learning.problems.frames import cudf

from ..edits import Wrong


def _aggregated(table: Any, /, **asked: Any) -> Any:
    frame = table.assign(cancelled=table["dep_time"].isna())
    ways = {"flights": ("carrier", "size"), "cancelled": ("cancelled", "sum"), "delay": ("arr_delay", "mean")} | asked
    return frame.groupby("carrier").agg(**ways)


def _sorted(table: Any, ascending: bool = False) -> Any:
    return table.reset_index().sort_values("delay", ascending=ascending)


def _in_columns(flights: Any) -> Any:
    groups = flights.groupby("carrier")
    counts = groups.size()
    out = cudf.DataFrame(
        {"flights": counts, "cancelled": counts - groups["dep_time"].count(), "delay": groups["arr_delay"].mean()}
    )
    out.index.name = "carrier"
    return out.sort_values("delay", ascending=False).reset_index()


def _by_hand(flights: Any) -> Any:
    gone = flights["dep_time"].isna().astype("int64")
    table = cudf.DataFrame({"carrier": flights["carrier"], "one": 1, "cancelled": gone, "delay": flights["arr_delay"]})
    table = table.groupby("carrier", as_index=False).agg({"one": "sum", "cancelled": "sum", "delay": "mean"})
    return table.rename(columns={"one": "flights"}).sort_values("delay", ascending=False, na_position="last")


def _side_by_side(flights: Any) -> Any:
    """Two groupbys by position: each gives its groups in an order of its own."""
    out = flights.groupby("carrier").size().reset_index(name="flights")
    gone = flights[["carrier"]].assign(gone=flights["dep_time"].isnull().astype("int64"))
    out["cancelled"] = gone.groupby("carrier")["gone"].sum().reset_index(drop=True)
    out["delay"] = flights.groupby("carrier")["arr_delay"].mean().reset_index(drop=True)
    return out.sort_values("delay", ascending=False).reset_index(drop=True)


def _in_place(flights: Any) -> Any:
    flights["cancelled"] = flights["dep_time"].isna()
    ways = {"flights": ("carrier", "size"), "cancelled": ("cancelled", "sum"), "delay": ("arr_delay", "mean")}
    return _sorted(flights.groupby("carrier").agg(**ways))


def _behind_a_thousand(flights):
    table = _aggregated(flights)
    table["place"] = table["delay"].fillna(-1000)
    return table.sort_values("place", ascending=False).drop(columns="place").reset_index()


def _named(flights: Any) -> Any:
    return _sorted(_aggregated(flights))


def _merged(flights: Any) -> Any:
    gone = flights[flights["dep_time"].isnull()].groupby("carrier").size().reset_index(name="cancelled")
    known = flights.dropna(subset=["arr_delay"]).groupby("carrier").agg({"arr_delay": "mean"}).reset_index()
    out = flights.groupby("carrier").size().reset_index(name="flights")
    out = out.merge(gone, on="carrier", how="left").merge(known, on="carrier", how="left")
    out["cancelled"] = out["cancelled"].fillna(0).astype("int64")
    out = out.rename(columns={"arr_delay": "delay"})
    return out.sort_values("delay", ascending=False)[["carrier", "flights", "cancelled", "delay"]]


def _divided(flights: Any) -> Any:
    table = flights[["carrier"]].assign(
        flights=1,
        departed=flights["dep_time"].notnull().astype("int64"),
        known=flights["arr_delay"].notnull().astype("int64"),
        minutes=flights["arr_delay"].fillna(0),
    )
    sums = table.groupby("carrier").sum()
    sums["cancelled"] = sums["flights"] - sums["departed"]
    sums["delay"] = (sums["minutes"] / sums["known"]).where(sums["known"] > 0)
    return sums.sort_values("delay", ascending=False).reset_index()[["carrier", "flights", "cancelled", "delay"]]


WRONG = {
    "a sentinel": Wrong(_behind_a_thousand, "order"),
    "host": Wrong(lambda f: _sorted(_aggregated(f)).to_pandas(), "host"),
    "through pandas": Wrong(
        lambda f: cudf.from_pandas(_table(f.to_pandas(), "size", f.to_pandas()["arr_delay"])), "transfer"
    ),
    "null as zero": Wrong(lambda f: _sorted(_aggregated(f.assign(arr_delay=f["arr_delay"].fillna(0)))), "nulls"),
    "count": Wrong(lambda f: _sorted(_aggregated(f, flights=("arr_delay", "count"))), "count"),
    "departed": Wrong(lambda f: _sorted(_aggregated(f, flights=("dep_time", "count"))), "count"),
    **{
        f"count of {name}": Wrong(lambda f, name=name: _sorted(_aggregated(f, flights=(name, "count"))), "count")
        for name in ("month", "origin", "dest", "distance")
    },
    "dropna": Wrong(lambda f: _sorted(_aggregated(f.dropna(subset=["arr_delay"]))), "dropped"),
    "unsorted": Wrong(lambda f: _aggregated(f).reset_index(), "order"),
    "ascending": Wrong(lambda f: _sorted(_aggregated(f), ascending=True), "order"),
    "index": Wrong(lambda f: _aggregated(f).sort_values("delay", ascending=False), "labels"),
    "median": Wrong(lambda f: _sorted(_aggregated(f, delay=("arr_delay", "median"))), "value"),
    "side by side": Wrong(_side_by_side, "paired"),
    "sixteen": Wrong(lambda f: _sorted(_aggregated(f).sort_index().head(16)), "shape"),
    "in place": Wrong(lambda f: _in_place(f), "aliasing"),
}
RIGHT = {"named": _named, "columns": _in_columns, "by hand": _by_hand, "merged": _merged, "divided": _divided}
