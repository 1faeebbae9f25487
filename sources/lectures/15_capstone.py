# ---
# jupyter:
#   hundredfold:
#     unit: 15
#     slug: capstone
#     title: "Capstone: from records to a picture"
#     teaching: 20
#     exercises: 90
#     dashboard: true
# ---

# %% [markdown]
# # 15 · Capstone: from records to a picture
#
# *Unit 15 · capstone · 20 minutes, then 90 for the exercises, which are the work*
#
# Fourteen units took one thing at a time. Work comes as a whole: a question, some files, a deadline. This is the briefing for a whole: how to plan
# it, how to know that each stage is right, how to time it so that the times can be shown, and what to leave on the processor. We walk once, quickly, through a
# small problem of the same shape as the two that you will choose from. Then it is your turn.
#
# ## What you will be able to do
#
# - **Plan** a problem from its bytes: what it must cost at least, and where each stage belongs, before there is code.
# - **Prove** each stage against a specification on the host, with awkward data.
# - **Combine** a table, a kernel of your own, a decomposition and a cluster in one pipeline.
# - **Report** what you measured on one page, each time beside its limit.
#
# You need what you use of units 01 to 14; new is only the whole, and one argument, `block_info`. It takes about a minute to run.

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

from hundredfold import data, limit, measure, plot, report

# %% [markdown]
# The cluster comes first, before anything has touched a GPU (unit 11): one worker for each, and two of them where they are simulated. The plots beside this notebook are its.

# %%
os.environ.setdefault("GPUSIM_GPUS", "2")  # where there is no GPU, simulate two
cluster = LocalCUDACluster(dashboard_address=":0")
client = Client(cluster)
client.wait_for_workers(len(cluster.worker_spec), timeout=120)

# %% [markdown]
# ## The plan
#
# The question: **what does a windy day in New York look like?** The records: hourly weather at its three airports in 2013.
#
# Before any code, five lines on a piece of paper. They take ten minutes and save an afternoon.
#
# | | here |
# |---|---|
# | What comes out? | one picture: the few shapes that the wind takes through a day |
# | How many bytes go in? | 26 115 reports; of each an airport, a time and a wind |
# | Which stage moves or computes most? | the strongest wind of the last 24 hours, for each report: 24 times the bytes, if it is done plainly |
# | What is the limit of each stage? | bytes over bandwidth, with `limit(...)` |
# | Who is the opponent? | pandas, and a loop that Numba compiles |
#
# **Predict.** The reports, with 8 bytes for each of the three: how many kilobytes? And so: does a GPU have anything to do here?

# %%
my_kilobytes = 100

# %%
reports = cudf.read_parquet(data.path("weather"))[["origin", "time_hour", "wind_speed"]]
rows = len(reports)
print(f"{rows} reports of 24 bytes: {24 * rows / 1e3:.0f} thousand bytes; you said {my_kilobytes} thousand")

# %% [markdown]
# **Explain.** It fits into a processor's cache, so by its bytes the answer is no, and the section *Where the GPU loses* looks closer. The *shape* of the work is that of the
# large ones, and that is what we practise. (Your own two tracks come with a size at which the GPU has something to do.)
#
# ## Stage 1: clean, and say what was thrown away
#
# Data that nobody looked at has mistakes in it. Look at the ends of each column first:

# %%
ends = reports["wind_speed"].describe()
print(f"wind: {int(reports['wind_speed'].isnull().sum())} nulls, the greatest {float(ends['max']):.0f} miles per hour")

# %% [markdown]
# A wind of 1 048 miles per hour is a slip of the keyboard. Leave the *row*, which says that somebody reported, and make the *wind* unknown. Thrown away is what is
# counted, always:

# %%
wind = reports["wind_speed"].where(reports["wind_speed"] <= 200)
lost = int(wind.isnull().sum()) - int(reports["wind_speed"].isnull().sum())
clean = reports.assign(wind=wind.fillna(np.nan)).sort_values(["origin", "time_hour"]).reset_index(drop=True)
assert len(clean) == rows and lost == 1
print(f"{lost} wind made unknown, {len(clean)} rows as before")

# %% [markdown]
# ## Stage 2: a kernel of one's own, specified first
#
# For each report the strongest wind of the last 24 hours at its airport. The specification is one line of pandas on the host. It is slow and
# that does not matter: it is what *right* means. With it go awkward data: nothing at all, one row, an unknown wind, an airport with a gap, the
# seam between two airports.


# %%
def strongest_by_pandas(table, closed="right"):
    """`table` (pandas): origin, time_hour, wind, sorted; the strongest wind of the last 24 hours of each row, NaN if none is known."""
    by_time = table.set_index("time_hour").groupby("origin")["wind"]
    return (
        by_time.rolling("24h", min_periods=1, closed=closed).max().to_numpy()
    )  # "both": what is 24 hours old counts, too


@cuda.jit
def strongest(first, hour, wind, out):
    i = cuda.grid(1)
    if i < wind.size:
        best = np.nan
        k = i
        while k >= first[i] and hour[i] - hour[k] < 24:
            if not wind[k] <= best:  # true as long as best is NaN, too
                if wind[k] == wind[k]:
                    best = wind[k]
            k -= 1
        out[i] = best


def last_24_hours(table):
    """The same on the device: `table` is cuDF's; `first` says for each row where its airport begins."""
    out = cp.empty(len(table))
    if len(table):
        origin = table["origin"].astype("category").cat.codes.values
        first = cp.searchsorted(origin, origin)  # the table is sorted, so each airport's rows stand together
        hour = table["time_hour"].astype("int64").values // 3_600_000_000
        strongest[-(-len(table) // 128), 128](first, hour, table["wind"].fillna(np.nan).values, out)
    return out


# %% [markdown]
# **Predict.** A report that is exactly 24 hours old does not count: `hour[i] - hour[k] < 24`. Had we written `<= 24`, for how many in a hundred reports would
# another wind come out?

# %%
my_per_cent = 50

# %% [markdown]
# **Measure.**

# %%
awkward = {
    "empty": clean.head(0),
    "one row": clean.head(1),
    "unknown winds": clean.assign(wind=clean["wind"].where(clean["wind"] > 12)).head(60),
    "a gap": clean.iloc[cp.asarray([*range(5), *range(27, 40)])].reset_index(drop=True),
    "two airports": clean.iloc[8690:8720].reset_index(drop=True),
    "all": clean,
}
for name, table in awkward.items():
    ours, theirs = last_24_hours(table).get(), strongest_by_pandas(table.to_pandas())
    assert np.array_equal(ours, theirs, equal_nan=True), name
    too_wide = strongest_by_pandas(table.to_pandas(), closed="both")
    other = len(table) - int(np.isclose(ours, too_wide, equal_nan=True).sum())
    print(f"{name:14} {len(table):6} rows agree; {other:5} would not, with <= 24")
print(f"that is {100 * other / rows:.0f} % of all; you said {my_per_cent} %")

# %% [markdown]
# **Explain.** A window that is too wide by an hour mostly finds the same strongest wind, so the wrong answer is right nearly everywhere: one row, or thirty, would never
# have told us. *A gap* does, since in it a report 24 hours old is all that there is beside the new one, and so does a table with many unknown winds. Look for data
# in which your mistake would show. A check in the exercises does the same to your answers, with such tables, and knows the usual mistakes by their results.
#
# Now the time, with a name, so that it can stand on a page later, and with its limit: 8 bytes of hour, wind and `first` read and 8 written, if each is touched once.

# %%
by_hand = measure(last_24_hours, clean, name="strongest wind, the whole stage", bytes=32 * rows, repeat=5, min_time=0)
by_hand


# %% [markdown]
# ## Stage 3: decompose
#
# A day at an airport is 24 numbers. Put the days below each other, take the mean day off, and ask for the few shapes of which all are made
# (unit 12):

# %%
local = clean["time_hour"].dt.tz_localize("UTC").dt.tz_convert("America/New_York").dt.tz_localize(None)
days = clean.assign(day=local.dt.floor("D"), hour=local.dt.hour)
days = days.groupby(["origin", "day", "hour"], as_index=False)["wind"].mean().to_pandas()
matrix = cp.asarray(days.pivot(index=["origin", "day"], columns="hour", values="wind").dropna().to_numpy())
centred = matrix - matrix.mean(axis=0)
u, s, shapes = cp.linalg.svd(centred, full_matrices=False)
share = (s**2 / (s**2).sum()).get()
assert cp.allclose((u * s) @ shapes, centred)

# %% [markdown]
# **Predict.** Of all that days differ in, how much lies in the first *two* of 24 shapes? In per cent.

# %%
my_share = 20

# %%
print(f"{len(matrix)} days; the first two shapes: {100 * share[:2].sum():.0f} %; you said {my_share} %")
plot.lines(
    np.arange(24),
    {
        f"shape {k + 1}: {100 * share[k]:.0f} %": shapes[k].get() * (1 if float(shapes[k].sum()) > 0 else -1)
        for k in range(2)
    },
    xlabel="hour of the day in New York",
    ylabel="wind, of length 1",
    title="What a windy day looks like",
)

# %% [markdown]
# **Explain.** The first shape has one sign all day: a windy day is windy from morning to night. The second changes its sign: wind that comes up during the day, or
# goes down. This is the answer; it needed no more than a processor. (A shape's sign means nothing by itself: that is why A5 asks for a certain one.)
#
# ## Stage 4: scale out, if it is worth it
#
# What if it were not three airports in one year but all of the world's for fifty years? Then chunks, on as many devices as there are. The rule of unit 10: write it so that
# only the chunks know where they are, and nothing is computed before somebody asks. Here the Gram matrix of days by hours, 24 × 24, of a made-up archive: each
# chunk of days gives one such matrix, and they are added up. (`block_info[None]` tells a chunk where it lies and how large it is.)

# %%
archive_days, cuts = 400_000, 8
sizes = (archive_days // cuts,) * cuts


def some_days(block_info=None):
    """A chunk of days like ours: made on the device on which it is used."""
    rng = cp.random.default_rng(block_info[None]["chunk-location"][0])
    lengths = cp.asarray(scale)
    return rng.standard_normal((block_info[None]["chunk-shape"][0], 24)) * lengths


scale = (s / np.sqrt(len(matrix))).get()  # so that its shapes are as strong as ours
archive = da.map_blocks(some_days, chunks=(sizes, (24,)), dtype="float64", meta=cp.empty((0, 0)))
gram = archive.T @ archive
print(f"{archive.nbytes / 1e6:.0f} million bytes in {archive.npartitions} chunks, and nothing computed yet")

# %% [markdown]
# **Predict.** One worker takes some time for it. What is the *least* share of that time that two workers need, if a tenth of the work cannot be shared?
# (Amdahl, unit 12.)

# %%
my_least = 0.5


# %%
def on_workers(count):
    names = sorted(client.nthreads())[:count]
    return client.compute(gram, workers=names, allow_other_workers=False).result(timeout=120)


every = len(client.nthreads())
taken = {
    count: measure(
        on_workers,
        count,
        name=f"Gram matrix on {count} worker{'s' * (count > 1)}",
        bytes=archive.nbytes,
        repeat=2,
        min_time=0,
    )
    for count in range(1, every + 1)
}
by_workers = taken[every].value
strong = cp.linalg.eigvalsh(by_workers)[::-1] / archive_days
assert np.allclose(strong.get()[:2], scale[:2] ** 2, rtol=0.02)
print(f"the least: {0.1 + 0.9 / 2:.2f} of the time on one; you said {my_least}")
print(f"measured: {taken[every].median / taken[1].median:.2f}× of the time on one, with {every} workers")

# %% [markdown]
# **Explain.** Whatever your machine gave, three things are in it: the work that was shared, what cannot be (the scheduler, adding up, bringing 24 × 24 numbers back), and what the
# workers have in common (two simulated GPUs are two processes on the same processor and the same memory). A page about scaling says which of these it was. And
# the result was compared with what went in, not only timed.

# %% [markdown]
# ## Where the GPU loses
#
# Back to the small table, and to the opponents of stage 2: pandas, and a loop compiled by Numba that goes through the reports once. Each is given the table where
# it would have it, and does the whole stage:


# %%
@numba.njit
def one_pass(first, hour, wind):
    """Of the last 24 hours only those that could still be the strongest are kept, in a queue: each report enters and leaves it once."""
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
    """The whole stage on the host: `table` is pandas'."""
    codes = table["origin"].astype("category").cat.codes.to_numpy()
    begins = np.concatenate([[True], codes[1:] != codes[:-1]])
    first = np.maximum.accumulate(np.where(begins, np.arange(len(table)), 0))
    hour = table["time_hour"].to_numpy().astype("datetime64[h]").astype(np.int64)
    return one_pass(first, hour, table["wind"].to_numpy())


host = clean.to_pandas()
assert np.array_equal(on_one_core(host), strongest_by_pandas(host), equal_nan=True)
loop = measure(on_one_core, host, name="strongest wind, Numba, one core", bytes=32 * rows, repeat=5, min_time=0)
by_pandas = measure(strongest_by_pandas, host, name="strongest wind, pandas", bytes=32 * rows, repeat=3, min_time=0)
launches = 12  # at least: cuDF's and CuPy's calls of the stage, one for each
plot.times(
    {
        "here: pandas": by_pandas.median,
        "here: Numba, one core": loop.median,
        "here: the stage on the device": by_hand.median,
        f"limit: a GPU's {launches} launches": launches * 5e-6,
        "limit: its bytes, this CPU": limit(bytes=32 * rows, machine="cpu").seconds,
        "limit: its bytes, an H200": limit(bytes=32 * rows, machine="H200").seconds,
    },
    title="26 115 reports: the strongest wind of the last 24 hours",
    note="The stage on the device is timed where this notebook ran; a launch is taken as 5 µs (unit 02).",
)

# %% [markdown]
# A GPU's launches alone exceed what the bytes cost: they take longer than a processor's memory needs for all of them, and hundreds of times as long as the GPU's own. Beside what the processor
# *took*, that does not show that a GPU would lose; only that the speed of its memory would not decide it. And look at *how* that core does it: each report enters a queue once and leaves it once, where our kernel looks at 24 reports for each. A better
# algorithm is the strongest opponent there is. The page says so.
#
# ## The page
#
# Everything above that had a name is kept in this session. `report` makes a page of it:

# %%
page = report(
    "windy-days.html",
    title="What does a windy day in New York look like?",
    text="It is windy from morning to night. The GPU was not needed: at 26 115 reports its launches alone exceed what the bytes cost.",
    figures={
        "The two strongest shapes of 24": plot.lines(
            np.arange(24),
            {f"shape {k + 1}": shapes[k].get() for k in range(2)},
            xlabel="hour of the day in New York",
            ylabel="wind, of length 1",
        )
    },
    unit=None,  # no milestones here; yours has some
)
page

# %% [markdown]
# One file: no script, no font and no picture from elsewhere, so it can be sent, printed, and opened in ten years. Each measurement stands beside its limit; where a time
# cannot be right, or the machine was busy, it says so there as well.
#
# ## What is asked of you
#
# | | Track A, flights | Track B, pictures |
# |---|---|---|
# | the question | how much of an evening's delays did the planes bring along? | how few numbers does a photograph need? |
# | 1, 2: plan | a budget; where each stage belongs | the same |
# | 3: ingest | clean, and join the weather that was known at the time | from a camera's numbers to light |
# | 4: a kernel | a delay travels with its plane, in many futures | a median that keeps edges |
# | 5: decompose | what bad days have in common | eigen-images of tiles |
# | 6: scale out | ten thousand futures | a wall of pictures without seams |
# | and then | the finished picture, the page, the rubric | the same |
#
# Ninety minutes are for one track; a quarter of them are well spent on paper. This is what the whole is judged by:

# %%
report.rubric()

# %%
client.close()
cluster.close()

# %% [markdown]
# ## Key points
#
# - **Plan from the bytes.** What comes out, what goes in, which stage is the largest, its limit, its opponent: five lines before there is code.
# - **Specify on the host, then try awkward data**: empty, one, unknown, a gap, a seam. What was thrown away is counted.
# - **Name what you measure and give its bytes**: then it stands beside its limit, on a page, by itself.
# - **A stage belongs where it is done first.** Small ones on the processor, whatever stays on a device on that device, independent ones on many.
# - A better **algorithm** beats a better machine. Look for it first.
#
# ## The exercise
#
# Two tracks to choose from, six milestones each, 90 minutes for one: [exercises/15_capstone.ipynb](../exercises/15_capstone.ipynb). At the end you have a
# picture that answers a question, and a page that you can show.
#
# ## Further reading
#
# - D. V. Lindley, *The theory of queues with a single server*, Proceedings of the Cambridge Philosophical Society 48 (1952), 277: the recurrence of track A.
# - H. Wickham et al., [nycflights13](https://github.com/tidyverse/nycflights13): flights and weather, CC0; what is wrong in it stands in `data/README.md`.
# - danielbuechele, photograph of a pavilion in Beijing, [CC BY 2.0](https://creativecommons.org/licenses/by/2.0/), by way of [scikit-learn](https://scikit-learn.org), which ships it as `china.jpg`: track B.
# - IEC 61966-2-1:1999, *Default RGB colour space, sRGB*, and ITU-R Recommendation BT.709: the curve and the weights of B3.
# - M. Turk and A. Pentland, *Eigenfaces for recognition*, Journal of Cognitive Neuroscience 3 (1991), 71: eigen-images, when they were faces.
