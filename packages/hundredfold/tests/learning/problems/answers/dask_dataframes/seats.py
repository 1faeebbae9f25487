"""``dask-dataframes.seats``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.dask_dataframes.seats import COLUMNS

from ..edits import Wrong


def _join(flights, planes, how="left", small=True, drop=True, **options):
    known = planes.dropna(subset=["tailnum"]) if drop else planes
    known = known.repartition(npartitions=1) if small else known
    return flights.merge(known, on="tailnum", how=how, **options)[COLUMNS]


def _right(flights, planes):
    return _join(flights, planes)


def _by_broadcast(flights, planes):
    return _join(flights, planes, small=False, broadcast=True)


def _piece(part, known):
    return part.merge(known, on="tailnum", how="left")[COLUMNS]


def _by_pieces(flights, planes):
    """The small table as an argument of each piece's merge."""
    known = planes.dropna(subset=["tailnum"]).repartition(npartitions=1)
    meta = _piece(flights._meta, planes._meta)
    return flights.map_partitions(_piece, known.to_delayed()[0], meta=meta)


def _computes_planes(flights, planes):
    return flights.map_partitions(
        _piece, planes.dropna(subset=["tailnum"]).compute(), meta=_piece(flights._meta, planes._meta)
    )


def _gathers(flights, planes):
    whole = flights.repartition(npartitions=1)
    return _join(whole, planes)


def _zeros(flights, planes):
    out = _join(flights, planes)
    return out.assign(seats=out["seats"].fillna(0))


def _first_piece(flights, planes):
    known = planes.partitions[0].dropna(subset=["tailnum"])
    return flights.merge(known, on="tailnum", how="left")[COLUMNS]


def _zero_for_a_while(flights, planes):
    out = _join(flights, planes.assign(seats=planes["seats"].fillna(0)))
    return out.map_partitions(lambda part: part.assign(seats=part["seats"].mask(part["seats"] == 0)), meta=out._meta)


def _none_for_a_while(flights, planes):
    out = _join(flights.assign(tailnum=flights["tailnum"].fillna("none")), planes)
    return out.map_partitions(
        lambda part: part.assign(tailnum=part["tailnum"].mask(part["tailnum"] == "none")), meta=out._meta
    )


WRONG = {
    "shuffled": Wrong(lambda flights, planes: _join(flights, planes, small=False, broadcast=False), "shuffled"),
    "inner": Wrong(lambda flights, planes: _join(flights, planes, how="inner"), "lost"),
    "outer": Wrong(lambda flights, planes: _join(flights, planes, how="outer", small=False), "multiplied"),
    "nulls": Wrong(lambda flights, planes: _join(flights, planes, drop=False), "nulls"),
    "zeros": Wrong(_zeros, "nulls"),
    "first-piece": Wrong(_first_piece, "partial"),
    "computes": Wrong(_computes_planes, "eager"),
    "gathers": Wrong(_gathers, "materialised"),
    "computed": Wrong(lambda flights, planes: _join(flights, planes).compute(), "eager"),
    "index": Wrong(lambda flights, planes: _join(flights, planes).set_index("flight", sort=False), "labels"),
    "host": Wrong(lambda flights, planes: _join(flights, planes).to_backend("pandas"), "host"),
    "0 for a null": Wrong(_zero_for_a_while, "nulls"),
    "a text for a null": Wrong(_none_for_a_while, "nulls"),
}
RIGHT = {"one partition": _right, "broadcast": _by_broadcast, "by pieces": _by_pieces}
