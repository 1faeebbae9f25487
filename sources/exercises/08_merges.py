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
# # 08 · Merges: exercises
#
# *Unit 08 · merges · 60 minutes in two sittings · the lecture is [notebooks/08_merges.ipynb](../notebooks/08_merges.ipynb)*
#
# There are six problems, from easy to open. Problems 1 to 5 take about 45 minutes, problem 6 about 15. Fill in a cell, run it, and run the `check` below
# it. The check shows what it verified, or why the answer is wrong, with a hint or the smallest case that fails. `hint("merges.attach")` shows the next
# hint.
#
# An empty answer, `...`, counts as not attempted, not as wrong. Problem 3 starts with code. There the check judges that code until you change it.
#
# The checks call your functions with small tables of their own:
#
# - Keys come twice, keys are null, and rows are in no order.
# - Their index may be anything. The index of your result does not matter.
# - Your functions may not send rows to the host.
# - Where nothing is known, the result has a null. NaN counts as wrong in problems 2 and 4.
# - Any number or text may be a real value, such as 0, -1 or an empty text. So none of them can stand for a null.
#
# You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
import cudf
import cupy as cp
import numpy as np

from hundredfold import check, data, hint

# %% [markdown]
# These are the tables of the lecture, to try things out:

# %%
flights = cudf.read_parquet(data.path("flights"))
planes = cudf.read_parquet(data.path("planes"))
weather = cudf.read_parquet(data.path("weather"))

# %% [markdown]
# ## 1. Count before it runs
#
# A table `flights` has 1 000 000 rows and a column `tailnum`, the plane's tail number:
#
# | flights | |
# |---:|---|
# | 40 000 | have no tail number: it is null |
# | 900 000 | have a plane that is in the registry |
# | 60 000 | have a plane that is not in the registry |
#
# Each plane that flies has 240 of these flights. The registry is the table `planes`. No tail number is null there:
#
# | planes | come in `planes` | fly? |
# |---:|---|---|
# | 3 125 | once | yes |
# | 625 | twice | yes |
# | 300 | once | no |
#
# How many rows do these results have in cuDF?
#
# - `inner`, `left`, `outer`, `anti`: the rows of `flights.merge(planes, on="tailnum", how=...)` with `"inner"`, `"left"`, `"outer"` and `"leftanti"`
# - `square`: the rows of `flights.merge(flights, on="tailnum")`
# - `nbytes`: the **bytes** of the last result, if each of its rows has 24

# %%
inner = left = outer = anti = ...
square = nbytes = ...
### BEGIN SOLUTION
inner = (3_125 + 2 * 625) * 240
anti = 60_000 + 40_000
left = inner + anti
outer = left + 300
square = (3_125 + 625 + 60_000 // 240) * 240**2 + 40_000**2
nbytes = 24 * square
### END SOLUTION

# %%
check("merges.count", inner, left, outer, anti, square, nbytes)

# %% [markdown] tags=["solution-only"]
# In the last result, 87 % of the rows are nulls that match nulls. It would have 44 GB.

# %% [markdown]
# ## 2. Each flight with its plane
#
# Write `attach(flights, planes)`. It returns the flights with two more columns: `built`, the `year` of the plane, and `seats`.
#
# - Each flight is in the result **once, in the order of `flights`**.
# - Where its plane is not known, both new columns are null.
# - A plane may come several times in `planes`. Then the row with the latest `year` counts, with the seats of that row.
# - Tail numbers may be null in both tables. A flight without one has no plane.
#
# `flights` has the columns `flight`, `carrier`, `tailnum` and `year`, the year of the flight. The same `flight` may come several times. `planes` has
# `tailnum`, `year` and `seats`. Its `year` is the year in which the plane was built, and is never null. Both tables stay as they are.


# %%
def attach(flights, planes):
    ### BEGIN SOLUTION
    latest = planes.dropna(subset=["tailnum"]).sort_values("year").drop_duplicates("tailnum", keep="last")
    latest = latest.rename(columns={"year": "built"})
    numbered = flights.assign(row=cp.arange(len(flights)))
    out = numbered.merge(latest, on="tailnum", how="left").sort_values("row")
    return out.drop(columns="row").reset_index(drop=True)
    ### END SOLUTION


# %%
check("merges.attach", attach)

# %% [markdown]
# ## 3. Repair: who flies planes that nobody knows?
#
# Which carriers have the most flights whose plane is not in `planes`? A flight without a tail number counts, too: its plane is not there either.
#
# `unknown(flights, planes, k)` should return a table with the columns `carrier` and `flights`, the number of such flights. Sort it: the carrier with the
# most comes first, and carriers with equally many come in alphabetical order. Return the first `k` carriers. Leave out a carrier without such a flight.
#
# The version below has three mistakes. Repair it.


# %%
def unknown(flights, planes, k):
    ### BEGIN SOLUTION
    strange = flights.merge(planes.dropna(subset=["tailnum"]), on="tailnum", how="leftanti")
    counts = strange.groupby("carrier").size().reset_index(name="flights")
    counts = counts.sort_values(["flights", "carrier"], ascending=[False, True])
    return counts.head(k).reset_index(drop=True)
    ### END SOLUTION
    ### BEGIN STARTER
    # both = flights.merge(planes, on="tailnum", how="left")
    # strange = both[both["seats"].isnull()]
    # counts = strange.groupby("carrier").size().reset_index(name="flights")
    # return counts.head(k)
    ### END STARTER


# %%
check("merges.unknown", unknown)

# %% [markdown] tags=["solution-only"]
# `both["seats"].isnull()` has two mistakes. It also finds flights whose plane is known, if its seats are null. And it misses flights without a tail number that matched
# a row of `planes` without one. The anti join asks for exactly the flights without a match. The third mistake: groups have no order, so `head` needs a sort before it.

# %% [markdown]
# ## 4. From raw reports to days
#
# *A good place for a pause.*
#
# Weather reports come as somebody typed them. The table `reports` has four columns:
#
# | column | what it is |
# |---|---|
# | `station` | text in any case, with blanks around it |
# | `time` | text such as `"2013-07-04 16:51"`, in **UTC** |
# | `issue` | a whole number: a correction has a greater one than the report before it |
# | `wind` | a number, or null |
#
# There may be several reports of one station and time. Only the one with the greatest `issue` counts, even if its wind is null.
#
# Write `windiest(reports)`. It returns a table with one row for each station and each day **of New York** with a report:
#
# - `station`: tidied, such as `"JFK"`
# - `day`: the midnight at which the day begins, as a `datetime64` without a time zone
# - `wind`: the greatest wind of that day, and null where none was measured
#
# The time zone is called `"America/New_York"`. The rows may come in any order.


# %%
def windiest(reports):
    ### BEGIN SOLUTION
    station, time = reports["station"].str.strip().str.upper(), cudf.to_datetime(reports["time"])
    last = reports.assign(station=station, time=time).sort_values("issue")
    last = last.drop_duplicates(["station", "time"], keep="last")
    local = last["time"].dt.tz_localize("UTC").dt.tz_convert("America/New_York").dt.tz_localize(None)
    return last.assign(day=local.dt.floor("D")).groupby(["station", "day"], as_index=False).agg({"wind": "max"})
    ### END SOLUTION


# %%
check("merges.days", windiest)

# %% [markdown]
# ## 5. GPU, CPU, or neither?
#
# These two are on your desk, with a bus of 25 GB/s between them:
#
# | | CPU with Polars or DuckDB | GPU with cuDF |
# |---|---:|---:|
# | rows through a join, read and written together | 90 million a second | 6 000 million a second |
# | each call, besides its rows | 0.05 ms | 1 ms |
# | memory | 128 GB | 80 GB |
#
# A row has 24 bytes. Where does each job finish first?
#
# | job | what it is |
# |---|---|
# | `"lookup"` | one join of today's 3 500 flights with 3 500 planes; 3 500 rows come out; the tables are on the host, and so is the result |
# | `"pipeline"` | tables of 40 million rows are on the device; twelve joins and groupbys one after the other read and write 60 million rows each; 20 numbers come out |
# | `"once"` | one join of two tables of 10 million rows on the host; its 20 million rows go back to the host |
# | `"stream"` | 5 000 joins one after the other, as messages arrive; each reads and writes 3 000 rows, and all of them cross the bus if the GPU does it |
# | `"pairs"` | 2 million rows are merged with 2 million rows, to count the result by month; each row matches 8 000 |
# | `"text"` | one join of two tables of 10 million rows on the device, and its 10 million rows stay there; the key is text of 16 characters |
#
# Answer `"cpu"` or `"gpu"`, or `"neither"` if the result fits in no memory here. Add the time of the rows, of the calls, and of the bytes over the bus.
# Data on the device has to be fetched before the CPU can work on it.

# %%
decisions = {"lookup": ..., "pipeline": ..., "once": ..., "stream": ..., "pairs": ..., "text": ...}
### BEGIN SOLUTION
# The seconds of each side: the check tells them.
decisions = {"lookup": "cpu", "pipeline": "gpu", "once": "gpu", "stream": "cpu", "pairs": "neither", "text": "gpu"}
### END SOLUTION

# %%
check("merges.worth", decisions)

# %% [markdown] tags=["solution-only"]
# Compare *once* with unit 01. There a sum of numbers on the host was not worth the bus. A join does much more work for each byte.

# %% [markdown]
# ## 6. Open: the last weather before each flight
#
# Weather stations report at any time. Write `last_seen(flights, weather)`. It returns the flights, in their order, with one more column `wind`. That is
# the wind of the **latest report at their origin, at or before their time, and at most two hours older**.
#
# - `wind` is null or NaN where there is no such report, and where that report has no wind.
# - `flights` has the columns `flight`, `origin` and `time`, `weather` has `origin`, `time` and `wind`. Both are in any order, and both may be empty.
# - No station reports twice at one time. No `origin` and no `time` is null.
#
# This is an as-of join. cuDF has none, so build it from what cuDF and CuPy have.
#
# The check also looks at the cost. It refuses a loop over the stations: there are hundreds of them. Tables stay on the device, and no intermediate table
# may be much larger than these two. The check tells you how near the limit you are. Its count of bytes is the simulator's, and coarse.


# %%
def last_seen(flights, weather):
    ### BEGIN SOLUTION
    if not len(weather):
        return flights.assign(wind=cp.full(len(flights), cp.nan))
    stations = cudf.concat([weather["origin"], flights["origin"]]).astype("category").cat.codes
    stations = stations.astype("int64").values
    there, here = stations[: len(weather)], stations[len(weather) :]
    seen, now = (table["time"].astype("datetime64[us]").astype("int64").values for table in (weather, flights))
    first = min(seen.min(), now.min()) if len(flights) else seen.min()
    span = max(seen.max(), now.max()) - first + 1 if len(flights) else 1  # longer than all of time
    keys = there * span + seen - first
    order = cp.argsort(keys)
    at = order[cp.maximum(cp.searchsorted(keys[order], here * span + now - first, side="right") - 1, 0)]
    age = now - seen[at]
    good = (there[at] == here) & (age >= 0) & (age <= 2 * 3600 * 1_000_000)
    return flights.assign(wind=cp.where(good, weather["wind"].fillna(np.nan).values[at], cp.nan))
    ### END SOLUTION


# %%
check("merges.asof", last_seen)

# %% [markdown] tags=["solution-only"]
# It also works with cuDF alone. Put both tables below each other, and sort by station and time. Carry the *position* of the last report forward in each station, with
# `groupby("origin").ffill()`. Then take the flights out again. Do not carry the wind itself: `ffill` fills nulls, and here a null wind is an answer.

# %% [markdown]
# ---
# **Next:** unit 09, *learning*: estimators on the GPU, in a pipeline of scikit-learn.
