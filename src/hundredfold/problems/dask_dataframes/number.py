"""``dask-dataframes.number``: repair rows that are numbered, and totals that run, partition by partition only."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..merges.tables import texts
from ..problem import Problem, Wrong
from ..verdict import refuse
from .judging import LazyFrameJudge, Looked, Pieces, gives, no_larger

COLUMNS = ["flight", "miles", "row", "total"]


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


def _right(flights):
    return flights.assign(row=flights.assign(one=1)["one"].cumsum() - 1, total=flights["miles"].cumsum())


def _both(flights):
    sums = flights.assign(row=1)[["row", "miles"]].cumsum()
    return flights.assign(row=sums["row"] - 1, total=sums["miles"])


def _delayed(flights):
    """Each partition is told what lies before it by a task of its own."""
    import dask
    import dask.dataframe as dd

    parts = flights.to_delayed()
    sizes = [dask.delayed(lambda part: (len(part), int(part["miles"].sum())))(part) for part in parts]

    def follow(part, before):
        rows, miles = (sum(each) for each in zip(*before, strict=True)) if before else (0, 0)
        return _restarted(part).assign(row=_restarted(part)["row"] + rows, total=part["miles"].cumsum() + miles)

    follow = dask.delayed(follow)
    out = [follow(part, sizes[:at]) for at, part in enumerate(parts)]
    return dd.from_delayed(out, meta=_restarted(flights._meta), verify_meta=False)


def _restarted(part):
    return part.assign(row=part.assign(one=1)["one"].cumsum() - 1, total=part["miles"].cumsum())


def _starter(flights):
    return flights.map_partitions(_restarted, meta=_restarted(flights._meta))


def _half(flights):
    out = flights.map_partitions(_restarted, meta=_restarted(flights._meta))
    return out.assign(total=flights["miles"].cumsum())


def _from_one(flights):
    return flights.assign(row=flights.assign(one=1)["one"].cumsum(), total=flights["miles"].cumsum())


def _before(flights):
    out = _right(flights)
    return out.assign(total=out["total"] - out["miles"])


def _one_piece(flights):
    whole = flights.repartition(npartitions=1)
    return whole.map_partitions(_restarted, meta=_restarted(flights._meta))


def _counted(flights):
    import dask.dataframe as dd

    before, parts = 0, []
    for at in range(flights.npartitions):
        part = flights.partitions[at]
        parts.append(_right(part).assign(row=_right(part)["row"] + before))
        before += len(part)
    return dd.concat(parts)[COLUMNS].assign(total=flights["miles"].cumsum())


def _sorted(flights):
    return _right(flights).sort_values(["miles", "flight"])


def _computed(flights):
    return _right(flights).compute()


def _series(flights):
    return _right(flights)["total"]


def _no_total(flights):
    return _right(flights)[["flight", "miles", "row"]]


def _floats(flights):
    return _right(flights.assign(miles=flights["miles"].astype("str")))


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
        before=(_in_pieces,),
        each=(no_larger(0.7, "The pieces need not come together: what has to travel is how many rows, and miles, lie before each of them."),),
        verified="no piece larger than it was",
    ),
    hints=(
        "`map_partitions` shows your function one piece at a time. Which number would it have to know about the pieces before?",
        "Dask's own `cumsum` runs over the whole column: it sums each piece, and hands on what lies before.",
        "And a number for each row is the running total of ones, less one.",
    ),
    wrong={
        "starter": Wrong(_starter, "local"),
        "half": Wrong(_half, "local"),
        "from-one": Wrong(_from_one, "offset", _gives("one"), "the rows are numbered from 1. Asked for: from 0."),
        "before": Wrong(_before, "shifted", _gives("before"), "`total` leaves out the row itself: it is what lies before it."),
        "sorted": Wrong(_sorted, "order"),
        "one-piece": Wrong(_one_piece, "materialised"),
        "counted": Wrong(_counted, "eager"),
        "computed": Wrong(_computed, "eager"),
        "series": Wrong(_series, "type"),
        "no-total": Wrong(_no_total, "labels"),
    },
    right={"cumsum": _right, "both at once": _both, "delayed": _delayed},
)  # fmt: skip
