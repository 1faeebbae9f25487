"""Unit 08: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be accepted. They are code as
learners write it, in the style of a notebook cell.
"""

import numpy as np
import pandas as pd
import pytest
from answers.second import Answers

from hundredfold.learning import problems
from hundredfold.learning.problems.frames import alike, rows
from hundredfold.learning.problems.merges import asof, attach, count, days, unknown, worth

SECOND = Answers("merges")
cp = cudf = None


@pytest.fixture(autouse=True)
def _libraries(device):
    global cp, cudf
    import cudf as ours

    cp, cudf = device, ours


# ---- merges.count ----

EXACT = (count.INNER, count.LEFT, count.OUTER, count.ANTI, count.SQUARE, count.NBYTES)
PREDICTIONS = [
    ("multiplied", {0: 899_999.0}),
    ("multiplied", {1: 10**6}),
    ("multiplied", {4: 1_000_100}),
    ("lost", {1: 1_050_000}),
    ("lost", {1: 1_150_300}),
    ("lost", {2: 1_150_000}),
    ("nulls", {1: 1.11e6}),
    ("multiplied", {2: 1_154_675}),
    ("value", {2: 1_151_000}),  # beside the left join's
    ("nulls", {4: 230_440_000}),
    ("nulls", {3: 60_000}),
    ("nulls", {4: 2.304e8, 5: 24 * 2.304e8}),
    ("complement", {3: 9e5}),
    ("operands", {3: np.int64(300)}),
    ("key", {4: 1e12}),
    ("item-size", {5: 8 * count.SQUARE}),
    ("unit", {5: 43.9296}),
    ("value", {0: 5}),
    ("type", {0: "1 050 000"}),
]


@pytest.mark.parametrize(("reason", "other"), PREDICTIONS)
def test_a_wrong_number_of_rows_is_refused_for_its_reason(reason, other):
    given = [other.get(place, value) for place, value in enumerate(EXACT)]
    verdict = problems.judge("merges.count", *given)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_the_rows_counted_are_those_that_a_merge_has():
    """The story of problem 1 at a tenth of its flights and planes, and with a tenth of the nulls: merged, not computed."""
    each, nulls = count.EACH // 10, count.NULLS // 100
    tails = [f"N{i}" for i in range((count.ONCE + count.TWICE + count.STRANGERS) // 25)]
    once, twice = count.ONCE // 25, count.TWICE // 25
    flights = pd.DataFrame({"tailnum": [tail for tail in tails for _ in range(each)] + [None] * nulls})
    registry = tails[: once + twice] + tails[once : once + twice] + [f"idle{i}" for i in range(count.IDLE // 25)]
    left, right = cudf.from_pandas(flights), cudf.DataFrame({"tailnum": registry})
    inner = (once + 2 * twice) * each
    anti = count.STRANGERS // 25 * each + nulls
    hows = {"inner": inner, "leftanti": anti, "left": inner + anti, "outer": inner + anti + count.IDLE // 25}
    assert {how: len(left.merge(right, on="tailnum", how=how)) for how in hows} == hows
    assert len(left.merge(left, on="tailnum")) == len(tails) * each**2 + nulls**2


# ---- merges.attach ----


def newest(planes, by="year", ascending=False):
    kept = planes[~planes["tailnum"].isnull()].sort_values(by, ascending=ascending)
    return kept.drop_duplicates(subset="tailnum", keep="first")


def put_back(flights, known, how="left"):
    flights = flights.reset_index(drop=True).reset_index(names="place")
    known = known.rename(columns={"year": "built"})
    return flights.merge(known, how=how, on="tailnum").sort_values("place", ignore_index=True).drop(columns=["place"])


@SECOND.wrong("attach", "lost")
def default_merge(flights, planes):
    return put_back(flights, newest(planes), how="inner")


@SECOND.wrong("attach", "lost")
def only_those_with_a_tail_number(flights, planes):
    return put_back(flights.dropna(subset=["tailnum"]), newest(planes))


@SECOND.wrong("attach", "multiplied")
def registry_as_it_is(flights, planes):
    return put_back(flights, planes[planes["tailnum"].notnull()])


@SECOND.wrong("attach", "multiplied")
def full_join(flights, planes):
    return put_back(flights, newest(planes), how="outer")


@SECOND.wrong("attach", "duplicates")
def first_year(flights, planes):
    return put_back(flights, newest(planes, ascending=True))


@SECOND.wrong("attach", "duplicates")
def most_seats(flights, planes):
    return put_back(flights, newest(planes.reset_index(names="n"), by="n", ascending=True).drop(columns="n"))


@SECOND.wrong("attach", "nulls")
def unnamed_planes_too(flights, planes):
    known = planes.sort_values("year", ascending=False).drop_duplicates("tailnum")
    return put_back(flights, known)


@SECOND.wrong("attach", "nulls")
def no_seats_is_zero(flights, planes):
    return put_back(flights, newest(planes)).fillna({"built": 0, "seats": 0})


@SECOND.wrong("attach", "key")
def year_as_well(flights, planes):
    flights = flights.reset_index(drop=True).reset_index(names="place")
    out = flights.merge(newest(planes), on=["tailnum", "year"], how="left").sort_values("place")
    out["built"] = out["year"]
    return out.drop(columns="place")


@SECOND.wrong("attach", "labels")
def year_under_two_names(flights, planes):
    out = flights.merge(newest(planes), on="tailnum", how="left", suffixes=("", "_built"))
    return out


@SECOND.wrong("attach", "operands")
def right_join(flights, planes):
    out = put_back(flights, newest(planes), how="right")
    return out


@SECOND.wrong("attach", "order")
def in_order_of_flight_numbers_backwards(flights, planes):
    return put_back(flights, newest(planes)).sort_values("flight", ascending=False)


@SECOND.wrong("attach", "host")
def to_pandas_at_the_end(flights, planes):
    return put_back(flights, newest(planes)).to_pandas()


@SECOND.wrong("attach", "aliasing")
def renames_in_place(flights, planes):
    out = put_back(flights, newest(planes))
    planes.rename(columns={"year": "built"}, inplace=True)
    return out


@SECOND.right("attach")
def place_as_a_column(flights, planes):
    return put_back(flights, newest(planes))


@SECOND.right("attach")
def two_maps(flights, planes):
    known = newest(planes).reset_index(drop=True)
    known["at"] = cp.arange(len(known))
    at = put_back(flights[["tailnum"]], known[["tailnum", "at", "seats", "year"]])
    out = flights.reset_index(drop=True)
    return out.assign(built=at["built"], seats=at["seats"])


# ---- merges.unknown ----


def tally(rows):
    return rows.groupby("carrier", as_index=False).agg({"flight": "count"}).rename(columns={"flight": "flights"})


def ranked(table, k, ascending=(False, True)):
    return table.sort_values(by=["flights", "carrier"], ascending=list(ascending), ignore_index=True).head(k)


def strangers(flights, planes):
    return flights.merge(planes[planes["tailnum"].notnull()][["tailnum"]], on="tailnum", how="leftanti")


@SECOND.wrong("unknown", "nulls")
def year_is_null(flights, planes, k):
    both = flights.drop(columns="year").merge(planes[planes["tailnum"].notnull()], on="tailnum", how="left")
    return ranked(tally(both[both["seats"].isna()]), k)


@SECOND.wrong("unknown", "nulls")
def null_is_in_the_registry(flights, planes, k):
    return ranked(tally(flights.merge(planes[["tailnum"]], on="tailnum", how="leftanti")), k)


@SECOND.wrong("unknown", "nulls")
def nulls_are_known(flights, planes, k):
    rows = strangers(flights, planes)
    return ranked(tally(rows[rows["tailnum"].notnull()]), k)


@SECOND.wrong("unknown", "complement")
def semi(flights, planes, k):
    return ranked(tally(flights.merge(planes.dropna(subset=["tailnum"]), on="tailnum", how="leftsemi")), k)


@SECOND.wrong("unknown", "duplicates")
def planes_not_flights(flights, planes, k):
    rows = strangers(flights, planes)
    return ranked(tally(rows.drop_duplicates(["tailnum", "carrier"], keep="last")), k)


@SECOND.wrong("unknown", "value")
def everybody(flights, planes, k):
    return ranked(tally(flights), k)


@SECOND.wrong("unknown", "direction")
def smallest(flights, planes, k):
    return ranked(tally(strangers(flights, planes)), k, (True, True))


@SECOND.wrong("unknown", "order")
def as_the_groups_come(flights, planes, k):
    return tally(strangers(flights, planes)).head(k)


@SECOND.wrong("unknown", "ties")
def z_before_a(flights, planes, k):
    return ranked(tally(strangers(flights, planes)).sort_values("carrier"), k, (False, False))


@SECOND.wrong("unknown", "host")
def back_to_pandas(flights, planes, k):
    return ranked(tally(strangers(flights, planes)), k).to_pandas()


@SECOND.right("unknown")
def counted_by_size(flights, planes, k):
    return ranked(tally(strangers(flights, planes)), k)


@SECOND.right("unknown")
def all_less_the_known(flights, planes, k):
    known = planes["tailnum"].dropna().unique()
    rows = flights[~flights["tailnum"].isin(known) | flights["tailnum"].isnull()]
    return ranked(tally(rows), k)


# ---- merges.days ----


def cleaned(reports, **other):
    station = other.get("station", lambda text: text.str.strip().str.upper())(reports["station"])
    return cudf.DataFrame(
        {
            "station": station,
            "time": reports["time"].astype("datetime64[us]"),
            "issue": reports["issue"],
            "wind": reports["wind"],
        }
    )


def in_new_york(time):
    return time.dt.tz_localize("UTC").dt.tz_convert("America/New_York").dt.tz_localize(None)


def newest_issue(table, ascending=False):
    return table.sort_values(["station", "time", "issue"], ascending=[True, True, ascending]).drop_duplicates(
        ["station", "time"]
    )


def by_day(table, local=in_new_york, how="max"):
    day = local(table["time"]).dt.floor("D")
    return table.assign(day=day).groupby(["station", "day"])["wind"].agg(how).reset_index()


@SECOND.wrong("days", "zone")
def greenwich(reports):
    return by_day(newest_issue(cleaned(reports)), lambda time: time)


@SECOND.wrong("days", "zone")
def winter_time(reports):
    return by_day(newest_issue(cleaned(reports)), lambda time: time - pd.Timedelta(hours=5))


@SECOND.wrong("days", "zone")
def summer_time(reports):
    return by_day(newest_issue(cleaned(reports)), lambda time: time - pd.Timedelta("4h"))


@SECOND.wrong("days", "key")
def blanks_stay(reports):
    return by_day(newest_issue(cleaned(reports, station=lambda text: text)))


@SECOND.wrong("days", "key")
def tidied_too_late(reports):
    """Each spelling keeps its own latest report: of two spellings of one station both count."""
    last = newest_issue(cleaned(reports, station=lambda text: text))
    return by_day(last.assign(station=last["station"].str.upper().str.strip()))


@SECOND.wrong("days", "duplicates")
def every_issue(reports):
    return by_day(cleaned(reports))


@SECOND.wrong("days", "duplicates")
def oldest_issue(reports):
    return by_day(newest_issue(cleaned(reports), ascending=True))


@SECOND.wrong("days", "lost")
def measured_only(reports):
    table = newest_issue(cleaned(reports))
    return by_day(table[table["wind"].notnull()])


@SECOND.wrong("days", "lost")
def measured_reports(reports):
    return by_day(newest_issue(cleaned(reports[reports["wind"].notnull()])))


@SECOND.wrong("days", "nulls")
def calm(reports):
    table = newest_issue(cleaned(reports))
    table["wind"] = table["wind"].fillna(0)
    return by_day(table)


@SECOND.wrong("days", "direction")
def least(reports):
    return by_day(newest_issue(cleaned(reports)), how="min")


@SECOND.wrong("days", "dtype")
def day_as_text(reports):
    out = by_day(newest_issue(cleaned(reports)))
    out["day"] = out["day"].astype("str").str.slice(0, 10)
    return out


@SECOND.wrong("days", "host")
def grouped_by_pandas(reports):
    return by_day(newest_issue(cleaned(reports))).to_pandas()


@SECOND.wrong("days", "aliasing")
def times_in_place(reports):
    out = by_day(newest_issue(cleaned(reports)))
    reports["time"] = cudf.to_datetime(reports["time"])
    return out


@SECOND.right("days")
def sorted_downwards(reports):
    return by_day(newest_issue(cleaned(reports)))


@SECOND.right("days")
def days_by_normal_hours(reports):
    table = newest_issue(cleaned(reports))
    local = in_new_york(table["time"])
    midnight = cudf.to_datetime(
        cudf.DataFrame({"year": local.dt.year, "month": local.dt.month, "day": local.dt.day})
    ).astype("datetime64[us]")
    return table.assign(day=midnight).groupby(["station", "day"], as_index=False, sort=True).agg({"wind": "max"})


@SECOND.wrong("days", "multiplied")
def blanks_at_the_end_stay(reports):
    table = newest_issue(cleaned(reports))
    return by_day(table.assign(station=reports["station"].str.lstrip().str.upper()))


@SECOND.wrong("days", "value")
def the_nights_of_2013(reports):
    table = newest_issue(cleaned(reports))
    summer = table["time"].between(
        np.datetime64("2013-03-10T07:00"), np.datetime64("2013-11-03T06:00"), inclusive="left"
    )
    local = (table["time"] - np.timedelta64(4, "h")).where(summer, table["time"] - np.timedelta64(5, "h"))
    table = table.assign(day=local.dt.floor("D"))
    return table.groupby(["station", "day"], as_index=False).agg({"wind": "max"})


def test_nan_is_no_null_where_null_was_asked_for():
    def filled(reports):
        out = days_by_normal_hours(reports)
        return out.assign(wind=out["wind"].fillna(float("nan")))

    verdict = problems.judge("merges.days", filled)
    assert (
        verdict.reason == "nulls"
        and "NaN where it should have null" in verdict.why
        and "nans_to_nulls" in verdict.advice
    )


# ---- merges.worth ----


@pytest.mark.parametrize(
    ("reason", "other"),
    [
        ("launch", {"lookup": "GPU "}),
        ("launch", {"stream": "gpu"}),
        ("residency", {"pipeline": "Cpu"}),
        ("residency", {"text": "neither"}),
        ("transfer", {"once": "neither"}),
        ("materialised", {"pairs": "gpu"}),
        ("labels", {"once": "both"}),
        ("always-gpu", dict.fromkeys(worth.JOBS, "gpu")),
        ("always-cpu", dict.fromkeys(worth.JOBS, "cpu")),
        ("value", dict.fromkeys(worth.JOBS, "NEITHER")),
    ],
)
def test_a_wrong_decision_is_refused_for_its_reason(reason, other):
    SECOND.also("merges.worth", reason)
    verdict = problems.judge("merges.worth", {**worth.WORTH.judge.right, **other})
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_decisions_as_a_list_are_no_dict():
    SECOND.also("merges.worth", "type")
    assert problems.judge("merges.worth", list(worth.WORTH.judge.right)).reason == "type"


def test_both_sides_of_each_job_as_reckoned_by_hand():
    cpu = {"lookup": 166.7e-6, "pipeline": 8.039, "once": 0.4445, "stream": 0.41667, "text": 0.3526}
    gpu = {"lookup": 1.00175e-3, "pipeline": 0.132, "once": 0.046067, "stream": 5.0169, "text": 6e-3}
    assert {key: worth.JOBS[key].times["cpu"] for key in cpu} == pytest.approx(cpu, rel=1e-3)
    assert {key: worth.JOBS[key].times["gpu"] for key in gpu} == pytest.approx(gpu, rel=1e-3)
    assert worth.PAIRS == 384e9 > 128e9
    assert worth.WORTH.judge.right == {
        "lookup": "cpu", "pipeline": "gpu", "once": "gpu", "stream": "cpu", "pairs": "neither", "text": "gpu"
    }  # fmt: skip


# ---- merges.asof ----


def search(flights, weather, side="right", most=2.0, keep=None, same_station=True, signed=True):
    """One search in pairs of (station, time), with everything that can go wrong as an argument."""
    if keep is not None:
        weather = keep(weather)
    names = cudf.concat([flights["origin"], weather["origin"]]).unique().sort_values().reset_index(drop=True)
    if not len(weather) or not len(flights):
        return flights.assign(wind=cp.full(len(flights), cp.nan))
    codes = cudf.DataFrame({"origin": names, "code": cp.arange(len(names))})

    def coded(table):
        numbered = table.assign(i=cp.arange(len(table))).merge(codes, on="origin").sort_values("i")
        time = numbered["time"].astype("datetime64[us]").astype("int64").values
        return (numbered["code"].values if same_station else 0 * numbered["code"].values), time

    (c, t), (d, s) = coded(flights), coded(weather)
    shift = 1 << 53  # microseconds since 1970 are fewer, for 285 years
    order = cp.argsort(d * shift + s)
    at = cp.searchsorted((d * shift + s)[order], c * shift + t, side=side) - 1
    found = order[cp.clip(at, 0, None)]
    age = t - s[found]
    fine = (at >= 0) & (d[found] == c) & (age <= 3_600_000_000 * most)
    wind = weather["wind"].fillna(np.nan).values[found]
    return flights.assign(wind=cp.where(fine, wind, np.nan))


@SECOND.wrong("asof", "direction")
def first_after(flights, weather):
    turned = [table.assign(time=np.datetime64("2030-01-01") - table["time"]) for table in (flights, weather)]
    turned = [table.assign(time=table["time"].astype("int64").astype("datetime64[us]")) for table in turned]
    return flights.assign(wind=search(*turned)["wind"])


@SECOND.wrong("asof", "border")
def strictly_before(flights, weather):
    return search(flights, weather, side="left")


@SECOND.wrong("asof", "border")
def less_than_two_hours(flights, weather):
    return search(flights, weather, most=119 / 60)


@SECOND.wrong("asof", "stale")
def however_old(flights, weather):
    return search(flights, weather, most=10**7)


@SECOND.wrong("asof", "stale")
def an_hour(flights, weather):
    return search(flights, weather, most=1)


@SECOND.wrong("asof", "key")
def wherever_it_blew(flights, weather):
    return search(flights, weather, same_station=False)


@SECOND.wrong("asof", "nulls")
def last_with_a_wind(flights, weather):
    return search(flights, weather, keep=lambda table: table[table["wind"].notnull()])


@SECOND.wrong("asof", "lost")
def matched_flights(flights, weather):
    out = search(flights, weather)
    return out[~out["wind"].isnull() & (out["wind"] == out["wind"])]


@SECOND.wrong("asof", "order")
def by_flight(flights, weather):
    return search(flights, weather).sort_values(["wind", "flight"])


@SECOND.wrong("asof", "host")
def host_frame(flights, weather):
    return search(flights, weather).to_pandas()


@SECOND.wrong("asof", "transfer")
def looked_up_on_the_host(flights, weather):
    times = flights["time"].to_numpy()  # only to look at them
    out = search(flights, weather)
    return out if len(times) >= 0 else None


@SECOND.wrong("asof", "materialised")
def pairs_of_a_station(flights, weather):
    flights = flights.assign(i=cp.arange(len(flights)))
    pairs = flights.merge(weather.rename(columns={"time": "then"}), on="origin", how="inner")
    late = (pairs["time"] - pairs["then"]).astype("int64") / 3.6e9
    pairs = pairs[(late >= 0) & (late <= 2)].sort_values(["i", "then"], ascending=[True, False])
    best = pairs.drop_duplicates("i")[["i", "wind"]]
    return flights.merge(best, on="i", how="left").sort_values("i").drop(columns="i").reset_index(drop=True)


@SECOND.wrong("asof", "launch")
def a_loop_over_stations(flights, weather):
    wind = cp.full(len(flights), cp.nan)
    for station in flights["origin"].unique().to_arrow().to_pylist():
        mine = flights["origin"] == station
        part = search(flights[mine], weather[weather["origin"] == station])
        wind[mine.values] = part["wind"].values
    return flights.assign(wind=wind)


@SECOND.wrong("asof", "aliasing")
def sorts_the_weather(flights, weather):
    out = search(flights, weather)
    weather.sort_values(["origin", "time"], inplace=True)
    return out


@SECOND.right("asof")
def by_codes_and_microseconds(flights, weather):
    return search(flights, weather)


@SECOND.right("asof")
def by_halves(flights, weather):
    """A bisection of all flights at once: many small steps, and no large table."""
    if not len(weather) or not len(flights):
        return flights.assign(wind=cp.full(len(flights), cp.nan))
    codes = cudf.concat([weather["origin"], flights["origin"]]).astype("category").cat.codes.astype("int64").values
    there, here = codes[: len(weather)], codes[len(weather) :]
    seen, now = (t["time"].astype("datetime64[us]").astype("int64").values for t in (weather, flights))
    order = cp.lexsort(cp.stack([seen, there]))
    there, seen = there[order], seen[order]
    low, high = cp.zeros(len(flights), "int64"), cp.full(len(flights), len(weather), "int64")
    for _ in range(len(weather).bit_length()):
        middle = cp.minimum((low + high) // 2, len(weather) - 1)
        before = ((there[middle] < here) | ((there[middle] == here) & (seen[middle] <= now))) & (low < high)
        low, high = cp.where(before, middle + 1, low), cp.where(before, high, middle)
    at = cp.maximum(low - 1, 0)
    good = (low > 0) & (there[at] == here) & (now - seen[at] <= 7_200_000_000)
    return flights.assign(wind=cp.where(good, weather["wind"].fillna(np.nan).values[order[at]], np.nan))


@SECOND.right("asof")
def with_a_sentinel(flights, weather):
    """Each flight's own row in the sorted union of both tables; what lies before it is a running maximum of places."""
    if not len(weather) or not len(flights):
        return flights.assign(wind=cp.full(len(flights), cp.nan))
    both = cudf.concat(
        [
            weather[["origin", "time"]].assign(kind=0, i=cp.arange(len(weather))),
            flights[["origin", "time"]].assign(kind=1, i=cp.arange(len(flights))),
        ]
    ).sort_values(["origin", "time", "kind"], ignore_index=True)
    seen = cp.where(both["kind"].values == 0, cp.arange(len(both)), -1)
    last = both.assign(seen=seen).groupby("origin")["seen"].cummax().values
    origin = both["origin"].astype("category").cat.codes.values
    time = both["time"].astype("datetime64[us]").astype("int64").values
    at = cp.maximum(last, 0)
    good = (last >= 0) & (origin[at] == origin) & (time - time[at] <= 7_200_000_000)
    wind = cp.where(good, weather["wind"].fillna(np.nan).values[cp.where(good, both["i"].values[at], 0)], np.nan)
    mine = both["kind"].values == 1
    out = cp.empty(len(flights))
    out[both["i"].values[mine]] = wind[mine]
    return flights.assign(wind=out)


@pytest.mark.parametrize("unit", [60_000_000, 1_000_000], ids=["minutes", "seconds"])
def test_a_time_is_compared_to_its_last_digit(unit):
    def cut(flights, weather):
        tables = [
            table.assign(
                time=(table["time"].astype("datetime64[us]").astype("int64") // unit * unit).astype("datetime64[us]")
            )
            for table in (flights, weather)
        ]
        return flights.assign(wind=search(*tables)["wind"].values)

    verdict = problems.judge("merges.asof", cut)
    assert "times close to every border" in verdict.why and "microsecond" in verdict.advice


# ---- the functions ----


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


def test_what_is_said_suffices_to_mend_it():
    """Nothing is matched in merges.days; and who lost the order in merges.attach has one row for each plane already."""
    assert "even if its wind is null" in problems.judge("merges.days", measured_reports).why
    late, utc = problems.judge("merges.days", tidied_too_late), problems.judge("merges.days", greenwich)
    assert "two spellings of one station" in late.why and "Text first" in late.advice
    assert "days of UTC" in utc.why and "tz_convert" in utc.advice and "Text first" not in utc.advice
    lost = problems.judge("merges.attach", lambda flights, planes: put_back(flights, newest(planes)).iloc[::-1])
    assert lost.reason == "order" and "before the merge" in lost.advice


@pytest.mark.parametrize("problem", ["merges.attach", "merges.unknown", "merges.days", "merges.asof"])
def test_an_empty_function_is_not_attempted(problem):
    assert problems.judge(problem, lambda *tables: None).outcome == problems.judge(problem, ...).outcome == "untouched"


def test_how_near_to_the_limit_is_said(simulated):
    assert problems.judge("merges.asof", by_codes_and_microseconds).near.startswith("How near to the limit: ")


def test_every_reason_a_problem_knows_has_a_second_answer_here():
    SECOND.also("merges.count", *(reason for reason, _ in PREDICTIONS))
    SECOND.also(
        "merges.worth", "type", "labels", "launch", "residency", "transfer", "materialised", "always-gpu", "always-cpu"
    )
    assert not SECOND.absent()


# ---- the specifications, in other words ----


def test_the_as_of_join_row_by_row():
    """pandas' merge_asof beside a loop over all pairs."""
    flights, weather = asof._table(3, 12, 60, 11)
    expected = []
    for _, flight in flights.iterrows():
        past = weather[(weather["origin"] == flight["origin"]) & (weather["time"] <= flight["time"])]
        past = past[past["time"] >= flight["time"] - pd.Timedelta(hours=2)].sort_values("time")
        expected.append(past["wind"].iloc[-1] if len(past) else np.nan)
    got = asof.last_seen(flights, weather)
    assert got["flight"].tolist() == flights["flight"].tolist()
    assert np.array_equal(got["wind"], expected, equal_nan=True) and np.isfinite(expected).sum() > 20


def test_the_planes_row_by_row():
    from hundredfold.learning.problems.merges import tables

    flights, planes = tables.flights(80, 3), tables.planes(30, 4, 9, null=True)
    got = attach.attach(flights, planes)
    for i, tail in enumerate(flights["tailnum"]):
        entries = planes[planes["tailnum"] == tail].sort_values("year") if isinstance(tail, str) else planes[:0]
        built = entries["year"].iloc[-1] if len(entries) else np.nan
        assert np.array_equal(got["built"].iloc[i], built, equal_nan=True)
    assert got["flight"].tolist() == flights["flight"].tolist() and got["built"].isna().any()


def test_the_strangers_counted_by_hand():
    flights = pd.DataFrame(
        {"flight": range(6), "carrier": list("AABBCC"), "tailnum": ["N1", "X", None, "X", "N1", None]}
    )
    planes = pd.DataFrame({"tailnum": ["N1", None], "year": [1990, 1991], "seats": [np.nan, 5.0]})
    assert unknown.unknown(flights, planes, 2).to_dict("list") == {"carrier": ["B", "A"], "flights": [2, 1]}


def test_the_days_by_hand():
    reports = pd.DataFrame(
        {
            "station": ["JFK", " jfk", "jfk ", "JFK"],
            "time": ["2013-07-04 03:59", "2013-07-04 04:00", "2013-07-04 04:00", "2013-12-04 04:59"],
            "issue": [1, 1, 2, 1],
            "wind": [10.0, 90.0, 20.0, np.nan],
        }
    )
    got = days.windiest(reports).sort_values("day")
    assert got["day"].dt.strftime("%m-%d").tolist() == ["07-03", "07-04", "12-03"]
    assert np.array_equal(got["wind"], [10.0, 20.0, np.nan], equal_nan=True)


# ---- the judge of tables ----


@pytest.mark.parametrize(
    ("returns", "reason", "said"),
    [
        (lambda table: table["carrier"], "type", "a cuDF Series"),
        (lambda table: [1, 2], "type", "a list"),
        (lambda table: table.set_index("carrier"), "labels", "carrier is in the index"),
        (lambda table: table.assign(x=1), "labels", "they should be carrier, flights"),
        (lambda table: table.assign(flights=table["flights"] * 1.0), None, ""),
    ],
    ids=["series", "list", "index", "extra", "floats"],
)
def test_what_comes_back_must_be_the_table_that_was_asked_for(returns, reason, said):
    verdict = problems.judge("merges.unknown", lambda flights, planes, k: returns(counted_by_size(flights, planes, k)))
    assert verdict.reason == reason and said in verdict.why


def test_what_is_printed_in_place_of_returned_is_said():
    verdict = problems.judge("merges.days", lambda reports: print("done"))
    assert (verdict.reason, verdict.printed) == ("type", "done\n")


def test_tables_are_compared_by_their_rows_nulls_as_nulls():
    a = rows(pd.DataFrame({"n": pd.array([2, None], dtype="Int32"), "t": ["b", None]}))
    b = rows(cudf.DataFrame({"n": [None, 2.0], "t": [None, "b"]}))
    assert a.kinds == b.kinds == {"n": "number", "t": "text"}
    assert not alike(a.values, b.values) and alike(a.sorted(), b.sorted())
    c = rows(pd.DataFrame({"n": [2.0, 0.0], "t": ["b", None]}))
    assert not alike(a.sorted(), c.sorted())


def test_times_are_compared_whatever_their_unit_and_zones_are_told_apart():
    plain = rows(pd.DataFrame({"t": pd.to_datetime(["2013-07-04 04:00"]).astype("datetime64[s]")}))
    fine = rows(pd.DataFrame({"t": pd.to_datetime(["2013-07-04 04:00"]).astype("datetime64[ns]")}))
    zoned = rows(pd.DataFrame({"t": pd.to_datetime(["2013-07-04 04:00"], utc=True)}))
    assert alike(plain.values, fine.values) and plain.kinds == fine.kinds
    assert zoned.kinds == {"t": "time with a zone"}
