"""Unit 07: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be
accepted. They are code as learners write it, in the style of a notebook cell.
"""

import dataclasses
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq
import pytest
from answers.second import Answers
from fsspec.implementations.arrow import ArrowFSWrapper

from hundredfold import data
from hundredfold.learning import problems
from hundredfold.learning.problems import frames
from hundredfold.learning.problems.dataframes import storage, tables, weigh, worth

SECOND = Answers("dataframes")
wrong, right = SECOND.wrong, SECOND.right

cudf = None


@pytest.fixture(autouse=True)
def _cudf(device):
    global cudf
    import cudf as library

    cudf = library


# ---- dataframes.port ----


def _three(flights):
    """The three columns, carriers in the index, in no order."""
    flights = flights.copy()
    flights["gone"] = flights["dep_time"].isnull().astype("int64")
    table = flights.groupby("carrier").agg({"origin": "size", "gone": "sum", "arr_delay": "mean"})
    return table.rename(columns={"origin": "flights", "gone": "cancelled", "arr_delay": "delay"})


def _ordered(flights):
    return _three(flights).sort_values("delay", ascending=False).reset_index()


@wrong("port", "host")
def handed_to_arrow(flights):
    return _ordered(flights).to_arrow()


@wrong("port", "transfer")
def rows_counted_in_numpy(flights):
    codes, names = pd.factorize(flights["carrier"].to_pandas())
    sizes = pd.Series(np.bincount(codes), index=names)
    table = _three(flights).drop(columns="flights").reset_index()
    table["flights"] = cudf.Series(sizes.reindex(table["carrier"].to_pandas()).to_numpy())
    return table[["carrier", "flights", "cancelled", "delay"]].sort_values("delay", ascending=False)


@wrong("port", "nulls")
def unknown_counts_as_punctual(flights):
    flights = flights.copy()
    flights.loc[flights["arr_delay"].isna(), "arr_delay"] = 0
    return _ordered(flights)


@wrong("port", "nulls")
def never_arrived_is_zero(flights):
    table = _ordered(flights)
    table["delay"] = table["delay"].fillna(0.0)
    return table


@wrong("port", "count")
def counts_what_arrived(flights):
    known = flights.groupby("carrier")["arr_delay"].count()
    table = _three(flights)
    table["flights"] = known
    return table.sort_values("delay", ascending=False).reset_index()


@wrong("port", "count")
def counts_what_departed(flights):
    table = _three(flights)
    table["flights"] = flights.groupby("carrier")["dep_delay"].count()
    return table.sort_values("delay", ascending=False).reset_index()


@wrong("port", "count")
def counts_the_months(flights):
    """Where no month is null it gives the right numbers."""
    table = _three(flights).drop(columns="flights")
    table.insert(0, "flights", flights.groupby("carrier")["month"].count())
    return table.sort_values("delay", ascending=False).reset_index()


@wrong("port", "count")
def counts_the_destinations(flights):
    table = _three(flights)
    table["flights"] = flights.groupby("carrier").agg({"dest": "count"})["dest"]
    return table.sort_values("delay", ascending=False).reset_index()


@wrong("port", "count")
def arrivals_in_two_columns(flights):
    """Two mistakes at once: the first column's is still told by its name."""
    table = _three(flights)
    arrived = flights.groupby("carrier")["arr_delay"].count()
    table["cancelled"] = table["flights"] - arrived
    table["flights"] = arrived
    return table.sort_values("delay", ascending=False).reset_index()


@wrong("port", "dropped")
def only_where_all_is_known(flights):
    return _ordered(flights.dropna())


@wrong("port", "dropped")
def carriers_that_arrived(flights):
    table = _ordered(flights)
    return table[table["delay"].notna()]


@wrong("port", "order")
def by_name(flights):
    return _three(flights).sort_index().reset_index()


@wrong("port", "labels")
def other_names(flights):
    return _ordered(flights).rename(columns={"delay": "arr_delay"})


@wrong("port", "labels")
def columns_in_another_order(flights):
    return _ordered(flights)[["carrier", "delay", "flights", "cancelled"]]


@wrong("port", "value")
def over_departures(flights):
    delay = flights.groupby("carrier")["arr_delay"].max()
    table = _three(flights)
    table["delay"] = delay.astype("float64")
    return table.sort_values("delay", ascending=False).reset_index()


@wrong("port", "paired")
def means_put_beside(flights):
    out = (
        flights.assign(gone=flights["dep_time"].isnull())
        .groupby("carrier", as_index=False)
        .agg({"month": "size", "gone": "sum"})
    )
    out["delay"] = flights.groupby("carrier")["arr_delay"].mean().values
    out = out.rename(columns={"month": "flights", "gone": "cancelled"})
    return out.sort_values("delay", ascending=False)


@wrong("port", "shape")
def the_worst_hundred(flights):
    out = (
        flights.assign(gone=flights["dep_time"].isnull())
        .groupby("carrier", as_index=False)
        .agg({"month": "size", "gone": "sum"})
    )
    out["delay"] = out["carrier"].map(flights.groupby("carrier")["arr_delay"].mean())
    return out.rename(columns={"month": "flights", "gone": "cancelled"}).sort_values("delay", ascending=False).head(100)


@wrong("port", "aliasing")
def leaves_a_column_behind(flights):
    flights["late"] = flights["arr_delay"] > 0
    return _ordered(flights.drop(columns="late"))


@right("port")
def pieces(flights):
    groups = flights.groupby("carrier")
    table = groups.size().rename("flights").to_frame()
    table["cancelled"] = table["flights"] - groups["dep_time"].count()
    table["delay"] = groups["arr_delay"].sum() / groups["arr_delay"].count()
    return table.sort_values("delay", ascending=False, na_position="last").reset_index()


@right("port")
def merged(flights):
    gone = flights[flights["dep_time"].isna()].groupby("carrier").size().rename("cancelled").reset_index()
    rows = flights.groupby("carrier", as_index=False).agg(flights=("month", "size"), delay=("arr_delay", "mean"))
    table = rows.merge(gone, on="carrier", how="left")
    table["cancelled"] = table["cancelled"].fillna(0).astype("int64")
    return table[["carrier", "flights", "cancelled", "delay"]].sort_values("delay", ascending=False)


@wrong("port", "count")
def flights_with_a_destination(flights):
    groups = flights.groupby("carrier")
    table = cudf.DataFrame(
        {
            "flights": groups.size(),
            "cancelled": groups.size() - groups["dep_time"].count(),
            "delay": groups["arr_delay"].mean(),
        }
    )
    table["flights"] = groups["dest"].count()
    return table.sort_values("delay", ascending=False).reset_index()


@right("port")
def those_of_whom_nothing_is_known_in_any_order(flights):
    table = _three(flights).reset_index().sort_values("carrier", ascending=False)
    return table.sort_values("delay", ascending=False, kind="stable")


# ---- dataframes.pairs ----


def _minutes(flights):
    means = flights.groupby("dest")[["dep_delay", "arr_delay"]].mean()
    return (means["dep_delay"] - means["arr_delay"]).rename("gained")


@wrong("pairs", "paired")
def names_sorted_values_not(flights):
    minutes = _minutes(flights)
    names = minutes.index.to_series().sort_values().reset_index(drop=True)
    return cudf.DataFrame({"dest": names, "gained": minutes.reset_index(drop=True)})


@wrong("pairs", "paired")
def sorted_by_value(flights):
    minutes = _minutes(flights).sort_index()
    return cudf.DataFrame({"dest": minutes.index.to_series().reset_index(drop=True), "gained": minutes.sort_values().reset_index(drop=True)})  # fmt: skip


@wrong("pairs", "order")
def backwards(flights):
    return _minutes(flights).reset_index().sort_values("dest", ascending=False)


@wrong("pairs", "labels")
def unnamed(flights):
    return _minutes(flights).rename(None).sort_index().reset_index()


@wrong("pairs", "type")
def a_dict(flights):
    return dict(zip(*_minutes(flights).sort_index().reset_index().to_pandas().to_numpy().T, strict=True))


@wrong("pairs", "host")
def built_on_the_host(flights):
    minutes = _minutes(flights).sort_index().to_pandas()
    return pd.DataFrame({"dest": minutes.index, "gained": minutes.to_numpy()})


@wrong("pairs", "nulls")
def unknown_is_nothing(flights):
    return _minutes(flights).fillna(0).sort_index().reset_index()


@wrong("pairs", "dropped")
def known_on_both_sides(flights):
    departed = flights.groupby("dest")["dep_delay"].mean().dropna()
    arrived = flights.groupby("dest")["arr_delay"].mean().dropna().rename("arrived")
    both = departed.to_frame().join(arrived.to_frame(), how="inner").sort_index()
    return (both["dep_delay"] - both["arrived"]).rename("gained").reset_index()


@wrong("pairs", "rows")
def flights_known_throughout(flights):
    known = flights.assign(dep_delay=flights["dep_delay"].where(flights["arr_delay"].notna()))
    known = known.assign(arr_delay=known["arr_delay"].where(known["dep_delay"].notna()))
    return _minutes(known).sort_index().reset_index()


@wrong("pairs", "shape")
def the_hundred_of_february(flights):
    means = flights.groupby("dest", sort=True)[["dep_delay", "arr_delay"]].mean().reset_index()
    means["gained"] = means["dep_delay"] - means["arr_delay"]
    return means[["dest", "gained"]].iloc[:100]


@wrong("pairs", "sign")
def the_other_way_round(flights):
    groups = flights.groupby("dest", sort=True)
    return (groups["arr_delay"].mean() - groups["dep_delay"].mean()).rename("gained").reset_index()


@right("pairs")
def by_merge(flights):
    departed = flights.groupby("dest", as_index=False)["dep_delay"].mean()
    arrived = flights.groupby("dest", as_index=False)["arr_delay"].mean()
    both = departed.merge(arrived, on="dest").sort_values("dest", ignore_index=True)
    return cudf.DataFrame({"dest": both["dest"], "gained": both["dep_delay"] - both["arr_delay"]})


@right("pairs")
def by_eval(flights):
    means = flights.groupby("dest", sort=True)[["dep_delay", "arr_delay"]].mean().reset_index()
    means["gained"] = means.eval("dep_delay - arr_delay")
    return means[["dest", "gained"]]


# ---- dataframes.fee ----


def _steps(delay, distance, lost=100):
    """The rules one after the other, on host numbers."""
    if delay is None:
        return lost
    return (600 if distance >= 1500 else 400) if delay >= 180 else 50 if delay >= 60 else 0


@wrong("fee", "exception")
def asks_pandas(flights):
    return flights.apply(lambda row: 100 if pd.isna(row["arr_delay"]) else 0, axis=1)


@wrong("fee", "exception")
def iterates(flights):
    return cudf.Series([_steps(row.arr_delay, row.distance) for row in flights.itertuples()])


@wrong("fee", "transfer")
def by_a_list(flights):
    table = flights.to_arrow().to_pydict()
    return cudf.Series([_steps(*pair) for pair in zip(table["arr_delay"], table["distance"], strict=True)])


@wrong("fee", "host")
def numpy_comes_back(flights):
    return _right_masks(flights).to_numpy()


@wrong("fee", "nulls")
def nulls_stay(flights):
    return flights.apply(_without_na, axis=1)


def _without_na(row):
    if row["arr_delay"] >= 180:
        return 600 if row["distance"] >= 1500 else 400
    return 50 if row["arr_delay"] >= 60 else row["arr_delay"] * 0


@wrong("fee", "nulls")
def forgets_the_cancelled(flights):
    return flights.fillna({"arr_delay": -1}).apply(_without_na, axis=1)


@wrong("fee", "boundary")
def greater_than(flights):
    delay, distance = flights["arr_delay"].fillna(0), flights["distance"]
    fee = 50 * (delay > 60).astype("int64") + 350 * (delay >= 180).astype("int64")
    fee += 200 * ((delay >= 180) & (distance >= 1500)).astype("int64")
    return fee.mask(flights["arr_delay"].isna(), 100)


@wrong("fee", "overwritten")
def general_rule_last(flights):
    delay, distance = flights["arr_delay"].fillna(-999), flights["distance"]
    fee = cudf.Series(np.zeros(len(flights), dtype="int64"), index=flights.index)
    fee[(delay >= 180) & (distance >= 1500)] = 600
    fee[(delay >= 180) & (distance < 1500)] = 400
    fee[delay >= 60] = 50
    fee[flights["arr_delay"].isna()] = 100
    return fee


@wrong("fee", "dtype")
def in_floats(flights):
    return _right_masks(flights) / 1


@wrong("fee", "value")
def a_minute_early_is_unknown(flights):
    return _right_masks(flights.assign(arr_delay=flights["arr_delay"].where(flights["arr_delay"] != -1)))


@wrong("fee", "type")
def in_a_frame(flights):
    return flights.assign(fee=_right_masks(flights))[["fee"]]


def _right_masks(flights):
    delay, distance = flights["arr_delay"].fillna(-999), flights["distance"]
    fee = cudf.Series(np.zeros(len(flights), dtype="int64"), index=flights.index)
    fee[delay >= 60] = 50
    fee[delay >= 180] = 400
    fee[(delay >= 180) & (distance >= 1500)] = 600
    fee[flights["arr_delay"].isna()] = 100
    return fee


@right("fee")
def by_assignment(flights):
    return _right_masks(flights)


@right("fee")
def where_upon_where(flights):
    delay = flights["arr_delay"]
    far = (flights["distance"] >= 1500).astype("int64") * 200 + 400
    fee = far.where((delay >= 180).fillna(False), (delay >= 60).fillna(False).astype("int64") * 50)
    return fee.where(delay.notna(), 100)


# ---- dataframes.storage ----


def _read(filesystem, path, month, **more):
    return pq.read_table(path, filesystem=filesystem, filters=[("month", "=", month)], **more)


def _by_carrier(table):
    table = cudf.DataFrame.from_arrow(table)
    return table.groupby("carrier", sort=True).agg(delay=("arr_delay", "mean")).reset_index()


@wrong("storage", "asked")
def downloads_it(filesystem, path, month):
    with filesystem.open_input_stream(path) as stream:
        table = pq.read_table(io.BytesIO(stream.read()), columns=["month", "carrier", "arr_delay"])
    return _by_carrier(table.filter(pa.compute.equal(table["month"], month)))


@wrong("storage", "asked")
def named_to_cudf(filesystem, path, month):
    """It names all that is needed; cuDF fetches the whole file all the same."""
    named = {"columns": ["carrier", "arr_delay"], "filters": [("month", "==", month)]}
    flights = cudf.read_parquet(path, filesystem=ArrowFSWrapper(filesystem), **named)
    return flights.groupby("carrier", sort=True).agg(delay=("arr_delay", "mean")).reset_index()


@wrong("storage", "asked")
def from_the_checkout(filesystem, path, month):
    """It knows where the course keeps its file, and asks nobody."""
    del filesystem, path
    return _by_carrier(pq.read_table(data.path("flights"), filters=[("month", "=", month)]))


@wrong("storage", "rows")
def up_to_that_month(filesystem, path, month):
    table = pq.read_table(path, filesystem=filesystem, columns=["carrier", "arr_delay"])
    return _by_carrier(table)


@wrong("storage", "host")
def arrows_own_groupby(filesystem, path, month):
    table = _read(filesystem, path, month, columns=["carrier", "arr_delay"])
    return table.group_by("carrier").aggregate([("arr_delay", "mean")]).sort_by("carrier")


@wrong("storage", "order")
def latest_first(filesystem, path, month):
    return _by_carrier(_read(filesystem, path, month, columns=["carrier", "arr_delay"])).sort_values("delay")


@wrong("storage", "labels")
def keeps_the_columns_name(filesystem, path, month):
    table = cudf.DataFrame.from_arrow(_read(filesystem, path, month, columns=["carrier", "arr_delay"]))
    return table.groupby("carrier", sort=True)["arr_delay"].mean().reset_index()


@wrong("storage", "shape")
def read_once(filesystem, path, month, kept={}):  # noqa: B006
    if month not in kept:
        kept[month] = _read(filesystem, path, month, columns=["carrier", "arr_delay"])
    return _by_carrier(kept[month])


@wrong("storage", "value")
def the_first_row_group_that_has_it(filesystem, path, month):
    """And no other."""
    with filesystem.open_input_file(path) as file:
        opened = pq.ParquetFile(file)
        at = opened.schema_arrow.names.index("month")
        for place in range(opened.num_row_groups):
            held = opened.metadata.row_group(place).column(at).statistics
            table = opened.schema_arrow.empty_table()
            if held.min <= month <= held.max:
                table = opened.read_row_group(place, columns=["month", "carrier", "arr_delay"])
                break
    return _by_carrier(table.filter(pa.compute.equal(table["month"], month)))


@wrong("storage", "exception")
def the_only_file_of_its_folder(filesystem, path, month):
    folder, _, _ = path.rpartition("/")
    return _by_carrier(_read(filesystem, f"{folder}/flights.parquet", month, columns=["carrier", "arr_delay"]))


@wrong("storage", "dropped")
def only_known_ones(filesystem, path, month):
    table = _read(filesystem, path, month, columns=["carrier", "arr_delay"])
    return _by_carrier(table.filter(pa.compute.is_valid(table["arr_delay"])))


@wrong("storage", "nulls")
def lost_ones_were_punctual(filesystem, path, month):
    table = cudf.DataFrame.from_arrow(_read(filesystem, path, month, columns=["carrier", "arr_delay"]))
    table["arr_delay"] = table["arr_delay"].fillna(0)
    return table.groupby("carrier", sort=True).agg(delay=("arr_delay", "mean")).reset_index()


@right("storage")
def only_what_is_needed(filesystem, path, month):
    """To the last byte: the footer's length, the footer, and the chunks of the row groups that can hold the month."""
    with filesystem.open_input_file(path) as file:
        size = file.size()
        tail = int.from_bytes(file.read_at(8, size - 8)[:4], "little")
        sparse = bytearray(size)
        sparse[-8:] = tail.to_bytes(4, "little") + b"PAR1"
        sparse[-8 - tail : -8] = file.read_at(tail, size - 8 - tail)
        metadata = pq.read_metadata(io.BytesIO(sparse))
        found = []
        for place in range(metadata.num_row_groups):
            group = metadata.row_group(place)
            chunks = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
            low, high = chunks["month"].statistics.min, chunks["month"].statistics.max
            if low <= month <= high:
                names = ["carrier", "arr_delay", *(["month"] if low < high else [])]
                for chunk in map(chunks.__getitem__, names):
                    start = chunk.dictionary_page_offset or chunk.data_page_offset
                    sparse[start : start + chunk.total_compressed_size] = file.read_at(
                        chunk.total_compressed_size, start
                    )
                found.append((place, names))
    parquet = pq.ParquetFile(io.BytesIO(sparse))
    parts = [parquet.schema_arrow.empty_table().select(["carrier", "arr_delay"])]
    for place, names in found:
        part = parquet.read_row_group(place, columns=names)
        part = part.filter(pa.compute.equal(part["month"], month)) if "month" in names else part
        parts.append(part.select(["carrier", "arr_delay"]))
    return _by_carrier(pa.concat_tables(parts))


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


@pytest.mark.parametrize(
    ("problem", "answer", "why", "advice"),
    [
        ("port", counts_the_months, "whose month is null", "`size`"),
        ("fee", nulls_stay, "Arithmetic with a null", "cudf.NA"),
        ("fee", forgets_the_cancelled, "A null is not a delay of 0", "cudf.NA"),
        ("fee", greater_than, "exactly 60 minutes", "other borders"),
        ("fee", general_rule_last, "a later line writes over", "largest delay last"),
        ("pairs", flights_known_throughout, "the difference of the means", "subtract once"),
    ],
)
def test_the_hint_is_about_what_is_wrong(problem, answer, why, advice):
    verdict = problems.judge(f"dataframes.{problem}", answer)
    assert why in verdict.why and advice in verdict.advice, verdict


# ---- numbers and decisions ----

WEIGHED = (weigh.DELAY, weigh.DEST, weigh.MEAN, weigh.GROUPBY, weigh.TRIP)


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (0, 40_000_000, "nulls"),
        (0, 40_000_000 + 10_000_000, "unit"),
        (0, 80e6, "item-size"),
        (0, 0.04125, "unit"),
        (1, 30_000_000, "reads"),
        (1, 80e6, "item-size"),
        (2, 0.00142, "published"),
        (2, 80e6 / 12e9, "crossing"),
        (2, 0.0889, "unit"),
        (3, 80_000_000, "reads"),
        (4, 191.25e6 / 900e9, "crossing"),
        (4, 15.9, "unit"),
        (2, "80 MB / 900 GB/s", "type"),
    ],
)
def test_a_predicted_number_is_refused_with_its_reason(place, value, reason):
    SECOND.also("weigh", reason)
    answers = list(WEIGHED)
    answers[place] = value
    verdict = problems.judge("dataframes.weigh", *answers)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_of_two_mistakes_that_are_near_the_nearer_one_is_told():
    """40.05 MB has the mask, and no place for nulls; 40 MB has no mask."""
    for delay, said in ((40e6, "the nulls are missing"), (40.05e6, "every row has a place")):
        assert said in problems.judge("dataframes.weigh", delay, *WEIGHED[1:]).why


def test_what_a_column_weighs_is_what_arrow_gives_it():
    """The layout that the problem teaches, at a ten-thousandth of its size, weighed by Arrow itself."""
    rows = weigh.ROWS // 10_000
    delay = pa.array([None if i % 33 == 0 else i for i in range(rows)], pa.int32())
    dest = pa.array(["SEA"] * rows)
    assert delay.nbytes == 4 * rows + rows // 8
    offsets, letters = (np.asarray(dest.buffers()[1]).view("i4")[: rows + 1], bytes(dest.buffers()[2])[: 3 * rows])
    assert offsets.tolist() == list(range(0, 3 * rows + 1, 3)) and letters == b"SEA" * rows
    assert weigh.DELAY == 4 * weigh.ROWS + weigh.ROWS // 8 and weigh.DEST == 3 * weigh.ROWS + 4 * (weigh.ROWS + 1)


@pytest.mark.parametrize(("key", "reason"), [(key, job.reason) for key, job in worth.JOBS.items()])
def test_a_decision_is_refused_with_its_own_reason(key, reason):
    SECOND.also("worth", reason)
    other = {"cpu": "gpu", "gpu": "cpu"}[worth.WORTH.judge.right[key]]
    verdict = problems.judge("dataframes.worth", dict(worth.WORTH.judge.right) | {key: f" {other.upper()}"})
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why
    assert key in verdict.why


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (dict.fromkeys(worth.WORTH.judge.right, "GPU"), "always-gpu"),
        (dict.fromkeys(worth.WORTH.judge.right, "CPU "), "always-cpu"),
        ("cpu", "type"),
        ({**worth.WORTH.judge.right, "meen": "cpu"}, "labels"),
        ({**worth.WORTH.judge.right, "mean": "polars"}, "labels"),
    ],
)
def test_decisions_of_the_wrong_form(answer, reason):
    SECOND.also("worth", reason)
    verdict = problems.judge("dataframes.worth", answer)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(worth.Desk)])
def test_the_decisions_do_not_hang_on_the_desks_last_digit(field):
    desk = worth.Desk()
    for factor in (0.75, 1.33):
        near = dataclasses.replace(desk, **{field: getattr(desk, field) * factor})
        best = {key: min(("cpu", "gpu"), key=times.get) for key, times in worth.times(near).items()}
        assert best == worth.WORTH.judge.right, (field, factor)


def test_every_kind_of_known_wrong_answer_has_a_second_one_here():
    assert not SECOND.absent()


# ---- the cases, and the limit ----


def test_the_cases_have_no_ties_that_would_leave_the_order_open():
    for case in problems.find("dataframes.port").judge.cases:
        delays = problems.find("dataframes.port").specification(*case.host())["delay"].dropna()
        assert delays.is_unique, case.name


def test_the_cases_have_what_the_mistakes_are_about():
    february = tables.real(2)
    assert february["arr_delay"].null_count > february["dep_time"].null_count > 0
    assert (
        february["distance"].to_pandas().between(1500, 1500).any()
        or 1500 in tables.table(distance=[1500])["distance"].to_pylist()
    )


def test_the_least_bytes_are_those_of_a_reader_that_knows_the_format():
    """The limit of the open problem against a reader that fetches just that: no less than it says, and no more."""
    near = problems.judge("dataframes.storage", only_what_is_needed).near
    file = pq.ParquetFile(data.path("flights"))
    needed = storage.least(file, 7)
    chunks = file.metadata.row_group(6)
    two = sum(
        chunks.column(i).total_compressed_size
        for i in range(19)
        if chunks.column(i).path_in_schema in ("carrier", "arr_delay")
    )
    footer = int.from_bytes(data.path("flights").read_bytes()[-8:-4], "little")
    assert needed == two + footer + 8
    assert "100% of the limit" in near, near


@pytest.mark.parametrize(
    ("answer", "why", "advice"),
    [
        (named_to_cudf, "the whole file was fetched", "let Arrow fetch"),
        (lambda fs, path, month: _by_carrier(_read(fs, path, month)), "were asked for", "`columns=`"),
    ],
)
def test_too_many_bytes_are_refused_with_the_advice_that_this_answer_needs(answer, why, advice):
    verdict = problems.judge("dataframes.storage", answer)
    assert why in verdict.why
    assert advice in verdict.advice


def test_a_row_group_without_the_month_alone_needs_its_months_too():
    file = pq.ParquetFile(storage._odd())
    groups = [file.metadata.row_group(i) for i in range(file.num_row_groups)]
    assert any(g.column(0).statistics.min != g.column(0).statistics.max for g in groups)
    assert storage.least(file, 6) >= file.metadata.serialized_size + 8


def test_names_of_groups_may_go_to_the_host_and_rows_may_not():
    """A fact of the bytes: the columns of one table of the real flights are far more."""

    def names_fetched(flights):
        assert flights["carrier"].unique().to_arrow().to_pylist()
        return _ordered(flights)

    def column_fetched(flights):
        assert len(flights["distance"].to_pandas())
        return _ordered(flights)

    assert problems.judge("dataframes.port", names_fetched).right
    assert problems.judge("dataframes.port", column_fetched).reason == "transfer"


# ---- the judge of frames ----


def judged(got, expected, **how):
    judge = frames.FrameJudge(cases=(), **how)
    problem = problems.find("dataframes.port")
    case = frames.FrameCase("a table", lambda: (tables.table(carrier=["UA"]),))
    return judge.compare(problem, case, got, expected)


def refusal(got, expected, **how):
    from hundredfold.learning.problems.verdict import Refusal

    with pytest.raises(Refusal) as raised:
        judged(got, expected, **how)
    return raised.value


def test_rows_in_another_order_are_right_where_no_order_was_asked_for():
    expected = pd.DataFrame({"k": ["a", "b", "c"], "v": pd.array([1.0, 2.0, None], dtype="Float64")})
    got = cudf.DataFrame({"k": ["c", "a", "b"], "v": [None, 1.0, 2.0]})
    judged(got, expected, keys=("k",), ordered=False)
    assert refusal(got, expected, keys=("k",)).reason == "order"


def test_rows_of_other_keys_are_told_apart_from_wrong_values():
    expected = pd.DataFrame({"k": ["a", "b"], "v": [1.0, 2.0]})
    assert "'z'" in refusal(cudf.DataFrame({"k": ["a", "z"], "v": [1.0, 2.0]}), expected, keys=("k",)).why
    assert refusal(cudf.DataFrame({"k": ["a", "b"], "v": [2.0, 1.0]}), expected, keys=("k",)).reason == "paired"
    assert refusal(cudf.DataFrame({"k": ["a"], "v": [1.0]}), expected, keys=("k",)).reason == "shape"


def test_a_null_is_no_nan_and_text_is_no_number():
    expected = pd.DataFrame({"k": ["a", "b"], "v": pd.array([1.0, None], dtype="Float64")})
    nan = cudf.DataFrame({"k": ["a", "b"], "v": cudf.Series([1.0, float("nan")], nan_as_null=False)})
    assert refusal(nan, expected, keys=("k",)).reason == "nulls"
    text = cudf.DataFrame({"k": ["a", "b"], "v": ["1.0", None]})
    assert refusal(text, expected, keys=("k",)).reason == "dtype"


def test_an_untouched_function_and_one_that_prints_are_not_attempted():
    assert problems.judge("dataframes.port", lambda flights: None).outcome == "untouched"
    assert problems.judge("dataframes.storage", lambda filesystem, path, month: None).outcome == "untouched"
