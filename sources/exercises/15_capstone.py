# ---
# jupyter:
#   hundredfold:
#     unit: 15
#     slug: capstone
#     title: "Capstone: from records to a picture"
#     teaching: 35
#     exercises: 120
#     dashboard: true
# ---

# %% [markdown]
# # 15 · Capstone: exercises
#
# *Unit 15 · capstone · 90 minutes for one track · the briefing is [notebooks/15_capstone.ipynb](../notebooks/15_capstone.ipynb)*
#
# One problem, from raw records to a finished picture, with everything that you have learnt. There are two to choose from:
#
# - **Track A, flights**: *how much of an evening's delays did the planes bring along?* Records of a year, hourly weather, a kernel of your own for
#   how a delay travels, a decomposition of bad days, and many futures on all devices.
# - **Track B, pictures**: *how few numbers does a photograph need?* A photograph, what its numbers say of light, a kernel of your own against
#   noise, eigen-images, and a wall of pictures on all devices.
#
# Milestones 1 and 2, the plan, are those of both. Then do A3 to A6, or B3 to B6; each is judged by its `check`, and `hint("capstone.prepare")`
# unfolds hints. The rest you judge yourself, by the rubric at the end. Take the other track another day.
#
# A gap counts as not attempted, never as wrong; where code is given that already runs (A3 and B3), the check judges that code until you change it.
# You can run this notebook from top to bottom at any time. It takes about a minute once all is solved.

# %%
# %load_ext hundredfold

# %%
import cudf
import cupy as cp
import dask.array as da
import numpy as np
from numba import cuda
from sklearn.datasets import load_sample_image

from hundredfold import check, data, hint, measure, plot, report

# %% [markdown]
# ## 1. A budget, before there is code
#
# At full size both tracks come to the same array of float32: 320 000 flights in 10 000 futures, or 8 000 photographs of 800 × 500 pixels. You
# have an H200, whose memory moves 4.8 TB/s, and a bus that moves 25 GB/s. How much is it?
#
# - `nbytes`: bytes of this array.
# - `kernel`: the least **seconds** for a kernel that reads each of its numbers once and writes another for each.
# - `bus`: the seconds that the array takes over the bus, one way.
#
# Later you have four workers, each with a GPU of 16 GB. A task may use half of that memory, and holds three chunks at once: what it reads,
# what it writes, and as much again to work in.
#
# - `chunks`: into how many chunks must the array be cut at least, if each worker is to get equally many?
# - `four`: all of it takes one worker 40 s. Of these, 6 s cannot be shared. How many seconds do the four need at least?

# %%
nbytes = kernel = bus = chunks = four = ...
### BEGIN SOLUTION
nbytes = 320_000 * 10_000 * 4
kernel = 2 * nbytes / 4.8e12
bus = nbytes / 25e9
chunks = 8  # 12.8 GB in chunks of at most 8 GB / 3 are five; the next multiple of four
four = 6 + (40 - 6) / 4
### END SOLUTION

# %%
check("capstone.budget", nbytes, kernel, bus, chunks, four)

# %% [markdown]
# ## 2. Where does each stage belong?
#
# You may use a server: its processor gets 150 GB/s from its memory and does 2 TFLOP/s. Each of its eight GPUs has 2 TB/s and 20 TFLOP/s, needs
# 5 µs for each kernel launched, and has a bus of its own with 25 GB/s. One GPU is there at once; a cluster of all eight takes 1 s to
# start, and then is eight times as fast in everything. Where is each stage done first?
#
# | stage | moves | computes | |
# |---|---|---|---|
# | `"clean"` | 180 MB | | a table of 60 MB on the host, and back to the host: 10 kernels |
# | `"photo"` | 3.2 MB | 24 MFLOP | one photograph: 1.6 MB on the host, and 1.6 MB back: 1 kernel |
# | `"days"` | 0.3 MB | 20 MFLOP | a small decomposition: 300 kernels; 0.1 MB there and back |
# | `"futures"` | 25.6 GB | 160 GFLOP | drawn on the device, summed up there, 3 MB come back: 20 kernels |
# | `"patches"` | 3 GB | 600 GFLOP | 1.5 GB that lie on one GPU already, and stay there: 100 kernels |
# | `"archive"` | 8 TB | 240 TFLOP | 4 TB in main memory, which cross to the GPUs: 10 000 kernels |
# | `"sweep"` | 640 TB | | 64 runs on data that the GPUs have, each for itself: 1.28 million kernels |
#
# Where "moves" are bytes in the memory of whoever does it. A stage takes the longer of what it moves and what it computes; launches and what crosses
# a bus come on top. Answer `"cpu"`, `"gpu"` (one) or `"cluster"` (eight).

# %%
decisions = {
    "clean": ...,
    "photo": ...,
    "days": ...,
    "futures": ...,
    "patches": ...,
    "archive": ...,
    "sweep": ...,
}
### BEGIN SOLUTION
decisions = {"clean": "cpu", "photo": "cpu", "days": "cpu", "futures": "gpu", "patches": "gpu"}
decisions |= {"archive": "cluster", "sweep": "cluster"}
### END SOLUTION

# %%
check("capstone.worth", decisions)

# %% [markdown]
# ---
#
# # Track A: how much of an evening's delays did the planes bring along?
#
# Flights are later the later it is. One reason that comes to mind: a plane that was late once is late for the rest of its day. Is it that? The
# data has every departure from New York in 2013. To try it out: two weeks of July.

# %%
columns = ["tailnum", "origin", "time_hour", "minute", "dep_delay"]
records = cudf.read_parquet(data.path("flights"))[columns]
weather = cudf.read_parquet(data.path("weather"))[["origin", "time_hour", "wind_speed"]]
some = records[
    (records["time_hour"] >= np.datetime64("2013-07-08")) & (records["time_hour"] < np.datetime64("2013-07-22"))
]
print(f"{len(records)} records, {len(some)} of them of two weeks of July")

# %% [markdown]
# ## A3. Repair: from records to a table
#
# `prepare(flights, weather)` makes of the records what the rest can build on: columns `tailnum`, `origin`, `due`, `late`, `wind`, by `tailnum` and then
# by `due`.
#
# - A row for each flight **that left** (its `dep_delay` is not null) and whose `tailnum` is known; `late` is its `dep_delay` in minutes.
# - `due` is when it was to leave, in UTC: `time_hour` and `minute` together.
# - `wind` is that of the **last** report at its `origin` **not later than** `due`, and **at most two hours older**. Null if there is none (`cp.nan` counts as null).
# - A `wind_speed` above 200 miles per hour is a slip of the keyboard (there is one of 1 048): then nothing is known of the wind, null.
#
# Neither table may be changed. A colleague wrote this; it runs, and has four mistakes. Repair it. (Reports and flights are turned into one number
# each, station by station and in each by time, so that one `searchsorted` finds all reports: problem 6 of unit 08.)


# %%
def prepare(flights, weather):
    ### BEGIN SOLUTION
    minutes = (flights["minute"].astype("int64") * 60_000_000).astype("timedelta64[us]")
    table = flights.assign(due=flights["time_hour"] + minutes, late=flights["dep_delay"])
    table = table.dropna(subset=["tailnum", "late"]).reset_index(drop=True)
    wind = weather["wind_speed"].where(weather["wind_speed"] <= 200)
    reports = weather.assign(wind=wind).sort_values(["origin", "time_hour"]).reset_index(drop=True)
    table["wind"] = cp.nan
    if len(reports) and len(table):
        codes = cudf.concat([reports["origin"], table["origin"]]).astype("category").cat.codes.astype("int64").values
        there, here = codes[: len(reports)], codes[len(reports) :]
        times, due = reports["time_hour"].astype("int64").values, table["due"].astype("int64").values
        span = 10**16  # microseconds, longer than all of time
        at = cp.searchsorted(there * span + times, here * span + due, side="right") - 1
        known = at >= 0
        at = cp.maximum(at, 0)
        known &= (there[at] == here) & (due - times[at] <= 2 * 3_600_000_000)
        table["wind"] = cp.where(known, reports["wind"].fillna(np.nan).values[at], cp.nan)
    table = table[["tailnum", "origin", "due", "late", "wind"]]
    return table.sort_values(["tailnum", "due"]).reset_index(drop=True)
    ### END SOLUTION
    ### BEGIN STARTER
    # minutes = (flights["minute"].astype("int64") * 60_000_000).astype("timedelta64[us]")
    # table = flights.assign(due=flights["time_hour"] + minutes, late=flights["dep_delay"].fillna(0))
    # table = table.dropna(subset=["tailnum"]).reset_index(drop=True)
    # wind = weather["wind_speed"]
    # reports = weather.assign(wind=wind).sort_values(["origin", "time_hour"]).reset_index(drop=True)
    # table["wind"] = cp.nan
    # if len(reports) and len(table):
    #     codes = cudf.concat([reports["origin"], table["origin"]]).astype("category").cat.codes.astype("int64").values
    #     there, here = codes[: len(reports)], codes[len(reports) :]
    #     times, due = reports["time_hour"].astype("int64").values, table["due"].astype("int64").values
    #     span = 10**16  # microseconds, longer than all of time
    #     at = cp.searchsorted(there * span + times, here * span + due, side="right")
    #     known = at < len(reports)
    #     at = cp.minimum(at, len(reports) - 1)
    #     known &= there[at] == here
    #     table["wind"] = cp.where(known, reports["wind"].fillna(np.nan).values[at], cp.nan)
    # table = table[["tailnum", "origin", "due", "late", "wind"]]
    # return table.sort_values(["tailnum", "due"]).reset_index(drop=True)
    ### END STARTER


# %%
check("capstone.prepare", prepare)

# %% [markdown]
# With your table: which flights are the same plane's, one after the other? And how much lateness can be made up between two of them? Our assumption,
# and you may make a better one: whatever time there is beyond that which the tightest tenth of all schedules get by with.

# %%
table = prepare(some, weather)
minute = table["due"].astype("int64").values / 60_000_000
plane = table["tailnum"].astype("category").cat.codes.values
gap = cp.diff(minute)
follows = (plane[1:] == plane[:-1]) & (gap < 12 * 60)
starts = cp.concatenate([cp.asarray([True]), ~follows])
first = cp.append(cp.flatnonzero(starts), len(table)).astype("int32")
tight = cp.quantile(gap[follows], 0.1)
buffer = cp.concatenate([cp.zeros(1), gap - tight])
buffer = cp.where(starts, 0, buffer).astype("float32")
print(f"{100 * float(follows.mean()):.0f} % of the flights follow one of the same plane within 12 hours")

# %% [markdown]
# ## A4. A kernel: a delay travels with its plane
#
# Now many futures. In each, every flight is late *by itself* by some minutes, `own`, and on top of that by what its plane brings along. With
# flights `first[c]` to `first[c + 1] - 1` those of plane `c`, in the order in which it flies them, and for each future `s`:
#
# - a plane's first flight: `late[i, s] = own[i, s]`
# - each further one: `late[i, s] = own[i, s] + max(0, late[i - 1, s] - buffer[i])`
#
# Write the kernel `propagate(first, buffer, own, late)`. `first` is int32 with an element more than there are planes (a plane may have no flight at
# all), `buffer` float32 with one for each flight (it may be negative), `own` and `late` float32 (flights, futures). It will be launched on a grid
# of two dimensions that covers the futures along x and the planes along y, both with some threads too many. Each thread does one plane in one
# future. Each number of `own` is
# to be read once and each of `late` touched once, by threads that lie side by side where the numbers do.


# %%
@cuda.jit
def propagate(first, buffer, own, late):
    ### BEGIN SOLUTION
    s, c = cuda.grid(2)
    if c < first.size - 1 and s < own.shape[1]:
        before = np.float32(0)
        for i in range(first[c], first[c + 1]):
            if i > first[c]:
                before = max(before - buffer[i], np.float32(0))
            before += own[i, s]
            late[i, s] = before
    ### END SOLUTION


# %%
check("capstone.propagate", propagate)

# %% [markdown]
# ## A5. What do bad days have in common?
#
# Put the days below each other, a column for each hour: a matrix of mean lateness. Which few shapes are all days made of? Write `days(profile, k)` for
# a `profile` (days, hours) of float64 on the device, with NaN where nobody left (no hour is without any number):
#
# 1. fill each gap with the mean of its hour (of the days that have one), then take each hour's mean off;
# 2. decompose (SVD), and keep the first `k` right singular vectors as `shapes` (k, hours), each with that sign for which its sum is positive;
# 3. return `(shapes, share)`, where `share` (k,) is the share of the whole variance along each.


# %%
def days(profile, k):
    ### BEGIN SOLUTION
    usual = cp.nanmean(profile, axis=0)
    x = cp.where(cp.isnan(profile), usual, profile) - usual
    u, s, vt = cp.linalg.svd(x, full_matrices=False)
    shapes = vt[:k]
    sign = cp.where(shapes.sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    return shapes * sign, s[:k] ** 2 / (s**2).sum()
    ### END SOLUTION


# %%
check("capstone.days", days)

# %% [markdown]
# ## A6. Open: ten thousand futures, on all devices
#
# `outlook(first, buffer, own)` is to give for each flight the **share of its futures in which it is more than 15 minutes late**. `own` (flights,
# futures) is a Dask array of CuPy chunks now, too large for one device, and cut in any way: also between two flights of one plane. `first` and
# `buffer` lie on the device.
#
# Return a lazy Dask array (flights,). Nothing may be computed while it is built, no chunk may go to the host, and no task may write into a chunk that it is given. A task
# may get and make chunks with all flights, but then at most twice as many futures as the largest chunk that comes. The fewer tasks the better: the check says how near to the limit you come.


# %%
def outlook(first, buffer, own):
    ### BEGIN SOLUTION
    def travel(part, first, buffer):
        late = cp.empty_like(part)
        grid = (-(-part.shape[1] // 32), -(-first.size // 4))
        propagate[grid, (32, 4)](first, buffer, part, late)
        return late

    whole = own.rechunk({0: -1})  # a plane's flights together; the futures stay cut
    late = whole.map_blocks(travel, first, buffer, dtype=own.dtype, meta=own._meta)
    return (late > 15).mean(axis=1)
    ### END SOLUTION


# %%
check("capstone.futures", outlook)

# %% [markdown]
# ### The finished picture
#
# Draw futures: let each flight be late by itself as some *first* flight of a plane was that was due in the same hour of the day, drawn at random. (One way: put the
# first flights, those of `starts`, in the order of their hour. Those of one hour then stand side by side, from `begin` to `end`, which `cp.searchsorted`
# finds, and a random number between 0 and 1 picks one of them. Make the numbers with `da.random`, in chunks; `block_info[0]` tells a function that `map_blocks` calls
# where its chunk lies.) Then for each hour the share that is more than 15
# minutes late: as it was, by themselves, and with what the planes brought along. What does it say? (`due` is UTC; the hour is New York's,
# and two weeks of UTC are 15 days there. Leave out hours with fewer than 100 flights, here and in the shapes of days: a few late ones would be their mean.)
#
# Measure what you do, `measure(function, name="…", bytes=…)`: that is what the page at the end is made of. Without a cluster a Dask array is computed by
# `.compute(scheduler="threads")`.

# %%
local = table["due"].dt.tz_localize("UTC").dt.tz_convert("America/New_York").dt.tz_localize(None)
by_hour = cudf.DataFrame({"hour": local.dt.hour, "day": local.dt.floor("D"), "late": table["late"]})
picture_a = None
### BEGIN SOLUTION
futures = 64  # make it thousands on a GPU
hour = by_hour["hour"].values
fresh, when = table["late"].values[starts].astype("float32"), hour[starts]
order = cp.argsort(when)
fresh, when = fresh[order], when[order]  # hour by hour, those of one hour side by side
begin, end = (cp.searchsorted(when, hour, side=side) for side in ("left", "right"))


def drawn(part, block_info=None):
    rows = slice(*block_info[0]["array-location"][0])
    lucky = begin[rows, None] + (cp.asarray(part) * (end - begin)[rows, None]).astype("int64")
    return fresh[lucky]


chance = da.random.default_rng(15).random((len(table), futures), chunks=(len(table) // 2 + 1, futures // 4))
own = chance.map_blocks(drawn, dtype="float32", meta=cp.empty((0, 0), "float32")).persist(scheduler="threads")
run = measure(
    lambda: outlook(first, buffer, own).compute(scheduler="threads"),
    name="futures of two weeks",
    bytes=2 * own.nbytes,
    repeat=2,
    min_time=0,
)
by_hour["was"] = by_hour["late"] > 15
by_hour["alone"] = (own > 15).mean(axis=1).compute(scheduler="threads")
by_hour["carried"] = run.value
means = by_hour[["hour", "was", "alone", "carried"]].groupby("hour").mean().sort_index().to_pandas().loc[6:22]
picture_a = plot.lines(
    means.index,
    {
        "as it was": 100 * means["was"],
        "by themselves": 100 * means["alone"],
        "and what planes brought": 100 * means["carried"],
    },
    xlabel="hour of the day in New York",
    ylabel="% more than 15 minutes late",
    title="How much of an evening's delays did the planes bring along?",
)
### END SOLUTION
picture_a

# %% [markdown] tags=["solution-only"]
# Not much of it: what planes bring along lifts the line by a few per cent at most, and the evenings of July were later by far. So it is not mainly the planes. (But
# mind what is not known: the data has departures from New York only. A plane that was late in between, in Chicago, comes out as late "by itself", and
# what crews and queues hand on is in no table here.)

# %%
picture_days = None
### BEGIN SOLUTION
profile = by_hour.groupby(["day", "hour"], as_index=False)["late"].mean().to_pandas()
profile = profile.pivot(index="day", columns="hour", values="late").loc[:, 6:22]
shapes, share = days(cp.asarray(profile.to_numpy(dtype="float64")), 2)
picture_days = plot.lines(
    profile.columns,
    {f"shape {n + 1}, {100 * float(share[n]):.0f} % of the variance": shapes[n].get() for n in range(2)},
    xlabel="hour of the day in New York",
    ylabel="lateness, of length 1",
    title="What bad days have in common",
)
### END SOLUTION
picture_days

# %% [markdown]
# ---
#
# # Track B: how few numbers does a photograph need?
#
# A photograph of 427 × 640 pixels that scikit-learn brings along: a pavilion in Beijing, by danielbuechele, CC BY 2.0.

# %%
photo = cp.asarray(load_sample_image("china.jpg"))
print(f"{photo.shape[0]} × {photo.shape[1]} pixels, {photo.dtype}, from {int(photo.min())} to {int(photo.max())}")

# %% [markdown]
# ## B3. Repair: from numbers to light
#
# A photograph's numbers are no amounts of light: cameras write them along a curve (sRGB), since eyes see dark differences better. For anything that is
# worked out with them, even a mean, one needs the light. `light(photo)` takes (rows, columns, 3) uint8, red, green and blue, and gives the brightness
# (rows, columns) float32, from 0 to 1:
#
# 1. each number $c$ as a fraction, $v = c / 255$;
# 2. its light: $v / 12.92$ where $v \le 0.04045$, else $((v + 0.055) / 1.055)^{2.4}$;
# 3. $0.2126$ red $+\ 0.7152$ green $+\ 0.0722$ blue.
#
# A colleague wrote this; it runs, and has four mistakes. Repair it.


# %%
def light(photo):
    ### BEGIN SOLUTION
    v = photo.astype("float32") / 255
    v = cp.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
    return (0.2126 * v[..., 0] + 0.7152 * v[..., 1] + 0.0722 * v[..., 2]).astype("float32")
    ### END SOLUTION
    ### BEGIN STARTER
    # grey = (photo[..., 0] + photo[..., 1] + photo[..., 2]) / 3
    # v = grey / 255
    # return ((v + 0.055) / 1.055) ** 2.4
    ### END STARTER


# %%
check("capstone.light", light)

# %% [markdown]
# A cheap sensor: one pixel in twenty is stuck, half of these black, half white.

# %%
bright = light(photo).astype("float32")
rng = np.random.default_rng(15)
stuck = cp.asarray(rng.random(bright.shape))
noisy = cp.where(stuck < 0.025, 0, cp.where(stuck > 0.975, 1, bright)).astype("float32")

# %% [markdown]
# ## B4. A kernel: wrong pixels out, edges kept
#
# A mean over the neighbours would smear a stuck pixel over all of them. The **median** throws it away. Write the kernel `median(x, out)`: for each pixel of
# `x` (n, m) float32 the median of the 3 × 3 pixels around it; beyond the border the pixel on the border counts.
#
# It will be launched on a grid of two dimensions that covers the picture, x along a row, with some threads too many. Each thread reads its nine
# pixels once, and writes one.


# %%
@cuda.jit
def median(x, out):
    ### BEGIN SOLUTION
    j, i = cuda.grid(2)
    n, m = x.shape
    if i < n and j < m:
        near = cuda.local.array(9, np.float32)
        for k in range(9):
            value = x[min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), m - 1)]
            place = k
            while place > 0 and near[place - 1] > value:
                near[place] = near[place - 1]
                place -= 1
            near[place] = value
        out[i, j] = near[4]
    ### END SOLUTION


# %%
check("capstone.median", median)

# %% [markdown]
# ## B5. What is a picture made of?
#
# Cut it into tiles of p × p pixels. Each is p² numbers; but tiles of sky are all alike, and a few *eigen-images* in different amounts give nearly all of them.
# Write `patches(picture, p, k)` for a picture (n, m) float32 on the device:
#
# 1. cut it into tiles, side by side from the upper left; rows and columns that fill no tile are left out. Each tile is a row of p² numbers;
# 2. take the mean tile off, decompose (SVD), keep what lies along the `k` strongest right singular vectors, put the mean tile back on;
# 3. return `(rebuilt, share)`: the picture put together again of these tiles, float32, and for each of the k the share of the whole variance, (k,)
#    float32.


# %%
def patches(picture, p, k):
    ### BEGIN SOLUTION
    a, b = picture.shape[0] // p, picture.shape[1] // p
    tiles = picture[: a * p, : b * p].reshape(a, p, b, p).transpose(0, 2, 1, 3).reshape(a * b, p * p)
    mean = tiles.mean(axis=0)
    u, s, vt = cp.linalg.svd(tiles - mean, full_matrices=False)
    kept = (u[:, :k] * s[:k]) @ vt[:k] + mean
    rebuilt = kept.reshape(a, b, p, p).transpose(0, 2, 1, 3).reshape(a * p, b * p)
    return rebuilt, s[:k] ** 2 / (s**2).sum()
    ### END SOLUTION


# %%
check("capstone.patches", patches)

# %% [markdown]
# ## B6. Open: a wall of pictures, on all devices
#
# `clean(wall)` is to clean a picture that is too large for one device as in B4: `wall` (n, m) is a Dask array of CuPy chunks of float32. The result, float32, is the
# median of 3 × 3 of the **whole** wall: beyond *its* border the pixel on the border counts, and between two chunks there is no seam.
#
# Return a lazy Dask array (n, m). Nothing may be computed while it is built; no task may write into a chunk that it is given; no chunk may go to the host, or become more than twice as large as the largest
# that comes (with a row and a column more on each side). The less is made on the way the better: the check says how near to the limit you come.


# %%
def clean(wall):
    ### BEGIN SOLUTION
    def cleaned(part):
        out = cp.empty_like(part)
        grid = (-(-part.shape[1] // 32), -(-part.shape[0] // 4))
        median[grid, (32, 4)](part, out)
        return out

    return wall.map_overlap(cleaned, depth=1, boundary="nearest", dtype=wall.dtype, meta=wall._meta)
    ### END SOLUTION


# %%
check("capstone.wall", clean)

# %% [markdown]
# ### The finished picture
#
# Clean the noisy photograph, rebuild it from ever fewer eigen-images, and show both. How far is each from the picture before the noise, and how many
# numbers does it take? (`da.from_array(noisy, chunks=…, asarray=False)` makes a wall of it, `plot.images` shows pictures side by side.) Measure what you do,
# `measure(function, name="…", bytes=…)`: that is what the page at the end is made of.

# %%
picture_b = picture_numbers = None
### BEGIN SOLUTION
lazy = da.from_array(noisy, chunks=(214, 320), asarray=False)
cleaned = measure(
    lambda: clean(lazy).compute(scheduler="threads"),
    name="median of a photograph",
    bytes=2 * noisy.nbytes,
    repeat=2,
    min_time=0,
).value
p, most = 8, (1, 2, 4, 8, 16, 32)
rebuilt = {k: patches(cleaned, p, k)[0] for k in most}
target = bright[: bright.shape[0] // p * p, : bright.shape[1] // p * p]
error = {k: float(cp.sqrt(((rebuilt[k] - target) ** 2).mean())) for k in most}
small = {"with noise": noisy, "median": cleaned, "4 of 64 numbers": rebuilt[4], "16 of 64": rebuilt[16]}
picture_b = plot.images(
    {name: cp.clip(part[:424:3, ::3], 0, 1).get() for name, part in small.items()},
    "A pavilion at a lake: with stuck pixels, cleaned, and made of 4 and of 16 eigen-images, where the 4 are blurred and the 16 are not.",
    columns=2,
    common=True,
    title="How few numbers does a photograph need?",
)
picture_numbers = plot.lines(
    most,
    {"rebuilt from k eigen-images": list(error.values())},
    xlabel="numbers kept for each tile of 64 pixels",
    ylabel="distance from the picture without noise",
    xlog=True,
    marks={"a quarter": 16},
)
### END SOLUTION
picture_b

# %%
### BEGIN SOLUTION
both = {"with noise": noisy, "cleaned": cleaned}
print({name: round(float(cp.sqrt(((part - bright) ** 2).mean())), 3) for name, part in both.items()})
### END SOLUTION
picture_numbers

# %% [markdown] tags=["solution-only"]
# A quarter of the numbers is enough: with 16 of 64 the picture is nearly as far from the one without noise as the cleaned one is with all of them. What is left then is what
# the median took away, fine lines with the stuck pixels, and no number of eigen-images brings it back. (To store it one needs the 16 eigen-images
# and the mean tile as well, 1 088 numbers, once. And what *looks* well is another question than which distance is small.)

# %% [markdown]
# ---
#
# ## The report
#
# One page that you can show, of what you measured in this session: the milestones with the days on which you passed them, each measurement that has a name
# beside its limit, your figures, and the machine. It is one file of HTML beside this notebook, which asks for nothing else, prints, and can be
# sent to anybody. (The milestones are those of the track you are furthest in, or all, if both are done: `track="flights"` or `"pictures"` chooses.) Run the cell again when you have more: it replaces your own page, and never anybody else's.
#
# First the rubric, by which the rest is judged. Give yourself a level for each line, and argue.

# %%
report.rubric()

# %%
told = "What was the question? What is the answer, and what do you not know?"
levels = {}  # such as {"right": 2, "told": 1}
### BEGIN SOLUTION
told = """Do planes that are late carry it through the day? In two weeks of July, less than one would think: evenings are
later by far than what their planes brought along. Departures from anywhere but New York are not in the data.

How few numbers does a photograph need? A quarter: what is still missing then is what the median took away."""
levels = {"right": 2, "honest": 1, "limit": 1, "strong": 0, "scale": 1, "told": 2}
### END SOLUTION
report(
    "my-capstone.html",
    title="From records to a picture",
    author="",  # your name, if it may stand there
    text=told,
    figures={
        caption: figure
        for caption, figure in {
            "Track A: the share of flights that left late, by the hour": picture_a,
            "Track A: the shapes that days are made of": picture_days,
            "Track B: a photograph, cleaned and rebuilt": picture_b,
            "Track B: how far from the picture without noise": picture_numbers,
        }.items()
        if figure is not None
    },
    rubric=levels,
)

# %% [markdown]
# ## Beyond
#
# Nothing below is checked; all of it has been somebody's next question.
#
# - **A year.** `prepare(records, weather)`, a thousand futures, `LocalCUDACluster`. What is the limit now: the kernel, the random numbers, or the
#   scheduler? Time it for one worker and for two, and draw Amdahl's line beside it (unit 12).
# - **A better assumption.** Let a flight's own delay depend on its hour, its airport and the `wind` that you joined and have not used yet. Learn it (unit 09) on ten months, judge it on two.
# - **The GPU's opponent.** The recurrence in Numba with `prange` over planes; the median by `scipy.ndimage`, and by Numba on all cores. Who wins at which size?
# - **Colour.** Tiles of 8 × 8 × 3. Does a photograph need three times as many numbers? Then cluster the tiles by their first coefficients (`cuml.cluster.KMeans`) and paint
#   each in the colour of its cluster.
# - **Fewer reads.** The median in a tile of shared memory (unit 06): count the sectors, with the lens, before and after.
# - **Your own data.** The plan, the checks' habits (specify on the host, try awkward shapes, compare) and the page work for any problem. That is what this course was for.
