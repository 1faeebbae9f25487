"""Unit 15, the plan and the table: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be accepted. Those of the kernels are in
`test_capstone_kernels`, and so on: the capstone has ten problems.
"""

import numpy as np
import pandas as pd
import pytest
from answers.second import Answers

from hundredfold.learning import problems
from hundredfold.learning.problems.capstone import budget, prepare, worth

SECOND = Answers("capstone")
wrong, right = SECOND.wrong, SECOND.right
HERE = ("budget", "worth", "prepare")
cp = cudf = None


@pytest.fixture(autouse=True)
def _libraries(device):
    global cp, cudf
    import cudf as ours

    cp, cudf = device, ours


# ---- capstone.budget ----

NUMBERS = {"nbytes": 1.28e10, "kernel": 2.56e10 / 4.8e12, "bus": 0.512, "chunks": 8, "four": 14.5}
PREDICTIONS = [
    ("item-size", {"nbytes": 2.56e10}),
    ("writes", {"kernel": 0.00267}),
    ("transfer", {"kernel": 1.024}),
    ("transfer", {"bus": 0.002667}),
    ("crossing", {"bus": 1.02}),
    ("remainder", {"chunks": 5.0}),
    ("held", {"chunks": np.int64(4)}),
    ("amdahl", {"four": 10}),
    ("amdahl", {"four": 34 / 4}),
    ("unit", {"nbytes": 12.8}),
    ("unit", {"nbytes": 12_800}),
    ("type", {"bus": "half a second"}),
]
SECOND.also("budget", *{reason for reason, _ in PREDICTIONS})


@pytest.mark.parametrize(
    ("reason", "given"), PREDICTIONS, ids=lambda each: each if isinstance(each, str) else "-".join(each)
)
def test_a_wrong_number_is_refused_for_its_reason(reason, given):
    verdict = problems.judge("capstone.budget", *(NUMBERS | given).values())
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


@pytest.mark.parametrize(
    "given", [NUMBERS, NUMBERS | {"nbytes": 12_800_000_000, "chunks": 8.0, "four": np.float32(14.5)}]
)
def test_right_numbers_are_accepted(given):
    assert problems.judge("capstone.budget", *given.values()).right


def test_the_chunks_are_the_fewest_that_fit_and_go_round():
    fits = [n for n in range(1, 40) if budget.HELD * budget.NBYTES / n <= budget.HALF * budget.MEMORY]
    assert budget.CHUNKS == min(n for n in fits if n % budget.WORKERS == 0)
    assert min(fits) == 5


# ---- capstone.worth ----

PLACES = dict.fromkeys(("clean", "photo", "days"), "cpu") | dict.fromkeys(("futures", "patches"), "gpu")
PLACES |= dict.fromkeys(("archive", "sweep"), "cluster")
DECISIONS = [
    ("transfer", PLACES | {"clean": "cluster"}),
    ("transfer", PLACES | {"photo": "cluster"}),
    ("launch", PLACES | {"days": "GPU "}),
    ("residency", PLACES | {"futures": "cluster"}),
    ("startup", PLACES | {"patches": "cpu"}),
    ("unshared", PLACES | {"archive": "cpu"}),
    ("unshared", PLACES | {"sweep": "cpu"}),
    ("always-cpu", dict.fromkeys(PLACES, "CPU")),
    ("always-gpu", dict.fromkeys(PLACES, " gpu")),
    ("always-cluster", dict.fromkeys(PLACES, "Cluster")),
    ("labels", PLACES | {"days": "laptop"}),
    ("labels", {key: place for key, place in PLACES.items() if key != "days"}),
    ("type", "cpu, cpu, cpu, gpu, gpu, cluster, cluster"),
]
SECOND.also("worth", *{reason for reason, _ in DECISIONS})


@pytest.mark.parametrize(("reason", "given"), DECISIONS)
def test_a_wrong_decision_is_refused_for_its_reason(reason, given):
    verdict = problems.judge("capstone.worth", given)
    assert (verdict.outcome, verdict.reason) == ("wrong", reason), verdict.why


def test_right_decisions_are_accepted():
    assert problems.judge("capstone.worth", PLACES).right
    assert problems.judge("capstone.worth", dict(reversed(PLACES.items()))).right


def test_no_decision_is_a_near_thing():
    """The figures are rounded, and the model is a simple one: the place that is first is so by half at least."""
    for key, stage in worth.JOBS.items():
        first, second, _ = sorted(stage.times[place] for place in ("cpu", "gpu", "cluster"))
        assert second > 1.5 * first, key


# ---- capstone.prepare ----


def by_airport(flights, weather, *, keep=None, side="right", step=-1, oldest=120, fastest=200, stations=None):
    """Airport by airport, each with a search of its own."""
    kept = flights[flights["tailnum"].notnull() & flights["dep_delay"].notnull()] if keep is None else keep(flights)
    kept = kept.reset_index(drop=True)
    due = kept["time_hour"].astype("int64").values + 60_000_000 * kept["minute"].values.astype("int64")
    wind = cp.full(len(kept), cp.nan)
    for name in weather["origin"].to_pandas().unique():
        here = (kept["origin"] == name).fillna(False).values.astype(bool)
        reports = weather[weather["origin"] == (stations or {}).get(name, name)].sort_values("time_hour")
        times, speeds = reports["time_hour"].astype("int64").values, reports["wind_speed"].fillna(np.nan).values
        at = cp.searchsorted(times, due[here], side=side) + step
        there = (at >= 0) & (at < len(times))
        at = cp.clip(at, 0, max(len(times) - 1, 0))
        fresh = there & (due[here] - times[at] <= oldest * 60_000_000)
        wind[here] = cp.where(fresh & (speeds[at] <= fastest), speeds[at], cp.nan)
    out = kept[["tailnum", "origin"]].assign(
        due=cudf.Series(due).astype("datetime64[us]"), late=kept["dep_delay"], wind=wind
    )
    return out.sort_values(by=["tailnum", "due"]).reset_index(drop=True)


def test_what_is_said_of_rows_belongs_to_them():
    def once(flights, weather):
        return by_airport(flights.drop_duplicates(), weather)

    def by_time(flights, weather):
        return by_airport(flights, weather).sort_values(["due", "tailnum"]).reset_index(drop=True)

    assert problems.judge("capstone.prepare", once).advice == "Rows may be equal. All of them stay."
    assert "By which columns, and in which direction?" in problems.judge("capstone.prepare", by_time).why


@right("prepare")
def airport_by_airport(flights, weather):
    return by_airport(flights, weather)


@right("prepare")
def each_report_for_three_hours(flights, weather):
    """A report is merged with its own hour and the two after it; the youngest that is not too old is kept."""
    told = weather[["origin", "time_hour", "wind_speed"]]
    told = told.assign(seen=told["time_hour"])
    told = cudf.concat([told.assign(time_hour=told["time_hour"] + np.timedelta64(hours, "h")) for hours in range(3)])
    table = flights.dropna(subset=["dep_delay"]).dropna(subset=["tailnum"]).reset_index(drop=True)
    table["due"] = table["time_hour"] + (table["minute"].astype("int64") * 60_000_000).astype("timedelta64[us]")
    table["n"] = cp.arange(len(table))
    both = table.merge(told, on=["origin", "time_hour"])
    both = both[both["due"] - both["seen"] <= np.timedelta64(2, "h")].sort_values(["n", "seen"])
    both = both.drop_duplicates("n", keep="last")[["n", "wind_speed"]]
    table = table.merge(both, on="n", how="left")
    table["wind"] = table["wind_speed"].mask(table["wind_speed"] > 200)
    table["late"] = table["dep_delay"]
    return table.sort_values(["tailnum", "due"]).reset_index(drop=True)[["tailnum", "origin", "due", "late", "wind"]]


@wrong("prepare", "nulls")
def none_is_none(flights, weather):
    return by_airport(flights.assign(dep_delay=flights["dep_delay"].fillna(0.0)), weather)


@wrong("prepare", "implausible")
def believes_everything(flights, weather):
    return by_airport(flights, weather, fastest=2_000)


@wrong("prepare", "implausible")
def believes_everything_however_old(flights, weather):
    """Two of the starter's mistakes are left."""
    return by_airport(flights, weather, fastest=2_000, oldest=1e9)


@wrong("prepare", "nulls")
def knows_no_storm(flights, weather):
    return by_airport(flights, weather, fastest=75)


@wrong("prepare", "nulls")
def before_the_first_comes_the_last(flights, weather):
    """The index -1, which only one airport's own reports do not give away."""
    reports = weather.sort_values(["origin", "time_hour"]).reset_index(drop=True)
    table = by_airport(flights, weather)
    if len(table) and len(reports):
        ours = (table["origin"] == reports["origin"].iloc[-1]).fillna(False).values.astype(bool)
        first = reports[reports["origin"] == reports["origin"].iloc[-1]]["time_hour"].min()
        early = ours & (table["due"] < first).values & (reports["origin"].nunique() == 1)
        speed = reports["wind_speed"].fillna(np.nan).iloc[-1]
        table["wind"] = cp.where(cp.asarray(early), min(speed, 199.0), table["wind"].fillna(np.nan).values)
    return table


@wrong("prepare", "direction")
def the_one_after(flights, weather):
    return by_airport(flights, weather, step=0, oldest=1e9)


@wrong("prepare", "stale")
def since_midnight(flights, weather):
    return by_airport(flights, weather, oldest=1e8)


@wrong("prepare", "border")
def strictly_before(flights, weather):
    return by_airport(flights, weather, side="left")


@wrong("prepare", "key")
def the_towns_wind(flights, weather):
    """One town, one wind: the airports' reports are thrown together, the last one counts."""
    kept = flights.dropna(subset=["tailnum", "dep_delay"]).to_pandas()
    kept["due"] = kept["time_hour"] + pd.to_timedelta(kept["minute"], unit="min")
    seen = weather.to_pandas().sort_values("time_hour", kind="stable")[["time_hour", "wind_speed"]]
    seen["wind"] = seen["wind_speed"].mask(seen["wind_speed"] > 200)
    out = pd.merge_asof(
        kept.sort_values("due", kind="stable"), seen[["time_hour", "wind"]].rename(columns={"time_hour": "due"}), on="due", tolerance=pd.Timedelta("2h")
    )  # fmt: skip
    out = out.assign(late=out["dep_delay"])[["tailnum", "origin", "due", "late", "wind"]]
    return cudf.from_pandas(out.sort_values(["tailnum", "due"], ignore_index=True))


@wrong("prepare", "order")
def by_time_alone(flights, weather):
    return by_airport(flights, weather).sort_values(["due", "tailnum"]).reset_index(drop=True)


@wrong("prepare", "lost")
def only_airports_that_report(flights, weather):
    names = weather["origin"].to_pandas().unique().tolist()
    return by_airport(flights[flights["origin"].isin(names)], weather)


@wrong("prepare", "host")
def handed_to_pandas(flights, weather):
    return by_airport(flights, weather).to_pandas()


@wrong("prepare", "aliasing")
def adds_a_column(flights, weather):
    weather["wind_speed"] = weather["wind_speed"].mask(weather["wind_speed"] > 200)
    return by_airport(flights, weather)


def test_the_kinds_of_flight_that_the_rules_are_about_are_all_there():
    flights, weather = prepare._one_of_each()
    table = prepare.prepare(flights, weather).set_index("tailnum")
    assert list(table.index) == ["N1", "N10", "N11", "N12", *("N2", "N3", "N4", "N7", "N8", "N9")], (
        "N5 never left, one has no number"
    )
    assert table["wind"].dropna().to_dict() == {"N1": 10.0, "N11": 200.0, "N2": 10.0, "N3": 10.0}


# ---- all ----


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


def test_each_reason_is_met_by_a_second_answer():
    assert not {(problem, reason) for problem, reason in SECOND.absent() if problem.partition(".")[2] in HERE}
