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
# # 17 · Polars on the GPU: a query, its plan, its engine
#
# *Unit 17 · polars · 45 minutes, then 45 for the exercises; the optional parts are not counted*
#
# In pandas and cuDF you write steps, and each step runs. In **Polars** you write a query. Polars sees all of it before anything runs, makes it cheaper, and gives it to an engine. One of the engines is a GPU.
#
# ## What you will be able to do
#
# - **Write** a query with Polars, if you know pandas.
# - **Read** its plan, and count the bytes that the plan saves.
# - **Run** it on a GPU, and find out whether it really ran there.
# - **Replace** expressions that the GPU engine refuses.
# - **Choose** between pandas, cudf.pandas, cuDF, Polars, DuckDB and Dask.
#
# You need units 07 and 08. Two examples come from unit 13, and the section on Dask refers to units 10 to 13. The cells need less than half a minute, with or without a GPU.

# %%
# %load_ext hundredfold

# %%
import os
import re
import tempfile
import warnings

import cudf
import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
from polars.testing import assert_frame_equal

from hundredfold import data, machine, measure, plot, quiz
from hundredfold.data.storage import Storage

# %% [markdown]
# ## A query instead of steps
#
# ![Two programs that read, filter and group. In pandas each step runs at once and makes a table for the next one. In Polars the steps are noted as a plan.
# Only collect runs it, and it makes the result alone.](drawings/steps-or-query.svg)
#
# A plan that waits is a **[lazy frame](../docs/glossary.md#term-lazy-frame)**. An **[expression](../docs/glossary.md#term-expression)** such as `pl.col("arr_delay").mean()` is a computation on columns, not yet done. This table translates from pandas:
#
# | pandas | Polars |
# |---|---|
# | `pd.read_parquet(file)` reads the file | `pl.scan_parquet(file)` notes that it will be read |
# | `df[df.x > 0]` | `.filter(pl.col("x") > 0)` |
# | `df.assign(y=df.x + 1)` | `.with_columns(y=pl.col("x") + 1)` |
# | `df.groupby("k").agg(y=("x", "mean"))` | `.group_by("k").agg(pl.col("x").mean().alias("y"))` |
# | `df.sort_values("x", ascending=False)` | `.sort("x", descending=True, nulls_last=True)` |
# | an index | no index; a key is a column |
# | each line runs at once | `.collect()` runs the query |
#
# The flights of unit 07, once more. How late was each carrier in July?

# %%
file = str(data.path("flights"))
flights = pl.scan_parquet(file)
july = flights.filter(pl.col("month") == 7)
delays = july.group_by("carrier").agg(pl.col("arr_delay").mean().alias("delay")).sort("delay")
print(type(delays).__name__)

# %% [markdown]
# **Question.** The file has 336 776 rows, 29 425 of them in July. How many rows has Polars read so far?
#
# - (a) 336 776
# - (b) 29 425
# - (c) none

# %%
my_answer = "?"
quiz("polars.lazy", my_answer)

# %%
delays.collect().head(3).with_columns(pl.col("delay").round(1))

# %% [markdown]
# Groups and joined rows come in no fixed order, as in cuDF, so sort them. A missing value is null, and integers with nulls stay integers.
#
# ## The plan
#
# `explain` shows the plan, to be read from the bottom to the top. First as we wrote it, and then as Polars runs it:

# %%
none = pl.QueryOptFlags.none()
for name, plan in (("as written", delays.explain(optimizations=none)), ("optimised", delays.explain())):
    print(f"--- {name}\n{plan.replace(file, 'flights.parquet')}")

# %% [markdown]
# ![Two plans, to be read from the bottom to the top. As written: scan 19 columns, keep the rows of July, group by carrier. Optimised: the scan reads 3 columns and the
# rows of July, and then the rows are grouped. The filter and the choice of columns have moved into the scan.](drawings/plan-moves.svg)
#
# Two things moved into the scan. Such a move is called **[pushdown](../docs/glossary.md#term-pushdown)**:
#
# - **Projection pushdown**: the scan reads three columns, `PROJECT 3/19`. The query needs no others. `π` is a projection: it drops `month` after the filter.
# - **Predicate pushdown**: the scan gets the filter, `SELECTION`. It skips row groups whose smallest and largest month, noted in the footer, exclude July.
#
# **Predict.** The file has 12 row groups, one for each month, and 19 columns: 228 pieces (Parquet calls them *column chunks*). How many pieces does the optimised query need?

# %%
my_pieces = "?"

# %% [markdown]
# **Measure.** The footer has the size of each piece. The next cell adds up the bytes of the pieces that are needed. It also serves the file from an object storage on this machine, as in unit 07. The storage counts the bytes that Polars really fetches.

# %%
metadata = pq.ParquetFile(file).metadata
wanted = {"carrier", "month", "arr_delay"}
needed = dict.fromkeys(("none", "columns", "both"), 0)
for row_group in range(12):
    for k in range(19):
        piece = metadata.row_group(row_group).column(k)
        needed["none"] += piece.total_compressed_size
        needed["columns"] += piece.total_compressed_size * (piece.path_in_schema in wanted)
        needed["both"] += piece.total_compressed_size * (piece.path_in_schema in wanted and row_group == 6)

bucket = Storage({"flights.parquet": file})
address = {"aws_endpoint_url": f"http://{bucket.endpoint}", "aws_allow_http": "true"}
address |= {"aws_region": "us-east-1", "aws_skip_signature": "true"}
far = pl.scan_parquet("s3://lake/flights.parquet", storage_options=address)
far.collect_schema()  # fetches the footer
far_july = far.filter(pl.col("month") == 7).group_by("carrier").agg(pl.col("arr_delay").mean())
only_columns = pl.QueryOptFlags.none()
only_columns.projection_pushdown = True
fetched = {}
for name, flags in {"none": none, "columns": only_columns, "both": pl.QueryOptFlags()}.items():
    bucket.forget()
    assert far_july.collect(optimizations=flags).height == 15
    fetched[name] = bucket.nbytes
    print(f"{name:8} needs {needed[name] / 1e3:5.0f} kB, fetches {fetched[name] / 1e3:5.0f} kB")
bucket.close()
assert fetched["none"] > fetched["columns"] > fetched["both"] > needed["both"]
print(f"you said {my_pieces} pieces; the query needs 1/{needed['none'] / needed['both']:.0f} of the bytes")

# %% [markdown]
# ![The same Parquet file three times, each with 12 row groups below each other and 19 columns. Without optimisation all 228 pieces are needed. When only the
# columns are chosen, three columns of all row groups are needed, 36 pieces. When the rows are chosen too, three pieces of one row group are
# needed. In each row group the six pieces between the three are hatched: Polars fetches them as well.](drawings/pieces-read.svg)
#
# **Explain.** The query needs three pieces. Polars fetches nine: it takes the six between them as well. Even so, the plan saves most of the bytes.
# Every engine gets the optimised plan. So you have this saving without a GPU, too.
#
# **Question.** In front of the filter you add one of these steps. Which one makes Polars read the whole file?
#
# - (a) `.sort("arr_delay")`
# - (b) `.collect().lazy()`
# - (c) `.select("month", "carrier", "arr_delay")`

# %%
my_answer = "?"
quiz("polars.moved", my_answer)

# %% [markdown]
# ## On the GPU
#
# One argument changes the engine:

# %%
on_gpu = delays.collect(engine="gpu")
assert_frame_equal(on_gpu, delays.collect())
print(type(on_gpu).__name__, on_gpu.shape)

# %% [markdown]
# ![The way of a query that is collected with engine gpu. Polars optimises the plan. The translator of cudf-polars looks at every step and every expression. If
# all are supported, the GPU runs the query. If one is not, Polars' CPU engine runs all of it, or an error is raised if you asked for
# that.](drawings/who-runs-it.svg)
#
# The package `cudf-polars` translates the optimised plan into calls of libcudf, the library inside cuDF. It takes a query as a whole, or not at all.
#
# Without a GPU the course installs the **real translator**. So you see the real refusals. Polars' CPU engine then computes the queries that are taken, and no time here is a GPU's.
#
# **Question.** Where is the result of `delays.collect(engine="gpu")`?
#
# - (a) in the GPU's memory, as a table of cuDF
# - (b) in the host's memory, as a DataFrame of Polars
# - (c) in a file

# %%
my_answer = "?"
quiz("polars.result", my_answer)

# %% [markdown]
# ![Two timelines of rows for file and memory of the host, bus, and GPU. First two queries: each sends its columns up, runs on the GPU, and brings its result back.
# Then one query that does both: the columns go up once.](drawings/query-trip.svg)
#
# So put related steps into **one query**. Begin it with a scan: then only the columns and row groups that it needs go up.
#
# ## Fallbacks
#
# *A good place for a pause.*
#
# A query that the translator refuses **[falls back](../docs/glossary.md#term-fall-back)**: Polars runs all of it on the CPU, and does not tell you. With `raise_on_fail=True` you get an error with the reasons instead:

# %%
strict = pl.GPUEngine(raise_on_fail=True)


def why(query):
    """Collect a query on the GPU engine. Return the first reason why it is refused, and "" if it is not."""
    try:
        query.collect(engine=strict)
    except pl.exceptions.ComputeError as error:
        # the first line after "The errors were:"
        return re.search(r"The errors were:\\n- (.*?)(\\n|['\"], \[)", str(error))[1]
    return ""


print(why(delays) or "the GPU engine takes it")
print(why(flights.select(pl.col("arr_delay").cut([0, 60]))))

# %% [markdown]
# `cut` gives an `Enum`, a type that libcudf does not have. Here are ten queries of units 07, 08 and 13:

# %%
planes = pl.scan_parquet(data.path("planes"))
weather = pl.scan_parquet(data.path("weather")).select("origin", "time_hour", "temp").sort("time_hour")
delay, time = pl.col("arr_delay"), pl.col("time_hour")
by_day = flights.group_by(time.dt.date().alias("day")).agg(delay.mean()).sort("day")
points = {"UA": 2, "AA": 1}


def bonus(carrier):
    return points.get(carrier, 0)


queries = {
    "07 mean and number by carrier": flights.group_by("carrier").agg(delay.mean(), pl.len()),
    "07 90 % quantile by carrier": flights.group_by("carrier").agg(delay.quantile(0.9)),
    "07 a Python function": flights.select(pl.col("carrier").map_elements(bonus, return_dtype=pl.Int64)),
    "07 classes of delay by cut": flights.group_by(delay.cut([0, 15, 60])).len(),
    "08 flights with their planes": flights.join(planes, on="tailnum", how="left"),
    "08 last report before a flight": flights.sort(time).join_asof(weather, on="time_hour", by="origin"),
    "08 mean of seven days": by_day.with_columns(delay.rolling_mean(7)),
    "08 days by group_by_dynamic": flights.sort(time).group_by_dynamic(time, every="1d").agg(delay.mean()),
    "13 the three latest": flights.top_k(3, by=delay),
    "13 a random salt": flights.with_columns(salt=pl.int_range(pl.len()).shuffle(seed=1) % 4),
}

# %% [markdown]
# **Predict.** How many of the ten fall back?

# %%
my_refused = "?"

# %%
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of join_asof, which cannot see that each origin's reports are sorted
    reasons = {name: why(query) for name, query in queries.items()}
for name, reason in reasons.items():
    print(f"{name:31} {reason.removeprefix('NotImplementedError: ')[:66] or 'GPU'}")
print(f"{sum(map(bool, reasons.values()))} fall back; you said {my_refused}")

# %% [markdown]
# **Explain.** A Python function is an *anonymous function* to the translator: it cannot look into it. At `join_asof` it ends in a `TypeError` of its own, which is no clear reason. It has no translation of `cut`, `group_by_dynamic` and `int_range`.
#
# The list changes with each version. These answers are of cudf-polars 26.10. So ask, and do not learn the list.
#
# **Question.** A query has ten steps. The GPU engine supports all but the eighth. How many steps run on the GPU?
#
# - (a) nine
# - (b) seven, those before it
# - (c) none

# %%
my_answer = "?"
quiz("polars.none", my_answer)

# %% [markdown]
# ![Five steps in a row, of which the fourth is unknown to the GPU. Under cudf.pandas that step alone runs on the CPU. With Polars all five run on the CPU. If the query is cut in
# two, the first three run on the GPU and the last two on the CPU.](drawings/all-or-nothing.svg)
#
# Often another expression has the same meaning. Here `condition` is a comparison, such as `pl.col("x") > 60`:
#
# | refused | taken |
# |---|---|
# | `map_elements(function)`, `cut(…)` | `pl.when(…).then(…).when(…).then(…).otherwise(…)` |
# | `replace_strict(mapping)` | `replace_strict(mapping, default=…)` |
# | `group_by_dynamic("time", every="1d")` | `group_by(pl.col("time").dt.truncate("1d"))` |
# | `.agg(pl.col("x").filter(condition).len())` | `.agg(condition.sum())` |
#
# The first `when` that is true counts. A comparison with null is not true. A text is `pl.lit("late")`, since `then("late")` takes a column of this name.

# %%
with_function = queries["07 a Python function"]
with_mapping = flights.select(pl.col("carrier").replace_strict(points, default=0, return_dtype=pl.Int64))
print(f"function: {why(with_function)}; mapping: {why(with_mapping) or 'GPU'}")
assert with_function.collect().equals(with_mapping.collect())

classes = pl.when(delay <= 15).then(pl.lit("in time")).when(delay > 15).then(pl.lit("late"))
with_when = flights.group_by(classes.alias("class")).len()
print(f"cut: {why(queries['07 classes of delay by cut'])[:37]}…; when: {why(with_when) or 'GPU'}")

# %% [markdown]
# **Question.** You need the mean delay of each hour and airport, and for each of them the last weather report before it. What do you do with `join_asof`?
#
# - (a) add `raise_on_fail=True`
# - (b) replace it by another expression
# - (c) cut the query in two before it

# %%
my_answer = "?"
quiz("polars.asof", my_answer)

# %%
hourly = flights.group_by("origin", "time_hour").agg(delay.mean()).sort("time_hour")
few = hourly.collect(engine=strict)  # many rows become few
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    joined = few.lazy().join_asof(weather, on="time_hour", by="origin").collect()
print(f"{len(few):,} rows go on from the GPU to the CPU, of {flights.select(pl.len()).collect().item():,}")

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: a warning in place of an error
#
# With `POLARS_VERBOSE=1` in the environment, `engine="gpu"` falls back and warns of it. Polars then also writes what it does to the terminal, which is a lot. So we do it in a process of its own, and print the warning alone:

# %%
# %%fresh
import os
import warnings

import polars as pl

os.environ["POLARS_VERBOSE"] = "1"
query = pl.LazyFrame({"x": [1.0, 2.0]}).select(pl.col("x").ewm_mean(alpha=0.5))
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    query.collect(engine="gpu")
for each in seen:
    print(each.category.__name__, str(each.message).splitlines()[-1])

# %% [markdown]
# ## An honest race
#
# **Measure.** Four copies of the flights are in one Parquet file of 1.3 million rows. From the file to the result: the mean delay by carrier and destination, of flights over 500 miles.
#
# `cudf.pandas` needs a process of its own (unit 07). It writes its time into a file:

# %%
folder = tempfile.TemporaryDirectory()
years = os.path.join(folder.name, "years.parquet")
few_columns = flights.select("month", "carrier", "dest", "tailnum", "arr_delay", "distance")
pl.concat([few_columns] * 4).sink_parquet(years)
os.environ["YEARS"] = years
columns = ["carrier", "dest", "arr_delay", "distance"]

# %%
# %%fresh
import os
from time import perf_counter

import cudf.pandas

cudf.pandas.install()
import pandas as pd

for _ in range(2):  # the first call warms up
    start = perf_counter()
    table = pd.read_parquet(os.environ["YEARS"], columns=["carrier", "dest", "arr_delay", "distance"])
    means = table[table.distance > 500].groupby(["carrier", "dest"]).arr_delay.mean()
    seconds = perf_counter() - start
with open(os.environ["YEARS"] + ".seconds", "w") as file:
    file.write(str(seconds))
print(len(means), "groups")


# %%
def in_steps(library):
    table = library.read_parquet(years, columns=columns)
    return len(table[table.distance > 500].groupby(["carrier", "dest"]).arr_delay.mean())


long = pl.scan_parquet(years).filter(pl.col("distance") > 500)
query = long.group_by("carrier", "dest").agg(pl.col("arr_delay").mean())
sql = f"select carrier, dest, avg(arr_delay) from '{years}' where distance > 500 group by all"
simulated = " (simulated)" if machine.mode() == "simulated" else ""
ways = {
    "pandas": lambda: in_steps(pd),
    "DuckDB": lambda: len(duckdb.sql(sql).fetchall()),
    "Polars, streaming": lambda: query.collect(engine="streaming").height,
    f"Polars, GPU{simulated}": lambda: query.collect(engine=strict).height,
    f"cuDF{simulated}": lambda: in_steps(cudf),
}
times = {}
for name, way in ways.items():
    took = measure(way, name=name, repeat=2, min_time=0)
    assert took.value == 226
    times[f"here: {name}"] = took.median
with open(years + ".seconds") as written:
    times[f"here: cudf.pandas{simulated}"] = float(written.read())
note = "Measured on this CPU; no GPU took part." if simulated else None
plot.times(times, title="From a file of 1.3 million rows to the result", note=note)

# %% [markdown]
# **Explain.** Polars and DuckDB read only what the query needs, with all cores. Polars' **streaming engine** reads the table part by part. pandas got its columns named by hand, and uses one core for the most part. A time marked *simulated* is this CPU's time, too.
#
# We have not measured this query on a GPU, and we found no source that ran one query with all six. We found two comparisons:
#
# - **NVIDIA, 2024**: on an H100, the best queries of the benchmark PDS-H ran up to 13 times as fast as in Polars on a CPU. In 2026 a developer of cuDF called that comparison [stale](https://github.com/NVIDIA/cudf/issues/21471), because both sides now have streaming engines.
# - **A data server, March 2026**: five joins of files in S3. DuckDB ran them on a CPU. Polars ran them with `engine="gpu"`, on a machine with an RTX 4000 Ada. Medians of three runs:
#
# | join | 1 | 2 | 3 | 4 | 5 |
# |---|---:|---:|---:|---:|---:|
# | DuckDB | 7.1 s | 12.4 s | 14.5 s | 32.6 s | 18.5 s |
# | Polars, `engine="gpu"` | 13.9 s | 19.8 s | 62.5 s | 58.7 s | 53.3 s |
#
# **Question.** The GPU's memory had 1 MiB in use while Polars ran. Who joined the tables?
#
# - (a) the GPU, a small part of the tables at a time
# - (b) Polars' CPU engine
# - (c) the object storage

# %%
my_answer = "?"
quiz("polars.silent", my_answer)

# %%
by_month = os.path.join(folder.name, "by_month")  # a folder month=1, a folder month=2, …
flights.select("month", "arr_delay").collect().write_parquet(by_month, partition_by="month")
print(why(pl.scan_parquet(by_month).select(delay.mean())) or "GPU")

# %% [markdown]
# **Explain.** The files were in folders named after a column's values, such as `month=7` (*Hive partitions*). The GPU engine refuses to scan these, also in version 26.10. So the table compares two CPU engines.
#
# The author found that out. From then on the files were read one by one, and the fallback was forbidden. On a machine with two Quadro RTX 8000, one of the joins then took:
#
# | | time |
# |---|---:|
# | on the GPUs, first run | 205 s |
# | on the GPUs, repeated | 120 s |
# | DuckDB on the CPU, nearly the same join | 10 s |
#
# DuckDB fetched only the columns that it needed. The reader for the GPUs fetched whole files.
#
# ### Wide tables
#
# A user joined two tables in memory, each of 10 000 rows and 5 001 columns, and found the GPU slower than the CPU. A developer of cuDF profiled this join on a GPU. It took 11.0 s, in four parts.
#
# **Question.** Which part took the longest?
#
# - (a) the start of CUDA and of a memory pool
# - (b) the columns on their way up to the GPU
# - (c) the result on its way back

# %%
my_answer = "?"
quiz("polars.wide", my_answer)

# %%
parts = {"columns up to the GPU": 8.037, "the join": 1.040, "result back": 1.096, "start of CUDA and pool": 0.863}
plot.times(
    {f"published: {name}": seconds for name, seconds in parts.items()},
    title="A join of two wide tables on the GPU engine",
    note="Polars issue 20696, January 2025; the GPU is not named.",
)

# %%
nbytes = 2 * 10_000 * 5_001 * 8
bus = machine.gpus.find("V100").link  # a slow one
print(f"{nbytes / 1e6:.0f} MB over a bus of {bus / 1e9:.0f} GB/s: {1e3 * nbytes / bus:.0f} ms")
print(f"{1e3 * 8.037 / (2 * 5_001):.1f} ms for each column, in which 80 kB travel")

# %% [markdown]
# **Explain.** The bytes would need 0.07 s. The rest of the 8 s is a cost for each column, paid 10 002 times. A long and narrow table pays it a few times only.
#
# ## When Dask is still the way
#
# Polars' GPU engine streams, too, so the table may be larger than the GPU's memory. With `RayEngine` or `DaskEngine` of `cudf_polars` a query runs on several GPUs. They need GPUs, and are not simulated here. So a query on tables no longer needs Dask cuDF of unit 13.
#
# **Question.** For which job do you still take Dask?
#
# - (a) a groupby over 500 GB of Parquet files
# - (b) the SVD of an array of 100 GB
# - (c) a mean over 10 GB

# %%
my_answer = "?"
quiz("polars.dask", my_answer)

# %% [markdown]
# Dask remains for **arrays** (units 10 and 12), for **models** of cuML and for tasks of your own (unit 11), and where a **Dask cluster** runs already.
#
# ![A table of what you have and what to try first. Queries that take seconds on a CPU: Polars or DuckDB. Queries over many gigabytes: Polars on the GPU. A pandas program:
# cudf.pandas. Steps of your own on a table that stays on the GPU: cuDF. Arrays, models or a Dask cluster: Dask.](drawings/which-tool.svg)
#
# | | pandas | cudf.pandas | cuDF | Polars, DuckDB | Polars on the GPU |
# |---|---|---|---|---|---|
# | your pandas code | runs | runs | runs mostly | is rewritten | is rewritten |
# | optimises your steps as a whole | no | no | no | yes | yes |
# | what is unknown to the GPU | – | one step falls back | an error | – | the query falls back |
# | results stay on the GPU | – | yes | yes | – | no, `collect` brings them back |
# | tables larger than the memory | no | with managed memory | with Dask | yes | yes |
# | several GPUs | – | no | with Dask | – | with Ray or Dask |
#
# ## Where the GPU loses
#
# - **Small queries.** Each collect pays for calls and for sending columns up. Above, 1.3 million rows took a CPU a fraction of a second.
# - **Files behind a network.** The network sets the time, whoever computes.
# - **Wide tables in memory.** Each column goes up by itself.
# - **One refused expression.** Then you wait for the CPU, and believe that it is the GPU, as with the five joins.
#
# ## Key points
#
# - A lazy frame is a plan. `collect` optimises it and runs it.
# - Pushdown reads fewer columns and fewer row groups. It saves bytes on any engine.
# - `collect(engine="gpu")` hands the **whole query** to cuDF, or falls back as a whole, silently.
# - `pl.GPUEngine(raise_on_fail=True)` raises an error with the reasons. Use it in your tests.
# - Rewrite a refused expression, or cut the query where few rows are left.
# - Compare with Polars' own streaming engine, and with DuckDB.
# - Dask remains for arrays, models and clusters that run already.
#
# ## The exercise
#
# [exercises/17_polars.ipynb](../exercises/17_polars.ipynb) has five problems. Turn pandas into a query, repair one that falls back, count what a scan fetches, choose engines, and bring a whole report onto the GPU.
#
# ## Further reading
#
# - Polars' user guide: [lazy queries](https://docs.pola.rs/user-guide/concepts/lazy-api/) and [GPU support](https://docs.pola.rs/user-guide/gpu-support/).
# - NVIDIA, [Polars GPU engine](https://docs.rapids.ai/api/cudf/stable/cudf_polars/), and [its engines for several GPUs](https://docs.rapids.ai/api/cudf/nightly/cudf_polars/engines/). The first page had the benchmark of 2024: PDS-H on an H100 PCIe, against a Xeon W9-3495X.
# - [cuDF issue 21471](https://github.com/NVIDIA/cudf/issues/21471), February 2026: why that benchmark is stale. The page has had pictures of newer ones since May 2026, without a table of numbers.
# - [GPU vs CPU query engine](https://github.com/boettiger-lab/mcp-data-server/blob/main/benchmarks/gpu-vs-cpu.md), August 2026: why no GPU took part in the five joins of [issue 5](https://github.com/boettiger-lab/mcp-gpu-data-server/issues/5), and the later times.
# - [Polars issue 20696](https://github.com/pola-rs/polars/issues/20696), comment of 17 January 2025: the join of two wide tables.
# - [nycflights13](https://github.com/tidyverse/nycflights13) by H. Wickham, public domain (CC0).
