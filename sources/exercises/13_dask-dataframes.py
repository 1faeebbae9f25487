# ---
# jupyter:
#   hundredfold:
#     unit: 13
#     slug: dask-dataframes
#     title: "Dask dataframes: larger than memory"
#     teaching: 35
#     exercises: 30
#     dashboard: true
# ---

# %% [markdown]
# # 13 · Dask dataframes: exercises
#
# *Unit 13 · dask-dataframes · 30 minutes · the lecture is [notebooks/13_dask-dataframes.ipynb](../notebooks/13_dask-dataframes.ipynb)*
#
# Six problems, from easy to open. Fill in a cell, run it, run the `check` below it. A check says what it verified, or why the answer is wrong, with a hint or the smallest case that fails;
# `hint("dask-dataframes.seats")` unfolds the next hint. A gap counts as not attempted, never as wrong; but where code is given that already runs (problem 3), the check judges that code until you change it.
#
# Your functions get **Dask dataframes** of cuDF partitions, and give back one: a plan. Nothing may be computed while it is made. The checks bring their own small tables, cut where it hurts, and run your plan in this process: no cluster is
# needed here. (So leave the method of a shuffle to Dask; p2p would want a cluster.) No rows may go to the host on the way, a plan may be computed again, and its tasks run in any order.
# A partition may have no rows, except in problem 3. Where nothing is known, null is right, and NaN is not: Dask's `where` puts NaN.

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
# For trying things out, flights in four partitions, and planes in two:

# %%
table = cudf.read_parquet(data.path("flights"), columns=["carrier", "flight", "tailnum", "arr_delay", "distance"])
flights = dd.from_pandas(table, npartitions=4)
planes = dd.from_pandas(cudf.read_parquet(data.path("planes"))[["tailnum", "seats"]], npartitions=2)
flights

# %% [markdown]
# ## 1. Read, sent, held
#
# A dataset has 40 files of 350 MB (350 · 10⁶ bytes; take the table to be as large in memory), one for each week, in folders `week=1/` to `week=40/`. A file has 7 row groups, one for each day, all equally large, sorted by day. There are 10 columns, all of the same size. Dask
# makes one partition of each file. There are 8 workers. The table has 200 million rows; one value of the column `user` has 45 % of them, the other values occur evenly.
#
# - `fetched`: how many bytes have to be read at least for two columns of Mondays and Tuesdays of weeks 11 to 14?
# - `found`: how many rows has `table.reset_index(drop=True).loc[0]`?
# - `crossing`: in a shuffle of the whole table by a column whose values are all different, about how many bytes go from one worker to another?
# - `largest`: after a shuffle by `user` into 20 partitions, about how many rows has the largest?
# - `repeated`: to join it by `user` with a table of 3 million users, it is salted with numbers 0 to 15. How many rows has the users' table then?
# - `broadcast`: in place of that another table, of 25 MB in all, is joined by broadcasting it to the workers. How many bytes are sent for it, from where it was read, if none of the 8 workers has it yet?

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
# 80 MB of 14 GB: how a dataset is laid out is worth more than any engine that reads it.

# %% [markdown]
# ## 2. Each carrier's delay
#
# Write `carriers(flights)`: a Dask dataframe with a row for each carrier, in any order, and the columns `carrier`, `flights` (how many), `arrived` (how many of these have a delay) and `delay` (the mean of those that are known; null
# where none is). `flights` has the columns `carrier`, never null, and `delay`, which is null where a flight did not arrive. Each partition is to be grouped by itself: only groups may travel to another.


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
# Sums and counts can be added up over partitions, so one tree does all three columns. A mean cannot, but it is made of two that can.

# %% [markdown]
# ## 3. Repair: numbered rows
#
# `flights` has the columns `flight` and `miles`, and its rows stand in an order that means something, partition after partition; each partition has one or more. Wanted are two columns more, in the same order: `row`, the number of the row in the **whole** table,
# from 0; and `total`, the miles of all rows up to and with this one. No piece may get the rows of another for it, only numbers.
#
# This function was meant to do that. Tried with a table of one partition it did. Repair it.


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
# `cumsum` of a Dask column runs over all of it: each piece is summed, and each next one is told what lies before. The function for one piece could not know.

# %% [markdown]
# ## 4. The seats of each flight
#
# Write `seats(flights, planes)`: every flight once, in any order, with the columns `flight`, `tailnum` and `seats`; `seats` is null where the plane is not known. `flights` is large and has `flight` and `tailnum`; `planes` is small, has
# `tailnum` and `seats`, and several partitions all the same. Tail numbers may be null on both sides: a flight without one has no plane. In `planes` no tail number comes twice.
#
# No flight may be sent to another partition for it.


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
# You have **one machine** with Polars and DuckDB: it reads 3 GB/s from its disk and works through 8 GB/s in memory, of which it has 256 GB; a shuffle or sort of more than that goes through the disk, at 1 GB/s. And a **cluster** of eight hosts with a GPU of
# 80 GB and 256 GB of memory each: together they read 24 GB/s from storage and work through 800 GB/s on the devices; a shuffle moves 10 GB/s over the wires; a task costs 1 ms, and a first plan 2 s. From the cluster's devices to the one machine the network
# carries 1.25 GB/s. What comes out of a merge has to fit into memory, the machine's or all of the cluster's. Where does each job finish first, at these rates?
#
# | job | what |
# |---|---|
# | `"month"` | one question to a month: 2 GB are read, which are 4 GB in memory; 100 tasks |
# | `"scan"` | a mean by carrier over 20 GB in 8 000 small files, a task each; 20 GB in memory |
# | `"sessions"` | 2 TB of clicks, 4 TB in memory, all of which has to be sorted by user; 60 000 tasks |
# | `"pipeline"` | 400 GB that lie on the cluster's devices, twelve steps, one after the other, row by row or by groups; 800 tasks each |
# | `"lookups"` | 10 000 questions, one after the other, as users click: each takes 1 MB of a table of 1 GB that is kept in memory; 20 tasks each on the cluster |
# | `"pairs"` | 1 GB is merged with itself to count pairs by month; each row matches 60 000 others, which makes 60 TB |
#
# Answer `"one"`, `"cluster"`, or `"neither"` where it should be done nowhere as it stands.

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
# `events` has `user` and `event`, `users` has `user` (each once) and `plan`. Write `attach(events, users)`: the events of known users, in any order, with the columns `user`, `event` and `plan`.
#
# Both tables are large: in the real world no worker could hold one of them, so neither may be brought together or sent whole. And **one user has 60 % of the events**; you do not know which. No task may hold more than 40 % of them, and the result has 32 partitions at most. The check tells how near to even
# you come: with 8 partitions, 12 % in each would be.


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
# More salts make the pieces more even and the other table larger. Who knows the frequent key can do better: join its rows with its *one* row of `users`, where they lie, and shuffle only the rest.

# %% [markdown]
# ---
# **Next:** unit 14, *deploying*: the same code on a shared machine, Slurm, Kubernetes.
