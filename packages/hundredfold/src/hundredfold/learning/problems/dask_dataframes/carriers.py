"""``dask-dataframes.carriers``: a groupby over partitions: each carrier's flights, known delays, and mean delay."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..facts import Fact
from ..frames import sentinels
from ..merges.tables import texts
from ..problem import Mistake, Problem
from ..properties import Property, Strategy
from ..verdict import refuse
from .judging import LazyFrameJudge, Looked, Pieces, cut, gives, in_pieces, rows_stay

CODES = ("9E", "AA", "B6", "DL", "EV", "UA")
COLUMNS = ["carrier", "flights", "arrived", "delay"]


def carriers(flights: pd.DataFrame) -> pd.DataFrame:
    """The specification, in pandas.

    flights: carrier (text, never null), delay (float64, null where the flight did not arrive). Result, in any order: carrier, flights
    (int64: its rows), arrived (int64: those with a delay), delay (float64: their mean, null where there is none).
    """
    out = flights.groupby("carrier")["delay"].agg(["size", "count", "mean"]).reset_index()
    return out.set_axis(COLUMNS, axis=1)


def _mistaken(kind: str):
    """What a mistake gives, in pandas, where it does not depend on the cuts."""

    def made_by(flights):
        if kind == "zeros":
            out = carriers(flights.assign(delay=flights["delay"].fillna(0.0)))
            return out.assign(arrived=carriers(flights)["arrived"])
        out = carriers(flights)
        if kind == "count":
            return out.assign(flights=out["arrived"])
        if kind == "size":
            return out.assign(arrived=out["flights"])
        return out[out["arrived"] > 0].reset_index(drop=True)

    return made_by


def made(rows: int, seed: int, codes: int = 6, gone: float = 0.2) -> tuple[pd.DataFrame]:
    """Flights at random, in no order; the delays of each carrier differ, so that a mean of means is another number."""
    rng = np.random.default_rng(seed)
    code = np.sort(rng.integers(0, codes, rows)) if rows else np.empty(0, dtype=int)
    code = np.concatenate([code[: rows // 2], rng.permutation(code[rows // 2 :])])
    delay = np.round(rng.normal(10 * code + np.arange(rows) / 7, 30.0), 1)
    delay[rng.random(rows) < gone] = np.nan
    return (pd.DataFrame({"carrier": texts([CODES[i] for i in code]), "delay": delay}),)


def _lost() -> tuple[pd.DataFrame]:
    """A carrier none of whose flights arrived."""
    (table,) = made(60, 3)
    table.loc[table["carrier"] == "EV", "delay"] = np.nan
    return (table,)


def _in_pieces(problem: Problem, looked: Looked) -> None:
    """Refuse what is right for each piece, and is not for the table."""
    parts = pd.concat([carriers(piece) for piece in looked.case.pieces()], ignore_index=True)
    if len(looked.case.pieces()) == 1:
        return
    if gives(looked, parts):
        refuse(
            "local",
            f"a carrier comes once for each partition that it flies in: {len(parts)} rows. Each piece was grouped by itself, and then "
            "nobody put the groups together.",
        )
    summed = parts.groupby("carrier").agg({"flights": "sum", "arrived": "sum", "delay": "mean"}).reset_index()
    if gives(looked, summed[COLUMNS]):
        refuse(
            "mean-of-means",
            "the means of the partitions were averaged. A partition with 2 flights of a carrier then counts as much as one with 200: "
            "add up sums and counts, and divide once, at the end.",
        )


def _grouped(looked: Looked, arguments: tuple) -> str:
    """What a task is given besides its own piece are groups, no rows: at most one for each carrier and piece."""
    most = arguments[0]["carrier"].nunique() * max(len(looked.case.cuts[0]), 2)
    for step in looked.steps:
        lengths = sorted(len(frame) for _, frame in step.taken)
        if sum(lengths[:-1]) > most:
            return (
                f"one task was given {sum(lengths)} rows of several pieces; from each of them a row for each carrier is enough, {most} "
                "altogether. Let each partition be grouped by itself; only the groups have to travel."
            )
    return ""


def _one_carrier(rng, drawn):
    return (drawn[0].assign(carrier=texts(["ZZ"] * len(drawn[0]))),)


def _others(rng, drawn):
    """Carriers of other names, one of them in each piece only."""
    names = rng.choice(["q", "Ω", "10", "9", "a b"], len(drawn[0]))
    return (drawn[0].assign(carrier=texts(names)),)


def _nothing_known(rng, drawn):
    return (drawn[0].assign(delay=np.nan),)


def _once_known(rng, drawn):
    """One flight of each carrier has a delay, and of one carrier there is one flight."""
    table = drawn[0].assign(carrier=drawn[0]["carrier"].mask(drawn[0].index == 5, "ZZ"))
    later = table.duplicated("carrier")
    return (table.assign(delay=table["delay"].fillna(3.5).mask(later)),)


def _cancelling(rng, drawn):
    """Delays whose sum is small beside each of them, and one of 0: no flight is to be told by its sum."""
    delay = rng.permutation(np.where(np.arange(len(drawn[0])) % 2, 1e6, -1e6)) * (rng.random(len(drawn[0])) < 0.9)
    return (drawn[0].assign(delay=delay),)


CARRIERS = Problem(
    id="dask-dataframes.carriers",
    title="Each carrier's delay",
    kind="write",
    answers=("carriers",),
    specification=carriers,
    lines=3,
    judge=LazyFrameJudge(
        (
            Pieces("100 flights in 5 partitions", lambda: made(100, 1), cuts=((40, 7, 13, 30, 10),)),
            Pieces("a carrier of which no flight arrived", _lost, cuts=((25, 25, 10),)),
            Pieces("one partition", lambda: made(30, 4), cuts=((30,),)),
        ),
        drawn=in_pieces(
            lambda rng, size: made(size[0], int(rng.integers(1 << 30))),
            Property(
                (
                    cut("partitions without a row", (0, 40, 0, 31, 0)),
                    cut("partitions of one row", (1, 1, 1, 60, 1)),
                    cut("one flight", (1,)),
                    cut("1 000 flights in 4 partitions", (300, 250, 200, 250)),
                ),
                hint="A partition may have many rows, one, or none.",
            ),
            Property(
                (
                    Strategy("one carrier", change=_one_carrier),
                    Strategy("other carriers", change=_others),
                    Strategy("no delay that is known", change=_nothing_known),
                    Strategy("one delay of each carrier that is known", change=_once_known),
                    Strategy("delays that cancel each other", change=_cancelling),
                )
            ),
            sentinels("delay"),
            cuts=((50, 70, 40, 60),),
        ),
        facts=(Fact("each partition was grouped by itself", "materialised", _grouped), rows_stay()),
        before=(_in_pieces,),
    ),
    hints=(
        "A groupby over partitions is right where each part can be put together from parts: sums and counts can, means cannot. Dask's own `mean` knows.",
        "How many rows a carrier has, and how many of its delays are known, are two numbers: `size` counts rows, `count` what is not null.",
        "`flights.assign(flights=1, arrived=flights.delay.notnull().astype('int64'))`, then one `groupby('carrier')[[...]].sum()`, and `reset_index()`.",
    ),
    mistakes={
        "zeros": Mistake(
            "nulls",
            "a delay that is not known counts as 0 in the mean. The mean is of those that are known, and null where none is.",
            _mistaken("zeros"),
        ),
        "count": Mistake(
            "count",
            "`flights` leaves out those that did not arrive: `count` counts what is known, rows are counted by `size`.",
            _mistaken("count"),
        ),
        "size": Mistake("count", "`arrived` counts all rows. Those without a delay did not arrive.", _mistaken("size")),
        "dropped": Mistake(
            "lost",
            "a carrier of which no flight arrived is missing. It had flights: its delay is null.",
            _mistaken("dropped"),
        ),
    },
)  # fmt: skip
