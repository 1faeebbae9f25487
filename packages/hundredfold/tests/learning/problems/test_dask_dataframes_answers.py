"""Unit 13: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be accepted. They are code as
learners write it, in the style of a notebook cell.
"""

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from answers.second import Answers

from hundredfold.learning import problems
from hundredfold.learning.problems.dask_dataframes import carriers, number, partitions, seats, skew, worth

SECOND = Answers("dask-dataframes")
cudf = None


@pytest.fixture(autouse=True)
def _libraries(device):
    global cudf
    import cudf as ours

    cudf = ours


def test_a_plan_that_cannot_be_made_is_refused():
    """Dask raises where it makes tasks of the plan, which is after the function has returned."""
    verdict = problems.judge("dask-dataframes.carriers", lambda flights: flights.repartition(divisions=[None, None]))
    assert (verdict.outcome, verdict.reason) == ("wrong", "exception") and "TypeError" in verdict.why


def test_columns_that_the_plan_does_not_have_are_refused():
    """The rows are right; but whoever asks the result for a column is told that there is none."""

    def numbered(flights):
        meta = flights._meta
        whole = dask.delayed(lambda parts: cudf.from_pandas(number.number(cudf.concat(parts).to_pandas())))
        return dd.from_delayed([whole(flights.to_delayed())], meta=meta, verify_meta=False)

    verdict = problems.judge("dask-dataframes.number", numbered)
    assert verdict.reason == "type" and "says that it has the columns" in verdict.why, verdict.why


# ---- dask-dataframes.partitions ----

EXACT = [quantity.value for quantity in partitions.PARTITIONS.judge.quantities]
PREDICTIONS = [
    ("reads", {0: 4e8}),
    ("reads", {0: 14_000_000_000}),
    ("local", {1: 1}),
    ("local", {1: np.int64(8)}),
    ("crossing", {2: 1.75e9}),
    ("crossing", {2: 14e9}),
    ("skew", {3: 10_000_000}),
    ("skew", {3: 90e6}),
    ("salt", {4: 3e6}),
    ("broadcast", {5: 25e6}),
    ("unit", {5: 200.0}),
    ("value", {1: 7}),
    ("type", {0: "80 MB"}),
]


@pytest.mark.parametrize(("reason", "other"), PREDICTIONS)
def test_a_wrong_prediction_is_refused_for_its_reason(reason, other):
    given = [other.get(place, value) for place, value in enumerate(EXACT)]
    verdict = problems.judge("dask-dataframes.partitions", *given)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_rows_are_not_said_to_be_in_GiB():
    """44 million of 48 million rows are nearly what 1 GB is of 1 GiB."""
    given = [*EXACT[:4], 44e6, EXACT[5]]
    verdict = problems.judge("dask-dataframes.partitions", *given)
    assert verdict.reason == "value" and "GB" not in verdict.why, verdict.why


@pytest.mark.parametrize(("place", "name"), list(enumerate(partitions.PARTITIONS.answers)))
def test_the_hint_is_about_the_number_that_is_wrong(place, name):
    given = [value * 3.3 if at == place else value for at, value in enumerate(EXACT)]
    assert problems.judge("dask-dataframes.partitions", *given).advice.startswith(f"`{name}`")


def test_the_predictions_counted_row_by_row():
    """The dataset in small: forty files, seven row groups, ten columns, counted in pieces."""
    pieces = [(week, day, column) for week in range(1, 41) for day in range(7) for column in range(10)]
    read = [piece for piece in pieces if 11 <= piece[0] <= 14 and piece[1] < 2 and piece[2] < 2]
    assert EXACT[0] == pytest.approx(len(read) * 350e6 / 70)
    keys = np.arange(200_000)
    rng = np.random.default_rng(0)
    here, there = rng.integers(0, 8, len(keys)), rng.integers(0, 8, len(keys))
    assert EXACT[2] == pytest.approx((here != there).mean() * 40 * 350e6, rel=0.01)
    hot = np.where(rng.random(200_000) < 0.45, 0, rng.integers(1, 10**6, 200_000))
    assert EXACT[3] == pytest.approx(1000 * np.bincount(hot % 20 * (hot > 0)).max(), rel=0.03)


# ---- dask-dataframes.worth ----

DECISIONS = [
    ("launch", {"month": "cluster"}),
    ("tasks", {"scan": "cluster"}),
    ("tasks", {"lookups": "cluster"}),
    ("spilled", {"sessions": "one"}),
    ("residency", {"pipeline": "one"}),
    ("materialised", {"pairs": "cluster"}),
    ("labels", {"scan": "duckdb"}),
]


@pytest.mark.parametrize(("reason", "other"), DECISIONS)
def test_a_wrong_decision_is_refused_for_its_reason(reason, other):
    verdict = problems.judge("dask-dataframes.worth", {**worth.WORTH.judge.right, **other})
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


@pytest.mark.parametrize(
    ("label", "reason"), [("one", "always-local"), ("cluster", "always-many"), ("Neither", "value")]
)
def test_one_label_for_all_is_refused(label, reason):
    assert problems.judge("dask-dataframes.worth", dict.fromkeys(worth.WORTH.judge.right, label)).reason == reason
    assert problems.judge("dask-dataframes.worth", [label] * 6).reason == "type"


def test_what_decides_is_not_close():
    """Nobody must compute to the last digit: the other side takes at least a sixth longer."""
    for job in worth.JOBS.values():
        if job.right != "neither":
            fast, slow = sorted([job.times["one"], job.times["cluster"]])
            assert slow > 7 / 6 * fast
    assert worth.MADE > worth.HELD


# ---- dask-dataframes.carriers ----


def columns(out):
    return out[["carrier", "flights", "arrived", "delay"]]


def three(part):
    """Sums of one piece."""
    part = part.assign(flights=1, arrived=(~part.delay.isna()).astype("int64"), delay=part.delay.fillna(0.0))
    return part.groupby("carrier")[["flights", "arrived", "delay"]].sum().reset_index()


def summed(flights):
    parts = flights.map_partitions(three, meta=three(flights._meta))
    return parts.groupby("carrier").agg({"flights": "sum", "arrived": "sum", "delay": "sum"}).reset_index()


@SECOND.right("carriers")
def by_pieces_then_together(flights):
    def divided(part):  # cuDF's `where` leaves nulls; Dask's fills in NaN
        return columns(part.assign(delay=part.delay / part.arrived.where(part.arrived != 0)))

    out = summed(flights)
    return out.map_partitions(divided, meta=divided(out._meta))


@SECOND.wrong("carriers", "nulls")
def divided_by_nan(flights):
    out = summed(flights)
    return columns(out.assign(delay=out.delay / out.arrived.where(out.arrived != 0)))


@SECOND.right("carriers")
def dealt_out(flights):
    table = flights.assign(flights=1, arrived=flights.delay.notnull().astype("int64"))
    out = table.groupby("carrier").agg({"flights": "sum", "arrived": "sum", "delay": "mean"}, split_out=2)
    return columns(out.reset_index())


@SECOND.wrong("carriers", "mean-of-means")
def averages_averaged(flights):
    def each(part):
        out = three(part)
        return out.assign(delay=out.delay / out.arrived.where(out.arrived > 0))

    parts = flights.map_partitions(each, meta=each(flights._meta)).groupby("carrier")
    sums, mean = parts[["flights", "arrived"]].sum(), parts[["delay"]].mean()
    return columns(sums.merge(mean, left_index=True, right_index=True).reset_index())


@SECOND.wrong("carriers", "local")
def forgot_to_put_together(flights):
    def each(part):
        out = three(part)
        return out.assign(delay=out.delay / out.arrived.where(out.arrived > 0))

    return flights.map_partitions(each, meta=each(flights._meta))


@SECOND.wrong("carriers", "nulls")
def over_everybody(flights):
    out = summed(flights)
    return columns(out.assign(delay=out.delay / out.flights))


@SECOND.wrong("carriers", "value")
def zero_for_unknown(flights):
    known = flights.assign(delay=flights.delay.fillna(0))
    table = known.assign(flights=1, arrived=(known.delay != 0).astype("int64"))
    out = table.groupby("carrier")[["flights", "arrived", "delay"]].sum().reset_index()

    def divided(part):
        return columns(part.assign(delay=part.delay / part.arrived.where(part.arrived != 0)))

    return out.map_partitions(divided, meta=divided(out._meta))


@SECOND.wrong("carriers", "count")
def without_the_cancelled(flights):
    out = by_pieces_then_together(flights)
    return out.assign(flights=out.arrived)


@SECOND.wrong("carriers", "lost")
def inner(flights):
    known = flights.dropna(subset=["delay"])
    out = by_pieces_then_together(flights)
    return out.merge(known[["carrier"]].drop_duplicates(), on="carrier")


@SECOND.wrong("carriers", "materialised")
def together_first(flights):
    return by_pieces_then_together(flights.repartition(npartitions=1))


@SECOND.wrong("carriers", "labels")
def other_names(flights):
    return by_pieces_then_together(flights).rename(columns={"delay": "mean"})


@SECOND.wrong("carriers", "eager")
def persisted(flights):
    return by_pieces_then_together(flights).persist()


@SECOND.wrong("carriers", "host")
def on_the_host(flights):
    return by_pieces_then_together(flights).map_partitions(lambda part: part.to_pandas())


# ---- dask-dataframes.number ----


def running(flights):
    return flights.miles.cumsum()


def numbered(flights):
    """What comes out, without rows."""
    return ones(flights)._meta


@SECOND.right("number")
def ones(flights):
    return flights.assign(row=(flights.miles * 0 + 1).cumsum() - 1, total=running(flights))


@SECOND.right("number")
def with_insert(flights):
    out = flights.copy()
    out["row"] = flights.assign(n=1).n.cumsum() - 1
    out["total"] = running(flights)
    return out


@SECOND.wrong("number", "alignment")
def counts_of_their_own(flights):
    def counted(part):
        return part.assign(n=cudf.Series([1] * len(part)))

    out = flights.map_partitions(counted, meta=counted(flights._meta)).assign(total=running(flights))
    return out.assign(row=out.n.cumsum() - 1)[["flight", "miles", "row", "total"]]


@SECOND.wrong("number", "local")
def restarts(flights):
    out = flights.assign(total=running(flights))
    return out.map_partitions(lambda part: part.assign(row=part.total * 0 + cudf.Series(range(len(part)), index=part.index)))[["flight", "miles", "row", "total"]]  # fmt: skip


@SECOND.wrong("number", "offset")
def first_is_one(flights):
    out = ones(flights)
    return out.assign(row=out.row + 1)


@SECOND.wrong("number", "shifted")
def until_before(flights):
    return ones(flights).assign(total=running(flights) - flights.miles)


@SECOND.wrong("number", "order")
def backwards(flights):
    out = ones(flights)
    return dd.concat([out.partitions[at] for at in reversed(range(out.npartitions))])


@SECOND.wrong("number", "materialised")
def in_one(flights):
    return ones(flights.repartition(npartitions=1))


@SECOND.wrong("number", "eager")
def asks_for_the_length(flights):
    return ones(flights) if len(flights) else flights


@SECOND.wrong("number", "materialised")
def everybody_gets_all_pieces(flights):
    parts = flights.to_delayed()

    @dask.delayed
    def after(at, *parts):
        before = sum(map(len, parts[:at])), sum(int(part["miles"].sum()) for part in parts[:at])
        own = parts[at]
        row = cudf.Series(np.arange(len(own)) + before[0], index=own.index)
        return own.assign(row=row, total=own["miles"].cumsum() + before[1])

    return dd.from_delayed([after(at, *parts) for at in range(len(parts))], meta=numbered(flights), verify_meta=False)


@SECOND.wrong("number", "type")
def a_column(flights):
    return ones(flights).row


@SECOND.wrong("number", "labels")
def without_the_number(flights):
    return flights.assign(total=running(flights))


# ---- dask-dataframes.seats ----


def known(planes):
    return planes[planes.tailnum.notnull()]


def narrow(out):
    return out[["flight", "tailnum", "seats"]]


@SECOND.right("seats")
def from_the_other_side(flights, planes):
    small = known(planes).repartition(npartitions=1)
    return narrow(small.merge(flights, on="tailnum", how="right"))


@SECOND.right("seats")
def told_to_broadcast(flights, planes):
    return narrow(flights.merge(known(planes), how="left", on=["tailnum"], broadcast=True))


@SECOND.wrong("seats", "shuffled")
def shuffles_first(flights, planes):
    return narrow(flights.shuffle("tailnum").merge(known(planes).repartition(npartitions=1), on="tailnum", how="left"))


@SECOND.wrong("seats", "lost")
def only_the_known(flights, planes):
    return narrow(flights.merge(known(planes).repartition(npartitions=1), on="tailnum"))


@SECOND.wrong("seats", "multiplied")
def everything(flights, planes):
    return narrow(flights.merge(known(planes), on="tailnum", how="outer"))


@SECOND.wrong("seats", "nulls")
def null_is_null(flights, planes):
    return narrow(flights.merge(planes.repartition(npartitions=1), on="tailnum", how="left"))


def test_a_plain_merge_is_told_both_its_mistakes():
    plain = problems.judge("dask-dataframes.seats", lambda f, p: narrow(f.merge(p, on="tailnum", how="left")))
    assert plain.reason == "nulls" and "sent to other partitions" in plain.why


@SECOND.wrong("seats", "partial")
def the_last_planes(flights, planes):
    return narrow(flights.merge(known(planes.partitions[-1]), on="tailnum", how="left"))


@SECOND.wrong("seats", "eager")
def planes_computed(flights, planes):
    small = dd.from_pandas(known(planes).compute(), npartitions=1)
    return narrow(flights.merge(small, on="tailnum", how="left"))


@SECOND.wrong("seats", "materialised")
def all_flights_together(flights, planes):
    return narrow(flights.repartition(npartitions=1).merge(known(planes).repartition(npartitions=1), on="tailnum", how="left"))  # fmt: skip


@SECOND.wrong("seats", "labels")
def no_flight(flights, planes):
    return told_to_broadcast(flights, planes)[["tailnum", "seats"]]


@SECOND.wrong("seats", "host")
def in_pandas(flights, planes):
    flights, planes = flights.to_backend("pandas"), planes.to_backend("pandas")
    return narrow(flights.merge(known(planes).repartition(npartitions=1), on="tailnum", how="left"))


# ---- dask-dataframes.skew ----


def salted(part, salts=16):
    return part.assign(salt=cudf.Series(np.arange(len(part)) * 7 % salts, index=part.index))


def times(part, salts=16):
    numbers = cudf.DataFrame({"salt": np.arange(salts), "all": 1})
    return part.assign(all=1).merge(numbers, on="all").drop(columns="all")


def both(events, users):
    return events.map_partitions(salted, meta=salted(events._meta)), users.map_partitions(
        times, meta=times(users._meta)
    )


def three_columns(out):
    return out[["user", "event", "plan"]]


@SECOND.right("skew")
def sixteen(events, users):
    left, right = both(events, users)
    return three_columns(left.merge(right, on=["user", "salt"], npartitions=8, broadcast=False))


@SECOND.right("skew")
def salt_in_the_text(events, users):
    left, right = both(events, users)
    left, right = (table.assign(key=table.user + "-" + table.salt.astype("str")) for table in (left, right))
    return three_columns(left.merge(right[["key", "plan"]], on="key", npartitions=8, broadcast=False))


@SECOND.wrong("skew", "nulls")
def plan_zero_is_none(events, users):
    out = sixteen(events, users.assign(plan=users.plan.fillna(0)))
    return out.map_partitions(lambda part: part.assign(plan=part.plan.mask(part.plan == 0)), meta=out._meta)


@SECOND.wrong("skew", "tasks")
def an_event_a_partition(events, users):
    left, right = both(events, users)
    return three_columns(left.merge(right, on=["user", "salt"], npartitions=120, broadcast=False))


@SECOND.wrong("skew", "skew")
def shuffled_as_it_is(events, users):
    return three_columns(events.shuffle("user").merge(users.shuffle("user"), on="user", broadcast=False))


@SECOND.wrong("skew", "broadcast")
def sent_to_all(events, users):
    return three_columns(events.merge(users.repartition(npartitions=1), on="user", how="inner"))


@SECOND.right("skew")
def sixty_four(events, users):
    left = events.map_partitions(salted, 64, meta=salted(events._meta, 64))
    right = users.map_partitions(times, 64, meta=times(users._meta, 64))
    return three_columns(left.merge(right, on=["user", "salt"], broadcast=False))


@SECOND.wrong("skew", "alignment")
def salts_of_their_own(events, users):
    def salted_in_turn(part):
        return part.assign(salt=cudf.Series(np.arange(len(part)) % 8))

    left = events.map_partitions(salted_in_turn, meta=salted_in_turn(events._meta))
    right = users.map_partitions(times, 8, meta=times(users._meta, 8))
    return three_columns(left.merge(right, on=["user", "salt"], npartitions=8, broadcast=False))


@SECOND.wrong("skew", "broadcast")
def in_two_halves(events, users):
    halves = users.repartition(npartitions=2)
    return three_columns(
        dd.concat([events.merge(halves.partitions[at], on="user") for at in range(halves.npartitions)])
    )


@SECOND.wrong("skew", "transfer")
def a_dictionary_of_users(events, users):
    plans = dask.delayed(lambda *parts: dict(cudf.concat(list(parts)).to_pandas()[["user", "plan"]].values))(
        *users.to_delayed()
    )

    def told(part, plans):
        part = part.to_pandas()
        part = part.assign(plan=part["user"].map(plans)).dropna(subset=["plan"])
        return cudf.from_pandas(part.assign(plan=part["plan"].astype("int64")))

    return events.map_partitions(told, plans, meta=three_columns(events.merge(users, on="user"))._meta)


@SECOND.wrong("skew", "salt")
def salt_on_both(events, users):
    left, right = (each.map_partitions(salted, meta=salted(each._meta)) for each in (events, users))
    return three_columns(left.merge(right, on=["user", "salt"], broadcast=False))


@SECOND.wrong("skew", "multiplied")
def every_salt_matches(events, users):
    def eight(part):
        return times(part, 8)

    right = users.map_partitions(eight, meta=eight(users._meta))
    return three_columns(events.merge(right, on="user", broadcast=False))


@SECOND.wrong("skew", "lost")
def rare_users_only(events, users):
    counts = events.groupby("user").event.count().reset_index().rename(columns={"event": "n"})
    rare = counts[counts.n < 30].drop(columns="n")
    return three_columns(events.merge(rare, on="user").merge(users, on="user", broadcast=False))


@SECOND.wrong("skew", "complement")
def all_events(events, users):
    left, right = both(events, users)
    return three_columns(left.merge(right, on=["user", "salt"], how="left", npartitions=8, broadcast=False))


@SECOND.wrong("skew", "eager")
def looks_for_the_key(events, users):
    hot = events.user.value_counts().nlargest(1).compute()
    return sixteen(events, users) if len(hot) else events


@SECOND.wrong("skew", "labels")
def salt_left_in(events, users):
    left, right = both(events, users)
    return left.merge(right, on=["user", "salt"], npartitions=8, broadcast=False)


# ---- the functions ----


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


def test_a_counter_in_a_variable_depends_on_the_order_of_tasks():
    def counted_in_a_variable(flights):
        seen = {"rows": 0, "miles": 0}

        def after_the_others(part):
            out = part.assign(row=cudf.Series(np.arange(len(part)) + seen["rows"], index=part.index))
            out = out.assign(total=part["miles"].cumsum() + seen["miles"])
            seen.update(rows=seen["rows"] + len(part), miles=seen["miles"] + int(part["miles"].sum()))
            return out

        return flights.map_partitions(after_the_others, meta=numbered(flights))

    verdict = problems.judge("dask-dataframes.number", counted_in_a_variable)
    assert verdict.outcome == "wrong" and verdict.reason in ("state", "value"), verdict.why


@pytest.mark.parametrize("problem", ["carriers", "number", "seats", "skew"])
def test_an_empty_function_is_not_attempted(problem):
    name = f"dask-dataframes.{problem}"
    assert problems.judge(name, lambda *tables: None).outcome == problems.judge(name, ...).outcome == "untouched"


def test_how_near_to_even_is_said():
    assert "12% would be even" in problems.judge("dask-dataframes.skew", sixteen).near


def test_every_reason_a_problem_knows_has_a_second_answer_here():
    SECOND.also("partitions", *(reason for reason, _ in PREDICTIONS))
    SECOND.also("worth", "type", "value", "always-local", "always-many", *(reason for reason, _ in DECISIONS))
    assert not SECOND.absent()


# ---- the specifications, in other words ----


def test_the_carriers_row_by_row():
    (table,) = carriers._lost()
    for row in carriers.carriers(table).itertuples():
        own = [delay for code, delay in zip(table["carrier"], table["delay"], strict=True) if code == row.carrier]
        known = [delay for delay in own if delay == delay]
        assert (row.flights, row.arrived) == (len(own), len(known))
        assert row.delay == pytest.approx(sum(known) / len(known)) if known else np.isnan(row.delay)


def test_the_numbers_row_by_row():
    (table,) = number.made(30, 1)
    total = 0
    for at, row in enumerate(number.number(table).itertuples()):
        total += row.miles
        assert (row.row, row.total) == (at, total)


def test_the_seats_row_by_row():
    flights, planes = seats._tables(80, 25, 1)
    found = {
        tail: number for tail, number in zip(planes["tailnum"], planes["seats"], strict=True) if isinstance(tail, str)
    }
    for row in seats.seats(flights, planes).itertuples():
        due = found.get(row.tailnum, np.nan) if isinstance(row.tailnum, str) else np.nan
        assert np.array_equal(row.seats, due, equal_nan=True)


def test_one_user_has_most_of_the_events_and_pieces_cannot_be_mistaken_for_all_users():
    events, users = skew.LARGE.host()
    assert events["user"].value_counts().iloc[0] > 0.55 * len(events) > skew.MOST * len(events)
    assert len(users) == skew.USERS and all(skew.USERS % piece for piece in range(2, 100))
    joined = skew.attach(events, users)
    assert joined["user"].isin(users["user"]).all() and 0 < len(joined) < len(events)


# ---- the judge ----


@pytest.mark.parametrize(
    ("returns", "reason", "said"),
    [
        (lambda plan: plan.total.to_dask_array(), "type", "Dask dataframe"),
        (lambda plan: [1, 2], "type", "a list"),
        (lambda plan: plan.compute(), "eager", "computed already"),
        (lambda plan: plan.compute().to_pandas(), "eager", "pandas"),
        (lambda plan: plan.set_index("flight", sort=False), "labels", "flight is in the index"),
    ],
    ids=["array", "list", "computed", "pandas", "index"],
)
def test_what_comes_back_must_be_the_plan_that_was_asked_for(returns, reason, said):
    verdict = problems.judge("dask-dataframes.number", lambda flights: returns(ones(flights)))
    assert verdict.reason == reason and said in verdict.why


def test_what_fails_in_a_task_is_the_learners_own_error():
    def broken(flights):
        return flights.map_partitions(
            lambda part: part.assign(row=1 // (len(part) * 0), total=0), meta=ones(flights._meta)
        )

    verdict = problems.judge("dask-dataframes.number", broken)
    assert verdict.reason == "exception" and "ZeroDivisionError" in verdict.why


def test_a_table_is_cut_where_it_says(device):
    from hundredfold.learning.problems.dask_dataframes.judging import Pieces, split

    table = pd.DataFrame({"a": np.arange(6.0)})
    case = Pieces("six rows", lambda: (table, 3), cuts=((1, 0, 5),))
    lazy, three = case.lazy()
    assert three == 3 and lazy.npartitions == 3
    parts = [part.compute(scheduler="synchronous") for part in lazy.to_delayed()]
    assert [part["a"].to_pandas().tolist() for part in parts] == [[0.0], [], [1.0, 2.0, 3.0, 4.0, 5.0]]
    assert parts[2].index.to_pandas().tolist() == [0, 1, 2, 3, 4]
    assert [piece["a"].tolist() for piece in case.pieces()] == [[0.0], [], [1.0, 2.0, 3.0, 4.0, 5.0]]
    with pytest.raises(ValueError, match="6 rows cannot be cut"):
        split(table, (5, 2))
