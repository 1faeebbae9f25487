"""``dask-dataframes.carriers``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.dask_dataframes.carriers import COLUMNS

from ..edits import Wrong


def _plain(flights, size="size", count="count", fill=None):
    delays = flights if fill is None else flights.assign(delay=flights["delay"].fillna(fill))
    counts = flights.groupby("carrier").agg({"delay": "count"}).rename(columns={"delay": "arrived"})
    rows = flights.assign(one=1).groupby("carrier").agg({"one": "sum"}).rename(columns={"one": "flights"})
    means = delays.groupby("carrier").agg({"delay": "mean"})
    out = rows.merge(counts, left_index=True, right_index=True).merge(means, left_index=True, right_index=True)
    if size == "count":
        out = out.assign(flights=out["arrived"])
    if count == "size":
        out = out.assign(arrived=out["flights"])
    return out.reset_index()[COLUMNS]


def _sums(flights):
    """Sums and counts, divided at the end."""
    table = flights.assign(flights=1, arrived=flights["delay"].notnull().astype("int64"))
    out = table.groupby("carrier")[["flights", "arrived", "delay"]].sum().reset_index()
    mean = out["delay"] / out["arrived"].where(out["arrived"] > 0)
    return out.assign(delay=mean)[COLUMNS]


def _each(part):
    out = part.assign(flights=1, arrived=part["delay"].notnull().astype("int64"))
    out = out.groupby("carrier", as_index=False).agg({"flights": "sum", "arrived": "sum", "delay": "sum"})
    return out.assign(delay=out["delay"] / out["arrived"].where(out["arrived"] > 0))[COLUMNS]


def _meta(flights):
    return _each(flights._meta)


def _per_partition(flights):
    return flights.map_partitions(_each, meta=_meta(flights))


def _mean_of_means(flights):
    parts = _per_partition(flights)
    means = parts.groupby("carrier").agg({"flights": "sum", "arrived": "sum", "delay": "mean"})
    return means.reset_index()[COLUMNS]


def _over_all(flights):
    table = flights.assign(flights=1, arrived=flights["delay"].notnull().astype("int64"))
    out = table.groupby("carrier")[["flights", "arrived", "delay"]].sum().reset_index()
    return out.assign(delay=out["delay"] / out["flights"])[COLUMNS]


def _one_piece(flights):
    return flights.repartition(npartitions=1).map_partitions(_each, meta=_meta(flights))


def _in_the_index(flights):
    return _plain(flights).set_index("carrier")


def _computed(flights):
    return _plain(flights).compute()


def _looks(flights):
    return _plain(flights) if len(flights[flights["delay"] > 0]) >= 0 else None


def _to_host(flights):
    return _plain(flights).to_backend("pandas")


def _known_only(flights):
    out = _plain(flights)
    return out[out["arrived"] > 0]


def _by_where(flights):
    """Dask's `where` puts NaN, not null, where its condition is false."""
    table = flights[["carrier"]].assign(
        flights=1, arrived=flights["delay"].notnull().astype("int64"), total=flights["delay"].fillna(0)
    )
    out = table.groupby("carrier").sum().reset_index()
    return out.assign(delay=(out["total"] / out["arrived"]).where(out["arrived"] > 0)).drop(columns="total")


def _known_below(flights):
    """A delay that is not known is -999 until the end."""
    table = flights.assign(delay=flights["delay"].fillna(-999.0), flights=1)
    table = table.assign(arrived=(table["delay"] != -999).astype("int64"))
    table = table.assign(delay=table["delay"] * table["arrived"])
    out = table.groupby("carrier")[["flights", "arrived", "delay"]].sum().reset_index()
    return out.map_partitions(
        lambda part: part.assign(delay=(part["delay"] / part["arrived"].mask(part["arrived"] == 0)))
    )


WRONG = {
    "mean-of-means": Wrong(_mean_of_means, "mean-of-means"),
    "per-partition": Wrong(_per_partition, "local"),
    "over-all": Wrong(_over_all, "nulls"),
    "zeros": Wrong(lambda flights: _plain(flights, fill=0.0), "nulls"),
    "count": Wrong(lambda flights: _plain(flights, size="count"), "count"),
    "size": Wrong(lambda flights: _plain(flights, count="size"), "count"),
    "dropped": Wrong(_known_only, "lost"),
    "one-piece": Wrong(_one_piece, "materialised"),
    "index": Wrong(_in_the_index, "labels"),
    "computed": Wrong(_computed, "eager"),
    "looks": Wrong(_looks, "eager"),
    "host": Wrong(_to_host, "host"),
    "by-where": Wrong(_by_where, "nulls"),
    "-999 for a null": Wrong(_known_below, "value"),
}
RIGHT = {"merged": _plain, "sums": _sums}
