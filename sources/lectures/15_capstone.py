# ---
# jupyter:
#   hundredfold:
#     unit: 15
#     slug: capstone
#     title: "Capstone: from records to a picture"
#     teaching: 40
#     exercises: 120
#     dashboard: true
# ---

# %% [markdown]
# # 15 · Capstone: from records to a picture
#
# *Unit 15 · capstone · 40 minutes, then 120 for the exercises in two sittings; the optional parts are not counted*
#
# Each unit taught one tool. A real problem needs several of them. This lecture solves a small problem from start to end. Then you solve a larger one.
#
# ## What you will be able to do
#
# - **Plan** a problem in five lines, before there is code.
# - **Test** each step against a slow and simple program on the host.
# - **Combine** a table, a kernel, an SVD and a cluster in one program.
# - **Report** each time beside its limit, on one page.
#
# You need units 01, 02, 05, 07, 08 and 10 to 12. You do not need a GPU: without one, the cluster below simulates two.

# %%
# %load_ext hundredfold

# %%
import os

import cudf
import cupy as cp
import dask.array as da
import numba
import numpy as np
from dask_cuda import LocalCUDACluster
from distributed import Client
from numba import cuda

from hundredfold import data, limit, machine, measure, plot, quiz, report

# %% [markdown]
# Start the cluster before anything touches a GPU (unit 11). Its dashboard is beside this notebook:

# %%
os.environ.setdefault("GPUSIM_GPUS", "2")  # how many to simulate; a real GPU ignores it
cluster = LocalCUDACluster(dashboard_address="127.0.0.1:0")
client = Client(cluster)
client.wait_for_workers(len(cluster.worker_spec), timeout=120)

# %% [markdown]
# ## The plan
#
# The question is: **what does a windy day in New York look like?** The data is the hourly weather at its three airports in 2013.
#
# ![The path of the data in this lecture, from top to bottom. Reports are read as a table and repaired, as in units 07 and 08. A kernel finds the strongest wind of 24 hours,
# as in unit 05. The table becomes a matrix of days by hours, and an SVD finds its shapes, as in unit 12. Chunks do the same for an archive, as in units 10 and 11. A
# picture and a page are the result.](drawings/capstone-path.svg)
#
# A plan has five lines. The **opponent** is the fastest way on a CPU that you know:
#
# | question | here |
# |---|---|
# | What comes out? | a picture: how the wind changes through a day |
# | What goes in? | 26 115 reports; airport, time and wind take about 8 bytes each |
# | Which step reads most? | the strongest wind of 24 hours: 24 reports for each one |
# | What is its limit? | its bytes, divided by the bandwidth: `limit(...)` |
# | What is the opponent? | pandas, and a loop compiled by Numba |
#
# **Question.** Which line decides first whether a GPU is worth it?
#
# - (a) Which step reads most: write its kernel.
# - (b) What comes out: if many pictures, then a cluster.
# - (c) What goes in: count the bytes.

# %%
my_answer = "?"
quiz("capstone.first", my_answer)

# %% [markdown]
# **Predict.** How many kB go in?

# %%
my_kilobytes = "?"

# %%
reports = cudf.read_parquet(data.path("weather"))[["origin", "time_hour", "wind_speed"]]
rows = len(reports)
print(f"{rows} reports of about 24 bytes: {24 * rows / 1e3:.0f} kB; you said {my_kilobytes} kB")

# %% [markdown]
# **Explain.** The largest cache of a processor holds more than 627 kB. The problem is small on purpose: each step takes a moment. The exercise is larger.
#
# Each step runs in one of three places. Moving data from one place to another costs time:
#
# ![Three places for a step. The host reads the files, checks, and draws. One GPU does what is large and already there: kernel and SVD. A cluster of GPUs does what falls into
# independent parts. The way to the GPU is the bus, and costs time. A cluster needs time to start.](drawings/capstone-places.svg)
#
# ## Step 1: clean, and count what you change
#
# Real data has mistakes. Look at the extremes of a column first:

# %%
ends = reports["wind_speed"].describe()
unknown = int(reports["wind_speed"].isnull().sum())
print(f"wind: {unknown} nulls, at most {float(ends['max']):.0f} miles per hour")

# %% [markdown]
# A wind of 1 048 miles per hour is a mistake. Keep the row, because the rest of the report may be right. Make only the wind unknown, and count:

# %%
wind = reports["wind_speed"].where(reports["wind_speed"] <= 200)
lost = int(wind.isnull().sum()) - unknown
clean = reports.assign(wind=wind.fillna(np.nan))  # a kernel reads NaN, but no nulls
clean = clean.sort_values(["origin", "time_hour"]).reset_index(drop=True)
assert len(clean) == rows and lost == 1
print(f"{lost} wind made unknown, {len(clean)} rows as before")

# %% [markdown]
# ## Step 2: a kernel, specified first
#
# For each report we want the strongest wind of the last 24 hours at its airport.
#
# ![Two rows of reports along the time, from 24 hours ago to now. In the first row there is a report for each hour. The window holds those less than 24 hours old. The one that is exactly 24 hours old
# lies outside. In the second row all reports between are missing, and the window holds only the newest one.](drawings/capstone-window.svg)
#
# A **[specification](../docs/glossary.md#term-specification)** is a slow and simple program that gives the right answer. Here it is a rolling window of pandas. `closed="right"` leaves out the report that is exactly
# 24 hours old:


# %%
def strongest_by_pandas(table, closed="right"):
    """The strongest wind of the last 24 hours, for each row of a sorted pandas table; NaN if none is known."""
    by_time = table.set_index("time_hour").groupby("origin")["wind"]
    return by_time.rolling("24h", min_periods=1, closed=closed).max().to_numpy()


# %% [markdown]
# The kernel has one thread for each report `i`. The thread goes back from `i`, as long as the reports are of the same airport and less than 24 hours old. `first[i]` is the first row of that airport:


# %%
@cuda.jit
def strongest(first, hour, wind, out):
    i = cuda.grid(1)
    if i < wind.size:
        best = np.nan
        k = i
        while k >= first[i] and hour[i] - hour[k] < 24:
            if best != best or wind[k] > best:  # best is NaN at first, and NaN != NaN
                best = wind[k]
            k -= 1
        out[i] = best


# %% [markdown]
# The next function makes `first` and `hour` from a table, and launches the kernel:


# %%
def last_24_hours(table):
    out = cp.empty(len(table))
    if len(table):  # a grid without blocks is an error
        origin = table["origin"].astype("category").cat.codes.values
        first = cp.searchsorted(origin, origin)  # the table is sorted by airport
        hour = table["time_hour"].astype("int64").values // 3_600_000_000  # from microseconds
        strongest[-(-len(table) // 128), 128](first, hour, table["wind"].fillna(np.nan).values, out)
    return out


# %% [markdown]
# **Question.** A typical mistake is `<= 24` in place of `< 24`. Which table of 20 reports can show it?
#
# - (a) 20 reports of one airport, one each hour
# - (b) 20 reports of one airport, with a gap of 22 hours
# - (c) 20 reports, each of another airport

# %%
my_answer = "?"
quiz("capstone.awkward", my_answer)

# %% [markdown]
# **Predict.** How many per cent of the year's reports get a different wind with `<= 24`?

# %%
my_percent = "?"

# %% [markdown]
# **Awkward data** is small data that shows mistakes: no rows, one row, unknown values, a gap, the border between two airports. Compare kernel and specification on each:

# %%
awkward = {
    "empty": clean.head(0),
    "one row": clean.head(1),
    "unknown winds": clean.assign(wind=clean["wind"].where(clean["wind"] > 12)).head(60),
    "a gap": clean.iloc[cp.asarray([*range(5), *range(27, 40)])].reset_index(drop=True),
    "the border": clean.iloc[8690:8720].reset_index(drop=True),
    "all": clean,
}
for name, table in awkward.items():
    ours, theirs = last_24_hours(table).get(), strongest_by_pandas(table.to_pandas())
    assert np.array_equal(ours, theirs, equal_nan=True), name
    too_wide = strongest_by_pandas(table.to_pandas(), closed="both")  # as with <= 24
    other = len(table) - int(np.isclose(ours, too_wide, equal_nan=True).sum())
    print(f"{name:14} {len(table):6} rows agree; {other:5} differ with <= 24")
print(f"that is {100 * other / rows:.0f} % of all; you said {my_percent} %")

# %% [markdown]
# **Explain.** For most reports the wrong window finds the same wind. *Unknown winds* and *a gap* show the mistake. *The border* does not: there no report is 24 hours older than another of its airport. It shows another
# mistake, a window that reaches into the next airport. The checks of the exercise use such tables.
#
# **Measure.** How long does the step take? The page at the end shows each measurement that has a `name`. For each weather report the step reads airport, time and wind, and writes a result. These 32 bytes give the limit:

# %%
moved = 32 * rows
by_hand = measure(last_24_hours, clean, name="strongest wind, the whole step", bytes=moved, repeat=5, min_time=0)
by_hand


# %% [markdown]
# ## Step 3: decompose
#
# A day at an airport is 24 numbers, one for each hour. Put the days below each other, subtract the mean day, and compute the SVD (unit 12). Each day is then about equal to the mean day plus a few **shapes**, each times its own amount. A shape
# is a right singular vector: 24 numbers, one for each hour, too.
#
# ![A matrix with 1035 rows, one for each day at an airport, and 24 columns, one for each hour, after the mean day was subtracted. It is about a tall matrix of 1035 by 2 amounts
# times a flat matrix of 2 by 24: two shapes of a day.](drawings/capstone-days.svg)

# %%
# the files have UTC
local = clean["time_hour"].dt.tz_localize("UTC").dt.tz_convert("America/New_York").dt.tz_localize(None)
days = clean.assign(day=local.dt.floor("D"), hour=local.dt.hour)
days = days.groupby(["origin", "day", "hour"], as_index=False)["wind"].mean().to_pandas()
days = days.pivot(index=["origin", "day"], columns="hour", values="wind")
matrix = cp.asarray(days.dropna().to_numpy())
print(f"{len(days)} days, {len(days) - len(matrix)} of them left out because an hour is unknown")
centred = matrix - matrix.mean(axis=0)
u, s, shapes = cp.linalg.svd(centred, full_matrices=False)
share = (s**2 / (s**2).sum()).get()
assert cp.allclose((u * s) @ shapes, centred)

# %% [markdown]
# Here are 35 of the 1 035 days, the calm ones above. Each row is a day, from midnight on the left to midnight on the right. Bright is windy:

# %%
days_as_picture = matrix[cp.argsort(matrix.mean(axis=1))][::30].get()
plot.images(
    {"wind of a day, by the hour": np.repeat(days_as_picture, 3, axis=1)},
    "One row a day, calm days above and windy days below. A bright row is bright from morning to night.",
    columns=1,
)

# %% [markdown]
# **Predict.** Each of the 24 shapes has a share of the variance. What share, in per cent, do the first *two* have together?

# %%
my_share = "?"

# %%
print(f"the first two shapes: {100 * share[:2].sum():.0f} %; you said {my_share} %")
figure = plot.lines(
    np.arange(24),
    {
        f"shape {k + 1}: {100 * share[k]:.0f} %": shapes[k].get() * (1 if float(shapes[k].sum()) > 0 else -1)
        for k in range(2)
    },
    xlabel="hour of the day in New York",
    ylabel="shape, a vector of length 1",
    title="What a windy day looks like",
)
figure

# %% [markdown]
# **Explain.** The first shape has one sign: a windy day is windy from morning to night. The second changes its sign: the wind rises during the day, or falls. That answers the question.
#
# An SVD may give `-shape` in place of `shape`. Its amounts then have the opposite sign, too, and the product is the same. We choose the sign for which the sum is positive.
#
# ## Step 4: many GPUs, if it is worth it
#
# What if there were 400 000 days? The **[Gram matrix](../docs/glossary.md#term-Gram-matrix)** `X.T @ X` of the matrix X of all days is only 24 × 24. Its eigenvectors are the shapes. Its eigenvalues are the squares of the singular values (unit 12).
#
# Our archive is made of random numbers, in chunks:

# %%
archive_days, cuts = 400_000, 8
sizes = (archive_days // cuts,) * cuts
scale = (s / np.sqrt(len(matrix))).get()  # column k is as strong as our shape k


def some_days(block_info=None):
    """A chunk of random days. `block_info[None]` says which chunk, and its size."""
    rng = cp.random.default_rng(block_info[None]["chunk-location"][0])
    return rng.standard_normal((block_info[None]["chunk-shape"][0], 24)) * cp.asarray(scale)


archive = da.map_blocks(some_days, chunks=(sizes, (24,)), dtype="float64", meta=cp.empty((0, 0)))
gram = archive.T @ archive
print(f"{archive.nbytes / 1e6:.0f} MB in {archive.npartitions} chunks, and nothing computed yet")

# %% [markdown]
# **Question.** What crosses from worker to worker when `gram` is computed?
#
# - (a) the small products of the chunks, which are added
# - (b) the days of the archive, to one worker
# - (c) the eigenvalues of each chunk

# %%
my_answer = "?"
quiz("capstone.moves", my_answer)

# %% [markdown]
# The Gram matrix is a sum over the chunks:
#
# ![Eight chunks of an archive on two workers, four on each. Each chunk of 50 000 days by 24 hours gives a matrix of 24 by 24. One worker adds these small matrices. The chunks stay
# where they are, and only small matrices cross the wire.](drawings/capstone-gram.svg)


# %%
def on_workers(count):
    names = sorted(client.nthreads())[:count]
    return client.compute(gram, workers=names, allow_other_workers=False).result(timeout=120)


every = len(client.nthreads())
taken = {}
for count in sorted({1, every}):
    name = f"Gram matrix on {count} worker{'s' * (count > 1)}"
    taken[count] = measure(on_workers, count, name=name, bytes=archive.nbytes, repeat=2, min_time=0)
strong = cp.linalg.eigvalsh(taken[every].value)[::-1] / archive_days
assert np.allclose(strong.get()[:2], scale[:2] ** 2, rtol=0.02)  # as strong as the archive was made
print(f"measured: all {every} workers take {taken[every].median / taken[1].median:.2f}× the time of one")
print(f"on an H100, at 3 240 GB/s (published): the bytes take {1e6 * archive.nbytes / 3_240e9:.0f} µs")

# %% [markdown]
# **Explain.** Two simulated GPUs share one processor, so two may be no faster than one. Real ones would not help either. The whole archive is 24 µs of reading for an H100, and each task should take 100 ms or more (unit 10).
#
# A larger array gains more. For 2 TB, eight V100 were 5.1 times as fast as one (published, unit 10). So give the size whenever you write about scaling.

# %%
client.close()
cluster.close()

# %% [markdown]
# ## Where the GPU loses
#
# Back to the 26 115 reports. Our kernel looks at up to 24 reports for each one. A better algorithm goes through them once, with a queue:
#
# ![Two ways to find the strongest of the last 24 reports. In the kernel, each thread looks at up to 24 reports. In the queue, one core goes through the reports once. A new report removes all weaker ones
# from the end of the queue. The strongest is always at the front.](drawings/capstone-queue.svg)
#
# A new report takes all weaker ones out of the queue. They are older and weaker, so they can never be the strongest again.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional reading: the queue as code
#
# The chart below needs this cell. You need not read it.


# %%
@numba.njit
def one_pass(first, hour, wind):
    out, queue = np.empty(wind.size), np.empty(wind.size, np.int64)
    head = tail = 0
    for i in range(wind.size):
        if first[i] == i:
            head = tail
        if wind[i] == wind[i]:
            while tail > head and wind[queue[tail - 1]] <= wind[i]:
                tail -= 1
            queue[tail] = i
            tail += 1
        while head < tail and hour[i] - hour[queue[head]] >= 24:
            head += 1
        out[i] = wind[queue[head]] if head < tail else np.nan
    return out


def on_one_core(table):
    """The whole step on the host: `table` is pandas'."""
    codes = table["origin"].astype("category").cat.codes.to_numpy()
    begins = np.concatenate([[True], codes[1:] != codes[:-1]])
    first = np.maximum.accumulate(np.where(begins, np.arange(len(table)), 0))
    hour = table["time_hour"].to_numpy().astype("datetime64[h]").astype(np.int64)
    return one_pass(first, hour, table["wind"].to_numpy())


host = clean.to_pandas()
assert np.array_equal(on_one_core(host), strongest_by_pandas(host), equal_nan=True)

# %% [markdown]
# ### Which limit holds?
#
# **Question.** The step moves 26 115 times 32 bytes, 836 kB. Suppose that it launches 12 kernels. On an H200 a launch takes 2.5 µs. Which of these takes longest there?
#
# - (a) the memory: 836 kB at 4 800 GB/s
# - (b) the launches
# - (c) the bus: 836 kB at 50 GB/s

# %%
my_answer = "?"
quiz("capstone.bound", my_answer)

# %%
launches = 12
launching = launches * machine.gpus.find("H200").launch
loop = measure(on_one_core, host, name="strongest wind, one core", bytes=moved, repeat=5, min_time=0)
by_pandas = measure(strongest_by_pandas, host, name="strongest wind, pandas", bytes=moved, repeat=3, min_time=0)
plot.times(
    {
        "here: pandas": by_pandas.median,
        "here: Numba, one core": loop.median,
        "here: the step on the device": by_hand.median,
        f"limit: {launches} launches, an H200": launching,
        "limit: bytes, an H200": limit(bytes=moved, machine="H200").seconds,
    },
    title="26 115 reports: the strongest wind of the last 24 hours",
    note="A launch: 2.5 µs (gpu-benches). here: this machine; without a GPU, the device is simulated.",
)

# %% [markdown]
# The queue on one core is the strongest opponent. A GPU could save at most the time of this queue, which is too short to matter. This step stays on the processor.
#
# ### Where it wins
#
# Launches take the same time for any number of reports. The bytes take more time for more reports.
#
# **Predict.** From how many *million* reports on do the bytes take longer than the 12 launches, on an H200?

# %%
my_millions = "?"

# %%
for_each = limit(bytes=32, machine="H200").seconds
print(f"from {launching / for_each / 1e6:.1f} million reports on; you said {my_millions}")
seconds = {
    "pandas": [0.0193, 0.263, float("nan")],
    "Polars": [0.0312, 0.149, 0.434],
    "T4, cuDF": [0.00225, 0.0134, 0.0335],
}
print(f"published, ten million rows: the T4 is {0.149 / 0.0134:.0f}× as fast as Polars")
plot.lines(
    [1_000_000, 10_000_000, 30_000_000],
    seconds,
    xlabel="rows",
    ylabel="seconds",
    xlog=True,
    ylog=True,
    title="The mean of the last 100 rows, on a T4 and on the CPU beside it",
    note="Published by cudf-bench: Colab, tables in memory; pandas only up to 10 million.",
)

# %% [markdown]
# **Explain.** A GPU wins with fewer reports than that: it only has to be faster than the CPU. The chart is about another window: 100 rows in place of 24 hours. A T4 is a small GPU. It wins at a million rows already, the smallest size
# that was published.
#
# ## The report
#
# Every step is judged in this order:
#
# ![How a step is judged, from top to bottom. First: is it right? The answer is compared with a specification on the host, on awkward data too. If not, stop there. Second: is it near its limit? The time is
# beside the least time. Third: is the opponent strong? Last, it can be told on one page.](drawings/capstone-judged.svg)
#
# `report` makes a page of every measurement with a name:

# %%
page = report(
    "windy-days.html",
    title="What does a windy day in New York look like?",
    text="It is windy from morning to night. For 26 115 reports one core is enough.",
    figures={"The two strongest shapes of 24": figure},
    unit=None,  # no milestones here; yours has some
)
page

# %% [markdown]
# The page is one file, with no script and nothing loaded from elsewhere. It shows each measurement beside its limit. It warns of times that cannot be right, and of a busy machine.

# %% [markdown] {"jp-MarkdownHeadingCollapsed": true}
# ### Optional: the rubric
#
# You judge your capstone by these six lines:

# %%
report.rubric()

# %% [markdown]
# ## Key points
#
# - **Plan from the bytes**: what goes in, what comes out, the largest step, its limit, its opponent.
# - **Specify on the host.** Compare on awkward data: no rows, one row, unknown values, a gap, a border. Count what you change and what you leave out.
# - **Name what you measure, and give its bytes.** Then the report shows it beside its limit.
# - **A small step belongs on the processor.** Millions of rows belong on a GPU. Data on a device stays there. Independent parts go to many devices.
# - **A better algorithm** can beat a better machine. Look for it first.
#
# ## The exercise
#
# Choose one of two tracks, with six milestones, 120 minutes: [exercises/15_capstone.ipynb](../exercises/15_capstone.ipynb). At the end you have a picture that answers
# a question, and a page that you can show.
#
# ## Further reading
#
# - [cudf-bench](https://github.com/alexislowys/cudf-bench), commit b50c48cc3a, file `results/results.csv`, *rolling_mean* without skew: cuDF 26.02.01 on a T4, Polars 1.35.2
#   and pandas 2.2.2 on the CPU, medians of five synchronised runs.
# - [fast.cu](https://github.com/pranjalssh/fast.cu), README at commit 38eb642e0c: a sum of 2³⁰ int32 on an H100 at 3 240 GB/s.
# - [gpu-benches](https://github.com/te42kyfo/gpu-benches): small kernels on an H200, 2.52 µs for each launch.
# - D. V. Lindley, *The theory of queues with a single server*, Proceedings of the Cambridge Philosophical Society 48 (1952), 277: the recurrence of track A.
# - H. Wickham et al., [nycflights13](https://github.com/tidyverse/nycflights13): flights and weather, CC0; `data/README.md` lists its errors.
# - danielbuechele, photograph of a pavilion in Beijing, [CC BY 2.0](https://creativecommons.org/licenses/by/2.0/), from [scikit-learn](https://scikit-learn.org), which ships it as `china.jpg`: track B.
# - IEC 61966-2-1:1999, *Default RGB colour space, sRGB*, and ITU-R Recommendation BT.709: the curve and the weights of B3.
# - M. Turk and A. Pentland, *Eigenfaces for recognition*, Journal of Cognitive Neuroscience 3 (1991), 71: eigen-images of faces.
