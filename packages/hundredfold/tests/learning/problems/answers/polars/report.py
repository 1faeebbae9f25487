"""``polars.report``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import polars as pl

from ..edits import Wrong, edit


def _starter(flights):
    def route(row):
        return f"{row['origin']}-{row['dest']}"

    table = flights.filter(pl.col("arr_delay").is_not_null()).with_columns(
        pl.col("arr_delay").cut([0, 15, 60], labels=["early", "short", "long", "very long"]).alias("class"),
        pl.struct(pl.all()).map_elements(route, return_dtype=pl.String).alias("route"),
    )
    days = table.sort("time_hour").group_by_dynamic("time_hour", every="1d", group_by="class")
    days = days.agg(
        pl.len().alias("flights"), pl.col("route").n_unique().alias("routes"), pl.col("arr_delay").max().alias("worst")
    )
    names = pl.col("class").cast(pl.String)
    return days.select(pl.col("time_hour").alias("day"), names, "flights", "routes", "worst").sort("day", "class")


def _plain(flights):
    delay = pl.col("arr_delay")
    classes = (
        pl.when(delay <= 0)
        .then(pl.lit("early"))
        .when(delay <= 15)
        .then(pl.lit("short"))
        .when(delay <= 60)
        .then(pl.lit("long"))
        .otherwise(pl.lit("very long"))
    )
    table = flights.filter(delay.is_not_null()).select(
        pl.col("time_hour").dt.truncate("1d").alias("day"),
        classes.alias("class"),
        pl.concat_str("origin", "dest", separator="-").alias("route"),
        delay,
    )
    days = table.group_by("day", "class").agg(
        pl.len().alias("flights"), pl.col("route").n_unique().alias("routes"), delay.max().alias("worst")
    )
    return days.sort("day", "class")


def _dates(flights):
    known = flights.drop_nulls("arr_delay").with_columns(
        day=pl.col("time_hour").dt.date(), route=pl.col("origin") + pl.col("dest"), place=pl.lit(0)
    )
    for border in (0, 15, 60):
        known = known.with_columns(place=pl.col("place") + (pl.col("arr_delay") > border).cast(pl.Int32))
    words = {0: "early", 1: "short", 2: "long", 3: "very long"}
    known = known.with_columns(pl.col("place").replace_strict(words, default="?").alias("class"))
    days = known.group_by("day", "class").agg(
        flights=pl.col("route").count(), routes=pl.col("route").n_unique(), worst=pl.col("arr_delay").max()
    )
    return days.sort(["day", "class"])


def _by_routes(flights):
    delay = pl.col("arr_delay")
    late = pl.when(delay > 60).then(pl.lit("very long")).when(delay > 15).then(pl.lit("long"))
    classes = late.when(delay > 0).then(pl.lit("short")).when(delay <= 0).then(pl.lit("early"))
    table = flights.with_columns(pl.col("time_hour").dt.truncate("1d").alias("day"), classes.alias("class"))
    table = table.filter(pl.col("class").is_not_null())
    routes = table.group_by("day", "class", "origin", "dest").agg(pl.len().alias("flights"), delay.max().alias("worst"))
    days = routes.group_by("day", "class").agg(pl.col("flights").sum(), pl.len().alias("routes"), pl.max("worst"))
    return days.sort("day", "class")


WRONG = {
    "starter": Wrong(_starter, "fallback"),
    "in two": Wrong(lambda flights: _plain(flights.select(pl.all()).collect().lazy()), "eager"),
    "collected": edit(_plain, ('sort("day", "class")', 'sort("day", "class").collect()'), reason="eager"),
    "left": edit(_plain, every=("delay <=", "delay <"), reason="boundary"),
    "lost are late": edit(_plain, ("flights.filter(delay.is_not_null())", "flights"), reason="nulls"),
    "destinations": edit(_plain, ('pl.concat_str("origin", "dest", separator="-")', 'pl.col("dest")'), reason="key"),
    "origins": edit(_plain, ('pl.concat_str("origin", "dest", separator="-")', 'pl.col("origin")'), reason="key"),
    "hours": edit(_plain, ('"1d"', '"1h"'), reason="unit"),
    "least": edit(_plain, ("delay.max()", "delay.min()"), reason="direction"),
    "by class": edit(_plain, ('sort("day", "class")', 'sort("class", "day")'), reason="order"),
    "by day alone": edit(_plain, ('sort("day", "class")', 'sort("day", "flights")'), reason="ties"),
    "whole rows": edit(
        _plain, ("flights.filter(delay.is_not_null())", "flights.unique().filter(delay.is_not_null())"), reason="reads"
    ),
}
RIGHT = {"plain": _plain, "dates": _dates, "by routes": _by_routes}
