# ---
# jupyter:
#   hundredfold:
#     unit: 13
#     slug: dask-dataframes
#     title: "Dask dataframes: larger than memory"
#     teaching: 60
#     exercises: 50
#     dashboard: true
# ---

# %% [markdown]
# # 13 · Dask dataframes: larger than memory
#
# *Unit 13 · dask-dataframes · 60 minutes in two sittings, then 50 for the exercises; the optional parts are not counted*
#
# In November 2019 two V100 GPUs merged two tables that were spread over both of them. It took **53 s**. With a faster connection between the GPUs the same merge took
# **2.5 s**. The arithmetic was the same. Only the path of the rows had changed.
#
# In this unit you cut a table into pieces, and find out which operations send rows from piece to piece.
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
# You need units 07, 08, 10 and 11. You do not need a GPU: without one, the cells run on two simulated GPUs. The cells need about a minute.

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
# Each worker of our cluster may keep only **16 MiB** of results on its GPU. Further results move to the memory of the host. This is called
# **[spilling](../docs/glossary.md#term-spilling)** (unit 11).

# %%
os.environ.setdefault("GPUSIM_GPUS", "2")  # how many to simulate; a real GPU ignores it
room = 16 * 2**20
cluster = LocalCUDACluster(device_memory_limit=room, dashboard_address=":0", silence_logs=logging.ERROR)
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
# A **[row group](../docs/glossary.md#term-row-group)** is a block of rows within a file. The **[footer](../docs/glossary.md#term-footer)** tells where the pieces are, and the least and the
# greatest value in each.
#
# Our table is large only because we repeat it. The next cell writes the flights of 2013 ten times, under ten years:

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
table_bytes = 10 * (one_table.memory_usage(index=False).sum() + len(one_table))  # the year: a byte for each row
print(f"{len(files)} files: {sum(map(os.path.getsize, files.values())) / 1e6:.0f} MB")
print(f"in memory: {table_bytes / 1e6:.0f} MB")
print(f"all workers keep {len(workers) * room / 1e6:.0f} MB on their GPUs")
assert table_bytes > 2 * len(workers) * room

# %% [markdown]
# The setting `dataframe.backend` chooses the library of the partitions. (`_meta` is an empty table, from which Dask knows the types.)

# %%
for backend in ("pandas", "cudf"):
    with dask.config.set({"dataframe.backend": backend}):
        flights = dd.read_parquet(folder, split_row_groups=3)  # three row groups for each partition
    print(f"{backend:7} {type(flights._meta).__module__.partition('.')[0]:7} {flights.npartitions} partitions")
dask.config.set({"dataframe.backend": "cudf"})
print(list(flights.columns))

# %% [markdown]
# The column `year` is in no file. It comes from the names of the folders.
#
# ## What is read
#
# So far Dask has read only footers. To see more, we put four files into a bucket: object storage on this machine that counts the bytes it sends (unit 07).
# There are two ways to read from it. By default the library fsspec fetches the bytes, and cuDF decodes them. With `filesystem="arrow"`, Arrow does both.


# %%
some = {key: file for key, file in files.items() if key < "flights/year=2018"}
bucket = Storage(some)
print(f"{len(some)} files: {sum(map(os.path.getsize, some.values())) / 1e6:.0f} MB")
where = {"scheme": "http", "endpoint_override": bucket.endpoint, "region": "us-east-1"}
s3 = pyarrow.fs.S3FileSystem(anonymous=True, **where)
readers = {"fsspec": ArrowFSWrapper(s3), "Arrow": s3}


def fetched(reader, question):
    """The answer to a question, and the bytes that were fetched for it."""
    with dask.config.set(scheduler="threads"):
        bucket.forget()
        table = dd.read_parquet("lake/flights", filesystem=readers[reader])  # the bucket is called lake
        return question(table), bucket.nbytes


# %% [markdown]
# **Predict.** How many MB does `len(flights)` fetch? And `len(flights[flights.arr_delay > 60])`?

# %%
my_megabytes, my_megabytes_late = "?", "?"

# %%
rows, nbytes = fetched("fsspec", len)
late, nbytes_late = fetched("fsspec", lambda table: len(table[table.arr_delay > 60]))
print(f"all flights: {rows}, {nbytes / 1e6:.1f} MB fetched; you said {my_megabytes} MB")
print(f"late flights: {late}, {nbytes_late / 1e6:.1f} MB fetched; you said {my_megabytes_late} MB")
assert rows == 4 * len(one_year) and nbytes < nbytes_late / 20

# %% [markdown]
# **Explain.** The footer has the number of rows. Nobody knows the number of *late* flights. So `len` runs the plan, counts the rows, and forgets them. If a program asks
# `if len(late) > 0:` and then works with `late`, the plan runs twice.
#
# ### Columns, rows and folders
#
# A reader can leave out columns, row groups and files:
#
# ![Three ways to read less, each on four files of three row groups and four columns. For one column a reader fetches one piece of each row group. For one month it fetches one row
# group of each file. For one year it fetches one file.](drawings/three-pushdowns.svg)
#
# Dask moves your choice of columns, and some conditions, into the reading. This is **[pushdown](../docs/glossary.md#term-pushdown)**.
#
# **Question.** The files are sorted by month. Which condition lets a reader skip the most row groups?
#
# - (a) `distance > 4000`: 2 flights in 1 000
# - (b) `month == 7`: 1 flight in 12
# - (c) `arr_delay > 300`: 2 flights in 1 000

# %%
my_answer = "?"
quiz("dask-dataframes.skips", my_answer)

# %%
questions = {
    "everything": lambda table: table.map_partitions(len, meta=("n", "int64")).compute().sum(),
    "one column": lambda table: table.arr_delay.sum().compute(),
    "July": lambda table: table[table.month == 7].arr_delay.sum().compute(),
    "2016": lambda table: table[table.year == 2016].arr_delay.sum().compute(),
}
print(f"{'':8}" + "".join(f"{question:>13}" for question in questions))
least = {}
for name in readers:
    least[name] = {question: fetched(name, ask)[1] for question, ask in questions.items()}
    print(f"{name:8}" + "".join(f"{nbytes / 1e6:10.1f} MB" for nbytes in least[name].values()))
assert least["Arrow"]["July"] < least["Arrow"]["2016"] < least["Arrow"]["one column"] / 2
bucket.close()

# %% [markdown]
# **Explain.**
#
# - **Rows and folders:** only Arrow skipped other months and other years. So make folders of what is asked for most.
# - **Columns:** Arrow fetches two pieces in one request if less than 4 MiB lie between them. In files as small as ours that is nearly everything. In large files it leaves the other
#   columns out.
#
# With fsspec, whole files were fetched each time. cuDF then decodes only the column that you ask for.
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
# ![The memory of one GPU while a merge of two partitions runs, for three sizes of partition. Both inputs, a hash table and the result must fit at the same time. With small partitions most of
# the memory is unused. With good ones there is room left. With large ones the result does not fit.](drawings/partition-and-memory.svg)
#
# A partition can be too small, too: a task should take 100 ms or longer (unit 10). `blocksize=` sets another size.
#
# ## What stays, what travels
#
# Operations come in three kinds:
#
# ![Three kinds of operation on four partitions. A new column is made for each partition alone, and nothing moves. A groupby is a tree: each partition makes its few groups, which go to one
# task. A shuffle sends a piece of every old partition to every new one: 16 pieces.](drawings/stay-tree-shuffle.svg)
#
# - **Row by row**: a new column, a selection, `map_partitions`.
# - A **tree**: each partition is reduced first, and only the results travel. Eight of them are combined at a time.
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
# **Predict.** The table has 40 partitions. How many tasks are in the tree?

# %%
my_tree_tasks = "?"


# %%
def tasks(plan):
    """How many tasks of which name there are when the plan has been optimised."""
    return Counter(key_split(key) for key in plan.optimize().__dask_graph__())


flights = dd.read_parquet(folder, split_row_groups=3)
plans = {
    "a new column": flights.assign(gained=flights.dep_delay - flights.arr_delay),
    "mean by carrier": flights.groupby("carrier").arr_delay.mean(split_out=1),
    "all of a plane together": flights.shuffle("tailnum", shuffle_method="tasks"),
}
for name, plan in plans.items():
    names = tasks(plan)
    most = ", ".join(f"{count} {task}" for task, count in names.most_common(3))
    print(f"{name:24} {names.total()} tasks: {most}{', …' if len(names) > 3 else ''}")
print(f"you said {my_tree_tasks} for the tree")

# %% [markdown]
# **Explain.** 40 partitions make groups. Five tasks combine eight results each, and one combines the five. One more takes the column out.
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
one = flights.partitions[:4]  # one year
lines = {
    "nlargest": one.nlargest(3, "arr_delay"),
    "sort_values and head": one.sort_values("arr_delay").head(3, compute=False),
    "drop_duplicates": one.drop_duplicates("tailnum"),
}
for name, plan in lines.items():
    moved = any("shuffle" in task for task in tasks(plan))
    print(f"{name:21} {'a shuffle' if moved else 'a tree'}")

# %% [markdown]
# ### Very many groups
#
# The last task of a tree holds all groups. If they are too many for it, `split_out` gives the result several partitions:
#
# ![The groups of four partitions are put together in two ways. Without split_out one task gets all groups, and holds all of them. With split_out equal to 2 a hash of the key sends each
# group to one of two tasks, and each holds half of the groups.](drawings/split-out.svg)
#
# **Question.** In how many partitions of `by_plane.sum(split_out=4)` can a plane's month of January be?
#
# - (a) exactly one
# - (b) up to four, each with a part of the sum
# - (c) one for each partition in which the plane flew

# %%
my_answer = "?"
quiz("dask-dataframes.once", my_answer)

# %%
two_years = flights.partitions[:8]
by_plane = two_years.groupby(["tailnum", "month"]).distance
whole, dealt = by_plane.sum(), by_plane.sum(split_out=4)
sizes = dealt.map_partitions(len).compute().to_numpy()
print(f"without split_out: {whole.npartitions} partition")
print(f"with split_out=4:  {dealt.npartitions} partitions of about {sizes.mean():.0f} groups")
groups = one_table.dropna(subset=["tailnum"]).drop_duplicates(["tailnum", "month"])
assert sizes.sum() == len(groups) and sizes.max() < 1.2 * sizes.mean()
print(f"each group once: {sizes.sum()}")

# %% [markdown]
# ## Two ways to shuffle
#
# - **`"tasks"`**: tasks split each partition, and other tasks join the pieces. The scheduler knows each of them.
# - **`"p2p"`** (*peer to peer*), the default on a cluster: workers send rows directly to each other, and write them to their disks until all have come.
#
# **Predict.** How many tasks does each way need for 40 partitions?

# %%
my_tasks, my_p2p = "?", "?"

# %%
slim = flights[["tailnum", "arr_delay"]]
pieces = [5, 10, 20, 40]
counts = {}
for method in ("tasks", "p2p"):
    shuffled = [slim.partitions[:p].shuffle("tailnum", shuffle_method=method, npartitions=p) for p in pieces]
    counts[method] = [tasks(plan).total() for plan in shuffled]
print(f"40 partitions: {counts['tasks'][-1]} by tasks, {counts['p2p'][-1]} by p2p")
print(f"you said {my_tasks} and {my_p2p}")
plot.lines(
    pieces,
    counts,
    xlabel="partitions",
    ylabel="tasks",
    title="Tasks of one shuffle",
    note="Counted in the optimised graphs. A task costs the scheduler about 1 ms (unit 10).",
)

# %% [markdown]
# **Explain.** p2p needs three tasks for each partition, and one on which all wait. By tasks, $p$ partitions make about $p^2$ pieces. Above 32 partitions Dask shuffles in rounds, with fewer pieces.
#
# ---
# *End of the first sitting: a good place for a break. The second one takes about 30 minutes.*
#
# ## A merge of two large tables
#
# To merge two large tables, Dask shuffles **both** of them by the key. Then it merges pairs of partitions:
#
# ![A merge of two large tables. A hash of the key sends the rows of both tables to new partitions: hash 0 to partition 0, hash 1 to partition 1, hash 2 to partition 2. Then each pair of partitions is merged
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
    piece = {"id": ids[part::8], "x": rng.random(n // 8)}
    pq.write_table(pa.table(piece), os.path.join(numbers, f"{part}.parquet"))
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
# Without a GPU these times are your CPU's. The next figure has published ones, too: of two V100 in one machine, each with 100 million rows of both tables.

# %%
published = {
    "published: 2019, Dask over TCP": 52.97,
    "published: 2019, Dask over NVLink": 2.46,
    "published: 2024, without Dask, over NVLink": 0.310,
}
memory = limit(bytes=2 * 16 * 100_000_000, machine="V100")
rows = merge_times | published | {"limit: a V100 reads its tables once": memory.seconds}
note = "Published and limit: 100 million rows of both tables on each V100."
plot.times(rows, title="Merges on two workers", note=note)

# %% [markdown]
# **Explain.** TCP sent about 100 MB/s: each row went through the host and through Python. NVLink connects the GPUs directly, and `protocol="ucx"` makes Dask use it (unit 12).
#
# In February 2025 Dask shuffled one large dataset on four A100: 258 s over TCP, 161 s over UCX.
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
# **Aggregate or write** what is large.
#
# ### Watch it spill
#
# `persist` computes all partitions, and keeps them on the workers. We persist one year after the other.
#
# **Predict.** After ten years, how many of the 40 partitions are in the *host's* memory?

# %%
my_host_partitions = "?"

# %% [markdown]
# **Measure.** On the dashboard, look at *Workers Memory* while the cell runs. Each bar is the host memory of a worker. It grows when results spill.


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
# **Explain.** For the sum, each spilled partition crosses the bus again, and another one has to leave. Reading one column again may be faster. So persist what fits.
#
# ## A small table goes everywhere
#
# `planes` has 3 322 rows. A table of one partition is **broadcast**: it goes whole to where the other one is.
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
# **Question.** The second and the third plan both merge with `planes` in four partitions. Which one moves fewer bytes?
#
# - (a) the second one: it has fewer tasks
# - (b) the third one
# - (c) neither: each flight meets its plane once in both

# %%
my_answer = "?"
quiz("dask-dataframes.bytes", my_answer)

# %% [markdown]
# The tasks are the work of the scheduler, the bytes are the work of the network. A table that is broadcast has to fit on every worker.
#
# ## One key has most of the rows
#
# Suppose an import script wrote `"UNKNOWN"` where it could not read a tail number, in three rows of five:


# %%
def spoil(part):
    """Three of five tail numbers are unknown."""
    good = cudf.Series(np.arange(len(part)) % 5 < 2, index=part.index)
    return part.assign(tailnum=part.tailnum.where(good, "UNKNOWN"))


one = slim.partitions[:4]
skewed = one.map_partitions(spoil, meta=slim._meta)  # meta: what comes out

# %% [markdown]
# **Predict.** This year is shuffled by tail number into 8 partitions. How many times the mean is the largest one?

# %%
my_times = "?"

# %%
shuffled = (each.shuffle("tailnum", npartitions=8) for each in (one, skewed))
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
# **Explain.** Equal keys go to the same partition. This is **[skew](../docs/glossary.md#term-skew)**. More partitions or more workers do not help.
#
# ### On the dashboard
#
# Skew shows in the *Task Stream*. Each row is a worker, each rectangle a task, and white is time without a task (unit 10).
#
# **Question.** Which program has a skewed key?
#
# ![Three task streams of two workers, a, b and c, time from left to right. In a, both workers run tasks of equal length until the end. In b, both have many short tasks with white gaps. In c, all
# tasks are short but one: worker 1 runs one long task, and worker 0 has nothing to do meanwhile.](drawings/skew-streams.svg)
#
# - (a) first
# - (b) second
# - (c) third

# %%
my_answer = "?"
quiz("dask-dataframes.streams", my_answer)

# %% [markdown]
# Here is a screenshot, on two simulated GPUs. After the shuffle a function runs for each partition, in purple. It takes as long as the partition has rows:
#
# ![A screenshot of Dask's task stream with two rows, one for each worker. At first both are full of short tasks. Near the end the lower worker runs one purple task of four seconds. The upper
# worker has short purple tasks, red transfers and white gaps meanwhile.](drawings/skew-task-stream.png)
#
# Skew shows in two other plots, too. In *Progress* all tasks of a kind are done but one. In *GPU Memory* or *Workers Memory* one bar is longer than the others.
#
# A **groupby** hardly suffers: each partition first makes *one* row of all its UNKNOWN. A **merge** needs the rows themselves.
#
# To fix it, **broadcast** the other table if it is small. Otherwise **[salt](../docs/glossary.md#term-salting)** the key. Each row of the large table gets a number, and the other table has each row
# once for every number:
#
# ![A merge by a key of which UNKNOWN has most of the rows. Without salt all rows with UNKNOWN go to one partition. With a salt of 0 to 3 they go to four partitions. The other table has its row for UNKNOWN four times, once
# for each salt.](drawings/salted-key.svg)

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
found = len(skewed.merge(planes, on="tailnum"))  # planes has one partition: broadcast
by_salt = len(salted.merge(repeated, on=["tailnum", "salt"], broadcast=False))
print(f"rows of the merge: {found} by broadcast, {by_salt} by salt")
assert found == by_salt and fixed.max() < after.max() / 2

# %% [markdown]
# Some of the eight salted keys meet in one partition. The salt is not random: a task may run twice, and must do the same each time.
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
# **Explain.** Each partition counts from 0. `iloc[5]` is refused, because nobody knows how many rows come before a partition. Dask finds rows by their values. If it knows which
# values of the index are in which partition, its **[divisions](../docs/glossary.md#term-divisions)** are known:
#
# ![Four partitions of a table twice. With unknown divisions each partition has an index that begins at 0, so that loc of 0 finds four rows. After set_index of distance the divisions
# are 17, 500, 800, 1100 and 4983, and loc of 4983 reads only the last partition.](drawings/known-divisions.svg)

# %%
by_distance = year.set_index("distance")
print("known:", year.known_divisions, "and after set_index:", by_distance.known_divisions)
print("from", int(by_distance.divisions[0]), "to", int(by_distance.divisions[-1]))
hawaii = by_distance.loc[4983]
print(f"loc finds {len(hawaii)} flights of 4983 miles")

# %% [markdown]
# `set_index` samples the column to choose the divisions, and then shuffles all rows. Do it once, and write the result with `to_parquet`. `read_parquet(…, calculate_divisions=True)` finds them again.
#
# **Names in `agg`.** With pandas partitions you can name the columns of an aggregation. With cuDF partitions you cannot, and the error does not say so. Name them afterwards:

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
print(f"{every} flights to Hawaii; head(1000) finds {len(far.head(1000))}")
print("with npartitions=-1:", len(far.head(1000, npartitions=-1)))

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: metadata
#
# To plan, Dask must know what your function returns. It calls the function with a table of *two made-up rows*. If the function fails on those, give `meta=`: an empty table with the right columns. Dask believes it until a
# partition differs. The second `meta` here is wrong on purpose.


# %%
def of_one_plane(part):
    """The first flight of a plane, which is expected in every partition."""
    return part[part.tailnum == "N725MQ"].iloc[[0]]


for meta in ({}, {"meta": slim._meta[["arr_delay"]]}):
    try:
        one.map_partitions(of_one_plane, **meta).compute()
    except (ValueError, IndexError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        print(f"{type(error).__name__}: {lines[0]}")
found = one.map_partitions(lambda part: part[part.tailnum == "N725MQ"].head(1)).compute()
print(f"with head(1): {len(found)} of {one.npartitions} partitions have that plane")

# %% [markdown]
# ## Beside the strongest
#
# **Measure.** The mean delay by carrier over 3.4 million flights, for Dask and for three ways in one process. Polars streams the files. DuckDB gets 64 MB of memory. Neither holds the table.


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
    "here: Dask + cuDF": lambda: len(flights.groupby("carrier").arr_delay.mean().compute()),
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
rows = 10 * len(one_year)
times["published: 2 Quadro RTX 8000, from CSV"] = 4.59 * rows / 1e9
times["published: T4, in its memory"] = 20.6e-3 * rows / 10e6
times["limit: T4, key and value read once"] = limit(bytes=16 * rows, machine="T4").seconds
note = "Published: scaled from 1 billion rows (RTX 8000, with Dask) and 10 million (T4, cuDF alone, 10 keys)."
plot.times(times, title="A mean for each key, 3.4 million rows", note=note)

# %% [markdown]
# **Explain.** Without a GPU, *here: Dask + cuDF* is the simulator on your CPU. Its time tells you nothing about a GPU. But a real cluster also pays about 1 ms for each task. DuckDB and Polars have no such tasks, and no
# other processes. The two RTX 8000 needed 4.6 s for a billion rows of text. For so much work, tasks cost little.
#
# ## Where the GPU loses
#
# - **What one machine can stream.** DuckDB and Polars go through tables larger than memory. Try them first.
# - **Little work for each byte.** Then storage is the limit. In 2019 eight V100 with one disk read CSV files only about twice as fast as one.
# - **Shuffles over a slow wire.** Compare it with the memory of a GPU:

# %%
one_gpu, eight_gpus = 900e6, 2000e6  # bytes of CSV per second, published in 2019
print(f"reading CSV: eight GPUs were {eight_gpus / one_gpu:.1f}× as fast as one")
wire, memory = 8 * 10e9 / 8, 900e9  # eight workers with 10 Gbit/s each; one V100
print(f"8 workers' wires: {wire / 1e9:.0f} GB/s; a V100's memory: {memory / 1e9:.0f} GB/s")
print(f"the memory is {memory / wire:.0f}× as fast")

# %% [markdown]
# Dask with GPUs is for tables that no machine holds *and* that have to be shuffled. It is also for data that is on the GPUs already.

# %%
client.close()
cluster.close()
shutil.rmtree(lake)

# %% [markdown]
# ## Key points
#
# - `len`, `head`, `compute`, `persist` and `to_parquet` run a plan.
# - Make folders of what is asked for most, and sort rows within files.
# - **Row by row** moves nothing, a **tree** moves groups, a **shuffle** moves all rows. Many groups: `split_out`.
# - A small table of one partition is broadcast. Large results are aggregated or written.
# - **Skew**: one partition is much larger, and one task much longer. Broadcast, or salt.
# - There are no positions. Divisions are unknown until `set_index`.
# - DuckDB and Polars on one machine are the ones to beat.
#
# ## The exercise
#
# Six problems, 50 minutes: [exercises/13_dask-dataframes.ipynb](../exercises/13_dask-dataframes.ipynb). You predict six numbers, group and number rows in pieces, attach seats to flights, and join two tables by a skewed key.
#
# ## Further reading
#
# - Dask's documentation: [DataFrames best practices](https://docs.dask.org/en/stable/dataframe-best-practices.html), [Parquet](https://docs.dask.org/en/stable/dataframe-parquet.html), [shuffling](https://docs.dask.org/en/stable/dataframe-groupby.html).
# - [Dask cuDF](https://docs.rapids.ai/api/dask-cudf/stable/): the backend, and best practices of its own.
# - H. Makait, [Shuffling large data at constant memory in Dask](https://blog.dask.org/2023/03/15/shuffling-large-data-at-constant-memory/), 15 March 2023: what was wrong with tasks, and how p2p came about.
# - [dask-cuda pull request 183](https://github.com/rapidsai/dask-cuda/pull/183), 28 November 2019: the merge on two V100 of a DGX-1, 52.97 s over TCP and 2.46 s over UCX.
# - [ucx-py issue 1088](https://github.com/rapidsai/ucx-py/issues/1088), October 2024: a merge of the same size on a DGX-1 without Dask, 310 ms.
# - [rapidsmpf issue 67](https://github.com/rapidsai/rapidsmpf/issues/67), 11 February 2025: the shuffle on four A100 of 80 GB.
# - [RAPIDS deployment, one billion rows](https://github.com/rapidsai/deployment/blob/main/source/examples/rapids-1brc-single-node/notebook.ipynb), commit d67c133734: 13 GB of CSV with Dask on two Quadro RTX 8000, 4.59 s.
# - [cudf-bench](https://github.com/alexislowys/cudf-bench), commit b50c48cc3a, file `results/sweep.csv`: groupby of ten million rows on a T4, cuDF 26.02.01, with 10 keys 20.6 ms.
# - M. Rocklin, [Dask, Pandas, and GPUs: first steps](https://blog.dask.org/2019/01/13/dask-cudf-first-steps), 13 January 2019: one GPU and eight, and the disk as the limit.
# - [The Apache Parquet format](https://parquet.apache.org/docs/file-format/), and [nycflights13](https://github.com/tidyverse/nycflights13) by H. Wickham, public domain (CC0).
