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
# # 13 · Dask dataframes: larger than memory
#
# *Unit 13 · dask-dataframes · 70 minutes in two sittings, then 50 for the exercises; the optional parts are not counted*
#
# In November 2019 two V100 GPUs merged two tables that were spread over both of them. It took **53 s**. With a faster connection between the GPUs the same merge took
# **2.5 s**. Only the path of the rows had changed.
#
# In this unit you cut a table into pieces, and find out which operations move rows between them.
#
# ## What you will be able to do
#
# - **Arrange** a table as Parquet files, so that a question reads little.
# - **Tell** which operations move rows between workers.
# - **Group** and **merge** tables that do not fit into memory.
# - **Recognise** a skewed key on the dashboard, and fix it.
# - **Avoid** the traps of a table in pieces.
# - **Decide** when one machine without Dask is faster.
#
# You need units 07, 08, 10 and 11, but no GPU.

# %%
# %load_ext hundredfold

# %%
import logging
import os
import shutil
import tempfile
from collections import Counter
from time import perf_counter

import cudf
import dask
import dask.dataframe as dd
import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
from dask.sizeof import sizeof
from dask.utils import key_split
from dask_cuda import LocalCUDACluster
from distributed import Client, wait
from fsspec.implementations.arrow import ArrowFSWrapper

from hundredfold import data, limit, plot, quiz
from hundredfold.data.storage import Storage

# %% [markdown]
# Each worker of our cluster may keep only **16 MiB** (17 MB) of results on its GPU. Further results move to the memory of the host: **[spilling](../docs/glossary.md#term-spilling)** (unit 11).

# %%
os.environ.setdefault("GPUSIM_GPUS", "2")  # without a GPU, the workers simulate two
room = 16 * 2**20
cluster = LocalCUDACluster(device_memory_limit=room, dashboard_address="127.0.0.1:0", silence_logs=logging.ERROR)
client = Client(cluster)
workers = sorted(client.scheduler_info(n_workers=-1)["workers"])

# %% [markdown]
# ## A table in pieces
#
# A Dask dataframe is a plan for a table in pieces. Each piece is a **[partition](../docs/glossary.md#term-partition)**, an ordinary cuDF table. Often partitions come from Parquet files:
#
# ![A folder for each year has one Parquet file. A file has twelve row groups and a footer at its end. Three row groups become one partition, so that a file gives four
# partitions. A partition is an ordinary cuDF table.](drawings/files-to-partitions.svg)
#
# A **[row group](../docs/glossary.md#term-row-group)** is a block of rows within a file. For each column of a row group, the
# **[footer](../docs/glossary.md#term-footer)** tells where it is, and its least and greatest value.
#
# Our table is the flights of 2013, written ten times under ten years:

# %%
columns = ["month", "day", "carrier", "tailnum", "origin", "dest", "dep_delay", "arr_delay", "distance"]
one_year = pq.read_table(data.path("flights"), columns=columns)
one_table = cudf.DataFrame.from_arrow(one_year)
lake = tempfile.mkdtemp()
files = {}
for year in range(2014, 2024):
    key = f"flights/year={year}/flights.parquet"
    files[key] = os.path.join(lake, key)
    os.makedirs(os.path.dirname(files[key]))
    pq.write_table(one_year, files[key], row_group_size=len(one_year) // 12 + 1)
folder = os.path.join(lake, "flights")
# Ten years. The year becomes a category, one byte for each row.
table_bytes = 10 * (one_table.memory_usage(index=False).sum() + len(one_table))
print(f"{len(files)} files: {sum(map(os.path.getsize, files.values())) / 1e6:.0f} MB")
print(f"in memory: {table_bytes / 1e6:.0f} MB")
print(f"limit for all GPUs together: {len(workers) * room / 1e6:.0f} MB")
assert table_bytes > 2 * len(workers) * room

# %% [markdown]
# The setting `dataframe.backend` chooses the library of the partitions: pandas or cuDF.

# %%
dask.config.set({"dataframe.backend": "cudf"})
flights = dd.read_parquet(folder, split_row_groups=3)  # three row groups for each partition
print(f"{flights.npartitions} partitions")
print(list(flights.columns))

# %% [markdown]
# The column `year` comes from the names of the folders.
#
# ## What is read
#
# So far Dask has read only footers. We put four of the files into a bucket: object storage on this machine that counts the bytes it sends (unit 07).
# Dask can read it in two ways:
#
# - **fsspec**, the default, only fetches. cuDF decodes.
# - **Arrow** fetches and decodes.


# %%
some = {key: file for key, file in files.items() if key < "flights/year=2018"}
bucket = Storage(some)
print(f"{len(some)} files: {sum(map(os.path.getsize, some.values())) / 1e6:.1f} MB")
where = {"scheme": "http", "endpoint_override": bucket.endpoint, "region": "us-east-1"}
s3 = pyarrow.fs.S3FileSystem(anonymous=True, **where)
readers = {"fsspec": ArrowFSWrapper(s3), "Arrow": s3}  # the wrapper looks like any fsspec file system


def fetched(reader, question):
    """The answer to a question, and the bytes that were fetched for it."""
    with dask.config.set(scheduler="threads"):
        bucket.forget()
        table = dd.read_parquet("lake/flights", filesystem=readers[reader])  # the bucket is called lake
        return question(table), bucket.nbytes


# %% [markdown]
# **Predict.** `table` is made of these four files. How many MB does `len(table)` fetch? And `len(table[table.arr_delay > 60])`?

# %%
my_megabytes, my_megabytes_late = "?", "?"

# %%
count, nbytes = fetched("fsspec", len)
late, nbytes_late = fetched("fsspec", lambda table: len(table[table.arr_delay > 60]))
print(f"all flights: {count}, {nbytes / 1e6:.1f} MB fetched; you said {my_megabytes} MB")
print(f"late flights: {late}, {nbytes_late / 1e6:.1f} MB fetched; you said {my_megabytes_late} MB")
assert count == 4 * len(one_year) and nbytes < nbytes_late / 20

# %% [markdown]
# **Explain.** The footer has the number of rows, but not the number of *late* flights. For these, `len` runs the plan, counts the rows, and forgets them. If a
# program asks `if len(late) > 0:` and then works with `late`, the plan runs twice.
#
# ### Columns, rows and folders
#
# **Question.** The files are sorted by month. Which condition lets a reader skip the most row groups of a file?
#
# - (a) `distance > 4000`: 2 flights in 1 000
# - (b) `month == 7`: 1 flight in 12
# - (c) `arr_delay > 300`: 2 flights in 1 000

# %%
my_answer = "?"
quiz("dask-dataframes.skips", my_answer)

# %% [markdown]
# Dask tells the reader which columns you use, and some of your conditions. The reader may leave out the rest. This is
# **[pushdown](../docs/glossary.md#term-pushdown)**:
#
# ![What three questions need of four files, each with three row groups and four columns. One column: one block in each row group. One month: one row
# group of each file. One year: one file.](drawings/three-pushdowns.svg)

# %%
questions = {
    "everything": lambda table: table.map_partitions(len, meta=("n", "int64")).compute().sum(),
    "one column": lambda table: table.arr_delay.sum().compute(),
    "July": lambda table: table[table.month == 7].arr_delay.sum().compute(),
    "2016": lambda table: table[table.year == 2016].arr_delay.sum().compute(),
}
print(f"{'':8}" + "".join(f"{question:>13}" for question in questions))
megabytes = {}
for name in readers:
    megabytes[name] = {question: fetched(name, ask)[1] / 1e6 for question, ask in questions.items()}
    print(f"{name:8}" + "".join(f"{number:10.1f} MB" for number in megabytes[name].values()))
assert megabytes["Arrow"]["July"] < megabytes["Arrow"]["2016"] < megabytes["Arrow"]["one column"] / 2
bucket.close()

# %% [markdown]
# **Explain.**
#
# - **fsspec** fetched whole files, and a few bytes twice. Only `len(table)` needed just the footers.
# - **Arrow** skipped other months, since the rows are sorted, and other years, since each has a folder. So sort rows, and make folders, by the columns of your
#   most frequent conditions.
# - **One column** saved little: Dask lets Arrow fetch columns together if less than 4 MiB lie between them. In large files Arrow leaves the others out.
#
# ### How large is a partition?
#
# **Question.** An H100 has 80 GB. By default, cuDF's reader aims at partitions of 1/32 of that, 2.5 GB. Why not at half of the memory?
#
# - (a) The disk reads large pieces more slowly.
# - (b) A Parquet file cannot have larger row groups.
# - (c) A task needs room for more than its partition.

# %%
my_answer = "?"
quiz("dask-dataframes.size", my_answer)

# %% [markdown]
# ![The memory of one GPU while two partitions are merged, for partitions of a thirty-second, a sixth and a third of the memory. Both inputs, a hash table and the result must fit at the same time.
# With a thirty-second most of the memory is left for other tasks. With a sixth a third is left. With a third the result does not fit.](drawings/partition-and-memory.svg)
#
# A partition can be too small, too: a task should take 100 ms or longer (unit 10). `read_parquet(…, blocksize=)` sets another size.
#
# ## What stays, what travels
#
# Operations on one table come in three kinds:
#
# ![Three kinds of operation on four partitions. A new column is made for each partition alone, and nothing moves. A groupby is a tree: each partition makes its few groups, which go to one
# task. A shuffle sends a part of every old partition to every new one: 16 parts.](drawings/stay-tree-shuffle.svg)
#
# - **Row by row**: a new column, a selection, `map_partitions`.
# - A **tree**: each partition is reduced first, and only the results travel. A task combines up to eight of them.
# - A **[shuffle](../docs/glossary.md#term-shuffle)**: all rows with the same key go to the same new partition.
#
# **Question.** A tree computes the mean delay of each carrier. What must a partition send for each carrier?
#
# - (a) its mean
# - (b) its sum and its count
# - (c) all its delays

# %%
my_answer = "?"
quiz("dask-dataframes.mean", my_answer)

# %% [markdown]
# **Predict.** The table has 40 partitions. How many tasks are in the plan of this mean, with the reading?

# %%
my_tree_tasks = "?"


# %%
def tasks(plan):
    """How many tasks of which name there are when the plan has been optimised."""
    return Counter(key_split(key) for key in plan.optimize().__dask_graph__())


flights = dd.read_parquet(folder, split_row_groups=3)
plans = {
    "a new column": flights.assign(gained=flights.dep_delay - flights.arr_delay),
    "mean by carrier": flights.groupby("carrier").arr_delay.mean(split_out=1),  # one partition comes out
}
for name, plan in plans.items():
    names = tasks(plan)
    most = ", ".join(f"{count} {task}" for task, count in names.most_common(3))
    print(f"{name:24} {names.total()} tasks: {most}{', …' if len(names) > 3 else ''}")
print(f"you said {my_tree_tasks} for the mean")

# %% [markdown]
# **Explain.** 40 tasks read a partition and make its groups. Five tasks combine eight results each, and one combines the five. One more takes the column out.
#
# **Question.** One of these lines shuffles. Which?
#
# - (a) `flights.nlargest(3, "arr_delay")`
# - (b) `flights.sort_values("arr_delay").head(3)`
# - (c) `flights.drop_duplicates("tailnum")`

# %%
my_answer = "?"
quiz("dask-dataframes.shuffles", my_answer)

# %%
first_year = flights.partitions[:4]
lines = {
    "nlargest": first_year.nlargest(3, "arr_delay"),
    "sort_values and head": first_year.sort_values("arr_delay").head(3, compute=False),
    "drop_duplicates": first_year.drop_duplicates("tailnum"),
}
for name, plan in lines.items():
    moved = any("shuffle" in task for task in tasks(plan))
    print(f"{name:21} {'a shuffle' if moved else 'a tree'}")

# %% [markdown]
# **Explain.** Dask sees the `head`, and makes a tree. `drop_duplicates` may leave very many rows, so it shuffles.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: very many groups
#
# The last task of a tree holds all groups. If they are too many, `split_out` gives the result several partitions. By default the result has one partition for
# every 15 of the table, and with two keys one for every ten.
#
# **Question.** `distance.sum(split_out=4)` sums the miles of each plane in each month. Where is the sum of one plane in January?
#
# - (a) in exactly one of the four partitions
# - (b) in up to four, each with a part of the sum
# - (c) in one for each partition in which the plane flew

# %%
my_answer = "?"
quiz("dask-dataframes.once", my_answer)

# %% [markdown]
# ![The groups of four partitions are put together in two ways. With split_out equal to 1 one task gets all groups, and holds all of them. With split_out equal to 2 a hash of the key sends each
# group to one of two tasks, and each holds half of the groups.](drawings/split-out.svg)

# %%
two_years = flights.partitions[:8]
by_plane = two_years.groupby(["tailnum", "month"]).distance
whole, dealt = by_plane.sum(), by_plane.sum(split_out=4)
sizes = dealt.map_partitions(len).compute().to_numpy()
print(f"by default:       {whole.optimize().npartitions} partition")
print(f"with split_out=4: {dealt.npartitions} partitions of about {sizes.mean():.0f} groups")
groups = one_table.dropna(subset=["tailnum"]).drop_duplicates(["tailnum", "month"])
print(f"groups: {sizes.sum()}; in one table: {len(groups)}")
assert sizes.sum() == len(groups) and sizes.max() < 1.2 * sizes.mean()

# %% [markdown]
# ## Two ways to shuffle
#
# - **`"tasks"`**: tasks split each partition, and other tasks join the parts. The scheduler knows each of them.
# - **`"p2p"`** (*peer to peer*), the default on a cluster: workers send rows to each other through host memory, and keep them on disk until all have come.
#
# **Predict.** How many tasks does a shuffle of 40 partitions need, each way?

# %%
my_tasks, my_p2p = "?", "?"

# %%
slim = flights[["tailnum", "arr_delay"]]
partitions = [5, 10, 20, 40]
counts = {}
for method in ("tasks", "p2p"):
    shuffled = [slim.partitions[:p].shuffle("tailnum", shuffle_method=method, npartitions=p) for p in partitions]
    counts[method] = [tasks(plan).total() for plan in shuffled]
print(f"40 partitions: {counts['tasks'][-1]} by tasks, {counts['p2p'][-1]} by p2p")
print(f"you said {my_tasks} and {my_p2p}")
plot.lines(
    partitions,
    counts,
    xlabel="partitions",
    ylabel="tasks",
    title="Tasks of one shuffle",
    note="Counted in the optimised graphs. A task costs the scheduler about 1 ms (unit 10).",
)

# %% [markdown]
# **Explain.** p2p needs three tasks for each partition, and one on which all wait. By tasks, *p* partitions make about *p*² parts. Above 32 partitions Dask shuffles in rounds, with fewer parts.
#
# ---
# *End of the first sitting: a good place for a break.*
#
# ## A merge of two large tables
#
# To merge two large tables, Dask shuffles **both** of them by the key. Then it merges pairs of partitions:
#
# ![A merge of two large tables. A hash of the key decides to which of three new partitions each row of both tables goes. Then each pair of partitions is merged
# by itself, as in one table.](drawings/merge-in-pieces.svg)
#
# The table of unit 08 has random keys. Merged with itself it gives about two rows for each row.

# %%
n = 1_000_000
rng = np.random.default_rng(seed=8)
numbers = os.path.join(lake, "numbers")
os.makedirs(numbers)
ids = rng.integers(0, n, n)
for part in range(8):
    some = {"id": ids[part::8], "x": rng.random(n // 8)}
    pq.write_table(pa.table(some), os.path.join(numbers, f"{part}.parquet"))
table = dd.read_parquet(numbers, blocksize=None)
must = int((np.bincount(ids).astype("int64") ** 2).sum())  # counted before the merge, as in unit 08
print(f"in: {2 * 16 * n / 1e6:.0f} MB; out: {24 * must / 1e6:.0f} MB; on each GPU: {room / 1e6:.0f} MB")
merge_times = {}
for method in ("tasks", "p2p"):
    start = perf_counter()
    assert len(table.merge(table, on="id", shuffle_method=method)) == must
    merge_times[f"here: 1 million rows, {method}"] = perf_counter() - start
print(f"{must} rows by each method")

# %% [markdown]
# The chart has published times, too, of two V100 GPUs in one machine.

# %%
published = {
    "published: 200 million rows, 2019, TCP": 52.97,
    "published: 200 million rows, 2019, NVLink": 2.46,
    "published: 200 million rows, 2024, NVLink, no Dask": 0.310,
}
read_once = limit(bytes=2 * 16 * 100_000_000, machine="V100")
all_times = merge_times | published | {"limit: a V100 reads its 100 million rows once": read_once.seconds}
note = "Published and limit: two V100, each with 100 million rows of each table."
plot.times(all_times, title="Merges on two workers", note=note)

# %% [markdown]
# **Explain.** Over TCP each row went through the host and through Python. NVLink connects the GPUs directly, and `protocol="ucx"` makes Dask use it. Both times of 2019 are of `"tasks"`. A newer program without Dask
# needed 310 ms. p2p sends rows through the host, so NVLink does not help it. Try `"tasks"` where there is NVLink.
#
# **Question.** `merged` is larger than all GPUs together. Which line works?
#
# - (a) `merged.compute()`
# - (b) `merged.persist()`, then `.compute()`
# - (c) `merged.to_parquet(folder)`

# %%
my_answer = "?"
quiz("dask-dataframes.fetch", my_answer)

# %% [markdown]
# ### Watch it spill
#
# `persist` computes all partitions, and keeps them on the workers. We persist one year after the other.
#
# **Predict.** After ten years, how many of the 40 partitions are in the *host's* memory?

# %%
my_host_partitions = "?"

# %% [markdown]
# **Measure.** Look at *Workers Memory* on the dashboard, beside this notebook or at `client.dashboard_link`. Each bar is the host memory of a worker. It grows when results spill.


# %%
def kept(dask_worker):
    """Bytes of results on a worker's GPU and in its host memory."""
    store = dask_worker.data
    return [sum(sizeof(value) for value in level.values()) for level in (store.device, store.host)]


on_device, on_host, held = [], [], []
for years in range(1, 11):
    held.append(flights.partitions[4 * (years - 1) : 4 * years].persist())
    wait(held)
    both = np.array(list(client.run(kept).values())).sum(axis=0) / 1e6
    on_device.append(both[0])
    on_host.append(both[1])
spilled = sum(client.run(lambda dask_worker: len(dask_worker.data.host)).values())
assert abs(1e6 * (on_device[-1] + on_host[-1]) / table_bytes - 1) < 0.02  # together the whole table
print(f"on the host: {spilled} of {flights.npartitions} partitions; you said {my_host_partitions}")
plot.lines(
    list(range(1, 11)),
    {"on the GPUs": on_device, "spilled to the host": on_host},
    xlabel="years persisted",
    ylabel="MB",
    title=f"{len(workers)} workers with 16 MiB each",
    note="Read from the stores of the workers after each year.",
    brief=True,
)

# %%
total = sum(map(int, dask.compute(*[part.distance.sum() for part in held])))
print("the sum is still right:", total == 10 * int(one_table.distance.sum()))
held = None

# %% [markdown]
# **Explain.** A worker has room for three partitions of 4.3 MB. For the sum, each spilled partition crosses the bus again, and another one has to leave. So persist what fits.
#
# ## A small table goes everywhere
#
# `planes` (unit 08) has a row for each plane. It is one partition, so Dask **broadcasts** it: it goes whole to each worker. `broadcast=True` does so with several partitions.
#
# ![A merge of a large table with a small one. The small table of one partition is sent whole to each worker. There it is merged with each partition of the large table, which does not
# move.](drawings/broadcast-merge.svg)

# %%
planes = dd.read_parquet(data.path("planes"))[["tailnum", "seats"]]
cut = planes.repartition(npartitions=4)
merges = {
    "planes in 1 partition": slim.merge(planes, on="tailnum", how="left"),
    "planes in 4, shuffled": slim.merge(cut, on="tailnum", how="left", broadcast=False),
    "planes in 4, broadcast": slim.merge(cut, on="tailnum", how="left", broadcast=True),
}
for name, plan in merges.items():
    print(f"{name:23} {tasks(plan).total()} tasks")
assert len(merges["planes in 1 partition"].partitions[:4]) == len(one_year)

# %% [markdown]
# **Question.** Which moves fewer bytes, the second or the third plan?
#
# - (a) the second: it has fewer tasks
# - (b) the third
# - (c) neither: each flight meets its plane once in both

# %%
my_answer = "?"
quiz("dask-dataframes.bytes", my_answer)

# %% [markdown]
# The third plan has 40 × 4 = 160 small merges, but no flight leaves its worker. A broadcast table has to fit on every worker.
#
# ## One key has most of the rows
#
# Suppose an import script wrote `"UNKNOWN"` where it could not read a tail number, in three rows of five:


# %%
def spoil(part):
    """Three of five tail numbers are unknown."""
    good = cudf.Series(np.arange(len(part)) % 5 < 2, index=part.index)
    return part.assign(tailnum=part.tailnum.where(good, "UNKNOWN"))


slim_year = slim.partitions[:4]
skewed = slim_year.map_partitions(spoil, meta=slim._meta)  # meta: an empty table with the columns that come out

# %% [markdown]
# **Predict.** We shuffle these rows by tail number into 8 partitions. How many times the mean size is the largest partition?

# %%
my_times = "?"

# %%
shuffled = (each.shuffle("tailnum", npartitions=8) for each in (slim_year, skewed))
before, after = (each.map_partitions(len).compute().to_numpy() for each in shuffled)
print(f"as it was:    {before.max() / before.mean():.1f}× the mean")
print(f"with UNKNOWN: {after.max() / after.mean():.1f}× the mean; you said {my_times}×")
plot.lines(
    list(range(1, 9)),
    {"as it was": np.sort(before)[::-1] / 1e3, "with UNKNOWN": np.sort(after)[::-1] / 1e3},
    xlabel="partitions, the largest first",
    ylabel="thousand rows",
    ylog=True,
    title="Rows after a shuffle by tail number",
)

# %% [markdown]
# **Explain.** All rows of a key go to one partition, so one partition is much larger. This is **[skew](../docs/glossary.md#term-skew)**. More partitions or more workers do not help.
#
# ### On the dashboard
#
# Skew shows in the *Task Stream* (unit 10): a row for each worker, a rectangle for each task.
#
# **Question.** Which program has a skewed key?
#
# ![Three task streams of two workers, a, b and c, time from left to right. In a, both workers run tasks of equal length until the end. In b, both have many short tasks with white gaps. In c, all
# tasks are short but one: worker 1 runs one long task, and worker 0 has nothing to do meanwhile.](drawings/skew-streams.svg)
#
# - (a) the one with equal tasks
# - (b) the one with short tasks and gaps
# - (c) the one with a long task

# %%
my_answer = "?"
quiz("dask-dataframes.streams", my_answer)

# %% [markdown]
# A screenshot of another program with a skewed key. Green and blue tasks read and shuffle, red is a transfer. Each purple task has one partition, and the largest takes longest:
#
# ![A screenshot of Dask's task stream with two rows, one for each worker. At first both are full of short tasks. Near the end the lower worker runs one purple task of four seconds. The upper
# worker has short purple tasks, red transfers and white gaps meanwhile.](drawings/skew-task-stream.svg)
#
# A **groupby** hardly suffers: each partition first makes *one* row of all its UNKNOWN. A **merge** needs the rows themselves.
#
# To fix it:
#
# - **Filter first**: `planes` has no UNKNOWN, so an inner merge drops these flights anyway.
# - **Broadcast** the other table, if it is small.
# - Otherwise **[salt](../docs/glossary.md#term-salting)** the key. Each row of the large table gets a number, the salt. In the other table each row comes once
#   for every salt. The drawing has four salts:
#
# ![A merge by a key of which one value, K, has most of the rows. Without salt all rows with K go to one partition. With a salt of 0 to 3 they go, at best, to four partitions. The other table has each of
# its rows four times, once for each salt.](drawings/salted-key.svg)
#
# Our salts are 0 to 7, so the other table grows eightfold. `how="left"` keeps all flights, with or without a plane.

# %%
salts = 8


def salt(part):
    """A number from 0 to 7 for each row."""
    return part.assign(salt=cudf.Series(np.arange(len(part)) % salts, index=part.index).astype("int8"))


def repeat(part):
    """Each row once for each number."""
    return cudf.concat([part.assign(salt=np.int8(number)) for number in range(salts)], ignore_index=True)


salted = skewed.map_partitions(salt, meta=salt(slim._meta))
repeated = cut.map_partitions(repeat, meta=repeat(cut._meta))
fixed = salted.shuffle(["tailnum", "salt"], npartitions=8).map_partitions(len).compute().to_numpy()
print(f"salted: the largest partition has {fixed.max() / fixed.mean():.1f}× the mean")
found = len(skewed.merge(planes, on="tailnum", how="left"))  # planes has one partition: broadcast
by_salt = len(salted.merge(repeated, on=["tailnum", "salt"], how="left", broadcast=False))
print(f"rows of the merge: {found} by broadcast, {by_salt} by salt")
assert found == by_salt == len(one_year) and fixed.max() < after.max() / 2

# %% [markdown]
# Some of the eight salted keys share a partition. The salt is not random: a task may run twice, and must do the same each time.
#
# ## Traps of a table in pieces
#
# **Predict.** `year` has four partitions. How many rows has `year.reset_index(drop=True).loc[0]`?

# %%
my_rows = "?"

# %%
year = flights[["distance", "arr_delay"]].partitions[:4]
first = year.reset_index(drop=True).loc[0].compute()
print(f"{len(first)} rows; you said {my_rows}")

# %% [markdown]
# **Explain.** Each partition counts from 0. Dask's `cumsum` goes on from one partition to the next. `iloc[5]` is refused, because nobody knows how many rows
# come before a partition. `loc` searches the index. The **[divisions](../docs/glossary.md#term-divisions)** are the index values at which the table is cut. If
# they are known, `loc` reads only the partition that it needs:
#
# ![Four partitions of a table twice. With unknown divisions each partition has an index that begins at 0, so that loc of 0 finds four rows. After set_index of distance the divisions
# are 17, 500, 800, 1100 and 4983, and loc of 4983 reads only the last partition.](drawings/known-divisions.svg)

# %%
by_distance = year.set_index("distance")
print("known:", year.known_divisions, "and after set_index:", by_distance.known_divisions)
print("from", int(by_distance.divisions[0]), "to", int(by_distance.divisions[-1]))
farthest = by_distance.loc[4983]
print(f"loc finds {len(farthest)} flights of 4983 miles: from JFK to Hawaii")

# %% [markdown]
# `set_index` samples the column to choose the divisions, and then shuffles all rows. Do it once, and write the result with `to_parquet`. `read_parquet(…, calculate_divisions=True)` finds the divisions again.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: names in `agg`
#
# With pandas partitions you can name the columns of an aggregation. With cuDF partitions you cannot, and the error does not say so. Name them afterwards:

# %%
by_carrier = flights.partitions[:4].groupby("carrier")
try:
    by_carrier.agg(flown=("arr_delay", "count"), delay=("arr_delay", "mean"))
except TypeError as error:
    print("TypeError:", error)
named = by_carrier.arr_delay.agg(["count", "mean"]).rename(columns={"count": "flown", "mean": "delay"})
print(named.compute().sort_index().head(2).round(1).to_pandas())

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: first of what?
#
# `head` looks at the first partition only, also after a selection. `npartitions=-1` looks at all.

# %%
far = year[year.distance > 4962]
every = int((one_table.distance > 4962).sum())
print(f"{every} flights to Hawaii, from two airports; head(1000) finds {len(far.head(1000))}")
print("with npartitions=-1:", len(far.head(1000, npartitions=-1)))

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: metadata
#
# To plan, Dask must know what your function returns. It makes *two rows of invented values*, and calls your function with them. If the function fails on those, give `meta=`: an empty table with the right columns. Dask believes it until a
# partition differs. The second `meta` here is wrong on purpose.


# %%
def of_one_plane(part):
    """The first flight of a plane, which is expected in every partition."""
    return part[part.tailnum == "N725MQ"].iloc[[0]]


for meta in ({}, {"meta": slim._meta[["arr_delay"]]}):
    try:
        slim_year.map_partitions(of_one_plane, **meta).compute()
    except (ValueError, IndexError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        print(f"{type(error).__name__}: {lines[0]}")
found = slim_year.map_partitions(lambda part: part[part.tailnum == "N725MQ"].head(1)).compute()
print(f"with head(1): {len(found)} of {slim_year.npartitions} partitions have that plane")

# %% [markdown]
# ## Dask against Polars and DuckDB
#
# **Measure.** We take the mean delay by carrier over 3.4 million flights with Dask, and in three ways without. Polars streams the files. DuckDB gets 64 MB of memory, less than the table needs.


# %%
def file_by_file():
    """What Dask does, by hand and on one core."""
    parts = []
    for name in files.values():
        part = pq.read_table(name, columns=["carrier", "arr_delay"]).to_pandas()
        parts.append(part.groupby("carrier").arr_delay.agg(["sum", "count"]))
    total = sum(parts)
    return total["sum"] / total["count"]


pattern = os.path.join(folder, "**", "*.parquet")
little = {"memory_limit": "64MB", "temp_directory": lake, "preserve_insertion_order": False}
database = duckdb.connect(config=little)
query = f"select carrier, avg(arr_delay) from read_parquet('{pattern}') group by carrier"
lazy = pl.scan_parquet(pattern).group_by("carrier").agg(pl.col("arr_delay").mean())
ways = {
    "here: Dask + cuDF": lambda: len(flights.groupby("carrier").arr_delay.mean(split_out=1).compute()),
    "here: pandas, file by file": lambda: len(file_by_file()),
    "here: Polars, streaming": lambda: lazy.collect(engine="streaming").height,
    "here: DuckDB": lambda: len(database.sql(query).fetchall()),
}
times = {}
for name, way in ways.items():
    start = perf_counter()
    assert way() == one_table.carrier.nunique()
    times[name] = perf_counter() - start

# %%
times["published: T4, 10 million rows in its memory"] = 20.6e-3
times["limit: T4 reads 10 million keys and values once"] = limit(bytes=16 * 10_000_000, machine="T4").seconds
times["published: 2 RTX 8000, 1 billion rows from CSV"] = 4.59
note = "The T4: cuDF alone, 10 keys. The RTX 8000: with Dask."
plot.times(times, title="A mean for each key; here 3.4 million rows", note=note)

# %% [markdown]
# **Explain.** Without a GPU, Dask + cuDF is simulated here. On a real cluster, too, each of the 47 tasks costs about 1 ms. DuckDB and Polars have no such
# tasks. The two RTX 8000 needed 4.6 s for a billion rows of text: for so much work, tasks cost little.
#
# ## Where the GPU loses
#
# - **Tables that one machine can stream.** Try DuckDB and Polars first.
# - **Little work for each byte.** In 2019 eight V100 with one disk read CSV files only about twice as fast as one.
# - **Shuffles over a slow wire.** 10 Gbit/s are 1.25 GB/s. A V100 reads its own memory at 900 GB/s.
#
# Dask with GPUs is for tables that do not fit on one machine *and* have to be shuffled, or for data on GPUs already. Polars can use several GPUs, too (unit 17).

# %%
client.close()
cluster.close()
shutil.rmtree(lake)

# %% [markdown]
# ## Key points
#
# - `len`, `head`, `compute`, `persist` and `to_parquet` run a plan.
# - Sort rows and make folders by the columns of your conditions. Read object storage with Arrow.
# - **Row by row** moves nothing, a **tree** moves groups, a **shuffle** moves all rows.
# - A small table of one partition is broadcast. Large results are aggregated or written.
# - **Skew**: one partition is much larger, and one task much longer. Filter, broadcast or salt.
# - No row has a position in the whole table. `set_index` makes divisions.
#
# ## The exercise
#
# Six problems, 50 minutes: [exercises/13_dask-dataframes.ipynb](../exercises/13_dask-dataframes.ipynb).
#
# ## Further reading
#
# - Dask's documentation: [DataFrames best practices](https://docs.dask.org/en/stable/dataframe-best-practices.html), [Parquet](https://docs.dask.org/en/stable/dataframe-parquet.html), [shuffling](https://docs.dask.org/en/stable/dataframe-groupby.html).
# - [Dask cuDF](https://docs.rapids.ai/api/dask-cudf/stable/): the backend, and best practices of its own.
# - H. Makait, [Shuffling large data at constant memory in Dask](https://blog.dask.org/2023/03/15/shuffling-large-data-at-constant-memory/), 15 March 2023: what was wrong with tasks, and how p2p came about.
# - [dask-cuda pull request 183](https://github.com/rapidsai/dask-cuda/pull/183), 28 November 2019: the merge on two V100 of a DGX-1, 52.97 s over TCP and 2.46 s over UCX.
# - [ucx-py issue 1088](https://github.com/rapidsai/ucx-py/issues/1088), October 2024: a merge of the same size on a DGX-1 without Dask, 310 ms.
# - [RAPIDS deployment, one billion rows](https://github.com/rapidsai/deployment/blob/main/source/examples/rapids-1brc-single-node/notebook.ipynb), commit d67c133734: 13 GB of CSV with Dask on two Quadro RTX 8000, 4.59 s.
# - [cudf-bench](https://github.com/alexislowys/cudf-bench), commit b50c48cc3a, file `results/sweep.csv`: groupby of ten million rows on a T4, cuDF 26.02.01, with 10 keys 20.6 ms.
# - M. Rocklin, [Dask, Pandas, and GPUs: first steps](https://blog.dask.org/2019/01/13/dask-cudf-first-steps), 13 January 2019: one GPU and eight, and the disk as the limit.
# - [The Apache Parquet format](https://parquet.apache.org/docs/file-format/), and [nycflights13](https://github.com/tidyverse/nycflights13) by H. Wickham, public domain (CC0).
