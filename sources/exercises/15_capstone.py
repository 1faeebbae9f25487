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
# # 15 · Capstone: exercises
#
# *Unit 15 · capstone · 120 minutes for one track, in two sittings · the lecture is [notebooks/15_capstone.ipynb](../notebooks/15_capstone.ipynb)*
#
# You solve one problem, from raw records to a finished picture. There are two tracks. Do the plan (milestones 1 and 2) first, and then **choose one track**:
#
# - **Track A, flights**: *do late planes explain late evenings?*
# - **Track B, pictures**: *how few numbers does a photograph need?*
#
# ![A map of the six milestones. The first two are for both tracks: 1, a budget, and 2, where each step belongs. Then choose one track. Track A: A3 repairs a table, A4 is a kernel for delays, A5 finds the shapes of bad days, A6 computes many futures. Track B: B3 turns numbers into light, B4 is a kernel for a median, B5 finds eigen-images, B6 cleans a wall of pictures. Both end in a picture and a page.](../notebooks/drawings/capstone-map.svg)
#
# | | minutes |
# |---|---|
# | 1 and 2, the plan | 25 |
# | 3 and 4, a repair and a kernel | 40 |
# | *break* | |
# | 5 and 6, an SVD and many chunks | 35 |
# | the picture, the page, the rubric | 20 |
#
# A `check` judges each milestone. `hint("capstone.prepare")` unfolds the next hint. A `...` that you left counts as not attempted, never as wrong. A3 and B3 start with given code. There the check judges that
# code until you change it.
#
# You can run this notebook from top to bottom at any time. Solved, it takes about a minute.

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
# A **future** is one random outcome of a year of flights. At full size both tracks have equally many float32 numbers: 320 000 flights in 10 000 futures, or 8 000 photographs of 800 × 500 pixels. You have an H200.
# Its memory moves 4.8 TB/s. The bus of its server moves 25 GB/s. Compute:
#
# - `nbytes`: the bytes of the array of these numbers.
# - `kernel`: the least **seconds** for a kernel that reads each number once and writes one number for each.
# - `bus`: the seconds that the array takes over the bus, one way.
#
# Later you have four workers, each with a GPU of 16 GB. A task may use half of that memory. It holds three chunks at once: its input, its output, and one to work in.
#
# - `chunks`: the least number of chunks of the array, if each worker gets equally many.
# - `four`: one worker takes 40 s for everything. 6 s of these cannot be shared. How many seconds do four workers need at least?
#
# The check allows a small tolerance.

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
# A server has a processor and eight GPUs:
#
# | | memory | computing | bus | extra |
# |---|---|---|---|---|
# | processor, `"cpu"` | 150 GB/s | 2 TFLOP/s | none | |
# | one GPU, `"gpu"` | 2 TB/s | 20 TFLOP/s | 25 GB/s | 5 µs for each kernel |
# | eight GPUs, `"cluster"` | 8 × 2 TB/s | 8 × 20 TFLOP/s | 8 × 25 GB/s | 1 s to start |
#
# After its start the cluster is eight times as fast as one GPU in everything, launches too.
#
# Which place finishes each stage soonest? Answer `"cpu"`, `"gpu"` or `"cluster"`.
#
# | stage | moves | computes | where the data is, and where it goes |
# |---|---|---|---|
# | `"clean"` | 180 MB | | 60 MB on the host, 60 MB back; 10 kernels |
# | `"photo"` | 3.2 MB | 24 MFLOP | 1.6 MB on the host, 1.6 MB back; 1 kernel |
# | `"days"` | 0.3 MB | 20 MFLOP | 0.1 MB on the host, 0.1 MB back; 300 kernels |
# | `"futures"` | 25.6 GB | 160 GFLOP | made on the device, 3 MB come back; 20 kernels |
# | `"patches"` | 3 GB | 600 GFLOP | 1.5 GB on one GPU already, the result stays there; 100 kernels |
# | `"archive"` | 8 TB | 240 TFLOP | 4 TB in main memory, which cross to the GPUs; 10 000 kernels |
# | `"sweep"` | 640 TB | | 64 independent runs on data that the GPUs have; 1.28 million kernels |
#
# "Moves" counts bytes in the memory of the place that does the stage. A stage takes the longer of moving and computing. Add the launches, and what crosses a bus.

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
# # Track A: do late planes explain late evenings?
#
# Delays are longer in the evening than in the morning. A plane that was late once may be late for the rest of its day. Is that the reason? The data has every departure from New York in 2013. You work with two weeks of July.

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
# `prepare(flights, weather)` returns a table with the columns `tailnum`, `origin`, `due`, `late` and `wind`, sorted by `tailnum` and then `due`.
#
# - One row for each flight **that left** (its `dep_delay` is not null) and whose `tailnum` is known. Equal rows stay.
# - `late` is `dep_delay`, in minutes.
# - `due` is `time_hour` plus `minute`, in UTC.
# - `wind` is that of the **last** report at the same `origin`, **not later than** `due`, and **at most two hours older**.
# - `wind` is null (or `cp.nan`) where there is no such report.
# - A `wind_speed` above 200 miles per hour counts as unknown: null.
#
# The given code runs and has **four mistakes**. Repair them. It finds the last report with one `searchsorted`: it turns airport and time into one number (problem 6 of unit 08).
#
# The check compares the rows on tables with awkward data. It also makes sure that `flights` and `weather` are unchanged.


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
# The next cell finds the flights that follow an earlier one of the same plane within 12 hours. `gap` is the time between their two departures. A tenth of the gaps is shorter than `tight`. We assume that a plane needs the time `tight`
# between two departures. The rest of a gap, `buffer`, can make up for a delay. You may make a better assumption.

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
# Now many futures. In each future, a flight has a delay of its own, `own`, in minutes. Its plane also brings along what is left of the earlier flight's delay:
#
# ![Three flights of one plane in one future, from left to right. The first is 40 minutes late by itself. The time between the flights takes 25 of them away, so 15 are handed on. The second adds 10 of its own and is 25 late. The next buffer takes all of them, and the third is late only by its own 5.](../notebooks/drawings/capstone-planes.svg)
#
# The flights of plane `c` are `first[c]` to `first[c + 1] - 1`, in the order in which it flies them. For each future `s`:
#
# - a plane's first flight: `late[i, s] = own[i, s]`
# - each further flight: `late[i, s] = own[i, s] + max(0, late[i - 1, s] - buffer[i])`
#
# Write the kernel `propagate(first, buffer, own, late)`:
#
# | argument | shape and dtype |
# |---|---|
# | `first` | planes + 1, int32; a plane may have no flight |
# | `buffer` | flights, float32; may be negative |
# | `own`, `late` | flights × futures, float32 |
#
# The grid has two dimensions. x covers the futures and y the planes, both with some threads too many. Each thread does one plane in one future.
#
# The check also counts. Each number of `own` is read once. Each number of `late` is written once and never read. Neighbouring threads must touch neighbouring numbers.


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
# *The second sitting may start here.*
#
# A matrix of mean delays has a row for each day and a column for each hour. Which few shapes make up all days? Write `days(profile, k)`. `profile` is (days, hours), float64, on the device. It has NaN where no flight left. Each hour
# has a number on at least one day.
#
# 1. Fill each gap with the mean of its hour, over the days that have a number. Then subtract each hour's mean.
# 2. Compute the SVD. Keep the first `k` right singular vectors as `shapes` (k, hours). Give each the sign for which its sum is positive.
# 3. Return `(shapes, share)`. `share` (k,) is the share of the whole variance along each shape.


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
# Write `outlook(first, buffer, own)`. It returns for each flight the **share of its futures in which it is more than 15 minutes late**. `own` (flights, futures) is now a Dask array of CuPy chunks, too large for one device. It is cut in any
# way, also between two flights of one plane. `first` and `buffer` are on the device.
#
# - Return a lazy Dask array (flights,). Nothing is computed while you build it.
# - No chunk goes to the host, and no task changes a chunk that it is given.
# - A task may hold all flights. It may hold at most twice as many futures as the largest chunk of `own` has.
#
# Fewer tasks are better. The limit is one task for each chunk. The check tells you how near you are.


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
# The next cell makes `own` for your data. A plane's first flight of a day brings nothing along, so its delay is its own. Each flight draws its own delay from the first flights of the same hour, at random. You need not read
# the cell.

# %%
local = table["due"].dt.tz_localize("UTC").dt.tz_convert("America/New_York").dt.tz_localize(None)
by_hour = cudf.DataFrame({"hour": local.dt.hour, "day": local.dt.floor("D"), "late": table["late"]})
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

# %% [markdown]
# Show three lines over the hours of the day, each the share of flights more than 15 minutes late:
#
# 1. as it was: the `late` of `by_hour`;
# 2. with their own delays only: `own`;
# 3. with what the planes brought along: `outlook(first, buffer, own)`.
#
# The hours are those of New York. Show hours 6 to 22; the others have too few flights. Measure the third: `measure(function, name="…", bytes=…)`. The report at the end shows it. Without a cluster use
# `.compute(scheduler="threads")`.
#
# Optional, a second picture: `days` of A5 for your data, a day a row and an hour a column.

# %%
picture_a = None
### BEGIN SOLUTION
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
        "own delays only": 100 * means["alone"],
        "and what planes brought": 100 * means["carried"],
    },
    xlabel="hour of the day in New York",
    ylabel="% more than 15 minutes late",
    title="Do late planes explain late evenings?",
)
### END SOLUTION
picture_a

# %% [markdown] tags=["solution-only"]
# It is not mainly the planes. The share of late flights rises from 10 % in the morning to more than 60 % at night. Own delays give nearly all of that. What planes bring along adds at most 7
# percentage points, in most hours less than 4.
#
# Mind what is not known. The data has departures from New York only. A plane that was late in Chicago in between has that delay as its own. Crews and queues are in no table here.

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
# The photograph comes with scikit-learn. It shows a pavilion in Beijing and is by danielbuechele, CC BY 2.0.

# %%
photo = cp.asarray(load_sample_image("china.jpg"))
print(f"{photo.shape[0]} × {photo.shape[1]} pixels, {photo.dtype}, from {int(photo.min())} to {int(photo.max())}")

# %% [markdown]
# ## B3. Repair: from numbers to light
#
# The numbers of a photograph are not amounts of light. Cameras write them along a curve (sRGB), because eyes see small differences in the dark. A mean must be of light. `light(photo)` takes (rows, columns, 3) uint8: red, green, blue. It returns the
# brightness (rows, columns), float32, from 0 to 1:
#
# 1. each number $c$ as a fraction, $v = c / 255$;
# 2. its light: $v / 12.92$ where $v \le 0.04045$, else $((v + 0.055) / 1.055)^{2.4}$;
# 3. $0.2126$ red $+\ 0.7152$ green $+\ 0.0722$ blue.
#
# The given code runs and has **four mistakes**. Repair them.


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
# Now the photograph of a cheap sensor: one pixel in twenty is stuck. Half of these are black, half are white.

# %%
bright = light(photo).astype("float32")
rng = np.random.default_rng(15)
stuck = cp.asarray(rng.random(bright.shape))
noisy = cp.where(stuck < 0.025, 0, cp.where(stuck > 0.975, 1, bright)).astype("float32")
plot.images(
    {"the light": cp.clip(bright[::4, ::4], 0, 1).get(), "stuck pixels": cp.clip(noisy[::4, ::4], 0, 1).get()},
    "A pavilion at a lake: its light, and the same with black and white dots.",
    columns=2,
    common=True,
)

# %% [markdown]
# ## B4. A kernel: wrong pixels out, edges kept
#
# A mean would smear a stuck pixel over its neighbours. The **median** ignores it. Write the kernel `median(x, out)`. It gives for each pixel of `x` (n, m) float32 the median of the 3 × 3 pixels around it. Outside of the
# picture the nearest pixel on the border counts.
#
# The grid has two dimensions and covers the picture, x along a row, with some threads too many. Each thread does one pixel: it reads nine and writes one. Neighbouring threads must read neighbouring pixels.


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
# *The second sitting may start here.*
#
# Cut the picture into tiles of p × p pixels. Tiles of sky are alike. An **eigen-image** is a right singular vector of the matrix of tiles. Each tile is about the mean tile and a few eigen-images in different amounts.
#
# ![A picture is cut into tiles of p by p pixels, from the upper left. What fills no tile is left out, and is hatched. Each tile becomes one row of p squared numbers. The rows are a matrix with one row for each tile.](../notebooks/drawings/capstone-tiles.svg)
#
# Write `patches(picture, p, k)` for a picture (n, m), float32, on the device:
#
# 1. Cut it into tiles, side by side from the upper left. Leave out rows and columns that fill no tile. Each tile is a row of p² numbers.
# 2. Subtract the mean tile. Compute the SVD. Keep the part along the `k` strongest right singular vectors. Add the mean tile again.
# 3. Return `(rebuilt, share)`. `rebuilt` is the picture put together again, float32. `share` (k,), float32, is the share of the whole variance along each vector.


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
# Write `clean(wall)`. It cleans a picture that is too large for one device, as in B4. `wall` (n, m) is a Dask array of CuPy chunks, float32. The result, float32, is the median of 3 × 3 of the **whole** wall. Outside of the wall
# the nearest pixel on the border counts. The cuts between chunks are no border.
#
# - Return a lazy Dask array (n, m). Nothing is computed while you build it.
# - No chunk goes to the host, and no task changes a chunk that it is given.
# - No chunk may be larger than twice the largest chunk of `wall` with one row and one column more on each side.
#
# Make as few arrays on the way as you can. At the limit, each pixel is handed over once and cleaned once. The check tells you how near you are.


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
# Clean the noisy photograph. Rebuild it from 1, 2, 4, … eigen-images. Show the pictures side by side. For each, also show the distance from `bright`, the picture before the noise: the root of the mean squared difference.
#
# `da.from_array(noisy, chunks=…, asarray=False)` makes a wall. `plot.images` shows pictures side by side. Measure what you do: `measure(function, name="…", bytes=…)`. The report at the end shows it.

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
# A quarter of the numbers is enough. With 16 of 64 the picture is nearly as far from the one without noise as the cleaned one is with all of them. What is missing is what the median removed, fine lines with the stuck pixels. No number of
# eigen-images brings it back.
#
# To store the picture you also need the 16 eigen-images and the mean tile, 1 088 numbers, once. And what *looks* good is another question than which distance is small.

# %% [markdown]
# ---
#
# ## The report
#
# `report` makes one page: your milestones with the days on which you passed them, each measurement with a name beside its limit, your figures, and the machine. It is one file of HTML beside this notebook, with nothing loaded from elsewhere.
#
# By default the milestones are those of the track in which you are furthest, or all if both are done. `track="flights"` or `track="pictures"` chooses. Run the cell again when you have more. It replaces its own page, and no other file.
#
# First read the rubric. Give yourself a level for each line, and say why.

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
    author="",  # your name, if you like
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
# Nothing below is checked.
#
# - **A year.** `prepare(records, weather)`, a thousand futures, `LocalCUDACluster`. Is the limit the kernel, the random numbers, or the scheduler? Time one worker and two, beside Amdahl's law (unit 12).
# - **A better assumption.** Let a flight's own delay depend on its hour, its airport and the `wind` that you joined. Learn it (unit 09) on ten months, judge it on two.
# - **The GPU's opponent.** The recurrence in Numba with `prange` over planes; the median by `scipy.ndimage`, and by Numba on all cores. Which wins at which size?
# - **Colour.** Tiles of 8 × 8 × 3. Does a photograph need three times as many numbers? Then cluster the tiles by their first coefficients (`cuml.cluster.KMeans`), and paint each in the colour of its cluster.
# - **Fewer reads.** The median with a tile of shared memory (unit 06). Count the sectors with the lens, before and after.
# - **Your own data.** Plan, specify on the host, try awkward shapes, compare, write the page. That works for any problem.
