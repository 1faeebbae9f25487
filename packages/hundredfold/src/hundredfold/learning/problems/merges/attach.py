"""``merges.attach``: each flight with its plane: a left join that keeps every flight once, in its place."""

from __future__ import annotations

import pandas as pd

from ..frames import FrameCase, RowsJudge, rows_stay
from ..problem import Mistake, Problem
from . import tables
from .tables import numbered


def attach(flights: pd.DataFrame, planes: pd.DataFrame) -> pd.DataFrame:
    """The specification: flights in their order, with `built` and `seats` of the plane of that tail number, from its latest
    entry; null where there is none. A null tail number is nobody's."""
    known = planes[planes["tailnum"].notna()].sort_values("year").drop_duplicates("tailnum", keep="last")
    built = flights["tailnum"].map(known.set_index("tailnum")["year"])
    seats = flights["tailnum"].map(known.set_index("tailnum")["seats"])
    return flights.assign(built=built.astype("float64"), seats=seats.astype("float64"))


def _known(planes, keep="last"):
    known = planes.dropna(subset=["tailnum"]).sort_values("year").drop_duplicates("tailnum", keep=keep)
    return known.rename(columns={"year": "built"})


def _joined(flights, known, how="left"):
    out = numbered(flights).merge(known, on="tailnum", how=how)
    return out.sort_values("row").drop(columns="row").reset_index(drop=True)


def _inner(flights, planes):
    return _joined(flights, _known(planes), "inner")


def _every_entry(flights, planes):
    known = planes.dropna(subset=["tailnum"]).rename(columns={"year": "built"})
    return _joined(flights, known)


def _outer(flights, planes):
    return _joined(flights, _known(planes), "outer")


def _oldest(flights, planes):
    return _joined(flights, _known(planes, "first"))


def _as_they_stand(flights, planes):
    known = planes.dropna(subset=["tailnum"]).drop_duplicates("tailnum").rename(columns={"year": "built"})
    return _joined(flights, known)


def _as_they_end(flights, planes):
    known = planes.dropna(subset=["tailnum"]).drop_duplicates("tailnum", keep="last").rename(columns={"year": "built"})
    return _joined(flights, known)


def _nulls_match(flights, planes):
    known = planes.sort_values("year").drop_duplicates("tailnum", keep="last").rename(columns={"year": "built"})
    return _joined(flights, known)


def _zeros(flights, planes):
    out = _joined(flights, _known(planes))
    return out.assign(built=out["built"].fillna(0), seats=out["seats"].fillna(0))


def _all_common(flights, planes):
    known = planes.dropna(subset=["tailnum"]).sort_values("year").drop_duplicates("tailnum", keep="last")
    out = numbered(flights).merge(known, how="left").sort_values("row")
    return out.assign(built=out["year"]).drop(columns="row")


def _swapped(flights, planes):
    out = _known(planes).merge(numbered(flights), on="tailnum", how="left")
    return out.sort_values("row").drop(columns="row").reset_index(drop=True)


def _few() -> tuple[pd.DataFrame, pd.DataFrame]:
    flights = pd.DataFrame(
        {
            "flight": [11, 12, 13, 14, 15],
            "carrier": tables.texts(["AA", "UA", "AA", "B6", "DL"]),
            "tailnum": tables.texts(["N1", "N9", "N2", "N1", None]),
            "year": [2013] * 5,
        }
    )
    planes = pd.DataFrame(
        {
            # Of N1 the first entry, the last one, the oldest and the latest are four.
            "tailnum": tables.texts(["N2", "N1", "N1", "N1", "N1", "N3"]),
            "year": [2013, 1991, 1999, 1988, 1995, 2001],
            "seats": [55.0, 181, 182, 180, 183, 8],
        }
    )
    return flights, planes


ATTACH = Problem(
    id="merges.attach",
    title="Each flight with its plane",
    kind="write",
    answers=("attach",),
    specification=attach,
    lines=5,
    judge=RowsJudge(
        (
            FrameCase("five flights", _few),
            FrameCase("97 flights", lambda: (tables.flights(97), tables.planes(30, twice=7))),
            FrameCase("planes without a tail number", lambda: (tables.flights(61, 2), tables.planes(30, 3, 4, null=True))),
            FrameCase("one flight", lambda: (tables.flights(1, 4, null_share=0), tables.planes(30, 5, 30))),
            FrameCase("no planes", lambda: (tables.flights(7, 6), tables.planes(0))),
            FrameCase("no flights", lambda: (tables.flights(0), tables.planes(5))),
            FrameCase("flights cut from a larger table", lambda: (tables.flights(80, 7).iloc[50:20:-1], tables.planes(30, 8, 9))),
        ),
        drawn=tables.drawn(),
        facts=(rows_stay(),),
        ordered=True,
        nan=False,
        verified="every flight once, in its place",
    ),
    hints=(
        "How many rows must come out? Then no key may come twice on the right: first make planes a table with one row for each "
        "tail number, its latest.",
        "`planes.dropna(subset=['tailnum']).sort_values('year').drop_duplicates('tailnum', keep='last')`, and rename `year`, "
        "which is another thing in `flights`.",
        "The order: give each flight its number before the merge, `flights.assign(row=…)`, sort by it afterwards, and drop it.",
    ),
    advice={
        "order": "Give each flight its number before the merge, `flights.assign(row=…)`, sort by it afterwards, and drop it.",
    },
    mistakes={
        "inner": Mistake(
            "lost",
            "flights without a known plane are missing. Every flight was asked for: that is a left join.",
            _inner,
        ),
        "every-entry": Mistake(
            "multiplied",
            "flights whose plane is listed more than once come more than once: only the latest entry counts.",
            _every_entry,
            hint="Make the right side unique in its key before you merge, and say so: "
            "`assert planes.tailnum.is_unique`. (pandas has `validate='m:1'`; cuDF refuses it.)",
        ),
        "outer": Mistake(
            "multiplied",
            "planes that have no flight are in the result, too. An outer join keeps both sides; asked for: the flights.",
            _outer,
        ),
        "oldest": Mistake("duplicates", "it takes the oldest entry of each plane; asked for: the latest.", _oldest),
        "as-they-stand": Mistake(
            "duplicates",
            "it takes the entry that happens to stand first in the table; asked for: the latest by year.",
            _as_they_stand,
            hint="`drop_duplicates` keeps the first row of each key, or the last. Sort by `year` before it.",
        ),
        "as-they-end": Mistake(
            "duplicates",
            "it takes the entry that happens to stand last in the table; asked for: the latest by year.",
            _as_they_end,
            hint="`drop_duplicates(keep='last')` keeps the last row. Sort by `year` before it.",
        ),
        "nulls": Mistake(
            "nulls",
            "flights without a tail number got a plane without one. In cuDF and pandas a null key matches a null key.",
            _nulls_match,
            hint="Drop the nulls from the right side's key: `planes.dropna(subset=['tailnum'])`.",
        ),
        "zeros": Mistake("nulls", "0 stands where nothing is known. A plane with 0 seats is something else.", _zeros),
        "all-common": Mistake(
            "key",
            "`year` was a key, too: without `on`, merge takes all columns that both have. A flight's year is not its plane's.",
            _all_common,
        ),
        "swapped": Mistake(
            "operands",
            "it has every plane, and only the flights of known planes: left and right are exchanged.",
            _swapped,
        ),
    },
)  # fmt: skip
