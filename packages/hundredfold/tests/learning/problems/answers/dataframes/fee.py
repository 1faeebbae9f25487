"""``dataframes.fee``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from typing import Any

import numpy as np

from hundredfold.learning.problems.frames import cudf

from ..edits import Wrong, edit


def _given(flights: Any) -> Any:
    def rule(row):
        dollars = {"far": 600, "near": 400}
        try:
            delay = int(row["arr_delay"])
        except TypeError:
            return 100
        if delay >= 180:
            return dollars["far" if row["distance"] >= 1500 else "near"]
        return 50 if delay >= 60 else 0

    return flights.apply(rule, axis=1)


def _by_rows(flights: Any) -> Any:
    def rule(row):
        delay = row["arr_delay"]
        if delay is _na:
            return 100
        if delay >= 180:
            return 600 if row["distance"] >= 1500 else 400
        return 50 if delay >= 60 else 0

    _na = cudf.NA
    return flights.apply(rule, axis=1)


def _masks(flights: Any) -> Any:
    delay, distance = flights["arr_delay"], flights["distance"]
    out = (delay.fillna(0) * 0).astype("int64").mask((delay >= 60).fillna(False), 50)
    out = out.mask((delay >= 180).fillna(False), 400)
    out = out.mask(((delay >= 180) & (distance >= 1500)).fillna(False), 600)
    return out.mask(delay.isna(), 100)


def _sums(flights: Any) -> Any:
    """By adding up what each step adds."""
    known = flights["arr_delay"].fillna(0)
    steps = 50 * (known >= 60).astype("int64") + 350 * (known >= 180).astype("int64")
    steps = steps + 200 * ((known >= 180) & (flights["distance"] >= 1500)).astype("int64")
    return steps + 100 * flights["arr_delay"].isna().astype("int64")


def _through_pandas(flights: Any) -> Any:
    rows = flights.to_pandas()
    known = rows["arr_delay"]
    out = np.select(
        [known.isna(), (known >= 180) & (rows["distance"] >= 1500), known >= 180, known >= 60], [100, 600, 400, 50], 0
    )
    return cudf.Series(out)


WRONG = {
    "as given": Wrong(_given, "exception"),
    "through pandas": Wrong(_through_pandas, "transfer"),
    "host": edit(_masks, (".mask(delay.isna(), 100)", ".mask(delay.isna(), 100).to_pandas()"), reason="host"),
    "null stays null": edit(_masks, ("delay.isna(), 100", "delay.isna(), None"), reason="nulls"),
    "null as zero": edit(_masks, ('flights["arr_delay"]', 'flights["arr_delay"].fillna(0)'), reason="nulls"),
    "a sentinel": edit(
        _masks,
        ('delay, distance = flights["arr_delay"]', 'delay, distance = flights["arr_delay"].fillna(9999)'),
        ("delay.isna()", "delay == 9999"),
        reason="value",
    ),
    "after 180": edit(_masks, every=("delay >= 180", "delay > 180"), reason="boundary"),
    "after 60": edit(_masks, ("delay >= 60", "delay > 60"), reason="boundary"),
    "beyond 1 500": edit(_masks, ("distance >= 1500", "distance > 1500"), reason="boundary"),
    "last wins": edit(
        _masks,
        (".mask(delay.isna(), 100)", ".mask(delay.isna(), 100).mask((delay >= 60).fillna(False), 50)"),
        reason="overwritten",
    ),
    "float": edit(_masks, ("int64", "float64"), reason="dtype"),
    "frame": edit(_masks, ("isna(), 100)", 'isna(), 100).to_frame("fee")'), reason="type"),
}
RIGHT = {"a function of rows": _by_rows, "masks": _masks, "sums": _sums}
