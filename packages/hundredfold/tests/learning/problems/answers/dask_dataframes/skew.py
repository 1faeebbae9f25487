"""``dask-dataframes.skew``: right and wrong answers, written as a learner would."""

from __future__ import annotations

from hundredfold.learning.problems.dask_dataframes.skew import COLUMNS, PARTS

from ..edits import Wrong


def _salted(part, salts):
    number = part.assign(one=1)["one"].cumsum() - 1
    return part.assign(salt=number % salts)


def _repeated(part, salts):
    import cudf

    return cudf.concat([part.assign(salt=number) for number in range(salts)], ignore_index=True)


def _by_salt(events, users, salts=PARTS, repeat=True, keys=("user", "salt"), parts=PARTS):
    left = events.map_partitions(_salted, salts, meta=_salted(events._meta, salts))
    if repeat:
        right = users.map_partitions(_repeated, salts, meta=_repeated(users._meta, salts))
    else:
        right = users.map_partitions(_salted, salts, meta=_salted(users._meta, salts))
    return left.merge(right, on=list(keys), npartitions=parts, broadcast=False)[COLUMNS]


def _plain(events, users):
    return events.merge(users, on="user", npartitions=PARTS, broadcast=False)[COLUMNS]


def _hot(events):
    """The key that has most rows, as one row of one partition, without computing it here."""
    counts = events.groupby("user").agg({"event": "count"}).reset_index()
    return counts[counts["event"] == counts["event"].max()][["user"]]


def _apart(events, users):
    """The hot key's rows meet its one row of the other table where they lie; the others are shuffled."""
    import dask.dataframe as dd

    hot = _hot(events)
    theirs = users.merge(hot, on="user", broadcast=True).repartition(npartitions=1)
    frequent = events.merge(theirs, on="user")[COLUMNS]
    return dd.concat([frequent, _plain(_without(events, hot), users)])


def _drop(part, hot):
    return part[~part["user"].isin(hot["user"])]


def _without(events, hot):
    return events.map_partitions(_drop, hot.repartition(npartitions=1).to_delayed()[0], meta=events._meta)


def _broadcast(events, users):
    return events.merge(users.repartition(npartitions=1), on="user")[COLUMNS]


def _one_place(events, users):
    return events.repartition(npartitions=1).merge(users.repartition(npartitions=1), on="user")[COLUMNS]


def _without_hot(events, users):
    return _plain(_without(events, _hot(events)), users)


def _both_repeated(events, users):
    left = events.map_partitions(_repeated, PARTS, meta=_repeated(events._meta, PARTS))
    right = users.map_partitions(_repeated, PARTS, meta=_repeated(users._meta, PARTS))
    return left.merge(right, on=["user", "salt"], npartitions=PARTS, broadcast=False)[COLUMNS]


def _left(events, users):
    left = events.map_partitions(_salted, PARTS, meta=_salted(events._meta, PARTS))
    right = users.map_partitions(_repeated, PARTS, meta=_repeated(users._meta, PARTS))
    return left.merge(right, on=["user", "salt"], how="left", npartitions=PARTS, broadcast=False)[COLUMNS]


def _known_by_plan(events, users):
    return _left(events, users).dropna(subset=["plan"])


def _salt_by_place(events, users):
    """The number's series has an index of its own."""
    import cudf
    import numpy as np

    def salted(part):
        return part.assign(salt=cudf.Series(np.arange(len(part)) % PARTS))

    left = events.map_partitions(salted, meta=salted(events._meta))
    right = users.map_partitions(_repeated, PARTS, meta=_repeated(users._meta, PARTS))
    return left.merge(right, on=["user", "salt"], npartitions=PARTS, broadcast=False)[COLUMNS]


def _computes(events, users):
    hot = events.groupby("user").size().nlargest(1).compute()
    return _apart(events, users) if len(hot) else _plain(events, users)


def _salt_no_key(events, users):
    right = users.map_partitions(_repeated, PARTS, meta=_repeated(users._meta, PARTS)).drop(columns="salt")
    return events.merge(right, on="user", npartitions=PARTS, broadcast=False)[COLUMNS]


def _salt_kept(events, users):
    left = events.map_partitions(_salted, PARTS, meta=_salted(events._meta, PARTS))
    right = users.map_partitions(_repeated, PARTS, meta=_repeated(users._meta, PARTS))
    return left.merge(right, on=["user", "salt"], npartitions=PARTS, broadcast=False)


def _concatenated(events, users):
    """The users repeated as partitions: many more than rows call for."""
    import dask.dataframe as dd

    left = events.map_partitions(_salted, 32, meta=_salted(events._meta, 32))
    right = dd.concat([users.assign(salt=number) for number in range(32)])
    return left.merge(right.astype({"salt": "int64"}), on=["user", "salt"], broadcast=False)[COLUMNS]


def _minus_one(events, users):
    planned = users.map_partitions(lambda part: part.assign(plan=part["plan"].fillna(-1)), meta=users._meta)
    out = _by_salt(events, planned)
    return out.map_partitions(lambda part: part.assign(plan=part["plan"].mask(part["plan"] == -1)), meta=out._meta)


WRONG = {
    "plain": Wrong(_plain, "skew"),
    "one-salt": Wrong(lambda events, users: _by_salt(events, users, salts=1), "skew"),
    "broadcast": Wrong(_broadcast, "broadcast"),
    "one-place": Wrong(_one_place, "broadcast"),
    "unrepeated": Wrong(lambda events, users: _by_salt(events, users, repeat=False), "salt"),
    "both-repeated": Wrong(_both_repeated, "multiplied"),
    "salt-not-a-key": Wrong(_salt_no_key, "multiplied"),
    "without-hot": Wrong(_without_hot, "lost"),
    "left": Wrong(_left, "complement"),
    "known-by-plan": Wrong(_known_by_plan, "lost"),
    "salt-by-place": Wrong(_salt_by_place, "alignment"),
    "computes": Wrong(_computes, "eager"),
    "salt-kept": Wrong(_salt_kept, "labels"),
    "many-partitions": Wrong(lambda events, users: _by_salt(events, users, salts=1, parts=64), "tasks"),
    "concatenated": Wrong(_concatenated, "tasks"),
    "-1 for a null": Wrong(_minus_one, "nulls"),
}
RIGHT = {"salted": _by_salt, "more salts": lambda events, users: _by_salt(events, users, salts=13), "set apart": _apart}
