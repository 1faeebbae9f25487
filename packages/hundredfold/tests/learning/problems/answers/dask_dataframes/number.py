"""``dask-dataframes.number``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from ..edits import Wrong

COLUMNS = ["flight", "miles", "row", "total"]


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


def _own_index(flights):
    """The numbers' series has an index of its own, from 0 in each partition."""
    import cudf
    import numpy as np

    def numbered(part):
        return part.assign(row=cudf.Series(np.arange(len(part)) * 0 + 1))

    rows = flights.map_partitions(numbered, meta=numbered(flights._meta))
    return rows.assign(row=rows["row"].cumsum() - 1, total=flights["miles"].cumsum())


def _series(flights):
    return _right(flights)["total"]


def _no_total(flights):
    return _right(flights)[["flight", "miles", "row"]]


def _last_of_each(flights):
    """What lies before a partition is the last running total of each one before."""
    import dask
    import dask.dataframe as dd

    before, out = (0, 0), []
    for part in flights.to_delayed():
        out.append(dask.delayed(_after)(part, before))
        before = dask.delayed(lambda part, so: (so[0] + len(part), so[1] + int(part["miles"].cumsum().iloc[-1])))(
            part, before
        )
    return dd.from_delayed(out, meta=_restarted(flights._meta), verify_meta=False)


def _after(part, before):
    out = _restarted(part)
    return out.assign(row=out["row"] + before[0], total=out["total"] + before[1])


WRONG = {
    "starter": Wrong(_starter, "local"),
    "half": Wrong(_half, "local"),
    "from-one": Wrong(_from_one, "offset"),
    "before": Wrong(_before, "shifted"),
    "sorted": Wrong(_sorted, "order"),
    "one-piece": Wrong(_one_piece, "materialised"),
    "counted": Wrong(_counted, "eager"),
    "computed": Wrong(_computed, "eager"),
    "series": Wrong(_series, "type"),
    "own-index": Wrong(_own_index, "alignment"),
    "no-total": Wrong(_no_total, "labels"),
}
RIGHT = {"cumsum": _right, "both at once": _both, "delayed": _delayed, "the last of each": _last_of_each}
