"""``merges.unknown``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.merges.unknown import (
    _all_flights,
    _counts,
    _no_seats,
    _nulls_known,
    _planes_counted,
    _semi,
    _top,
    unknown,
)

from ..edits import Wrong


def _strange(flights, planes, how="leftanti"):
    return flights.merge(planes.dropna(subset=["tailnum"]), on="tailnum", how=how)


def _right(flights, planes, k):
    return _top(_counts(_strange(flights, planes)), k)


def _flagged(flights, planes, k):
    known = planes[["tailnum"]].dropna().drop_duplicates()
    known["known"] = True
    both = flights.merge(known, on="tailnum", how="left")
    return _top(_counts(both[both["known"].isnull()]), k)


def _isin(flights, planes, k):
    found = flights["tailnum"].isin(planes["tailnum"].dropna()).fillna(False)
    counts = flights[~found]["carrier"].value_counts().reset_index()
    counts.columns = ["carrier", "flights"]
    return _top(counts, k)


def _starter(flights, planes, k):
    both = flights.merge(planes, on="tailnum", how="left")
    strange = both[both["seats"].isnull()]
    counts = strange.groupby("carrier").size().reset_index(name="flights")
    return counts.head(k)


def _nulls_gone(flights, planes, k):
    return _right(flights.dropna(subset=["tailnum"]), planes, k)


def _no_order(flights, planes, k):
    return _counts(_strange(flights, planes)).head(k)


def _fewest(flights, planes, k):
    return _top(_right(flights, planes, 1000), k, ascending=(True, True))


def _by_name(flights, planes, k):
    return _top(_right(flights, planes, 1000), k, by=("carrier",), ascending=(True,))


def _ties_backwards(flights, planes, k):
    return _top(_right(flights, planes, 1000), k, ascending=(False, False))


def _ties_as_they_come(flights, planes, k):
    return _counts(_strange(flights, planes)).nlargest(k, "flights").reset_index(drop=True)


def _all_carriers(flights, planes, k):
    return _right(flights, planes, 1000)


def _on_host(flights, planes, k):
    return unknown(flights.to_pandas(), planes.to_pandas(), k)


def _by_difference(flights, planes, k):
    known = planes[["tailnum"]].dropna().drop_duplicates()
    every = flights.groupby("carrier").size()
    found = flights.merge(known, on="tailnum").groupby("carrier").size()
    strange = (every - found.reindex(every.index).fillna(0)).astype("int64")
    out = strange[strange > 0].reset_index(name="flights")
    return out.sort_values(["flights", "carrier"], ascending=[False, True]).head(k)


def _twice_sorted(flights, planes, k):
    known = planes["tailnum"].dropna().unique()
    strange = flights[["carrier"]].assign(flights=(~flights["tailnum"].isin(known).fillna(False)).astype("int64"))
    out = strange.groupby("carrier", as_index=False).agg({"flights": "sum"})
    out = out[out["flights"] >= 1].sort_values("carrier")
    out["place"] = -out["flights"]
    return out.sort_values(["place", "carrier"]).drop(columns="place")[:k]


def _empty_text(flights, planes, k):
    return _right(flights.assign(tailnum=flights["tailnum"].fillna("")), planes, k)


WRONG = {
    "seats": Wrong(_no_seats, "nulls"),
    "nulls-known": Wrong(_nulls_known, "nulls"),
    "nulls-gone": Wrong(_nulls_gone, "nulls"),
    "as-given": Wrong(_starter, "nulls"),
    "semi": Wrong(_semi, "complement"),
    "planes": Wrong(_planes_counted, "duplicates"),
    "all": Wrong(_all_flights, "value"),
    "no-order": Wrong(_no_order, "order"),
    "fewest": Wrong(_fewest, "direction"),
    "by-name": Wrong(_by_name, "order"),
    "ties-backwards": Wrong(_ties_backwards, "ties"),
    "ties": Wrong(_ties_as_they_come, "ties"),
    "all-carriers": Wrong(_all_carriers, "value"),
    "host": Wrong(_on_host, "host"),
    "empty text for a null": Wrong(_empty_text, "value"),
}
RIGHT = {"anti": _right, "flag": _flagged, "isin": _isin, "by difference": _by_difference, "summed": _twice_sorted}
