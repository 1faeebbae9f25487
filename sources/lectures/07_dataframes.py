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
# # 07 · Dataframes: from pandas to cuDF
#
# *Unit 07 · dataframes · 35 minutes, then 30 for the exercises*
#
# The post of December 2018 with the famous line of unit 01 also had tables of ten million rows: a mean 30 times faster on a GPU, a
# groupby 20 times, and below them, in all honesty, a list of what **did not work**: `df.mean()`, a groupby of one column, compressed
# Parquet. Today pandas code runs on cuDF nearly as it stands. So the questions have changed: what comes back in which order, what is
# a null, what is refused and why; and whether thirty is much, now that there are Polars (dataframes, on all
# cores) and DuckDB (a database inside your process).
#
# ## What you will be able to do
#
# - **Move** pandas code to cuDF: read, select, group, aggregate; or run it unchanged under `cudf.pandas`.
# - **Predict** what a null does, and never rely on the order of groups.
# - **Read** one table from six formats and from object storage, and say what each costs.
# - **Write** functions that cuDF can compile, and see what falls back to the CPU.
# - **Judge** a speedup against the limit and against the strongest CPU engine.
#
# You need to know pandas, and units 01 and 02 for `measure`, `limit` and `compare`. The data are real: every flight that left New York in 2013, with thanks to
# [nycflights13](https://github.com/tidyverse/nycflights13). Without a GPU the same cells run on your processor, by cuDF's rules; the times are then your
# processor's, and they say so.

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
import pyarrow.csv
import pyarrow.fs
import pyarrow.parquet as pq
import rmm
from fsspec.implementations.arrow import ArrowFSWrapper

from hundredfold import compare, data, limit, machine, measure, plot
from hundredfold.data.storage import Storage

# %% [markdown]
# ## A table on the device
#
# Read it, look at it, ask it something: this is pandas under another name.

# %%
flights = cudf.read_parquet(data.path("flights"))
print(type(flights), flights.shape)
flights[["month", "carrier", "tailnum", "origin", "dest", "dep_delay", "arr_delay", "distance"]].head()

# %%
late = flights[flights.arr_delay > 60]
print("more than an hour late:", len(late), "of", len(flights))
print("the longest flight:    ", flights.distance.max(), "miles, to", flights.nlargest(1, "distance").dest.iloc[0])
print("from each airport:     ", flights.origin.value_counts().sort_index().to_pandas().to_dict())

# %% [markdown]
# What is *not* there is what would bring the table to the host one value at a time. cuDF refuses it, and says what to write if you mean it:

# %%
for mistake in (
    lambda: list(flights.carrier),
    lambda: flights.itertuples(),
    lambda: np.asarray(flights.distance),
):
    try:
        mistake()
    except TypeError as error:
        print("TypeError:", str(error).splitlines()[0])

# %% [markdown]
# ## A null is not a NaN
#
# 8 255 of these flights never departed. What is their delay?
#
# **Predict.** The column `dep_delay` has whole minutes in 32 bits, and nulls. What `dtype` does pandas make of it, and what `dtype` cuDF?

# %%
my_pandas_dtype, my_cudf_dtype = "int32", "int32"

# %%
on_host = pd.read_parquet(data.path("flights"))
print("pandas:", on_host.dep_delay.dtype, "with", np.isnan(on_host.dep_delay).sum(), "NaN")
print("cuDF:  ", flights.dep_delay.dtype, "with", flights.dep_delay.isna().sum(), "nulls")
print("you said", my_pandas_dtype, "and", my_cudf_dtype)

# %% [markdown]
# **Explain.** pandas has no null in its plain integers: it makes floating-point numbers of them, so that there can be a NaN, *not a number*. cuDF keeps
# the integers and beside them **one bit for each row** which says whether it is known, as Arrow, Parquet and databases do. In floating-point columns both
# exist, and they are two things: NaN is a value, such as 0/0 gives; a null is the absence of one. A column of strings is all its letters in one piece, and
# beside them a 4-byte number for each row that says where it begins. (Below, `nan_as_null=False` keeps the NaN; by default cuDF makes a null of each that it is given.)

# %%
both = cudf.Series([1.0, None, float("nan")], nan_as_null=False)
print("the values:        ", both.to_arrow().to_pylist())
print("is it null?        ", both.isnull().to_arrow().to_pylist())
print("plus one:          ", (both + 1).to_arrow().to_pylist())
print("greater than zero: ", (both > 0).to_arrow().to_pylist())
print("NaN made null:     ", both.nans_to_nulls().to_arrow().to_pylist())

# %% [markdown]
# `isnull` counts both; arithmetic tells them apart. Arithmetic and comparison with a null give a null, and NaN is simply not greater than zero. A row
# whose condition is null is **not** selected, neither by a condition nor by its opposite; one whose value is NaN is selected by the opposite, for it is `False` above. Aggregations leave nulls out: `count` counts what is known, `size` counts rows.

# %%
n_late, n_on_time = len(flights[flights.dep_delay > 0]), len(flights[~(flights.dep_delay > 0)])
print(f"late {n_late} + not late {n_on_time} = {n_late + n_on_time}, of {len(flights)} flights")
groups = flights.groupby("origin")
print(cudf.DataFrame({"rows": groups.size(), "known": groups.dep_delay.count()}).sort_index())

# %% [markdown]
# ## The holes of 2018
#
# The post ended with this list, and its author's verdicts of that week:
#
# ```python
# cudf.read_parquet(...)      # fails if compression is present
# df.mean()                   # fails
# df.groupby('id').x.mean()   # fails
# df.x.groupby(df.id).mean()  # fails
# ```
#
# **Predict.** How many of the four work today?

# %%
my_closed = 0

# %% [markdown]
# **Measure.** Compressed Parquet first, with each compression that cuDF writes. (The table above came from a file of zstd already.)

# %%
folder = tempfile.mkdtemp()
small = flights[["carrier", "distance", "arr_delay"]]
for codec in (None, "snappy", "zstd", "lz4"):
    file = os.path.join(folder, f"{codec}.parquet")
    small.to_parquet(file, compression=codec)
    stored = pq.ParquetFile(file).metadata.row_group(0).column(1).compression
    back = cudf.read_parquet(file)
    assert back.to_arrow().equals(small.to_arrow())
    print(f"{stored:12}  {os.path.getsize(file) / 1e6:.2f} MB, and what was read is what was written")

# %%
df = flights[["month", "distance", "arr_delay"]].rename(columns={"month": "id", "distance": "x"})
print(df.mean().round().astype("int64").to_pandas().to_dict())
print(df.groupby("id").x.mean().sort_index().head(3).round().astype("int64").to_pandas().to_dict())
print(df.x.groupby(df.id).mean().sort_index().head(3).round().astype("int64").to_pandas().to_dict())
pd.testing.assert_series_equal(df.groupby("id").x.mean().sort_index().to_pandas(), on_host.groupby("month").distance.mean(), check_names=False)  # fmt: skip
print(f"closed: 4 of 4, and you said {my_closed}")

# %% [markdown]
# **Explain.** All closed, and long ago. What is left differs *on purpose*. `df.mean()` of a table with text in it is an error in both libraries
# today (`numeric_only=True` says what you mean). And why does every line above have a `sort_index()`?

# %% [markdown]
# ## The order of groups
#
# pandas sorts groups by their key unless told otherwise. cuDF finds them with a **hash table**, in which a thousand threads put rows at the same time, and
# gives them back as they lie there. To sort them would be another pass, which nobody asked for.

# %%
by_dest = flights.groupby("dest").arr_delay.mean()
print("pandas, in order:", list(on_host.groupby("dest").arr_delay.mean().index[:4]))
print("cuDF in that order?", by_dest.index.to_arrow().to_pylist() == sorted(by_dest.index.to_arrow().to_pylist()))
print("sort=True:       ", flights.groupby("dest", sort=True).arr_delay.mean().index[:4].to_arrow().to_pylist())

# %% [markdown]
# So a line that puts two results side by side *by position* is wrong, and nothing says so. What belongs together is told by the **index**: arithmetic
# between two series aligns by it, and so does a DataFrame made of them. (The order here is another one than on your GPU, and another than in the next
# version of cuDF. It is *no* order.)

# %%
flown = flights.groupby("carrier").distance.mean()
delayed = flights.groupby("carrier").arr_delay.mean().sort_values()
right = cudf.DataFrame({"miles": flown, "delay": delayed}).sort_values("delay")
print("by index:    ", right.head(2).round().astype("int64").to_pandas().to_dict("index"))
print("the rows of the one stand where those of the other do?", (flown.to_numpy() == right.miles.to_numpy()).all())
assert right.miles.sort_index().to_pandas().equals(flown.sort_index().to_pandas().rename("miles"))

# %% [markdown]
# ## Ten million rows
#
# Now the post's own table: `x` random, `y` a random integer below ten million.

# %%
on_host = df = small = late = groups = None  # room for what comes
free, total = cp.cuda.runtime.memGetInfo()
n = max(1_000_000, min(10_000_000, free // 200 // 1_000_000 * 1_000_000))
rng = np.random.default_rng(seed=7)
x, y = rng.random(n), rng.integers(0, n, n)
pdf = pd.DataFrame({"x": x, "y": y}, copy=False)
gdf = cudf.from_pandas(pdf)
tables = pl.DataFrame({"x": x, "y": y})
database = duckdb.connect(config={"memory_limit": "400MB", "temp_directory": folder})
database.register("pdf", pdf)
assert abs(gdf.x.mean() - x.mean()) < 1e-12

# %% [markdown]
# **Predict.** The mean of `x` took 50.2 ms in pandas and 1.42 ms on a V100, which reads 900 GB/s. How much of that speed did the 1.42 ms use, in percent?

# %%
my_percent = 50

# %%
least = limit(bytes=8 * 10_000_000, machine="V100")
print(
    f"80 MB at 900 GB/s: {1e3 * least.seconds:.3f} ms, {least.seconds / 1.42e-3:.0%} of 1.42 ms; you said {my_percent} %"
)
print(f"and pandas' 50.2 ms read {80e6 / 50.2e-3 / 1e9:.1f} GB/s, of one core")

# %% [markdown]
# **Measure.** The mean five ways. Each gives the same number; what they do for it differs: pandas looks for NaN first, NumPy does
# not, Polars and DuckDB use all cores.

# %%
means = {
    "cuDF": lambda: gdf.x.mean(),
    "pandas": lambda: pdf.x.mean(),
    "NumPy": lambda: x.mean(),
    "Polars": lambda: tables["x"].mean(),
    "DuckDB": lambda: database.execute("select avg(x) from pdf").fetchall()[0][0],
}
mean_times = {}
for name, way in means.items():
    mean_times[name] = measure(way, name=name, bytes=8 * n, repeat=5, min_time=0.05)
    print(mean_times[name])
    assert abs(mean_times[name].value - x.mean()) < 1e-12

# %%
strongest = min((mean_times[name] for name in ("NumPy", "Polars", "DuckDB")), key=lambda time: time.median)
compare("dataframes.mean", mean_times, naive=mean_times["pandas"], strongest=strongest, limit=limit(bytes=8 * n), n=n)

# %% [markdown]
# **Explain.** The 35 of 2018 were two slow sides. The GPU used a sixteenth of its memory's speed: the cost of the *call* was all. pandas' 1.6 GB/s
# are a fraction of what one core can read, which is what NumPy's row shows. All forty cores of that machine (two E5-2698 v4; Intel's sheet gives each 77 GB/s of memory)
# could have read the 80 MB in half a millisecond, **faster than its GPU did**. (Without a GPU the
# row *cuDF* is the simulation, on your processor, and neither fast nor slow in any way that matters.)
#
# ### A mean for each of very many groups
#
# **Predict.** Ten million rows fall on ten million possible keys at random. How many keys occur, in millions?

# %%
my_millions = 9

# %%
found = np.count_nonzero(np.bincount(y, minlength=n))
print(f"{found / n:.1%} of the keys occur; 1 − 1/e is {1 - np.exp(-1):.1%}; you said {my_millions / 10:.0%}")
assert abs(found / n - (1 - np.exp(-1))) < 0.001

# %% [markdown]
# **Measure.** Now the rows go to places at random. What a groupby must do at least is to read keys and values and to write groups; what really
# costs is that each row's group lies somewhere else. The contestants: pandas; Polars with its *streaming* engine, which takes a table in pieces that stay in the caches; DuckDB; and `np.bincount`, which needs
# no hash table because these keys are small whole numbers.


# %%
def by_bincount():
    with np.errstate(invalid="ignore"):
        return np.bincount(y, weights=x, minlength=n) / np.bincount(y, minlength=n)


lazy = tables.lazy().group_by("y").agg(pl.col("x").mean())
query = "select y, avg(x) as x from pdf group by y"
ways = {
    "cuDF": lambda: len(gdf.groupby("y").mean()),
    "pandas": lambda: len(pdf.groupby("y").mean()),
    "np.bincount": lambda: np.count_nonzero(~np.isnan(by_bincount())),
    "Polars, streaming": lambda: lazy.collect(engine="streaming").height,
    "DuckDB": lambda: database.sql(query).to_arrow_table().num_rows,
}
gdf.head(1000).groupby("y").mean()  # once to warm up
cp.cuda.Device().synchronize()
group_times = {}
for name, way in ways.items():  # once each: seconds need no batches
    start = perf_counter()
    assert way() == found
    cp.cuda.Device().synchronize()
    group_times[name] = perf_counter() - start
    print(f"{name:18} {1e3 * group_times[name]:.0f} ms")

# %%
strongest = min(group_times[name] for name in ("np.bincount", "Polars, streaming", "DuckDB"))
touched = limit(bytes=16 * n + 16 * found)  # keys and values read, groups written
compare("dataframes.groupby", group_times, naive=group_times["pandas"], strongest=strongest, limit=touched, n=n)

# %% [markdown]
# **Explain.** Against pandas, the *naive* way, nearly everything is fast (without a GPU the row *cuDF* is the simulation, here too); the *strongest* way on your own processor is the one to beat. And the published 54 ms?
# They stand far above the time to stream the bytes, and still well above a fairer limit, which counts a sector of 32 bytes for each random touch:

# %%
sectors = 10_000_000 * 5 * 32  # a key to look at, a sum and a count to read and to write, each in a sector of its own
random = limit(bytes=16 * 10_000_000 + sectors + 16 * 6_321_206, machine="V100")
print(f"V100: streaming {1e3 * limit(bytes=261e6, machine='V100').seconds:.2f} ms, ", end="")
print(f"with random access {1e3 * random.seconds:.2f} ms; published: 54 ms, {54e-3 / random.seconds:.0f}×")
if n == 10_000_000:
    print(f"the V100 of 2018 was {strongest / 54e-3:.1f}× as fast as the strongest way is here, today")
pdf = gdf = tables = lazy = x = y = None  # the memory is wanted for other things

# %% [markdown]
# ## Reading text
#
# In January 2019 a post read the New York taxi trips of a year from CSV: 50 MB/s with pandas on one core, 900 MB/s with cuDF on one GPU, "20x".
# Parsing is *work*: every byte must be looked at, every number computed from its digits.
#
# **Predict.** How many MB/s does pandas read on one core of yours, today? And Polars, on all of them?

# %%
my_pandas_rate, my_polars_rate = 50, 500

# %% [markdown]
# **Measure.** Our own flights as text, 33 MB:

# %%
text = os.path.join(folder, "flights.csv")
flights.to_csv(text, index=False)
size = os.path.getsize(text)
readers = {
    "pandas": lambda: pd.read_csv(text),
    "pandas, pyarrow": lambda: pd.read_csv(text, engine="pyarrow"),
    "DuckDB": lambda: database.read_csv(text).to_arrow_table(),
    "Polars": lambda: pl.read_csv(text),
    "cuDF": lambda: cudf.read_csv(text),
}
rows, rates = [], {}
for name, reader in readers.items():
    time = measure(reader, name=name, repeat=1, min_time=0)
    rates[name] = size / time.median / 1e6
    print(f"{name:16} {1e3 * time.median:.0f} ms, {rates[name]:.0f} MB/s")
    rows.append(plot.Row(name, 1e9 / size * time.median, "here"))
print(f"you said {my_pandas_rate} MB/s and {my_polars_rate} MB/s")

# %%
published = {"pandas, 1 core": 50e6, "pandas, 40 cores": 285e6, "cuDF, 1 GPU": 900e6, "cuDF, 8 GPUs": 2000e6}
old = [plot.Row(f"2019: {name}", 1e9 / rate, "published") for name, rate in published.items()]
bus = [
    plot.Row("limit: the bus of a V100", 1e9 / 12e9, "limit"),
    plot.Row("limit: the bus of an H100", 1e9 / 50e9, "limit"),
]
plot.times(old + rows + bus, title="One gigabyte of CSV: the seconds it takes to parse")

# %% [markdown]
# **Explain.** The "20x" was 18, over *one core*; over the forty cores beside it 3. On a quiet machine a few cores now read what forty did in 2019. A GPU's parser has a limit of its own: the text has to cross the
# bus first, and one of 12 GB/s takes 83 ms for a gigabyte.
#
# ## One table, six formats
#
# Why parse at all? The flights of July, written and read in six formats. Look at the sizes, and at what became of the types. Three things are not what one
# would expect: cuDF reads Avro and cannot write it; JSON is written by pandas (unless you ask for `engine="cudf"`), and Feather is read and written by Arrow, both **on the host**, and cuDF warns.

# %%
july = flights[flights.month == 7].reset_index(drop=True)
avro_types = {"int32": "int", "str": "string", "datetime64[us]": {"type": "long", "logicalType": "timestamp-micros"}}


def to_avro(file):
    fields = [{"name": name, "type": ["null", avro_types[str(july[name].dtype)]]} for name in july.columns]
    with open(file, "wb") as out:
        schema = {"type": "record", "name": "flight", "fields": fields}
        fastavro.writer(out, schema, july.to_arrow().to_pylist(), codec="deflate")


formats = {
    "csv": (lambda file: july.to_csv(file, index=False), cudf.read_csv),
    "json": (
        lambda file: july.to_json(file, orient="records", lines=True),
        lambda file: cudf.read_json(file, lines=True),
    ),
    "avro": (to_avro, cudf.read_avro),
    "feather": (july.to_feather, cudf.read_feather),
    "orc": (july.to_orc, cudf.read_orc),
    "parquet": (lambda file: july.to_parquet(file, compression="zstd"), cudf.read_parquet),
}
for name, (write, read) in formats.items():
    file = os.path.join(folder, f"july.{name}")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        write(file)
        table = read(file)
    assert len(table) == len(july) and int(table.arr_delay.isna().sum()) == int(july.arr_delay.isna().sum())
    changed = sum(str(table[column].dtype) != str(july[column].dtype) for column in july.columns)
    host = "on the host" if any("Using CPU" in str(warning.message) for warning in said) else ""
    print(f"{name:8} {os.path.getsize(file) / 1e6:.2f} MB  columns of another type: {changed:2}, ", end="")
    print(f"time_hour is {str(table.time_hour.dtype):15} {host}")

# %% [markdown]
# CSV and JSON lose the types (every integer has become 64 bits wide, a time is text or a bare number) and are read whole, always. Avro lies row by
# row: whoever wants one column reads all. **Parquet and ORC** lie column by column in *row groups* (ORC says stripes), compressed, with the smallest and largest value of
# each piece: they are what the GPU wants, for they cross the bus compressed and are decoded on the device. What is not needed need not even be read:

# %%
file = pq.ParquetFile(data.path("flights"))
chunks = dict.fromkeys(file.schema_arrow.names, 0)
for at in range(file.num_row_groups):
    for place, name in enumerate(chunks):
        chunks[name] += file.metadata.row_group(at).column(place).total_compressed_size
print(f"{file.num_row_groups} row groups, {len(chunks)} columns, {sum(chunks.values()) / 1e6:.1f} MB")
print(f"month takes {chunks['month'] / 1e3:.1f} kB, tailnum {chunks['tailnum'] / 1e3:.0f} kB")
summer = cudf.read_parquet(data.path("flights"), columns=["carrier", "arr_delay"], filters=[("month", "==", 7)])
print("the flights of July:", summer.shape)

# %% [markdown]
# ## From object storage
#
# In a data centre the file lies in a bucket, as *S3* or a cousin of it, and each byte is asked for over the network. So that you can watch, the next cell starts a
# bucket **on your own machine**: it speaks the part of S3's protocol that readers use, and writes down what it was asked for. The clients are the real ones; against a real
# bucket only the address and your key differ.

# %%
bucket = Storage({"flights.parquet": data.path("flights")})
s3 = pyarrow.fs.S3FileSystem(anonymous=True, scheme="http", endpoint_override=bucket.endpoint, region="us-east-1")
print([(info.path, info.size) for info in s3.get_file_info(pyarrow.fs.FileSelector("lake"))])

# %% [markdown]
# **Predict.** The file has 5.2 MB, in 12 row groups of 19 columns. You want two columns of July. How many kB have to cross the network?

# %%
my_kilobytes = 500

# %% [markdown]
# **Measure.** The same question four times, by three libraries. cuDF reaches storage by way of [fsspec](https://filesystem-spec.readthedocs.io), which knows `s3://`, `http://` and some thirty others (with the package `s3fs` an address is enough; here fsspec wraps
# Arrow's client); Arrow and Polars have S3 clients of their own.

# %%
columns, wanted = ["carrier", "arr_delay"], [("month", "==", 7)]
options = {
    "aws_endpoint_url": f"http://{bucket.endpoint}",
    "aws_allow_http": "true",
    "aws_region": "us-east-1",
    "aws_skip_signature": "true",
}


def with_polars():
    scan = pl.scan_parquet("s3://lake/flights.parquet", storage_options=options)
    return cudf.DataFrame.from_arrow(scan.filter(pl.col("month") == 7).select(columns).collect().to_arrow())


def with_arrow():
    table = pq.read_table("lake/flights.parquet", filesystem=s3, columns=columns, filters=wanted)
    return cudf.DataFrame.from_arrow(table)


asked = {}
for name, reader in {
    "cuDF, all": lambda: cudf.read_parquet("lake/flights.parquet", filesystem=ArrowFSWrapper(s3)),
    "cuDF, two columns": lambda: cudf.read_parquet(
        "lake/flights.parquet", filesystem=ArrowFSWrapper(s3), columns=columns
    ),
    "Polars": with_polars,
    "Arrow": with_arrow,
}.items():
    bucket.forget()
    table = reader()
    asked[name] = bucket.nbytes
    print(f"{name:18} {len(table):6} rows, {len(table.columns):2} columns: {asked[name] / 1e3:6.0f} kB")
print(f"you said {my_kilobytes} kB")
assert asked["Arrow"] < asked["Polars"] < asked["cuDF, two columns"] / 5
bucket.close()

# %% [markdown]
# **Explain.** Arrow reads the end of the file, where the *footer* says what lies where and which months each row group has, and then only the two columns' pieces in July's (the file has one for each month). Polars does the same with longer
# arms: it fetches the last 256 kB to be sure of the footer, and what lies between two pieces along with them. And **cuDF 26.10 fetches the whole file**, whatever columns you name. It has code
# to do better, which is lost in one line (`prefetch_options = prefetch_options.update(…)`, and `update` returns `None`). A network is slower than any bus, so today the fastest way from a bucket to a GPU
# is to let Arrow fetch and cuDF take over, as `with_arrow` does. The exercise has you do it in 300 kB, and says how near the limit you are: the footer and the two pieces.
#
# ## Your own functions
#
# `apply` in pandas calls your Python function for each row. No GPU can call Python. cuDF **compiles** the function, with Numba, and runs it for all rows at once. A null is
# asked for with `is cudf.NA`; an `if` on a comparison with a null takes the `else`.


# %%
def kind(row):
    if row["arr_delay"] is cudf.NA:
        return 0
    if row["arr_delay"] > 60 and row["distance"] < 1500:
        return 2
    return 1


kinds = july.apply(kind, axis=1)
print(kinds.dtype, kinds.value_counts().sort_index().to_pandas().to_dict())

# %% [markdown]
# **Predict.** Which of these will be refused?
#
# 1. a branch and arithmetic · 2. a function of `math` · 3. a dict to look things up · 4. `try` and `except` · 5. a list · 6. a pandas function

# %%
my_refused = [3]


# %%
def branch(row):
    return row["distance"] / 2 if row["distance"] > 1000 else 0.0


def from_math(row):
    return math.sqrt(row["distance"])


def from_a_dict(row):
    return {1: "short", 2: "long"}[1 + (row["distance"] > 1000)] == "long"


def catches(row):
    try:
        return row["distance"] / row["dep_delay"]
    except ZeroDivisionError:
        return 0.0


def from_a_list(row):
    return [50, 400, 600][int(row["distance"] > 1000)]


def from_pandas(row):
    return pd.isna(row["dep_delay"])


refused = []
for number, function in enumerate((branch, from_math, from_a_dict, catches, from_a_list, from_pandas), start=1):
    try:
        july.head(100).apply(function, axis=1)
    except ValueError as error:
        refused.append(number)
        print(f"{number}. {function.__name__}: {str(error).splitlines()[0]}")
print("refused:", refused, "and you said", my_refused)

# %% [markdown]
# **Explain.** A thread of a GPU has registers and no Python. It cannot allocate, so there is no dict, list or set and no text put together; it cannot catch, so there is no `try`; and it
# can call only what was compiled for it: arithmetic, comparisons, `math`, methods of strings such as `startswith`. That it is all or nothing is good news: what compiles is as fast as
# a kernel of yours. And often no function is needed: whole columns do it, and read better.

# %%
hour_late = (july.arr_delay > 60).fillna(False) & (july.distance < 1500)
by_columns = (july.arr_delay.notna().astype("int64") + hour_late.astype("int64")).rename(None)
assert by_columns.to_pandas().equals(kinds.to_pandas())
print("the same, without a function")

# %% [markdown]
# ## pandas, unchanged
#
# And if there is a thousand lines of it? `cudf.pandas` puts itself in the place of pandas: what cuDF can do runs on the GPU, and everything else **falls back** to pandas on the host, by
# itself, with the table carried there and back. One line, before pandas is imported (`python -m cudf.pandas script.py` for a script). In a notebook that has pandas already, as this one has, import it again; tables made before stay as they were:

# %%
# %load_ext cudf.pandas

# %%
import pandas as pd  # from here on `pd` is the accelerated one

frame = pd.read_parquet(data.path("flights"), columns=["month", "carrier", "arr_delay", "distance"])
print(type(frame), frame.shape)

# %% [markdown]
# It is pandas in every respect, the order of groups and the NaN included. What ran where is told by its profiler: `%%cudf.pandas.profile` on a cell prints a table by function, `%%cudf.pandas.line_profile`
# one by line; as an object it can be asked.

# %%
from cudf.pandas import Profiler

bonus = {"UA": 2, "AA": 1}
with Profiler() as profiler:
    delayed = frame[frame["arr_delay"] > 60]
    by_carrier = delayed.groupby("carrier")["distance"].mean().sort_values()
    points = delayed.apply(lambda row: bonus.get(row["carrier"], 0), axis=1)
    best = points.sum()

for name, calls in sorted(profiler.per_function_stats.items()):
    where = "fell back to the CPU" if calls["cpu"] else "on the GPU"
    print(f"{name:28} {where}")
fallen = [name for name, calls in profiler.per_function_stats.items() if calls["cpu"]]
assert "DataFrame.apply" in fallen

# %% [markdown]
# One fallback, the `apply` with a dict's method: it brought all these rows to the host, and pandas called Python for each. It is right, and nothing said so. That is the price of `cudf.pandas`: it never fails, and so it never tells. **Profile
# before you believe a speed under it.** One line of columns puts it back on the device:

# %%
with Profiler() as profiler:
    points = delayed["carrier"].map(bonus).fillna(0)
    assert points.sum() == best
print("fallbacks:", [name for name, calls in profiler.per_function_stats.items() if calls["cpu"]])

# %% [markdown]
# ### Its memory
#
# To ask the driver for memory takes longer than many a kernel: a post on joins of January 2019 found that "most of our costs are in memory allocation". The remedy is a **pool**: take a large piece once, hand it out in
# parts. cuDF takes its memory from *RMM*, and a pool is one line, to be run before the first table. `cudf.pandas` does it by itself, with *managed* memory, which may be larger than the GPU's and is
# moved page by page; `CUDF_PANDAS_RMM_MODE` chooses (`managed_pool`, `managed`, `pool`, `async`, `cuda`). Here is what it chose a moment ago, each resource with the one it takes its memory from (the *prefetch* one sends a piece's pages to the GPU before they are touched):

# %%
resource = rmm.mr.get_current_device_resource()
while resource is not None:
    print(type(resource).__name__)
    resource = resource.get_upstream() if hasattr(resource, "get_upstream") else None

# %% [markdown]
# ## Where the GPU loses
#
# **Small tables.** What 2018's mean of ten million rows cost was not the rows. The call itself took all but 0.09 of the 1.42 ms. Take that as the price of a call, and NumPy as
# measured here:

# %%
sizes = [10**2, 10**3, 10**4, 10**5, 10**6, 10**7]
call = 1.42e-3 - least.seconds
numpy_times, gpu_2018, gpu_limit = [], [], []
for rows_here in sizes:
    column = np.ones(min(rows_here, n))
    time = measure(lambda column=column: column.mean(), repeat=5, min_time=0.01)
    numpy_times.append(time.median * rows_here / len(column))
    gpu_2018.append(call + 8 * rows_here / 900e9)
    gpu_limit.append(10e-6 + 8 * rows_here / 900e9)
plot.lines(
    sizes,
    {"NumPy, here": numpy_times, "V100 with cuDF's call of 2018": gpu_2018, "V100, one launch": gpu_limit},
    xlabel="rows",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="The mean of a column: who is first?",
)

# %% [markdown]
# **The bus.** A column that lies on the host and is asked one question should stay there. The bus alone takes longer than the processor:

# %%
for name in ("V100", "H200"):
    gpu = machine.gpus.find(name)
    print(
        f"{name}: sending 80 MB takes {1e3 * 80e6 / gpu.link:.1f} ms; a server's processor reads them in {1e3 * 80e6 / 150e9:.2f} ms"
    )
    assert 80e6 / gpu.link > 80e6 / 150e9

# %% [markdown]
# **Fallbacks** are the bus in disguise, twice for each. And **a network** is slower than a bus: from a bucket the reader decides, not the GPU. Somebody ran five queries on data in S3 with Polars' GPU engine
# on an RTX 4000 Ada, and with DuckDB on the CPU: the CPU won all five.
#
# ## Key points
#
# - cuDF is pandas' API with a database's habits: **nulls** are not NaN, and **groups have no order**. Sort what must be sorted; put together by index, never by position.
# - What would bring rows to the host one by one is refused; what you write as `.to_pandas()` or `.to_numpy()` is a trip over the bus.
# - **Three ratios.** Over pandas nearly everything is fast. Run Polars, streaming, and DuckDB before you buy a GPU for a groupby.
# - Parquet and ORC cross the bus compressed and are read by columns and row groups. JSON is written, and Feather read, on the host.
# - A function for `apply` is compiled: no dict, list, `try`, no library. `cudf.pandas` falls back instead, in silence: profile it.
# - Count the bytes on the way: a bit for each row of a column with nulls, four bytes beside each string, whole files from object storage.
#
# ## The exercise
#
# Six problems, 30 minutes: [exercises/07_dataframes.ipynb](../exercises/07_dataframes.ipynb). You will find who is late, repair a table whose numbers stand beside the wrong names, weigh columns before they are there, write a function for
# a machine without dicts, refuse a GPU three times, and fetch a month out of a bucket with as few bytes as you can.
#
# ## Further reading
#
# - M. Rocklin, [First Impressions of GPUs and PyData](https://matthewrocklin.com/blog/work/2018/12/17/gpu-python-challenges), 17 December 2018: the two times above, the list of holes; "cherry-picked to find supported operations", as it says itself.
# - M. Rocklin, [Dask, Pandas, and GPUs: first steps](https://blog.dask.org/2019/01/13/dask-cudf-first-steps), 13 January 2019: CSV at 50, 285, 900 and 2 000 MB/s.
# - cuDF's documentation: [10 minutes to cuDF](https://docs.rapids.ai/api/cudf/stable/user_guide/10min/), [user-defined functions](https://docs.rapids.ai/api/cudf/stable/user_guide/guide-to-udfs/), [cudf.pandas](https://docs.rapids.ai/api/cudf/stable/cudf_pandas/) and
#   [how it differs from pandas](https://docs.rapids.ai/api/cudf/stable/user_guide/pandas-comparison/).
# - [The Apache Arrow columnar format](https://arrow.apache.org/docs/format/Columnar.html): the bit for each null, the offsets beside strings. [The Apache Parquet format](https://parquet.apache.org/docs/file-format/): row groups, footers, statistics.
# - [db-benchmark](https://duckdblabs.github.io/db-benchmark/) by DuckDB Labs: groupbys and joins in a dozen engines on one machine, run anew as they change.
# - M. Rocklin, [Single-Node Multi-GPU Dataframe Joins](https://blog.dask.org/2019/01/29/cudf-joins), 29 January 2019: what memory costs. The five queries from S3: issue 5 of boettiger-lab on GitHub.
# - [nycflights13](https://github.com/tidyverse/nycflights13) by H. Wickham, public domain (CC0); what it was made of stands in `data/README.md`.
