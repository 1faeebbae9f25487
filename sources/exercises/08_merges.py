# ---
# jupyter:
#   hundredfold:
#     unit: 8
#     slug: merges
#     title: "Merges: joining, sorting and dates"
#     teaching: 50
#     exercises: 60
# ---

# %% [markdown]
# # 08 · Merges: exercises
#
# *Unit 08 · merges · 35 minutes · the lecture is [notebooks/08_merges.ipynb](../notebooks/08_merges.ipynb)*
#
# Six problems, from easy to open. Fill in a cell, run it, run the `check` below it. A check says what it verified, or why the answer is
# wrong, with a hint or the smallest case that fails; `hint("merges.attach")` unfolds the next hint. A gap counts as not attempted, never as wrong; but where code is
# given that already runs (problem 3), the check judges that code until you change it.
#
# The checks bring their own small tables, built so that each mistake shows: keys that come twice, keys that are null, rows in no order, an
# index that counts nothing. No rows may go to the host on the way. Where nothing is known, null is right, and NaN is not.
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
# For trying things out, the tables of the lecture:

# %%
flights = cudf.read_parquet(data.path("flights"))
planes = cudf.read_parquet(data.path("planes"))
weather = cudf.read_parquet(data.path("weather"))

# %% [markdown]
# ## 1. Count before it runs
#
# A table `flights` has 1 000 000 rows and a column `tailnum`, the plane's tail number:
#
# - 40 000 flights have none: their tail number is null.
# - 900 000 are by planes of the registry, 60 000 by planes that are not in it. Every plane that flies at all flies 240 times.
#
# In the registry, `planes`, no tail number is null. 3 125 planes that fly stand in it once, 625 that fly stand in it twice, and 300
# planes stand in it once and never fly. How many rows have these, in cuDF?
#
# - `inner`, `left`, `outer`, `anti`: `flights.merge(planes, on="tailnum", how=...)`, with `"inner"`, `"left"`, `"outer"` and `"leftanti"`.
# - `square`: `flights.merge(flights, on="tailnum")`.
# - `nbytes`: and how many bytes has the last one, if a row of it has 24?

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
# 86 % of the last one's rows are nulls that match nulls. A table of 40 MB was about to become one of 44 GB.

# %% [markdown]
# ## 2. Each flight with its plane
#
# Write `attach(flights, planes)`: the flights with two more columns, `built` (the `year` of the plane) and `seats`.
#
# - Every flight is there **once, in its place** (any index will do). Where its plane is not known, both are null.
# - A plane may stand in `planes` several times; the entry with the latest `year` counts.
# - Tail numbers may be null on both sides. A flight without one has no plane.
#
# `flights` has the columns `flight`, `carrier`, `tailnum` and `year` (in which it flew), and the same `flight` may come several times; `planes` has `tailnum`, `year` (in which it was built)
# and `seats`; `year` is never null there. Neither table may be changed.


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
# Which `k` carriers have the most flights whose plane is not in the registry? Wanted is a table with the columns `carrier` and `flights` (how
# many), the most first, and carriers with equally many by their code. A flight without a tail number counts as well: its plane is not in the
# registry either.
#
# This function was meant to do that. There are three mistakes in it. Repair it.


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
# `both["seats"].isnull()` finds the flights without a match, but also those whose plane is known and its seats are not; and it passes over flights without a
# tail number that matched an entry without one. The anti join asks what was meant.

# %% [markdown]
# ## 4. From raw reports to days
#
# Weather reports come as they were typed: `station` is text in any case, with blanks around it; `time` is text, `"2013-07-04 16:51"`, in
# **UTC**; `wind` may be null. Some reports were corrected: of one station and time there may be several, and the one with the greatest `issue`
# counts, whatever it says.
#
# Write `windiest(reports)`: a table with the columns `station` (`"JFK"`), `day` and `wind`, a row for each station and each day **of New York**
# (the time zone is called `"America/New_York"`) of which there is a report, with the greatest wind of that day; null where none was measured.
# `day` is the midnight on which the day begins, as a `datetime64` without a zone. The rows may stand in any order.


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
# On your desk: a server whose CPU engine (Polars, DuckDB) gets 90 million rows a second through a join, read and written together, and takes
# 50 µs for any call; and a GPU where cuDF gets through 6 000 million rows a second and takes 1 ms for any call. The bus moves 25 GB/s. A row
# has 24 bytes. The GPU has 80 GB of memory, the server 128 GB. Where does each job finish first, at these rates?
#
# | job | what |
# |---|---|
# | `"lookup"` | today's 3 500 flights and the 3 500 planes: one join, 3 500 rows come out; the tables lie on the host |
# | `"pipeline"` | the tables lie on the device, 40 million rows of them; twelve joins and groupings, one after the other, of 60 million rows each (read and written), and a picture of 20 numbers comes out |
# | `"once"` | one join of two tables of 10 million rows that lie on the host; its 20 million rows go back to the host |
# | `"stream"` | 5 000 joins, one after the other, as messages come in: 3 000 rows each, wanted on the host |
# | `"pairs"` | 2 million rows merged with 2 million rows, to count them by month; each row matches 8 000 |
# | `"text"` | one join of 10 million rows with 10 million rows that lie on the device, and so does what comes out, 10 million rows; the key is text of 16 characters |
#
# Answer `"cpu"`, `"gpu"`, or `"neither"` where it should be done nowhere as it stands.

# %%
decisions = {"lookup": ..., "pipeline": ..., "once": ..., "stream": ..., "pairs": ..., "text": ...}
### BEGIN SOLUTION
# The seconds of each side: the check tells them.
decisions = {"lookup": "cpu", "pipeline": "gpu", "once": "gpu", "stream": "cpu", "pairs": "neither", "text": "gpu"}
### END SOLUTION

# %%
check("merges.worth", decisions)

# %% [markdown] tags=["solution-only"]
# Compare *once* with unit 01, where adding up numbers that lie on the host never paid: a join does so much more for each byte that the bus is
# worth its price. (On 128 virtual cores Polars has been timed at 0.167 s for such a join: that does not change it. If the result were wanted in a
# file, the disk would.)

# %% [markdown]
# ## 6. Open: the last weather before each flight
#
# Stations report when they please. Write `last_seen(flights, weather)`: the flights, in their order, with a column `wind`: that of the
# **latest observation at their origin that is not later than their time, and at most two hours older**. Null, or NaN here, where there is none,
# and where that observation has no wind itself.
#
# `flights` has `flight`, `origin` and `time`, `weather` has `origin`, `time` and `wind`; both in any order, no station reports twice at one
# time. This is an *as-of join*. pandas has it (`merge_asof`), Polars and DuckDB have it; cuDF has not, so this is yours to make, of what
# cuDF and CuPy have.
#
# There may be thousands of stations, so no loop over them; the tables stay on the device; and no table in between may be much larger than
# these. The check says how near to the limit you come. (Its bytes are those that the simulation counts for cuDF's calls, which is coarse.)


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
# With cuDF alone: put both tables below each other, sort by station and time, carry the *place* of the last observation forward in each station
# (`groupby("origin").ffill()`), and take the flights out again. The place and not the wind: `ffill` passes nulls over, and a null wind is an answer here.

# %% [markdown]
# ---
# **Next:** unit 09, *learning*: estimators on the GPU, in a pipeline as scikit-learn has it.
