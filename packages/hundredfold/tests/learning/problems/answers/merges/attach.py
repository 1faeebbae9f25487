"""``merges.attach``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.devices import cp
from hundredfold.learning.problems.frames import cudf
from hundredfold.learning.problems.merges.attach import (
    _all_common,
    _as_they_end,
    _as_they_stand,
    _every_entry,
    _inner,
    _joined,
    _known,
    _nulls_match,
    _oldest,
    _outer,
    _swapped,
    _zeros,
    attach,
)
from hundredfold.learning.problems.merges.tables import numbered

from ..edits import Wrong


def _right(flights, planes):
    return _joined(flights, _known(planes))


def _by_group(flights, planes):
    latest = planes.groupby("tailnum", as_index=False).agg({"year": "max"})
    known = planes.merge(latest, on=["tailnum", "year"]).rename(columns={"year": "built"})
    return _joined(flights, known[known["tailnum"].notnull()])


def _by_index(flights, planes):
    known = _known(planes).set_index("tailnum")
    return numbered(flights).set_index("tailnum").join(known).reset_index().sort_values("row").drop(columns="row")


def _unordered(flights, planes):
    return flights.merge(_known(planes), on="tailnum", how="left")


def _semi(flights, planes):
    out = _joined(flights, _known(planes))
    return out[out["built"].notnull()]


def _suffixes(flights, planes):
    known = planes.dropna(subset=["tailnum"]).sort_values("year").drop_duplicates("tailnum", keep="last")
    return _joined(flights, known)


def _on_host(flights, planes):
    return attach(flights.to_pandas(), planes.to_pandas())


def _writes(flights, planes):
    flights["row"] = range(len(flights))
    out = flights.merge(_known(planes), on="tailnum", how="left")
    return out.sort_values("row").drop(columns="row").reset_index(drop=True)


def _newest_first(flights, planes):
    latest = planes[planes["tailnum"].notnull()].sort_values("year", ascending=False).drop_duplicates("tailnum")
    latest = latest.rename(columns={"year": "built"})
    out = flights.assign(row=cp.arange(len(flights))).merge(latest, on="tailnum", how="left")
    return out.set_index("row").sort_index().reset_index(drop=True)


def _found_and_not(flights, planes):
    known = planes.dropna(subset=["tailnum"]).sort_values(["tailnum", "year"]).reset_index(drop=True)
    last = (known["tailnum"] != known["tailnum"].shift(-1)).fillna(True)
    known = known[last].rename(columns={"year": "built"})
    numbered = flights.reset_index(drop=True)
    numbered["row"] = cp.arange(len(flights))
    found = numbered.merge(known, on="tailnum", how="inner")
    rest = numbered.merge(known, on="tailnum", how="leftanti")
    rest["built"] = None
    rest["seats"] = None
    rest["built"], rest["seats"] = rest["built"].astype("float64"), rest["seats"].astype("float64")
    found["built"], found["seats"] = found["built"].astype("float64"), found["seats"].astype("float64")
    return cudf.concat([found, rest]).sort_values("row").drop(columns="row")


def _minus_one(flights, planes):
    out = _right(flights, planes.assign(seats=planes["seats"].fillna(-1)))
    return out.assign(seats=out["seats"].mask(out["seats"] == -1))


def _unknown_plane(flights, planes):
    named = flights.assign(tailnum=flights["tailnum"].fillna("unknown"))
    out = _right(named, planes)
    return out.assign(tailnum=out["tailnum"].mask(out["tailnum"] == "unknown"))


WRONG = {
    "inner": Wrong(_inner, "lost"),
    "found-only": Wrong(_semi, "lost"),
    "every-entry": Wrong(_every_entry, "multiplied"),
    "outer": Wrong(_outer, "multiplied"),
    "oldest": Wrong(_oldest, "duplicates"),
    "as-they-stand": Wrong(_as_they_stand, "duplicates"),
    "as-they-end": Wrong(_as_they_end, "duplicates"),
    "nulls": Wrong(_nulls_match, "nulls"),
    "zeros": Wrong(_zeros, "nulls"),
    "all-common": Wrong(_all_common, "key"),
    "suffixes": Wrong(_suffixes, "labels"),
    "swapped": Wrong(_swapped, "operands"),
    "unordered": Wrong(_unordered, "order"),
    "host": Wrong(_on_host, "host"),
    "aliasing": Wrong(_writes, "aliasing"),
    "-1 for a null": Wrong(_minus_one, "nulls"),
    "a text for a null": Wrong(_unknown_plane, "nulls"),
}
RIGHT = {
    "distinct": _right,
    "group": _by_group,
    "index": _by_index,
    "newest first": _newest_first,
    "found, and not": _found_and_not,
}
