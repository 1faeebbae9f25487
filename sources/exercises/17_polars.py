# ---
# jupyter:
#   hundredfold:
#     unit: 17
#     slug: polars
#     title: "Polars on the GPU: a query, its plan, its engine"
#     teaching: 45
#     exercises: 45
# ---

# %% [markdown]
# # 17 · Polars on the GPU: exercises
#
# *Unit 17 · polars · 45 minutes · the lecture is [notebooks/17_polars.ipynb](../notebooks/17_polars.ipynb)*
#
# There are five problems, from easy to open. Problems 1 to 4 take about half an hour, problem 5 about fifteen minutes. Fill in a cell, run it, and run
# the `check` below it. The check shows what it verified, or why the answer is wrong, with a hint or the smallest case that fails. `hint("polars.port")`
# shows the next hint.
#
# An empty answer, `...`, counts as not attempted, not as wrong. Problems 2 and 5 start with code that is right, but runs on the CPU.
#
# The checks never measure a time. They collect your query with `pl.GPUEngine(raise_on_fail=True)`, so they see what the GPU engine refuses. Without a GPU, Polars' CPU engine then computes the rows.
#
# You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
import polars as pl

from hundredfold import check, data, hint

# %% [markdown]
# This is the query that all others begin with. The checks call your functions with other tables of these columns. Some have very few rows. `carrier` and `dest` have no nulls where you group by them. Any other column may have nulls, if the problem does not say otherwise. Any number may be a real delay, so none can stand for a null.
#
# Your functions get a lazy frame, and return one. They collect nothing.

# %%
names = ["time_hour", "carrier", "tailnum", "origin", "dest", "dep_delay", "arr_delay", "distance"]
flights = pl.scan_parquet(data.path("flights")).select(names)
flights.head(3).collect()

# %% [markdown]
# ## 1. From steps to a query
#
# This function is written in pandas:
#
# ```python
# def worst(flights, at_least):
#     table = flights.assign(late=flights["arr_delay"] > 60).groupby("dest", as_index=False)
#     table = table.agg(flights=("dest", "size"), late=("late", "sum"), delay=("arr_delay", "mean"))
#     table = table[table["flights"] >= at_least]
#     return table.sort_values(["delay", "dest"], ascending=[False, True], na_position="last")
# ```
#
# Write it as a query. The result has one row for each destination that has at least `at_least` rows, and these columns:
#
# - `dest`
# - `flights`: how many rows it has
# - `late`: how many flights arrived more than 60 minutes late; an unknown delay is not late
# - `delay`: the mean of all `arr_delay` that are known, and null if none is known
#
# The largest delay comes first, and null last. Equal delays are in alphabetical order of `dest`. The GPU engine has to take the whole query.


# %%
def worst(flights, at_least):
    ### BEGIN SOLUTION
    groups = flights.group_by("dest").agg(
        pl.len().alias("flights"),
        (pl.col("arr_delay") > 60).sum().alias("late"),
        pl.col("arr_delay").mean().alias("delay"),
    )
    enough = groups.filter(pl.col("flights") >= at_least)
    return enough.sort("delay", "dest", descending=[True, False], nulls_last=True)
    ### END SOLUTION


# %%
check("polars.port", worst)

# %% [markdown] tags=["solution-only"]
# `pl.col("arr_delay").filter(pl.col("arr_delay") > 60).len()` within `agg` gives the same number. But the GPU engine refuses a `filter` there, and the whole query would run on the CPU.

# %% [markdown]
# ## 2. Repair: a function that no GPU engine can read
#
# An airline pays its passengers for a late arrival. These are the rules of unit 07:
#
# | `arr_delay` | `distance` | dollars |
# |---|---|---:|
# | null: the flight never arrived | any | 100 |
# | 180 minutes or more | 1 500 miles or more | 600 |
# | 180 minutes or more | less | 400 |
# | 60 to 179 minutes | any | 50 |
# | less than 60 minutes | any | 0 |
#
# The query returns for each carrier what it pays: the columns `carrier` and `dollars`, carriers in alphabetical order. `distance` is never null here.
#
# The version below is right. With `engine="gpu"` it runs on the CPU, and nothing tells you. Repair it: the GPU engine has to take the whole query.


# %%
def fees(flights):
    ### BEGIN SOLUTION
    delay, far = pl.col("arr_delay"), pl.col("distance") >= 1500
    dollars = (
        pl.when(delay.is_null())
        .then(100)
        .when(delay >= 180)
        .then(pl.when(far).then(600).otherwise(400))
        .when(delay >= 60)
        .then(50)
        .otherwise(0)
    )
    return flights.group_by("carrier").agg(dollars.sum().alias("dollars")).sort("carrier")
    ### END SOLUTION
    ### BEGIN STARTER
    # def rule(row):
    #     if row["arr_delay"] is None:
    #         return 100
    #     if row["arr_delay"] >= 180:
    #         return 600 if row["distance"] >= 1500 else 400
    #     return 50 if row["arr_delay"] >= 60 else 0
    #
    # dollars = pl.struct("arr_delay", "distance").map_elements(rule, return_dtype=pl.Int64)
    # return flights.group_by("carrier").agg(dollars.sum().alias("dollars")).sort("carrier")
    ### END STARTER


# %%
check("polars.rule", fees)

# %% [markdown] tags=["solution-only"]
# The null is asked for first. Every comparison with it is null, and a `when` that is null goes to the next branch.

# %% [markdown]
# ## 3. What does the scan fetch?
#
# A Parquet file has the flights from the middle of January to the middle of December, in order of time. Each of its **11 row groups** begins in the middle of a month and ends in the middle of the next. So July is in two of them. In each row group the columns take these bytes, compressed:
#
# | column | MB in each row group |
# |---|---:|
# | `carrier` | 3 |
# | `month` | 2 |
# | `arr_delay` | 10 |
# | 16 others | 8 each |
#
# The footer has the smallest and the largest value of each column in each row group. Count the pieces that are needed. Count neither the small footer nor what lies between two pieces. The query is
#
# ```python
# pl.scan_parquet(file).filter(pl.col("month") == 7).group_by("carrier").agg(pl.col("arr_delay").mean())
# ```
#
# - `everything`: the **bytes** that are fetched without any optimisation
# - `columns`: the **bytes** with projection pushdown alone
# - `both`: the **bytes** with projection and predicate pushdown
# - `by_python`: the **bytes** with both, if the filter is `pl.col("month").map_elements(is_july, return_dtype=pl.Boolean)`
# - `trip`: the least **seconds** to send the bytes of `both` over a bus of 25 GB/s

# %%
everything = ...
columns = ...
both = ...
by_python = ...
trip = ...
### BEGIN SOLUTION
needed = 3e6 + 2e6 + 10e6
everything = 11 * (needed + 16 * 8e6)
columns = 11 * needed
both = 2 * needed
by_python = columns
trip = both / 25e9
### END SOLUTION

# %%
check("polars.reads", everything, columns, both, by_python, trip)

# %% [markdown] tags=["solution-only"]
# With months 7 and 8 as smallest and largest, `month == 7` may hold, and with 8 and 9 it cannot. A Python function could give anything for the values between. (If smallest and largest are the same, Polars 1.44 does call the function with that value.)

# %% [markdown]
# ## 4. Which engine, and in which form?
#
# Count with these figures. They are rough, and of the size that such machines have:
#
# | | CPU engine | GPU engine |
# |---|---:|---:|
# | one step over a table | 5 GB/s | 100 GB/s |
# | each query | 1 ms | 5 ms |
# | each column that is sent up from the host's memory | – | 0.8 ms |
# | the table on its way up | – | 25 GB/s |
#
# Results cost nothing here. A query that the GPU engine refuses takes the CPU engine's time. All tables are in the host's memory. They have 10 columns if nothing else is said.
#
# | query | what it is |
# |---|---|
# | `"means"` | four steps over 30 GB; the GPU engine takes all of them |
# | `"classes"` | four steps over 30 GB; the first is `cut`, which the GPU engine refuses and `when` can replace |
# | `"asof"` | four steps over 30 GB, which leave 1 000 rows; a fifth step is `join_asof` of these rows, and has no other form |
# | `"small"` | 3 000 queries of two steps, each on a table of 1 MB; the GPU engine takes them |
# | `"wide"` | one join of two tables with 5 000 columns and 0.4 GB each; the GPU engine takes it |
#
# Which way takes the least time?
#
# - `"gpu"`: as it is, with `engine="gpu"`
# - `"rewrite"`: write the refused step in another form, then `engine="gpu"`
# - `"split"`: collect the steps that the GPU engine takes on the GPU, and the others on the CPU
# - `"cpu"`: as it is, on the CPU engine

# %%
decisions = {"means": ..., "classes": ..., "asof": ..., "small": ..., "wide": ...}
### BEGIN SOLUTION
decisions = {"means": "gpu", "classes": "rewrite", "asof": "split", "small": "cpu", "wide": "cpu"}
### END SOLUTION

# %%
check("polars.engine", decisions)

# %% [markdown]
# ## 5. Open: a whole report on the GPU
#
# The report counts the flights that arrived, by day and by class of delay. It has these columns:
#
# - `day`: the day of `time_hour`, as a date or as its midnight
# - `class`: `early` up to 0 minutes, `short` up to 15, `long` up to 60, `very long` above; a delay of exactly 15 is `short`
# - `flights`: the number of flights
# - `routes`: the number of different routes; a route is an origin with a destination
# - `worst`: the largest delay
#
# Flights whose `arr_delay` is null are left out. `time_hour`, `origin` and `dest` are never null here. Rows are by day, then by class in alphabetical order.
#
# The version below is right. But the GPU engine refuses three of its steps, and its plan reads all columns. Make it a query that the GPU engine takes, and that reads **at most six columns**. The check tells you how many
# are needed.


# %%
def report(flights):
    ### BEGIN SOLUTION
    delay = pl.col("arr_delay")
    classes = (
        pl.when(delay <= 0)
        .then(pl.lit("early"))
        .when(delay <= 15)
        .then(pl.lit("short"))
        .when(delay <= 60)
        .then(pl.lit("long"))
        .otherwise(pl.lit("very long"))
    )
    table = flights.filter(delay.is_not_null()).select(
        pl.col("time_hour").dt.truncate("1d").alias("day"),
        classes.alias("class"),
        pl.concat_str("origin", "dest", separator="-").alias("route"),
        delay,
    )
    days = table.group_by("day", "class").agg(
        pl.len().alias("flights"), pl.col("route").n_unique().alias("routes"), delay.max().alias("worst")
    )
    return days.sort("day", "class")
    ### END SOLUTION
    ### BEGIN STARTER
    # def route(row):
    #     return f"{row['origin']}-{row['dest']}"
    #
    # table = flights.filter(pl.col("arr_delay").is_not_null()).with_columns(
    #     pl.col("arr_delay").cut([0, 15, 60], labels=["early", "short", "long", "very long"]).alias("class"),
    #     pl.struct(pl.all()).map_elements(route, return_dtype=pl.String).alias("route"),
    # )
    # days = table.sort("time_hour").group_by_dynamic("time_hour", every="1d", group_by="class")
    # days = days.agg(
    #     pl.len().alias("flights"),
    #     pl.col("route").n_unique().alias("routes"),
    #     pl.col("arr_delay").max().alias("worst"),
    # )
    # names = pl.col("class").cast(pl.String)
    # return days.select(pl.col("time_hour").alias("day"), names, "flights", "routes", "worst").sort("day", "class")
    ### END STARTER


# %%
check("polars.report", report)

# %%
report(flights).head(4).collect()

# %% [markdown] tags=["solution-only"]
# `cut` makes an `Enum`, a type that the GPU engine does not have. `group_by_dynamic` with windows of one day that do not overlap is a `group_by` of the truncated time. And a function of a whole row reads the whole row, although it
# uses two of its columns: no optimiser can look into it.

# %% [markdown]
# ---
# **Next:** your own query. Collect it once with `raise_on_fail=True`, and read the reasons.
