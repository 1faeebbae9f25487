"""Unit 17: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be
accepted. They are code as learners write it, in the style of a notebook cell.
"""

import tempfile

import answers
import numpy as np
import polars as pl
import pytest
from answers.polars.rule import RIGHT as FEES
from answers.second import Answers
from polars.io.plugins import register_io_source

from hundredfold.data.storage import Storage
from hundredfold.learning import problems
from hundredfold.learning.problems.polars import engine, judging, reads, tables

SECOND = Answers("polars")
wrong, right = SECOND.wrong, SECOND.right

pytestmark = pytest.mark.usefixtures("device")

# ---- polars.port ----


def counted(flights, /, late=60, **more):
    ways = {
        "flights": pl.count("dest"),
        "late": pl.col("arr_delay").gt(late).cast(pl.Int32).sum(),
        "delay": pl.col("arr_delay").mean(),
    }
    return flights.group_by("dest").agg(**(ways | more))


def in_order(table, at_least):
    table = table.filter(pl.col("flights").ge(at_least))
    return table.sort(-pl.col("delay"), pl.col("dest"), nulls_last=True)


@right("port")
def negated(flights, at_least):
    return in_order(counted(flights), at_least)


@right("port")
def in_sql(flights, at_least):
    query = f"""
        SELECT dest, COUNT(*) AS flights, SUM(CASE WHEN arr_delay > 60 THEN 1 ELSE 0 END) AS late,
               AVG(arr_delay) AS delay
        FROM flights GROUP BY dest HAVING COUNT(*) >= {at_least}
        ORDER BY delay DESC NULLS LAST, dest
    """
    return pl.SQLContext(flights=flights).execute(query)


@wrong("port", "type")
def a_dict(flights, at_least):
    return {"query": in_order(counted(flights), at_least)}


def _all_at_once(flights):
    return pl.collect_all([flights])[0].lazy()


def _by_profile(flights):
    return flights.profile()[0].lazy()


def _through_a_file(flights):
    with tempfile.TemporaryDirectory() as folder:
        flights.sink_parquet(f"{folder}/flights.parquet")
        return pl.read_parquet(f"{folder}/flights.parquet").lazy()


def _in_batches(flights):
    return pl.concat(list(flights.collect_batches())).lazy()


def _deferred(flights):
    return pl.defer(lambda: flights.collect(), schema=flights.collect_schema())


def _by_a_source(flights):
    def source(columns, predicate, rows, size):
        yield flights.collect()

    return register_io_source(source, schema=flights.collect_schema())


def _described(flights):
    flights.select("arr_delay").describe()
    return flights


def _in_eager_sql(flights):
    return pl.SQLContext(flights=flights, eager=True).execute("SELECT * FROM flights").lazy()


WAYS = [_all_at_once, _by_profile, _through_a_file, _in_batches, _deferred, _by_a_source, _described, _in_eager_sql]


@pytest.mark.parametrize("way", WAYS)
def test_a_query_that_ran_on_the_way_is_refused_however_it_ran(way):
    def fees(flights):
        return FEES["a chain"](way(flights))

    verdict = problems.judge("polars.rule", fees)
    assert (verdict.outcome, verdict.reason) == ("wrong", "eager")


@wrong("port", "eager")
def frames(flights, at_least):
    return in_order(counted(flights.collect()).lazy(), at_least)


@wrong("port", "fallback")
def python_for_late(flights, at_least):
    late = flights.with_columns(
        late=pl.col("arr_delay").map_elements(lambda delay: delay > 60, return_dtype=pl.Boolean)
    )
    return in_order(
        counted(late, late=0).drop("late").join(late.group_by("dest").agg(pl.sum("late")), on="dest"), at_least
    )


@wrong("port", "nulls")
def zeros_for_unknown(flights, at_least):
    return in_order(counted(flights.with_columns(pl.col("arr_delay").fill_null(0))), at_least)


@wrong("port", "nulls")
def not_a_number(flights, at_least):
    table = counted(flights, delay=pl.col("arr_delay").sum() / pl.col("arr_delay").count())
    return in_order(table.with_columns(pl.col("delay").fill_nan(None)), at_least).with_columns(
        pl.col("delay").fill_null(float("nan"))
    )


@wrong("port", "nulls")
def late_unless_punctual(flights, at_least):
    table = counted(flights, punctual=pl.col("arr_delay").le(60).sum())
    return in_order(table.with_columns(late=pl.col("flights") - pl.col("punctual")).drop("punctual"), at_least)


@wrong("port", "count")
def known(flights, at_least):
    return in_order(counted(flights, flights=pl.col("arr_delay").is_not_null().sum()), at_least)


@wrong("port", "boundary")
def more_rows(flights, at_least):
    return in_order(counted(flights), at_least + 1)


@wrong("port", "order")
def smallest_first(flights, at_least):
    return in_order(counted(flights), at_least).sort("delay", "dest", nulls_last=True)


@wrong("port", "ties")
def backwards_by_name(flights, at_least):
    table = counted(flights).filter(pl.col("flights") >= at_least)
    return table.sort("delay", "dest", descending=True, nulls_last=True)


@wrong("port", "labels")
def other_names(flights, at_least):
    return in_order(counted(flights), at_least).rename({"late": "too_late"})


# ---- polars.rule ----


def rule(unknown=100, far=1500, hour=60, long=180, most=600, less=400):
    delay = pl.col("arr_delay")
    dear = pl.when(pl.col("distance") >= far).then(most).otherwise(less)
    return (
        pl.when(delay >= long)
        .then(dear)
        .when(delay >= hour)
        .then(50)
        .when(delay.is_null())
        .then(unknown)
        .otherwise(0)
        .alias("dollars")
    )


def by_carrier(flights, dollars):
    return flights.select("carrier", dollars).group_by("carrier").agg(pl.sum("dollars")).sort("carrier")


@right("rule")
def null_last(flights):
    return by_carrier(flights, rule())


@right("rule")
def by_parts(flights):
    steps = [(100, pl.col("arr_delay").is_null())]
    steps += [(50, pl.col("arr_delay").is_between(60, 179))]
    far = pl.col("distance") >= 1500
    steps += [(600, (pl.col("arr_delay") >= 180) & far), (400, (pl.col("arr_delay") >= 180) & ~far)]
    dollars = sum(each * condition.fill_null(False).cast(pl.Int32) for each, condition in steps)
    return by_carrier(flights, dollars.alias("dollars"))


@wrong("rule", "fallback")
def in_batches(flights):
    def dollars(batch):
        frame = batch.struct.unnest()
        return frame.select(rule())["dollars"]

    both = pl.struct("arr_delay", "distance").map_batches(dollars, return_dtype=pl.Int32)
    return by_carrier(flights, both.alias("dollars"))


@wrong("rule", "eager")
def at_once(flights):
    return by_carrier(flights.collect().lazy(), rule())


@wrong("rule", "nulls")
def nothing_for_unknown(flights):
    return by_carrier(flights, rule(unknown=0))


@wrong("rule", "value")
def unknown_is_9999(flights):
    delay = pl.col("arr_delay").fill_null(9999)
    dollars = pl.when(delay == 9999).then(100).otherwise(rule())
    return by_carrier(flights, dollars.alias("dollars"))


@wrong("rule", "boundary")
def an_hour_and_a_minute(flights):
    return by_carrier(flights, rule(hour=61))


@wrong("rule", "operands")
def exchanged(flights):
    return by_carrier(flights, rule(most=400, less=600))


@wrong("rule", "overwritten")
def hour_first(flights):
    delay = pl.col("arr_delay")
    dollars = pl.when(delay >= 60).then(50).when(delay >= 180).then(600).when(delay.is_null()).then(100).otherwise(0)
    return by_carrier(flights, dollars.alias("dollars"))


@wrong("rule", "order")
def from_the_end(flights):
    return by_carrier(flights, rule()).reverse()


@wrong("rule", "type")
def an_expression(flights):
    return rule().sum()


# ---- polars.report ----


def classes(delay, up_to=(0, 15, 60)):
    names = ("early", "short", "long")
    chain = pl.when(delay <= up_to[0]).then(pl.lit(names[0]))
    for border, name in zip(up_to[1:], names[1:], strict=True):
        chain = chain.when(delay <= border).then(pl.lit(name))
    return chain.otherwise(pl.lit("very long")).alias("class")


def days(flights, day="1d", up_to=(0, 15, 60), by=("origin", "dest"), worst="max", order=("day", "class"), known=True):
    delay = pl.col("arr_delay")
    table = flights.filter(delay.is_not_null()) if known else flights
    table = table.with_columns(classes(delay, up_to), day=pl.col("time_hour").dt.truncate(day), route=pl.concat_str(by))
    table = table.group_by("class", "day").agg(
        flights=pl.len(), routes=pl.n_unique("route"), worst=getattr(delay, worst)()
    )
    return table.sort(*order)


@right("report")
def as_days(flights):
    return days(flights)


@right("report")
def routes_first(flights):
    delay = pl.col("arr_delay")
    table = flights.drop_nulls("arr_delay").select(
        "origin", "dest", delay, classes(delay), day=pl.col("time_hour").dt.date()
    )
    each = table.group_by("day", "class").agg(flights=pl.len(), worst=delay.max())
    routes = table.unique(["day", "class", "origin", "dest"]).group_by("day", "class").agg(routes=pl.len())
    return each.join(routes, on=["day", "class"]).sort("day", "class")


@wrong("report", "fallback")
def dynamic(flights):
    delay = pl.col("arr_delay")
    table = flights.filter(delay.is_not_null()).with_columns(classes(delay), route=pl.concat_str("origin", "dest"))
    groups = table.sort("time_hour").group_by_dynamic("time_hour", every="1d", group_by="class")
    table = groups.agg(flights=pl.len(), routes=pl.n_unique("route"), worst=delay.max())
    return table.rename({"time_hour": "day"}).sort("day", "class")


@wrong("report", "eager")
def in_two(flights):
    return days(flights.drop_nulls("arr_delay").collect().lazy())


@wrong("report", "boundary")
def one_below(flights):
    return days(flights, up_to=(-1, 14, 59))


@wrong("report", "nulls")
def with_the_lost(flights):
    return days(flights, known=False)


@wrong("report", "key")
def by_destination(flights):
    return days(flights, by=("dest",))


@wrong("report", "unit")
def by_hour(flights):
    return days(flights, day="1h")


@wrong("report", "direction")
def smallest(flights):
    return days(flights, worst="min")


@wrong("report", "order")
def by_class_first(flights):
    return days(flights, order=("class", "day"))


@wrong("report", "ties")
def by_number(flights):
    return days(flights, order=("day", "worst"))


@wrong("report", "reads")
def whole_rows(flights):
    return days(flights.with_columns(pl.struct(pl.all()).alias("row")).unique("row"))


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


# ---- numbers and decisions ----

PREDICTIONS = [
    ("pushdown", {"everything": 286e6}),
    ("pushdown", {"by_python": 30e6}),
    ("boundary", {"both": 15e6}),
    ("reads", {"columns": 143e6}),
    ("crossing", {"trip": 0.0066}),
    ("once", {"everything": 143e6}),
    ("operands", {"trip": 833.3}),
    ("value", {"columns": 165 * 2**20}),
]
DECISIONS = [
    ("arithmetic", {"means": "cpu"}),
    ("fallback", {"classes": "gpu"}),
    ("fallback", {"asof": "rewrite"}),
    ("launch", {"small": "gpu"}),
    ("crossing", {"wide": "gpu"}),
    *((f"always-{label}", dict.fromkeys(engine.JOBS, label)) for label in ("gpu", "rewrite", "split", "cpu")),
    ("labels", {"means": "both"}),
]


@pytest.mark.parametrize(("reason", "change"), PREDICTIONS)
def test_a_number_is_refused_for_what_it_is(reason, change):
    exact = {quantity.name: quantity.value for quantity in reads.READS.judge.quantities}
    assert problems.judge("polars.reads", *(exact | change).values()).reason == reason


@pytest.mark.parametrize(("reason", "change"), DECISIONS)
def test_a_decision_is_refused_for_what_it_leaves_out(reason, change):
    right_ones = problems.find("polars.engine").judge.right
    assert problems.judge("polars.engine", {**right_ones, **change}).reason == reason
    assert problems.judge("polars.engine", ["gpu"]).reason == "type"


def test_each_decision_is_clear():
    for job in engine.JOBS.values():
        best, second = sorted(set(job.times.values()))[:2]
        assert second > 1.5 * best


@pytest.mark.filterwarnings("ignore::polars.exceptions.PolarsInefficientMapWarning")
def test_polars_reads_what_the_prediction_says(tmp_path):
    """Row groups from the middle of a month to the middle of the next; the 16 other columns are one, which takes as much."""
    rng, groups, rows = np.random.default_rng(17), reads.GROUPS, 40_000
    month = np.repeat((np.arange(2 * groups) + 1) // 2 + 1, rows // 2)
    columns = {"carrier": rng.integers(0, 50, groups * rows), "arr_delay": rng.random(groups * rows), "month": month}
    table = pl.DataFrame({"other": rng.random(groups * rows), **columns})
    table.write_parquet(tmp_path / "flights.parquet", row_group_size=rows)

    def fetched(query, **how):
        bucket.forget()
        query.collect(**how)
        return bucket.nbytes

    with Storage({"flights.parquet": tmp_path / "flights.parquet"}) as bucket:
        options = {"aws_endpoint_url": f"http://{bucket.endpoint}", "aws_allow_http": "true"}
        options |= {"aws_region": "us-east-1", "aws_skip_signature": "true"}
        scan = pl.scan_parquet("s3://lake/flights.parquet", storage_options=options)
        july = scan.filter(pl.col("month") == 7)
        by_python = scan.filter(pl.col("month").map_elements(lambda month: month == 7, return_dtype=pl.Boolean))
        none, columns = pl.QueryOptFlags.none(), pl.QueryOptFlags.none()
        columns.projection_pushdown = True
        mean = [each.group_by("carrier").agg(pl.col("arr_delay").mean()) for each in (july, by_python)]
        everything, chosen = fetched(mean[0], optimizations=none), fetched(mean[0], optimizations=columns)
        both, python = fetched(mean[0]), fetched(mean[1])
    assert both == pytest.approx(chosen * reads.KEPT / reads.GROUPS, rel=0.02)
    assert everything > 1.5 * chosen and python == pytest.approx(chosen, rel=0.02)


def test_a_reason_is_told_in_one_line():
    flights = pl.from_arrow(tables.made(9, seed=1)).lazy()
    query = (
        flights.sort("dest")
        .with_columns(pl.col("distance").ewm_mean(alpha=0.5))
        .group_by(pl.col("arr_delay").cut([0]))
        .len()
    )
    with pytest.raises(pl.exceptions.ComputeError) as error:
        query.collect(engine=pl.GPUEngine(raise_on_fail=True))
    said = judging.why_refused(error.value)
    assert (
        "\n" not in said
        and said.startswith("NotImplementedError: dtype=Enum")
        and said.endswith("conversion not supported")
    )


def test_the_columns_of_a_plan_are_counted_over_all_its_sources():
    flights = pl.from_arrow(tables.made(9, seed=1)).lazy()
    assert judging.columns_read(flights.select("dest", pl.col("distance") + 1).explain()) == 2
    other = pl.LazyFrame({"dest": ["SEA"], "x": [1], "y": [2]}).select("dest", "x")
    assert judging.columns_read(flights.select("dest").join(other, on="dest").explain()) == 3
    assert judging.columns_read(flights.explain()) == 8


def test_collecting_is_noted_and_put_back():
    before = pl.LazyFrame.collect
    with judging.collecting() as ran:
        pl.LazyFrame({"x": [1]}).collect()
        pl.LazyFrame({"x": [1]}).collect(engine="gpu")
        pl.DataFrame({"x": [2, 1]}).sort("x").group_by("x").len()
    assert len(ran) == 2 and pl.LazyFrame.collect is before


@pytest.mark.parametrize(
    ("problem", "never"),
    [("port", ["dest"]), ("rule", ["carrier", "distance"]), ("report", ["time_hour", "origin", "dest"])],
)
def test_every_column_that_may_have_nulls_has_some(problem, never):
    drawn = problems.find(f"polars.{problem}").judge.drawn.cases(seed=1)
    (flights, *_) = next(case for case in drawn if case.name.startswith("nulls in other rows")).make()
    assert [name for name in flights.column_names if not flights[name].null_count] == never


def test_every_reason_a_problem_knows_has_a_second_answer_here():
    SECOND.also("polars.reads", *(reason for reason, _ in PREDICTIONS))
    SECOND.also("polars.engine", "type", *(reason for reason, _ in DECISIONS))
    assert not SECOND.absent()
    assert answers.right(problems.find("polars.report"))
