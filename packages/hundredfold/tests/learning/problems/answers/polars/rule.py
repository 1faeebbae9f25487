"""``polars.rule``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import polars as pl

from ..edits import Wrong, edit


def _starter(flights):
    def rule(row):
        if row["arr_delay"] is None:
            return 100
        if row["arr_delay"] >= 180:
            return 600 if row["distance"] >= 1500 else 400
        return 50 if row["arr_delay"] >= 60 else 0

    dollars = pl.struct("arr_delay", "distance").map_elements(rule, return_dtype=pl.Int64)
    return flights.group_by("carrier").agg(dollars.sum().alias("dollars")).sort("carrier")


def _chained(flights):
    delay, far = pl.col("arr_delay"), pl.col("distance") >= 1500
    dollars = (
        pl.when(delay.is_null())
        .then(100)
        .when((delay >= 180) & far)
        .then(600)
        .when(delay >= 180)
        .then(400)
        .when(delay >= 60)
        .then(50)
        .otherwise(0)
    )
    return flights.group_by("carrier").agg(dollars.sum().alias("dollars")).sort("carrier")


def _added(flights):
    delay = pl.col("arr_delay")
    dollars = (
        100 * delay.is_null().cast(pl.Int64)
        + 50 * (delay >= 60).fill_null(False).cast(pl.Int64)
        + 350 * (delay >= 180).fill_null(False).cast(pl.Int64)
        + 200 * ((delay >= 180).fill_null(False) & (pl.col("distance") >= 1500)).cast(pl.Int64)
    )
    return flights.with_columns(dollars=dollars).group_by("carrier").agg(pl.col("dollars").sum()).sort("carrier")


def _nested(flights):
    long = pl.when(pl.col("distance") >= 1500).then(600).otherwise(400)
    known = pl.when(pl.col("arr_delay") < 60).then(0).when(pl.col("arr_delay") < 180).then(50).otherwise(long)
    dollars = pl.when(pl.col("arr_delay").is_not_null()).then(known).otherwise(100)
    table = flights.select("carrier", dollars.alias("dollars"))
    return table.sort("carrier").group_by("carrier", maintain_order=True).agg(pl.col("dollars").sum())


WRONG = {
    "starter": Wrong(_starter, "fallback"),
    "collected": edit(_chained, ('.sort("carrier")', '.sort("carrier").collect()'), reason="eager"),
    "unknown is free": edit(_chained, (".then(100)", ".then(0)"), reason="nulls"),
    "-999 for a null": edit(
        _chained,
        ('delay, far = pl.col("arr_delay"), ', 'delay, far = pl.col("arr_delay").fill_null(-999), '),
        ("delay.is_null()", "delay == -999"),
        reason="value",
    ),
    "after an hour": edit(_chained, ("delay >= 60", "delay > 60"), reason="boundary"),
    "after three hours": edit(_chained, every=("delay >= 180", "delay > 180"), reason="boundary"),
    "farther": edit(_chained, (">= 1500", "> 1500"), reason="boundary"),
    "turned round": edit(_chained, (">= 1500", "< 1500"), reason="operands"),
    "overwritten": edit(
        _nested,
        (
            '(pl.col("arr_delay") < 180).then(50).otherwise(long)',
            '(pl.col("arr_delay") >= 60).then(50).otherwise(long)',
        ),
        reason="overwritten",
    ),
    "unsorted": edit(_chained, ('.sort("carrier")', '.sort("carrier", descending=True)'), reason="order"),
    "prints": Wrong(lambda flights: _chained(flights).explain(), "type"),
}
RIGHT = {"a chain": _chained, "added": _added, "nested": _nested}
