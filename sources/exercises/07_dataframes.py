# ---
# jupyter:
#   hundredfold:
#     unit: 7
#     slug: dataframes
#     title: "Dataframes: from pandas to cuDF"
#     teaching: 35
#     exercises: 30
# ---

# %% [markdown]
# # 07 · Dataframes: exercises
#
# *Unit 07 · dataframes · 30 minutes · the lecture is [notebooks/07_dataframes.ipynb](../notebooks/07_dataframes.ipynb)*
#
# Six problems, from easy to open. Fill in a cell, run it, run the `check` below it. A check says what it verified, or why the answer is wrong, and gives one hint; `hint("dataframes.port")` unfolds
# the next one. A gap counts as not attempted, never as wrong; but where code is given that already runs (problems 2, 4 and 6), the check judges that code until you change it.
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
# The table that everything is about. Your functions get tables with these columns, some with very few rows, and with nulls where you do not expect them. Their index may be anything.
# No rows may go to the host on the way: names of groups and single numbers may.

# %%
columns = ["month", "carrier", "origin", "dest", "dep_time", "dep_delay", "arr_delay", "distance"]
flights = cudf.read_parquet(data.path("flights"), columns=columns)
flights.head(3)

# %% [markdown]
# ## 1. Who is late?
#
# Write `punctuality(flights)`: a DataFrame on the device with one row for each carrier and the columns, in this order,
#
# - `carrier`,
# - `flights`: how many flights it has in the table,
# - `cancelled`: how many of them never departed (`dep_time` is null),
# - `delay`: the mean arrival delay of those whose delay is known; null where none is.
#
# The carrier with the largest delay comes first, one without any last. The table that comes in stays as it is.


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
# `count` in place of `size` would have left out every flight whose value is null. And `sort_values` puts nulls last by itself, in both directions.

# %% [markdown]
# ## 2. Repair: whose number is this?
#
# For each destination, how many minutes are made up in the air: the mean departure delay less the mean arrival delay, each over all flights of which it is known. The result should have the columns `dest` and
# `gained`, destinations in alphabetical order, and null where one of the means is unknown. The numbers that come out below are all right. They stand beside the wrong names. Repair it.


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
# `reset_index(drop=True)` threw away what says whose number it is. With the index in place the subtraction aligns by itself, whatever the order. In pandas the given code fails in the same way: its groups are sorted, and
# `unique` gives the order of appearance.

# %% [markdown]
# ## 3. What does a column weigh?
#
# A table of **10 million rows** lies in the memory of a V100 (900 GB/s), which hangs on a bus of 12 GB/s. It has three columns:
#
# | column | | |
# |---|---|---|
# | `delay` | int32 | 3 % of it is null |
# | `fare` | float64 | no nulls |
# | `dest` | strings of three letters | no nulls |
#
# Before anything runs, say
#
# - `delay`: how many bytes does that column take on the device?
# - `dest`: how many bytes does that one take? (cuDF lays columns out as Arrow does; where a string begins is a number of 32 bits.)
# - `mean`: how many **seconds** does the mean of `fare` take at least, there?
# - `groupby`: how many bytes must `groupby("dest").fare.mean()` read at least? There are 105 destinations.
# - `trip`: how many **seconds** does it take at least to send the whole table there over the bus?

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
# What each passenger gets for a late arrival: **100** dollars if the flight never arrived (`arr_delay` is null); else from **180** minutes on **600** if it goes **1 500** miles or more, and **400** if less; from **60** minutes on **50**; else nothing. (`distance` is never null here.) The result is a Series of whole
# numbers, in the order of the rows.
#
# The function below says just that, and runs in pandas, with its nullable integers. cuDF refuses it. Repair it, with `apply` or without, and leave the table on the device.


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
# Or by whole columns, each rule writing over the more general one before it:
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
# On your desk: a processor that reads 90 GB/s from its memory, parses 3 GB/s of CSV with all its cores, and takes 0.1 ms for a call of a dataframe operation. A GPU that reads 1 000 GB/s, parses 10 GB/s, and takes 0.3 ms for a
# call. A bus of 25 GB/s between them. All tables lie on the **host** to begin with, and the small results are wanted there. Where does each job finish first?
#
# | job | what |
# |---|---|
# | `"mean"` | the mean of one column of 80 MB, once |
# | `"session"` | an afternoon of 300 questions to one table of 2 GB, each reads all of it |
# | `"small"` | 5 000 tables of 16 kB that arrive one after the other, one groupby each |
# | `"parse"` | 8 GB of CSV in memory, to be parsed into a table |
# | `"fallback"` | 20 steps under `cudf.pandas` on a table of 2 GB, each reads all of it and gives one as large; 5 of them fall back to pandas: the table goes to the host for the step, and the new one returns |
#
# Answer `"cpu"` or `"gpu"` for each. Count what is read, the calls and the bus; what is written on the spot is nothing.

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
# A file of flights lies in object storage. `filesystem` is an S3 client of Arrow's, `path` the file's bucket and key. `delays(filesystem, path, month)` gives the mean arrival delay of each carrier in that month, as a cuDF DataFrame with the
# columns `carrier` and `delay`, carriers in alphabetical order.
#
# The version below is right, and asks the storage for every byte of the file: 5.2 MB, of which 68 kB are needed: the footer (24 kB), and two columns of one row group. You pay for each, and wait for each. **300 kB or fewer pass**, and the
# check says how near the limit you are. (It tries other files, too, in which a row group is not a month.)


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
# Arrow fetches the last 64 kB to find the footer, which has 24 kB in this file, and July's months as well, to be sure of the filter; that is what is left between 110 kB and the limit. Whoever wants it all reads the last 8 bytes first, where the footer's length
# stands, then the footer alone, then the two chunks: `filesystem.open_input_file(path)` and its `read_at(nbytes, offset)` are enough. Each step is a trip over the network, and on a real one three trips for 40 kB less are a bad bargain: **few bytes or few requests**, one of the two is cheap.

# %% [markdown]
# ---
# **Next:** unit 08, *merges*: flights, weather and planes in one table, and what a join does with rows.
