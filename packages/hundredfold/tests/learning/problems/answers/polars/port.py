"""``polars.port``: right and wrong answers, written as a learner would."""

from __future__ import annotations

import polars as pl

from ..edits import Wrong, edit


def _aggregated(flights, at_least):
    groups = flights.group_by("dest").agg(
        pl.len().alias("flights"),
        (pl.col("arr_delay") > 60).sum().alias("late"),
        pl.col("arr_delay").mean().alias("delay"),
    )
    enough = groups.filter(pl.col("flights") >= at_least)
    return enough.sort("delay", "dest", descending=[True, False], nulls_last=True)


def _column_first(flights, at_least):
    known = flights.with_columns(late=pl.when(pl.col("arr_delay") > 60).then(1).otherwise(0), one=1)
    table = known.group_by("dest").agg(
        flights=pl.col("one").sum(), late=pl.col("late").sum(), delay=pl.mean("arr_delay")
    )
    table = table.sort("dest").sort("delay", descending=True, nulls_last=True, maintain_order=True)
    return table.filter(~(pl.col("flights") < at_least))


def _joined(flights, at_least):
    rows = flights.group_by("dest").len(name="flights").filter(pl.col("flights") >= at_least)
    delay = flights.group_by("dest").agg(pl.col("arr_delay").mean().alias("delay"))
    late = flights.filter(pl.col("arr_delay") > 60).group_by("dest").agg(pl.len().alias("late"))
    table = rows.join(late, on="dest", how="left").join(delay, on="dest", how="left")
    table = table.with_columns(pl.col("late").fill_null(0))
    return table.sort(["delay", "dest"], descending=[True, False], nulls_last=True)


def _in_pandas(flights, at_least):
    table = flights.collect().to_pandas()
    table = table.assign(late=table["arr_delay"] > 60).groupby("dest", as_index=False)
    table = table.agg(flights=("dest", "size"), late=("late", "sum"), delay=("arr_delay", "mean"))
    table = table[table["flights"] >= at_least]
    return table.sort_values(["delay", "dest"], ascending=[False, True], na_position="last")


def _behind_a_million(flights, at_least):
    table = _aggregated(flights, at_least).with_columns(pl.col("delay").fill_null(-1e6))
    table = table.sort("delay", "dest", descending=[True, False])
    return table.with_columns(delay=pl.when(pl.col("delay") != -1e6).then(pl.col("delay")))


WRONG = {
    "-1 000 000 for a null": Wrong(_behind_a_million, "nulls"),
    "in pandas": Wrong(_in_pandas, "type"),
    "collected": edit(_aggregated, ("nulls_last=True)", "nulls_last=True).collect()"), reason="eager"),
    "collected first": edit(_aggregated, ("flights.group_by", "flights.collect().lazy().group_by"), reason="eager"),
    "filter within agg": edit(
        _aggregated,
        ('(pl.col("arr_delay") > 60).sum()', 'pl.col("arr_delay").filter(pl.col("arr_delay") > 60).len()'),
        reason="fallback",
    ),
    "nulls first": edit(_aggregated, (", nulls_last=True", ""), reason="nulls"),
    "known only": edit(_aggregated, ("pl.len()", 'pl.col("arr_delay").count()'), reason="count"),
    "dropped": edit(_aggregated, ("flights.group_by", 'flights.drop_nulls("arr_delay").group_by'), reason="count"),
    "zeros": edit(_aggregated, ('("arr_delay").mean()', '("arr_delay").fill_null(0).mean()'), reason="nulls"),
    "unknown is late": edit(
        _column_first,
        (
            'pl.when(pl.col("arr_delay") > 60).then(1).otherwise(0)',
            'pl.when(pl.col("arr_delay") <= 60).then(0).otherwise(1)',
        ),
        reason="nulls",
    ),
    "more than": edit(_aggregated, (">= at_least", "> at_least"), reason="boundary"),
    "an hour": edit(_aggregated, ("> 60", ">= 60"), reason="boundary"),
    "ascending": edit(_aggregated, ("[True, False]", "[False, False]"), reason="order"),
    "by delay alone": edit(
        _aggregated, ('"delay", "dest", descending=[True, False]', '"delay", descending=True'), reason="ties"
    ),
    "not named": edit(
        _aggregated, ('.mean().alias("delay")', ".mean()"), ('"delay", "dest"', '"arr_delay", "dest"'), reason="labels"
    ),
}
RIGHT = {"aggregated": _aggregated, "a column first": _column_first, "joined": _joined}
