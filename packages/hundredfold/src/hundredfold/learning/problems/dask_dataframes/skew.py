"""``dask-dataframes.skew``: two large tables are joined by a key of which one value has most of the rows; no piece may get them all."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..frames import rows, sentinels
from ..merges.tables import texts
from ..problem import Mistake, Problem
from ..properties import Property, Strategy
from ..traffic import spell
from ..verdict import in_case, refuse
from .judging import LazyFrameJudge, Looked, Pieces, Step, cut, in_pieces, look, rows_stay

COLUMNS = ["user", "event", "plan"]
PARTS = 8


def attach(events: pd.DataFrame, users: pd.DataFrame) -> pd.DataFrame:
    """The specification, in pandas: the events of known users, with their plan.

    events: user (text), event (int64). users: user (text, each once), plan (int64, or float64 with nulls). Rows in any order.
    """
    return events.merge(users, on="user")[COLUMNS]


def _gives(kind: str):
    def made_by(events, users):
        out = attach(events, users)
        if kind == "all":
            return events.merge(users, on="user", how="left")[COLUMNS]
        if kind == "times":
            return pd.concat([out] * PARTS, ignore_index=True)
        return out[out["user"] != events["user"].mode()[0]].reset_index(drop=True)

    return made_by


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
PARTITIONS = 32  # of the result at most: each of a shuffle's takes time, and the tables here are small
MOST = 0.4  # of the rows may be in one piece; all of the frequent key's are 60 %


def _is_events(frame: object) -> bool:
    return "event" in getattr(frame, "columns", ())


def _is_users(frame: object) -> bool:
    columns = getattr(frame, "columns", ())
    return "plan" in columns and "event" not in columns


def _rows_of(frames: list, which: object) -> int:
    return sum(len(frame) for frame in frames if which(frame))  # type: ignore[operator]


def _held(step: Step) -> int:
    """Rows of events that a task was given, or that it made."""
    return max(_rows_of([frame for _, frame in step.taken], _is_events), _rows_of(list(step.made), _is_events))


def _sent(steps: list[Step], users: int) -> bool:
    """Whether most of the users were given to several tasks that work on events, or all of them, each once, to one."""
    times: dict = {}
    for step in steps:
        theirs = {key: frame for key, frame in step.taken if _is_users(frame)}
        if users in (_rows_of(list(theirs.values()), _is_users), _rows_of(list(step.made), _is_users)):
            return True
        if any(map(_is_events, [*(frame for _, frame in step.taken), *step.made])):
            for key, frame in theirs.items():
                times.setdefault(key, [len(frame), 0])[1] += 1
    return sum(count for count, often in times.values() if often > 1) > users / 2


def _few(plan: object) -> None:
    """Refuse a plan of very many partitions before it runs."""
    if plan.npartitions > PARTITIONS:  # type: ignore[attr-defined]
        refuse(
            "tasks",
            f"the result has {plan.npartitions} partitions; at most {PARTITIONS} are asked for. A shuffle takes tasks for each of them: "
            "`npartitions=` of `merge` or `repartition` says how many.",
        )


def _measured(problem: Problem, function: object) -> str:
    """Refuse a join one of whose tasks holds too much, and say how near to even it comes."""
    looked = look(problem, function, LARGE, fused=False)
    with in_case(LARGE.name):
        problem.judge.judge_rows(problem, looked)  # type: ignore[attr-defined]
    events, largest = len(LARGE.host()[0]), max(map(_held, looked.steps))
    if looked.to_host is not None and looked.to_host > 4096:
        refuse(
            "transfer",
            f"the result is right, but {spell(looked.to_host)} went from the device to the host while it ran.",
            case=LARGE.name,
        )
    if _sent(looked.steps, USERS):
        refuse(
            "broadcast",
            f"the {USERS} users are brought together, or sent to every piece of the events. Here that works; the two real tables are "
            "equally large, and no worker holds one of them.",
            case=LARGE.name,
        )
    if largest > events:
        refuse(
            "skew",
            f"one task held {largest} rows of events, and there are {events}: the events themselves were repeated on the way. Repeat the users.",
            case=LARGE.name,
        )
    if largest > MOST * events:
        refuse(
            "skew",
            f"one task held {largest} of the {events} events: all of the frequent user's went to the same place.",
            case=LARGE.name,
        )
    return f"How near to the limit: the largest piece held {largest / events:.0%} of the events; {1 / PARTS:.0%} would be even."


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


def _unknown(rng, drawn):
    """The frequent user is not among the users."""
    events, users = drawn
    return events, users.assign(user=users["user"].replace(events["user"].mode()[0], "somebody else"))


def _others(rng, drawn):
    """Events that are equal in both columns, and names of several lengths, which end in what an answer may put behind a name."""
    events, users = drawn[0].assign(event=rng.integers(0, 3, len(drawn[0]))), drawn[1]
    ends = ["", "0", "1", "_1", "#1", "-1", "|1"]
    new = {
        name: f"{name[-2:]}{ends[at % 7]}{'x' * (at // 700)}{at // 7}"
        for at, name in enumerate(sorted({*events["user"], *users["user"]}))
    }
    users = users.assign(plan=users["plan"].where(users["plan"] > 0))  # every seventh has none
    return tuple(table.assign(user=texts(table["user"].map(new))) for table in (events, users))


_ANY = sentinels("plan")


def _any_plan(rng, drawn):
    events, users = drawn
    users = users.assign(plan=users["plan"].where(users["plan"] > 0))
    return _ANY.strategies[0].change(rng, (events, users))


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
            Pieces("90 events, all by one user", lambda: made(90, 20, 2, share=1.0), cuts=((50, 40), (10, 10))),
        ),
        drawn=in_pieces(
            lambda rng, size: made(size[0], size[1], int(rng.integers(1 << 30))),
            Property(
                (
                    cut("partitions without a row or with one, equal events, other names, users without a plan", (0, 40, 1), (1, 18, 0), change=_others),
                    cut("one partition of each, and nobody knows the frequent user", (60,), (27,), change=_unknown),
                ),
                hint="A partition of either table may have many rows, one, or none. Two events may be equal. A user may have any name, and no plan.",
            ),
            Property((Strategy("users without a plan, and plans that may look like nulls", change=_any_plan),), hint=_ANY.hint),
            cuts=((40, 35, 45), (20, 25)),
        ),
        facts=(rows_stay(),),
        planned=(_few,),
        before=(_unmet,),
        after=(_measured,),
        verified="no task held most of the events, and no table was sent whole",
    ),
    hints=(
        "Which partition does a row go to? A hash of its key decides. What would have to be in the key for the frequent user's rows to go to several?",
        "Give each event a number from 0 to 7, `row number % 8`, and let that be part of the key. A user's row must then be there for each of these numbers.",
        "`map_partitions` does both: one function that adds a column `salt`, one that puts eight copies of a piece below each other, `cudf.concat`. Then merge on both columns, and leave `salt` out at the end.",
    ),
    mistakes={
        "both-repeated": Mistake(
            "multiplied",
            "each row comes eight times: only one side is repeated. The other gets one number for each row.",
            _gives("times"),
        ),
        "salt-not-a-key": Mistake(
            "multiplied",
            "each row comes eight times: the number has to be part of the key, on both sides.",
            _gives("times"),
        ),
        "without-hot": Mistake("lost", "the frequent user's events are missing. They were the point.", _gives("cold")),
        "left": Mistake(
            "complement",
            "events of users that nobody knows are in the result. Asked for: those of known users.",
            _gives("all"),
        ),
    },
)  # fmt: skip
