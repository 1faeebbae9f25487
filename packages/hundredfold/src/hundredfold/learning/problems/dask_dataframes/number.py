"""``dask-dataframes.number``: repair rows that are numbered, and totals that run, partition by partition only."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..facts import Fact
from ..merges.tables import texts
from ..problem import Mistake, Problem
from ..properties import Property, Strategy
from ..verdict import refuse
from .judging import LazyFrameJudge, Looked, Pieces, cut, gives, in_pieces, rows_stay


def number(flights: pd.DataFrame) -> pd.DataFrame:
    """The specification, in pandas: the rows in their order, with two columns more.

    flights: flight (text), miles (int64). Result: these, row (int64: 0, 1, 2, … over the whole table) and total (int64: the miles of
    all rows up to and with this one).
    """
    return flights.assign(row=np.arange(len(flights)), total=flights["miles"].cumsum())


def _gives(kind: str):
    def made_by(flights):
        out = number(flights)
        if kind == "one":
            return out.assign(row=out["row"] + 1)
        if kind == "before":
            return out.assign(total=out["total"] - out["miles"])
        return out.sort_values(["miles", "flight"]).reset_index(drop=True)

    return made_by


def made(rows: int, seed: int) -> tuple[pd.DataFrame]:
    """Flights with miles, in no order."""
    rng = np.random.default_rng(seed)
    names = [f"{code}{at}" for at, code in enumerate(rng.choice(["AA", "B6", "UA"], rows))]
    return (pd.DataFrame({"flight": texts(names), "miles": rng.integers(80, 5000, rows)}),)


def _in_pieces(problem: Problem, looked: Looked) -> None:
    """Refuse columns that begin anew with each piece."""
    right = number(*looked.case.host())
    local = pd.concat([number(piece) for piece in looked.case.pieces()], ignore_index=True)
    if len(looked.case.pieces()) == 1:
        return
    for which in (["row", "total"], ["row"], ["total"]):
        if gives(looked, right.assign(**{name: local[name] for name in which}), ordered=True):
            be = "begin" if len(which) > 1 else "begins"
            first = len(looked.case.pieces()[0])
            refuse(
                "local",
                f"{' and '.join(which)} {be} anew with each partition: the second one's first row, row {first} of the table, has "
                f"{', '.join(f'{name} {int(local[name].iloc[first])}' for name in which)}.",
            )


def _apart(looked: Looked, arguments: tuple) -> str:
    """Where each piece has another length, tables of two lengths in one task come from two pieces."""
    lengths = looked.case.cuts[0]
    few = len(lengths) + 1  # a number for each piece may travel in a table
    if len(set(lengths)) < len(lengths) or min(lengths) <= few:
        return ""  # not to be told here: the cases with other lengths tell
    for step in looked.steps:
        frames = [*(frame for _, frame in step.taken), *step.made]
        held = {len(frame) for frame in frames if len(frame) > few}
        if len(held) > 1:
            return (
                f"one task held tables of {' and '.join(map(str, sorted(held)))} rows, of several pieces. The pieces need not come "
                "together: what has to travel is how many rows, and miles, lie before each of them."
            )
    return ""


def _same_rows(rng, drawn):
    """Rows that are equal in all columns, in several partitions."""
    return (drawn[0].assign(flight=texts(["AA1"] * len(drawn[0])), miles=500),)


def _far(rng, drawn):
    """Miles whose sum has no room in 32 bits, some below 0."""
    return (drawn[0].assign(miles=rng.integers(-(10**8), 2 * 10**9, len(drawn[0]))),)


NUMBER = Problem(
    id="dask-dataframes.number",
    title="Repair: numbered rows",
    kind="repair",
    answers=("number",),
    specification=number,
    lines=3,
    judge=LazyFrameJudge(
        (
            Pieces("30 flights in 3 partitions", lambda: made(30, 1), cuts=((10, 15, 5),)),
            Pieces("partitions of one row", lambda: made(9, 2), cuts=((1, 1, 4, 1, 2),)),
            Pieces("a table that is one partition", lambda: made(8, 3), cuts=((8,),)),
        ),
        ordered=True,
        drawn=in_pieces(
            lambda rng, size: made(size[0], int(rng.integers(1 << 30))),
            Property(
                (
                    cut("twelve partitions", (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8)),
                    cut("one row", (1,)),
                    cut("2 000 flights in 5 partitions", (500, 350, 450, 400, 300)),
                ),
                hint="A partition may have many rows or one, and there may be many partitions.",
            ),
            Property((Strategy("equal rows", change=_same_rows), Strategy("many miles", change=_far))),
            cuts=((31, 17, 43, 12, 23),),
        ),
        facts=(Fact("no piece was given the rows of another", "materialised", _apart), rows_stay()),
        before=(_in_pieces,),
    ),
    hints=(
        "`map_partitions` shows your function one piece at a time. Which number would it have to know about the pieces before?",
        "Dask's own `cumsum` runs over the whole column: it sums each piece, and hands on what lies before.",
        "And a number for each row is the running total of ones, less one.",
    ),
    mistakes={
        "from-one": Mistake("offset", "the rows are numbered from 1. Asked for: from 0.", _gives("one")),
        "before": Mistake("shifted", "`total` leaves out the row itself: it is what lies before it.", _gives("before")),
    },
)  # fmt: skip
