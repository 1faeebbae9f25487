# ---
# jupyter:
#   hundredfold:
#     unit: 8
#     slug: merges
#     title: "Merges: joining, sorting and dates"
#     teaching: 60
#     exercises: 60
# ---

# %% [markdown]
# # 08 · Merges: joining, sorting and dates
#
# *Unit 08 · merges · 60 minutes in two sittings, then 60 for the exercises; the optional parts are not counted*
#
# In December 2018 a blog post merged a table of ten million rows with itself. pandas took **10.3 s**, a GPU **280 ms**: 37 times less. A merge is also
# called a **join**. It can go wrong without an error: too many rows, too few, or the right number of rows with wrong values. In this unit you first get
# joins right, and then see what the 37 compares.
#
# ## What you will be able to do
#
# - **Predict** how many rows a join gives, before it fills your memory.
# - **Choose** the kind of join, and **prove** that no row was lost or doubled.
# - **Handle** nulls, order, duplicates and time zones.
# - **Join** each event to what was known at its time.
# - **Decide** between cuDF and the CPU by rows, calls and the bus.
#
# You need unit 07, and no GPU. The cells need about a minute.

# %%
# %load_ext hundredfold

# %%
from functools import partial

import cudf
import cupy as cp
import duckdb
import numpy as np
import pandas as pd
import polars as pl

from hundredfold import data, limit, machine, measure, plot, quiz

# %% [markdown]
# ## How many rows?
#
# A join puts together each row of the left table with each row of the right table that has the same key:
#
# ![An inner join of a left table with the keys A, A, B and a right table with the keys A, A, A, C. Each of the two left rows with A is put together with each of
# the three right rows with A, so that six rows come out. B and C match nothing, and are not in the result.](drawings/join-multiplicity.svg)
#
# A key with $a$ rows on the left and $b$ rows on the right gives $a \cdot b$ rows.
#
# The post's table has random numbers in `x`. In `id` it has random whole numbers below $n$, the number of rows. On a GPU we take
# the post's ten million rows, without one a million.

# %%
n = 10_000_000 if machine.mode() == "gpu" else 1_000_000
rng = np.random.default_rng(seed=8)
host = pd.DataFrame({"id": rng.integers(0, n, n), "x": rng.random(n)})
df = cudf.from_pandas(host)
print(f"two columns of 8 bytes, {host.memory_usage(index=False).sum() / 1e6:.0f} MB")

# %% [markdown]
# **Predict.** The table is merged with itself on `id`. How many rows come out for each row of the table, on average?

# %%
my_rows = "?"

# %%
merged = df.merge(df, on="id")
print(f"{len(merged) / n:.2f} rows for each; you said {my_rows}")

# %% [markdown]
# **Explain.** Each row meets itself: that is one. Each of the other $n - 1$ rows has the same `id` with a chance of $1/n$. On average that is one more.
#
# You can compute the exact number without the join. Count the rows of each key on both sides, and join the *counts*, in which each key comes once:


# %%
def rows_of_merge(left, right, on):
    """How many rows `left.merge(right, on=on)` will have."""
    a = left.groupby(on, dropna=False).size().reset_index(name="a")
    b = right.groupby(on, dropna=False).size().reset_index(name="b")
    both = a.merge(b, on=on)
    return int((both["a"].astype("int64") * both["b"]).sum())  # a product of two int32 may not fit into int32


assert rows_of_merge(df, df, "id") == len(merged)
del merged

# %% [markdown]
# Count like this before you join if a key may come twice on **both** sides.
#
# **Question.** A million rows have random keys, as above. Then 1 % of the rows get the key 0, for "unknown". The table is merged with itself. How many rows
# come out, about?
#
# - (a) 2 million
# - (b) 3 million
# - (c) 100 million

# %%
my_answer = "?"
quiz("merges.skew", my_answer)

# %%
keys = np.logspace(2, 8, 25)
plot.lines(
    keys,
    {
        "random keys": 1 + 1e6 / keys,
        "1 % have one key": 1 + 0.99**2 * 1e6 / keys + 0.01**2 * 1e6,
    },
    xlabel="different keys",
    ylabel="rows out for each row in",
    xlog=True,
    ylog=True,
    marks={"as many keys as rows": 1e6},
    title="A million rows merged with themselves",
    note="Computed: 1 + n / K for n rows and K keys. A key with the share s of the rows adds n s².",
)

# %% [markdown]
# Real tables often look like the upper line, with one very frequent key: an empty text, a 0 or a null.
#
# ## Flights, weather, planes
#
# Now we use real tables: the flights of unit 07, the weather at their airports, and a registry of planes.
#
# ![Three tables. Each flight has a tail number, an airport of origin and the hour in which it was due. The table of planes has one row for each tail
# number. The table of weather has one row for each airport and hour.](drawings/join-tables.svg)

# %%
flights = cudf.read_parquet(data.path("flights"))
weather = cudf.read_parquet(data.path("weather"))
planes = cudf.read_parquet(data.path("planes"))
for name, table in {"flights": flights, "weather": weather, "planes": planes}.items():
    print(f"{name:8} {len(table):6} rows: {', '.join(table.columns[:6])}, …")

# %% [markdown]
# `month`, `day` and `hour` are on New York's clock. `time_hour` is in UTC.
#
# **Predict.** Somebody wants the weather beside each flight, and merges on `["origin", "month", "day"]`. How many rows come out for each flight?

# %%
my_rows = "?"

# %%
keys = ["origin", "month", "day"]
would_be = rows_of_merge(flights, weather, keys)
print(f"{would_be} rows, {would_be / len(flights):.1f} for each flight; you said {my_rows}")

# %% [markdown]
# **Explain.** Each flight meets all reports of its day. There is no error. So first ask of each right table: which columns together name a single row?

# %%
assert not planes["tailnum"].duplicated().any()
assert not weather.duplicated(["origin", "time_hour"]).any()
print("planes: one row for each tailnum; weather: one for each origin and time_hour")

# %% [markdown]
# ## Which rows?
#
# `how=` chooses what happens to rows without a match:
#
# ![Five joins of flights with the tail numbers N1, N1, N9 and planes with N1, N2. Inner: the two flights with N1, each with its plane. Left: also N9,
# with a null for its plane. Outer: also the plane N2, with a null for its flight. Leftsemi: the two flights with N1, without a plane. Leftanti: N9
# alone.](drawings/join-kinds.svg)
#
# An **[anti join](../docs/glossary.md#term-anti-join)** gives the left rows without a match. A *semi join* gives those with one.
#
# **Question.** No tail number comes twice in `planes`. What is then true for any table of flights?
#
# - (a) `left` has as many rows as `outer`
# - (b) `inner` has as many rows as `leftsemi`
# - (c) `inner` has as many rows as `left`

# %%
my_answer = "?"
quiz("merges.kinds", my_answer)

# %% [markdown]
# Each kind of join once:

# %%
slim = flights[["carrier", "flight", "tailnum", "time_hour"]]
sizes = {}
for how in ("inner", "left", "outer", "leftsemi", "leftanti"):
    sizes[how] = len(slim.merge(planes, on="tailnum", how=how))
    print(f"{how:8} {sizes[how]:6} rows")
print(f"without a plane: {sizes['leftanti'] / len(flights):.1%}")
assert sizes["inner"] == sizes["leftsemi"] == rows_of_merge(slim, planes, "tailnum")
assert sizes["inner"] + sizes["leftanti"] == sizes["left"] == len(flights)

# %% [markdown]
# `outer` has as many rows as `left` only because each plane of this registry flew. An inner join loses a sixth of the flights. Whose?

# %%
strangers = slim.merge(planes, on="tailnum", how="leftanti")
by_carrier = strangers.groupby("carrier").agg({"flight": "count", "tailnum": "count"})
by_carrier.columns = ["without a plane", "with a tail number"]
by_carrier["all flights"] = slim.groupby("carrier").size()
print(by_carrier.sort_values("without a plane", ascending=False).head(2).to_pandas())

# %% [markdown]
# **Explain.** Nearly all of these flights have a tail number. But American (AA) and Envoy (MQ) report numbers of their own there. A mean over the
# inner join would leave out most of their flights. So **join left, count what has no match, then decide.**
#
# **Question.** `seats` in `planes` is int32, without nulls. `flight` in `flights` is int32, too. What are they in cuDF 26.10 after
# `flights.merge(planes, on="tailnum", how="left")`?
#
# - (a) both int32
# - (b) both float64
# - (c) `flight` int32, `seats` float64

# %%
my_answer = "?"
quiz("merges.floats", my_answer)

# %%
left = slim.merge(planes[["tailnum", "seats"]], on="tailnum", how="left")
for name in ("flight", "seats"):
    print(f"{name}: {left[name].dtype}, {int(left[name].isnull().sum())} nulls")
print("seats as integers again:", left["seats"].astype("int32").dtype)

# %% [markdown]
# Up to cuDF 26.06 `seats` stayed int32, with a mask for the gaps. Since 26.08 it becomes float64, as in pandas:
#
# ![A left merge of three flights with two planes. The column of seats has the type int32 in the table of planes. The flight with the tail number N9 has
# no plane, so its number of seats is null in the result, and the whole column is float64 there.](drawings/left-merge-nulls.svg)
#
# Above 2⁵³ a float64 cannot hold every whole number. So turn large identifiers into text before the merge.
#
# Always write `on=`. Without it, the join uses every column that both tables share, here also `year`. But a plane's `year` is
# the year in which it was built. With `on="tailnum"` you get both, as `year_x` and `year_y`.

# %%
common = [column for column in flights.columns if column in planes.columns]
print(f"with on: {sizes['inner']} rows; without on: {len(flights.merge(planes))} rows, joined on {common}")

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: what cuDF refuses
#
# In pandas `validate="m:1"` checks that no key comes twice on the right. `indicator=True` tells where each row came from.

# %%
for option in ({"validate": "m:1"}, {"indicator": True}):
    try:
        slim.merge(planes, on="tailnum", how="left", **option)
    except NotImplementedError as error:
        print(f"{next(iter(option))}: {error}")

# %% [markdown]
# Write the checks yourself: no duplicates in the right key before the join, and `assert len(out) == len(flights)` after it.

# %% [markdown]
# ### What does null equal?
#
# **Question.** The keys `[1, null, 2]` are joined with the keys `[1, null, null]`, as an inner join. How many rows?
#
# - (a) 1 in every library: a null is no value
# - (b) 3 in pandas and cuDF, 1 in SQL and Polars
# - (c) 3 in every library: null equals null

# %%
my_answer = "?"
quiz("merges.nulls", my_answer)

# %%
left = {"k": [1, None, 2], "a": [1, 2, 3]}
right = {"k": [1, None, None], "b": [1, 2, 3]}
l_pandas, r_pandas = (pd.DataFrame(side).astype({"k": "Int64"}) for side in (left, right))
l_polars, r_polars = pl.DataFrame(left), pl.DataFrame(right)
sql = "SELECT * FROM l_polars JOIN r_polars USING (k)"
found = {
    "pandas": len(l_pandas.merge(r_pandas, on="k")),
    "cuDF": len(cudf.DataFrame(left).merge(cudf.DataFrame(right), on="k")),
    "Polars": len(l_polars.join(r_polars, on="k")),
    "Polars, nulls_equal": len(l_polars.join(r_polars, on="k", nulls_equal=True)),
    "DuckDB": duckdb.sql(sql).to_arrow_table().num_rows,
}
for library, rows in found.items():
    print(f"{library:20} {rows} rows")
everything = rows_of_merge(flights, flights, "tailnum")
nulls = int(flights["tailnum"].isnull().sum())
print(f"flights merged with themselves on tailnum: {everything} rows")
print(f"{nulls**2 / everything:.0%} of them come from {nulls} flights without a tail number")

# %% [markdown]
# ![An inner join of the keys 1, null, 2 with the keys 1, null, null. In pandas and cuDF the null on the left matches both nulls on the right, so that
# three rows come out. In SQL and Polars a null matches nothing, and one row comes out.](drawings/null-keys.svg)
#
# In SQL a null is *unknown*. So nobody can tell whether two nulls are equal. For an inner or left join as in SQL, call `dropna(subset=["tailnum"])`
# on the right table first. `rows_of_merge` counts with `dropna=False`, because cuDF's merge matches nulls.
#
# ## In what order?
#
# On a GPU a join uses a hash table, as a groupby does:
#
# ![A hash join in two steps. Build: each row of the right table is put into a slot of a hash table. The key N2 comes twice, and has two slots. Probe: a thread
# for each row of the left table computes the slot of its key, finds the right rows there and writes the pairs. The pairs come out in the order in which
# the threads finish.](drawings/hash-join.svg)
#
# The threads finish in any order. So cuDF promises no order of rows after `merge`. Without a GPU, our simulator shuffles the rows.
#
# **Question.** After a merge you want the flights in their old order. What works for any table?
#
# - (a) `sort_index()`, because each row keeps its label
# - (b) `merge(…, sort=True)`, because it keeps the left order
# - (c) `sort_values("row")`, if `row` numbered the flights before

# %%
my_answer = "?"
quiz("merges.order", my_answer)

# %%
numbered = slim.assign(row=cp.arange(len(slim)))
seats = planes[["tailnum", "seats"]]
out = numbered.merge(seats, on="tailnum", how="left")
in_place = float((out["row"].values == cp.arange(len(out))).mean())
print(f"{in_place:.0%} of the flights are in their old place")
out = out.sort_values("row").reset_index(drop=True)
expected = numbered.to_pandas().merge(seats.to_pandas(), on="tailnum", how="left")["seats"]
assert out["seats"].to_pandas().equals(expected)
print("sorted by row: the same as in pandas")

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: the first ten
#
# `nlargest` is faster than a sort of all rows: it sorts the positions, and fetches only the rows that it returns. Where values are equal, it takes those that come
# first in the table. After a merge no row is first. So name enough columns that no two rows are equal:

# %%
full = ["distance", "time_hour", "minute", "flight"]
assert not flights.duplicated(full).any()
print(flights.nlargest(2, full)[full].to_pandas().to_string(index=False))

# %% [markdown]
# ## Text and times
#
# *A good place for a pause. The second sitting takes about 30 minutes.*
#
# Tidy text before you use it as a key: `"jfk "` does not equal `"JFK"`. Times often come as text, too. Here are three reports of one weather station. The
# second one corrects the first.


# %%
def clock_of_new_york(utc):
    local = utc.dt.tz_localize("UTC").dt.tz_convert("America/New_York")
    return local.dt.tz_localize(None)  # the same clock, without its zone


times = ["2013-07-04 03:30", "2013-07-04 03:30", "2013-07-04 16:51"]  # in UTC
raw = cudf.DataFrame({"station": ["jfk ", "JFK", " JFK"], "time": times})
raw["issue"], raw["wind"] = [1, 2, 1], [9.0, 8.0, 12.0]
raw["station"] = raw["station"].str.strip().str.upper()
raw["time"] = cudf.to_datetime(raw["time"])
tidy = raw.sort_values("issue").drop_duplicates(["station", "time"], keep="last")
tidy["day in New York"] = clock_of_new_york(tidy["time"]).dt.floor("D")
print(tidy.sort_values("time").to_pandas().to_string(index=False))

# %% [markdown]
# `drop_duplicates` keeps the first row of each key, or the last. After a merge that may be any row. So sort first.
#
# Local clocks are bad keys. On 3 November 2013 the clocks in New York went back:
#
# ![The night of 3 November 2013 in UTC and on the clock of New York. The hours 4, 5, 6, 7, 8 of UTC are the hours 0, 1, 1, 2, 3 in New York: 1 o'clock
# comes twice.](drawings/clock-change.svg)

# %%
local = ["origin", "year", "month", "day", "hour"]
twins = weather[weather.duplicated(local, keep=False)].sort_values([*local, "time_hour"])
twins["temp"] = twins["temp"].round().astype("int32")
columns = ["origin", "month", "day", "hour", "time_hour", "temp"]
print(twins[columns].head(4).to_pandas().to_string(index=False))

# %% [markdown]
# By the local hour these rows look like duplicates. They are two different hours. **Keep times in UTC, and join on UTC.**
#
# **Question.** Suppose that `time_hour` of the weather is in New York's time, and you take it for UTC. You join both tables on `origin` and `time_hour`.
# How many flights still find a weather?
#
# - (a) none: the hours do not fit
# - (b) about half
# - (c) nearly all

# %%
my_answer = "?"
quiz("merges.clock", my_answer)

# %%
key = ["origin", "time_hour"]
temperature = weather[[*key, "temp"]]
confused = temperature.assign(time_hour=clock_of_new_york(weather["time_hour"])).drop_duplicates(key)
flight_times = flights[key].assign(row=cp.arange(len(flights)))
temps = []
for table in (temperature, confused):
    found = flight_times.merge(table, on=key, how="left").sort_values("row")
    temps.append(found["temp"].reset_index(drop=True))
with_utc, with_clock = temps
for name, temp in {"UTC": with_utc, "clock": with_clock}.items():
    print(f"by {name}: {temp.notnull().mean():.1%} find a weather, the first flight one of {temp.iloc[0]:.0f} °F")
print(f"the clock's temperature is off by {(with_utc - with_clock).abs().mean():.2g} °F on average")

# %% [markdown]
# **Explain.** Nearly every hour has a report, so nearly every flight finds one. But that report is from four hours later in summer, and from five in winter.
#
# ![A flight at 14:00 UTC between five hours of weather in two forms. Where the weather is labelled in UTC, the flight finds the weather of its hour.
# Where it is labelled with the clock of New York, in July four hours behind, the label 14:00 is on the weather of 18:00 UTC.](drawings/wrong-hour.svg)
#
# The number of rows does not show this. So check a row whose weather you know.

# %% [markdown]
# ## As of
#
# What did the pilots know of the weather when they were due to leave? They knew the latest report at or before that time. Such a join is an **[as-of join](../docs/glossary.md#term-as-of-join)**. pandas,
# Polars and DuckDB have one, cuDF has none. But in sorted times a binary search finds the report, with one thread for each flight:
#
# ![Reports of weather on a line of time, at 0, 3, 6 and 15 o'clock, with the positions 0 to 3. A flight at 3 o'clock takes position 1, the report of
# its own time. One at 4:30 takes position 1, too. One at 14 o'clock takes position 2, which is eight hours old. One before the first report would get
# position minus 1.](drawings/asof-search.svg)
#
# `searchsorted(…, side="right")` counts the reports at or before a time. One less is the position of the latest of them.
#
# **Question.** You write `side="left"`. What does the flight at 3:00 get?
#
# - (a) the report of 3:00, as before
# - (b) the report of 0:00
# - (c) no report

# %%
my_answer = "?"
quiz("merges.side", my_answer)

# %% [markdown]
# Here is the search for one airport, with a report every three hours:

# %%
due = flights["time_hour"] + (60 * flights["minute"]).astype("timedelta64[s]")
at_jfk = flights["origin"] == "JFK"
jfk = flights[["carrier", "flight"]][at_jfk].assign(time=due[at_jfk]).reset_index(drop=True)
reports = weather[(weather["origin"] == "JFK") & (weather["time_hour"].dt.hour % 3 == 0)]
reports = reports[["time_hour", "wind_speed"]].sort_values("time_hour").reset_index(drop=True)

place = reports["time_hour"].searchsorted(jfk["time"], side="right") - 1
assert int(place.min()) >= 0
jfk["wind"] = reports["wind_speed"].iloc[place].reset_index(drop=True)
jfk["age"] = jfk["time"] - reports["time_hour"].iloc[place].reset_index(drop=True)
print(f"reports are between {jfk['age'].min()} and {jfk['age'].max()} old")
old = jfk["age"] > np.timedelta64(6, "h")
jfk["wind"] = jfk["wind"].mask(old)
print(f"{int(old.sum())} flights have no report of the last six hours")

# %% [markdown]
# A position of -1 must not go into `iloc`: there it means the *last* report of the year. And some reports are too old. So an as-of join needs a
# **tolerance**, the greatest age of a report. Here it is six hours.
#
# **Predict.** pandas also offers `direction="nearest"`, the report that is nearest in time. How many percent of the flights would get a report from their
# own future?

# %%
my_percent = "?"

# %%
host_jfk = jfk[["flight", "time", "wind"]].to_pandas().sort_values("time", kind="stable")
host_reports = reports.to_pandas().assign(time=lambda table: table["time_hour"])
backward = pd.merge_asof(host_jfk, host_reports, on="time", tolerance=pd.Timedelta("6h"))
nearest = pd.merge_asof(host_jfk, host_reports, on="time", direction="nearest")
assert np.array_equal(backward["wind"], backward["wind_speed"], equal_nan=True)
print("our search and pandas.merge_asof agree")
print(f"from the future: {(nearest['time_hour'] > nearest['time']).mean():.0%}; you said {my_percent} %")

# %% [markdown]
# **Explain.** Between two reports, about half of the flights are nearer to the second one. A model that is fitted to such data looks good until you use
# it: then it has no reports from the future. `direction="backward"` is the default.
#
# ## Days and weeks
#
# `resample("D")` makes one value for each day. `rolling(7)` then takes each value together with the six before it.
#
# **Question.** You make the daily values with `groupby`. It leaves out a day without flights. What is `rolling(7).mean()` on the day after such a gap?
#
# - (a) a mean of seven values from eight days
# - (b) null, because a day is missing
# - (c) a mean of seven days, one of them 0

# %%
my_answer = "?"
quiz("merges.window", my_answer)

# %%
by_day = flights[["dep_delay"]].assign(time=clock_of_new_york(due))
daily = by_day.resample("D", on="time")["dep_delay"].mean().sort_index()
weekly, monthly = daily.rolling(7).mean(), daily.rolling(28).mean()
assert len(daily) == 365 and weekly.isnull().sum() == 6
worst = weekly.sort_values(ascending=False).head(1).to_pandas()
print(f"the worst seven days ended on {worst.index[0]:%d %B}")
print(f"their seven means have a mean of {worst.iloc[0]:.1f} minutes")
plot.lines(
    np.arange(28, 366, 7),
    {
        "the last 7 days": weekly.to_pandas().to_list()[27::7],
        "the last 28 days": monthly.to_pandas().to_list()[27::7],
    },
    xlabel="day of 2013",
    ylabel="minutes late, on average",
    title="Departures from New York",
)

# %% [markdown]
# The days are those of New York. In UTC a late evening belongs to the next day.
#
# ![Rows at many times become one value for each of eight days. Day 5 has no rows. A rolling window of three values that ends on day 6 takes days 3, 4
# and 6, so it spans four days. A window of three days that ends on day 6 takes days 4 to 6, in which there are two values.](drawings/time-windows.svg)
#
# `groupby` leaves out day 5. `resample` keeps it, with a null, and then `rolling(3)` is null on days 5 to 7. `rolling("3D")` takes the values that it finds.

# %% [markdown]
# ## 10.3 s against 280 ms
#
# **Measure.** Back to the post's table, with pandas on one core, Polars and DuckDB on all. The cell checks each result: the number of rows, and
# the sum of $x \cdot y$ over all pairs.

# %%
must = rows_of_merge(df, df, "id")
lazy = pl.from_pandas(host).lazy()
plan = lazy.join(lazy, on="id").rename({"x_right": "y"})
database = duckdb.connect()
database.execute("CREATE TABLE t AS SELECT * FROM host")
query = "SELECT a.id, a.x, b.x AS y FROM t a JOIN t b ON a.id = b.id"
ways = {
    "pandas": (lambda: host.merge(host, on="id"), "x_x", "x_y"),
    "Polars, streaming": (partial(plan.collect, engine="streaming"), "x", "y"),
    "DuckDB": (lambda: database.sql(query).to_arrow_table(), "x", "y"),
    "cuDF": (lambda: df.merge(df, on="id"), "x_x", "x_y"),
}
by_id = np.bincount(host["id"], host["x"])  # the sum of x for each id: its square is the sum over all pairs
least = limit(bytes=32 * n + 24 * must, machine="cpu")  # both tables read once, and the result written once


def time_of(way, x, y):
    found = measure(way, repeat=2, min_time=0)
    x, y = (found.value[name].to_numpy() for name in (x, y))
    assert len(x) == must and np.isclose(x @ y, by_id @ by_id)
    return found.median  # the table itself goes: it is large


times = {f"here: {name}": time_of(*way) for name, way in ways.items()}
times["limit: this CPU, each byte once"] = least.seconds
plot.times(times, title=f"{n // 1_000_000} million rows joined")

# %% [markdown]
# Without a GPU, *here: cuDF* is the simulator, not a GPU's time. No way comes near the limit: it counts each byte once, in
# order, but a join looks up each `id` at a random place.
#
# The 37 compares a V100 with pandas on one core of 2018. Here is one join on one machine, in three ways. Its right table has one row for each of 100 000
# keys:

# %%
sizes = [1_000_000, 10_000_000, 30_000_000]
seconds = {
    "pandas": [0.244, 1.373, float("nan")],
    "Polars": [0.0330, 0.313, 0.967],
    "T4, cuDF": [0.0100, 0.0399, 0.0963],
}
note = "Published by cudf-bench: Colab, tables in memory; pandas only up to 10 million."
plot.lines(
    sizes,
    seconds,
    xlabel="rows on the left",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="A join on a T4 and on the CPU beside it",
    note=note,
)

# %% [markdown]
# **Question.** Ten million left rows of 32 bytes go to the T4, and ten million rows of 40 bytes come back. The bus moves about 12 GB/s, and the join took
# 39.9 ms. What takes longest?
#
# - (a) the way up over the bus
# - (b) the join
# - (c) the way back over the bus

# %%
my_answer = "?"
quiz("merges.bus", my_answer)

# %%
pandas, polars, t4 = (times[1] for times in seconds.values())
bus = machine.gpus.find("T4").link
up, back = 32 * 10_000_000 / bus, 40 * 10_000_000 / bus
print(f"published: join {1e3 * t4:.1f} ms; computed: up {1e3 * up:.1f} ms, back {1e3 * back:.1f} ms")
print(f"{pandas / t4:.0f}×: the T4 against pandas")
print(f"{polars / t4:.1f}×: the T4 against Polars, which is {pandas / polars:.1f}× as fast as pandas")
print(f"{polars / (up + t4 + back):.1f}×: the T4 with the bus, against Polars")

# %% [markdown]
# **Explain.** Against pandas there are two factors: Polars against pandas, and the T4 against Polars. So name the **conditions of a ratio**: the join, the
# software, the cores, and whether the data crosses the bus. This source does not name the CPU.
#
# ## Where the GPU loses
#
# - **Small tables.** Each call has a price. In unit 07 a CPU sorted 10 000 rows faster than a T4.
# - **Results that come back.** Above, the two trips over the bus take longer than the join. If keys come twice on both sides, still more comes out.
# - **One question to files on a disk.** To read them takes most of the time, with or without a GPU.
#
# So use cuDF for a few joins of a million rows or more, of tables that stay on the GPU. Otherwise try Polars or DuckDB first.
#
# ## Key points
#
# - A key with $a$ rows left and $b$ right gives $a \cdot b$. **Count before you join**, and assert `len(out)` after it.
# - Join left first. The **anti join** shows what an inner join loses. Always write `on=`.
# - A left merge that leaves gaps in an integer column makes it float64.
# - pandas and cuDF match **null with null**. SQL and Polars do not.
# - Merged rows have **no order**: number them before. Sort before you drop duplicates.
# - Join on UTC. The right number of rows proves nothing about the right rows.
# - As of: `searchsorted(side="right") - 1`, and a tolerance.
#
# ## The exercise
#
# Six problems, 60 minutes: [exercises/08_merges.ipynb](../exercises/08_merges.ipynb). You predict six numbers, attach planes to flights, repair three silent
# mistakes, and build an as-of join for all airports at once.
#
# ## Further reading
#
# - M. Rocklin, [First Impressions of GPUs and PyData](https://matthewrocklin.com/blog/work/2018/12/17/gpu-python-challenges), 17 December 2018.
# - [cudf-bench](https://github.com/alexislowys/cudf-bench), commit b50c48cc3a, file `results/results.csv`, *inner_join* without skew: cuDF 26.02.01 on a T4, Polars 1.35.2
#   and pandas 2.2.2 on the CPU, medians of five synchronised runs.
# - [nycflights13](https://github.com/tidyverse/nycflights13) by H. Wickham: the tables, and why American's tail numbers do not match.
# - [How cuDF differs from pandas](https://docs.rapids.ai/api/cudf/stable/user_guide/pandas-comparison/), in order and nulls among others.
