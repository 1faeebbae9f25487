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
# In this unit you move pandas code to cuDF. You find out where its results differ, what it refuses, and where the 35 and the 21 come from.
#
# ## What you will be able to do
#
# - **Move** pandas code to cuDF, or run it unchanged under `cudf.pandas`.
# - **Predict** what a null does, and where the order of rows is lost.
# - **Read** a few columns of a file, and count the bytes that have to be fetched.
# - **Write** functions that cuDF can compile.
# - **Judge** a speedup by its limit, and by the strongest CPU library.
#
# You need pandas and unit 01, and no GPU. The cells need one or two minutes.

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
# cuDF has the methods of pandas, for tables in the device's memory. Our table has every flight that left New York in 2013:

# %%
flights = cudf.read_parquet(data.path("flights"))
print(type(flights), flights.shape)
flights[["month", "carrier", "origin", "dest", "dep_delay", "arr_delay", "distance"]].head()

# %%
late = flights[flights.arr_delay > 60]
print("more than an hour late:", len(late), "of", len(flights))
print("from each airport:     ", flights.origin.value_counts().sort_index().to_pandas().to_dict())

# %% [markdown]
# Each column is stored by itself, in one or more **buffers**. A buffer is one piece of memory. The format is Apache Arrow's:
#
# ![Two columns of a table in the device's memory. A column of whole numbers is one buffer of 4 bytes for each row, and one bit for each row that tells
# whether the row is known. A column of strings is one buffer of letters, and one of offsets, 4 bytes each, that tell where each string
# begins.](drawings/column-buffers.svg)
#
# A **[null](../docs/glossary.md#term-null)** is a value that is not there. The **mask** has one bit for each row, 0 for a null. A column without nulls
# needs no mask.
#
# **Question.** A column of int32 has 8 million rows. Half of them are null. How much memory does it take?
#
# - (a) 16 MB
# - (b) 32 MB
# - (c) 33 MB

# %%
my_answer = "?"
quiz("dataframes.mask", my_answer)

# %% [markdown]
# Some lines need a copy of a column on the host. cuDF refuses them. The error names the conversion to use:

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
# 8 255 of these flights never departed. In the file, their `dep_delay` is null. All other delays are int32, in minutes.
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
# A NaN is a value, such as the result of 0/0. A cuDF column of floats can have NaN and nulls.
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
# `isna` is True for nulls and for NaN. `nans_to_nulls()` makes nulls of all NaN. Aggregations leave nulls out. `count` counts the values that are there, and `size` counts rows:

# %%
groups = flights.groupby("origin")
print(cudf.DataFrame({"rows": groups.size(), "known": groups.dep_delay.count()}).sort_index())

# %% [markdown]
# `to_pandas()` makes float64 of an integer column with nulls.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: a merge makes floats, too
#
# A **left merge** keeps all rows of the left table, also those without a partner in the right one. If it makes new gaps in an integer column, cuDF does
# as pandas does: the column becomes float64. Here the right table, `points`, has only two carriers:

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
# `dep_delay` had its nulls before the merge, so it stays int32. `Int32` with a capital letter is a type of pandas with a mask. Take care of large
# identifiers: above 2⁵³ a float64 cannot hold every whole number.

# %% [markdown]
# ## Groups have no order
#
# pandas sorts groups by their keys. cuDF collects them in a **hash table**. A *hash function* turns each key into the number of a slot, where its group
# is:
#
# ![Seven rows with three keys. A thread for each row computes a slot of a hash table from the row's key, and adds its value there. The groups come
# back in the order of the slots, here SFO, ATL and LAX: neither in alphabetical order nor in that of the rows.](drawings/hash-groups.svg)
#
# A sort would take more time. For sorted groups ask for `sort=True`, or call `sort_index()` afterwards.

# %%
by_dest = flights.groupby("dest").arr_delay.mean().index.to_arrow().to_pylist()
in_order = flights.groupby("dest", sort=True).arr_delay.mean().index.to_arrow().to_pylist()
print("pandas:           ", on_host.groupby("dest").arr_delay.mean().index[:4].to_list())
print("cuDF, sorted?     ", by_dest == sorted(by_dest))
print("cuDF, sort=True:  ", in_order[:4])

# %% [markdown]
# Another GPU or version may give another order. The rows of a merge come in no order either.
#
# The next cell makes two results, with the carriers as their index. The second is sorted by value.

# %%
flown = flights.groupby("carrier").distance.mean()
delayed = flights.groupby("carrier").arr_delay.mean().sort_values()

# %% [markdown]
# **Question.** Which line puts the right two numbers beside each carrier?
#
# - (a) `cudf.DataFrame({"miles": flown, "delay": delayed})`
# - (b) `cudf.DataFrame({"miles": flown.values, "delay": delayed.values}, index=delayed.index)`
# - (c) `delayed.reset_index().assign(miles=flown.values)`

# %%
my_answer = "?"
quiz("dataframes.aligned", my_answer)

# %%
by_index = cudf.DataFrame({"miles": flown, "delay": delayed})
by_place = cudf.DataFrame({"miles": flown.values, "delay": delayed.values}, index=delayed.index)
print(by_index.sort_values("delay").head(3).round().astype("int64").to_pandas())
right = by_place.miles.sort_index() == by_index.miles.sort_index()
print("by position, all miles right?", bool(right.all()))
assert by_index.miles.sort_index().to_pandas().equals(flown.sort_index().to_pandas().rename("miles"))

# %% [markdown]
# The wrong lines give right numbers beside wrong names, and no error.
#
# ## Ten million rows: a mean
#
# This is the table of the post. `x` is random, and `y` is a random whole number below ten million.

# %%
folder = tempfile.mkdtemp()
on_host = late = groups = merged = None  # free their memory
free, total = cp.cuda.runtime.memGetInfo()
n = max(1_000_000, min(10_000_000, free // 200 // 1_000_000 * 1_000_000))  # fewer on a small device
rng = np.random.default_rng(seed=7)
x, y = rng.random(n), rng.integers(0, n, n)
pdf = pd.DataFrame({"x": x, "y": y}, copy=False)
gdf = cudf.from_pandas(pdf)
tables = pl.DataFrame({"x": x, "y": y})
database = duckdb.connect(config={"memory_limit": "1GB", "temp_directory": folder})
database.register("pdf", pdf)
print(f"{n:,} rows")

# %% [markdown]
# **Predict.** The post's V100 took 1.42 ms for the mean of `x`, and pandas took 50.2 ms. A V100 reads 900 GB/s from its memory. How many percent of that
# rate did it reach?

# %%
my_percent = "?"

# %%
nbytes = 8 * 10_000_000
least = limit(bytes=nbytes, machine="V100").seconds
print(f"80 MB at 900 GB/s: {1e3 * least:.3f} ms, {least / 1.42e-3:.0%} of 1.42 ms; you said {my_percent} %")
print(f"pandas read {nbytes / 50.2e-3 / 1e9:.1f} GB/s, with one core")

# %% [markdown]
# **Measure.** The same mean with five libraries. **Polars** is a dataframe library. **DuckDB** is a database inside your process. Both can use all cores.

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
# For a newer GPU we take a published kernel that only reads. An H200 reads 2²⁷ numbers of 8 bytes in 0.390 ms. The next cell scales that to ten million.

# %%
rows = {f"here: {name}": time.median * 10_000_000 / n for name, time in mean_times.items()}
rows["published: 2018, pandas"] = 50.2e-3
rows["published: 2018, cuDF on a V100"] = 1.42e-3
rows["limit: V100, each byte once"] = least
rows["published: H200, a kernel that only reads"] = 0.390e-3 * 10_000_000 / 2**27
plot.times(rows, title="The mean of ten million numbers")

# %% [markdown]
# **Explain.** The 35 compares two slow programs. The V100 needs 0.09 ms to read the bytes. The rest of its 1.42 ms is overhead of the software. pandas
# used one core, and read only 1.6 GB/s. It also looks for NaN first.
#
# More cores do not always help: for one mean DuckDB can be slower than pandas.
#
# Without a GPU, *here: cuDF* is the simulator, not a GPU's time.
#
# ## A mean for each of millions of groups
#
# The post's second line was `df.groupby("y").mean()`. The random keys of its ten million rows make 6.3 million groups.
#
# A V100 can read all keys and values and write all groups in 0.29 ms.
#
# **Question.** Even the best groupby by such keys is much slower than that. Why?
#
# - (a) Each group needs a division.
# - (b) The keys have to be sorted.
# - (c) Neighbouring rows belong to groups that are far apart in memory.

# %%
my_answer = "?"
quiz("dataframes.scattered", my_answer)

# %% [markdown]
# A GPU moves memory in **[sectors](../docs/glossary.md#term-sector)** of 32 bytes. The mean uses every byte of each sector. A groupby does not:
#
# ![A mean reads its column from one end to the other, and uses all 32 bytes of each sector. A groupby also changes the group of each row. The groups of
# neighbouring rows lie far apart, so that for each 8 bytes a whole sector of 32 bytes moves.](drawings/groups-at-random.svg)
#
# For a mean each group has a key, a sum and a count, in three arrays. So a limit closer to the work counts five sectors for each row: one
# for the key, two to read the sum and the count, and two to write them.

# %%
streamed = 16 * 10_000_000 + 16 * 6_321_206  # bytes: keys and values read once, groups written once
scattered = streamed + 5 * 32 * 10_000_000
for name in ("V100", "H200"):
    each = [1e3 * limit(bytes=nbytes, machine=name).seconds for nbytes in (streamed, scattered)]
    print(f"{name}: each byte once {each[0]:.3f} ms, with five sectors for each row {each[1]:.2f} ms")


# %% [markdown]
# The post measured 54 ms on its V100. That is 26 times the limit of five sectors. The post does not say what took the rest.
#
# **Measure.** The *streaming* engine of Polars takes the table in pieces. `np.bincount` needs no hash table: these keys are whole numbers below ten million, so
# each is a position in an array. Each way runs once.


# %%
def by_bincount():
    with np.errstate(invalid="ignore"):
        return np.bincount(y, weights=x, minlength=n) / np.bincount(y, minlength=n)


lazy = tables.lazy().group_by("y").agg(pl.col("x").mean())  # nothing runs before collect
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
# **Explain.** The lines below the picture compare each time with the limit, the strongest CPU way and the naive way, pandas. A ratio of *0.1×* means ten
# times slower.
#
# `np.bincount` works only for such keys. For other keys Polars and DuckDB are the ones to beat.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: a larger GPU
#
# The T4's time is of 2026. Here is one more of that year: **libcudf**, the C++ library inside cuDF, on a larger GPU and with fewer groups:

# %%
plot.times(
    {
        "here: np.bincount": group_times["np.bincount"] * 10_000_000 / n,
        "here: Polars, streaming": group_times["Polars, streaming"] * 10_000_000 / n,
        "published: V100, cuDF of 2018": 54e-3,
        "published: T4, cuDF of 2026, 1 million groups": 58.0e-3,
        "published: RTX PRO 6000, libcudf of 2026, 50 000 groups": 1.127e-3,
        "limit: H200, five sectors for each row": limit(bytes=scattered, machine="H200").seconds,
    },
    title="A groupby of ten million rows",
    note="6.3 million groups where no number is given. Sources: Further reading.",
)

# %% [markdown]
# The T4 is a small card of 2018, with 320 GB/s. The RTX PRO 6000 is a large one of 2025. Fewer groups fit better into a GPU's caches.

# %% [markdown]
# ## Files by columns
#
# *A good place for a pause.*
#
# A CSV file is text. A reader has to parse all of it, even for one column. A **Parquet** file is cut into **row groups**, and each row group into
# columns. Each piece is compressed. The **footer** tells where the pieces are:
#
# ![A Parquet file of flights, drawn as 12 row groups below each other, one for each month, each cut into 19 columns. The footer at the end tells where
# each piece lies and which months a row group has. For two columns of July a reader needs the footer and two pieces.](drawings/row-groups.svg)
#
# The writer of the file chooses the row groups. Here each has one month. The pieces cross the bus compressed, and the device unpacks them.
#
# **Predict.** The file has 5.2 MB, and its footer 24 kB. How many kB must a reader fetch for the columns `carrier` and `arr_delay` of July?

# %%
my_kilobytes = "?"

# %%
pdf = gdf = tables = lazy = x = y = None  # free their memory
metadata = pq.ParquetFile(data.path("flights")).metadata
print(metadata.num_row_groups, "row groups,", metadata.num_columns, "columns")
pieces = {}
for k in range(metadata.num_columns):
    column = metadata.row_group(6).column(k)  # of July
    pieces[column.path_in_schema] = column.total_compressed_size
needed = metadata.serialized_size + pieces["carrier"] + pieces["arr_delay"]
print(f"carrier {pieces['carrier'] / 1e3:.0f} kB, arr_delay {pieces['arr_delay'] / 1e3:.0f} kB,", end=" ")
print(f"with the footer {needed / 1e3:.0f} kB; you said {my_kilobytes} kB")
columns, wanted = ["carrier", "arr_delay"], [("month", "==", 7)]
july = cudf.read_parquet(data.path("flights"), columns=columns, filters=wanted)
print("the flights of July:", july.shape)

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: from object storage
#
# In a data centre such a file is often in **object storage**, for example in Amazon's S3. Each byte comes over a network. Files are called *objects* there, and
# a *bucket* holds them.
#
# The next cell starts a small storage server on your own machine. It speaks S3's protocol, and counts the bytes that it sends.

# %%
bucket = Storage({"flights.parquet": data.path("flights")})  # its name is lake
address = {"scheme": "http", "endpoint_override": bucket.endpoint, "region": "us-east-1"}
s3 = pyarrow.fs.S3FileSystem(anonymous=True, **address)
print([(info.path, info.size) for info in s3.get_file_info(pyarrow.fs.FileSelector("lake"))])

# %% [markdown]
# Arrow and Polars have clients for S3. cuDF reads through [fsspec](https://filesystem-spec.readthedocs.io), which here wraps Arrow's client.

# %%
options = {"aws_endpoint_url": f"http://{bucket.endpoint}", "aws_allow_http": "true"}
options |= {"aws_region": "us-east-1", "aws_skip_signature": "true"}


def with_cudf():
    wrapped = ArrowFSWrapper(s3)
    return cudf.read_parquet("lake/flights.parquet", filesystem=wrapped, columns=columns, filters=wanted)


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
assert asked["with_arrow"] < asked["with_polars"] < asked["with_cudf"] / 5
bucket.close()

# %% [markdown]
# Arrow fetches the last 64 kB to find the footer. Then it fetches three pieces of July: the filter needs `month`, too. Polars does the same with larger
# requests. cuDF 26.10 fetches the **whole file**, and some of it twice, although you name two columns. So let Arrow fetch, and hand its table to cuDF, as
# `with_arrow` does.

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
# 900 MB/s are 18 times the rate of one core. They are 3 times the rate of the forty cores of that machine. The bus is not the limit: parsing takes much
# longer.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: one table in six formats
#
# Here are the flights of July, written and read in six formats. Look at the sizes, and at the columns whose dtype has changed. By default JSON is
# written on the host, by pandas. Feather is written and read on the host, by Arrow. cuDF warns of that. It cannot write Avro at all.

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
# CSV and JSON lose the dtypes, and ORC loses one. Avro is stored row by row. ORC is stored by columns, as Parquet is, and calls its row groups *stripes*.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: what did not work in 2018
#
# The post ended with a list of what failed that week: reading compressed Parquet, and the three lines of the next cell. All of that works today.
# `df.mean()` of a table with text in it is an error, as in pandas. There you need `numeric_only=True`.

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
# A thread of a GPU can neither allocate memory nor catch an exception. It can call only what was compiled for it: arithmetic, comparisons, the functions of
# `math`, and some methods of strings. You test for a null with `is cudf.NA`. An `if` on a comparison with a null takes the `else`.
#
# In the next function 2 means a short flight, more than an hour late, and 0 no known arrival:


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
# **Question.** Which of these functions can be compiled?
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
# Often whole columns do the same without a function:

# %%
hour_late = (flights.arr_delay > 60).fillna(False) & (flights.distance < 1500)
by_columns = flights.arr_delay.notna().astype("int64") + hour_late.astype("int64")
print("the same numbers?", bool((by_columns == kinds).all()))

# %% [markdown]
# ## pandas, unchanged
#
# `cudf.pandas` takes the place of pandas. Steps that cuDF knows run on the GPU. Every other step **falls back** to pandas on the CPU:
#
# ![A timeline of three steps under cudf.pandas. The first step runs on the GPU. The second one is unknown to cuDF: the table goes over the bus to the
# host, pandas does the step on the CPU, and the result goes over the bus again. Then the GPU does the third step.](drawings/fallback-trip.svg)
#
# Load it **before** anything imports pandas:
#
# | where | how |
# |---|---|
# | in a notebook | its first line: `%load_ext cudf.pandas` |
# | on the command line | `python -m cudf.pandas script.py` |
# | in a script | its first lines: `import cudf.pandas`, `cudf.pandas.install()` |
#
# If pandas is imported already, restart the kernel. Do not import `cudf` itself in the same program: `cudf.pandas` is not made for that. This notebook
# has imported both. So the cell below begins with `%%fresh`, and runs in a Python process of its own.
#
# **Question.** `bonus` is a dict. Which of these steps falls back?
#
# - (a) `late.groupby("carrier")["distance"].mean()`
# - (b) `late.apply(lambda row: bonus.get(row["carrier"], 0), axis=1).sum()`
# - (c) `late["carrier"].map(bonus).sum()`

# %%
my_answer = "?"
quiz("dataframes.fallback", my_answer)

# %% [markdown]
# The cell does all three. Its profiler counts the calls of each function on the GPU and on the CPU:

# %%
# %%fresh
import cudf.pandas

cudf.pandas.install()
import pandas as pd
from cudf.pandas import Profiler

from hundredfold import data

flights = pd.read_parquet(data.path("flights"), columns=["carrier", "arr_delay", "distance"])
bonus = {"UA": 2, "AA": 1}
late = flights[flights["arr_delay"] > 60]
with Profiler() as profiler:
    miles = late.groupby("carrier")["distance"].mean()
    by_apply = late.apply(lambda row: bonus.get(row["carrier"], 0), axis=1).sum()
    by_map = late["carrier"].map(bonus).sum()

print(type(late), "the same sum?", by_apply == by_map, "groups in order?", miles.index.is_monotonic_increasing)
for name, calls in sorted(profiler.per_function_stats.items()):
    print(f"  {name:28} {'fell back to the CPU' if calls['cpu'] else 'on the GPU'}")

# %% [markdown]
# **Explain.** The `apply` brought all late flights to the host, and pandas called Python for each. Nothing warned you. So **profile before you believe a
# time**. `map` gives the same sum on the device. In a notebook the profiler is `%%cudf.pandas.profile`, and for a script
# `python -m cudf.pandas --profile script.py`.
#
# Groups are sorted here, as in pandas. But [the documentation](https://docs.rapids.ai/api/cudf/stable/cudf_pandas/faq/) says that 93 % of the tests of
# pandas pass, not all. For example, the rows of a join may come in another order.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: its memory
#
# Asking the driver for memory takes longer than many kernels. So cuDF can take its memory from a **pool** of the library *RMM*. `cudf.pandas` makes one by
# itself. It uses *managed* memory, which may be larger than the device's. The environment variable `CUDF_PANDAS_RMM_MODE` chooses another kind. Each resource
# below takes its memory from the next one:

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
# **Question.** Which job is worth a GPU?
#
# - (a) twenty groupbys by different keys on a table of 4 GB that is on the device
# - (b) ten thousand tables of 500 rows, one groupby each
# - (c) a script under `cudf.pandas`, of which every second step falls back

# %%
my_answer = "?"
quiz("dataframes.worth", my_answer)

# %% [markdown]
# **On small tables.** Each call has a price. Here a column was sorted on a T4 with libcudf, and on the CPU of the same machine with Arrow:

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
    note="NumPy: measured on this CPU.",
)

# %% [markdown]
# The two published lines cross between 10 000 and 100 000 rows. [The documentation](https://docs.rapids.ai/api/cudf/stable/cudf_pandas/faq/) of
# `cudf.pandas` names the same range.
#
# **On the bus.** A column on the host that you use only once should stay there:

# %%
for name in ("V100", "H200"):
    gpu = machine.gpus.find(name)
    print(f"{name}: 80 MB over the bus take {1e3 * 80e6 / gpu.link:.1f} ms;", end=" ")
    print(f"a server's CPU with 150 GB/s reads them in {1e3 * 80e6 / 150e9:.2f} ms")

# %% [markdown]
# **In fallbacks.** The table goes to the host, and the result comes back.
#
# **Behind a network.** A join of files in an object storage took 120 s or more on two Quadro RTX 8000, and nearly the same join 10 s with DuckDB on that
# machine's CPU. DuckDB fetched only the columns that it needed. The way to the GPUs fetched whole files.

# %% [markdown]
# ## Key points
#
# - A column has values, and a **mask** of one bit for each row if there are nulls. Strings have offsets of 4 bytes.
# - A **null** is not a NaN. A condition on a null selects nothing, and neither does its opposite.
# - Integers with nulls become floats in `to_pandas()`.
# - **Groups and merged rows have no order.** Put results together by index, never by position.
# - Compare with Polars, DuckDB and NumPy, not with pandas alone.
# - Parquet is read by columns and row groups: the footer, and the pieces that you name.
# - A function for `apply` is compiled: no dict, list or `try`. `cudf.pandas` falls back without a warning. Load it before pandas, and profile it.
#
# ## The exercise
#
# Six problems, 40 minutes: [exercises/07_dataframes.ipynb](../exercises/07_dataframes.ipynb). You find out who is late, repair a table with wrong names, and
# fetch a month out of object storage with few bytes. Problem 6 needs the optional part *From object storage*.
#
# ## Further reading
#
# - M. Rocklin, [First Impressions of GPUs and PyData](https://matthewrocklin.com/blog/work/2018/12/17/gpu-python-challenges), 17 December 2018: the mean,
#   the groupby, and what did not work.
# - [gpu-benches](https://github.com/te42kyfo/gpu-benches), commit 1c36d509ee: *read* with blocks of 1024 threads on an H200, median of synchronised runs; the
#   kernel that only reads.
# - [cudf-bench](https://github.com/alexislowys/cudf-bench), commit b50c48cc3a, file `results/sweep.csv`: mean and sum for each int64 key on a T4, cuDF
#   26.02.01, medians of five synchronised runs.
# - [cuDF pull request 24050](https://github.com/NVIDIA/cudf/pull/24050), September 2026: libcudf's benchmark `groupby_m2_var_std` with 200 rows for each
#   key, *before* the change, on an RTX PRO 6000 Blackwell. It computes one statistic of float64 values, such as their variance.
# - [libcudf-rs pull request 15](https://github.com/gabotechs/libcudf-rs/pull/15), January 2026: sorting on a T4 and with Arrow on four virtual CPUs (AWS
#   g4dn.xlarge). It does not say whether copies over the bus are in the time.
# - [GPU vs CPU query engine](https://github.com/boettiger-lab/mcp-data-server/blob/main/benchmarks/gpu-vs-cpu.md) of a data server, August 2026: the join of
#   files in an object storage, query Q4a.
# - M. Rocklin, [Dask, Pandas, and GPUs: first steps](https://blog.dask.org/2019/01/13/dask-cudf-first-steps), 13 January 2019: CSV at 50, 285, 900 and 2 000
#   MB/s.
# - cuDF's documentation: [how it differs from pandas](https://docs.rapids.ai/api/cudf/stable/user_guide/pandas-comparison/), [user-defined
#   functions](https://docs.rapids.ai/api/cudf/stable/user_guide/guide-to-udfs/), [cudf.pandas](https://docs.rapids.ai/api/cudf/stable/cudf_pandas/) and
#   [its known limitations](https://docs.rapids.ai/api/cudf/stable/cudf_pandas/faq/).
# - [The Apache Arrow columnar format](https://arrow.apache.org/docs/format/Columnar.html) and [the Apache Parquet
#   format](https://parquet.apache.org/docs/file-format/).
# - [nycflights13](https://github.com/tidyverse/nycflights13) by H. Wickham, public domain (CC0); `data/README.md` tells what it was made of.
