"""``dask-dataframes.skew``: two large tables are joined by a key of which one value has most of the rows; no piece may get them all."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..frames import rows
from ..merges.tables import texts
from ..problem import Problem, Wrong
from ..verdict import refuse
from .judging import LazyFrameJudge, Looked, Pieces, look

COLUMNS = ["user", "event", "plan"]
PARTS = 8


def attach(events: pd.DataFrame, users: pd.DataFrame) -> pd.DataFrame:
    """The specification, in pandas: the events of known users, with their plan.

    events: user (text), event (int64). users: user (text, each once), plan (int64). Rows in any order.
    """
    return events.merge(users, on="user")[COLUMNS]


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


def _piece(part, users):
    return part.merge(users, on="user")[COLUMNS]


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


def _gives(kind: str):
    def made_by(events, users):
        out = attach(events, users)
        if kind == "all":
            return events.merge(users, on="user", how="left")[COLUMNS]
        if kind == "times":
            return pd.concat([out] * PARTS, ignore_index=True)
        return out[out["user"] != events["user"].mode()[0]].reset_index(drop=True)

    return made_by


def _left(events, users):
    left = events.map_partitions(_salted, PARTS, meta=_salted(events._meta, PARTS))
    right = users.map_partitions(_repeated, PARTS, meta=_repeated(users._meta, PARTS))
    return left.merge(right, on=["user", "salt"], how="left", npartitions=PARTS, broadcast=False)[COLUMNS]


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


def made(count: int, users: int, seed: int, share: float = 0.6) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Events of which one user has a share, the others evenly; a tenth of the others is by nobody known."""
    rng = np.random.default_rng(seed)
    names = np.array([f"u{at:05d}" for at in range(users + users // 9)])
    who = rng.choice(names, count)
    who[rng.random(count) < share] = names[users // 2]
    order = rng.permutation(users)
    events = pd.DataFrame({"user": texts(who), "event": np.arange(count)})
    return events, pd.DataFrame({"user": texts(names[:users][order]), "plan": order % 7})


def _even(table: int, parts: int) -> tuple[int, ...]:
    return tuple(table // parts + (at < table % parts) for at in range(parts))


USERS = 1_601  # prime: no piece repeated some times has as many rows
LARGE = Pieces(
    "20 000 events in 8 partitions, 60 % of them by one user",
    lambda: made(20_000, USERS, 7),
    cuts=(_even(20_000, PARTS), _even(USERS, PARTS)),
)
MOST = 0.4  # of the rows may be in one piece; all of the frequent key's are 60 %


def _measured(problem: Problem, function: object) -> str:
    """Refuse a join one of whose pieces holds too much, and say how near to even it comes."""
    looked = look(problem, function, LARGE)
    events = len(LARGE.host()[0])
    sent = [task for task in looked.ran.tasks if task.device == USERS and "shuffle" not in task.name]
    if sent:
        refuse(
            "broadcast",
            f"all of the {USERS} users are brought together and sent to every piece of the events. Here that works; the two real tables are "
            "equally large, and no worker holds one of them.",
            case=LARGE.name,
        )
    if looked.largest > MOST * events:
        refuse(
            "skew",
            f"one task held {looked.largest} of the {events} rows: all of the frequent user's events went to the same place.",
            case=LARGE.name,
        )
    share = looked.largest / events
    return f"How near to the limit: the largest piece held {share:.0%} of the rows; {1 / PARTS:.0%} would be even."


def _unmet(problem: Problem, looked: Looked) -> None:
    """Refuse salt on both sides: most rows find no partner, some of the frequent user's among them."""
    right, found = rows(attach(*looked.case.host())).values, rows(looked.value).values
    if set(found.columns) != set(COLUMNS) or not 0 < len(found) < 0.7 * len(right):
        return
    hot = looked.case.host()[0]["user"].mode()[0]
    known = set(map(tuple, right[COLUMNS].itertuples(index=False, name=None)))
    inside = all(tuple(row) in known for row in found[COLUMNS].itertuples(index=False, name=None))
    if inside and (found["user"] == hot).any():
        refuse(
            "salt",
            f"only {len(found)} of {len(right)} rows found a partner: an event with number 3 needs its user with number 3. Each row of the "
            "users must be there for every number, not only for one.",
        )


SKEW = Problem(
    id="dask-dataframes.skew",
    title="Open: one user has most of the events",
    kind="open",
    answers=("attach",),
    specification=attach,
    lines=9,
    time_limit=60.0,
    judge=LazyFrameJudge(
        (
            Pieces("120 events in 4 partitions, 50 users in 3", lambda: made(120, 50, 1), cuts=((30, 40, 20, 30), (20, 11, 19))),
            Pieces("90 events, all by one user", lambda: made(90, 20, 2, share=1.0), cuts=((30, 31, 29), (10, 10))),
        ),
        before=(_unmet,),
        after=(_measured,),
        verified="no piece with most of the rows, no table sent whole",
    ),
    hints=(
        "Which partition does a row go to? A hash of its key decides. What would have to be in the key for the frequent user's rows to go to several?",
        "Give each event a number from 0 to 7, `row number % 8`, and let that be part of the key. A user's row must then be there for each of these numbers.",
        "`map_partitions` does both: one function that adds a column `salt`, one that puts eight copies of a piece below each other, `cudf.concat`. Then merge on both columns, and leave `salt` out at the end.",
    ),
    wrong={
        "plain": Wrong(_plain, "skew"),
        "one-salt": Wrong(lambda events, users: _by_salt(events, users, salts=1), "skew"),
        "broadcast": Wrong(_broadcast, "broadcast"),
        "one-place": Wrong(_one_place, "broadcast"),
        "unrepeated": Wrong(lambda events, users: _by_salt(events, users, repeat=False), "salt"),
        "both-repeated": Wrong(_both_repeated, "multiplied", _gives("times"), "each row comes eight times: only one side is repeated. The other gets one number for each row."),
        "salt-not-a-key": Wrong(_salt_no_key, "multiplied", _gives("times"), "each row comes eight times: the number has to be part of the key, on both sides."),
        "without-hot": Wrong(_without_hot, "lost", _gives("cold"), "the frequent user's events are missing. They were the point."),
        "left": Wrong(_left, "complement", _gives("all"), "events of users that nobody knows are in the result. Asked for: those of known users."),
        "computes": Wrong(_computes, "eager"),
        "salt-kept": Wrong(_salt_kept, "labels"),
    },
    right={"salted": _by_salt, "more salts": lambda events, users: _by_salt(events, users, salts=13), "set apart": _apart},
)  # fmt: skip
