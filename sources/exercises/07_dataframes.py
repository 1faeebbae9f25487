# ---
# jupyter:
#   hundredfold:
#     unit: 7
#     slug: dataframes
#     title: "Dataframes: from pandas to cuDF"
#     teaching: 45
#     exercises: 40
# ---

# %% [markdown]
# # 07 · Dataframes: exercises
#
# *Unit 07 · dataframes · 40 minutes · the lecture is [notebooks/07_dataframes.ipynb](../notebooks/07_dataframes.ipynb)*
#
# There are six problems, from easy to open. Problems 1 to 5 take about half an hour, problem 6 about ten minutes. Fill in a cell, run it, and run
# the `check` below it. The check shows what it verified, or why the answer is wrong, with a hint or the smallest case that fails. `hint("dataframes.port")`
# shows the next hint.
#
# An empty answer, `...`, counts as not attempted, not as wrong. Problems 2, 4 and 6 start with code. There the check judges that code until you change it.
#
# You can run this notebook from top to bottom at any time, solved or not.

# %%
# %load_ext hundredfold

# %%
import cudf
import pyarrow.parquet as pq
from fsspec.implementations.arrow import ArrowFSWrapper

from hundredfold import check, data, hint

# %% [markdown]
# This is the table of the lecture. The checks call your functions with other tables:
#
# - They have these columns, and the same dtypes.
# - Some have very few rows. Any column may have nulls, except the one that you group by.
# - Their index may be anything.
#
# Your functions may send names of groups and single numbers to the host, but no rows. In problem 6 rows may go there, too. The index of your result does
# not matter.

# %%
columns = ["month", "carrier", "origin", "dest", "dep_time", "dep_delay", "arr_delay", "distance"]
flights = cudf.read_parquet(data.path("flights"), columns=columns)
flights.head(3)

# %% [markdown]
# ## 1. Who is late?
#
# Write `punctuality(flights)`. It returns a DataFrame on the device, with one row for each carrier and these columns, in this order:
#
# - `carrier`
# - `flights`: the number of its flights in the table
# - `cancelled`: the number of its flights where `dep_time` is null: those never departed
# - `delay`: the mean of all `arr_delay` that are known, and null if none is known
#
# The carrier with the largest delay comes first. Carriers without a delay come last. The table that comes in stays as it is.


# %%
def punctuality(flights):
    ### BEGIN SOLUTION
    table = flights.assign(cancelled=flights["dep_time"].isna()).groupby("carrier")
    table = table.agg(flights=("carrier", "size"), cancelled=("cancelled", "sum"), delay=("arr_delay", "mean"))
    table = table.sort_values("delay", ascending=False)
    return table.reset_index()
    ### END SOLUTION


# %%
check("dataframes.port", punctuality)

# %% [markdown] tags=["solution-only"]
# `count` instead of `size` would leave out each flight whose value is null. `sort_values` puts nulls last by itself, in both directions.

# %% [markdown]
# ## 2. Repair: whose number is this?
#
# How many minutes do flights make up in the air? For each destination the function takes the mean departure delay, and subtracts the mean arrival
# delay. Each mean is over all flights of which that delay is known.
#
# The result has the columns `dest` and `gained`, with destinations in alphabetical order. `gained` is null where one of the two means is unknown.
#
# With our table, the code below computes the right numbers, but puts them beside the wrong names. Repair it.


# %%
def gained(flights):
    ### BEGIN SOLUTION
    groups = flights.groupby("dest")
    minutes = groups["dep_delay"].mean() - groups["arr_delay"].mean()
    return minutes.rename("gained").sort_index().reset_index()
    ### END SOLUTION
    ### BEGIN STARTER
    # departed = flights.groupby("dest")["dep_delay"].mean().reset_index(drop=True)
    # arrived = flights.groupby("dest")["arr_delay"].mean().reset_index(drop=True)
    # names = flights["dest"].unique().reset_index(drop=True)
    # return cudf.DataFrame({"dest": names, "gained": departed - arrived})
    ### END STARTER


# %%
check("dataframes.pairs", gained)

# %% [markdown] tags=["solution-only"]
# `reset_index(drop=True)` threw the names away. With the index in place, the subtraction aligns by itself, in any order. In pandas the given code fails,
# too: its groups are sorted, and `unique` gives the order in which the names appear.

# %% [markdown]
# ## 3. What does a column weigh?
#
# A table of **10 million rows** is in the memory of a V100. That memory delivers 900 GB/s, and the bus to the V100 12 GB/s. The table has three columns:
#
# | column | dtype | nulls |
# |---|---|---|
# | `delay` | int32 | 3 % of the rows |
# | `fare` | float64 | none |
# | `dest` | strings of three letters | none |
#
# Compute these numbers before anything runs. The first drawing of the lecture shows how a column is stored.
#
# - `delay`: the **bytes** that the column `delay` takes on the device
# - `dest`: the **bytes** that the column `dest` takes there
# - `mean`: the least **seconds** for the mean of `fare` on that V100
# - `groupby`: the **bytes** that `groupby("dest").fare.mean()` must read at least; there are 105 destinations
# - `trip`: the least **seconds** to send the whole table to that V100 over the bus

# %%
delay = ...
dest = ...
mean = ...
groupby = ...
trip = ...
### BEGIN SOLUTION
delay = 10_000_000 * 4 + 10_000_000 / 8
dest = 10_000_000 * 3 + 10_000_001 * 4
mean = 10_000_000 * 8 / 900e9
groupby = dest + 10_000_000 * 8
trip = (delay + 10_000_000 * 8 + dest) / 12e9
### END SOLUTION

# %%
check("dataframes.weigh", delay, dest, mean, groupby, trip)

# %% [markdown]
# ## 4. Repair: no GPU can compile this
#
# An airline pays its passengers for a late arrival:
#
# | `arr_delay` | `distance` | dollars |
# |---|---|---:|
# | null: the flight never arrived | any | 100 |
# | 180 minutes or more | 1 500 miles or more | 600 |
# | 180 minutes or more | less | 400 |
# | 60 to 179 minutes | any | 50 |
# | less than 60 minutes | any | 0 |
#
# The function returns a Series of whole numbers, in the order of the rows. `distance` is never null here.
#
# The version below follows these rules, and runs in pandas with nullable integers. cuDF refuses it. Repair it, with `apply` or without. The table stays on
# the device.


# %%
def fee(flights):
    ### BEGIN SOLUTION
    def rule(row):
        if row["arr_delay"] is cudf.NA:
            return 100
        if row["arr_delay"] >= 180:
            return 600 if row["distance"] >= 1500 else 400
        return 50 if row["arr_delay"] >= 60 else 0

    return flights.apply(rule, axis=1)
    ### END SOLUTION
    ### BEGIN STARTER
    # def rule(row):
    #     dollars = {"far": 600, "near": 400}
    #     try:
    #         delay = int(row["arr_delay"])
    #     except TypeError:
    #         return 100
    #     if delay >= 180:
    #         return dollars["far" if row["distance"] >= 1500 else "near"]
    #     return 50 if delay >= 60 else 0
    #
    # return flights.apply(rule, axis=1)
    ### END STARTER


# %%
check("dataframes.fee", fee)

# %% [markdown] tags=["solution-only"]
# You can also work on whole columns. Each rule writes over the more general one before it:
#
# ```python
# delay = flights["arr_delay"]
# dollars = (delay.fillna(0) * 0).astype("int64")
# dollars = dollars.mask((delay >= 60).fillna(False), 50).mask((delay >= 180).fillna(False), 400)
# dollars = dollars.mask(((delay >= 180) & (flights["distance"] >= 1500)).fillna(False), 600)
# return dollars.mask(delay.isna(), 100)
# ```

# %% [markdown]
# ## 5. Does this table belong on a GPU?
#
# These two are on your desk, with a bus of 25 GB/s between them:
#
# | | CPU | GPU |
# |---|---:|---:|
# | reads from its memory | 90 GB/s | 1 000 GB/s |
# | parses CSV | 3 GB/s | 10 GB/s |
# | each call of a dataframe operation | 0.1 ms | 0.3 ms |
#
# All tables are on the **host** at the beginning. On which of the two does each job finish first?
#
# | job | what it is | where the result goes |
# |---|---|---|
# | `"mean"` | the mean of one column of 80 MB, once | host |
# | `"session"` | 300 questions to one table of 2 GB; each reads the whole table | host, a few numbers each |
# | `"small"` | 5 000 tables of 16 kB, which arrive one after the other; one groupby on each | host, a few numbers each |
# | `"parse"` | parse 8 GB of CSV text into a table | stays where it was made |
# | `"fallback"` | 20 steps under `cudf.pandas` on a table of 2 GB; each reads a whole table and makes one as large | stays where it was made |
#
# In `"fallback"` 5 of the 20 steps fall back to pandas. For such a step the table goes to the host, the CPU does the step, and the new table comes back.
#
# Answer `"cpu"` or `"gpu"` for each. Count the calls, the bytes that are read, and the bytes over the bus, one after the other. Writing costs nothing here.

# %%
decisions = {"mean": ..., "session": ..., "small": ..., "parse": ..., "fallback": ...}
### BEGIN SOLUTION
decisions = {"mean": "cpu", "session": "gpu", "small": "cpu", "parse": "gpu", "fallback": "cpu"}
### END SOLUTION

# %%
check("dataframes.worth", decisions)

# %% [markdown]
# ## 6. Open: a month out of a bucket
#
# A file of flights is in object storage. The function `delays(filesystem, path, month)` gets three things: an S3 client of Arrow, the bucket and name of
# the file, and the number of a month. It returns a cuDF DataFrame with the mean arrival delay of each carrier in that month. Its columns are `carrier` and
# `delay`. The delay is null where none is known. The carriers are in alphabetical order.
#
# The version below is right. But it fetches the whole file of 5.2 MB. For July only 68 kB of that are needed: the footer with 24 kB, and two columns of
# one row group. The optional part *From object storage* of the lecture shows three readers.
#
# Your version may fetch **at most 300 kB** of our file. The check also compares your bytes with the least that are needed. It tries other files, too, where
# a row group is not a month.


# %%
def delays(filesystem, path, month):
    ### BEGIN SOLUTION
    table = pq.read_table(
        path, filesystem=filesystem, columns=["carrier", "arr_delay"], filters=[("month", "==", month)]
    )
    means = cudf.DataFrame.from_arrow(table).groupby("carrier")["arr_delay"].mean()
    return means.rename("delay").sort_index().reset_index()
    ### END SOLUTION
    ### BEGIN STARTER
    # flights = cudf.read_parquet(path, filesystem=ArrowFSWrapper(filesystem))
    # means = flights[flights["month"] == month].groupby("carrier")["arr_delay"].mean()
    # return means.rename("delay").sort_index().reset_index()
    ### END STARTER


# %%
check("dataframes.storage", delays)

# %% [markdown] tags=["solution-only"]
# This version fetches 110 kB. Arrow takes the last 64 kB of the file to find the footer, which has only 24 kB. It also fetches the column `month`, to apply
# the filter.
#
# To come nearer to the limit, read the last 8 bytes first: they hold the footer's length. Then read the footer alone, and then the two pieces.
# `filesystem.open_input_file(path)` and its `read_at(nbytes, offset)` are enough. But each step is a trip over the network. On a real network, more trips
# for 40 kB less do not pay: **you can save bytes or requests**, and not both at once.

# %% [markdown]
# ---
# **Next:** unit 08, *merges*: flights, weather and planes in one table, and what a join does with rows.
