# ---
# jupyter:
#   hundredfold:
#     unit: 8
#     slug: merges
#     title: "Merges: joining, sorting and dates"
#     teaching: 45
#     exercises: 35
# ---

# %% [markdown]
# # 08 · Merges: joining, sorting and dates
#
# *Unit 08 · merges · 45 minutes, then 35 for the exercises*
#
# In December 2018 a table of 10 million rows was merged with itself: **10.3 s** in pandas, **280 ms** on a GPU. A join is the most expensive
# thing that a table can be asked for, and the one most often wrong: no error, only too many rows, or too few, or the right number with the wrong
# weather in them. In this unit you first get joins right, by saying beforehand what must come out. Then you take the 37× apart.
#
# ## What you will be able to do
#
# - **Predict** how many rows a join gives, before it fills your memory.
# - **Choose** between inner, left, outer, semi and anti, and **prove** that nothing was lost or doubled.
# - **Handle** nulls, order, duplicates, text and time zones as cuDF does, where pandas or SQL does otherwise.
# - **Join** a time series to what was known at the time.
# - **Decide** between cuDF, Polars and DuckDB by rows, calls and the bus.
#
# You need unit 07. It takes about a minute to run.

# %%
# %load_ext hundredfold

# %%
from functools import partial

import cudf
import cupy as cp
import duckdb
import numba
import numpy as np
import pandas as pd
import polars as pl

from hundredfold import compare, data, limit, machine, measure, plot
from hundredfold.toolkit import recorded

# %% [markdown]
# ## How many rows?
#
# The published table: `x` are random numbers, and `id` whole numbers drawn at random from as many as there are rows. With a GPU it has the
# published size, 10 million rows; without one a tenth, so that everything fits a small machine.

# %%
n = 10_000_000 if machine.mode() == "gpu" else 1_000_000
rng = np.random.default_rng(seed=8)
host = pd.DataFrame({"id": rng.integers(0, n, n), "x": rng.random(n)})
df = cudf.from_pandas(host)
print(f"two columns of 8 bytes, {host.memory_usage(index=False).sum() / 1e6:.0f} MB")

# %% [markdown]
# **Predict.** Merged with itself on `id`: how many rows come out for each row that goes in?

# %%
my_rows = 1

# %% [markdown]
# **Measure.**

# %%
merged = df.merge(df, on="id")
print(f"{len(merged) / n:.2f} rows for each; you said {my_rows}")
assert abs(len(merged) / n - 2) < 0.01

# %% [markdown]
# **Explain.** Every row meets itself, that makes one. And each of the $n - 1$ others has the same `id` with a chance of $1/n$, that makes
# another one. In general: a key that comes $a$ times on the left and $b$ times on the right gives $a \cdot b$ rows, and with $K$ different keys a
# table of $n$ rows merged with itself has about $n\,(1 + n/K)$.
#
# The exact number can be had without joining: count each side by its key, and merge the *counts*, which have each key once.


# %%
def rows_of_merge(left, right, on):
    """How many rows `left.merge(right, on=on)` will have."""
    # dropna=False: null is a key like any other, too (see below); int64: a count is int32, and so would be the product.
    a = left.groupby(on, dropna=False).size().reset_index(name="a")
    b = right.groupby(on, dropna=False).size().reset_index(name="b")
    both = a.merge(b, on=on)
    return int((both["a"].astype("int64") * both["b"]).sum())


assert rows_of_merge(df, df, "id") == len(merged)
del merged

# %% [markdown]
# Make a habit of it where a key may come twice on **both** sides (*many to many*): there the result grows with the square.

# %%
keys = np.logspace(2, 8, 25)
plot.lines(
    keys,
    {
        "evenly": 1 + 1e6 / keys,
        "one key has 1 % of the rows": 1 + 0.99**2 * 1e6 / keys + 0.01**2 * 1e6,
    },
    xlabel="different keys",
    ylabel="rows out for each row in",
    xlog=True,
    ylog=True,
    marks={"as published": 1e6},
    title="A million rows merged with themselves",
    note="Reckoned: 1 + n / K for keys drawn evenly; one key with a share s of the rows adds n s².",
)

# %% [markdown]
# The upper line is how it happens in practice. A million different keys and *one* that is everywhere (an empty text, a 0 for "unknown", a
# null) make a hundred rows of each.
#
# ### Flights, weather, planes
#
# Real tables from here on: every flight that left New York in 2013, the weather at its three airports, and the planes.

# %%
flights = cudf.read_parquet(data.path("flights"))
weather = cudf.read_parquet(data.path("weather"))
planes = cudf.read_parquet(data.path("planes"))
for name, table in {"flights": flights, "weather": weather, "planes": planes}.items():
    print(f"{name:8} {len(table):6} rows: {', '.join(table.columns[:6])}, …")

# %% [markdown]
# **Predict.** Somebody wants the weather beside each flight and merges on `["origin", "month", "day"]`. How many rows would that be? (Do not run it.)

# %%
my_rows = 336_776

# %%
keys = ["origin", "month", "day"]
would_be = rows_of_merge(flights, weather, keys)
print(f"{would_be} rows, {would_be / len(flights):.1f} for each flight; you said {my_rows}")

# %% [markdown]
# **Explain.** The weather comes every hour, so each flight would meet all the weather of its day. There is no error and nothing looks odd: a mean over
# the result would even be nearly right. The key of the weather is `(origin, time_hour)`, and that is what one should ask first of every right side:

# %%
assert not planes["tailnum"].duplicated().any()
assert not weather.duplicated(["origin", "time_hour"]).any()
print("planes: one row for each tailnum; weather: one for each origin and time_hour")

# %% [markdown]
# ## Which rows?
#
# | `how=` | rows of the result |
# |---|---|
# | `"inner"` | pairs that match |
# | `"left"` | these, and the rows of the left that match nothing, with nulls on the right |
# | `"outer"` | these, and the rows of the right that match nothing |
# | `"leftsemi"` | rows of the left that match, each once, nothing of the right |
# | `"leftanti"` | rows of the left that match nothing |
#
# **Predict.** Of all flights, how many per cent are by a plane that is not in the registry, `planes`?

# %%
my_share = 1

# %% [markdown]
# **Measure.**

# %%
slim = flights[["carrier", "flight", "tailnum", "time_hour"]]
sizes = dict.fromkeys(["inner", "left", "outer", "leftsemi", "leftanti"])
for how in sizes:
    sizes[how] = len(slim.merge(planes, on="tailnum", how=how))
for how, rows in sizes.items():
    print(f"{how:8} {rows:6}")
print(f"without a plane: {sizes['leftanti'] / len(flights):.1%}; you said {my_share} %")

# %% [markdown]
# **Explain.** These five numbers check each other. Since no tail number comes twice on the right, inner and semi are equal, left is exactly
# the number of flights, and inner + anti = left. And outer = left says that every plane of the registry flew.
#
# An **inner join throws away a sixth of the flights**, and not at random:

# %%
assert sizes["inner"] == sizes["leftsemi"] == rows_of_merge(slim, planes, "tailnum")
assert sizes["inner"] + sizes["leftanti"] == sizes["left"] == sizes["outer"] == len(flights)
strangers = slim.merge(planes, on="tailnum", how="leftanti")
by_carrier = strangers.groupby("carrier").agg({"flight": "count", "tailnum": "count"})
by_carrier.columns = ["flights", "with a tail number"]
print(by_carrier.sort_values("flights", ascending=False).head(4).to_pandas())

# %% [markdown]
# American (AA) and Envoy (MQ) reported numbers of their own in place of tail numbers, as the data's documentation says; the others' flights
# have no tail number, or one that was not found in the registry. A mean age of planes
# from the inner join is one without most of American's. So: **join left, count what has no match, then decide.** The anti join is the question "what
# is missing?", asked directly.
#
# ### What cuDF refuses, and a trap without a word
#
# In pandas `validate="m:1"` makes sure that no key comes twice on the right, and `indicator=True` tells where each row came from.

# %%
for option in ({"validate": "m:1"}, {"indicator": True}):
    try:
        slim.merge(planes, on="tailnum", how="left", **option)
    except NotImplementedError as error:
        print(f"{next(iter(option))}: {error}")

# %% [markdown]
# In place of `validate` write what you know: `assert not planes["tailnum"].duplicated().any()` before, and `assert len(out) == len(flights)`
# after it. (Under `cudf.pandas` both work: the merge falls back to the CPU.) And *always* write `on`:

# %%
common = [column for column in flights.columns if column in planes.columns]
print(f"with on:    {sizes['inner']} rows")
print(f"without on: {len(flights.merge(planes))} rows, joined on {common}")

# %% [markdown]
# Without it all columns count that both tables have, and `year` is one: the year of the flight, and the year in which the plane was built. With
# `on="tailnum"` they come out as `year_x` and `year_y`. Better: take along only what you need, under its own name,
# `planes[["tailnum", "year"]].rename(columns={"year": "built"})`.
#
# ### What does null equal?
#
# **Predict.** An inner join of keys `[1, null, 2]` with keys `[1, null, null]`. How many rows? One answer for all libraries?

# %%
my_rows = 3

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

# %% [markdown]
# **Explain.** For SQL a null is *unknown*, and two unknowns are not known to be equal. For pandas and cuDF it is a value like any other: 1 row for
# the ones, and 1 × 2 for the nulls. In a column of floats cuDF has NaN beside null, and the two do not match each other; pandas knows only one.
# None of them is wrong, and all are silent. Merge the flights with themselves by tail number, and a tenth of the 63 million rows are flights of
# no known plane that "match":

# %%
everything = rows_of_merge(flights, flights, "tailnum")
nulls = int(flights["tailnum"].isnull().sum())
print(f"{everything} rows, of them {nulls**2} by {nulls} nulls: {nulls**2 / everything:.0%}")

# %% [markdown]
# `dropna(subset=["tailnum"])` makes cuDF's join SQL's: for an inner join on either side, for a left join on the right one (on the left it loses flights).
#
# ## In what order?
#
# **Predict.** `flights.merge(planes, how="left")`: how many per cent of the flights stand in the result where they stood before? In pandas: all of them.

# %%
my_share = 100

# %%
numbered = slim.assign(row=cp.arange(len(slim)))
seats = planes[["tailnum", "seats"]]
out = numbered.merge(seats, on="tailnum", how="left")
in_place = float((out["row"].values == cp.arange(len(out))).mean())
print(f"{in_place:.0%} stand where they stood; you said {my_share} %")

# %% [markdown]
# **Explain.** A hash join gives its rows as its threads find them. cuDF promises no order after `merge`, `groupby`, `unique` or `value_counts`, and
# may have another one on the next machine. (The simulation shuffles on purpose, so that code which relies on an order fails here already.) Where
# order matters, carry it in a column:

# %%
out = out.sort_values("row").reset_index(drop=True)
assert (out["row"].values == cp.arange(len(flights))).all()
expected = numbered.to_pandas().merge(seats.to_pandas(), on="tailnum", how="left")["seats"]
assert out["seats"].to_pandas().astype("float64").equals(expected.astype("float64"))
print("sorted by row: the same as pandas'")

# %% [markdown]
# ### Sort less
#
# Sorting moves every column of every row. For the first ten of a table that is too much work: `nlargest` sorts one column's places and fetches
# ten rows. The same as `sort_values(...).head(10)`? Look at the ends of the table first:

# %%
ways = {
    "sort_values, head": lambda: flights.sort_values("distance", ascending=False).head(10),
    "nlargest": lambda: flights.nlargest(10, "distance"),
}
for name, way in ways.items():
    print(f"{name:18} {1e3 * measure(way, repeat=3, min_time=0).median:.0f} ms")
longest = flights["distance"].max()
print(f"{int((flights['distance'] == longest).sum())} flights are the longest, of {longest} miles")
full = ["distance", "time_hour", "minute", "flight"]
assert not flights.duplicated(full).any()  # so only one ten is the first
print(f"in full order the first is of {flights.nlargest(10, full)['time_hour'].iloc[0]}")
last = flights.sort_values("dep_delay")["dep_delay"].tail(1).to_arrow().to_pylist()
print(f"the largest delay: by sort_values {last[0]}, by max {flights['dep_delay'].max()}")

# %% [markdown]
# Two traps. Where many are equal, *which* ten you get is nobody's promise: give a full order, as `full` is. (Without `minute` it
# is none: two carriers have the same number in one hour. `nlargest` takes no text, so `carrier` cannot help.) And nulls
# stand at the end, whether you sort up or down (`na_position="first"` moves them): the "latest" flight of the sorted table never left.
#
# ### One of each
#
# `drop_duplicates` keeps the first row of each key, or the last. Of a table in no order that is any row, so sort before. When do two
# different hours look the same?

# %%
local = ["origin", "year", "month", "day", "hour"]
twins = weather[weather.duplicated(local, keep=False)].sort_values([*local, "time_hour"])
twins["temp"] = twins["temp"].round().astype("int32")
columns = ["origin", "month", "day", "hour", "time_hour", "temp"]
print(twins[columns].head(4).to_pandas().to_string(index=False))
print(f"{len(weather.drop_duplicates(local))} of {len(weather)} rows have a local hour of their own")

# %% [markdown]
# On 3 November 2013 the clocks went back, and 1 o'clock came twice. By the local hour three rows of the weather look like duplicates, and dropping them
# would be a mistake; joining by it would double flights, if any left at that time. **Keep times in UTC, and join on UTC.**
#
# ## Text and times
#
# A column of text is one long array of bytes and one of offsets. Comparing two of its values means following both. As a *category* each text is
# stored once and the column holds small numbers:

# %%
both = cudf.concat([slim["tailnum"], planes["tailnum"]])
codes = both.astype("category").cat.codes.values  # -1 for null; if both sides had nulls, they would match
with_text = slim[["flight", "tailnum"]]
with_codes = slim[["flight"]].assign(tail=codes[: len(slim)])
plane_codes = planes[["seats"]].assign(tail=codes[len(slim) :])
ways = {
    "text": lambda: with_text.merge(seats, on="tailnum", how="left"),
    "codes": lambda: with_codes.merge(plane_codes, on="tail", how="left"),
}
nbytes = {
    "text": with_text["tailnum"].memory_usage(index=False, deep=True),
    "codes": codes[: len(slim)].nbytes,
}
for name, way in ways.items():
    took = measure(way, repeat=3, min_time=0).median
    print(f"the key as {name:5} {nbytes[name] / 1e6:.2f} MB, joined in {1e3 * took:.0f} ms")
translation = measure(lambda: both.astype("category").cat.codes.values, repeat=3, min_time=0)
print(f"the translation of both sides: {1e3 * translation.median:.0f} ms")

# %% [markdown]
# Each join saves the difference of the first two lines. Where that is more than the translation costs, it pays at the first join; else only where the
# same key is joined often. (Both sides must be translated by *one* list, as here: two categories made apart give other
# codes for the same text.) `.str` has what pandas' has, `strip`, `upper`, `contains`, `extract`, each one pass on the GPU. Do it before the merge:
# `"jfk "` does not match `"JFK"`. `cudf.to_datetime` makes times of text, and of a time `.dt.floor("D")` makes the midnight before it, its day.
#
# ### The right number of rows, and the wrong weather
#
# `time_hour` is in UTC in both tables. Say the weather came from a file with New York's time in it, without a word about that.
#
# **Predict.** Joined on `(origin, time_hour)`: what share of the flights would still find a weather?

# %%
my_share = 0


# %%
def clock_of_new_york(utc):
    return utc.dt.tz_localize("UTC").dt.tz_convert("America/New_York").dt.tz_localize(None)


key = ["origin", "time_hour"]
temperature = weather[[*key, "temp"]]
confused = temperature.assign(time_hour=clock_of_new_york(weather["time_hour"])).drop_duplicates(key)
flight_times = flights[key].assign(row=cp.arange(len(flights)))
temps = []
for table in (temperature, confused):
    found = flight_times.merge(table, on=key, how="left").sort_values("row")
    temps.append(found["temp"].reset_index(drop=True))
with_utc, with_clock = temps
print(f"{with_clock.notnull().mean():.0%} find a weather, you said {my_share} %")
print(f"their temperature is off by {(with_utc - with_clock).abs().mean():.2g} °F on average")

# %% [markdown]
# **Explain.** Nearly all rows match, with the weather of four hours *later* in summer and five in winter. A row count cannot see that. What can: one
# pair of rows looked up by hand; and types that say what they are. pandas refuses to merge `datetime64[us, UTC]` with a bare `datetime64`.
#
# ## As of
#
# What was the weather when the flight was due? `time_hour` is the full hour before; the pilots know the last report **not later than** the departure.
# If reports come irregularly, equality finds nothing: this is an *as-of* join. pandas, Polars and DuckDB have it, cuDF has not. Where the
# times are sorted, a binary search does it, one thread for each flight. For one airport:

# %%
due = flights["time_hour"] + (60 * flights["minute"]).astype("timedelta64[s]")
at_jfk = flights["origin"] == "JFK"
jfk = flights[["carrier", "flight"]][at_jfk].assign(time=due[at_jfk]).reset_index(drop=True)
# The weather at JFK, as if it were reported every three hours only.
reports = weather[(weather["origin"] == "JFK") & (weather["hour"] % 3 == 0)]
reports = reports[["time_hour", "wind_speed"]].sort_values("time_hour").reset_index(drop=True)

# The last that is not later:
place = reports["time_hour"].searchsorted(jfk["time"], side="right") - 1
assert int(place.min()) >= 0
jfk["wind"] = reports["wind_speed"].iloc[place].reset_index(drop=True)
jfk["age"] = jfk["time"] - reports["time_hour"].iloc[place].reset_index(drop=True)
print(f"reports are between {jfk['age'].min()} and {jfk['age'].max()} old")

# %% [markdown]
# `side="right"` puts a time that is in the list behind its equal, so that minus one finds it. Where no report is early
# enough it gives -1, and `iloc[-1]` would fetch the *last* report of the year without a word: hence the `assert`. The reports have gaps, so the oldest
# "last report" is more than a day old; what is missing yet is a *tolerance*. And the strongest argument for `direction="backward"`, which is the default everywhere:
#
# **Predict.** With the report *nearest* in time, in place of the last: how many per cent of the flights get a report from their own future?

# %%
my_share = 10

# %%
host_jfk = jfk[["flight", "time"]].to_pandas().sort_values("time", kind="stable")
host_reports = reports.to_pandas().assign(time=lambda table: table["time_hour"])
backward = pd.merge_asof(host_jfk, host_reports, on="time")
nearest = pd.merge_asof(host_jfk, host_reports, on="time", direction="nearest")
by_search = jfk.sort_values(["time", "flight"])["wind"].to_pandas().to_numpy()
by_pandas = backward.sort_values(["time", "flight"])["wind_speed"].to_numpy()
assert np.array_equal(by_search, by_pandas, equal_nan=True)

l_jfk, l_reports = pl.from_pandas(host_jfk), pl.from_pandas(host_reports)
in_polars = l_jfk.join_asof(l_reports, on="time", strategy="backward").sort("time", "flight")
asof = """
    SELECT wind_speed FROM l_jfk ASOF LEFT JOIN l_reports ON l_jfk.time >= l_reports.time
    ORDER BY l_jfk.time, l_jfk.flight
"""
in_duckdb = duckdb.sql(asof).to_arrow_table()["wind_speed"]
for other in (in_polars["wind_speed"].to_numpy(), in_duckdb.to_numpy()):
    assert np.array_equal(by_search, other, equal_nan=True)
print("cuDF's search, pandas, Polars and DuckDB agree")
print(f"from the future: {(nearest['time_hour'] > nearest['time']).mean():.0%}; you said {my_share} %")

# %% [markdown]
# **Explain.** A model that is fitted to such data knows what comes, and is splendid until it is used. All airports at once, and with a tolerance:
# `by=` and `tolerance=` in pandas and Polars; on the GPU it is problem 6.
#
# ## Days and weeks
#
# `resample` groups by time, `rolling` looks back from each row. Both want to know what a day is, and where it begins:

# %%
by_day = flights[["dep_delay"]].assign(time=clock_of_new_york(due))
daily = by_day.resample("D", on="time")["dep_delay"].mean().sort_index()
weekly = daily.rolling(7).mean()
assert len(daily) == 365 and weekly.isnull().sum() == 6
worst = weekly.sort_values(ascending=False).head(1).to_pandas()
print(f"the worst seven days ended on {worst.index[0]:%d %B}: {worst.iloc[0]:.1f} minutes on average")
monthly = daily.rolling(28).mean()
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
# By days of UTC the late evening would belong to the next day, and there would be 366. `rolling(7)` counts *rows*: where a day is missing it
# spans eight days; `rolling("7D")` counts days, and gives a value from the first day on. Both look back only. (`center=True` looks ahead: for a picture, not
# for a forecast.)
#
# ## All three tables
#
# Does bad weather delay flights, and do small planes suffer more? Two left joins, each with its proof:

# %%
sky = weather[[*key, "visib"]]
size = planes[["tailnum", "seats"]]
whole = flights[[*key, "carrier", "tailnum", "dep_delay"]]
whole = whole.merge(sky, on=key, how="left").merge(size, on="tailnum", how="left")
assert len(whole) == len(flights)
assert whole["visib"].notnull().sum() == rows_of_merge(flights, sky, key)
assert whole["seats"].notnull().sum() == rows_of_merge(flights, size, "tailnum")

known = whole.dropna(subset=["visib", "seats", "dep_delay"])
print(f"{len(known) / len(whole):.0%} of the flights have a delay, a weather and a plane")
without = 1 - known.groupby("carrier").size() / whole.groupby("carrier").size()
for carrier, share in without.sort_values(ascending=False).head(2).to_pandas().items():
    print(f"left out of {carrier}'s flights: {share:.0%}")
known = known.assign(miles=known["visib"].astype("int64"))
small = known["seats"] <= 100
late = {
    name: part.groupby("miles")["dep_delay"].mean().sort_index().to_pandas().to_list()
    for name, part in {"up to 100 seats": known[small], "larger": known[~small]}.items()
}
for name, minutes in late.items():
    print(f"{name:15} {minutes[-1]:.0f} minutes late where one sees 10 miles, {minutes[0]:.0f} where less than one")
plot.lines(
    np.arange(len(late["larger"])),
    late,
    xlabel="visibility in miles",
    ylabel="minutes late, on average",
    title="What fog costs",
)

# %% [markdown]
# **Explain.** Yes, and yes: in fog both are later, and small planes by far more minutes. But this holds for the flights that are left: `dropna` does what an inner
# join would have done, and nearly all of Envoy (MQ), a regional carrier, and most of American are gone, besides all flights that never left.
#
# ## 10.3 s against 280 ms
#
# Back to the published merge. What it beat was pandas, on one core. Who is strong on a CPU?
#
# - **Polars**, streaming: all cores, and pieces that stay in the caches.
# - **DuckDB**, the same from a database. The result must be *made*, here as Arrow's table: `SELECT count(*)` is another question, and cheaper.
# - **Numba**, by hand: `id` is a whole number below `n`, so no hash is needed. Sort one side by counting, look up the other side directly.
#
# **Predict.** How many times faster than pandas is the best of them, on your machine?

# %%
my_factor = 2


# %%
@numba.njit
def direct_join(id_left, x_left, id_right, x_right, top):
    first = np.zeros(top + 2, np.int64)  # shifted by two, so that once it is filled the rows of id begin at first[id]
    for i in range(id_right.size):
        first[id_right[i] + 2] += 1
    rows = 0
    for i in range(id_left.size):
        rows += first[id_left[i] + 2]
    for k in range(2, top + 2):
        first[k] += first[k - 1]
    sorted_x = np.empty(x_right.size)
    for i in range(id_right.size):
        sorted_x[first[id_right[i] + 1]] = x_right[i]
        first[id_right[i] + 1] += 1
    ids, xs, ys = np.empty(rows, np.int64), np.empty(rows), np.empty(rows)
    row = 0
    for i in range(id_left.size):
        for j in range(first[id_left[i]], first[id_left[i] + 1]):
            ids[row], xs[row], ys[row] = id_left[i], x_left[i], sorted_x[j]
            row += 1
    return ids, xs, ys


ids, xs = host["id"].to_numpy(), host["x"].to_numpy()
lazy = pl.from_pandas(host).lazy()
plan = lazy.join(lazy, on="id").rename({"x_right": "y"})
connection = duckdb.connect()
connection.execute("CREATE TABLE t AS SELECT * FROM host")
query = "SELECT a.id, a.x, b.x AS y FROM t a JOIN t b ON a.id = b.id"
ways = {
    "pandas": lambda: host.merge(host, on="id"),
    "Polars, streaming": partial(plan.collect, engine="streaming"),
    "DuckDB": lambda: connection.sql(query).to_arrow_table(),
    "Numba, direct": lambda: direct_join(ids, xs, ids, xs, n),
    "cuDF": lambda: df.merge(df, on="id"),
}

# %% [markdown]
# **Measure.** The least that must be done: read two columns twice, 32 bytes for each row, and write 24 bytes for each row that comes out. And
# before any time counts: as many rows as we worked out, and the right sum of $x \cdot y$.

# %%
must = rows_of_merge(df, df, "id")
work = 32 * n + 24 * must  # bytes
by_id = np.bincount(ids, xs)  # the sum of x for each id: squared, it is the sum over all pairs
xy = {
    "pandas": lambda out: (out["x_x"], out["x_y"]),
    "Polars, streaming": lambda out: (out["x"], out["y"]),
    "DuckDB": lambda out: (out["x"].to_numpy(), out["y"].to_numpy()),
    "Numba, direct": lambda out: out[1:],
    "cuDF": lambda out: (out["x_x"].values, out["x_y"].values),
}


def taken(name):
    found = measure(ways[name], name=name, bytes=work, repeat=2, min_time=0)
    x, y = xy[name](found.value)
    assert len(x) == must and np.isclose(float((x * y).sum()), np.dot(by_id, by_id)), name
    return found.median  # the table itself goes: it is large


times = {name: taken(name) for name in ways}
for name, seconds in times.items():
    print(f"{name:18} {1e3 * seconds:.0f} ms, {times['pandas'] / seconds:.1f}× pandas")
print(f"you said {my_factor}× for the best")
counting = partial(connection.execute, f"SELECT count(*) FROM ({query})")
print(f"and DuckDB's count(*) alone: {1e3 * measure(counting, repeat=2, min_time=0).median:.0f} ms")

# %%
compare(
    "merges.merge",
    times,
    naive=times["pandas"],
    strongest=times["Polars, streaming"],
    limit=limit(bytes=work, machine="cpu"),
    n=n,
)


# %% [markdown]
# (The strongest is Polars here, since it joins any key. The loop by hand knows that its keys are small whole numbers.)
#
# **Explain.** Nobody is near the limit, and that is not sloppiness: the limit counts bytes in a row, and a join jumps. Each `id` is looked up at a random
# place, which fetches a whole line of 64 bytes (on a GPU a sector of 32) for 8 that are wanted, and waits for it; the rest is hashing, sorting and
# making room for the result. Count a sector for each of four random touches of a row, and the published V100 cannot do it under 3.4 ms (the next
# cell has the sum). It took 280. (The two limits above are for the two sizes: this machine's for the rows here, the V100's for ten million. And
# cuDF's time is the simulation's, on this processor: it says nothing of a GPU.)
#
# And how honest is the 37×? Here are the two sides seven years later, from benchmarks that others published:

# %%
published = {time.device: time.seconds for time in recorded.published("merges.merge").times}
rows = {
    "published: pandas, 2018": published["cpu"],
    "published: cuDF, a V100, 2018": published["gpu"],
    "published: pandas, 128 cores, 2025": 3.54,
    "published: Polars, 16 cores, 2025": 0.226,
    "published: Polars, 128 cores, 2025": 0.167,
    "published: libcudf, an H100, 2025": 3.061e-3,
}
random_limit = {
    # both tables, a sector for each of four random touches of a row; then for each row that comes out its pair of places,
    # a sector for x, and the row itself
    name: (32 * 1e7 + 4 * 32 * 1e7 + (16 + 32 + 24) * 2e7) / machine.gpus.find(name).bandwidth
    for name in ("V100", "H100")
}
for name, seconds in random_limit.items():
    rows[f"limit: {name}, with sectors"] = seconds
plot.times(
    rows,
    title="10 million rows joined with 10 million, since 2018",
    note="Published by others, sources below. The H100's time is for the pairs of places, without the columns.",
)

# %%
print(f"2018: {published['cpu'] / published['gpu']:.0f}×, cuDF against pandas")
print(f"2025: Polars, 16 cores, against the GPU of 2018: {published['gpu'] / 0.226:.1f}×")
h100 = machine.gpus.find("H100")
whole_join = 3.061e-3 + (32 + 24) * 2e7 / h100.bandwidth  # its columns fetched at the limit
there_and_back = whole_join + (16 * 1e7 + 24 * 2e7) / h100.link
for cores, polars in ((16, 0.226), (128, 0.167)):
    print(f"2025: an H100 against Polars on {cores} cores: {polars / whole_join:.0f}×", end="")
    print(f", and with the bus {polars / there_and_back:.0f}×")

# %% [markdown]
# So most of the 37× of 2018 was pandas: a CPU with strong software does today what that GPU did. And the GPU's side has become stronger still, by a
# memory pool, better software and four times the bandwidth. But say the conditions with the number: against *which* software, on how many cores, and
# whether the table has to cross the bus.
#
# ## Where the GPU loses
#
# **On small tables.** A cuDF call takes about a millisecond before it has done anything: the published mean of 10 million numbers took
# 1.42 ms, of which their bytes explain 0.09. What does the CPU do in that time?

# %%
mean = next(t for t in recorded.published("dataframes.mean").times if t.device == "gpu")
call = mean.seconds - 80e6 / machine.gpus.find("V100").bandwidth
sizes = np.array([10**3, 10**4, 10**5, 10**6])
on_cpu = []
for rows in sizes:
    part = pl.from_pandas(host[:rows].assign(id=host["id"][:rows] % rows)).lazy()
    joined = partial(part.join(part, on="id").collect, engine="streaming")
    on_cpu.append(measure(joined, repeat=3, min_time=0.05).median)
# Of each row two come out, each of 32 bytes fetched and 24 written: 112. Over the bus 16 go up, and 48 come back.
there = call + sizes * (3.061e-3 / 1e7 + 112 / h100.bandwidth)
plot.lines(
    sizes,
    {
        "Polars, here": on_cpu,
        "H100, data there": there,
        "H100, there and back": there + sizes * (16 + 48) / h100.link,
    },
    xlabel="rows",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="A table merged with itself",
    note="Polars: on this CPU. The H100: reckoned from its published join, its data sheet and 1.3 ms a call.",
)
for rows, polars, gpu in zip(sizes, on_cpu, there, strict=True):
    ratios = f"{polars / gpu:.3g}× the H100's, {polars / (gpu + rows * (16 + 48) / h100.link):.3g}× with the bus"
    print(f"{rows:8} rows: Polars' time here is {ratios}")

# %% [markdown]
# - **Small tables**: where the printed ratio is below 1, Polars is first. The GPU's line is flat, for its price is the call; how far the CPU's sinks below
#   it depends on the cores, and where others use them too it may not do so at all. A loop over a thousand small merges takes a GPU more than a second, whatever is in them.
# - **Text that is looked at once.** It must be sent whole, and on the device each comparison follows two pointers.
# - **Results that come back.** A many-to-many join sends up 16 bytes a row and sends back 24 for each *pair*. Group on the device, and fetch the group.
# - **One question to files on a disk.** DuckDB and Polars read of a Parquet file only the columns and row groups that the query needs. In a published comparison with data
#   in object storage DuckDB on a CPU won all of five queries against a GPU.
#
# ## Key points
#
# - A key with $a$ rows left and $b$ right gives $a\,b$. **Count before you join**: group sizes merge cheaply. Assert `len(out)` after it.
# - Left join first; the **anti join** shows what an inner join would have lost. Always write `on`.
# - pandas and cuDF match **null with null**, SQL and Polars do not. cuDF promises **no order** after merge and groupby: carry it in a column.
# - Join on UTC, tidy text before, drop duplicates only after sorting. The right number of rows proves nothing about the right rows.
# - As-of: the last **not later than**, within a tolerance. On the GPU: sort, `searchsorted(side="right") - 1`.
# - 37× was pandas. Against Polars, DuckDB or twenty lines of Numba the GPU has to be measured anew, with the bus, and with a millisecond a call.
#
# ## The exercise
#
# Six problems, 35 minutes: [exercises/08_merges.ipynb](../exercises/08_merges.ipynb). You will predict six row counts, join planes to flights so that
# nothing is lost or doubled, repair three mistakes that raise no error, and build the as-of join that cuDF lacks.
#
# ## Further reading
#
# - M. Rocklin, [First Impressions of GPUs and PyData](https://matthewrocklin.com/blog/work/2018/12/17/gpu-python-challenges), 17 December 2018: 10.3 s and 280 ms.
# - DuckDB Labs, [Database-like ops benchmark](https://duckdblabs.github.io/db-benchmark/), run of 27 October 2025, *join, 10 million rows, big inner on int*:
#   Polars 1.34 0.226 s (16 virtual cores) and 0.167 s (128), DuckDB 1.4.1 0.476 s and 0.182 s, pandas 2.2.3 3.54 s.
# - NVIDIA cuDF, pull request [18896](https://github.com/rapidsai/cudf/pull/18896): the inner join of 10 million int64 keys on an H100, 4.06 → 3.06 ms.
# - boettiger-lab, the Polars GPU engine (RTX 4000 Ada) beside DuckDB on a CPU, data in object storage: the CPU won all five queries.
# - H. Wickham et al., [nycflights13](https://github.com/tidyverse/nycflights13): the tables, and why American's tail numbers do not match.
# - pandas' user guide, [Merge, join, concatenate and compare](https://pandas.pydata.org/docs/user_guide/merging.html), and the
#   [cuDF documentation](https://docs.rapids.ai/api/cudf/stable/), where it tells how cuDF differs from pandas (order, nulls).
