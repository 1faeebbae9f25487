"""``dask-dataframes.seats``: a large table and a small one: joined where the large one lies."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..facts import Fact
from ..frames import sentinels
from ..merges import tables
from ..problem import Mistake, Problem
from ..properties import Property, Strategy
from ..verdict import refuse
from .judging import LazyFrameJudge, Looked, Pieces, cut, gives, in_pieces, rows_stay

COLUMNS = ["flight", "tailnum", "seats"]


def seats(flights: pd.DataFrame, planes: pd.DataFrame) -> pd.DataFrame:
    """The specification, in pandas: every flight once, with the seats of its plane, null where they are not known.

    flights: flight (int64), tailnum (text with nulls). planes: tailnum (text with nulls; each that is known once), seats (float64 with
    nulls). A flight without a tail number has no plane. Rows in any order.
    """
    known = planes.dropna(subset=["tailnum"])
    return flights.merge(known, on="tailnum", how="left")[COLUMNS]


def _gives(kind: str):
    def made_by(flights, planes):
        if kind == "inner":
            return flights.merge(planes.dropna(subset=["tailnum"]), on="tailnum")[COLUMNS]
        if kind == "outer":
            return flights.merge(planes.dropna(subset=["tailnum"]), on="tailnum", how="outer")[COLUMNS]
        if kind == "nulls":
            return flights.merge(planes, on="tailnum", how="left")[COLUMNS]
        out = seats(flights, planes)
        return out.assign(seats=out["seats"].fillna(0))

    return made_by


def _mixed(looked: Looked) -> list[set]:
    """Of each task that held flights of several pieces, which flights it held; a number that is in several pieces tells nothing."""
    homes: dict = {}
    for at, piece in enumerate(looked.case.pieces()):
        for flight in piece["flight"]:
            homes[flight] = at if homes.get(flight, at) == at else None
    found = []
    for step in looked.steps:
        frames = [*(frame for _, frame in step.taken), *step.made]
        held = {
            flight
            for frame in frames
            if "flight" in getattr(frame, "columns", ())
            for flight in frame["flight"].dropna().to_arrow().to_pylist()
        }
        if len({homes.get(flight) for flight in held} - {None}) > 1:
            found.append(held)
    return found


def _nulls_and_travel(problem: Problem, looked: Looked) -> None:
    """Say both at once of a plain merge, which has both mistakes: another refusal after the first is fixed helps nobody."""
    if gives(looked, _gives("nulls")(*looked.case.host())) and _mixed(looked):
        refuse(
            "nulls",
            f"{problem.mistakes['nulls'].why} And flights were sent to other partitions for it: the planes, the small table, should "
            "go to them.",
        )


def _stays(looked: Looked, arguments: tuple) -> str:
    """What a task holds of the large table was in one piece before."""
    mixed, flights = _mixed(looked), looked.case.host()[0]["flight"].nunique()
    if not mixed:
        return ""
    most = max(map(len, mixed))
    if most == flights:
        return f"all {flights} flights were brought together in one task. Only the planes have to be one."
    return (
        f"flights were sent to other partitions: one task held {most} of them, from several. The planes are the small table: let them go "
        "to where the flights lie, as one partition, or with `broadcast=True`."
    )


def _whole(looked: Looked, arguments: tuple) -> str:
    flights = looked.case.host()[0]["flight"].nunique()
    return _stays(looked, arguments) if any(len(held) == flights for held in _mixed(looked)) else ""


def _some_planes(problem: Problem, looked: Looked) -> None:
    """Refuse a join with the first of the planes' pieces."""
    flights, _ = looked.case.host()
    for piece in looked.case.pieces(1):
        if gives(looked, seats(flights, piece)) and not gives(looked, seats(*looked.case.host())):
            refuse(
                "partial",
                f"only one of the planes' {len(looked.case.cuts[1])} partitions was looked at: the others have planes, too.",
            )


def _tables(rows: int, planes: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    flights = tables.flights(rows, seed, planes=30)[["flight", "tailnum"]]
    known = tables.planes(planes, seed + 1)[["tailnum", "seats"]]
    extra = pd.DataFrame({"tailnum": tables.texts([None]), "seats": np.array([7.0])})
    return flights, pd.concat([known[:3], extra, known[3:]], ignore_index=True)


def _repeated(rng, drawn):
    """Numbers that come several times, and rows that are equal."""
    flights = drawn[0].assign(flight=rng.integers(1, 9, len(drawn[0])))
    return pd.concat([flights[: len(flights) // 2], flights[: -(-len(flights) // 2)]], ignore_index=True), drawn[1]


def _nameless(rng, drawn):
    return drawn[0].assign(tailnum=tables.texts([None] * len(drawn[0]))), drawn[1]


def _no_seats(rng, drawn):
    return drawn[0], drawn[1].assign(seats=np.nan)


SEATS = Problem(
    id="dask-dataframes.seats",
    title="The seats of each flight",
    kind="write",
    answers=("seats",),
    specification=seats,
    lines=2,
    judge=LazyFrameJudge(
        (
            Pieces("80 flights in 4 partitions, planes in 3", lambda: _tables(80, 25, 1), cuts=((30, 20, 20, 10), (9, 9, 8))),
            Pieces("61 flights in 5 partitions, planes in 2", lambda: _tables(61, 30, 5), cuts=((12, 12, 13, 12, 12), (16, 15))),
            Pieces("few planes", lambda: _tables(30, 4, 9), cuts=((10, 10, 10), (3, 2))),
        ),
        drawn=in_pieces(
            lambda rng, size: _tables(size[0], size[1] - 1, int(rng.integers(1 << 30))),
            Property(
                (
                    cut("partitions without a row", (0, 30, 0, 21), (0, 8, 0, 5)),
                    cut("one partition of each", (40,), (20,)),
                    cut("1 000 flights in 4 partitions", (300, 250, 200, 250), (10, 11)),
                ),
                hint="A partition of either table may have many rows, one, or none.",
            ),
            Property(
                (
                    Strategy("flight numbers that come several times", change=_repeated),
                    Strategy("flights without a tail number", change=_nameless),
                    Strategy("planes without seats", change=_no_seats),
                )
            ),
            sentinels("tailnum", "seats"),
            cuts=((20, 15, 25), (7, 9, 5)),
        ),
        facts=(
            Fact("", "materialised", _whole),
            Fact("no flight left its partition", "shuffled", _stays),
            rows_stay(),
        ),
        before=(_some_planes, _nulls_and_travel),
    ),
    hints=(
        "Which flights are asked for? All of them. And what does a null in both keys do in a join of cuDF's?",
        "What makes Dask shuffle is that both tables have several partitions. Which of them can be one?",
        "`planes.dropna(subset=['tailnum']).repartition(npartitions=1)`, and a left merge.",
    ),
    mistakes={
        "inner": Mistake(
            "lost", "flights without a known plane are missing. Every flight was asked for.", _gives("inner")
        ),
        "outer": Mistake(
            "multiplied",
            "planes that never flew are in the result. Every flight was asked for, and nothing else.",
            _gives("outer"),
        ),
        "nulls": Mistake(
            "nulls",
            "flights without a tail number got the seats of an entry without one: in a join of cuDF's null matches null.",
            _gives("nulls"),
        ),
        "zeros": Mistake("nulls", "0 stands where the seats are not known.", _gives("zeros")),
    },
)  # fmt: skip
