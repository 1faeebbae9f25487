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
# # 13 · Dask dataframes: larger than memory
#
# *Unit 13 · dask-dataframes · 35 minutes, then 30 for the exercises*
#
# The tables of units 07 and 08 lay on one GPU, whole. What if a table is ten times as large as the memory that you have for it? It is cut into pieces, each piece is an ordinary cuDF table,
# and everything that can be done to a piece alone is easy. This unit is about the rest: what needs rows from **several** pieces, what has to travel for it, and how one key can spoil it all.
#
# ## What you will be able to do
#
# - **Arrange** a table as a dataset of Parquet files, and read of it only what a question needs.
# - **Say** before it runs which operations keep rows where they are and which send every row somewhere else.
# - **Group** and **merge** tables that no worker could hold, and watch them spill.
# - **Recognise** that one key has most of the rows (*skew*), and mend it in two ways.
# - **Avoid** the traps of a table in pieces: positions, order, what lies in which piece, wrong metadata.
# - **Decide** when one good engine on one machine does it better.
#
# You need units 07 and 08, and of 10 and 11 what a task graph and a worker are. It takes about a minute. Without a GPU all of it runs on two simulated ones.

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

from hundredfold import data, limit, plot
from hundredfold.data.storage import Storage

# %% [markdown]
# The cluster first, as in unit 11. So that our table is too large on any GPU, each worker may keep only **16 MiB** of results on its device; what is more moves to the host's memory: it *spills* (unit 11).

# %%
os.environ.setdefault("GPUSIM_GPUS", "2")  # where there is no GPU, simulate two
room = 16 * 2**20
cluster = LocalCUDACluster(device_memory_limit=room, dashboard_address=":0", silence_logs=logging.ERROR)
client = Client(cluster)
workers = sorted(client.scheduler_info(n_workers=-1)["workers"])

# %% [markdown]
# ## A table as a folder of files
#
# One year of flights is not large. So pretend that every year from 2014 to 2023 was exactly like 2013: the same rows ten times, each under its own year. (Sizes and times are then honest; what the
# numbers say about the world is the same year ten times.) Each year becomes a file in a folder of its own, `year=2014/` and so on. Readers take this for a column `year`, which stands in no file.
# Within a file there is a row group for about each month; we have met those in unit 07.

# %%
columns = ["month", "day", "carrier", "tailnum", "origin", "dest", "dep_delay", "arr_delay", "distance"]
one_year = pq.read_table(data.path("flights"), columns=columns)
lake = tempfile.mkdtemp()
files = {}
for year in range(2014, 2024):
    key = f"flights/year={year}/flights.parquet"
    files[key] = os.path.join(lake, key)
    os.makedirs(os.path.dirname(files[key]))
    pq.write_table(one_year, files[key], row_group_size=len(one_year) // 12 + 1)
folder = os.path.join(lake, "flights")
print(f"{len(files)} files, {sum(map(os.path.getsize, files.values())) / 1e6:.0f} MB")
print(f"decoded: {10 * one_year.nbytes / 1e6:.0f} MB, and a worker keeps {room / 1e6:.0f} MB")
assert 10 * one_year.nbytes > 10 * room

# %% [markdown]
# ### The backend in one line
#
# Dask's dataframe is one library for both kinds of memory. Which of them the pieces are in is told by one setting, `dataframe.backend`:

# %%
options = {"split_row_groups": 3}  # so many row groups of a file make one piece
for backend in ("pandas", "cudf"):
    with dask.config.set({"dataframe.backend": backend}):
        flights = dd.read_parquet(folder, **options)
    print(f"{backend:7} {type(flights._meta).__module__.partition('.')[0]:7} {flights.npartitions} partitions")
dask.config.set({"dataframe.backend": "cudf"})
print(list(flights.columns))

# %% [markdown]
# Nothing has been read yet but the files' ends, their *footers* (unit 07). `flights` is a plan: forty **partitions** (the pieces), each of them to be three row groups of a file, read by cuDF. `_meta` is an empty table that knows the names and types of
# the columns: Dask hands it through every step, to know what will come out. (`flights.to_backend("pandas")` changes sides within a plan; it costs the bus.)
#
# ## What is read
#
# To see what a plan fetches, put the files into a bucket on this machine that counts what it is asked for (unit 07). Who fetches? There are three ways, and they differ:
#
# | | who fetches | who decodes |
# |---|---|---|
# | pandas, `fsspec` (the default) | Arrow, through fsspec, piece by piece | Arrow |
# | cuDF, `fsspec` (the default) | fsspec: whole files, as unit 07 found | cuDF |
# | `filesystem="arrow"`, or Arrow's own client as here; either backend | Arrow | Arrow, then cuDF takes over |

# %%
some = {key: file for key, file in files.items() if key < "flights/year=2018"}  # four years are enough to see it
stored = sum(map(os.path.getsize, some.values()))
bucket = Storage(some)
print(f"{len(some)} files, {stored / 1e6:.0f} MB")
s3 = pyarrow.fs.S3FileSystem(anonymous=True, scheme="http", endpoint_override=bucket.endpoint, region="us-east-1")
readers = {
    "pandas, fsspec": ("pandas", ArrowFSWrapper(s3)),
    "cuDF, fsspec": ("cudf", ArrowFSWrapper(s3)),
    "cuDF, arrow": ("cudf", s3),
}


def fetched(name, question):
    """The answer to a question, and the bytes that were fetched for it."""
    backend, filesystem = readers[name]
    with dask.config.set({"dataframe.backend": backend, "scheduler": "threads"}):
        bucket.forget()
        answer = question(dd.read_parquet("lake/flights", filesystem=filesystem))  # the bucket is called lake
        return answer, bucket.nbytes


# %% [markdown]
# **Predict.** `len(flights)` has to be a number, so something must be done for it at once. The files of four years have 10 MB. How many of them are fetched for it, in MB? And for `len(flights[flights.arr_delay > 60])`?

# %%
my_megabytes, my_megabytes_late = 10, 10

# %%
rows, nbytes = fetched("cuDF, fsspec", len)
late, nbytes_late = fetched("cuDF, fsspec", lambda table: len(table[table.arr_delay > 60]))
print(f"len(flights) is {rows}: {nbytes / 1e6:.1f} MB fetched, and you said {my_megabytes} MB")
print(f"more than an hour late are {late}: {nbytes_late / 1e6:.1f} MB, and you said {my_megabytes_late} MB")
assert rows == 4 * len(one_year) and nbytes < nbytes_late / 20

# %% [markdown]
# **Explain.** How many rows a file has stands in its footer, so the length of a table *as it lies in its files* costs next to nothing. Of anything else, a selection, a merge, a group, nobody knows the length before it is there: **`len` computes**, all of
# it, and forgets the result. `if len(selected) > 0:` at the head of a program runs the program twice.
#
# ### Columns, rows and folders
#
# Now three questions that need less than the table: one of its files' nine columns; July, which is one row group or two in each file; and one year, which is one file in four.
#
# **Predict.** With the third reader, `"cuDF, arrow"`: which of these three fetches the least?

# %%
my_least = "one column"  # or "July", or "2016"

# %%
questions = {  # `meta` tells Dask what comes out of a function; more on that below
    "everything": lambda table: table.map_partitions(len, meta=("n", "int64")).compute().sum(),
    "one column": lambda table: table.arr_delay.sum().compute(),
    "July": lambda table: table[table.month == 7].arr_delay.sum().compute(),
    "2016": lambda table: table[table.year == 2016].arr_delay.sum().compute(),
}
print(f"{'':15}" + "".join(f"{question:>13}" for question in questions))
least = {}
for name in readers:
    answers, least[name] = {}, {}
    for question, ask in questions.items():
        answers[question], least[name][question] = fetched(name, ask)
    print(f"{name:15}" + "".join(f"{nbytes / 1e6:10.1f} MB" for nbytes in least[name].values()))
found = min(least["cuDF, arrow"], key=least["cuDF, arrow"].get)
print(f"the least with Arrow: {found}; you said {my_least}")
assert least["cuDF, arrow"]["July"] < least["cuDF, arrow"]["2016"] < least["cuDF, arrow"]["one column"] / 2

# %% [markdown]
# **Explain.** Dask reorders the plan before it runs, and what it finds depends on who reads:
#
# - **Columns** (*projection pushdown*). With each reader Dask asks for one column only. But the bytes fetched differ: pandas' way fetches exactly the column's pieces. Arrow fetches two pieces *and what lies between* if that is less than 4 MiB,
#   because asking once more takes longer than 4 MiB do; in files as small as ours that is nearly everything. fsspec for cuDF fetches files. (Of these nine columns cuDF then *decodes* one: on the device it is the same.)
# - **Rows** (*predicate pushdown*). Only with Arrow does the condition `month == 7` go down into the reading: it looks at the least and the greatest month of each row group and skips those where July cannot be. That works
#   because our files are sorted by month. `distance > 4000` would skip nothing: each row group has a Hawaii flight. With fsspec you have to say it: `dd.read_parquet(..., filters=[("month", "==", 7)])`.
# - **Folders.** `year` stands in no file, but in the paths. With Arrow, again, a condition on it leaves whole files unopened. So **partition a dataset by what is asked for most**, but not too finely: ten thousand files of a few kB cost more for opening than for reading.
#
# The other way round, a piece must not be too small either: by default cuDF's reader puts small files together and cuts large ones until a piece has about 1/32 of the device's memory. (`blocksize=` sets another size; we said `split_row_groups=3`.)

# %%
bucket.close()

# %% [markdown]
# ## What stays, what travels
#
# Back to the files on disk, and to the cluster. Look at the tasks of three plans: how many are there for the forty partitions, and what do they do?


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

# %% [markdown]
# - **Row by row** (a new column, a selection, `map_partitions`): each partition alone, one task for it, nothing travels.
# - **A tree.** Each partition is grouped by itself, which leaves 16 rows, each with a carrier's sum and count. Those travel, eight partitions' to one place at a time, until one is left, where sums are divided by counts: 40 + 5 + 1 tasks, and `getitem` takes the column. (The mean of means would be wrong: partitions do not have equally many flights of
#   each carrier.)
# - **A shuffle.** To have all flights of a plane in one place, every partition is *split*, to send something to every other. That is what joins, `set_index`, `sort_values` and some groupbys need, and where the time goes.
#
# Groups are no problem then, out of core or not, **as long as there are few**:

# %%
start = perf_counter()
by_carrier = flights.groupby("carrier").arr_delay.mean().compute()
took_groups = perf_counter() - start
one_table = cudf.DataFrame.from_arrow(one_year)
expected = one_table.groupby("carrier").arr_delay.mean().sort_index().to_pandas()
assert np.allclose(by_carrier.sort_index().to_pandas(), expected)
print(f"{len(by_carrier)} carriers of {len(flights)} flights in {took_groups:.1f} s")
print("in the order of the alphabet:", by_carrier.index.is_monotonic_increasing)

# %% [markdown]
# The key is in the index, as in pandas, and the groups stand in no order, as in unit 07.
#
# ### Very many groups
#
# Unit 07's other groupby was by ten million keys. Then the tree does not shrink anything: its last step holds *all* groups, on one worker. The remedy is **`split_out`**: the groups are dealt out by a hash of their key, to as many
# partitions as you say. (If you say nothing, Dask takes one for each 15 partitions when it optimises, or for each 10 if there are two keys: hence the `split_out=1` of the tree above.) Here are the miles of each plane in each month, in two of the years:
#
# **Predict.** `two_years.groupby(["tailnum", "month"]).distance.sum()`, without `split_out`: how many partitions has the result? And with `split_out=4`, how many times does one group occur?

# %%
my_result_partitions, my_times = 40, 4

# %%
two_years = flights.partitions[:8]
by_plane = two_years.groupby(["tailnum", "month"]).distance
whole, dealt = by_plane.sum(), by_plane.sum(split_out=4)
sizes = dealt.map_partitions(len).compute().to_numpy().tolist()
print(f"without: {whole.npartitions} partition; with: {dealt.npartitions}, of {np.mean(sizes):.0f} groups on average")
assert max(sizes) < 1.2 * np.mean(sizes)
assert sum(sizes) == one_table.dropna(subset=["tailnum"]).drop_duplicates(["tailnum", "month"]).shape[0]
print(f"each group once: {sum(sizes)} in all; you said {my_result_partitions} and {my_times} times")

# %% [markdown]
# ## The shuffle, twice
#
# There are two ways to send everything everywhere.
#
# - **`"tasks"`**: each partition is split, and pieces that belong together are put together. All of it is ordinary tasks, each of which the scheduler knows. Up to 32 partitions everything goes to its place at once, which makes about $p^2$ of them for $p$ partitions;
#   beyond that in rounds, in which pieces go to few places only, are put together and split again: about $p \log p$.
# - **`"p2p"`** (peer to peer, the default where there is a cluster): the workers send rows straight to the worker that will have them, in batches, and write them to **disk** meanwhile. A few tasks for each partition, whatever $p$ is.
#
# **Predict.** Between 40 partitions: how many tasks does each way need?

# %%
my_tasks, my_p2p = 1600, 1600

# %%
slim = flights[["tailnum", "arr_delay"]]
counts = {}
for partitions in (5, 10, 20, 40):
    part = slim.partitions[:partitions]
    for method in ("tasks", "p2p"):
        plan = part.shuffle("tailnum", shuffle_method=method, npartitions=partitions)
        counts[method, partitions] = len(plan.optimize().__dask_graph__())
assert counts["tasks", 20] > 3 * counts["tasks", 10] and counts["tasks", 40] < 2 * counts["tasks", 20]
print(f"40 partitions: {counts['tasks', 40]} tasks by tasks, {counts['p2p', 40]} by p2p")
print(f"you said {my_tasks} and {my_p2p}")

# %%
pieces = [5, 10, 20, 40]
plot.lines(
    pieces,
    {method: [counts[method, each] for each in pieces] for method in ("tasks", "p2p")},
    xlabel="partitions",
    ylabel="tasks",
    title="What the scheduler has to know of one shuffle",
    note="Counted in the optimised graphs. At about a millisecond for each task (unit 10), ten thousand are ten seconds.",
)

# %% [markdown]
# **Explain.** By tasks twice the partitions need more than three times the tasks, until rounds begin: from 20 to 40 they do not even double. p2p takes three for each (read, send, unpack) and one on which all wait: the rows themselves are no business of the scheduler's.
#
# ### Merge, out of core
#
# Now unit 08's table: numbers drawn at random from as many as there are rows, merged with itself. Each row finds two on average, and has three columns then: what comes out is half as large again as both sides that go in, and more than both workers'
# devices may keep.

# %%
n = 1_000_000
rng = np.random.default_rng(seed=8)
numbers = os.path.join(lake, "numbers")
os.makedirs(numbers)
for part in range(8):
    table = pa.table({"id": rng.integers(0, n, n // 8), "x": rng.random(n // 8)})
    pq.write_table(table, os.path.join(numbers, f"{part}.parquet"))
table = dd.read_parquet(numbers, blocksize=None)
print(f"in: {2 * 16 * n / 1e6:.0f} MB; out: {2 * 24 * n / 1e6:.0f} MB; room for each worker: {room / 1e6:.0f} MB")

# %%
ids = np.concatenate(
    [pq.read_table(os.path.join(numbers, name))["id"].to_numpy() for name in sorted(os.listdir(numbers))]
)
expected = int(
    (np.bincount(ids, minlength=n).astype("int64") ** 2).sum()
)  # counted before it is joined, as unit 08 has it
merge_times = {}
for method in ("tasks", "p2p"):
    start = perf_counter()
    got = len(table.merge(table, on="id", shuffle_method=method))
    merge_times[method] = perf_counter() - start
    print(f"{method:6} {got} rows in {merge_times[method]:.1f} s")
    assert got == expected

# %% [markdown]
# `len` took the rows where they lay, so the result was never in one place. Had we said `.compute()`, all of it would have come to *this* process. Out of core means: **aggregate, or write** (`to_parquet`), but do not fetch.
#
# ### Watch it spill
#
# `persist` keeps all partitions on the workers. There is no room for them on the devices, so see where they go, year by year.
#
# **Predict.** After all ten years: how many of the 40 partitions lie in the *host's* memory?

# %%
my_host_partitions = 20

# %% [markdown]
# **Measure.**


# %%
def kept(dask_worker):
    """Bytes of results on the device and in the host's memory of a worker."""
    store = dask_worker.data
    return [sum(sizeof(value) for value in level.values()) for level in (store.device, store.host)]


on_device, on_host, held = [], [], []
for years in range(1, 11):
    held.append(flights.partitions[4 * (years - 1) : 4 * years].persist())
    wait(held)
    both = np.array(list(client.run(kept).values())).sum(axis=0)
    on_device.append(both[0] / 1e6)
    on_host.append(both[1] / 1e6)
assert max(on_device) <= len(workers) * room / 1e6 + 5 and on_host[-1] > on_device[-1]
spilled = sum(client.run(lambda dask_worker: len(dask_worker.data.host)).values())
print(f"on the host {spilled} of {flights.npartitions} partitions; you said {my_host_partitions}")

# %%
plot.lines(
    list(range(1, 11)),
    {"on the devices": on_device, "spilled to the host": on_host},
    xlabel="years persisted",
    ylabel="MB",
    title=f"{len(workers)} workers with 16 MiB each",
    note="Read from the workers' stores after each year. On the dashboard: the bars of worker memory.",
    brief=True,
)

# %%
total = sum(map(int, dask.compute(*[part.distance.sum() for part in held])))
print("and the sum is still right:", total == 10 * int(one_table.distance.sum()))
held = None

# %% [markdown]
# **Explain.** On the devices stays what they may keep, and all the rest goes to the host. Each partition came back over the bus to be summed, and another one had to leave for it. So persist what fits, and stream what does not: to read a column from Parquet again may well be faster than to have had it spilled.
#
# ## A small table goes everywhere
#
# Which plane flew? `planes` has 3 322 rows. To shuffle 3.4 million flights for them would be folly.
#
# **Predict.** How many tasks has the merge of the flights' 40 partitions with a `planes` of one partition?

# %%
my_merge_tasks = 200

# %%
planes = dd.read_parquet(data.path("planes"))[["tailnum", "seats"]]
joined = slim.merge(planes, on="tailnum", how="left")
print(f"planes in {planes.npartitions} partition: {tasks(joined).total()} tasks, you said {my_merge_tasks}")
cut = planes.repartition(npartitions=4)
for said, plan in {
    "planes in 4": slim.merge(cut, on="tailnum", how="left", broadcast=False),
    "planes in 4, broadcast=True": slim.merge(cut, on="tailnum", how="left", broadcast=True),
}.items():
    print(f"{said:28} {tasks(plan).total()} tasks")
assert len(joined.partitions[:4]) == len(one_year)

# %% [markdown]
# **Explain.** A table of **one partition** is sent whole to wherever a piece of the other is: each piece is merged where it lies. With several partitions Dask weighs up the sizes, and `broadcast=True` or `repartition(npartitions=1)` decide it. What
# is sent has to fit beside a piece, on every worker. (132 tasks are fewer than 299, and yet the worse plan: they are p2p's, and through them goes every flight. Count tasks to know what the *scheduler* has to do; ask what travels to know what the
# *wires* have.)
#
# ## One key has most of the rows
#
# An import script had a default: where it could not read the tail number, it wrote `"UNKNOWN"`. Suppose that it was right in two cases of five. (Made so, on purpose: the real table has null in 0.7 % of the rows.)


# %%
def spoil(part):
    """Three of five tail numbers are unknown."""
    good = cudf.Series(np.arange(len(part)) % 5 < 2, index=part.index)
    return part.assign(tailnum=part.tailnum.where(good, "UNKNOWN"))


one = slim.partitions[:4]
skewed = one.map_partitions(spoil, meta=slim._meta)
before = one.shuffle("tailnum", npartitions=8).map_partitions(len).compute().to_numpy()
after = skewed.shuffle("tailnum", npartitions=8).map_partitions(len).compute().to_numpy()

# %% [markdown]
# **Predict.** One year, shuffled by tail number into 8 partitions: how many times as large as the mean is the largest partition?

# %%
my_times = 1.5

# %%
print(f"as it was: {before.max() / before.mean():.1f}× the mean")
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
# **Explain.** A shuffle sends equal keys to the same place, so the place of `"UNKNOWN"` gets 60 % of the table, on one worker, while the others wait. More partitions do not help, nor do more workers: **skew** is a limit of the data. On the dashboard it looks like this:
# all is done but one long bar.
#
# A groupby does not mind: each partition first makes *one* row of all its UNKNOWNs. Only what needs the rows themselves does: a merge, `apply` on groups, `set_index`. There are two remedies.
#
# **Broadcast** the other table, if it is small: then nothing is shuffled at all. **Salt** otherwise: add a random number to the key of the large side, so that UNKNOWN becomes eight keys, and let the *other* side have each of its rows eight times, once for each number:

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
mended = salted.shuffle(["tailnum", "salt"], npartitions=8).map_partitions(len).compute().to_numpy()
print(f"salted: the largest partition has {mended.max() / mended.mean():.1f}× the mean")
found = len(skewed.merge(planes, on="tailnum"))  # planes has one partition: broadcast
by_salt = len(salted.merge(repeated, on=["tailnum", "salt"], broadcast=False))
print(f"rows of the merge: {found} by broadcast, {by_salt} by salt")
assert found == by_salt
assert mended.max() < after.max() / 2

# %% [markdown]
# Why not 1.0×? The 8 salted keys are dealt to 8 places by a hash, and some meet. More salts make it more even, and the other table larger. And why `% salts` and not a random number? A task may run twice, when a worker was lost; what it does must be the same each time.
#
# ## Traps of a table in pieces
#
# **Predict.** `year` has the 4 partitions of one year. How many rows has `year.reset_index(drop=True).loc[0]`?

# %%
my_rows = 1

# %%
year = flights[["distance", "arr_delay"]].partitions[:4]
first = year.reset_index(drop=True).loc[0].compute()
print(f"{len(first)} rows; you said {my_rows}")

# %% [markdown]
# **Explain.** Each partition counts from 0, and nobody knows before they are read how many rows stand before it. There is no `iloc[5]` either, for the same reason. (`cumsum` does run over the whole column: each piece is summed, and the next is told what lies before.) Rows of such a table are known by their *values*.
#
# ### Divisions
#
# A plan may know which values of the index are in which partition: its **divisions**. Files read as ours were have none: they are *unknown*.

# %%
print("known:", flights.known_divisions, flights.divisions[:3])
try:
    flights.repartition(divisions=[0, 100_000, 336_776]).optimize()
except ValueError as error:
    print("ValueError:", error)
by_distance = year.set_index("distance")
print("after set_index:", by_distance.known_divisions, "in", by_distance.npartitions, "partitions")
hawaii = by_distance.loc[4983]
print(f"loc finds {len(hawaii)} flights of 4983 miles")

# %% [markdown]
# `set_index` looks at the whole column first, to cut it into equal parts, and then shuffles: the most expensive line there is. What it buys: `loc` reads one partition, a merge by index needs no shuffle. Pay it once and write the result with `to_parquet`; read with `calculate_divisions=True`, the files know it.
#
# ### First of what?
#
# `head` looks at the **first partition** only (`npartitions=-1`: at all of them), also for what has been selected or grouped. `sort_values` sorts all for the sake of three. `nlargest` is a tree: three of each partition.

# %%
print(
    "head(1000):",
    len(year[year.distance > 4962].head(1000)),
    "of",
    int((one_table.distance > 4962).sum()),
    "flights to Hawaii",
)
print("nlargest:  ", year.nlargest(3, "arr_delay").compute().arr_delay.to_numpy().tolist())
last = year.sort_values("arr_delay", ascending=False).head(3)
print("sort_values:", last.arr_delay.to_numpy().tolist(), "the same, after a shuffle")

# %% [markdown]
# ### Metadata
#
# To plan on, Dask must know what your function makes. It calls it with a table of *two made-up rows* and looks. A function that cannot bear those must be explained by `meta=`, and what is said there is believed, until a partition disagrees. (The second `meta` here is wrong on purpose.)


# %%
def of_one_plane(part):
    """The first flight of a plane, which is expected in every piece."""
    return part[part.tailnum == "N725MQ"].iloc[[0]]


for meta in ({}, {"meta": slim._meta[["arr_delay"]]}):
    try:
        one.map_partitions(of_one_plane, **meta).compute()
    except (ValueError, IndexError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        print(f"{type(error).__name__}: {lines[0]}")
found = one.map_partitions(lambda part: part[part.tailnum == "N725MQ"].head(1)).compute()
print(f"written so that it bears no row: {len(found)} of {one.npartitions} partitions know that plane")

# %% [markdown]
# ## Beside the strongest
#
# **Measure.** The same question, the mean delay by carrier over 3.4 million flights in ten files, for one process with all cores of this machine: Polars with its streaming engine, and DuckDB with 64 MB, about twice what our workers may keep on their devices. Neither holds the table either.

# %%
pattern = os.path.join(folder, "**", "*.parquet")
database = duckdb.connect(config={"memory_limit": "64MB", "temp_directory": lake, "preserve_insertion_order": False})
query = f"select carrier, avg(arr_delay) from read_parquet('{pattern}') group by carrier"
lazy = pl.scan_parquet(pattern).group_by("carrier").agg(pl.col("arr_delay").mean())
ways = {
    "Dask + cuDF": lambda: len(flights.groupby("carrier").arr_delay.mean().compute()),
    "pandas, file by file": lambda: len(file_by_file()),
    "Polars, streaming": lambda: lazy.collect(engine="streaming").height,
    "DuckDB": lambda: len(database.sql(query).fetchall()),
}


def file_by_file():
    """What Dask does, by hand and on one core."""
    wanted = ["carrier", "arr_delay"]
    parts = [pq.read_table(name, columns=wanted).to_pandas().groupby("carrier").arr_delay.agg(["sum", "count"]) for name in files.values()]  # fmt: skip
    total = sum(parts)
    return total["sum"] / total["count"]


times = {}
for name, way in ways.items():
    start = perf_counter()
    assert way() == 16
    times[name] = perf_counter() - start

# %%
wanted = sum(
    group.column(place).total_compressed_size
    for name in files.values()
    for footer in [pq.ParquetFile(name).metadata]
    for group in map(footer.row_group, range(footer.num_row_groups))
    for place in range(group.num_columns)
    if group.column(place).path_in_schema in ("carrier", "arr_delay")
)
least = limit(bytes=wanted)
marks = [plot.Row(f"here: {name}", seconds, "here") for name, seconds in times.items()]
marks.append(plot.Row(f"limit: {least.machine}, the two columns read once", least.seconds, "limit"))
strongest = min(times["Polars, streaming"], times["DuckDB"])
ours = times["Dask + cuDF"]
plot.times(
    marks,
    title="Mean delay by carrier, ten files",
    note="No published figure exists for this question, and none is recorded on a GPU yet.",
    below=[
        f"Dask + cuDF: {ours / least.seconds:.0f}× the limit, {ours / strongest:.0f}× the strongest CPU way, "
        f"{ours / times['pandas, file by file']:.0f}× the naive one."
    ],
)

# %% [markdown]
# **Explain.** On a laptop this is no contest, and on a GPU it would hardly be one: the two columns are a few MB. A plan costs about a millisecond for each task, before any row is touched; these engines have neither tasks nor processes, and stream from the same files. (Without a GPU
# *Dask + cuDF* is the simulation besides, and its time means nothing.)
#
# ## Where the GPU loses
#
# And the cluster with it:
#
# - **What one machine can stream.** Polars and DuckDB go through tables far larger than memory, and they read only what they need. Try them first, always.
# - **Little to do for each byte.** A sum or a mean is limited by storage. More workers help when each has storage of its own; one disk is not faster for being asked by eight. Unit 07 has the rates at which the
#   taxi trips of a year were read from CSV files in 2019, with Dask: eight GPUs were not eight times as fast as one.
# - **Shuffles.** Each row crosses a wire. What eight workers with 10 Gbit/s each can exchange in a second, the memory of one GPU reads in a hundredth of it:

# %%
one_gpu, eight_gpus = 900e6, 2000e6  # bytes a second: M. Rocklin, 13 January 2019, see below
print(f"published, reading CSV: 8 GPUs were {eight_gpus / one_gpu:.1f} times as fast as 1")
wire, memory = 8 * 10e9 / 8, 900e9
print(f"8 workers' wires: {wire / 1e9:.0f} GB/s; one V100's memory: {memory / 1e9:.0f} GB/s, {memory / wire:.0f}×")

# %% [markdown]
# What is it for, then? For tables that no machine holds *and* that have to be shuffled; for data that lie with the workers already; for GPUs that you have, connected directly (by NVLink); and for pipelines whose other steps are on the GPU anyway.

# %%
client.close()
cluster.close()
shutil.rmtree(lake)

# %% [markdown]
# ## Key points
#
# - A Dask dataframe is a plan over ordinary tables. `len`, `head`, `compute`, `persist`, `to_parquet` run it; `set_index` and `sort_values` run a column of it, to find the divisions.
# - Lay files out by what is asked: folders for what is selected most, rows sorted within. Columns are pushed down by every reader, conditions by Arrow's, `filters=` by all.
# - **Row by row** costs nothing, **a tree** little, **a shuffle** everything. Many groups: `split_out`. Small table: one partition, sent everywhere.
# - p2p has few tasks and writes to disk; by tasks there are many more. Aggregate or write what is large; do not fetch it.
# - Skew is seen in the sizes of partitions. Broadcast, or salt one side and repeat the other.
# - No positions, no order, unknown divisions; a function must bear two made-up rows.
# - Polars, streaming, and DuckDB are the ones to beat, on one machine.
#
# ## The exercise
#
# Six problems, 30 minutes: [exercises/13_dask-dataframes.ipynb](../exercises/13_dask-dataframes.ipynb).
#
# ## Further reading
#
# - Dask's documentation: [DataFrames best practices](https://docs.dask.org/en/stable/dataframe-best-practices.html), [Parquet](https://docs.dask.org/en/stable/dataframe-parquet.html), [shuffling](https://docs.dask.org/en/stable/dataframe-groupby.html).
# - [Dask cuDF](https://docs.rapids.ai/api/dask-cudf/stable/): the backend, and best practices of its own.
# - H. Makait, [Shuffling large data at constant memory in Dask](https://blog.dask.org/2023/03/15/shuffling-large-data-at-constant-memory/), 15 March 2023: what was wrong with tasks, and how p2p came about.
# - [The Apache Parquet format](https://parquet.apache.org/docs/file-format/): row groups, statistics, footers.
# - M. Rocklin, [Dask, Pandas, and GPUs: first steps](https://blog.dask.org/2019/01/13/dask-cudf-first-steps), 13 January 2019: eight GPUs on one question, and the disk as the limit.
# - [nycflights13](https://github.com/tidyverse/nycflights13) by H. Wickham, public domain (CC0).
