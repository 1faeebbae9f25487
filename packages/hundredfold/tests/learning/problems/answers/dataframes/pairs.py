"""``dataframes.pairs``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from typing import Any

from hundredfold.learning.problems.frames import cudf

from ..edits import Wrong


def _difference(flights: Any) -> Any:
    groups = flights.groupby("dest")
    return (groups["dep_delay"].mean() - groups["arr_delay"].mean()).rename("gained")


def _side_by_side(flights: Any) -> Any:
    """As it is given: names, departures and arrivals, each in an order of its own."""
    departed = flights.groupby("dest")["dep_delay"].mean().reset_index(drop=True)
    arrived = flights.groupby("dest")["arr_delay"].mean().reset_index(drop=True)
    return cudf.DataFrame({"dest": flights["dest"].unique().reset_index(drop=True), "gained": departed - arrived})


def _sorted_apart(flights: Any) -> Any:
    values = _difference(flights).sort_index().reset_index(drop=True)
    return cudf.DataFrame({"dest": flights["dest"].unique().reset_index(drop=True), "gained": values})


def _one_table(flights: Any) -> Any:
    means = flights.groupby("dest", as_index=False)[["dep_delay", "arr_delay"]].mean()
    means["gained"] = means["dep_delay"] - means["arr_delay"]
    return means[["dest", "gained"]].sort_values("dest")


def _sorted_groups(flights: Any) -> Any:
    means = flights.groupby("dest", sort=True).agg({"dep_delay": "mean", "arr_delay": "mean"})
    return (means["dep_delay"] - means["arr_delay"]).rename("gained").reset_index()


def _joined(flights: Any) -> Any:
    departed = flights.groupby("dest")[["dep_delay"]].mean().reset_index()
    arrived = flights.groupby("dest")[["arr_delay"]].mean().reset_index()
    both = departed.merge(arrived, on="dest").sort_values("dest")
    both["gained"] = both["dep_delay"] - both["arr_delay"]
    return both.drop(columns=["dep_delay", "arr_delay"])


def _sums_over_counts(flights: Any) -> Any:
    groups = flights[["dest", "dep_delay", "arr_delay"]].groupby("dest")
    sums, counts = groups.sum(), groups.count()
    departed = sums["dep_delay"] / counts["dep_delay"]
    arrived = sums["arr_delay"] / counts["arr_delay"]
    out = departed.sort_index().to_frame("gained")
    out["gained"] -= arrived
    return out[["gained"]].reset_index()


def _aligned_columns(flights: Any) -> Any:
    groups = flights.groupby("dest")
    means = cudf.DataFrame({"departed": groups["dep_delay"].mean(), "arrived": groups["arr_delay"].mean()})
    means["gained"] = means["departed"] - means["arrived"]
    return means.sort_index().reset_index()[["dest", "gained"]]


WRONG = {
    "as given": Wrong(_side_by_side, "paired"),
    "sorted apart": Wrong(_sorted_apart, "paired"),
    "unsorted": Wrong(lambda f: _difference(f).reset_index(), "order"),
    "index": Wrong(lambda f: _difference(f).sort_index().to_frame(), "labels"),
    "series": Wrong(lambda f: _difference(f).sort_index(), "type"),
    "host": Wrong(lambda f: _difference(f).sort_index().reset_index().to_pandas(), "host"),
    "null as zero": Wrong(
        lambda f: _difference(f.fillna({"dep_delay": 0, "arr_delay": 0})).sort_index().reset_index(), "nulls"
    ),
    "dropna": Wrong(lambda f: _difference(f).dropna().sort_index().reset_index(), "dropped"),
    "difference of rows": Wrong(
        lambda f: (
            (f["dep_delay"] - f["arr_delay"]).groupby(f["dest"]).mean().rename("gained").sort_index().reset_index()
        ),
        "rows",
    ),
    "as many as in the notebook": Wrong(lambda f: _difference(f).sort_index().head(105).reset_index(), "shape"),
    "sign": Wrong(lambda f: (-_difference(f)).rename("gained").sort_index().reset_index(), "sign"),
}
RIGHT = {
    "aligned": lambda f: _difference(f).sort_index().reset_index(),
    "one table": _one_table,
    "sorted groups": _sorted_groups,
    "joined": _joined,
    "aligned columns": _aligned_columns,
    "sums over counts": _sums_over_counts,
}
