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
# # 07 · Dataframes: from pandas to cuDF
#
# *Unit 07 · dataframes · 45 minutes, then 40 for the exercises; the optional parts are not counted*
#
# The blog post of unit 01 also timed tables of ten million rows. On a GPU a mean was **35 times** faster than in pandas, and a groupby **21 times**.
# Today nearly all pandas code runs on cuDF. In this unit you find out what comes back differently, and what cuDF refuses. And you compare with today's CPU
# libraries and today's GPUs.
#
# ## What you will be able to do
#
# - **Move** pandas code to cuDF, or run it unchanged under `cudf.pandas`.
# - **Predict** what a null does, and where the order of rows is lost.
# - **Read** a few columns of a file, and count the bytes that have to come.
# - **Write** functions that cuDF can compile.
# - **Judge** a speedup by its limit, and by the strongest CPU library.
#
# You need pandas and unit 01. You do not need a GPU. The cells need about a minute.

# %%
# %load_ext hundredfold

# %%
import math
import os
import tempfile
import warnings
from time import perf_counter

import cudf
import cupy as cp
import duckdb
import fastavro
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.fs
import pyarrow.parquet as pq
from fsspec.implementations.arrow import ArrowFSWrapper

from hundredfold import compare, data, limit, machine, measure, plot, quiz
from hundredfold.data.storage import Storage

# %% [markdown]
# ## A table on the device
#
# cuDF is pandas for the device. A DataFrame of `cudf` is in the device's memory. Ours has every flight that left New York in 2013:

# %%
flights = cudf.read_parquet(data.path("flights"))
print(type(flights), flights.shape)
flights[["month", "carrier", "origin", "dest", "dep_delay", "arr_delay", "distance"]].head()

# %%
late = flights[flights.arr_delay > 60]
print("more than an hour late:", len(late), "of", len(flights))
print("from each airport:     ", flights.origin.value_counts().sort_index().to_pandas().to_dict())

# %% [markdown]
# Each column is stored by itself, in one or more **buffers**. A buffer is one piece of memory. The format is that of Apache Arrow:
#
# ![Two columns of a table in the device's memory. A column of whole numbers is one buffer of 4 bytes for each row, and one bit for each row that tells
# whether the row is known. A column of strings is one buffer of letters, and one of offsets, 4 bytes each, that tell where each string
# begins.](drawings/column-buffers.svg)
#
# A **[null](../docs/glossary.md#term-null)** is a value that is not there. The **mask** has one bit for each row, which tells whether the row's value is
# there. A column without nulls needs no mask.
#
# **Question.** One more row of an int32 column becomes null. What changes in memory?
#
# - (a) The row's 4 bytes become NaN.
# - (b) One bit of the mask becomes 0.
# - (c) The whole column becomes float64.

# %%
my_answer = "?"
quiz("dataframes.mask", my_answer)

# %% [markdown]
# Some methods of pandas go through a table row by row, on the host. cuDF refuses them. The error names the conversion that you can ask for:

# %%
mistakes = (
    lambda: list(flights.carrier),
    lambda: flights.itertuples(),
    lambda: np.asarray(flights.distance),
)
for mistake in mistakes:
    try:
        mistake()
    except TypeError as error:
        print("TypeError:", str(error).splitlines()[0])

# %% [markdown]
# ## A null is not a NaN
#
# 8 255 of these flights never departed. In the file, their `dep_delay` is null. All other values are whole minutes in 32 bits.
#
# **Predict.** Which dtype does the column get in pandas? Which in cuDF?

# %%
my_pandas_dtype, my_cudf_dtype = "?", "?"

# %%
on_host = pd.read_parquet(data.path("flights"))
print("pandas:", on_host.dep_delay.dtype, "with", np.isnan(on_host.dep_delay).sum(), "NaN")
print("cuDF:  ", flights.dep_delay.dtype, "with", flights.dep_delay.isna().sum(), "nulls")
print("you said", my_pandas_dtype, "and", my_cudf_dtype)

# %% [markdown]
# **Explain.** The plain integers of pandas have no null. So pandas makes floats of them. It puts **NaN**, *not a number*, where a value is missing. cuDF
# keeps the integers and their mask.
#
# A NaN is a value, such as the result of 0/0. A null is the absence of a value. A cuDF column of floats can have both.
#
# **Question.** How many rows do `flights[flights.dep_delay > 0]` and `flights[~(flights.dep_delay > 0)]` have together in cuDF?
#
# - (a) as many as `flights`
# - (b) fewer: the rows with a null are in neither
# - (c) more: the rows with a null are in both

# %%
my_answer = "?"
quiz("dataframes.neither", my_answer)

# %% [markdown]
# A comparison with a null gives a null, and the opposite of a null is null. A NaN is not greater than 0, so that comparison gives `False`:
#
# ![Four rows under the condition delay greater than 0 and under its opposite. 5 is selected by the condition, and minus 3 by the opposite. A null is
# selected by neither, because both conditions are null. NaN is selected by the opposite, because NaN greater than 0 is
# False.](drawings/null-or-nan.svg)

# %%
delay = cudf.Series([5.0, -3.0, None, np.nan], nan_as_null=False)  # by default each NaN would become a null
print("delay > 0:    ", (delay > 0).to_arrow().to_pylist())
print("~(delay > 0): ", (~(delay > 0)).to_arrow().to_pylist())
print("delay + 1:    ", (delay + 1).to_arrow().to_pylist())
print("isna:         ", delay.isna().to_arrow().to_pylist())
for name, table in {"cuDF": flights, "pandas": on_host}.items():
    later, others = table[table.dep_delay > 0], table[~(table.dep_delay > 0)]
    print(f"{name}: {len(later)} + {len(others)} = {len(later) + len(others)} of {len(table)} flights")

# %% [markdown]
# Aggregations leave nulls out. `count` counts the values that are there, and `size` counts rows:

# %%
groups = flights.groupby("origin")
print(cudf.DataFrame({"rows": groups.size(), "known": groups.dep_delay.count()}).sort_index())

# %% [markdown]
# ### Where integers become floats
#
# In two places integers become floats, as in pandas. One is `to_pandas()`. The other is a left merge, which keeps all rows of the left table, also those
# without a partner in the right one. In the next cell only two carriers have a partner:

# %%
points = cudf.DataFrame({"carrier": ["UA", "AA"], "points": [2, 1]})  # an invented table
merged = flights[["carrier", "dep_delay"]].merge(points, on="carrier", how="left")
print("points, before the merge:       ", points.points.dtype)
print("points, after it:               ", merged.points.dtype)
print("  .fillna(0).astype('int64'):   ", merged.points.fillna(0).astype("int64").dtype)
print("dep_delay, after the merge:     ", merged.dep_delay.dtype)
print("  .to_pandas():                 ", merged.dep_delay.to_pandas().dtype)
print("  .to_pandas(nullable=True):    ", merged.dep_delay.to_pandas(nullable=True).dtype)

# %% [markdown]
# The merge itself made nulls in `points`, so that column became float64. `dep_delay` had its nulls before, so it stays int32. Take care of large
# identifiers: above 2⁵³ a float64 cannot hold every whole number.
#
# ## Groups have no order
#
# pandas sorts groups by their keys. cuDF collects them in a **hash table**. It computes from each key the slot where the key's group belongs:
#
# ![Seven rows with three keys. A thread for each row computes a slot of a hash table from the row's key, and adds its value there. The groups come
# back in the order of the slots, here SFO, ATL and LAX: neither in alphabetical order nor in that of the rows.](drawings/hash-groups.svg)
#
# Sorting would be another pass. You get it with `sort=True`, or with `sort_index()` afterwards.

# %%
by_dest = flights.groupby("dest").arr_delay.mean().index.to_arrow().to_pylist()
in_order = flights.groupby("dest", sort=True).arr_delay.mean().index.to_arrow().to_pylist()
print("pandas:           ", on_host.groupby("dest").arr_delay.mean().index[:4].to_list())
print("cuDF, sorted?     ", by_dest == sorted(by_dest))
print("cuDF, sort=True:  ", in_order[:4])

# %% [markdown]
# On another GPU or in another version the order may be different. The rows of a merge come in no order either.
#
# The next cell makes two results with the carriers as their index. The second one is sorted by its values.

# %%
flown = flights.groupby("carrier").distance.mean()
delayed = flights.groupby("carrier").arr_delay.mean().sort_values()

# %% [markdown]
# **Question.** Which line puts the two numbers of each carrier side by side?
#
# - (a) `cudf.DataFrame({"miles": flown.values, "delay": delayed.values})`
# - (b) `cudf.DataFrame({"miles": flown, "delay": delayed})`
# - (c) `cudf.DataFrame({"miles": flown.reset_index(drop=True), "delay": delayed.reset_index(drop=True)})`

# %%
my_answer = "?"
quiz("dataframes.aligned", my_answer)

# %%
by_index = cudf.DataFrame({"miles": flown, "delay": delayed}).sort_values("delay")
print(by_index.head(3).round().astype("int64").to_pandas())
print("are the miles of both in the same order?", bool((flown.values == by_index.miles.values).all()))
assert by_index.miles.sort_index().to_pandas().equals(flown.sort_index().to_pandas().rename("miles"))

# %% [markdown]
# A wrong line gives right numbers beside wrong names, without an error.
#
# ## Ten million rows: a mean
#
# This is the table of the post. `x` is random, and `y` is a random whole number below ten million.

# %%
folder = tempfile.mkdtemp()
on_host = late = groups = merged = None  # free their memory
free, total = cp.cuda.runtime.memGetInfo()
n = max(1_000_000, min(10_000_000, free // 200 // 1_000_000 * 1_000_000))
rng = np.random.default_rng(seed=7)
x, y = rng.random(n), rng.integers(0, n, n)
pdf = pd.DataFrame({"x": x, "y": y}, copy=False)
gdf = cudf.from_pandas(pdf)
tables = pl.DataFrame({"x": x, "y": y})
database = duckdb.connect(config={"memory_limit": "400MB", "temp_directory": folder})
database.register("pdf", pdf)
print(f"{n:,} rows")

# %% [markdown]
# **Predict.** The post's V100 took 1.42 ms for the mean of `x`, and pandas took 50.2 ms. A V100 reads 900 GB/s. How many percent of that did the GPU
# reach?

# %%
my_percent = "?"

# %%
nbytes = 8 * 10_000_000
least = limit(bytes=nbytes, machine="V100").seconds
print(f"80 MB at 900 GB/s: {1e3 * least:.3f} ms, {least / 1.42e-3:.0%} of 1.42 ms; you said {my_percent} %")
print(f"pandas read {nbytes / 50.2e-3 / 1e9:.1f} GB/s, with one core")

# %% [markdown]
# **Measure.** Now the same mean with five libraries. pandas looks for NaN first. **Polars** and **DuckDB** use all cores. Polars is a dataframe library,
# and DuckDB is a database inside your process.

# %%
means = {
    "pandas": lambda: pdf.x.mean(),
    "NumPy": lambda: x.mean(),
    "Polars": lambda: tables["x"].mean(),
    "DuckDB": lambda: database.execute("select avg(x) from pdf").fetchall()[0][0],
    "cuDF": lambda: gdf.x.mean(),
}
mean_times = {}
for name, way in means.items():
    mean_times[name] = measure(way, name=name, bytes=8 * n, repeat=5, min_time=0.05)
    assert abs(mean_times[name].value - x.mean()) < 1e-12

# %% [markdown]
# For an H200 we take a published kernel that reads 2²⁷ numbers in 0.390 ms (gpu-benches, see *Further reading*). No call of cuDF is in that time.

# %%
rows = {"published: 2018, pandas": 50.2e-3, "published: 2018, cuDF on a V100": 1.42e-3}
rows |= {f"here: {name}": time.median * 10_000_000 / n for name, time in mean_times.items()}
rows["published: rate of an H200, without the call"] = 0.390e-3 * 10_000_000 / 2**27
rows["limit: V100, each byte once"] = least
plot.times(rows, title="The mean of ten million numbers")

# %% [markdown]
# **Explain.** Both sides of the 35 were slow. The GPU reached 6 % of its limit, because most of its 1.42 ms was the cost of the *call*. pandas used one
# core, and a fraction of that core's speed.
#
# Without a GPU, *here: cuDF* is the simulator on your CPU. Its time tells you nothing about a GPU.
#
# ## A mean for each of millions of groups
#
# The post's second line was `df.groupby("y").mean()`. The random keys of its ten million rows make 6.3 million groups.
#
# **Question.** A V100 could read all keys and values and write all groups in 0.29 ms. The post measured 54 ms. What is one reason?
#
# - (a) Each group needs a division.
# - (b) Neighbouring rows belong to groups that are far apart in memory.
# - (c) The keys have to be sorted.

# %%
my_answer = "?"
quiz("dataframes.scattered", my_answer)

# %% [markdown]
# A GPU moves memory in **[sectors](../docs/glossary.md#term-sector)** of 32 bytes, as unit 05 showed. The mean uses every byte of each sector:
#
# ![A mean reads its column from one end to the other, and uses all 32 bytes of each sector. A groupby also changes the group of each row. The groups of
# neighbouring rows lie far apart, so that for each 8 bytes a whole sector of 32 bytes moves.](drawings/groups-at-random.svg)
#
# So a fairer limit counts five sectors for each row: one to find the key, two to read a sum and a count, and two to write them.

# %%
streamed = 16 * 10_000_000 + 16 * 6_321_206  # bytes: keys and values read once, groups written once
scattered = streamed + 5 * 32 * 10_000_000
for name in ("V100", "H200"):
    each = [1e3 * limit(bytes=nbytes, machine=name).seconds for nbytes in (streamed, scattered)]
    print(f"{name}: each byte once {each[0]:.3f} ms, with five sectors for each row {each[1]:.2f} ms")


# %% [markdown]
# **Measure.** The *streaming* engine of Polars takes the table in pieces that fit into the caches. `np.bincount` needs no hash table. Here each key is a
# small whole number, and so a position in an array. As in unit 01, the lines below the picture compare each time with the limit, with the strongest CPU way
# and with the naive one. There, a ratio below 1× means slower.


# %%
def by_bincount():
    with np.errstate(invalid="ignore"):
        return np.bincount(y, weights=x, minlength=n) / np.bincount(y, minlength=n)


lazy = tables.lazy().group_by("y").agg(pl.col("x").mean())
query = "select y, avg(x) as x from pdf group by y"
ways = {
    "pandas": lambda: len(pdf.groupby("y").mean()),
    "np.bincount": lambda: np.count_nonzero(~np.isnan(by_bincount())),
    "Polars, streaming": lambda: lazy.collect(engine="streaming").height,
    "DuckDB": lambda: database.sql(query).to_arrow_table().num_rows,
    "cuDF": lambda: len(gdf.groupby("y").mean()),
}
found = np.count_nonzero(np.bincount(y, minlength=n))
gdf.head(1000).groupby("y").mean()  # once to warm up
group_times = {}
for name, way in ways.items():
    cp.cuda.Device().synchronize()
    start = perf_counter()
    assert way() == found
    cp.cuda.Device().synchronize()
    group_times[name] = perf_counter() - start

strongest = min(group_times[name] for name in ("np.bincount", "Polars, streaming", "DuckDB"))
touched = limit(bytes=16 * n + 16 * found)
naive = group_times["pandas"]
compare("dataframes.groupby", group_times, naive=naive, strongest=strongest, limit=touched, n=n)

# %% [markdown]
# **Explain.** pandas is the *naive* way. Other CPU libraries beat it, too. So compare a GPU with the strongest way on a CPU, not with pandas alone.
#
# ### On today's GPUs
#
# These times are all for ten million rows. The numbers of groups differ:

# %%
plot.times(
    {
        "published: V100, cuDF of 2018, 6.3 million groups": 54e-3,
        "published: T4, cuDF of 2026, 1 million groups": 58.0e-3,
        "published: T4, cuDF of 2026, 100 000 groups": 28.6e-3,
        "published: RTX PRO 6000 Blackwell, libcudf, 50 000 groups": 1.127e-3,
        "here: the strongest CPU way, 6.3 million groups": strongest * 10_000_000 / n,
        "limit: H200, five sectors for each row": limit(bytes=scattered, machine="H200").seconds,
    },
    title="A groupby of ten million rows",
    note="Sources: Further reading. libcudf is the C++ library inside cuDF.",
)

# %% [markdown]
# The T4 is a small card of 2018, with 320 GB/s. The RTX PRO 6000 is a large one of 2025, and its time has no Python in it. The number of groups matters,
# too: fewer groups fit better into a GPU's caches.
#
# ## Files by columns
#
# *A good place for a pause.*
#
# A CSV file is text. A reader has to parse all of it, even for one column. A **Parquet** file is cut into **row groups**, and each row group into
# columns. Each piece is compressed:
#
# ![A Parquet file of flights, drawn as 12 row groups below each other, one for each month, each cut into 19 columns. The footer at the end tells where
# each piece lies and which months a row group has. For two columns of July a reader needs the footer and two pieces.](drawings/row-groups.svg)
#
# Pieces that nobody asks for are not read. The others cross the bus compressed, and the device unpacks them.

# %%
pdf = gdf = tables = lazy = x = y = None  # free their memory
file = pq.ParquetFile(data.path("flights"))
groups = [file.metadata.row_group(k) for k in range(file.num_row_groups)]
names = file.schema_arrow.names
sizes = {name: sum(g.column(k).total_compressed_size for g in groups) for k, name in enumerate(names)}
print(f"{len(groups)} row groups, {len(sizes)} columns, {sum(sizes.values()) / 1e6:.1f} MB")
print(f"month takes {sizes['month'] / 1e3:.1f} kB, tailnum {sizes['tailnum'] / 1e3:.0f} kB")
july = cudf.read_parquet(data.path("flights"), columns=["carrier", "arr_delay"], filters=[("month", "==", 7)])
print("the flights of July:", july.shape)

# %% [markdown]
# ### From object storage
#
# In a data centre such a file is often in **object storage**, for example in Amazon's S3. Each byte comes over a network. The next cell starts a
# small storage server on your own machine. It speaks S3's protocol, and counts the bytes that it sends.

# %%
bucket = Storage({"flights.parquet": data.path("flights")})
address = {"scheme": "http", "endpoint_override": bucket.endpoint, "region": "us-east-1"}
s3 = pyarrow.fs.S3FileSystem(anonymous=True, **address)
print([(info.path, info.size) for info in s3.get_file_info(pyarrow.fs.FileSelector("lake"))])

# %% [markdown]
# **Predict.** You want two columns of July from this file of 5.2 MB. cuDF, Polars and Arrow can read it. How many kB does the best of them fetch? The footer
# alone has 24 kB.

# %%
my_kilobytes = "?"

# %% [markdown]
# **Measure.** Arrow and Polars have clients for S3. cuDF reads through [fsspec](https://filesystem-spec.readthedocs.io), which here wraps Arrow's client.

# %%
columns, wanted = ["carrier", "arr_delay"], [("month", "==", 7)]
options = {"aws_endpoint_url": f"http://{bucket.endpoint}", "aws_allow_http": "true"}
options |= {"aws_region": "us-east-1", "aws_skip_signature": "true"}


def with_cudf():
    wrapped = ArrowFSWrapper(s3)
    table = cudf.read_parquet("lake/flights.parquet", filesystem=wrapped, columns=[*columns, "month"])
    return table[table.month == 7][columns]


def with_polars():
    scan = pl.scan_parquet("s3://lake/flights.parquet", storage_options=options)
    return cudf.DataFrame.from_arrow(scan.filter(pl.col("month") == 7).select(columns).collect().to_arrow())


def with_arrow():
    table = pq.read_table("lake/flights.parquet", filesystem=s3, columns=columns, filters=wanted)
    return cudf.DataFrame.from_arrow(table)


asked = {}
for reader in (with_cudf, with_polars, with_arrow):
    bucket.forget()
    assert reader().shape == july.shape
    asked[reader.__name__] = bucket.nbytes
    print(f"{reader.__name__:12} {bucket.nbytes / 1e3:6.0f} kB")
print(f"you said {my_kilobytes} kB")
assert asked["with_arrow"] < asked["with_polars"] < asked["with_cudf"] / 5

# %% [markdown]
# **Explain.** Arrow fetches the end of the file with the footer. Then it fetches the pieces of July. Polars does the same with larger requests. cuDF
# 26.10 fetches the **whole file**. That is a bug: it computes which bytes it needs, and then loses the result.
#
# So let Arrow fetch, and hand its table to cuDF, as `with_arrow` does.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: reading text
#
# In January 2019 a post read the New York taxi trips of 2017 from CSV: 50 MB/s with pandas on one core, 900 MB/s with cuDF on one GPU. It called that
# "20x". Here are our flights as text, 33 MB:

# %%
text = os.path.join(folder, "flights.csv")
flights.to_csv(text, index=False)
readers = {
    "pandas": lambda: pd.read_csv(text),
    "pandas, pyarrow": lambda: pd.read_csv(text, engine="pyarrow"),
    "DuckDB": lambda: database.read_csv(text).to_arrow_table(),
    "Polars": lambda: pl.read_csv(text),
    "cuDF": lambda: cudf.read_csv(text),
}
published = {"pandas, 1 core": 50e6, "pandas, 40 cores": 285e6, "cuDF, 1 GPU": 900e6, "cuDF, 8 GPUs": 2000e6}
rows = {f"published: 2019, {name}": 1e9 / rate for name, rate in published.items()}
for name, reader in readers.items():
    took = measure(reader, name=name, repeat=1, min_time=0).median
    rows[f"here: {name}"] = took * 1e9 / os.path.getsize(text)
rows |= {f"limit: the bus, {name}": 1e9 / machine.gpus.find(name).link for name in ("V100", "H200")}
plot.times(rows, title="One gigabyte of CSV: the time to parse it")

# %% [markdown]
# 900 MB/s are 18 times the rate of one core. They are 3 times the rate of the forty cores of that machine. Parsing is work, so the bus does not limit it.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: one table in six formats
#
# Here are the flights of July, written and read in six formats. Look at the sizes, and at the columns whose dtype has changed. pandas writes the JSON
# unless you ask for `engine="cudf"`. Arrow reads and writes Feather. Both work on the host, and cuDF warns. cuDF cannot write Avro at all.

# %%
july_all = flights[flights.month == 7].reset_index(drop=True)
timestamp = {"type": "long", "logicalType": "timestamp-micros"}
avro_types = {"int32": "int", "str": "string", "datetime64[us]": timestamp}


def to_avro(file):
    types = {name: ["null", avro_types[str(july_all[name].dtype)]] for name in july_all.columns}
    fields = [{"name": name, "type": type_} for name, type_ in types.items()]
    with open(file, "wb") as out:
        schema = {"type": "record", "name": "flight", "fields": fields}
        fastavro.writer(out, schema, july_all.to_arrow().to_pylist(), codec="deflate")


formats = {
    "csv": (lambda file: july_all.to_csv(file, index=False), cudf.read_csv),
    "json": (
        lambda file: july_all.to_json(file, orient="records", lines=True),
        lambda file: cudf.read_json(file, lines=True),
    ),
    "avro": (to_avro, cudf.read_avro),
    "feather": (july_all.to_feather, cudf.read_feather),
    "orc": (july_all.to_orc, cudf.read_orc),
    "parquet": (lambda file: july_all.to_parquet(file, compression="zstd"), cudf.read_parquet),
}
for suffix, (write, read) in formats.items():
    file = os.path.join(folder, f"july.{suffix}")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        write(file)
        table = read(file)
    assert int(table.arr_delay.count()) == int(july_all.arr_delay.count())
    changed = sum(str(table[name].dtype) != str(july_all[name].dtype) for name in july_all.columns)
    host = "on the host" if any("Using CPU" in str(warning.message) for warning in said) else ""
    print(f"{suffix:8} {os.path.getsize(file) / 1e6:.2f} MB, {changed:2} columns of another dtype  {host}")

# %% [markdown]
# CSV and JSON lose the dtypes. Avro is stored row by row. ORC is stored by columns, as Parquet is, and calls its row groups *stripes*.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: what did not work in 2018
#
# The post ended with a list of lines that failed that week: reading compressed Parquet, and these three. All of them work today. `df.mean()` of a table
# with text in it is an error, as in pandas. There you need `numeric_only=True`.

# %%
df = flights[["month", "distance", "arr_delay"]].rename(columns={"month": "id", "distance": "x"})
print(df.mean().round().astype("int64").to_pandas().to_dict())
print(df.groupby("id").x.mean().sort_index().head(3).round().astype("int64").to_pandas().to_dict())
print(df.x.groupby(df.id).mean().sort_index().head(3).round().astype("int64").to_pandas().to_dict())

# %% [markdown]
# ## Your own functions
#
# `apply` in pandas calls your Python function for each row. A GPU cannot run Python. So cuDF **compiles** your function, with Numba:
#
# ![Two ways to apply a function to each row. In pandas Python calls the function for one row after the other. cuDF compiles the function once, and then
# one thread runs it for each row, all at the same time.](drawings/compiled-function.svg)
#
# You test for a null with `is cudf.NA`. An `if` on a comparison with a null takes the `else`.


# %%
def kind(row):
    if row["arr_delay"] is cudf.NA:
        return 0
    if row["arr_delay"] > 60 and row["distance"] < 1500:
        return 2
    return 1


kinds = flights.apply(kind, axis=1)
print(kinds.dtype, kinds.value_counts().sort_index().to_pandas().to_dict())

# %% [markdown]
# **Question.** One of these functions can be compiled. Which?
#
# - (a) `lambda row: {"UA": 2, "AA": 1}.get(row["carrier"], 0)`
# - (b) `lambda row: math.sqrt(row["distance"])`
# - (c) `lambda row: pd.isna(row["dep_delay"])`

# %%
my_answer = "?"
quiz("dataframes.compiled", my_answer)


# %%
def catches(row):
    try:
        return row["distance"] / row["dep_delay"]
    except ZeroDivisionError:
        return 0.0


functions = {
    "a dict": lambda row: {"UA": 2, "AA": 1}.get(row["carrier"], 0),
    "math": lambda row: math.sqrt(row["distance"]),
    "pandas": lambda row: pd.isna(row["dep_delay"]),
    "a list": lambda row: [50, 400][int(row["distance"] > 1000)],
    "try": catches,
}
for name, function in functions.items():
    try:
        flights.head(100).apply(function, axis=1)
        print(f"{name:7} compiled")
    except ValueError as error:
        print(f"{name:7} {str(error).splitlines()[0]}")

# %% [markdown]
# **Explain.** A thread of a GPU can neither allocate memory nor catch an exception. So there are no dicts, lists or `try`. It can call only what was
# compiled for it: arithmetic, comparisons, `math`, and some methods of strings.
#
# Often whole columns do the same without a function:

# %%
hour_late = (flights.arr_delay > 60).fillna(False) & (flights.distance < 1500)
by_columns = (flights.arr_delay.notna().astype("int64") + hour_late.astype("int64")).rename(None)
assert by_columns.to_pandas().equals(kinds.to_pandas())
print("the same numbers")

# %% [markdown]
# ## pandas, unchanged
#
# `cudf.pandas` takes the place of pandas. Steps that cuDF knows run on the GPU. Every other step **falls back** to pandas on the CPU:
#
# ![A timeline of three steps under cudf.pandas. The first step runs on the GPU. The second one is unknown to cuDF: the table goes over the bus to the
# host, pandas does the step on the CPU, and the result goes over the bus again. Then the GPU does the third step.](drawings/fallback-trip.svg)
#
# It has to be loaded **before** anything imports pandas:
#
# | in | the first line |
# |---|---|
# | a notebook | `%load_ext cudf.pandas` |
# | a script, from outside | `python -m cudf.pandas script.py` |
# | a script, from inside | `import cudf.pandas; cudf.pandas.install()` |
#
# If pandas is imported already, restart the kernel. Do not import `cudf` itself in the same program: `cudf.pandas` is not made to go together with it.
# This notebook has imported both. So the cell below begins with `%%fresh`. It runs in a Python of its own, as a script would.
#
# **Question.** The cell does these three steps. Which one falls back?
#
# - (a) `late = flights[flights["arr_delay"] > 60]`
# - (b) `late.groupby("carrier")["distance"].mean()`
# - (c) `late.apply(lambda row: bonus.get(row["carrier"], 0), axis=1)`

# %%
my_answer = "?"
quiz("dataframes.fallback", my_answer)

# %% [markdown]
# The profiler counts for each function how often it ran on the GPU and on the CPU:

# %%
# %%fresh
import cudf.pandas

cudf.pandas.install()
import pandas as pd
from cudf.pandas import Profiler

from hundredfold import data

flights = pd.read_parquet(data.path("flights"), columns=["carrier", "arr_delay", "distance"])
bonus = {"UA": 2, "AA": 1}
with Profiler() as first:
    late = flights[flights["arr_delay"] > 60]
    miles = late.groupby("carrier")["distance"].mean()
    points = late.apply(lambda row: bonus.get(row["carrier"], 0), axis=1).sum()
with Profiler() as second:
    assert late["carrier"].map(bonus).fillna(0).sum() == points

print(type(late), "in order:", miles.index.is_monotonic_increasing)
for name, calls in sorted(first.per_function_stats.items()):
    print(f"  {name:28} {'fell back to the CPU' if calls['cpu'] else 'on the GPU'}")
print("with map:", sum(bool(calls["cpu"]) for calls in second.per_function_stats.values()), "fallbacks")

# %% [markdown]
# **Explain.** The `apply` brought all late flights to the host, and pandas called Python for each. Nothing warned you. So **profile before you believe a
# time**. `map` does the same on the device. In a notebook the profiler is `%%cudf.pandas.profile`, and for a script
# `python -m cudf.pandas --profile script.py`.
#
# Groups are sorted here, as in pandas. But not everything is as in pandas. The documentation says that 93 % of the tests of pandas pass. It also lists known
# differences: for example, the rows of a join may come in another order.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: its memory
#
# Asking the driver for memory takes longer than many kernels. So cuDF can take its memory from a **pool** of the library *RMM*. `cudf.pandas` makes one by
# itself. It uses *managed* memory, which may be larger than the device's. The variable `CUDF_PANDAS_RMM_MODE` chooses another one. Each resource below
# takes its memory from the next:

# %%
# %%fresh
import cudf.pandas

cudf.pandas.install()
import rmm

resource = rmm.mr.get_current_device_resource()
while resource is not None:
    print(type(resource).__name__)
    resource = resource.get_upstream() if hasattr(resource, "get_upstream") else None

# %% [markdown]
# ## Where the GPU loses
#
# **On small tables.** Each call has a price. Here somebody sorted a column on a T4 with libcudf, and on the CPU of the same machine with Arrow:

# %%
sizes = [10_000, 100_000, 1_000_000]
here = [measure(np.sort, rng.random(size), repeat=3, min_time=0.02).median for size in sizes]
plot.lines(
    sizes,
    {
        "published: T4, libcudf": [576e-6, 1.97e-3, 13.5e-3],
        "published: CPU, Arrow": [267e-6, 3.23e-3, 40.7e-3],
        "here: NumPy": here,
    },
    xlabel="rows",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="Sorting a column",
)

# %% [markdown]
# The two published lines cross between 10 000 and 100 000 rows. The documentation of `cudf.pandas` names the same range.
#
# **On the bus.** A column on the host that gets one question should stay there:

# %%
for name in ("V100", "H200"):
    gpu = machine.gpus.find(name)
    print(f"{name}: 80 MB over the bus take {1e3 * 80e6 / gpu.link:.1f} ms;", end=" ")
    print(f"a server's CPU with 150 GB/s reads them in {1e3 * 80e6 / 150e9:.2f} ms")

# %% [markdown]
# **In fallbacks.** Each one crosses the bus twice.
#
# **Behind a network.** Five queries on data in S3 ran with Polars on an RTX 4000 Ada, and with DuckDB on a CPU. The CPU won all five.
#
# **Question.** Which job is worth a GPU?
#
# - (a) ten thousand tables of 500 rows, one groupby each
# - (b) twenty groupbys by different keys on a table of 4 GB that is on the device
# - (c) a script under `cudf.pandas`, of which every second step falls back

# %%
my_answer = "?"
quiz("dataframes.worth", my_answer)
bucket.close()

# %% [markdown]
# ## Key points
#
# - A column has values, a **mask** of one bit for each row if there are nulls, and 4 bytes of offset for each string.
# - A **null** is not a NaN. A condition on a null selects nothing, and neither does its opposite.
# - Integers become floats in `to_pandas()`, and in a left merge with rows without a partner.
# - **Groups and merged rows have no order.** Put results together by index, never by position.
# - Compare with Polars, DuckDB and NumPy, not with pandas alone.
# - Parquet is read by columns and row groups. From object storage let Arrow fetch.
# - A function for `apply` is compiled: no dict, list or `try`. `cudf.pandas` falls back without a warning. Load it before pandas, and profile it.
#
# ## The exercise
#
# Six problems, 40 minutes: [exercises/07_dataframes.ipynb](../exercises/07_dataframes.ipynb). You find out who is late, repair a table with wrong names, and
# fetch a month out of object storage with few bytes.
#
# ## Further reading
#
# - M. Rocklin, [First Impressions of GPUs and PyData](https://matthewrocklin.com/blog/work/2018/12/17/gpu-python-challenges), 17 December 2018: the mean,
#   the groupby, and what did not work.
# - [gpu-benches](https://github.com/te42kyfo/gpu-benches), commit 1c36d509ee: *read* with blocks of 1024 threads on an H200, median of synchronised runs.
# - [cudf-bench](https://github.com/alexislowys/cudf-bench), commit b50c48cc3a, file `results/sweep.csv`: mean and sum for each int64 key on a T4, cuDF
#   26.02, medians of five synchronised runs.
# - [cuDF pull request 24050](https://github.com/NVIDIA/cudf/pull/24050), September 2026: libcudf's benchmark `groupby_m2_var_std` with 200 rows for each
#   key, *before* the change, on an RTX PRO 6000 Blackwell. It computes one statistic of float64 values, such as their variance.
# - [libcudf-rs pull request 15](https://github.com/gabotechs/libcudf-rs/pull/15), January 2026: sorting on a T4 and with Arrow on four virtual CPUs (AWS
#   g4dn.xlarge). It does not say whether copies over the bus are in the time.
# - [Issue 5 of mcp-gpu-data-server](https://github.com/boettiger-lab/mcp-gpu-data-server/issues/5): the five queries from S3.
# - M. Rocklin, [Dask, Pandas, and GPUs: first steps](https://blog.dask.org/2019/01/13/dask-cudf-first-steps), 13 January 2019: CSV at 50, 285, 900 and 2 000
#   MB/s.
# - cuDF's documentation: [how it differs from pandas](https://docs.rapids.ai/api/cudf/stable/user_guide/pandas-comparison/), [user-defined
#   functions](https://docs.rapids.ai/api/cudf/stable/user_guide/guide-to-udfs/), [cudf.pandas](https://docs.rapids.ai/api/cudf/stable/cudf_pandas/) and
#   [its known limitations](https://docs.rapids.ai/api/cudf/stable/cudf_pandas/faq/).
# - [The Apache Arrow columnar format](https://arrow.apache.org/docs/format/Columnar.html) and [the Apache Parquet
#   format](https://parquet.apache.org/docs/file-format/).
# - [nycflights13](https://github.com/tidyverse/nycflights13) by H. Wickham, public domain (CC0); `data/README.md` tells what it was made of.
