"""``merges.unknown``: repair a hunt for flights whose plane is not in the registry: an anti join, null keys, and the top k."""

from __future__ import annotations

import pandas as pd

from ..frames import FrameCase, RowsJudge, rows_stay
from ..problem import Mistake, Problem
from ..properties import Property, Strategy
from . import tables


def unknown(flights: pd.DataFrame, planes: pd.DataFrame, k: int) -> pd.DataFrame:
    """The specification: the k carriers with the most flights whose tail number stands for no plane of the registry (a null
    stands for none), as columns carrier, flights; most first, equals by their carrier's code."""
    strange = flights[~flights["tailnum"].isin(planes["tailnum"].dropna())]
    counts = strange.groupby("carrier").size().rename("flights").reset_index()
    return counts.sort_values(["flights", "carrier"], ascending=[False, True]).head(k).reset_index(drop=True)


def _counts(strange):
    return strange.groupby("carrier").size().reset_index(name="flights")


def _top(counts, k, by=("flights", "carrier"), ascending=(False, True)):
    return counts.sort_values(list(by), ascending=list(ascending)).head(k).reset_index(drop=True)


def _no_seats(flights, planes, k):
    both = flights.merge(planes.dropna(subset=["tailnum"]), on="tailnum", how="left")
    return _top(_counts(both[both["seats"].isnull()]), k)


def _nulls_known(flights, planes, k):
    known = planes[["tailnum"]].drop_duplicates().assign(known=1)
    both = flights.merge(known, on="tailnum", how="left")
    return _top(_counts(both[both["known"].isnull()]), k)


def _semi(flights, planes, k):
    known = planes[["tailnum"]].dropna().drop_duplicates()
    return _top(_counts(flights.merge(known, on="tailnum")), k)


def _planes_counted(flights, planes, k):
    known = planes[["tailnum"]].dropna().drop_duplicates().assign(known=1)
    both = flights.merge(known, on="tailnum", how="left")
    return _top(_counts(both[both["known"].isnull()].drop_duplicates(["carrier", "tailnum"])), k)


def _all_flights(flights, planes, k):
    return _top(_counts(flights), k)


def _pandas_fewest(flights, planes, k):
    return _fewest_of(unknown(flights, planes, 1000), k)


def _fewest_of(counts, k):
    return _top(counts, k, ascending=(True, True))


def _ties() -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Every carrier has four flights by strangers."""
    carriers = [carrier for carrier in reversed(tables.CARRIERS) for _ in range(4)]
    flights = pd.DataFrame(
        {"flight": range(24), "carrier": tables.texts(carriers), "tailnum": tables.texts(["X1"] * 24)}
    )
    return flights.assign(year=2013), tables.planes(5), 3


def _case(count: int, seed: int, k: int, null: bool = False, share: float = 0.15) -> tuple:
    return tables.flights(count, seed, null_share=share), tables.planes(30, seed + 50, twice=5, null=null), k


def _all_known(rng, drawn):
    """Every flight's plane is known, though not the seats of all of them."""
    _, planes, k = drawn
    known = planes["tailnum"].dropna().to_numpy()
    flights = tables.flights(len(drawn[0]), 3).assign(tailnum=tables.texts(rng.choice(known, len(drawn[0]))))
    return flights, planes, k


def _many(rng, drawn):
    """As many carriers as flights, each with one: the order of all is that of their codes."""
    flights, planes, k = drawn
    codes = [f"C{number:03d}" for number in rng.permutation(len(flights))]
    return flights.assign(carrier=tables.texts(codes), tailnum=tables.texts(["X1"] * len(flights))), planes, k


UNKNOWN = Problem(
    id="merges.unknown",
    title="Who flies planes that nobody knows?",
    kind="repair",
    answers=("unknown",),
    specification=unknown,
    lines=4,
    judge=RowsJudge(
        (
            FrameCase("211 flights, all carriers", lambda: _case(211, 1, 50)),
            FrameCase("211 flights, k = 3", lambda: _case(211, 1, 3)),
            FrameCase("planes without a tail number", lambda: _case(181, 2, 6, null=True)),
            FrameCase("all carriers equal", _ties),
            FrameCase("only nulls", lambda: _case(23, 4, 4, null=True, share=1.1)),
            FrameCase("no planes", lambda: (tables.flights(31, 5), tables.planes(0), 2)),
            FrameCase("no flights", lambda: (tables.flights(0), tables.planes(9), 2)),
        ),
        drawn=tables.drawn(
            Property(
                tuple(
                    Strategy(f"k = {k}", change=lambda rng, drawn, k=k: (*drawn[:2], k)) for k in (1, 2, 6, 1000)
                )
            ),
            Property((Strategy("no flight by a stranger", change=_all_known), Strategy("a carrier for each flight", change=_many))),
            more=(4,),
        ),
        facts=(rows_stay(),),
        by="flights",
        ordered=True,
    ),
    hints=(
        "There are three mistakes. Which flights have `seats` null, although their plane is known? What does a "
        "null tail number match? In what order do groups come?",
        "What has no match is the business of `how='leftanti'`. It needs no column of the right side to be null.",
        "Drop the null tail numbers from `planes`, then `flights.merge(planes, on='tailnum', how='leftanti')`; sort by "
        "`['flights', 'carrier']` with `ascending=[False, True]` before `head(k)`.",
    ),
    mistakes={
        "seats": Mistake(
            "nulls",
            "flights count as strange whose plane is known, but not its seats: null in a column does not say that there was no "
            "match.",
            _no_seats,
        ),
        "nulls-known": Mistake(
            "nulls",
            "flights without a tail number count as known where the registry has an entry without one: null matched null.",
            _nulls_known,
        ),
        "nulls-gone": Mistake(
            "nulls",
            "flights without a tail number are left out. Their plane stands in no registry either: they count.",
            lambda f, p, k: unknown(f.dropna(subset=["tailnum"]), p, k),
        ),
        "semi": Mistake("complement", "those are the flights whose plane is known.", _semi),
        "planes": Mistake("duplicates", "each strange plane was counted once; asked for: flights.", _planes_counted),
        "all": Mistake("value", "all flights were counted, whether their plane is known or not.", _all_flights),
        "fewest": Mistake(
            "direction",
            "the carriers with the fewest flights came first; asked for: the most.",
            _pandas_fewest,
            hint="`ascending=[False, True]`: the counts fall, the codes rise.",
        ),
        "ties-backwards": Mistake(
            "ties",
            "of carriers with equally many flights the last by code came first.",
            lambda f, p, k: _top(unknown(f, p, 1000), k, ascending=(False, False)),
        ),
        "all-carriers": Mistake(
            "value", "all carriers are there; asked for: the first k.", lambda f, p, k: unknown(f, p, 1000)
        ),
    },
)  # fmt: skip
