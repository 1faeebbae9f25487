# ---
# jupyter:
#   hundredfold:
#     unit: 13
#     slug: dask-dataframes
#     title: "Dask dataframes: larger than memory"
#     teaching: 70
#     exercises: 50
#     dashboard: true
# ---

# %% [markdown]
# # 13 · Dask dataframes: exercises
#
# *Unit 13 · dask-dataframes · 50 minutes · the lecture is [notebooks/13_dask-dataframes.ipynb](../notebooks/13_dask-dataframes.ipynb)*
#
# There are six problems, from easy to open. Problems 1 to 5 take about 35 minutes, problem 6 about 15. Fill in a cell, run it, and run the `check` below it. A check tells you what it verified, or why
# the answer is wrong, with a hint or the smallest case that fails. `hint("dask-dataframes.seats")` unfolds the next hint.
#
# A gap counts as not attempted, never as wrong. Problem 3 starts with given code. There the check judges that code until you change it.
#
# Your functions get **Dask dataframes** with cuDF partitions, and return one: a plan. The checks call them with small tables of their own:
#
# - They run your plan in this process, without a cluster. So do not choose `shuffle_method="p2p"`, which needs one.
# - Your function only plans: it computes nothing.
# - The plan may be computed twice, and its tasks run in any order.
# - A partition may have no rows, except in problem 3.
# - No rows may go to the host on the way.
# - Where nothing is known, the result has a null. NaN counts as wrong. Dask's `where` puts NaN.
# - Any number or text may be a real value, such as 0, -1 or an empty text. So none of them can stand for a null.
#
# You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
import cudf
import dask
import dask.dataframe as dd
import numpy as np

from hundredfold import check, data, hint

_ = dask.config.set({"dataframe.backend": "cudf"})

# %% [markdown]
# These tables are to try things out: flights in four partitions, and planes in two.

# %%
table = cudf.read_parquet(data.path("flights"), columns=["carrier", "flight", "tailnum", "arr_delay", "distance"])
flights = dd.from_pandas(table, npartitions=4)
planes = dd.from_pandas(cudf.read_parquet(data.path("planes"))[["tailnum", "seats"]], npartitions=2)
flights

# %% [markdown]
# ## 1. Read, sent, held
#
# A table is a dataset of 40 files:
#
# | | |
# |---|---|
# | files | one for each week, in folders `week=1/` to `week=40/`, of 350 MB (350 · 10⁶ bytes) each |
# | row groups | 7 in each file, one for each day, all of the same size; the file is sorted by day |
# | columns | 10, all of the same size |
# | rows | 200 million |
# | in memory | as large as on disk |
# | partitions | one for each file |
# | workers | 8 |
#
# One value of the column `user` has 45 % of the rows. The others are spread evenly.
#
# - `fetched`: at least how many **bytes** have to be read for two columns of the Mondays and Tuesdays of weeks 11 to 14?
# - `found`: how many rows does `table.reset_index(drop=True).loc[0]` have?
# - `crossing`: the whole table is shuffled by a column whose values are all different. About how many **bytes** go from any worker to another?
# - `largest`: the table is shuffled by `user` into 20 partitions. About how many rows does the largest partition have?
# - `repeated`: to join the table by `user` with a table of 3 million users, it is salted with the numbers 0 to 15. How many rows does the users' table have then?
# - `broadcast`: another table of 25 MB is joined by broadcasting it. No worker has it yet. How many **bytes** are sent to the 8 workers for it?

# %%
fetched = found = crossing = ...
largest = repeated = broadcast = ...
### BEGIN SOLUTION
fetched = 4 * 350e6 * 2 / 7 * 2 / 10
found = 40
crossing = 40 * 350e6 * 7 / 8
largest = 0.45 * 200e6 + 0.55 * 200e6 / 20
repeated = 3e6 * 16
broadcast = 25e6 * 8
### END SOLUTION

# %%
check("dask-dataframes.partitions", fetched, found, crossing, largest, repeated, broadcast)

# %% [markdown] tags=["solution-only"]
# 80 MB of 14 GB are read. The layout of a dataset is worth more than any engine that reads it.

# %% [markdown]
# ## 2. Each carrier's delay
#
# Write `carriers(flights)`. It returns one row for each carrier, in any order, with these columns:
#
# | column | content |
# |---|---|
# | `carrier` | the carrier |
# | `flights` | how many flights it has |
# | `arrived` | how many of them have a delay |
# | `delay` | the mean of the delays that are known; null where none is |
#
# `flights` has the columns `carrier`, never null, and `delay`, which is null where a flight did not arrive. Each partition must be grouped by itself, so that only groups go to other tasks. Note that cuDF's `agg`
# takes no names on Dask (see *Names in agg* in the lecture).


# %%
def carriers(flights):
    ### BEGIN SOLUTION
    table = flights.assign(flights=1, arrived=flights["delay"].notnull().astype("int64"))
    out = table.groupby("carrier")[["flights", "arrived", "delay"]].sum().reset_index()
    return out.assign(delay=out["delay"] / out["arrived"].where(out["arrived"] > 0))
    ### END SOLUTION


# %%
check("dask-dataframes.carriers", carriers)

# %% [markdown] tags=["solution-only"]
# Sums and counts can be added up over partitions. So one tree makes all three columns. A mean cannot, but it is a sum divided by a count.

# %% [markdown]
# ## 3. Repair: numbered rows
#
# `flights` has the columns `flight` and `miles`. Its rows are in an order that matters, partition after partition. Each partition has one row or more.
#
# `number(flights)` should return the same rows in the same order, with two more columns:
#
# - `row`: the number of the row in the **whole** table, from 0
# - `total`: the miles of all rows up to this one, this one included
#
# No task may hold rows of two partitions. Counts and sums may go from task to task.
#
# The version below is right for a table of one partition. Repair it.


# %%
def number(flights):
    ### BEGIN SOLUTION
    ones = flights.assign(one=1)["one"]
    return flights.assign(row=ones.cumsum() - 1, total=flights["miles"].cumsum())
    ### END SOLUTION
    ### BEGIN STARTER
    # def numbered(part):
    #     return part.assign(row=cudf.Series(np.arange(len(part)), index=part.index), total=part["miles"].cumsum())
    #
    # return flights.map_partitions(numbered, meta=numbered(flights._meta))
    ### END STARTER


# %%
check("dask-dataframes.number", number)

# %% [markdown] tags=["solution-only"]
# `cumsum` of a Dask column runs over all partitions. Each one is summed, and the next one gets the sum of all before it. A function for one partition cannot know that sum.

# %% [markdown]
# ## 4. The seats of each flight
#
# Write `seats(flights, planes)`. It returns every flight once, in any order, with the columns `flight`, `tailnum` and `seats`. `seats` is null where the plane is not known.
#
# - `flights` is large, and has `flight` and `tailnum`. **No flight may be sent to another partition.**
# - `planes` is small, and has `tailnum` and `seats`. But it has several partitions. No tail number comes twice in it.
# - Tail numbers may be null in both tables. A flight without one has no plane.


# %%
def seats(flights, planes):
    ### BEGIN SOLUTION
    known = planes.dropna(subset=["tailnum"]).repartition(npartitions=1)
    return flights.merge(known, on="tailnum", how="left")[["flight", "tailnum", "seats"]]
    ### END SOLUTION


# %%
check("dask-dataframes.seats", seats)

# %% [markdown]
# ## 5. One machine, a cluster, or neither?
#
# You have **one machine** with Polars and DuckDB, and a **cluster** of eight hosts with a GPU each:
#
# | | one machine | cluster, together |
# |---|---:|---:|
# | reads from storage | 3 GB/s | 24 GB/s |
# | works through data in memory | 8 GB/s | 800 GB/s |
# | memory | 256 GB | 8 · 80 GB on GPUs, 8 · 256 GB on hosts |
# | a shuffle or sort | that does not fit: through its disk, 1 GB/s | over the wires, 10 GB/s |
# | each task | nothing | 1 ms |
# | the first plan | nothing | 2 s |
#
# From the cluster to the one machine the network carries 1.25 GB/s. The result of a merge has to fit into memory: that of the machine, or all of the cluster's. Where does each job finish first, at these rates?
#
# | job | what |
# |---|---|
# | `"month"` | one question to a month: 2 GB are read, 4 GB in memory; 100 tasks |
# | `"scan"` | a mean by carrier over 20 GB in 8 000 small files, a task for each; 20 GB in memory |
# | `"sessions"` | 2 TB of clicks, 4 TB in memory, all sorted by user; 60 000 tasks |
# | `"pipeline"` | 400 GB on the cluster's GPUs; twelve steps one after the other, row by row or by groups; 800 tasks for each step |
# | `"lookups"` | 10 000 questions one after the other; each takes 1 MB of a table of 1 GB that is kept in memory; 20 tasks for each question |
# | `"pairs"` | 1 GB is merged with itself to count pairs by month; each row matches 60 000 others, which gives 60 TB |
#
# Answer `"one"`, `"cluster"`, or `"neither"` where the job can run nowhere in this form.

# %%
decisions = {"month": ..., "scan": ..., "sessions": ..., "pipeline": ..., "lookups": ..., "pairs": ...}
### BEGIN SOLUTION
decisions = {"month": "one", "scan": "one", "sessions": "cluster"}
decisions |= {"pipeline": "cluster", "lookups": "one", "pairs": "neither"}
### END SOLUTION

# %%
check("dask-dataframes.worth", decisions)

# %% [markdown]
# ## 6. Open: one user has most of the events
#
# `events` has the columns `user` and `event`. `users` has `user`, each once, and `plan`, which may be null. Write `attach(events, users)`. It returns the events of known users, in any order, with the columns `user`, `event` and `plan`.
#
# - **One user has 60 % of the events.** You do not know which one.
# - No task may hold more than 40 % of the events.
# - Both tables are large: in the real world no worker could hold one of them. So neither may be brought together, or sent whole to each partition of the other.
# - The result has 32 partitions at most.
#
# The check tells how large the largest piece was. With 8 equal partitions it would be 12.5 %.


# %%
def attach(events, users):
    ### BEGIN SOLUTION
    salts = 8

    def salt(part):
        return part.assign(salt=cudf.Series(np.arange(len(part)) % salts, index=part.index))

    def repeat(part):
        return cudf.concat([part.assign(salt=number) for number in range(salts)], ignore_index=True)

    left = events.map_partitions(salt, meta=salt(events._meta))
    right = users.map_partitions(repeat, meta=repeat(users._meta))
    joined = left.merge(right, on=["user", "salt"], npartitions=8, broadcast=False)
    return joined[["user", "event", "plan"]]
    ### END SOLUTION


# %%
check("dask-dataframes.skew", attach)

# %% [markdown] tags=["solution-only"]
# More salts make the pieces more even, and the other table larger. If you know the frequent key you can do better: join its rows, where they are, with its *one* row of `users`, and shuffle only the rest.

# %% [markdown]
# ---
# **Next:** unit 14, *deploying*: the same code on a shared machine, Slurm, Kubernetes.
